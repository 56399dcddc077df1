"""The dot product of independent, centred queries and keys has mean zero."""

from derive.chain import Proof, calc, independence, linearity
from derive.definitions import apart, centred, dot, dot_product, k, q, t
from derive.derivation import theorem
from derive.syntax import E, Sum, eq, moments

assuming = (centred, apart, moments(q, 1), moments(k, 1))


@theorem(
    "dot-product-mean",
    title={"zh": "点积的均值为零", "en": "The dot product has mean zero"},
    states=eq(E(dot), 0),
    assuming=assuming,
    source="S12",
    needs={
        moments(q, 1): "q = (Z, 1 − Z) and k = (1, 1) with E|Z| = ∞: q·k is always 1",
        moments(k, 1): "E|k| = ∞, q = ±1: q·k has no expectation; as 0 it would say nothing",
    },
)
def proof() -> Proof:
    """E[q·k] = 0 for every d_k, from E[q_t] = 0 alone.

    q is independent of k and first moments are finite; k may have any mean.
    """
    return (
        calc(E(dot), given=assuming)
        .eq(Sum(t, E(q[t] * k[t])), by=(dot_product, linearity))
        .eq(Sum(t, E(q[t]) * E(k[t])), by=independence)
        .eq(Sum(t, 0 * E(k[t])), by=centred)
        .eq(0)
        .qed()
    )
