"""Masking is restricting: forbidden keys might as well not be there."""

from derive.chain import Proof, argument, both, calc, splitting
from derive.definitions import i, j, l, n, softmax
from derive.derivation import theorem
from derive.kernel import infer
from derive.signature import PROP, Array, Definition, Range
from derive.syntax import (
    Index,
    Lambda,
    Sum,
    Symbol,
    conjoin,
    eq,
    exp,
    forall,
    inject,
    iverson,
    lt,
    negate,
    ranges,
    tends,
)
from derive.terms import Term, number

s, M = Array("s", (n,)), Array("M", (n,), PROP)  # M_j: key j may be attended to
masked = Definition(
    "masked",
    (s, M),
    (j,),
    iverson(M[j]) * exp(s[j]) / Sum(l, iverson(M[l]) * exp(s[l])),
    "softmax({0}, {1})",
)

# 1. The keys that are allowed, and those that are not, as two ranges.
A, B = ranges("A B")
keys = Range("A⊎B", (A, B))
x, y = Index("x", A), Index("y", B)
scores, mask = Array("z", (keys,)), Array("N", (keys,), PROP)
allowed = forall(x, mask[inject(keys, 0, x)])
forbidden = forall(y, negate(mask[inject(keys, 1, y)]))
restricted = softmax(Lambda(x, scores[inject(keys, 0, x)]))[x]
on_allowed = masked(scores, mask)[inject(keys, 0, x)]
on_forbidden = masked(scores, mask)[inject(keys, 1, y)]

# 2. A penalty that grows without end.
penalty = Symbol("c")
penalised = softmax(Lambda(l, s[l] - penalty * iverson(negate(M[l]))))[j]
some_allowed = M[i]


def penalised_part() -> Term:
    """``e^(s_j − c [not allowed])`` tends to ``[allowed] e^(s_j)``."""
    part = exp(s[j] - penalty * iverson(negate(M[j])))
    goal = iverson(M[j]) * exp(s[j])
    constant = infer("limit", variable=penalty, term=goal, to="oo")
    same = infer("algebra", left=goal, right=part, given=[M[j]])
    here = infer("equal limit", constant, same, variable=penalty)
    decaying = exp(s[j]) * exp(penalty * number(-1))
    decays = infer("limit", variable=penalty, term=decaying, to="oo")
    no = negate(M[j])
    same = infer("algebra", left=decaying, right=part, given=[no])
    zero = infer("algebra", left=decays.conclusion.args[1], right=goal, given=[no])
    elsewhere = infer("equal limit", decays, same, variable=penalty)
    return infer("cases", here, infer("equal limit", elsewhere, zero), on=M[j])


@theorem(
    "mask-is-restriction",
    title={"zh": "掩码就是限制范围", "en": "A mask restricts the keys"},
    states=conjoin(
        conjoin(eq(on_allowed, restricted), eq(on_forbidden, 0)),
        tends(penalty, penalised, masked(s, M)[j]),
    ),
    assuming=(allowed, forbidden, some_allowed),
    source="S24",
    needs={some_allowed: "no key allowed: the masked weights are 0, the penalised ones softmax(s)"},
)
def proof() -> Proof:
    """Masked softmax is softmax over the allowed keys alone, and the limit of a growing penalty.

    With allowed keys A and forbidden keys B the masked weight is softmax over A on A and 0 on B.
    And softmax(s − c [not allowed]) → the masked softmax as c → ∞, if some key is allowed.
    """
    inside = calc(on_allowed, given=(allowed, forbidden)).eq(
        restricted, by=(masked, softmax, splitting)
    )
    outside = calc(on_forbidden, given=(forbidden,)).eq(0, by=masked)

    part = penalised_part()
    whole = exp(s[j] - penalty * iverson(negate(M[j])))
    quotient = whole / Sum(j, whole)
    total = Sum(j, iverson(M[j]) * exp(s[j]))
    rest = Sum(j, iverson(M[j]) * iverson(negate(eq(j, i))) * exp(s[j]))
    split = calc(exp(s[i]) + rest, given=(some_allowed,)).eq(total).qed().theorem
    positive = infer("positive", term=exp(s[i]) + rest)
    not_zero = infer("transitivity", positive, split)
    limit = infer("limit", part, variable=penalty, term=quotient, to="oo", given=[lt(0, total)])
    limit = infer("cut", limit, not_zero)
    value = calc(limit.conclusion.args[1]).eq(masked(s, M)[j], by=masked).qed().theorem
    opened = calc(quotient).eq(penalised, by=softmax).qed().theorem
    limit = infer("equal limit", infer("equal limit", limit, value), opened, variable=penalty)
    return both(
        both(inside.qed(), outside.qed()),
        argument(("a forbidden key's exponential decays", part), ("limits, part by part", limit)),
    )
