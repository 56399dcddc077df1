"""A score is a learned ruler between two tokens."""

from derive.chain import Proof, calc
from derive.definitions import W_K, W_Q, X, a, b, i, j, matmul, t, transpose
from derive.derivation import theorem
from derive.syntax import Sum, eq

Q, K = matmul(X, W_Q), matmul(X, W_K)
score = Sum(t, Q[i, t] * K[j, t])
ruler = matmul(W_Q, transpose(W_K))


@theorem(
    "score-bilinear",
    title={"zh": "打分是一把学出来的尺", "en": "A score is a learned ruler"},
    states=eq(score, Sum((a, b), X[i, a] * ruler[a, b] * X[j, b])),
    source="S5",
)
def proof() -> Proof:
    """q_i·k_j = x_i (W_Q W_Kᵀ) x_jᵀ, for all sizes.

    No assumption.
    """
    return (
        calc(score)
        .eq(Sum(t, Sum(a, X[i, a] * W_Q[a, t]) * Sum(b, X[j, b] * W_K[b, t])), by=matmul)
        .eq(Sum((a, b), X[i, a] * Sum(t, W_Q[a, t] * W_K[b, t]) * X[j, b]))
        .eq(Sum((a, b), X[i, a] * ruler[a, b] * X[j, b]), by=(matmul, transpose))
        .qed()
    )
