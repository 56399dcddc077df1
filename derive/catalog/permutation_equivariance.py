"""Self-attention does not know the order of its tokens."""

from derive.chain import Proof, both, calc, entrywise, reindexing
from derive.definitions import (
    MATRICES,
    W_K,
    W_Q,
    W_V,
    X,
    a,
    c,
    i,
    matmul,
    n,
    permutation,
    self_attention,
)
from derive.derivation import theorem
from derive.signature import Array
from derive.syntax import Lambda, bijection, conjoin, eq

sigma = Array("σ", (n,), n)
reordered = Lambda((i, a), X[sigma[i], a])
P = permutation(sigma)

tokenwise = eq(
    self_attention(reordered, W_Q, W_K, W_V)[i, c], self_attention(X, W_Q, W_K, W_V)[sigma[i], c]
)
matrixwise = eq(
    self_attention(matmul(P, X), W_Q, W_K, W_V),
    matmul(P, self_attention(X, W_Q, W_K, W_V)),
)


@theorem(
    "permutation-equivariance",
    title={"zh": "注意力不知道顺序", "en": "Attention has no sense of order"},
    states=conjoin(tokenwise, matrixwise),
    assuming=(bijection(sigma),),
    source="S15",
)
def proof() -> Proof:
    """Attn(PX)_i = Attn(X)_σ(i) for every permutation σ of the tokens.

    Here (PX)_i = X_σ(i), for the whole layer with its projections; hence Attn(P X) = P Attn(X)
    with the permutation matrix P_ij = [σ(i) = j]. Only the bijectivity of σ is used.
    """
    left, right = tokenwise.args
    tokens = (
        calc(left, given=[bijection(sigma)])
        .eq(right, by=(self_attention, *MATRICES, reindexing))
        .qed()
    )
    PX = matmul(P, X)
    matrix = (
        calc(self_attention(PX, W_Q, W_K, W_V)[i, c], given=[bijection(sigma)])
        .eq(left, by=(matmul, permutation))
        .eq(right, by=tokens)
        .eq(matmul(P, self_attention(X, W_Q, W_K, W_V))[i, c], by=(matmul, permutation))
        .qed()
    )
    return both(tokens, entrywise(matrix, i, c))
