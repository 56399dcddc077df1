"""Each row of softmax weights sums to one."""

from derive.chain import Proof, calc
from derive.definitions import i, j, l, n, softmax_rows
from derive.derivation import theorem
from derive.signature import Array
from derive.syntax import Sum, eq, exp

S = Array("S", (n, n))
total = Sum(j, softmax_rows(S)[i, j])


@theorem(
    "softmax-rows-sum-to-one",
    title={"zh": "每行权重之和为一", "en": "Rows of weights sum to one"},
    states=eq(total, 1),
    source="S3",
)
def proof() -> Proof:
    """Σ_j softmax(S)_ij = 1 for every row i and every n.

    No assumption: the row i itself shows that n ≥ 1.
    """
    return (
        calc(total)
        .eq(Sum(j, exp(S[i, j]) / Sum(l, exp(S[i, l]))), by=softmax_rows)
        .eq(Sum(j, exp(S[i, j])) / Sum(l, exp(S[i, l])))
        .eq(1)
        .qed()
    )
