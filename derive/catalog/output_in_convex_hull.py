"""An output is a blend: it lies among the values in every direction."""

from derive.chain import Proof, calc
from derive.definitions import (
    attention,
    c,
    d_k,
    d_v,
    j,
    m,
    matmul,
    n,
    r,
    scaled,
    softmax_rows,
    transpose,
)
from derive.derivation import theorem
from derive.facts import inhabited
from derive.kernel import infer
from derive.signature import Array
from derive.syntax import Sum, Symbol, forall, le

Q, K, V = Array("Q", (m, d_k)), Array("K", (n, d_k)), Array("V", (n, d_v))
u, M = Array("u", (d_v,)), Symbol("M")
along = Sum(c, u[c] * attention(Q, K, V)[r, c])
below = forall(j, le(Sum(c, u[c] * V[j, c]), M))


@theorem(
    "output-in-convex-hull",
    title={"zh": "输出在值的凸包里", "en": "Outputs lie in the convex hull of the values"},
    states=le(along, M),
    assuming=(below, inhabited(n)),
    source="S3",
)
def proof() -> Proof:
    """If u·v_j ≤ M for every j, then u·o_i ≤ M: for every direction u and bound M.

    There must be something to attend to (n ≥ 1): an empty blend is 0, which may exceed M.
    """
    P = softmax_rows(scaled(matmul(Q, transpose(K))))
    each = infer("instantiate", infer("assume", proposition=below), value=j)
    weighted = infer("scale monotone", each, factor=P[r, j], given=(inhabited(n),))
    summed = infer("sum monotone", weighted, index=j)
    return (
        calc(along, given=(inhabited(n),))
        .eq(Sum(j, P[r, j] * Sum(c, u[c] * V[j, c])), by=matmul)
        .le(Sum(j, P[r, j] * M), by=summed)
        .eq(Sum(j, P[r, j]) * M)
        .eq(M, by=softmax_rows)
        .qed()
    )
