"""Blunted without end, softmax treats all alike."""

from derive.catalog.softmax_hard_limit import beta, sharpened
from derive.chain import Proof, argument, calc
from derive.definitions import j, n, softmax
from derive.derivation import theorem
from derive.facts import inhabited
from derive.kernel import infer
from derive.signature import Array
from derive.syntax import Sum, exp, tends
from derive.terms import number

s = Array("s", (n,))


@theorem(
    "softmax-uniform-limit",
    title={"zh": "越平缓越一视同仁", "en": "Blunted softmax is uniform"},
    states=tends(beta, sharpened[j], number(1) / n.size, to="0"),
    source="S13",
)
def proof() -> Proof:
    """softmax(βs)_j → 1/n as β → 0, for every s.

    No assumption.
    """
    quotient = exp(beta * s[j]) / Sum(j, exp(beta * s[j]))
    limit = infer("limit", variable=beta, term=quotient, to="0", given=[inhabited(n)])
    value = calc(limit.conclusion.args[1]).eq(number(1) / n.size).qed().theorem
    limit = infer("equal limit", limit, value)
    opened = calc(quotient).eq(sharpened[j], by=softmax).qed().theorem
    return argument(
        ("limits, part by part", limit),
        ("definition of softmax", infer("equal limit", limit, opened, variable=beta)),
    )
