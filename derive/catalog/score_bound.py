"""A score is never larger than the norms allow (Cauchy–Schwarz)."""

from derive.chain import Proof, calc
from derive.definitions import d_k, i, j, n, t, u
from derive.derivation import theorem
from derive.kernel import infer
from derive.signature import Array
from derive.syntax import Sum, Symbol, absolute, le, sqrt
from derive.terms import number

Q, K, scale = Array("Q", (n, d_k)), Array("K", (n, d_k)), Symbol("scale")
dot = Sum(t, Q[i, t] * K[j, t])
norms = sqrt(Sum(t, Q[i, t] ** 2)) * sqrt(Sum(t, K[j, t] ** 2))


@theorem(
    "score-bound",
    title={"zh": "打分不会超过模长之积", "en": "Scores are bounded by norms"},
    states=le(absolute(scale * dot), absolute(scale) * norms),
    source="S27",
)
def proof() -> Proof:
    """|s_ij| ≤ |scale| · ‖q_i‖ · ‖k_j‖.

    From Lagrange's identity: Σ_tu (q_t k_u − q_u k_t)² is not negative. No assumption.
    """
    squares = Sum(t, Q[i, t] ** 2) * Sum(t, K[j, t] ** 2)
    lagrange = Sum((t, u), (Q[i, t] * K[j, u] - Q[i, u] * K[j, t]) ** 2) / number(2)
    gap = infer("nonnegative", term=lagrange)
    square = (
        calc(dot**2)
        .le(dot**2 + lagrange, by=infer("add monotone", infer("reflexivity", term=dot**2), gap))
        .eq(squares)
        .qed()
    )
    root = infer("function monotone", square.theorem, function="sqrt")
    bound = (
        calc(absolute(dot))
        .eq(sqrt(dot**2), by=infer("absolute value", term=dot))
        .le(sqrt(squares), by=root)
        .eq(norms)
        .qed()
    )
    scaled = infer("scale monotone", bound.theorem, factor=absolute(scale))
    return (
        calc(absolute(scale * dot))
        .eq(sqrt((scale * dot) ** 2), by=infer("absolute value", term=scale * dot))
        .eq(sqrt(scale**2) * sqrt(dot**2))
        .eq(absolute(scale) * sqrt(dot**2), by=infer("absolute value", term=scale))
        .eq(absolute(scale) * absolute(dot), by=infer("absolute value", term=dot))
        .le(absolute(scale) * norms, by=scaled)
        .qed()
    )
