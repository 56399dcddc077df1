"""The backward pass: every gradient of attention, from its definition."""

from derive.chain import Proof, both, by_cases, calc, differentiation, emptiness
from derive.definitions import MATRICES, attention, c, d_k, d_v, j, m, matmul, n, r, softmax_rows, t
from derive.derivation import theorem
from derive.facts import inhabited
from derive.signature import Array
from derive.syntax import Index, Lambda, Sum, Symbol, conjoin, delta, derivative, eq, sqrt
from derive.terms import Term

Q, K, V = Array("Q", (m, d_k)), Array("K", (n, d_k)), Array("V", (n, d_v))
G = Array("G", (m, d_v))  # the gradient that arrives at the output
A, S = Array("A", (m, n)), Array("S", (m, n))
x = Symbol("x")
i, l, e, u = Index("i", m), Index("l", n), Index("e", d_v), Index("u", d_k)


def loss(output: Term) -> Term:
    """``Σ G ⊙ O``"""
    return Sum((i, e), G[i, e] * output[i, e])


def nudged(array: Array, *at: Term) -> Term:
    """The array with x added to one entry."""
    rows = Index("i" if array.axes[0] == m else "l", array.axes[0])
    columns = Index({n: "l", d_v: "e", d_k: "u"}[array.axes[1]], array.axes[1])
    return Lambda(
        (rows, columns), array[rows, columns] + x * (delta(rows, at[0]) * delta(columns, at[1]))
    )


def gradient(output: Term) -> Term:
    """∂loss/∂(the nudged entry)"""
    return derivative(loss(output), x, at=0)


P = softmax_rows(S)
dV = gradient(matmul(A, nudged(V, j, c)))
dA = gradient(matmul(nudged(A, r, j), V))
dS = gradient(matmul(softmax_rows(nudged(S, r, j)), V))
dQ = gradient(attention(nudged(Q, r, t), K, V))
dK = gradient(attention(Q, nudged(K, j, t), V))

grad_A = Lambda((r, j), Sum(e, G[r, e] * V[j, e]))


def grad_S(weights: Term) -> Term:
    """``dS_rj = A_rj (dA_rj − Σ_l A_rl dA_rl)``"""
    return Lambda((r, j), weights[r, j] * (grad_A[r, j] - Sum(l, weights[r, l] * grad_A[r, l])))


scores = Lambda((r, j), Sum(u, Q[r, u] * K[j, u]) / sqrt(d_k.size))
from_scores = grad_S(softmax_rows(scores))
for_query = Sum(j, from_scores[r, j] * K[j, t]) / sqrt(d_k.size)
for_key = Sum(r, from_scores[r, j] * Q[r, t]) / sqrt(d_k.size)


@theorem(
    "attention-backward",
    title={"zh": "注意力的反向传播", "en": "The backward pass of attention"},
    states=conjoin(
        conjoin(
            eq(dV, Sum(i, A[i, j] * G[i, c])),
            conjoin(eq(dA, grad_A[r, j]), eq(dS, grad_S(P)[r, j])),
        ),
        conjoin(
            eq(dQ, for_query),
            eq(dK, for_key),
        ),
    ),
    source="S13",
)
def proof() -> Proof:
    """dV = AᵀG, dA = G Vᵀ, dS = A ⊙ (dA − rowsum(A ⊙ dA)), dQ = dS K/√d_k, dK = dSᵀ Q/√d_k.

    For the loss Σ G ⊙ O. Each is the derivative of the definition by one entry of V, A, S, Q, K. No assumption.
    """
    value = calc(dV).eq(Sum(i, A[i, j] * G[i, c]), by=(matmul, differentiation)).qed()
    weight = calc(dA).eq(grad_A[r, j], by=(matmul, differentiation)).qed()
    score = calc(dS).eq(grad_S(P)[r, j], by=(matmul, softmax_rows, differentiation)).qed()
    query = by_cases(
        inhabited(n),
        lambda case: (
            calc(dQ, given=(case,)).eq(for_query, by=(*MATRICES, emptiness, differentiation)).qed()
        ),
    )
    key = calc(dK).eq(for_key, by=(*MATRICES, differentiation)).qed()
    return both(both(value, both(weight, score)), both(query, key))
