"""SymPy in and out: what goes round comes back the same, and what has no type does not pass."""

from __future__ import annotations

from fractions import Fraction as Q
from random import Random

import pytest
import sympy

from derive.bridge import BridgeError, Names, from_sympy, names_of, to_sympy
from derive.errors import DeriveError
from derive.shaping import Vocabulary, draw
from derive.signature import Array, Range
from derive.syntax import (
    E,
    Index,
    Lambda,
    Sum,
    absolute,
    bijection,
    conjoin,
    cos,
    delta,
    derivative,
    eq,
    exp,
    forall,
    implies,
    inject,
    iverson,
    le,
    log,
    lt,
    negate,
    number,
    sin,
    sqrt,
    tends,
)
from vocabulary import SOFTMAX, X, a, b, d, i, j, k, mask, n, q, u, v, x
from vocabulary import σ as sigma

# ------------------------------------------------------------------ SymPy's side of the same things
N, D = sympy.symbols("n d", integer=True, nonnegative=True)
I, J, K, A = sympy.symbols("i j k a", integer=True)
U = sympy.Symbol("u", real=True)
x_, X_ = sympy.IndexedBase("x", shape=(N,)), sympy.IndexedBase("X", shape=(N, D))
NAMES = Names(
    sizes={N: n, D: d},
    indices={I: n, J: n, A: d},
    maps={sympy.Function("σ"): sigma},
)


@pytest.mark.parametrize(
    ("expression", "term"),
    [
        (sympy.Sum(x_[K], (K, 1, N)), Sum(k, x[k])),
        (x_[I] * sympy.KroneckerDelta(I, J), None),
        (sympy.exp(x_[I]), exp(x[i])),
        (x_[I] / sympy.sqrt(D), None),
        (sympy.Sum(X_[I, A] ** 2, (A, 1, D), (I, 1, N)), Sum((i, a), X[i, a] ** 2)),
        (x_[sympy.Function("σ")(I)], x[sigma[i]]),
        (sympy.Rational(2, 3), number(Q(2, 3))),
        (sympy.E, exp(number(1))),
        (-x_[I], -x[i]),
        (sympy.Eq(x_[I], U), eq(x[i], u)),
        (sympy.Ge(x_[I], U), le(u, x[i])),
        (sympy.Gt(x_[I], U), lt(u, x[i])),
        (sympy.Ne(x_[I], U), negate(eq(x[i], u))),
        (sympy.Eq(I, J), eq(i, j)),
        (sympy.Function("E")(U), E(u)),
        (sympy.Derivative(U**2, U), derivative(u**2, u)),
        (sympy.Eq(sympy.Limit(1 / U, U, sympy.oo), 0), tends(u, u ** Q(-1), 0)),
    ],
)
def test_reads_sympy(expression, term):
    read = from_sympy(expression, NAMES)
    assert term is None or read == term


def test_a_summed_name_that_is_also_free_is_not_confused():
    both = x_[K] * sympy.Sum(x_[K], (K, 1, N))
    names = Names(sizes={N: n}, indices={K: n})
    read = from_sympy(both, names)
    model = draw((), Vocabulary([read]), Random(1), 2)
    total = sum(model.tables[x].values())
    assert model.value(read) == model.tables[x][(model.values[k],)] * total


ROUND = {
    "sum": Sum((i, a), X[i, a] * (X[j, a] + u)),
    "same name twice": x[k] * Sum(k, x[k] * Sum(Index("k", n), x[k] + x[Index("k", n)])),
    "delta": Sum(k, delta(k, j) * x[k]),
    "bracket": Sum(k, iverson(le(k, j)) * x[k]),
    "strict": Sum(k, iverson(negate(eq(k, j))) * x[k]),
    "masked": Sum(k, iverson(mask[j, k]) * x[k]),
    "map": Sum(k, x[sigma[k]] / (1 + x[k] ** 2)),
    "functions": exp(u) - log(v**2) + cos(u * v) + sin(u) + absolute(u - v),
    "roots": (u**2) ** Q(1, 2) / sqrt(n.size),
    "definition": SOFTMAX(Lambda(k, x[k] + u))[i],
    "expectation": E(Sum(a, q[a] ** 2)) - E(q[b]) ** 2,
    "derivative": derivative(u**3 * v, u),
    "derivative at a point": derivative(exp(u) * v, u, at=v + 1),
    "sizes": n.size * d.size / (n.size + 1),
}


@pytest.mark.parametrize("name", ROUND)
def test_round_trip_keeps_the_meaning(name):
    term = ROUND[name]
    back = from_sympy(to_sympy(term), names_of(term))
    agreed = 0
    for seed in range(12):
        model = draw((), Vocabulary([term, back]), Random(seed), 2)
        if model is not None:
            truth = model.truth(eq(term, back))
            assert truth is not False
            agreed += truth is True or "too close" in truth.reason
    assert agreed >= 4


PROPOSITIONS = [
    eq(Sum(k, x[k]), u),
    le(0, x[i]),
    lt(0, n.size),
    implies(le(i, j), eq(x[i], x[j])),
    conjoin(le(0, u), lt(u, v)),
    negate(eq(i, j)),
    mask[i, j],
    tends(u, v / u, 0),
    tends(u, exp(u) - v, 1 - v, to="0"),
]


@pytest.mark.parametrize("p", PROPOSITIONS, ids=range(len(PROPOSITIONS)))
def test_propositions_come_back(p):
    names = names_of(p)
    once = from_sympy(to_sympy(p), names)
    assert once.op == p.op
    assert from_sympy(to_sympy(once), names) == once


def test_leading_quantifiers_become_free_indices():
    written = to_sympy(forall((i, j), eq(x[i] + x[j], x[j] + x[i] + u)))
    assert {s.name for s in written.free_symbols} >= {"i", "j", "u"}
    assert to_sympy(eq(Lambda(i, x[i]), Lambda(j, x[j] + u))).func is sympy.Eq


def test_nothing_is_decided_while_it_is_written():
    assert to_sympy(eq(x[i], x[i])).func is sympy.Eq
    assert to_sympy(lt(0, exp(u))).func is sympy.StrictLessThan


bare = sympy.IndexedBase("x")
REFUSED = {
    "an array without a shape": bare[I],
    "an index without a range": x_[sympy.Symbol("m", integer=True)],
    "a computed index": x_[I + 1],
    "an index past the end": x_[N + 1],
    "a number as an index": x_[1],
    "the wrong axis": x_[A],
    "a missing axis": sympy.IndexedBase("X", shape=(N,))[I] + X_[I, A],
    "a sum from 0": sympy.Sum(x_[K], (K, 0, N)),
    "a sum to somewhere": sympy.Sum(x_[K], (K, 1, N - 1)),
    "a sum to another index": sympy.Sum(x_[K], (K, 1, J)),
    "an undeclared size": sympy.Sum(x_[K], (K, 1, sympy.Symbol("m"))),
    "an index as a number": I * x_[I],
    "a float": 0.5 * x_[I],
    "a float inside": sympy.exp(x_[I] * 0.1),
    "infinity": sympy.zoo * U,
    "nothing": sympy.nan,
    "the imaginary unit": sympy.I * U,
    "pi": sympy.pi,
    "two symbols of one name": sympy.Symbol("n", positive=True) + N,
    "two arrays of one name": x_[I] + sympy.IndexedBase("x", shape=(D,))[A],
    "a scalar called like an array": sympy.Symbol("x", real=True) + x_[I],
    "a hidden assumption": sympy.sqrt(sympy.Symbol("p", positive=True)),
    "a hidden assumption about a size": None,
    "an imaginary symbol": sympy.Symbol("z", imaginary=True),
    "an unknown function": sympy.Function("f")(U),
    "a special function": sympy.gamma(U),
    "a truth that SymPy decided": sympy.Eq(U, U),
    "a power with a symbol": U ** sympy.Symbol("w", real=True),
    "a derivative by an entry": sympy.Derivative(sympy.Sum(x_[K], (K, 1, N)), x_[I]),
    "a second derivative": sympy.Derivative(U**3, U, U),
    "a one-sided limit": sympy.Eq(sympy.Limit(1 / U, U, 0), 0),
    "a limit elsewhere": sympy.Eq(sympy.Limit(U, U, 1), 1),
    "a delta over another range": sympy.KroneckerDelta(I, J, (1, D)),
    "a delta from 0": sympy.KroneckerDelta(I, J, (0, N)),
    "indices of two ranges compared": sympy.Eq(I, A),
    "a matrix": sympy.MatrixSymbol("Z", N, N),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refuses_what_has_no_type(name):
    expression, names = REFUSED[name], NAMES
    if name == "a hidden assumption about a size":
        positive = sympy.Symbol("m", integer=True, positive=True)
        expression, names = positive + 1, Names(sizes={positive: Range("m")})
    with pytest.raises(DeriveError) as refusal:
        from_sympy(expression, names)
    assert refusal.value.given


@pytest.mark.parametrize("term", [u / 0, bijection(sigma), Lambda(i, x[i])])
def test_refuses_what_sympy_cannot_say(term):
    with pytest.raises(BridgeError):
        to_sympy(term)


def test_a_union_is_written_as_an_offset():
    union = Range("n+d", (n, d))
    y = Array("y", (union,))
    written = to_sympy(y[inject(union, 1, a)])
    assert written.indices[0] - N == sympy.Symbol("a", integer=True)


def test_refusals_say_how_to_mend():
    with pytest.raises(BridgeError, match=r"IndexedBase\('x', shape=\(n, d\)\)"):
        from_sympy(bare[I], NAMES)


def test_text_is_never_run():
    with pytest.raises(BridgeError, match="text is not read"):
        from_sympy("__import__('os').getcwd()", Names())
