"""A proof does not depend on hash seeds, on bound names, or on the order of arguments."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from derive.facts import inhabited
from derive.kernel import infer
from derive.syntax import (
    E,
    Sum,
    Symbol,
    absolute,
    bijection,
    derivative,
    eq,
    exp,
    independent,
    indices,
    le,
    lt,
    sqrt,
    tends,
)
from vocabulary import a, i, j, k, l, n, q, r, u, v, w, x, y, z, β, σ

PROGRAM = """
import hashlib
from derive import catalog
from derive.certificate import text
from derive.kernel import infer
from derive.syntax import Symbol, absolute, le, sqrt
for name in ("softmax-jacobian", "dot-product-variance", "softmax-hard-limit", "score-bound"):
    print(hashlib.sha256(text({name: catalog.load(name).theorem}).encode()).hexdigest())
u, v, w = map(Symbol, "uvw")
for left, right in (
    (sqrt(u * v * w), sqrt(w * v * u)),
    (sqrt(u * u * v), sqrt(v * u**2)),
    (absolute(u * v * w + u * w), absolute(u * w + u * w * v)),
    ((u * v * w + u) ** -1, (u + w * v * u) ** -1),
):
    print(infer("algebra", left=left, right=right, given=(le(0, u), le(0, w))))
"""


def test_hash_seeds():
    """The same proofs, step by step, and the same assumptions consumed."""
    printed = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        ).stdout
        for seed in ("0", "2", "3")
    }
    assert len(printed) == 1
    assert len(printed.pop().splitlines()) == 8


@pytest.mark.parametrize("name", ["j", "k", "i", "x", "n", "σ", "k1"])
def test_bound_names(name):
    """Also names of arrays and of free variables, which they do not capture."""
    (bound,) = indices(name, n)
    given = (inhabited(n), bijection(σ))
    share = lambda e, o: exp(x[e]) / Sum(o, exp(x[o]))
    for left, right in (
        (Sum(bound, share(bound, l)), 1 + 0 * u),
        (Sum(bound, x[bound]) ** 2, Sum((k, l), x[k] * x[l])),
    ):
        theorem = infer("algebra", left=left, right=right, given=given)
        again = infer("algebra", left=right, right=left, given=given)
        assert theorem.hypotheses == again.hypotheses <= set(given)
    moved = infer("rewrite", term=Sum(bound, x[σ[bound]]), law="reindex", given=given)
    assert moved.conclusion == eq(Sum(l, x[σ[l]]), Sum(j, x[j]))
    apart = Sum(bound, x[bound] * y[i])
    assert apart == Sum(l, x[l] * y[i]) if name != "i" else apart == Sum(l, x[l] * y[l])


def test_the_variables_of_a_limit_and_a_derivative():
    for name in ("β", "u", "γ"):
        b = Symbol(name)
        theorem = infer("limit", variable=b, term=exp(-(b * v)), to="oo", given=(lt(0, v),))
        assert theorem.conclusion == tends(β, exp(-(β * v)), 0)
        slope = infer("rewrite", term=derivative(b * v, b, at=w), law="derivative")
        assert slope.conclusion.args[0] == derivative(u * v, u, at=w)


ORDERS = (
    (u * v * w, w * u * v),
    (u + v + w, w + u + v),
    (Sum((k, l), z[k, l] * x[k]), Sum((l, k), x[l] * z[l, k])),
    (Sum((j, k, l), z[j, k] * z[k, l] * z[l, j]), Sum((l, j, k), z[j, k] * z[l, j] * z[k, l])),
    (sqrt(v * w), sqrt(w * v)),
    (absolute(u * v - w), absolute(w - v * u)),
    ((u + v) / (v + u + 1), (v + u) / (1 + u + v)),
    (exp(u + v - w), exp(-w + v + u)),
)


@pytest.mark.parametrize(("left", "right"), ORDERS, ids=str)
def test_the_order_of_arguments(left, right):
    given = (le(0, v), inhabited(n), le(0, w))
    one = infer("algebra", left=left, right=right, given=given)
    other = infer("algebra", left=right, right=left, given=given[::-1])
    assert one.hypotheses == other.hypotheses


@pytest.mark.parametrize("factors", [(q[a], r[a]), (r[a], q[a])], ids=str)
@pytest.mark.parametrize("pair", [independent(q, r), independent(r, q)], ids=str)
def test_the_order_of_factors_under_an_expectation(factors, pair):
    term = E(factors[0] * factors[1])
    theorem = infer("rewrite", term=term, law="independence", given=(pair,))
    apart = theorem.conclusion.args[1]
    same = infer("algebra", left=apart, right=E(q[a]) * E(r[a]))
    assert not same.hypotheses
    assert theorem.hypotheses == {pair}
