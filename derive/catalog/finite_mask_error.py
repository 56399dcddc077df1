"""What a large finite number does in place of −∞."""

from derive.chain import Proof, both, by_cases, calc, emptiness
from derive.definitions import c, d_v
from derive.derivation import theorem
from derive.facts import inhabited
from derive.signature import Array, Range
from derive.syntax import Index, Sum, Symbol, conjoin, eq, exp, inject, ranges
from derive.terms import Term

A, B = ranges("A B")  # allowed and forbidden keys
keys = Range("A⊎B", (A, B))
x, y, j = Index("x", A), Index("y", B), Index("j", keys)
s, v, gamma = Array("s", (keys,)), Array("v", (keys, d_v)), Symbol("γ")  # γ is 10⁹, say
in_A, in_B = inject(keys, 0, x), inject(keys, 1, y)


def blend(index: Term, score: Term, element: Term) -> Term:
    """``Σ e^score v / Σ e^score``"""
    return Sum(index, exp(score) * v[element, c]) / Sum(index, exp(score))


def with_forbidden(score: Term) -> Term:
    """The output when the forbidden keys have this score."""
    above = Sum(x, exp(s[in_A]) * v[in_A, c]) + Sum(y, exp(score) * v[in_B, c])
    return above / (Sum(x, exp(s[in_A])) + Sum(y, exp(score)))


Z_A, Z_B = Sum(x, exp(s[in_A])), Sum(y, exp(s[in_B]))
o_A, o_B = blend(x, s[in_A], in_A), blend(y, s[in_B], in_B)
mean_B = Sum(y, v[in_B, c]) / B.size
added, replaced = with_forbidden(s[in_B] - gamma), with_forbidden(-gamma)
share_added = exp(-gamma) * Z_B / (Z_A + exp(-gamma) * Z_B)
share_replaced = exp(-gamma) * B.size / (Z_A + exp(-gamma) * B.size)

all_added = blend(j, s[j] - gamma, j)
all_replaced = blend(j, -gamma, j)


@theorem(
    "finite-mask-error",
    title={"zh": "用 −10⁹ 代替 −∞ 的误差", "en": "The error of a finite mask"},
    states=conjoin(
        conjoin(
            eq(added - o_A, share_added * (o_B - o_A)),
            eq(replaced - o_A, share_replaced * (mean_B - o_A)),
        ),
        conjoin(eq(all_added, blend(j, s[j], j)), eq(all_replaced, Sum(j, v[j, c]) / keys.size)),
    ),
    assuming=(inhabited(A),),
    source="S24",
    needs={inhabited(A): "A = ∅: the output without forbidden keys is 0/0, here 0, not a blend"},
)
def proof() -> Proof:
    """o_γ − o_∞ = ε (o_B − o_A) with ε = e^(−γ) Z_B / (Z_A + e^(−γ) Z_B), when −γ is added.

    A ≠ ∅ are the allowed keys, B the forbidden ones. When −γ replaces their scores, Z_B becomes
    |B| and o_B the mean of their values. When every key is forbidden, addition gives the unmasked
    output and replacement the plain mean of the values, whatever γ is.
    """

    def error(output: Term, share: Term, other: Term) -> Proof:
        """Whether some key is forbidden or none is."""
        return by_cases(
            inhabited(B),
            lambda case: (
                calc(output - o_A, given=(inhabited(A), case))
                .eq(share * (other - o_A), by=emptiness)
                .qed()
            ),
        )

    return both(
        both(error(added, share_added, o_B), error(replaced, share_replaced, mean_B)),
        both(
            calc(all_added).eq(blend(j, s[j], j)).qed(),
            calc(all_replaced).eq(Sum(j, v[j, c]) / keys.size).qed(),
        ),
    )
