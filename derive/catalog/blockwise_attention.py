"""Any number of blocks, in any division, give the whole."""

from derive.chain import Proof, calc
from derive.definitions import c, d_v, j, n
from derive.derivation import theorem
from derive.signature import Array
from derive.syntax import Index, Sum, Symbol, delta, eq, exp, ranges
from derive.terms import Term

(blocks,) = ranges("blocks")
z, m = Index("z", blocks), Symbol("m")
block = Array("block", (n,), blocks)  # which block a key lies in
s, v, reference = Array("s", (n,)), Array("v", (n, d_v)), Array("a", (blocks,))


def kept(values: Term | int) -> Term:
    """What is kept of block z: Σ over its keys of e^(s_j − a_z), times values."""
    return Sum(j, delta(block[j], z) * exp(s[j] - reference[z]) * values)


merged_blend = Sum(z, exp(reference[z] - m) * kept(v[j, c]))
merged_mass = Sum(z, exp(reference[z] - m) * kept(1))
whole = Sum(j, exp(s[j]) * v[j, c]) / Sum(j, exp(s[j]))


@theorem(
    "blockwise-attention",
    title={"zh": "任意多块，结果相同", "en": "Any number of blocks, the same output"},
    states=eq(merged_blend / merged_mass, whole),
    source="S33",
)
def proof() -> Proof:
    """Attention computed block by block equals attention computed at once.

    Every key lies in one of any number of blocks, each with any reference value a_z; m is the
    common reference at the end. Only O(blocks) numbers are kept, never the n scores. No assumption.
    """
    return (
        calc(merged_blend / merged_mass)
        .eq(Sum(j, exp(s[j] - m) * v[j, c]) / Sum(j, exp(s[j] - m)))
        .eq(exp(-m) * Sum(j, exp(s[j]) * v[j, c]) / (exp(-m) * Sum(j, exp(s[j]))))
        .eq(whole)
        .qed()
    )
