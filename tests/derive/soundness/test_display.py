"""What is drawn is what was proved: nothing is dressed up as something else."""

from __future__ import annotations

import pytest

from derive.facts import RuleError
from derive.kernel import infer
from derive.notation.forms import NotationError
from derive.signature import Array, Definition
from derive.syntax import Sum, Symbol, derivative, eq, indices, lt, ranges, tends
from derive.terms import Term

(n,) = ranges("n")
i, j, k = indices("i j k", n)
x, y, c, e = Array("x", (n,)), Array("y", (n,)), Array("c", ()), Array("e", ())
u, v, β = map(Symbol, ("u", "v", "β"))


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
