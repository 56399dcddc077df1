"""The vocabulary of attention: ranges, arrays, and what the words mean. One place for all proofs.

Rows are tokens and vectors are rows, as in ``q_i = x_i W_Q``. Ranges are schematic in definitions:
`matmul` multiplies matrices of every shape.
"""

from __future__ import annotations

from derive.syntax import E, Lambda, Sum, delta, eq, exp, forall, independent, indices, ranges, sqrt
from derive.terms import Array, Definition, Term

n, m, d_model, d_k, d_v = ranges("n m d_model d_k d_v")  # m: of records, where they differ
i, j, l = indices("i j l", n)
_j, _l = indices("j l", m)
a, b = indices("a b", d_model)
t, u = indices("t u", d_k)
(c,) = indices("c", d_v)

X = Array("X", (n, d_model))
W_Q, W_K = Array("W_Q", (d_model, d_k)), Array("W_K", (d_model, d_k))
W_V = Array("W_V", (d_model, d_v))

_A, _B = Array("A", (n, d_model)), Array("B", (d_model, d_k))
_S, _s = Array("S", (n, m)), Array("s", (n,))
_q, _k, _v = Array("q", (n, d_k)), Array("k", (m, d_k)), Array("v", (m, d_v))

# ------------------------------------------------------------------ matrices

matmul = Definition("matmul", (_A, _B), (i, t), Sum(a, _A[i, a] * _B[a, t]), "{0} {1}")
transpose = Definition("transpose", (_A,), (a, i), _A[i, a], "{0}ᵀ")
softmax = Definition("softmax", (_s,), (j,), exp(_s[j]) / Sum(l, exp(_s[l])))
softmax_rows = Definition(
    "softmax_rows", (_S,), (i, _j), exp(_S[i, _j]) / Sum(_l, exp(_S[i, _l])), "softmax({0})"
)


def scaled(scores: Term) -> Term:
    """The score matrix divided by √d_k."""
    return Lambda((i, j), scores[i, j] / sqrt(d_k.size))


def attention(Q: Term | Array, K: Term | Array, V: Term | Array) -> Term:
    """``softmax(Q Kᵀ / √d_k) V``"""
    return matmul(softmax_rows(scaled(matmul(Q, transpose(K)))), V)


self_attention = Definition(
    "Attn",
    (X, W_Q, W_K, W_V),
    (i, c),
    attention(matmul(X, W_Q), matmul(X, W_K), matmul(X, W_V))[i, c],
    "Attn({0})",
)

# ------------------------------------------------------------------ the procedure, token by token

query = Definition("query", (X, W_Q), (i, t), Sum(a, X[i, a] * W_Q[a, t]), "q")
key = Definition("key", (X, W_K), (i, t), Sum(a, X[i, a] * W_K[a, t]), "k")
value = Definition("value", (X, W_V), (i, c), Sum(a, X[i, a] * W_V[a, c]), "v")
score = Definition("score", (_q, _k), (i, _j), Sum(t, _q[i, t] * _k[_j, t]) / sqrt(d_k.size))
strength = Definition("strength", (_S,), (i, _j), exp(_S[i, _j]))
weight = Definition("weight", (_S,), (i, _j), strength(_S)[i, _j] / Sum(_l, strength(_S)[i, _l]))
blend = Definition("blend", (_S, _v), (i, c), Sum(_j, weight(_S)[i, _j] * _v[_j, c]))
PROCEDURE = (query, key, value, score, strength, weight, blend)
MATRICES = (matmul, transpose, softmax_rows)

# ------------------------------------------------------------------ random queries and keys

q = Array("q", (d_k,), random=True)
k = Array("k", (d_k,), random=True)
dot = Sum(t, q[t] * k[t])
centred = forall(t, eq(E(q[t]), 0))
white = forall((t, u), eq(E(q[t] * q[u]), delta(t, u)))
unit = forall(t, eq(E(k[t] ** 2), 1))
apart = independent(q, k)


def variance(x: Term) -> Term:
    """``E[x²] − E[x]²``"""
    return E(x**2) - E(x) ** 2
