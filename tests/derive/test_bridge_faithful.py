"""What is written in SymPy says what the term says: nothing cancelled, nothing read otherwise."""

from __future__ import annotations

from fractions import Fraction as Q

import pytest
import sympy

from derive.bridge import BridgeError, Names, from_sympy, names_of, to_sympy
from derive.kernel import infer
from derive.signature import Array, Range
from derive.syntax import Sum, Symbol, absolute, exp, indices, log, number, sqrt

n = Range("n")
(k,) = indices("k", n)
x = Array("x", (n,))
u, v = Symbol("u"), Symbol("v")
N, K = sympy.Symbol("n", integer=True, nonnegative=True), sympy.Symbol("k", integer=True)

UNCANCELLED = [
    exp(log(u)),
    log(exp(u) * v),
    sqrt(u) ** 2,
    sqrt(u) * sqrt(u),
    u / u,
    u * v / u,
    u**-1 * u,
    (u / u) * v + u / u,
    ((u * v) ** -1) * u,
    exp(u + log(v)),
    (u**2) ** Q(1, 4),
    Sum(k, x[k] / x[k]),
    absolute(u / u),
    -(u / u),
    sqrt(number(-1)) + u,
    log(number(-1)) + u,
]


@pytest.mark.parametrize("term", UNCANCELLED, ids=str)
def test_nothing_is_cancelled(term):
    """``0 < e^(log c)`` is a theorem; ``0 < c``, which SymPy makes of it, is not."""
    back = from_sympy(to_sympy(term), names_of(term))
    assert not infer("algebra", left=back, right=term).hypotheses


def test_a_size_does_not_move():
    """The sum runs over a range of n elements whatever the variable n is."""
    total = sympy.Sum(sympy.Symbol("u", real=True), (K, 1, N))
    for moving in (sympy.Derivative(total, N), sympy.Limit(total / N, N, sympy.oo)):
        with pytest.raises(BridgeError, match="real variable"):
            from_sympy(sympy.Eq(moving, 0, evaluate=False), Names(sizes={N: n}))
