"""How much more token i attends to j than j to i."""

from derive.catalog.score_bilinear import proof as score_bilinear
from derive.chain import Proof, calc
from derive.definitions import W_K, W_Q, X, a, b, i, j, matmul, t, transpose
from derive.derivation import theorem
from derive.syntax import Sum, eq

Q, K = matmul(X, W_Q), matmul(X, W_K)
difference = Sum(t, Q[i, t] * K[j, t]) - Sum(t, Q[j, t] * K[i, t])
one_way, other_way = matmul(W_Q, transpose(W_K)), matmul(W_K, transpose(W_Q))


@theorem(
    "score-asymmetry",
    title={"zh": "打分何时不对称", "en": "When scores are not symmetric"},
    states=eq(difference, Sum((a, b), X[i, a] * (one_way[a, b] - other_way[a, b]) * X[j, b])),
    source="S5",
)
def proof() -> Proof:
    """s_ij − s_ji = x_i (W_Q W_Kᵀ − W_K W_Qᵀ) x_jᵀ: symmetric exactly as far as the ruler is.

    No assumption. W_Q ≠ W_K alone does not make it asymmetric.
    """
    return (
        calc(difference)
        .eq(
            Sum((a, b), X[i, a] * one_way[a, b] * X[j, b])
            - Sum((a, b), X[j, a] * one_way[a, b] * X[i, b]),
            by=score_bilinear,
        )
        .eq(
            Sum((a, b), X[i, a] * (one_way[a, b] - other_way[a, b]) * X[j, b]),
            by=(matmul, transpose),
        )
        .qed()
    )
