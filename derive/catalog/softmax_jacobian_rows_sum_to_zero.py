"""Weights only move between tokens: rows and columns of the Jacobian sum to zero."""

from derive.catalog.softmax_jacobian import nudged, x
from derive.catalog.softmax_jacobian import proof as jacobian
from derive.chain import Proof, both, calc
from derive.definitions import i, j, l, n, softmax
from derive.derivation import theorem
from derive.signature import Array
from derive.syntax import Sum, conjoin, delta, derivative, eq, exp

s = Array("s", (n,))
p = softmax(s)
columns = Sum(i, derivative(nudged(i), x, at=0))
rows = Sum(j, derivative(nudged(i), x, at=0))


@theorem(
    "softmax-jacobian-rows-sum-to-zero",
    title={
        "zh": "雅可比矩阵每行每列之和为零",
        "en": "Rows and columns of the Jacobian sum to zero",
    },
    states=conjoin(eq(rows, 0), eq(columns, 0)),
    source="S13",
)
def proof() -> Proof:
    """Σ_j ∂p_i/∂s_j = 0 for every i and Σ_i ∂p_i/∂s_j = 0 for every j.

    No assumption.
    """
    Z = Sum(l, exp(s[l]))
    along = (
        calc(rows)
        .eq(Sum(j, p[i] * (delta(i, j) - p[j])), by=jacobian)
        .eq(exp(s[i]) / Z * (1 - Sum(j, exp(s[j])) / Z), by=softmax)
        .eq(0)
        .qed()
    )
    down = (
        calc(columns)
        .eq(Sum(i, p[i] * (delta(i, j) - p[j])), by=jacobian)
        .eq(exp(s[j]) / Z * (1 - Sum(i, exp(s[i])) / Z), by=softmax)
        .eq(0)
        .qed()
    )
    return both(along, down)
