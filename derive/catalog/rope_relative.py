"""Rotated by position, scores see only the distance."""

from derive.chain import Chain, Proof, angles, calc, injectivity, reindexing, splitting
from derive.derivation import theorem
from derive.signature import Array, Definition, Range
from derive.syntax import (
    Index,
    Sum,
    Symbol,
    bijection,
    cos,
    delta,
    eq,
    inject,
    ranges,
    sin,
)
from derive.terms import Term

pairs, d = ranges("pairs d")
halves = Range("halves", (pairs, pairs))
layout = Array("φ", (halves,), d)  # where the two members of each pair lie
p, z, h = Index("p", pairs), Index("z", d), Index("h", halves)
x, position, theta = Array("x", (d,)), Array("pos", ()), Array("θ", (pairs,))
first, second = layout[inject(halves, 0, p)], layout[inject(halves, 1, p)]
angle = position[()] * theta[p]

rotated = Definition(
    "rotated",
    (x, layout, theta, position),
    (z,),
    Sum(
        p,
        delta(z, first) * (x[first] * cos(angle) - x[second] * sin(angle))
        + delta(z, second) * (x[first] * sin(angle) + x[second] * cos(angle)),
    ),
    "rotated({0}, {3})",
)
q, k = Array("q", (d,)), Array("k", (d,))
here, there, shift = map(Symbol, ("m", "n", "s"))


def score(one: Term, other: Term) -> Term:
    """q rotated to one position, times k rotated to another."""
    return Sum(z, rotated(q, layout, theta, one)[z] * rotated(k, layout, theta, other)[z])


@theorem(
    "rope-relative",
    title={"zh": "旋转位置编码只看距离", "en": "RoPE scores depend on distance only"},
    states=eq(score(here + shift, there + shift), score(here, there)),
    assuming=(bijection(layout),),
    source="S15",
)
def proof() -> Proof:
    """Rotating q and k by their positions, the score is the same after a common shift.

    For every layout φ of the pairs among the d channels: half-split (first half with second half)
    and interleaved (neighbours) alike. Any frequencies θ.
    """
    moved, still = by_distance(here + shift, there + shift), by_distance(here, there)
    return moved.eq(still.last).eq(score(here, there), by=still.qed()).qed()


def by_distance(one: Term, other: Term) -> Chain:
    """The score of two positions, down to a sum that mentions their difference only."""
    a, b = one * theta[p], other * theta[p]
    q_first = q[first] * cos(a) - q[second] * sin(a)
    q_second = q[first] * sin(a) + q[second] * cos(a)
    k_first = k[first] * cos(b) - k[second] * sin(b)
    k_second = k[first] * sin(b) + k[second] * cos(b)
    turned = rotated(q, layout, theta, one), rotated(k, layout, theta, other)
    return (
        calc(score(one, other), given=(bijection(layout),))
        .eq(Sum(h, turned[0][layout[h]] * turned[1][layout[h]]), by=reindexing)
        .eq(
            Sum(p, q_first * k_first + q_second * k_second),
            by=(splitting, rotated, injectivity),
        )
        .eq(
            Sum(
                p,
                (q[first] * k[first] + q[second] * k[second]) * cos(b + -a)
                + (q[second] * k[first] - q[first] * k[second]) * sin(b + -a),
            ),
            by=angles,
        )
    )
