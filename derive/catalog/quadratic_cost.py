"""Twice the length, four times the scores and their products."""

from derive.chain import Proof, both, calc
from derive.definitions import c, d_k, d_v, i, j, n, t
from derive.derivation import theorem
from derive.signature import Range
from derive.syntax import Index, Sum, conjoin, eq, ranges
from derive.terms import number

one = number(1)
(copy,) = ranges("n′")
twice = Range("n_2", (n, copy))  # n tokens and as many again
p, s = Index("p", twice), Index("s", twice)
as_many = eq(copy.size, n.size)

scores, longer_scores = Sum((i, j), one), Sum((p, s), one)
score_products, longer_score_products = Sum((i, j), Sum(t, one)), Sum((p, s), Sum(t, one))
blend_products, longer_blend_products = Sum((i, c), Sum(j, one)), Sum((p, c), Sum(s, one))


@theorem(
    "quadratic-cost",
    title={"zh": "长度加倍，代价四倍", "en": "Twice the length, four times the cost"},
    states=conjoin(
        conjoin(eq(scores, n.size**2), eq(longer_scores, 4 * scores)),
        conjoin(
            eq(longer_score_products, 4 * score_products),
            eq(longer_blend_products, 4 * blend_products),
        ),
    ),
    assuming=(as_many,),
    source="S16",
)
def proof() -> Proof:
    """n tokens have n² scores; 2n tokens have four times as many scores and multiplications.

    Multiplications of the score step (n² d_k) and of the blend (n² d_v), counted index by index.
    The longer sequence is n tokens and as many again.
    """
    return both(
        both(
            calc(scores).eq(n.size**2).qed(),
            calc(longer_scores).eq((n.size + copy.size) ** 2).eq(4 * scores, by=as_many).qed(),
        ),
        both(
            calc(longer_score_products)
            .eq((n.size + copy.size) ** 2 * d_k.size)
            .eq(4 * score_products, by=as_many)
            .qed(),
            calc(longer_blend_products)
            .eq((n.size + copy.size) ** 2 * d_v.size)
            .eq(4 * blend_products, by=as_many)
            .qed(),
        ),
    )
