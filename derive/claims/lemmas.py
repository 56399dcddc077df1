"""Small theorems that claims rest on and that the catalogue does not need.

``qkv prove derive/claims/lemmas.py`` shows them.
"""

from derive.chain import Proof, calc
from derive.definitions import (
    W_K,
    W_Q,
    W_V,
    X,
    a,
    c,
    d_k,
    i,
    j,
    l,
    matmul,
    n,
    r,
    softmax,
    softmax_rows,
    t,
    transpose,
)
from derive.definitions import m as queries
from derive.derivation import theorem
from derive.facts import inhabited
from derive.kernel import infer
from derive.signature import Array
from derive.syntax import (
    Index,
    Lambda,
    Sum,
    Symbol,
    eq,
    exp,
    iverson,
    le,
    lt,
    negate,
    ranges,
)
from derive.terms import Term, number

Q, s, x = Array("Q", (n, d_k)), Array("s", (n,)), Symbol("x")


@theorem(
    "score-without-matrices-is-symmetric",
    title={"zh": "q = k 时打分对称", "en": "With q = k a score is symmetric"},
    states=eq(Sum(t, Q[i, t] * Q[j, t]), Sum(t, Q[j, t] * Q[i, t])),
    source="S5",
)
def symmetric() -> Proof:
    """q_i · q_j = q_j · q_i."""
    return calc(Sum(t, Q[i, t] * Q[j, t])).eq(Sum(t, Q[j, t] * Q[i, t])).qed()


own, other = Sum(t, Q[i, t] ** 2), Sum(t, Q[j, t] ** 2)
equal_norms = eq(other, own)


@theorem(
    "equal-norms-match-themselves-best",
    title={"zh": "模长相等时最配自己", "en": "Of equal norms, each matches itself best"},
    states=le(Sum(t, Q[i, t] * Q[j, t]), own),
    assuming=(equal_norms,),
    source="S5",
)
def self_match() -> Proof:
    """q_i · q_j ≤ q_i · q_i when the norms are equal: half of Σ (q_i − q_j)² lies between."""
    dot = Sum(t, Q[i, t] * Q[j, t])
    gap = Sum(t, (Q[i, t] - Q[j, t]) ** 2) / number(2)
    above = infer("add monotone", infer("reflexivity", term=dot), infer("nonnegative", term=gap))
    return (
        calc(dot, given=(equal_norms,))
        .le(dot + gap, by=above)
        .eq((own + other) / 2)
        .eq(own, by=equal_norms)
        .qed()
    )


better = le(s[j], s[l])


@theorem(
    "softmax-monotone",
    title={"zh": "打分越高，权重越大", "en": "The better the match, the larger the weight"},
    states=le(softmax(s)[j], softmax(s)[l]),
    assuming=(better,),
    source="S2",
)
def monotone() -> Proof:
    """s_j ≤ s_l ⇒ softmax(s)_j ≤ softmax(s)_l."""
    k = Index("k", n)
    Z = Sum(k, exp(s[k]))
    grows = infer("function monotone", infer("assume", proposition=better), function="exp")
    shares = infer("scale monotone", grows, factor=1 / Z, given=(inhabited(n),))
    return (
        calc(softmax(s)[j])
        .eq(1 / Z * exp(s[j]), by=softmax)
        .le(1 / Z * exp(s[l]), by=shares)
        .eq(softmax(s)[l], by=softmax)
        .qed()
    )


another = negate(eq(j, l))


@theorem(
    "softmax-below-one",
    title={"zh": "不止一个词时权重都小于一", "en": "With company, a weight is below one"},
    states=lt(softmax(s)[j], 1),
    assuming=(another,),
    source="S3",
)
def below_one() -> Proof:
    """softmax(s)_j < 1 as soon as there is another token l ≠ j."""
    k = Index("k", n)
    Z, scope = Sum(k, exp(s[k])), (inhabited(n), another)
    elsewhere = iverson(negate(eq(k, j))) * iverson(negate(eq(k, l)))
    rest = exp(s[l]) + Sum(k, elsewhere * exp(s[k]))
    positive = infer("positive", term=rest, given=scope)
    more = infer("add monotone", infer("reflexivity", term=exp(s[j])), positive)
    below = calc(exp(s[j]), given=scope).lt(Z, by=more).qed().theorem
    share = infer("scale monotone", below, factor=1 / Z, given=(inhabited(n),))
    return calc(softmax(s)[j], given=scope).eq(1 / Z * exp(s[j]), by=softmax).lt(1, by=share).qed()


def without_softmax(rows: Term | Array) -> Term:
    """``Q Kᵀ V`` with the projections of these rows."""
    scores = matmul(matmul(rows, W_Q), transpose(matmul(rows, W_K)))
    return matmul(scores, matmul(rows, W_V))


tripled = without_softmax(Lambda((i, a), x * X[i, a]))[i, c]


@theorem(
    "attention-without-softmax-is-cubic",
    title={"zh": "没有 softmax 也是三次的", "en": "Without softmax it is cubic"},
    states=eq(tripled, x**3 * without_softmax(X)[i, c]),
    source="S30",
)
def cubic() -> Proof:
    """Multiplying X by x multiplies Q Kᵀ V by x³."""
    return calc(tripled).eq(x**3 * without_softmax(X)[i, c], by=(matmul, transpose)).qed()


(heads,) = ranges("heads")
h = Index("h", heads)
S = Array("S", (heads, queries, n))
of_head = softmax_rows(Lambda((r, j), S[h, r, j]))[r, j]
mean_weights = Sum(j, Sum(h, of_head) / heads.size)


@theorem(
    "mean-of-heads-sums-to-one",
    title={"zh": "各头平均后每行之和仍为一", "en": "Averaged over heads, rows still sum to one"},
    states=eq(mean_weights, 1),
    assuming=(inhabited(n), inhabited(heads)),
    source="S40",
)
def averaged_heads() -> Proof:
    """Weights averaged over heads are weights again."""
    row = Sum(j, of_head)
    return (
        calc(mean_weights, given=(inhabited(n), inhabited(heads)))
        .eq(Sum(h, row) / heads.size)
        .eq(1, by=softmax_rows)
        .qed()
    )
