"""The vocabulary of attention: ranges, arrays, and what the words mean. One place for all proofs.

Rows are tokens and vectors are rows, as in ``q_i = x_i W_Q``. Ranges are schematic in definitions:
`matmul` multiplies matrices of every shape.
"""

from __future__ import annotations

from derive.binding import bind, fresh
from derive.signature import PROP, Array, Definition
from derive.syntax import (
    E,
    Sum,
    delta,
    eq,
    exp,
    forall,
    independent,
    indices,
    iverson,
    ranges,
    sqrt,
)
from derive.terms import Term

n, d_model, d_k, d_v = ranges("n d_model d_k d_v")
(m,) = ranges("m")  # the queries, where they are not the keys' tokens
i, j, l = indices("i j l", n)
(r,) = indices("r", m)
a, b = indices("a b", d_model)
t, u = indices("t u", d_k)
(c,) = indices("c", d_v)

X = Array("X", (n, d_model))
W_Q, W_K = Array("W_Q", (d_model, d_k)), Array("W_K", (d_model, d_k))
W_V = Array("W_V", (d_model, d_v))

# ------------------------------------------------------------------ matrices

_A, _B = Array("A", (n, d_model)), Array("B", (d_model, d_k))
_S, _s = Array("S", (m, n)), Array("s", (n,))
_M, _square_M = Array("M", (m, n), PROP), Array("M", (n, n), PROP)

matmul = Definition("matmul", (_A, _B), (i, t), Sum(a, _A[i, a] * _B[a, t]), "{0} {1}")
transpose = Definition("transpose", (_A,), (a, i), _A[i, a], "{0}ᵀ")
softmax = Definition("softmax", (_s,), (j,), exp(_s[j]) / Sum(l, exp(_s[l])))
softmax_rows = Definition(
    "softmax_rows", (_S,), (r, j), exp(_S[r, j]) / Sum(l, exp(_S[r, l])), "softmax({0})"
)
masked_softmax = Definition(
    "masked_softmax",
    (_S, _M),
    (r, j),
    iverson(_M[r, j]) * exp(_S[r, j]) / Sum(l, iverson(_M[r, l]) * exp(_S[r, l])),
)


def scaled(scores: Term) -> Term:
    """A score matrix divided by √d_k."""
    row, column = fresh(scores.kind[1]), fresh(scores.kind[2][1])
    divided = bind("lam", column, scores[row, column] / sqrt(d_k.size), "j")
    return bind("lam", row, divided, "i")


def attention(Q: Term | Array, K: Term | Array, V: Term | Array) -> Term:
    """``softmax(Q Kᵀ / √d_k) V``"""
    return matmul(softmax_rows(scaled(matmul(Q, transpose(K)))), V)


def masked_attention(Q: Term | Array, K: Term | Array, V: Term | Array, M: Term | Array) -> Term:
    """Attention that looks only where the mask allows it."""
    return matmul(masked_softmax(scaled(matmul(Q, transpose(K))), M), V)


queries = Definition("queries", (X, W_Q), (i, t), matmul(X, W_Q)[i, t], "Q")
keys = Definition("keys", (X, W_K), (i, t), matmul(X, W_K)[i, t], "K")
values = Definition("values", (X, W_V), (i, c), matmul(X, W_V)[i, c], "V")

_sigma = Array("σ", (n,), n)
permutation = Definition("permutation", (_sigma,), (i, j), delta(_sigma[i], j), "P")
self_attention = Definition(
    "Attn",
    (X, W_Q, W_K, W_V),
    (i, c),
    attention(matmul(X, W_Q), matmul(X, W_K), matmul(X, W_V))[i, c],
    "Attn({0})",
)
masked_self_attention = Definition(
    "MaskedAttn",
    (X, _square_M, W_Q, W_K, W_V),
    (i, c),
    masked_attention(matmul(X, W_Q), matmul(X, W_K), matmul(X, W_V), _square_M)[i, c],
    "MaskedAttn({0}, {1})",
)
MATRICES = (matmul, transpose, softmax_rows)
MASKED = (matmul, transpose, masked_softmax)

# ------------------------------------------------------------------ the procedure, token by token

_q, _k, _v = Array("q", (m, d_k)), Array("k", (n, d_k)), Array("v", (n, d_v))

query = Definition("query", (X, W_Q), (i, t), Sum(a, X[i, a] * W_Q[a, t]), "q")
key = Definition("key", (X, W_K), (i, t), Sum(a, X[i, a] * W_K[a, t]), "k")
value = Definition("value", (X, W_V), (i, c), Sum(a, X[i, a] * W_V[a, c]), "v")
score = Definition("score", (_q, _k), (r, j), Sum(t, _q[r, t] * _k[j, t]) / sqrt(d_k.size))
strength = Definition("strength", (_S,), (r, j), exp(_S[r, j]))
weight = Definition("weight", (_S,), (r, j), strength(_S)[r, j] / Sum(l, strength(_S)[r, l]))
blend = Definition("blend", (_S, _v), (r, c), Sum(j, weight(_S)[r, j] * _v[j, c]))
PROCEDURE = (query, key, value, score, strength, weight, blend)

# ------------------------------------------------------------------ random queries and keys

q = Array("q", (d_k,), random=True)
k = Array("k", (d_k,), random=True)
_x, _y = Array("x", (d_k,)), Array("y", (d_k,))
dot_product = Definition("dot_product", (_x, _y), (), Sum(t, _x[t] * _y[t]), "{0} · {1}")
dot = dot_product(q, k)
centred = forall(t, eq(E(q[t]), 0))
white = forall((t, u), eq(E(q[t] * q[u]), delta(t, u)))
unit = forall(t, eq(E(k[t] ** 2), 1))
apart = independent(q, k)


def variance(x: Term) -> Term:
    """``E[x²] − E[x]²``"""
    return E(x**2) - E(x) ** 2
