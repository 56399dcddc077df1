"""Many heads know no more of order than one."""

from derive.catalog.permutation_equivariance import P, reordered, sigma
from derive.catalog.permutation_equivariance import proof as one_head
from derive.chain import Proof, both, calc, entrywise
from derive.definitions import X, a, b, d_k, d_model, d_v, i, matmul, permutation, self_attention
from derive.derivation import theorem
from derive.kernel import infer
from derive.signature import Array, Definition
from derive.syntax import Index, Lambda, Sum, bijection, conjoin, eq, indices, ranges

(heads,) = ranges("heads")
h, c = Index("h", heads), Index("c", d_v)
t, f = indices("t u", d_k)
W_Q, W_K = Array("W_Q", (heads, d_model, d_k)), Array("W_K", (heads, d_model, d_k))
W_V, W_O = Array("W_V", (heads, d_model, d_v)), Array("W_O", (heads, d_v, d_model))


def matrix(W: Array, *axes):  # noqa: ANN002, ANN201
    """The matrix of head h."""
    return Lambda(axes, W[(h, *axes)])


head = self_attention(X, matrix(W_Q, a, t), matrix(W_K, a, t), matrix(W_V, a, c))
multi_head = Definition(
    "MultiHead",
    (X, W_Q, W_K, W_V, W_O),
    (i, b),
    Sum(h, matmul(head, matrix(W_O, c, b))[i, b]),
    "MultiHead({0})",
)
weights = W_Q, W_K, W_V, W_O
tokenwise = eq(multi_head(reordered, *weights)[i, b], multi_head(X, *weights)[sigma[i], b])
matrixwise = eq(multi_head(matmul(P, X), *weights), matmul(P, multi_head(X, *weights)))


@theorem(
    "permutation-equivariance-multi-head",
    title={"zh": "多头也不知道顺序", "en": "Many heads have no sense of order either"},
    states=conjoin(tokenwise, matrixwise),
    assuming=(bijection(sigma),),
    source="S15",
)
def proof() -> Proof:
    """MultiHead(PX)_i = MultiHead(X)_σ(i), hence MultiHead(P X) = P MultiHead(X).

    MultiHead(X) = Σ_h Attn_h(X) W_O^(h), for any number of heads. Only that σ is a bijection is
    used, head by head through `permutation-equivariance`.
    """
    given = (bijection(sigma),)
    (single, _) = one_head.proof.parts
    lemma = infer(
        "specialize",
        single,
        values=[
            (array, matrix(W, *axes))
            for array, W, axes in zip(
                self_attention.parameters[1:],
                (W_Q, W_K, W_V),
                ((a, t), (a, t), (a, c)),
                strict=True,
            )
        ],
    )
    left, right = tokenwise.args
    tokens = calc(left, given=given).eq(right, by=(multi_head, matmul, lemma)).qed()
    first, last = (side[i, b] for side in matrixwise.args)
    whole = (
        calc(first, given=given)
        .eq(left, by=(matmul, permutation))
        .eq(right, by=tokens)
        .eq(last, by=(matmul, permutation))
        .qed()
    )
    return both(tokens, entrywise(whole, i, b))
