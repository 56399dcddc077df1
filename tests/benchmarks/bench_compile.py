"""A compiled expression beside SymPy's own `lambdify` of it and beside NumPy written by hand.

One run, one attention layer written in SymPy, index by index; medians of alternating calls.
"""

import statistics
import time

import numpy as np
import pytest
import sympy
from sympy import IndexedBase, Sum, exp, sqrt, symbols

from derive.bridge import Names
from derive.signature import Range
from numeric.compare import max_error, tolerance
from numeric.compile import compile_expression

n, m, d, h, i, j, l, a, b, t, c = symbols("n m d h i j l a b t c", integer=True)
X = IndexedBase("X", shape=(n, m))
Q, K, V = (
    IndexedBase("Q", shape=(m, d)),
    IndexedBase("K", shape=(m, d)),
    IndexedBase("V", shape=(m, h)),
)
NAMES = Names({size: Range(str(size)) for size in (n, m, d, h)}, {i: Range("n"), c: Range("h")})


def score(row, column):
    queries = Sum(X[row, a] * Q[a, t], (a, 1, m))
    keys = Sum(X[column, b] * K[b, t], (b, 1, m))
    return Sum(queries * keys, (t, 1, d)) / sqrt(d)


VALUES = Sum(X[j, a] * V[a, c], (a, 1, m))
ATTENTION = Sum(exp(score(i, j)) * VALUES, (j, 1, n)) / Sum(exp(score(i, l)), (l, 1, n))


def arrays(size, width):
    rng = np.random.default_rng(0)
    shapes = {"X": (size, width), "Q": (width, width), "K": (width, width), "V": (width, width)}
    return {name: rng.standard_normal(shape) / width for name, shape in shapes.items()}


def by_hand(v):
    queries, keys, values = v["X"] @ v["Q"], v["X"] @ v["K"], v["X"] @ v["V"]
    weights = np.exp(queries @ keys.T / np.sqrt(queries.shape[1]))
    return weights @ values / weights.sum(1, keepdims=True)


def by_lambdify(size, width):
    """SymPy's loops; indices count from 1, so the arrays get an unused row and column 0."""
    entry = sympy.lambdify([X, Q, K, V, i, c, n, m, d, h], ATTENTION, "numpy")

    def call(v):
        padded = [np.pad(v[name], ((1, 0), (1, 0))) for name in "XQKV"]
        rest = size, width, width, width
        return np.asarray(
            [[entry(*padded, p, q, *rest) for q in range(1, width + 1)] for p in range(1, size + 1)]
        )

    return call


def seconds(*calls, rounds):
    """Median time of each call, taken in turns."""
    taken = [[] for _ in calls]
    for _ in range(rounds):
        for call, times in zip(calls, taken, strict=True):
            start = time.perf_counter()
            call()
            times.append(time.perf_counter() - start)
    return [statistics.median(times) for times in taken]


@pytest.mark.parametrize(("size", "width", "rounds"), [(16, 8, 3), (48, 8, 1)])
def test_a_hundred_times_faster_than_lambdify(size, width, rounds):
    v = arrays(size, width)
    program, loops = compile_expression(ATTENTION, NAMES, (i, c)), by_lambdify(size, width)
    assert max_error(program(v), loops(v)) <= tolerance("float64", size + 2 * width, 4)
    ours, theirs = seconds(lambda: program(v), lambda: loops(v), rounds=rounds)
    print(f"\nn={size}: lambdify {theirs:.4f} s, compiled {ours:.6f} s, ratio {theirs / ours:.0f}")
    assert theirs / ours >= 100


def test_as_fast_as_numpy_written_by_hand():
    v = arrays(1024, 64)
    program = compile_expression(ATTENTION, NAMES, (i, c))
    assert max_error(program(v), by_hand(v)) <= tolerance("float64", 1024 + 128, 4)
    ours, hand = seconds(lambda: program(v), lambda: by_hand(v), rounds=25)
    print(f"\nby hand {hand:.4f} s, compiled {ours:.4f} s, ratio {ours / hand:.2f}")
    assert ours / hand <= 1.5
