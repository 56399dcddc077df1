"""What people ask of such a tool: rows C of the field's cases, where no other test answers."""

import json
import math
import re
from fractions import Fraction

import pytest

import qkv
from derive.catalog import load, names
from derive.chain import calc
from derive.derivation import theorem
from derive.diagnosis import StepError
from derive.notation.export import export
from derive.notation.text import text
from derive.opinion import second_opinion
from derive.syntax import Symbol, eq, exp, le, log, lt, sin
from derive.terms import number
from derive.witness import refute
from numeric.compare import max_error

x, y = Symbol("x"), Symbol("y")


@pytest.mark.parametrize("name", ["softmax-jacobian", "dot-product-variance"])
def test_c01_steps_are_data_with_a_reason_and_both_sides(name):
    derivation = load(name)
    assert derivation.steps
    for step in derivation.steps:
        assert step.rule and step.relation in ("=", "≤", "<")
        assert step.left != step.right
        assert step.file.endswith(".py") and step.line > 0
    for before, after in zip(derivation.steps, derivation.steps[1:], strict=False):
        assert before.right == after.left
    assert derivation.steps[-1].right == derivation.statement.args[1]


def test_c02_a_wrong_line_in_a_right_result_is_found():
    good = calc((x + 1) ** 2).eq(x**2 + 2 * x + 1).eq((1 + x) ** 2)
    assert good.qed().statement == eq((x + 1) ** 2, (1 + x) ** 2)
    with pytest.raises(StepError, match="false"):
        calc((x + 1) ** 2).eq(x**2 + 1)  # though the next line would be right again


MISTAKES = {
    "C09-a-product": (number(47) * 53, number(2491), number(2481)),
    "C09-a-sign": ((x - y) ** 2, x**2 - 2 * x * y + y**2, x**2 + 2 * x * y + y**2),
    "C10-tiny-and-unequal": (
        number(Fraction(1, math.factorial(204))),
        number(Fraction(206 * 205, math.factorial(206))),
        number(Fraction(1, math.factorial(206))),
    ),
    "C10-nearly-one": (
        number(1) + number(Fraction(1, 10**40)),
        number(Fraction(10**40 + 1, 10**40)),
        number(1),
    ),
    "C10-tiny-exponential": (exp(number(-5000)) * 2, 2 * exp(number(-5000)), number(0)),
    "C10-written-otherwise": (
        (x + y) * (x - y) + y**2,
        x**2,
        x**2 + number(Fraction(1, 10**30)),
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_an_answer_is_looked_at(name):
    """The right one is proved, the wrong one refuted, whichever side it stands on."""
    term, right, wrong = MISTAKES[name]
    assert calc(term).eq(right).qed().statement == eq(term, right)
    assert refute([], eq(term, right)) is None
    assert refute([], eq(term, wrong)) is not None
    assert refute([], eq(wrong, term)) is not None
    with pytest.raises(StepError, match="false"):
        calc(term).eq(wrong)


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [
        pytest.param([1e-300], [2e-300], 1e-300, id="C10-tiny"),
        pytest.param([1e300], [1.5e300], 5e299, id="C10-huge"),
        pytest.param([1.0, 2.0], [1.0, 2.0], 0.0, id="C10-equal"),
    ],
)
def test_comparing_is_symmetric(one, other, apart):
    assert max_error(one, other) == max_error(other, one) == pytest.approx(apart, rel=1e-12)


@pytest.mark.parametrize(
    "claim",
    [
        pytest.param(eq(sin(x) ** 2, sin(x) * sin(x)), id="C08-true-and-provable"),
        pytest.param(le(sin(x), 1), id="C08-true-but-beyond-the-rules"),
        pytest.param(lt(log(1 + exp(x)), 1 + exp(x)), id="C10-not-decided-exactly"),
    ],
)
def test_what_cannot_be_told_is_not_called_false(claim):
    assert refute([], claim, budget=40) is None
    assert second_opinion([], claim).verdict != "disagrees"


TITLE = {"en": "A theorem", "zh": "一个定理"}


@theorem("of-a-test", states=eq((x + y) ** 2, x**2 + 2 * x * y + y**2), title=TITLE)
def binomial():
    """A square, multiplied out."""
    return calc((x + y) ** 2).eq(x**2 + 2 * x * y + y**2).qed()


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("form", ["latex", "markdown", "html", "text"])
def test_c03_each_target_has_its_own_delimiters(form, language):
    source = export(binomial, form, language=language)
    assert "$$" not in source
    if form == "latex":
        body = source.partition(r"\begin{document}")[2]
        assert "$" not in body
        assert body.count(r"\[") == body.count(r"\]") > 0
        assert r"\[" not in re.findall(r"\\begin\{align.*?\\end\{align", body, re.DOTALL)[0]
        assert "[fleqn]" in source  # C04: formulas stand on the left
    if form == "markdown":
        assert source.count("```math\n") == source.count("\n```\n") > 0


def test_c14_chinese_needs_no_more_than_one_class():
    source = export(binomial, "latex", language="zh")
    assert source.startswith(r"\documentclass{ctexart}")
    assert "一个定理" in source
    english = export(binomial, "latex", language="en")
    assert english.startswith(r"\documentclass{article}") and english.isascii()


def test_c15_no_latex_is_needed_to_see_a_formula(monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert export(binomial, "pdf").startswith(b"%PDF")
    assert export(binomial, "svg").startswith("<svg")
    assert "x²" in export(binomial, "text")


def test_c19_a_page_says_its_formulas_in_words():
    page = export(binomial, "html")
    labels = re.findall(r'aria-label="([^"]*)"', page)
    assert any("x²" in label for label in labels)
    assert page.count("<svg") <= len(labels)


def test_c22_every_gradient_of_attention_has_a_derivation():
    derivation = load("attention-backward")
    statement = text(derivation.statement)
    slopes = re.findall(r"\(∂/∂x Σ.*?\)\|_\{x = 0\}", statement)
    moved = [re.search(r"↦ ([AVSQK])\[.*? \+ x ", slope)[1] for slope in slopes]
    assert moved == ["V", "A", "S", "Q", "K"]
    assert derivation.proof.parts


def test_c01_what_is_exported_keeps_every_line():
    for name in names()[:6]:
        derivation = load(name)
        lines = json.loads(export(derivation, "json"))["chains"]
        shown = [line for chain in lines for line in chain if line["relation"]]
        assert len(shown) == len(derivation.steps)
        assert all(line["reason"] for line in shown)


LONG = """
import math
from fractions import Fraction
from derive import *
from derive.terms import number

small, smaller = (number(Fraction(1, math.factorial(m))) for m in (2004, 2006))


@theorem("long", states=eq(small, smaller))
def long():
    return calc(small).eq(smaller).qed()
"""


def test_c10_numbers_longer_than_python_prints_are_judged_all_the_same(tmp_path, capsys):
    file = tmp_path / "long.py"
    file.write_text(LONG)
    assert qkv.main(["prove", str(file), "--json"]) == 1
    (row,) = json.loads(capsys.readouterr().out)
    assert row["verdict"] == "refuted"
