"""Softmax is the best compromise between matching and staying open."""

from dataclasses import replace
from typing import Any

from derive.chain import Proof, both, calc, emptiness, logarithms
from derive.definitions import j, l, n, softmax
from derive.derivation import theorem
from derive.facts import inhabited
from derive.kernel import infer
from derive.signature import Array
from derive.syntax import Sum, conjoin, eq, exp, forall, le, log, lt, negate
from derive.terms import Term, number

s, w = Array("s", (n,)), Array("w", (n,))
p = softmax(s)
Z = Sum(l, exp(s[l]))
weights = forall(j, le(0, w[j]))
normalised = eq(Sum(j, w[j]), 1)


def objective(weight: Term | Array) -> Term:
    """``Σ w s + H(w)`` with ``H(w) = −Σ w log w``; 0 log 0 = 0, as log 0 counts as 0."""
    return Sum(j, weight[j] * s[j]) - Sum(j, weight[j] * log(weight[j]))


def gap(weight: Term) -> Term:
    """One token's part of what the objective lacks."""
    return weight * (s[j] - log(weight) - log(Z))


@theorem(
    "softmax-max-entropy",
    title={"zh": "softmax 使熵加匹配最大", "en": "Softmax maximises match plus entropy"},
    states=conjoin(le(objective(w), log(Z)), eq(objective(p), log(Z))),
    assuming=(weights, normalised),
    source="S3",
)
def proof() -> Proof:
    """Σ w s + H(w) ≤ log Σ e^s for all weights w ≥ 0 with Σ w = 1, and softmax attains it.

    Weights may be 0 (0 log 0 = 0). From log x ≤ x − 1, token by token.
    """
    share = exp(s[j]) / Z
    scope = (inhabited(n),)
    nonnegative = infer("instantiate", infer("assume", proposition=weights), value=j)

    positive = lt(0, w[j])
    given = (*scope, positive)
    bound = infer("log bound", term=share / w[j], given=given)
    bound = infer("scale monotone", bound, factor=w[j], given=given)
    some = (
        calc(gap(w[j]), given=given)
        .eq(w[j] * log(share / w[j]), by=logarithms)
        .le(w[j] * (share / w[j] - 1), by=bound)
        .eq(share - w[j])
        .qed()
        .theorem
    )
    none = infer("not less", infer("assume", proposition=negate(positive)))
    zero = infer("antisymmetry", none, nonnegative)
    left = calc(gap(w[j])).eq(gap(number(0)), by=zero).eq(0).qed().theorem
    right = calc(share).eq(share - w[j], by=zero).qed().theorem
    at_zero = infer("transitivity", infer("nonnegative", term=share), right)
    empty = infer("transitivity", left, at_zero)
    token = infer("cases", some, empty, on=positive)

    summed = infer("sum monotone", token, index=j)
    total = (
        calc(Sum(j, gap(w[j])), given=scope)
        .le(Sum(j, share - w[j]), by=summed)
        .eq(1 - Sum(j, w[j]))
        .eq(0, by=normalised)
        .qed()
    )
    moved = infer("add monotone", total.theorem, infer("reflexivity", term=log(Z) * Sum(j, w[j])))
    at_most = (
        calc(objective(w))
        .eq(Sum(j, gap(w[j])) + log(Z) * Sum(j, w[j]))
        .le(number(0) + log(Z) * Sum(j, w[j]), by=moved)
        .eq(log(Z), by=normalised)
        .qed()
    )
    attained = (
        calc(objective(p), given=scope)
        .eq(Sum(j, share * s[j]) - Sum(j, share * (s[j] - log(Z))), by=(softmax, logarithms))
        .eq(log(Z))
        .qed()
    )
    together = both(at_most, attained)
    return replace(together, theorem=infer("cut", together.theorem, some_token()))


def some_token() -> Any:
    """Weights that sum to 1 are not the weights of nothing."""
    nothing = negate(inhabited(n))
    contradiction = (
        calc(0, given=(nothing,)).eq(Sum(j, w[j]), by=emptiness).eq(1, by=normalised).qed()
    )
    impossible = infer("absurd", contradiction.theorem, proposition=inhabited(n))
    here = infer("assume", proposition=inhabited(n))
    return infer("cases", here, impossible, on=inhabited(n))
