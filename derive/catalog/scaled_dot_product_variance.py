"""Var(q·k / √d_k) = 1."""

from derive.catalog.dot_product_variance import assuming as moment_assumptions
from derive.catalog.dot_product_variance import proof as dot_product_variance
from derive.chain import Proof, calc, linearity
from derive.definitions import d_k, dot, variance
from derive.derivation import theorem
from derive.facts import inhabited
from derive.syntax import E, eq, sqrt

scaled = dot / sqrt(d_k.size)
assuming = (*moment_assumptions, inhabited(d_k))


@theorem(
    "scaled-dot-product-variance",
    title={"zh": "除以 √d_k 后方差为一", "en": "Divided by √d_k the variance is one"},
    states=eq(variance(scaled), 1),
    assuming=assuming,
    source="S12",
)
def proof() -> Proof:
    """Var(q·k/√d_k) = 1 for every d_k > 0, under the assumptions of `dot-product-variance`."""
    return (
        calc(variance(scaled), given=assuming)
        .eq(E(dot**2 / d_k.size) - E(scaled) ** 2)
        .eq(E(dot**2) / d_k.size - (E(dot) / sqrt(d_k.size)) ** 2, by=linearity)
        .eq(variance(dot) / d_k.size)
        .eq(d_k.size / d_k.size, by=dot_product_variance)
        .eq(1)
        .qed()
    )
