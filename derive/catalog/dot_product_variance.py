"""Var(q·k) = d_k."""

from derive.chain import Proof, calc, independence, linearity
from derive.definitions import (
    apart,
    centred,
    d_k,
    dot,
    dot_product,
    k,
    q,
    t,
    u,
    unit,
    variance,
    white,
)
from derive.derivation import theorem
from derive.syntax import E, Sum, delta, eq

assuming = (centred, white, unit, apart)


@theorem(
    "dot-product-variance",
    title={"zh": "点积的方差等于 d_k", "en": "The dot product has variance d_k"},
    states=eq(variance(dot), d_k.size),
    assuming=assuming,
    source="S12",
)
def proof() -> Proof:
    """Var(q·k) = d_k for every d_k, from moments alone.

    E[q_t] = 0, E[q_t q_u] = [t = u], E[k_t²] = 1, and q independent of k. The keys may have any
    mean and any correlation as long as their second moment is 1; nothing need be Gaussian. The
    articles assume more: all entries independent, mean 0, variance 1.
    """
    return (
        calc(variance(dot), given=assuming)
        .eq(
            Sum((t, u), E(q[t] * k[t] * (q[u] * k[u]))) - Sum(t, E(q[t] * k[t])) ** 2,
            by=(dot_product, linearity),
        )
        .eq(Sum((t, u), E(q[t] * q[u] * k[t] * k[u])) - Sum(t, E(q[t] * k[t])) ** 2)
        .eq(
            Sum((t, u), E(q[t] * q[u]) * E(k[t] * k[u])) - Sum(t, E(q[t]) * E(k[t])) ** 2,
            by=independence,
        )
        .eq(Sum((t, u), E(q[t] * q[u]) * E(k[t] * k[u])), by=centred)
        .eq(Sum((t, u), delta(t, u) * E(k[t] * k[u])), by=white)
        .eq(Sum(t, E(k[t] ** 2)))
        .eq(Sum(t, 1), by=unit)
        .eq(d_k.size)
        .qed()
    )
