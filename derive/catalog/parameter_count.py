"""How many numbers a block learns."""

from derive.chain import Proof, both, calc
from derive.derivation import theorem
from derive.facts import inhabited
from derive.syntax import Index, Sum, add, conjoin, eq, ranges
from derive.terms import Term, number

d, heads, d_h, wide = ranges("d heads d_h d_ff")
a, b, h, e, f = (
    Index("a", d),
    Index("b", d),
    Index("h", heads),
    Index("e", d_h),
    Index("f", wide),
)
one = number(1)
projection = Sum(h, Sum((a, e), one))  # W_Q of all heads; W_K and W_V have the same shape
output = Sum((h, e), Sum(b, one))  # W_O
three = projection + projection + projection
attention = three + output
feed_forward = Sum((a, f), one) + Sum((f, b), one)
fits = eq(heads.size * d_h.size, d.size)
four_times = eq(wide.size, 4 * d.size)


def square(times: int) -> Term:
    """A multiple of d²."""
    return times * d.size**2


@theorem(
    "parameter-count",
    title={"zh": "参数有多少", "en": "How many parameters"},
    states=conjoin(
        conjoin(eq(three, square(3)), eq(attention, square(4))),
        conjoin(
            eq(feed_forward, square(8)), eq(attention / add(attention, feed_forward), number(1) / 3)
        ),
    ),
    assuming=(fits, four_times, inhabited(d)),
    source="S29",
)
def proof() -> Proof:
    """W_Q, W_K, W_V hold 3d² numbers, with W_O 4d², the feed-forward layer 8d²: one third.

    Counted from the shapes: h heads of width d_h with h d_h = d; width 4d inside the feed-forward
    layer. d > 0 is needed only for the share.
    """
    size = heads.size * d_h.size
    counted = calc(three).eq(3 * (d.size * size)).eq(square(3), by=fits).qed()
    whole = calc(attention).eq(4 * (d.size * size)).eq(square(4), by=fits).qed()
    wide_part = calc(feed_forward).eq(2 * (d.size * wide.size)).eq(square(8), by=four_times).qed()
    share = (
        calc(attention / add(attention, feed_forward), given=(inhabited(d),))
        .eq(square(4) / add(square(4), feed_forward), by=whole)
        .eq(square(4) / add(square(4), square(8)), by=wide_part)
        .eq(number(1) / 3)
        .qed()
    )
    return both(both(counted, whole), both(wide_part, share))
