"""Softmax does not change when the same number is added to every score."""

from derive.chain import Proof, calc
from derive.definitions import j, l, n, softmax
from derive.derivation import theorem
from derive.signature import Array
from derive.syntax import Lambda, Sum, Symbol, eq, exp

s, b = Array("s", (n,)), Symbol("b")
shifted = softmax(Lambda(l, s[l] + b))[j]


@theorem(
    "softmax-shift-invariance",
    title={"zh": "平移不变", "en": "Softmax ignores a common shift"},
    states=eq(shifted, softmax(s)[j]),
    source="S35",
)
def proof() -> Proof:
    """softmax(s + b)_j = softmax(s)_j for every real b.

    Subtracting the maximum changes nothing. No assumption.
    """
    return (
        calc(shifted)
        .eq(exp(s[j] + b) / Sum(l, exp(s[l] + b)), by=softmax)
        .eq(exp(b) * exp(s[j]) / (exp(b) * Sum(l, exp(s[l]))))
        .eq(exp(s[j]) / Sum(l, exp(s[l])))
        .eq(softmax(s)[j], by=softmax)
        .qed()
    )
