"""The variance of q·k when queries and keys have means."""

from derive.chain import Proof, calc, independence, linearity
from derive.definitions import apart, d_k, dot, dot_product, k, q, t, u, variance
from derive.derivation import theorem
from derive.syntax import E, Sum, Symbol, delta, eq, forall, moments

mu_q, mu_k, sigma_q, sigma_k = map(Symbol, ("μ_q", "μ_k", "σ_q", "σ_k"))


def mean(x, mu):  # noqa: ANN001, ANN201
    return forall(t, eq(E(x[t]), mu))


def second(x, mu, sigma):  # noqa: ANN001, ANN201
    return forall((t, u), eq(E(x[t] * x[u]), sigma**2 * delta(t, u) + mu**2))


means = mean(q, mu_q), mean(k, mu_k)
seconds = second(q, mu_q, sigma_q), second(k, mu_k, sigma_k)
assuming = (*means, *seconds, apart, moments(q, 2), moments(k, 2))
result = d_k.size * (sigma_q**2 * sigma_k**2 + sigma_q**2 * mu_k**2 + sigma_k**2 * mu_q**2)


@theorem(
    "dot-product-variance-general",
    title={"zh": "均值不为零时点积的方差", "en": "The variance of a dot product with means"},
    states=eq(variance(dot), result),
    assuming=assuming,
    source="S12",
    needs={
        moments(q, 2): "σ_q = 0 and μ_q = 0 do not say that E[q²] exists: it counts as 0",
        moments(k, 2): "σ_k = 0 and μ_k = 0 do not say that E[k²] exists: it counts as 0",
    },
)
def proof() -> Proof:
    """Var(q·k) = d_k (σ_q²σ_k² + σ_q²μ_k² + σ_k²μ_q²) for uncorrelated entries.

    All entries of q have mean μ_q and variance σ_q² and are uncorrelated; so for k; q is
    independent of k; second moments are finite.
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
        .eq(
            Sum(
                (t, u),
                (sigma_q**2 * delta(t, u) + mu_q**2) * (sigma_k**2 * delta(t, u) + mu_k**2),
            )
            - Sum(t, mu_q * mu_k) ** 2,
            by=(*means, *seconds),
        )
        .eq(result)
        .qed()
    )
