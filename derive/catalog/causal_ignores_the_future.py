"""A causal mask hides the future."""

from derive.chain import Proof, calc
from derive.definitions import (
    W_K,
    W_Q,
    W_V,
    X,
    a,
    c,
    d_model,
    i,
    j,
    masked_self_attention,
    masked_softmax,
    matmul,
    n,
    transpose,
)
from derive.derivation import theorem
from derive.signature import Array
from derive.syntax import Lambda, eq, forall, implies, le

Y = Array("Y", (n, d_model))
causal = Lambda((i, j), le(j, i))
same_past = forall((j, a), implies(le(j, i), eq(X[j, a], Y[j, a])))
weights = W_Q, W_K, W_V
with_X = masked_self_attention(X, causal, *weights)[i, c]
with_Y = masked_self_attention(Y, causal, *weights)[i, c]


@theorem(
    "causal-ignores-the-future",
    title={"zh": "因果掩码看不见未来", "en": "A causal mask hides the future"},
    states=eq(with_X, with_Y),
    assuming=(same_past,),
    source="S22",
)
def proof() -> Proof:
    """If X and Y agree on rows 1 … i, their outputs at i are equal, whatever comes later.

    For the whole layer with its projections; only that X_j = Y_j for j ≤ i is used.
    """
    opened = (masked_self_attention, masked_softmax, matmul, transpose)
    return calc(with_X).eq(with_Y, by=(*opened, same_past)).qed()
