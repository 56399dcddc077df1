"""How a weight changes when a score changes."""

from derive.chain import Proof, calc, differentiation
from derive.definitions import i, j, l, n, softmax
from derive.derivation import theorem
from derive.signature import Array
from derive.syntax import Lambda, Sum, Symbol, delta, derivative, eq, exp

s, x = Array("s", (n,)), Symbol("x")


def nudged(at):  # noqa: ANN001, ANN201
    """The scores with x added to s_j."""
    return softmax(Lambda(l, s[l] + x * delta(l, j)))[at]


slope = derivative(nudged(i), x, at=0)
p = softmax(s)


@theorem(
    "softmax-jacobian",
    title={"zh": "softmax 的雅可比矩阵", "en": "The Jacobian of softmax"},
    states=eq(slope, p[i] * (delta(i, j) - p[j])),
    source="S13",
)
def proof() -> Proof:
    """∂p_i/∂s_j = p_i ([i = j] − p_j) for every n, i, j.

    The derivative of softmax(s + x e_j)_i in x at x = 0. No assumption.
    """
    shifted = Sum(l, exp(s[l] + x * delta(l, j)))
    Z = Sum(l, exp(s[l]))
    return (
        calc(slope)
        .eq(derivative(exp(s[i] + x * delta(i, j)) / shifted, x, at=0), by=softmax)
        .eq(
            (exp(s[i]) * delta(i, j) * Z - exp(s[i]) * Sum(l, exp(s[l]) * delta(l, j))) / Z**2,
            by=differentiation,
        )
        .eq(exp(s[i]) / Z * (delta(i, j) - exp(s[j]) / Z))
        .eq(p[i] * (delta(i, j) - p[j]), by=softmax)
        .qed()
    )
