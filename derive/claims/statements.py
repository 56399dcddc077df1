"""What the articles say or suggest and does not hold, as terms; and small worlds that show it.

Where an article works with numbers of its own, the world is made of those.
"""

from __future__ import annotations

from fractions import Fraction

from derive.catalog import parameter_count as parameters
from derive.catalog import permutation_equivariance as order
from derive.claims.evidence import Refuted, world
from derive.concrete import closed_forms, tabulate
from derive.definitions import (
    W_K,
    W_Q,
    W_V,
    X,
    a,
    apart,
    b,
    c,
    centred,
    d_k,
    d_model,
    d_v,
    dot,
    i,
    j,
    k,
    l,
    masked_self_attention,
    matmul,
    n,
    q,
    self_attention,
    softmax,
    t,
    transpose,
    unit,
    variance,
    white,
)
from derive.examples import apple
from derive.model import Model, Outcome
from derive.signature import Array
from derive.syntax import (
    Lambda,
    Sum,
    Symbol,
    bijection,
    eq,
    forall,
    le,
    negate,
    sqrt,
)

# ------------------------------------------------------------------ the ruler

x, y = Array("x", (n, d_k)), Array("y", (d_k,))
ruler = matmul(W_Q, transpose(W_K))
same_ruler = forall((a, b), eq(ruler[a, b], ruler[b, a]))
matrices_differ = negate(forall((a, t), eq(W_Q[a, t], W_K[a, t])))


def own_ruler() -> str:
    """W_Q W_Kᵀ of the 苹果 example, row by row."""
    table = tabulate(ruler, {W_Q: apple.W_Q, W_K: apple.W_K}, closed_forms())
    return ", ".join(str(tuple(map(int, row))) for row in table)


UNEQUAL_MATRICES = Refuted(
    negate(same_ruler),
    world({W_Q: apple.W_Q, W_K: apple.W_K}),
    lambda: (
        "W_Q W_Kᵀ must differ from its transpose (score-asymmetry); 苹果's own ruler is "
        f"{own_ruler()}, symmetric though W_Q ≠ W_K"
    ),
    lambda: (
        "要不对称，W_Q W_Kᵀ 须与其转置不同（score-asymmetry）；苹果例子的尺是 "
        f"{own_ruler()}，W_Q ≠ W_K 却是对称的"
    ),
    given=(matrices_differ,),
)
TWICE_THE_KEYS = Refuted(
    negate(same_ruler),
    world({W_Q: [[2]], W_K: [[1]]}),
    "W_Q = 2 W_K is the shortest example: the ruler 2 W_K W_Kᵀ is symmetric",
    "最短的例子是 W_Q = 2 W_K：尺 2 W_K W_Kᵀ 是对称的",
    given=(matrices_differ,),
)
SELF_MATCH = Refuted(
    le(Sum(t, x[i, t] * x[j, t]), Sum(t, x[i, t] ** 2)),
    world({x: [[1], [2]]}, {i: 1, j: 2}),
    "it holds where all norms are equal (equal-norms-match-themselves-best)",
    "模长都相等时才成立（equal-norms-match-themselves-best）",
)

# ------------------------------------------------------------------ order

positions = Array("pos", (n, d_model))
matrices = W_Q, W_K, W_V
sigma = order.sigma


def placed(rows: object) -> object:
    """Token vectors with the positions' vectors added."""
    return Lambda((i, a), rows[i, a] + positions[i, a])


TWO_TOKENS = {
    X: [[0], [1]],
    W_Q: [[1]],
    W_K: [[1]],
    W_V: [[1]],
    sigma: [2, 1],
}
WITH_POSITIONS = Refuted(
    eq(
        self_attention(placed(order.reordered), *matrices)[i, c],
        self_attention(placed(X), *matrices)[sigma[i], c],
    ),
    world({**TWO_TOKENS, positions: [[0], [1]]}, {i: 1, c: 1}),
    "permutation-equivariance is about X alone; added positions take it away, which is what they "
    "are added for",
    "permutation-equivariance 只对 X 本身成立；加上位置编码就不再成立，这正是加它的目的",
    given=(bijection(sigma),),
)
causal = Lambda((i, j), le(j, i))
WITH_CAUSAL_MASK = Refuted(
    eq(
        masked_self_attention(order.reordered, causal, *matrices)[i, c],
        masked_self_attention(X, causal, *matrices)[sigma[i], c],
    ),
    world(TWO_TOKENS, {i: 1, c: 1}),
    "the mask must be reordered as well: Attn with P M Pᵀ (masked-permutation-equivariance)",
    "掩码也要一起重排，用 P M Pᵀ（masked-permutation-equivariance）",
    given=(bijection(sigma),),
)

# ------------------------------------------------------------------ softmax and attention

s, r = Array("s", (n,)), Array("r", (n,))
AFFINE = Refuted(
    eq(
        softmax(Lambda(l, (s[l] + r[l]) / 2))[j],
        (softmax(s)[j] + softmax(r)[j]) / 2,
    ),
    world({s: [0, 0], r: [2, 0]}, {j: 1}),
    "an affine map takes the middle of two points to the middle of their images; softmax does not",
    "仿射映射把两点的中点映到两个像的中点，softmax 并不如此",
)
Y = Array("Y", (n, d_model))
ADDITIVE = Refuted(
    eq(
        self_attention(Lambda((i, a), X[i, a] + Y[i, a]), *matrices)[i, c],
        self_attention(X, *matrices)[i, c] + self_attention(Y, *matrices)[i, c],
    ),
    world(
        {X: [[1], [0]], Y: [[1], [0]], W_Q: [[1]], W_K: [[1]], W_V: [[1]]},
        {i: 1, c: 1},
    ),
    "attention is linear in the values while the weights are fixed (linear-in-values), but the "
    "weights themselves depend on X",
    "权重固定时注意力对 V 是线性的（linear-in-values），但权重本身随 X 变化",
)

# ------------------------------------------------------------------ dot products

w = Array("w", (n,))
query, key = Array("q", (d_k,)), Array("k", (d_k,))
dot_product = Sum(t, query[t] * key[t])
cosine = dot_product / (sqrt(Sum(t, query[t] ** 2)) * sqrt(Sum(t, key[t] ** 2)))
COSINE = Refuted(
    eq(dot_product, cosine),
    world({query: [1, 0], key: [2, 0]}),
    "q·k = ‖q‖ ‖k‖ cos θ: at the same angle, a key twice as long scores twice as much",
    "q·k = ‖q‖ ‖k‖ cos θ：夹角相同，键长一倍，打分也大一倍",
)

FAIR = Fraction(1, 2)


def coins() -> Model:
    """d_k = 1; q and k are ±1, each a fair coin of its own."""
    sides = (Fraction(1), Fraction(-1))
    outcomes = tuple(
        Outcome(FAIR * FAIR, {q: {(0,): x}, k: {(0,): y}}) for x in sides for y in sides
    )
    return Model(sizes={d_k: 1}, outcomes=outcomes)


ONLY_IN_THE_LIMIT = Refuted(
    negate(eq(variance(dot), d_k.size)),
    coins(),
    lambda: (
        "Var(q·k) = d_k for every d_k (dot-product-variance); at d_k = 1 it is "
        f"{coins().value(variance(dot))} already"
    ),
    lambda: (
        "对每个 d_k 都有 Var(q·k) = d_k（dot-product-variance）；d_k = 1 时已经是 "
        f"{coins().value(variance(dot))}"
    ),
    given=(centred, white, unit, apart),
)

# ------------------------------------------------------------------ shapes and counts

ONE_SHAPE = Refuted(
    eq(d_k.size, d_v.size),
    Model(sizes={d_k: 4, d_v: 6}),
    "Q and K share d_k; V has its own d_v, and the article's example takes 4 and 6",
    "Q 和 K 共用 d_k，V 另有 d_v；文中例子取的是 4 和 6",
)
FOUR_SQUARES = Refuted(
    eq(parameters.three, parameters.square(4)),
    Model(
        sizes={
            parameters.d: 2, parameters.heads: 1, parameters.d_h: 2, parameters.wide: 8,
        }
    ),
    "W_Q, W_K and W_V hold 3 d² numbers; 4 d² is right with W_O (parameter-count)",
    "W_Q、W_K、W_V 共 3 d² 个数；连同 W_O 才是 4 d²（parameter-count）",
    given=(parameters.fits,),
)  # fmt: skip

# ------------------------------------------------------------------ masks

gamma = Symbol("γ")
ADDED_IS_UNIFORM = Refuted(
    eq(softmax(Lambda(l, s[l] - gamma))[j], 1 / n.size),
    world({s: [1, 2, 3]}, {j: 1, gamma: 10**6}),
    "what is added to every score cancels, whatever γ is (finite-mask-error): the weights are the "
    "unmasked ones; they turn uniform only where rounding swallows the scores",
    "每个打分都加上的数会消去，γ 多大都一样（finite-mask-error）：权重与没有掩码时相同，"
    "只有舍入吞掉了打分才变成均匀的",
)

# ------------------------------------------------------------------ weights that are stated

stated = Array("w", (n,))
FIVE_SCORES = ["2.1", "0.3", "0.1", "0.8", "0.2"]
FIVE_WEIGHTS = ["0.52", "0.09", "0.07", "0.14", "0.08"]
SUM_TO_ONE = Refuted(
    eq(Sum(j, stated[j]), 1),
    world({stated: FIVE_WEIGHTS}),
    "softmax rows sum to 1 exactly (softmax-rows-sum-to-one); these do not",
    "softmax 每行之和恰好为 1（softmax-rows-sum-to-one），这几个数不是",
)
