"""What is drawn is what was proved: nothing is dressed up as something else."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from derive.certificate import CertificateError, certificate, replay
from derive.certificate import text as certificate_text
from derive.chain import calc, linearity
from derive.derivation import theorem
from derive.errors import DeriveError
from derive.facts import RuleError
from derive.kernel import infer
from derive.notation.forms import NotationError
from derive.notation.latex import latex
from derive.notation.typst import typst
from derive.prove import examine
from derive.recheck import report
from derive.signature import PROP, Array, Definition, Range
from derive.syntax import (
    E,
    Index,
    Sum,
    Symbol,
    delta,
    derivative,
    eq,
    inject,
    iverson,
    lt,
    moments,
    number,
    ranges,
    tends,
)
from derive.terms import Term
from vocabulary import i, j, k, n, u, v, x, y, β

c, e = Array("c", ()), Array("e", ())


def dressed(notation: str) -> Term:
    """``u + v + 1``, in another dress."""
    definition = Definition("f", (c, e), (), c[()] + e[()] + 1, notation)
    return definition(u, v)


@pytest.mark.parametrize(
    "notation",
    ["{0}", "({0})", "{0} + {1}", "{0} {1}", "{0} · {1}", "|{0}|", "{0}²", "({0} − {1})"],
)
def test_a_definition_is_not_drawn_as_arithmetic(notation):
    with pytest.raises(NotationError):
        repr(dressed(notation))


@pytest.mark.parametrize("notation", ["", "F({0}, {1})", "{0} ∘ {1}", "‖{0}‖", "⟨{0}, {1}⟩"])
def test_a_definition_is_drawn_by_words_and_signs_of_its_own(notation):
    assert repr(dressed(notation)) != repr(u + v + 1)


@pytest.mark.parametrize("notation", ["{0}", "({0})", "{0} {1}", "{0} ⊙ {1}", "{0}ᵀ"])
def test_arrays_may_be_multiplied_by_juxtaposition_but_not_left_bare(notation):
    product = Definition("product", (x, y), (), Sum(k, x[k] * y[k]), notation)
    if notation in ("{0}", "({0})"):
        with pytest.raises(NotationError):
            repr(product(x, y))
    else:
        assert repr(product(x, y))


@pytest.mark.parametrize("name", ["exp", "log", "cos", "sin", "abs"])
def test_nothing_else_is_called_like_a_function(name):
    for term in (
        Symbol(name),
        Array(name, ())[()],
        Definition(name, (c,), (), c[()] + 1)(u),
        Definition("f", (c,), (), c[()] + 1, name)(u),
    ):
        with pytest.raises(RuleError):
            infer("reflexivity", term=term)


DIFFERENT = (
    (Sum(k, x[k] * y[i]), Sum(k, x[k] * y[k])),
    (Sum((j, k), x[j] * y[k]), Sum((j, k), x[k] * y[k])),
    (derivative(u * v, u), derivative(u * u, u)),
    (derivative(u * v, u), derivative(u * v, v)),
    (derivative(u**2, u, at=v), derivative(u**2, u)),
    (tends(β, β * u, v), tends(β, β * u, u)),
    (tends(β, β, v), tends(β, β, v, to="0")),
    (eq(u, v), lt(u, v)),
    ((u + v) * 2, u + v * 2),
    (-(u**2), (-u) ** 2),
    (u / (v * 2), u / v * 2),
    (Sum(k, x[k]) + u, Sum(k, x[k] + u)),
    (Sum(k, x[k]) * u, Sum(k, x[k] * u) * 1),
)


@pytest.mark.parametrize(("one", "other"), DIFFERENT, ids=str)
def test_what_differs_is_drawn_differently(one, other):
    assert one != other
    assert repr(one) != repr(other)


# ------------------------------------------------------------------ names that look alike


@pytest.mark.parametrize(
    ("name", "lookalike"),
    [("i", "і"), ("a", "а"), ("o", "ο"), ("A", "Α"), ("a", "𝑎"), ("φ", "ϕ"), ("μ", "µ")],
)
def test_a_bound_index_is_not_drawn_like_a_free_one(name, lookalike):
    """``Σ_і x[i]`` with a Cyrillic і would show n times x_i as the sum of all x_i."""
    free, bound = Index(name, n), Index(lookalike, n)
    statement = infer("algebra", left=Sum(bound, x[free]), right=n.size * x[free]).conclusion
    for drawn in (repr(statement), latex(statement), typst(statement).source):
        assert lookalike not in drawn
        assert f"U+{ord(lookalike):04X}" in drawn


@pytest.mark.parametrize("name", ["ㅤ", "⠀", "ﾠ", "x⠀"])
def test_no_name_is_invisible(name):
    assert "U+" in repr(2 * Symbol(name))


def test_a_name_cannot_command_latex():
    assert "\\kern" not in latex(Symbol(r"\kern-9em0=1") + u)


# ------------------------------------------------------------------ notations that mislead

WORDS = ["exp({0})", "log {0}", "sin {0}", "E[{0}]", "E {0}", "Var({0})", "Sym({0})", "lim {0}"]


@pytest.mark.parametrize("notation", WORDS)
def test_a_definition_is_not_drawn_as_what_has_a_meaning_already(notation):
    drawn = repr(Definition("g", (c,), (), 3 * c[()], notation)(u))
    word = notation.split("{")[0].strip(" ([")
    assert drawn == notation.replace("{0}", "u").replace(word, f"{word}′")


@pytest.mark.parametrize("notation", ["{0} + {1}", "{0} − {1}", "({0} + {1})", "{0} + {0}"])
def test_a_definition_of_arrays_is_not_drawn_as_their_sum(notation):
    """``x + y = x − y`` was shown."""
    difference = Definition("difference", (x, y), (i,), x[i] - y[i], notation)
    with pytest.raises(NotationError):
        repr(difference(x, y))


@pytest.mark.parametrize("notation", ["{0} {1}", "{0} · {1}", "{1} {0}"])
def test_a_definition_is_not_drawn_as_a_number_times_an_array(notation):
    scaled = Definition("scaled", (c, x), (i,), c[()] + x[i], notation)
    with pytest.raises(NotationError):
        repr(scaled(u, x))


def test_a_definition_of_a_truth_value_is_not_drawn_as_its_bracket():
    p = Array("p", (), PROP)
    with pytest.raises(NotationError):
        repr(Definition("twice", (p,), (), 2 * iverson(p[()]), "[{0}]")(Array("q", (), PROP)[()]))


def test_two_definitions_are_told_apart_though_one_is_drawn_as_the_other_is_called():
    """``f(x) = f(x) + 1`` was shown."""
    f = Definition("f", (x,), (), Sum(i, x[i]))
    g = Definition("g", (x,), (), Sum(i, x[i]) + 1, "f({0})")
    left, right = repr(eq(g(x), f(x))).split(" = ")
    assert left != right


def test_a_definition_is_not_drawn_as_an_entry_or_as_a_map():
    m, σ = Array("m", (), n), Array("σ", (n,), n)
    for notation, other in (("y[{0}]", y[i]), ("σ({0})", x[σ[i]])):
        constant = Definition("g", (m,), (), Sum(k, delta(k, m[()])), notation)
        statement = eq(constant(i), other)
        assert notation.replace("{0}", "i") not in repr(statement).split(" = ")[0]


def test_an_element_of_a_part_that_occurs_twice_says_which():
    """``[i = i] = 0`` was shown."""
    d, m = ranges("d m")
    first, second = Range("U", (n, d)), Range("V", (n, m))
    whole = Range("W", (first, second))
    one, other = (inject(whole, k, inject(p, 0, i)) for k, p in enumerate((first, second)))
    theorem = infer("algebra", left=delta(one, other), right=number(0))
    left, right = repr(theorem.conclusion).removesuffix(" = 0").strip("[]").split(" = ")
    assert left != right


# ------------------------------------------------------------------ reports


class Forged:
    """What a theorem looks like from outside."""

    conclusion, hypotheses, premises, laws = eq(0, 1), frozenset(), (), ()


def _with_another_theorem(proof):
    return replace(proof, steps=(replace(proof.steps[0], theorem=Forged()),))


def _with_an_overwritten_line(proof):
    object.__setattr__(proof.steps[0], "theorem", Forged())
    return proof


def _with_a_forged_lemma(proof):
    return replace(proof, steps=(replace(proof.steps[0], lemmas=(("0 = 1", Forged()),)),))


def _with_an_assumption_hidden(proof):
    return replace(proof, steps=(replace(proof.steps[0], uses=()),))


@pytest.mark.parametrize(
    "dress",
    [
        _with_another_theorem,
        _with_an_overwritten_line,
        _with_a_forged_lemma,
        _with_an_assumption_hidden,
    ],
)
def test_every_line_that_is_shown_was_made_by_the_kernel(dress):
    positive = lt(0, u)

    @theorem("sound", states=eq(u / u, 1), assuming=[positive])
    def sound():
        return calc(u / u, given=[positive]).eq(1).qed()

    @theorem("dressed", states=eq(u / u, 1), assuming=[positive])
    def dressed():
        return dress(calc(u / u, given=[positive]).eq(1).qed())

    assert examine(sound).verdict == "proved"
    assert examine(dressed).verdict == "unknown"


def test_a_line_that_cannot_be_drawn_is_reported_where_it_stands():
    twice = Definition("twice", (c,), (), 2 * c[()], "2 {0}")

    @theorem("undrawn", states=eq(u + u, 2 * u))
    def undrawn():
        return calc(u + u).eq(2 * u + twice(v) - twice(v)).eq(2 * u).qed()

    report = examine(undrawn)
    assert (report.verdict, report.error.rule, report.steps) == ("unknown", "notation", ())
    assert report.error.file == __file__
    with pytest.raises(NotationError):
        theorem("undrawable", states=eq(twice(u), 2 * u))


LINES = ["0 = 1\n        from nothing", "\x1b[2Kproved", "one\u202etwo"]


@pytest.mark.parametrize("words", LINES, ids=ascii)
def test_a_name_or_a_title_is_one_plain_line(words):
    with pytest.raises(DeriveError):
        theorem(words, states=eq(u, u))
    with pytest.raises(DeriveError):
        theorem("plain", states=eq(u, u), title={"en": words})


@pytest.mark.parametrize("words", [*LINES, "0 = 1", "a < b", "", " ", "x "], ids=ascii)
def test_a_name_in_a_certificate_passes_for_nothing_else(words):
    true = infer("reflexivity", term=u)
    with pytest.raises(CertificateError):
        certificate({words: true})
    written = json.dumps(certificate({"true": true})).replace('"true"', json.dumps(words))
    with pytest.raises(CertificateError, match="name"):
        replay(written.encode())


def test_a_refusal_says_nothing_that_a_terminal_obeys():
    true = json.dumps(certificate({"true": infer("reflexivity", term=u)}))
    with pytest.raises(CertificateError) as refusal:
        replay(true.replace('"sym"', json.dumps("\x1b[2J\nproved")).encode())
    assert refusal.value.given.isprintable()


def test_a_definition_bears_one_name_in_all_that_is_said_of_it():
    """Among the assumptions, and where its meaning is given, it was drawn without its primes."""
    f = Definition("f", (x,), (), Sum(i, x[i]))
    g = Definition("g", (x,), (), Sum(i, x[i]) + 1, "f({0})")

    @theorem("marked", states=eq(f(x), -1), assuming=[eq(g(x), 0)])
    def marked():
        return calc(f(x)).eq(g(x) - 1, by=[f, g]).eq(-1, by=eq(g(x), 0)).qed()

    report, (checked,) = examine(marked), replayed(marked)
    for said, assumed in ((report, report.assumptions), (checked, checked.assumptions)):
        assert assumed == ("f′(x) = 0",)
        assert set(said.meanings) == {"f(x) = Σ_{i=1}^n x[i]", "f′(x) = Σ_{i=1}^n x[i] + 1"}


def test_what_is_random_is_said():
    """The variance of a constant is 0; drawn alone it seems to be the variance of anything."""
    q = Array("q", (n,), random=True)
    constant, mean = E(x[i] ** 2) - E(x[i]) ** 2, E(q[i] + 1)

    @theorem("constant", states=eq(constant, 0))
    def no_variance():
        return calc(constant).eq(0, by=linearity).qed()

    @theorem("shifted", states=eq(mean, E(q[i]) + 1), assuming=[moments(q, 1)])
    def shifted():
        return calc(mean, given=[moments(q, 1)]).eq(E(q[i]) + 1, by=linearity).qed()

    for derivation, says in ((no_variance, "nothing: all is constant"), (shifted, "q")):
        for said in (examine(derivation), *replayed(derivation)):
            assert said.meanings == (f"E averages over {says}",)


def replayed(derivation):
    """What a recheck would say of a derivation."""
    theorems = replay(certificate_text({derivation.name: derivation.theorem}).encode())
    return [report(*item) for item in theorems.items()]


@pytest.mark.parametrize("draw", [repr, latex], ids=["text", "latex"])
def test_a_subscript_is_not_drawn_like_a_bound_index(draw):
    """``Σ_k x_k = n x_k`` was shown, of one number x_k."""
    symbol = Sum(k, Symbol("x_k"))
    assert draw(symbol) not in (draw(Sum(k, x[k])), draw(Sum(k, x[k])).replace("[k]", "_k"))


def test_an_entry_of_a_square_is_not_drawn_as_the_square_of_an_entry():
    square = Definition("square", (x,), (i,), x[i] + 1, "{0}²")
    assert latex(square(x)[j]) != latex(x[j] ** 2)
