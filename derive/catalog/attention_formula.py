"""The procedure of attention, token by token, is the formula ``softmax(Q Kᵀ / √d_k) V``."""

from derive.chain import Proof, calc
from derive.definitions import (
    MATRICES,
    PROCEDURE,
    W_K,
    W_Q,
    W_V,
    X,
    attention,
    blend,
    c,
    d_k,
    i,
    j,
    key,
    keys,
    l,
    matmul,
    queries,
    query,
    score,
    softmax_rows,
    strength,
    t,
    value,
    values,
    weight,
)
from derive.derivation import theorem
from derive.syntax import Lambda, Sum, eq, exp, sqrt

q, k, v = query(X, W_Q), key(X, W_K), value(X, W_V)
Q, K, V = matmul(X, W_Q), matmul(X, W_K), matmul(X, W_V)

procedure = blend(score(q, k), v)[i, c]
formula = attention(queries(X, W_Q), keys(X, W_K), values(X, W_V))[i, c]


@theorem(
    "attention-formula",
    title={"zh": "注意力公式", "en": "The attention formula"},
    states=eq(procedure, formula),
    source="S3",
)
def proof() -> Proof:
    """The procedure, token by token, is softmax(Q Kᵀ/√d_k) V.

    Project every token to q, k, v; score q_i against every k_j and divide by √d_k; exponentiate;
    normalise; blend the values with these weights. Entry by entry this is the formula with
    Q = X W_Q, K = X W_K, V = X W_V, for every n, d_model, d_k, d_v. The two sides share nothing
    but the arrays. No assumption.
    """
    s = score(q, k)
    S = Lambda((i, j), Sum(t, Q[i, t] * K[j, t]) / sqrt(d_k.size))
    return (
        calc(procedure)
        .eq(Sum(j, weight(s)[i, j] * v[j, c]), by=blend)
        .eq(Sum(j, strength(s)[i, j] / Sum(l, strength(s)[i, l]) * v[j, c]), by=weight)
        .eq(Sum(j, exp(s[i, j]) / Sum(l, exp(s[i, l])) * v[j, c]), by=strength)
        .eq(
            Sum(
                j,
                exp(Sum(t, q[i, t] * k[j, t]) / sqrt(d_k.size))
                / Sum(l, exp(Sum(t, q[i, t] * k[l, t]) / sqrt(d_k.size)))
                * v[j, c],
            ),
            by=score,
        )
        .eq(Sum(j, exp(S[i, j]) / Sum(l, exp(S[i, l])) * V[j, c]), by=(*PROCEDURE, matmul))
        .eq(Sum(j, softmax_rows(S)[i, j] * V[j, c]), by=softmax_rows)
        .eq(attention(Q, K, V)[i, c], by=MATRICES)
        .eq(formula, by=(queries, keys, values))
        .qed()
    )
