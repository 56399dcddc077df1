"""Sharpened without end, softmax picks the unique maximum."""

from derive.chain import Proof, argument, calc
from derive.definitions import j, l, n, softmax
from derive.derivation import theorem
from derive.facts import inhabited
from derive.kernel import infer
from derive.signature import Array
from derive.syntax import (
    Index,
    Lambda,
    Sum,
    Symbol,
    delta,
    eq,
    exp,
    forall,
    implies,
    lt,
    negate,
    tends,
)

s, beta, m = Array("s", (n,)), Symbol("β"), Index("m", n)
unique_maximum = forall(j, implies(negate(eq(j, m)), lt(s[j] - s[m], 0)))
sharpened = softmax(Lambda(l, beta * s[l]))
relative = exp(beta * (s[j] - s[m]))


def relative_limit():  # noqa: ANN201
    """``e^(β(s_j − s_m)) → [j = m]``: at the maximum it is 1, elsewhere it decays."""
    same, other = eq(j, m), negate(eq(j, m))
    constant = infer("limit", variable=beta, term=delta(j, m), to="oo")
    at_maximum = calc(delta(j, m)).eq(relative, by=same).qed().theorem
    here = infer("equal limit", constant, at_maximum, variable=beta)
    gap = infer(
        "modus ponens",
        infer("instantiate", infer("assume", proposition=unique_maximum), value=j),
        infer("assume", proposition=other),
    )
    decays = infer("limit", variable=beta, term=relative, to="oo", given=[gap.conclusion])
    decays = infer("cut", decays, gap)
    zero = decays.conclusion.args[1]
    elsewhere = infer(
        "equal limit", decays, infer("algebra", left=zero, right=delta(j, m), given=[other])
    )
    return infer("cases", here, elsewhere, on=same)


@theorem(
    "softmax-hard-limit",
    title={"zh": "越尖锐越像查字典", "en": "Sharpened softmax picks the maximum"},
    states=tends(beta, sharpened[j], delta(j, m)),
    assuming=(unique_maximum,),
    source="S10",
    needs={unique_maximum: "s = (0, 0): both weights are 1/2 for every β"},
)
def proof() -> Proof:
    """softmax(βs)_j → [j = m] as β → ∞, where m is the unique maximum of s.

    Two equal maxima would share the weight, so uniqueness is needed.
    """
    part = relative_limit()
    quotient = relative / Sum(j, relative)
    limit = infer("limit", part, variable=beta, term=quotient, to="oo", given=[inhabited(n)])
    collapsed = calc(limit.conclusion.args[1]).eq(delta(j, m)).qed().theorem
    limit = infer("equal limit", limit, collapsed)
    shifted = calc(quotient).eq(sharpened[j], by=softmax).qed().theorem
    return argument(
        ("away from the maximum the exponential decays", part),
        ("limits, part by part", limit),
        (
            "definition of softmax, shifted by the maximum",
            infer("equal limit", limit, shifted, variable=beta),
        ),
    )
