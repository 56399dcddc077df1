"""Only the ruler counts: very different W_Q, W_K give the same scores."""

from derive.chain import Proof, calc
from derive.definitions import W_K, W_Q, X, d_k, i, j, matmul, t, transpose, u
from derive.derivation import theorem
from derive.signature import Array
from derive.syntax import Index, Sum, delta, eq, forall

G, H = Array("G", (d_k, d_k)), Array("H", (d_k, d_k))
w = Index("w", d_k)
inverse = forall((t, u), eq(Sum(w, G[t, w] * H[u, w]), delta(t, u)))  # G Hᵀ = 1: H is G⁻ᵀ
changed = matmul(matmul(X, matmul(W_Q, G)), transpose(matmul(X, matmul(W_K, H))))[i, j]
plain = matmul(matmul(X, W_Q), transpose(matmul(X, W_K)))[i, j]


@theorem(
    "gauge-freedom",
    title={"zh": "同一把尺，不同的矩阵", "en": "Different matrices, the same scores"},
    states=eq(changed, plain),
    assuming=(inverse,),
    source="S5",
)
def proof() -> Proof:
    """Scores do not change under W_Q → W_Q G, W_K → W_K G⁻ᵀ, for every invertible G.

    G⁻ᵀ enters as a matrix H with G Hᵀ = 1. So compare W_Q W_Kᵀ, never W_Q alone.
    """
    queries, keys = matmul(X, W_Q), matmul(X, W_K)
    return (
        calc(changed)
        .eq(
            Sum((t, u), queries[i, t] * keys[j, u] * Sum(w, G[t, w] * H[u, w])),
            by=(matmul, transpose),
        )
        .eq(Sum((t, u), queries[i, t] * keys[j, u] * delta(t, u)), by=inverse)
        .eq(plain, by=(matmul, transpose))
        .qed()
    )
