"""SymPy's second opinion: it agrees with what is true, disagrees with what is false, or abstains."""

from __future__ import annotations

import pytest
import sympy

from derive.opinion import is_zero, second_opinion
from derive.signature import Array
from derive.syntax import (
    E,
    Lambda,
    Sum,
    absolute,
    bijection,
    cos,
    delta,
    derivative,
    eq,
    exp,
    forall,
    implies,
    independent,
    iverson,
    le,
    log,
    lt,
    negate,
    sin,
    sqrt,
    tends,
)
from derive.values import NotEvaluableError
from vocabulary import SOFTMAX, X, Y, a, b, d, i, j, k, m, n, q, u, v, x
from vocabulary import β as beta
from vocabulary import σ as sigma

r = Array("k", (d,), random=True)
w, s = Array("w", (n,)), Array("s", (n,))

DOT = Sum(a, q[a] * r[a])
WHITE = forall((a, b), eq(E(q[a] * q[b]), delta(a, b)))
UNIT = forall(a, eq(E(r[a] ** 2), 1))
CENTRED = forall(a, eq(E(q[a]), 0))
MOMENTS = [CENTRED, WHITE, UNIT, independent(q, r)]
VARIANCE = E(DOT**2) - E(DOT) ** 2
UNIQUE = forall(j, implies(negate(eq(j, m)), lt(s[j], s[m])))
AGREE = forall((k, a), implies(le(k, i), eq(X[k, a], Y[k, a])))
HOT = SOFTMAX(Lambda(k, beta * s[k]))
MOVED = SOFTMAX(Lambda(k, x[k] + u * delta(k, j)))

AGREED = {
    "rows sum to one": ([], eq(Sum(j, SOFTMAX(x)[j]), 1)),
    "shift": ([], eq(SOFTMAX(Lambda(k, x[k] + u))[i], SOFTMAX(x)[i])),
    "as arrays": ([], eq(SOFTMAX(Lambda(k, x[k] + u)), SOFTMAX(x))),
    "derivative": (
        [],
        eq(derivative(MOVED[i], u, at=0), SOFTMAX(x)[i] * (delta(i, j) - SOFTMAX(x)[j])),
    ),
    "variance": (MOMENTS, eq(VARIANCE, d.size)),
    "scaled": (MOMENTS, eq(E((DOT / sqrt(d.size)) ** 2) - E(DOT / sqrt(d.size)) ** 2, 1)),
    "reindexing": ([bijection(sigma)], eq(Sum(i, x[sigma[i]]), Sum(i, x[i]))),
    "causal": (
        [AGREE],
        eq(Sum(k, iverson(le(k, i)) * X[k, b]), Sum(k, iverson(le(k, i)) * Y[k, b])),
    ),
    "a sum that is known": ([eq(Sum(i, w[i]), 1)], eq(Sum(i, w[i] * u), u)),
    "rotation": ([], eq(cos(u - v), cos(u) * cos(v) + sin(u) * sin(v))),
    "logarithm": ([lt(0, u), lt(0, v)], eq(log(u * v), log(u) + log(v))),
    "root": ([le(0, u)], eq(sqrt(u**2), u)),
    "positive": ([], lt(0, SOFTMAX(x)[i])),
    "hard limit": ([UNIQUE], tends(beta, HOT[i], delta(i, m))),
    "uniform limit": ([], tends(beta, HOT[i], 1 / n.size, to="0")),
}


@pytest.mark.parametrize("name", AGREED)
def test_agrees_with_what_is_true(name):
    hypotheses, claim = AGREED[name]
    opinion = second_opinion(hypotheses, claim)
    assert (opinion.verdict, opinion.reason) == ("agrees", "")
    assert isinstance(opinion.left, sympy.Expr)
    assert isinstance(opinion.right, sympy.Expr)
    assert set(opinion.sizes.values()) <= {2, 3}


DISAGREED = {
    "a wrong factor": ([], eq(Sum(j, SOFTMAX(x)[j]), 2)),
    "diagonal derivative": ([], eq(derivative(MOVED[i], u, at=0), SOFTMAX(x)[i] * delta(i, j))),
    "variance unscaled": (MOMENTS, eq(VARIANCE, d.size**2)),
    "any map": ([], eq(Sum(i, x[sigma[i]]), Sum(i, x[i]))),
    "the future": ([AGREE], eq(Sum(k, X[k, b]), Sum(k, Y[k, b]))),
    "exp of a sum": ([], eq(exp(u + v), exp(u) + exp(v))),
    "rotation, wrong sign": ([], eq(cos(u - v), cos(u) * cos(v) - sin(u) * sin(v))),
    "negative": ([], lt(SOFTMAX(x)[i], 0)),
    "the limit of another": ([UNIQUE], tends(beta, HOT[i], 1 / n.size)),
}


@pytest.mark.parametrize("name", DISAGREED)
def test_disagrees_with_what_is_false(name):
    assert second_opinion(*DISAGREED[name]).verdict == "disagrees"


@pytest.mark.parametrize(
    ("hypotheses", "claim"),
    [
        ([], le(u, u**2)),
        ([], eq(E(exp(q[a])), E(exp(q[b])))),  # no polynomial
        ([], eq(q[a], E(q[a]))),
        ([eq(u, 0), eq(u, 1)], eq(u, 2)),  # no model
        ([bijection(sigma)], bijection(sigma)),
    ],
)
def test_abstains_and_says_why(hypotheses, claim):
    opinion = second_opinion(hypotheses, claim)
    assert opinion.verdict == "not evaluable"
    assert opinion.reason


def test_a_dropped_moment_hypothesis_is_noticed():
    for dropped in range(4):
        weaker = [p for at, p in enumerate(MOMENTS) if at != dropped]
        assert second_opinion(weaker, eq(VARIANCE, d.size)).verdict != "agrees"


def test_sympy_shows_what_it_derived():
    opinion = second_opinion(
        [], eq(derivative(Sum(k, (u * x[k]) ** 2), u), 2 * u * Sum(k, x[k] ** 2))
    )
    x1, x2, u_ = (sympy.Symbol(name, real=True) for name in ("x[1]", "x[2]", "u"))
    assert opinion.sizes == {"n": 2}
    assert sympy.expand(opinion.left - 2 * u_ * (x1**2 + x2**2)) == 0


def test_conventions_hold_for_literal_zeros():
    assert second_opinion([], eq(u / 0, 0)).verdict == "agrees"
    assert second_opinion([], eq(absolute(-u), absolute(u))).verdict == "agrees"


def test_zero_test_is_bounded_and_right():
    y, z = sympy.symbols("y z", real=True)
    assert is_zero(sympy.exp(y / 2) ** 2 * sympy.exp(z / 3) - sympy.exp(y + z / 3))
    assert not is_zero(sympy.exp(y) - sympy.exp(2 * y))
    assert is_zero(sympy.sin(y) ** 2 + sympy.cos(y) ** 2 - 1)
    with pytest.raises(NotEvaluableError):
        is_zero(sympy.Add(*(z**k * y for k in range(1, 1200))))
