"""Sharp scores leave no gradient."""

from derive.catalog.softmax_hard_limit import beta, m, s, sharpened
from derive.chain import Proof, argument, both, calc
from derive.definitions import i, j, l, n, softmax
from derive.derivation import theorem
from derive.facts import inhabited
from derive.kernel import infer
from derive.syntax import (
    Sum,
    Symbol,
    absolute,
    conjoin,
    delta,
    eq,
    exp,
    forall,
    implies,
    iverson,
    le,
    lt,
    negate,
    tends,
)
from derive.terms import Term, number

gap = Symbol("Δ")
sharp, apart = lt(0, beta), lt(0, gap)
led = forall(j, implies(negate(eq(j, m)), le(s[j], s[m] - gap)))
slope = sharpened[i] * (delta(i, j) - sharpened[j])
bound = (n.size - 1) * exp(-(beta * gap))

scope = (inhabited(n),)
Z = Sum(l, exp(beta * (s[l] - s[m])))
rest = Sum(l, iverson(negate(eq(l, m))) * exp(beta * (s[l] - s[m])))  # Z − 1


def ratio(k: Term) -> Term:
    """The weight of k, its exponential taken relative to the maximum's."""
    return exp(beta * (s[k] - s[m])) / Z


R = rest / Z  # 1 − p_m


def at_most(left: object, right: object, theorem: object, given: tuple = scope):  # noqa: ANN201
    """An inequality, its sides adapted by algebra."""
    return calc(left, given=given).le(right, by=theorem).qed().theorem


def nonnegative(term: Term):  # noqa: ANN201
    return infer("nonnegative", term=term, given=scope)


def plus(term: Term, theorem):  # noqa: ANN001, ANN201
    """The same term on both sides of an inequality."""
    return infer("add monotone", infer("reflexivity", term=term), theorem)


def times(factor: Term, theorem):  # noqa: ANN001, ANN201
    """A factor that is not negative on both sides."""
    return infer("scale monotone", theorem, factor=factor, given=scope)


def each_decays():  # noqa: ANN201
    """``e^(β(s_l − s_m)) ≤ e^(−βΔ)`` for l ≠ m."""
    other = infer("assume", proposition=negate(eq(l, m)))
    behind = infer("instantiate", infer("assume", proposition=led), value=l)
    behind = infer("modus ponens", behind, other)
    scaled = infer("scale monotone", plus(-s[m], behind), factor=beta, given=(sharp,))
    exponent = at_most(beta * (s[l] - s[m]), -(beta * gap), scaled)
    return infer("function monotone", exponent, function="exp")


def rest_decays():  # noqa: ANN201
    """``Z − 1 ≤ (n − 1) e^(−βΔ)``."""
    others, decayed = iverson(negate(eq(l, m))), exp(-(beta * gap))
    mass = others * exp(beta * (s[l] - s[m]))
    elsewhere = times(others, each_decays())
    here = calc(mass, given=(eq(l, m),)).eq(others * decayed).qed().theorem
    token = infer("cases", infer("weaken", here), elsewhere, on=eq(l, m))
    return at_most(rest, bound, infer("sum monotone", token, index=l))


def remainder_small():  # noqa: ANN201
    """``1 − p_m = (Z − 1)/Z ≤ Z − 1``."""
    one_at_most_Z = at_most(1, Z, plus(number(1), nonnegative(rest)))
    inverse = infer("reciprocal antitone", one_at_most_Z)
    return at_most(R, rest, times(rest, inverse))


def at_most_one(k: Term):  # noqa: ANN201
    """``p_k ≤ 1``"""
    mass = exp(beta * (s[k] - s[m]))
    others = Sum(l, iverson(negate(eq(l, k))) * exp(beta * (s[l] - s[m])))
    below = at_most(mass, Z, plus(mass, nonnegative(others)))
    return at_most(ratio(k), 1, times(1 / Z, below))


def at_most_remainder(k: Term):  # noqa: ANN201
    """``p_k ≤ 1 − p_m`` for k ≠ m."""
    mass, other = exp(beta * (s[k] - s[m])), negate(eq(k, m))
    kept = iverson(negate(eq(l, m))) * iverson(negate(eq(l, k)))
    others = Sum(l, kept * exp(beta * (s[l] - s[m])))
    below = at_most(mass, rest, plus(mass, nonnegative(others)), (*scope, other))
    return at_most(ratio(k), R, times(1 / Z, below))


def minus_at_most_zero(term: Term):  # noqa: ANN201
    """``−x ≤ 0`` for an x that is not negative."""
    return at_most(-term, 0, plus(-term, nonnegative(term)))


def bounded_elsewhere():  # noqa: ANN201
    """For i ≠ m the entry is at most p_i, so at most 1 − p_m."""
    entry = ratio(i) * (delta(i, j) - ratio(j))
    up = infer(
        "add monotone", infer("iverson bound", proposition=eq(i, j)), minus_at_most_zero(ratio(j))
    )
    down = infer("add monotone", at_most_one(j), minus_at_most_zero(delta(i, j)))
    above = at_most(entry, ratio(i), times(ratio(i), up))
    below = at_most(-entry, ratio(i), times(ratio(i), down))
    return infer("transitivity", infer("absolute bound", above, below), at_most_remainder(i))


def bounded_at_maximum():  # noqa: ANN201
    """For i = m it is p_m (1 − p_m) or −p_m p_j, so at most 1 − p_m too."""
    entry = ratio(i) * (delta(i, j) - ratio(j))
    at_i, at_j, not_j = eq(i, m), eq(j, m), negate(eq(j, m))
    positive = nonnegative(R)

    product = R * ratio(i)
    equal = calc(entry, given=scope).eq(product, by=(at_i, at_j)).qed().theorem
    minus = calc(-entry, given=scope).eq(-product, by=(at_i, at_j)).qed().theorem
    above = infer("transitivity", equal, at_most(product, R, times(R, at_most_one(i))))
    below = infer(
        "transitivity", minus, infer("transitivity", minus_at_most_zero(product), positive)
    )
    both_maximal = infer("absolute bound", above, below)

    product = ratio(i) * ratio(j)
    given = (*scope, not_j)
    equal = calc(entry, given=given).eq(-product, by=at_i).qed().theorem
    minus = calc(-entry, given=given).eq(product, by=at_i).qed().theorem
    above = infer(
        "transitivity", equal, infer("transitivity", minus_at_most_zero(product), positive)
    )
    smaller = at_most(product, ratio(j), times(ratio(j), at_most_one(i)))
    below = infer("transitivity", minus, infer("transitivity", smaller, at_most_remainder(j)))
    return infer("cases", both_maximal, infer("absolute bound", above, below), on=at_j)


@theorem(
    "softmax-saturation",
    title={"zh": "饱和时梯度消失", "en": "Sharp scores leave no gradient"},
    states=conjoin(le(absolute(slope), bound), tends(beta, beta * slope, 0)),
    assuming=(sharp, apart, led),
    source="S13",
    needs={
        sharp: "for β ≤ 0 the bound is at least n − 1, so it holds but says nothing",
        apart: "s = (0, 0), Δ = 0: β p_1 (1 − p_1) = β/4 grows without end",
    },
)
def proof() -> Proof:
    """|p_i([i = j] − p_j)| ≤ (n − 1) e^(−βΔ) for all i, j, and β times it → 0 as β → ∞.

    p = softmax(βs) with β > 0, where every other score is at least Δ below s_m; Δ > 0 is needed
    for the limit only. Every entry is at most 1 − p_m, and that decays.
    """
    entry = ratio(i) * (delta(i, j) - ratio(j))
    remainder = infer("cases", bounded_at_maximum(), bounded_elsewhere(), on=eq(i, m))
    small = (
        calc(absolute(slope), given=scope)
        .eq(absolute(entry), by=softmax)
        .le(R, by=remainder)
        .le(rest, by=remainder_small())
        .le(bound, by=rest_decays())
        .qed()
    )
    vanishing = (n.size - 1) * (beta * exp(-(beta * gap)))
    scaled = infer("scale monotone", small.theorem, factor=beta, given=(sharp,))
    near = at_most(absolute(beta * slope), vanishing, scaled, (sharp,))
    limit = infer("limit", variable=beta, term=vanishing, to="oo", given=[apart])
    value = calc(limit.conclusion.args[1]).eq(0).qed().theorem
    limit = infer("equal limit", limit, value)
    return both(
        small,
        argument(
            ("β e^(−βΔ) → 0", limit),
            ("squeezed", infer("squeeze", near, limit, variable=beta)),
        ),
    )
