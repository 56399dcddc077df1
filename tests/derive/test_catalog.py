"""Every theorem of the catalogue: what it says to the letter, that it holds, that nothing is idle.

The goldens are what the theorems say, with their assumptions and the definitions they rest on.
After a deliberate change: ``QKV_WRITE_GOLDENS=1 pytest tests/derive/test_catalog.py``.
"""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from derive import StepError, catalog
from derive.console import UsageError
from derive.kernel import genuine
from derive.notation.meaning import definitions, equation
from derive.notation.names import Names
from derive.notation.text import text
from derive.opinion import second_opinion
from derive.prove import examine
from derive.witness import refute

NAMES = catalog.names()
GOLDENS = Path(__file__).parent / "goldens"
HEAVY = {
    "attention-backward",
    "attention-formula",
    "causal-ignores-the-future",
    "dot-product-variance-general",
    "gauge-freedom",
    "hard-lookup-limit",
    "mask-is-restriction",
    "masked-permutation-equivariance",
    "output-in-convex-hull",
    "parameter-count",
    "permutation-equivariance",
    "permutation-equivariance-multi-head",
    "rope-relative",
    "ruler-rank",
    "scaled-dot-product-variance",
    "score-asymmetry",
    "score-bilinear",
    "softmax-saturation",
}  # SymPy takes seconds for these


def heavy_are_slow(names, heavy=HEAVY):
    slow = pytest.mark.slow
    return [pytest.param(name, marks=slow if name in heavy else ()) for name in names]


def golden(derivation):
    """What the theorem says, with nothing left out."""
    terms = (derivation.statement, *derivation.assumptions)
    names = Names.of(*terms)
    meanings = map(equation, definitions(*terms))
    lines = [
        text(derivation.statement, names=names),
        *(f"assuming {text(p, names=names)}" for p in derivation.assumptions),
        *(f"where {text(p)}" for p in meanings),
    ]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("name", NAMES)
def test_it_is_proved_by_the_kernel_as_it_is_stated(name):
    derivation = catalog.load(name)
    theorem = genuine(derivation.theorem)
    assert derivation.name == name
    assert theorem.conclusion == derivation.statement
    assert theorem.hypotheses == set(derivation.assuming), "an assumption is declared but idle"


@pytest.mark.parametrize("name", NAMES)
def test_it_says_what_it_always_said(name):
    file, says = GOLDENS / f"{name}.txt", golden(catalog.load(name))
    if "QKV_WRITE_GOLDENS" in os.environ:
        file.parent.mkdir(exist_ok=True)
        file.write_text(says, encoding="utf-8")
    assert file.is_file(), "a new theorem: see the head of this file"
    assert says == file.read_text(encoding="utf-8")


def test_every_golden_has_its_theorem():
    assert {file.stem for file in GOLDENS.glob("*.txt")} == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_it_has_titles_words_and_a_source(name):
    derivation = catalog.load(name)
    assert set(derivation.title) == {"zh", "en"}
    assert derivation.doc
    assert derivation.source


@pytest.mark.parametrize("name", heavy_are_slow(NAMES))
def test_nothing_speaks_against_it(name):
    report = examine(catalog.load(name))
    assert report.as_expected
    assert report.model_found
    opinions = [step.second_opinion for step in report.steps]
    assert "disagrees" not in opinions
    limits = all(step.relation == "→" or not step.relation for step in report.steps)
    assert "agrees" in opinions or limits
    assert report.exact_check["failures"] == 0


ASSUMPTIONS = [(name, p) for name in NAMES for p in catalog.load(name).assuming]


def dropped(name, assumption):
    """The derivation without the assumption."""
    derivation = catalog.load(name)
    rest = tuple(p for p in derivation.assuming if p != assumption)
    return replace(derivation, assuming=rest)


@pytest.mark.parametrize(("name", "assumption"), ASSUMPTIONS, ids=str)
def test_without_an_assumption_the_proof_fails(name, assumption, monkeypatch):
    monkeypatch.setattr("derive.diagnosis.refute", lambda *_: None)  # that is the next test
    with pytest.raises(StepError) as failure:
        _ = dropped(name, assumption).proof
    assert text(assumption) in failure.value.got


@pytest.mark.parametrize(
    ("name", "assumption"),
    [
        pytest.param(n, p, marks=pytest.mark.slow if n in HEAVY else ())
        for n, p in ASSUMPTIONS
        if p not in catalog.load(n).needs
    ],
    ids=str,
)
def test_without_an_assumption_the_statement_is_false(name, assumption):
    weaker = dropped(name, assumption)
    witness = refute(weaker.assuming, weaker.statement, budget=1000)
    assert witness is not None
    for premise in weaker.assuming:
        assert witness.model.truth(premise) is True
    assert witness.model.truth(assumption) is not True


@pytest.mark.parametrize("name", NAMES)
def test_needs_in_words_are_about_assumptions_that_it_makes(name):
    derivation = catalog.load(name)
    assert set(derivation.needs) <= set(derivation.assuming)
    assert all(derivation.needs.values())


def test_an_unknown_theorem_names_the_nearest():
    with pytest.raises(UsageError, match="dot-product-variance"):
        catalog.load("dot-product-varience")


def test_the_second_opinion_can_disagree():
    """The negative control of the tests above."""
    steps = catalog.load("softmax-rows-sum-to-one").steps
    conclusion = steps[-1].theorem.conclusion
    doubled = conclusion.args[0] * 2
    from derive.syntax import eq

    assert second_opinion((), eq(doubled, conclusion.args[1])).verdict == "disagrees"
