"""Two blocks of keys, seen one after the other, give the whole."""

from derive.chain import Proof, both, calc, splitting
from derive.definitions import d_v
from derive.derivation import theorem
from derive.signature import Array, Range
from derive.syntax import Index, Sum, Symbol, conjoin, eq, exp, inject, ranges
from derive.terms import Term

A, B = ranges("A B")
both_blocks = Range("A⊎B", (A, B))
s, v = Array("s", (both_blocks,)), Array("v", (both_blocks, d_v))
x, y, j, c = Index("x", A), Index("y", B), Index("j", both_blocks), Index("c", d_v)
a, b, m = map(Symbol, ("a", "b", "m"))  # any reference values, usually running maxima


def state(index: Term, element: Term, reference: Term) -> tuple[Term, Term]:
    """What is kept of a block: Σ e^(s − reference), and the same sum weighted by values."""
    mass = exp(s[element] - reference)
    return Sum(index, mass), Sum(index, mass * v[element, c])


mass_A, blend_A = state(x, inject(both_blocks, 0, x), a)
mass_B, blend_B = state(y, inject(both_blocks, 1, y), b)
mass, blend = state(j, j, m)
merged_mass = exp(a - m) * mass_A + exp(b - m) * mass_B
merged_blend = exp(a - m) * blend_A + exp(b - m) * blend_B
whole = Sum(j, exp(s[j]) * v[j, c]) / Sum(j, exp(s[j]))


@theorem(
    "online-softmax",
    title={"zh": "分块也能得到整体", "en": "Blocks merge into the whole"},
    states=conjoin(
        conjoin(eq(merged_mass, mass), eq(merged_blend, blend)),
        eq(merged_blend / merged_mass, whole),
    ),
    source="S33",
)
def proof() -> Proof:
    """Merging the states of two disjoint blocks gives the state, and the output, of their union.

    With any reference values a, b, m. The merged state is again a state, so by repetition any
    number of blocks may follow one another. No assumption: also empty blocks merge.
    """
    masses = calc(merged_mass).eq(mass, by=splitting).qed()
    blends = calc(merged_blend).eq(blend, by=splitting).qed()
    output = calc(merged_blend / merged_mass).eq(blend / mass, by=(blends, masses)).eq(whole).qed()
    return both(both(masses, blends), output)
