"""With a mask, attention is equivariant when the mask is permuted too."""

from derive.catalog.permutation_equivariance import P, reordered, sigma
from derive.chain import Proof, both, calc, entrywise, reindexing
from derive.definitions import (
    W_K,
    W_Q,
    W_V,
    X,
    c,
    i,
    j,
    masked_self_attention,
    masked_softmax,
    matmul,
    n,
    permutation,
    transpose,
)
from derive.derivation import theorem
from derive.signature import PROP, Array
from derive.syntax import Lambda, bijection, conjoin, eq

M = Array("M", (n, n), PROP)
permuted_M = Lambda((i, j), M[sigma[i], sigma[j]])
weights = W_Q, W_K, W_V

tokenwise = eq(
    masked_self_attention(reordered, permuted_M, *weights)[i, c],
    masked_self_attention(X, M, *weights)[sigma[i], c],
)
matrixwise = eq(
    masked_self_attention(matmul(P, X), permuted_M, *weights),
    matmul(P, masked_self_attention(X, M, *weights)),
)


@theorem(
    "masked-permutation-equivariance",
    title={"zh": "掩码也要一起重排", "en": "The mask must be permuted too"},
    states=conjoin(tokenwise, matrixwise),
    assuming=(bijection(sigma),),
    source="S24",
)
def proof() -> Proof:
    """Attn_{PMPᵀ}(PX) = P Attn_M(X), where (PMPᵀ)_ij = M_σ(i)σ(j).

    For every mask, rows with nothing to attend to included (they give 0 on both sides).
    """
    given = (bijection(sigma),)
    left, right = tokenwise.args
    opened = (masked_self_attention, masked_softmax, matmul, transpose)
    tokens = calc(left, given=given).eq(right, by=(*opened, reindexing)).qed()
    first, last = (side[i, c] for side in matrixwise.args)
    matrix = (
        calc(first, given=given)
        .eq(left, by=(matmul, permutation))
        .eq(right, by=tokens)
        .eq(last, by=(matmul, permutation))
        .qed()
    )
    return both(tokens, entrywise(matrix, i, c))
