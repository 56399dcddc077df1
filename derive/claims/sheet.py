"""The reference sheet, S23 to S33b: what it asserts, and what became of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from derive.catalog.causal_ignores_the_future import causal
from derive.claims import lemmas, statements
from derive.claims.claim import Claim, claim
from derive.claims.evidence import (
    Contradicted,
    Facts,
    Figures,
    OutOfScope,
    Proved,
    Together,
)
from derive.claims.numbers import (
    broadcast,
    largest_half,
    matrix_products,
    overflows_half,
    rounded_to_single,
    softmaxes,
    step,
)
from derive.claims.paths import (
    attention,
    dilated,
    logarithm,
    path_length,
    recurrent,
    sequential_operations,
)
from derive.concrete import Table
from derive.definitions import i, j, n
from derive.examples.worked import self_attention
from derive.model import Model
from derive.signature import PROP, Array
from derive.syntax import Sum, exp, iverson

BATCH, N, D_MODEL, D_K, D_V = 2, 5, 8, 4, 6
LENGTHS = range(2, 65)
WIDTHS = (2, 3, 4)
INSTEAD = -1e9  # of −∞
ALLOWED, FORBIDDEN = 0.0, float("-inf")


# ------------------------------------------------------------------ facts that are looked up


def products() -> Mapping[str, Any]:
    """How many matrix products the formula asks for, if it is not three."""
    counted = matrix_products()
    return {} if counted == 3 else {"stated": 3, "counted": counted}


def in_a_half() -> Mapping[str, bool]:
    """What float16 makes of −10⁹."""
    return {
        f"the largest finite float16 is {largest_half():.0f}": True,
        "−1e9 is beyond it, so it becomes −∞": overflows_half(INSTEAD),
    }


def nothing_allowed() -> Mapping[str, bool]:
    """The denominator of a masked softmax where every key is forbidden."""
    scores, mask = Array("s", (n,)), Array("M", (n,), PROP)
    denominator = Sum(j, iverson(mask[j]) * exp(scores[j]))
    cells = [(place,) for place in range(N)]
    model = Model(
        sizes={n: N},
        tables={scores: dict.fromkeys(cells, Fraction(1)), mask: dict.fromkeys(cells, False)},
    )
    return {f"{denominator} = 0 when M forbids all: 0/0": model.value(denominator) == 0}


def swallowed() -> Mapping[str, bool]:
    """Scores 1, 2, 3 and −10⁹ in two formats."""
    singles = {rounded_to_single(score + INSTEAD) for score in (1, 2, 3)}
    doubles = {score + INSTEAD for score in (1, 2, 3)}
    return {
        "in float32, 1 − 1e9, 2 − 1e9 and 3 − 1e9 are one number: uniform weights": len(singles)
        == 1,
        "in float64 they are three": len(doubles) == 3,
    }


def weights_in_doubles() -> list[float]:
    """Softmax of 1, 2, 3 with −10⁹ added, in float64, the maximum taken off as usual."""
    scores = [score + INSTEAD for score in (1, 2, 3)]
    masses = [math.exp(score - max(scores)) for score in scores]
    return [mass / sum(masses) for mass in masses]


def upper_triangle() -> Mapping[str, bool]:
    """Where the mask of causal-ignores-the-future forbids."""
    pairs = {(row, column) for row in range(N) for column in range(N)}
    forbidden = {
        (row, column)
        for row, column in pairs
        if Model(sizes={n: N}, values={i: row, j: column}).truth(causal[i, j]) is False
    }
    above = {(row, column) for row, column in pairs if column > row}
    return {
        f"of {N} × {N} pairs it forbids the {len(above)} above the diagonal": forbidden == above
    }


def hidden_by_the_code(mask: list[float]) -> list[int]:
    """The keys that ``masked_fill(mask == 0, −1e9)`` hides, counted from 1."""
    return [key for key, entry in enumerate(mask, 1) if entry == 0]


def inverted() -> Mapping[str, Any]:
    """What the code hides of a 0/−∞ mask."""
    mask = [ALLOWED, FORBIDDEN, ALLOWED]
    meant = [key for key, entry in enumerate(mask, 1) if entry == FORBIDDEN]
    hidden = hidden_by_the_code(mask)
    if hidden == meant:
        return {}
    return {"mask": ["0", "-inf", "0"], "should_hide": meant, "hides": hidden}


def right_for_zero_and_one() -> Mapping[str, bool]:
    """What the code hides of a 0/1 mask."""
    return {"of the mask 1, 0, 1 it hides key 2": hidden_by_the_code([1, 0, 1]) == [2]}


def batch_shapes() -> list[int]:
    """The shapes of the output and of the weights, for a batch of sentences of ones."""

    def ones(rows: int, columns: int) -> Table:
        return ((1.0,) * columns,) * rows

    def labels(size: int) -> tuple[str, ...]:
        return ("",) * size

    matrices = ones(D_MODEL, D_K), ones(D_MODEL, D_K), ones(D_MODEL, D_V)
    sentences = [
        self_attention(
            labels(N),
            ones(N, D_MODEL),
            matrices,
            features=labels(D_MODEL),
            asks=labels(D_K),
            hands_over=labels(D_V),
            exact=False,
        )
        for _ in range(BATCH)
    ]
    *_, weights, output = sentences[0]
    return [size for x in (output, weights) for size in (BATCH, len(x.decimal), len(x.decimal[0]))]


def attention_path() -> Mapping[str, bool]:
    """The first row of the cost table."""
    return {
        "path length 1 at every n": all(path_length(attention, size) == 1 for size in LENGTHS),
        "nothing in a layer waits: sequential operations O(1)": all(
            sequential_operations(attention, size) == 1 for size in LENGTHS
        ),
    }


def recurrent_path() -> Mapping[str, bool]:
    """The second row."""
    return {
        "path length n − 1": all(path_length(recurrent, size) == size - 1 for size in LENGTHS),
        "n operations one after another": all(
            sequential_operations(recurrent, size) == size for size in LENGTHS
        ),
    }


def dilated_path() -> Mapping[str, bool]:
    """The third row."""
    reached = {
        f"width {k}, dilations {k}^l: path length ⌈log_{k} n⌉, n = 2 to 64": all(
            path_length(dilated(k, k), size) == logarithm(k, size) for size in LENGTHS
        )
        for k in WIDTHS
    }
    together = all(
        sequential_operations(dilated(k, k), size) == 1 for k in WIDTHS for size in LENGTHS
    )
    return {**reached, "nothing in a layer waits: sequential operations O(1)": together}


def growth_alone() -> Mapping[str, Any]:
    """A convolution whose dilations grow as 3^l, but whose kernel is only 2 wide."""
    tokens, width, growth = 3, 2, 3
    found = path_length(dilated(width, growth), tokens)
    wanted = logarithm(growth, tokens)
    if found == wanted:
        return {}
    return {
        "kernel_width": width,
        "dilation_growth": growth,
        "tokens": tokens,
        "claimed_path": wanted,
        "path": "never" if found is None else found,
    }


def mask_shapes() -> Mapping[str, bool]:
    """Both mask shapes beside the scores."""
    scores = (BATCH, N, N)
    shapes = ((BATCH, 1, N), (BATCH, N, N))
    return {f"{shape} fits {scores}": broadcast(scores, shape) == scores for shape in shapes}


def sat_in_the_seeded_example() -> str:
    """What sat looks at with random matrices."""
    table = step("cat-mat", "cat", "weights")
    weights = dict(zip(table.columns, table.decimal[table.rows.index("sat")], strict=True))
    first = max(weights, key=weights.__getitem__)
    return (
        "an expectation of a trained model; the example's matrices are random, and there sat looks "
        f"most at {first} ({weights[first]:.4f}), at cat {weights['cat']:.4f}, at mat "
        f"{weights['mat']:.4f}"
    )


# ------------------------------------------------------------------ the claims

CLAIMS: tuple[Claim, ...] = (
    claim(
        "S23a",
        "整条流水线写成矩阵，形状都对得上",
        "The whole pipeline in matrices, with shapes that fit",
        Proved(("attention-formula",), "a product of arrays that do not fit is no term at all"),
    ),
    claim(
        "S23b",
        "共三次矩阵乘法",
        "There are three matrix products",
        Contradicted(
            "softmax(QKᵀ/√d_k) V from X takes three matrix products",
            products,
            lambda: (
                f"{matrix_products()}, counted in the formula: X W_Q, X W_K, X W_V, Q Kᵀ, A V; "
                "three when the projections are fused into one product X [W_Q|W_K|W_V]"
            ),
            lambda: (
                f"公式里数出 {matrix_products()} 次：X W_Q、X W_K、X W_V、Q Kᵀ、A V；"
                "把三个投影合成一次 X [W_Q|W_K|W_V] 才是三次"
            ),
        ),
    ),
    claim(
        "S23c",
        "只有一次 softmax",
        "There is one softmax",
        Figures("softmaxes in the formula", "1", lambda: [softmaxes()]),
    ),
    claim(
        "S24a",
        "掩码在 softmax 之前相加：允许处为 0，禁止处为 −∞",
        "The mask is added before the softmax: 0 where allowed, −∞ where not",
        Proved(("mask-is-restriction",), "adding −c on the forbidden set, c → ∞"),
    ),
    claim(
        "S24b",
        "因果掩码是严格上三角",
        "The causal mask is the strict upper triangle",
        Facts(upper_triangle),
    ),
    claim(
        "S24c",
        "因果掩码挡住后面的词",
        "The causal mask hides later tokens",
        Proved(("causal-ignores-the-future",)),
    ),
    claim(
        "S24d",
        "实践中用 −1e9 代替 −∞，误差有精确公式",
        "In practice −1e9 stands for −∞: the error has an exact formula",
        Proved(("finite-mask-error",), "ε is e^−γ times a ratio of sums, γ = 1e9"),
    ),
    claim(
        "S24e",
        "在 float16 中 −1e9 就是 −∞",
        "In float16 −1e9 is −∞",
        Facts(in_a_half),
    ),
    claim(
        "S24f",
        "整行被遮住时，−∞ 给出 0/0",
        "On a fully masked row −∞ gives 0/0",
        Facts(nothing_allowed),
    ),
    claim(
        "S24g",
        "整行被遮住时，用 −1e9 替换打分得到 V 的平均，加上 −1e9 则等于没有掩码",
        "On a fully masked row replacing by −1e9 gives the mean of V, adding it the unmasked output",
        Proved(("finite-mask-error",), "the last two parts of the statement"),
    ),
    claim(
        "S24h",
        "整行都加上 −1e9，权重就变成均匀的",
        "With −1e9 added to a whole row, its weights are uniform",
        statements.ADDED_IS_UNIFORM,
    ),
    claim(
        "S24i",
        "只在舍入之后才均匀，例如 float32",
        "They are uniform by rounding only, as in float32",
        Together(
            (
                Facts(swallowed),
                Figures("weights in float64", "0.09 0.24 0.67", weights_in_doubles),
            )
        ),
    ),
    claim(
        "S24j",
        "用 −1e9 是为了数值稳定",
        "−1e9 is there for numerical stability",
        OutOfScope(
            "a reason, neither true nor false; e^−∞ is exactly 0 and does no harm as long as the row "
            "allows something, see S24f"
        ),
    ),
    claim(
        "S24k",
        "填充掩码：被遮住的键得不到任何权重",
        "Padding mask: keys that are masked get no weight",
        Proved(("mask-is-restriction",), "the second part of the statement"),
    ),
    claim(
        "S25a",
        "masked_fill(mask == 0, −1e9) 适用于 0/−∞ 掩码",
        "masked_fill(mask == 0, −1e9) serves masks of 0 and −∞",
        Contradicted(
            "it hides what a 0/−∞ mask forbids",
            inverted,
            "there 0 means allowed, so it hides exactly the wrong keys; add such a mask, or fill "
            "where it is −∞. Here masks are boolean, True = may attend, and anything else is refused",
            "这种掩码里 0 表示允许，于是遮住的恰好是不该遮的；应当直接相加，或在 −∞ 处填充。"
            "本库的掩码是布尔的，True 表示可以看，其余一律拒绝",
        ),
    ),
    claim(
        "S25b",
        "masked_fill(mask == 0, −1e9) 适用于 0/1 掩码",
        "masked_fill(mask == 0, −1e9) serves masks of 0 and 1",
        Facts(right_for_zero_and_one),
    ),
    claim(
        "S26a",
        "batch 2，n 5，d_model 8，d_k 4，d_v 6：输出 (2,5,6)，权重 (2,5,5)",
        "Batch 2, n 5, d_model 8, d_k 4, d_v 6: output (2,5,6), weights (2,5,5)",
        Figures("output, weights", "2 5 6 2 5 5", batch_shapes),
    ),
    claim(
        "S27a",
        "点积 = ‖q‖ ‖k‖ cos θ，所以不会超过模长之积",
        "The dot product is ‖q‖ ‖k‖ cos θ, so at most the product of the norms",
        Proved(("score-bound",)),
    ),
    claim(
        "S27b",
        "点积就是余弦相似度",
        "The dot product is cosine similarity",
        statements.COSINE,
    ),
    claim(
        "S27c",
        "相关的词夹角接近 0",
        "Related tokens have an angle near 0",
        OutOfScope("what training makes of embeddings is found by measuring them"),
    ),
    claim(
        "S28a",
        "注意力：路径长度 O(1)，顺序操作 O(1)",
        "Attention: path length O(1), sequential operations O(1)",
        Facts(attention_path),
    ),
    claim(
        "S28b",
        "注意力的计算量 O(n² d)",
        "Attention costs O(n² d)",
        Proved(("quadratic-cost",), "n² d_k products for the scores and n² d_v for the blend"),
    ),
    claim(
        "S28c",
        "RNN：路径长度 O(n)，顺序操作 O(n)",
        "RNN: path length O(n), sequential operations O(n)",
        Facts(recurrent_path),
    ),
    claim(
        "S28d",
        "空洞卷积：路径长度 O(log_k n)，顺序操作 O(1)",
        "Dilated CNN: path length O(log_k n), sequential operations O(1)",
        Facts(dilated_path),
    ),
    claim(
        "S28e",
        "其中 k 是空洞率",
        "In it, k is the dilation rate",
        Contradicted(
            "dilations that grow as k^l give a path of ⌈log_k n⌉ whatever the kernel's width",
            growth_alone,
            "k is the kernel's width, with dilations that grow as k^l; a narrower kernel leaves "
            "gaps that no later layer fills",
            "k 是卷积核宽度，空洞率按 k^l 增长；核更窄就会留下后面各层都补不上的空隙",
        ),
    ),
    claim(
        "S29a",
        "“Q、K、V 是三个独立的网络”是错的：同一个输入，三个线性映射",
        "Q, K and V are not three networks: one input, three linear maps",
        Proved(("attention-formula",), "all three are X times a matrix"),
    ),
    claim(
        "S29b",
        "Q、K、V 的参数约 4·d_model²",
        "Q, K and V have about 4·d_model² parameters",
        statements.FOUR_SQUARES,
    ),
    claim(
        "S29c",
        "连同 W_O，注意力有 4·d_model² 个参数；前馈层有 8·d_model²",
        "With W_O attention has 4·d_model² parameters; the feed-forward layer has 8·d_model²",
        Proved(("parameter-count",), "counted without biases"),
    ),
    claim(
        "S29d",
        "按参数计，注意力是“次要”的：占一个块的三分之一",
        "Counted in parameters attention is secondary: a third of a block",
        Proved(("parameter-count",)),
    ),
    claim(
        "S30a",
        "softmax 不增加非线性表达能力，只是归一化",
        "Softmax adds no non-linear expressiveness, it only normalises",
        statements.AFFINE,
    ),
    claim(
        "S30b",
        "非线性只来自前馈层：注意力对 X 是线性的",
        "The non-linearity comes from the FFN alone: attention is linear in X",
        statements.ADDITIVE,
    ),
    claim(
        "S30c",
        "权重固定时，注意力对 V 是线性的",
        "With fixed weights attention is linear in V",
        Proved(("linear-in-values",)),
    ),
    claim(
        "S30d",
        "去掉 softmax，QKᵀV 对 X 是三次的",
        "Even without softmax QKᵀV is cubic in X",
        Proved((lemmas.cubic,)),
    ),
    claim(
        "S31a",
        "位置编码不必是正弦的，学出来的一样好",
        "Position encodings need not be sinusoidal; learned ones work as well",
        OutOfScope("'work as well' is measured on trained models"),
    ),
    claim(
        "S32a",
        "各个头学到不同的子空间",
        "Heads learn different sub-spaces",
        OutOfScope("what heads learn is found by training; nothing in the formula forces it"),
    ),
    claim(
        "S32b",
        "拼接各头再乘 W_O 等于各头投影之和",
        "Concatenating heads and multiplying by W_O is the sum of the heads' projections",
        Proved(("multi-head-sum",)),
    ),
    claim(
        "S33a",
        "没有循环，没有分支",
        "No loops, no branches",
        Facts(attention_path),
    ),
    claim(
        "S33c",
        "全部可以在 GPU 上并行",
        "All of it is parallel on a GPU",
        OutOfScope("a statement about hardware; that nothing waits is S33a"),
    ),
    claim(
        "S33d",
        "FlashAttention 等分块计算解决平方级内存，结果不变",
        "FlashAttention and others answer the quadratic memory in blocks, with the same output",
        Proved(
            ("online-softmax", "blockwise-attention"),
            "the output needs each block once and a maximum and a sum for each row",
        ),
    ),
    claim(
        "S33ba",
        "只有 d_k 很大时方差才趋于 d_k",
        "The variance tends to d_k for large d_k only",
        statements.ONLY_IN_THE_LIMIT,
    ),
    claim(
        "S33bb",
        "Q、K、V 形状相同",
        "Q, K and V have one shape",
        statements.ONE_SHAPE,
    ),
    claim(
        "S33bc",
        "掩码形状 (b,1,n) 和 (b,n,n) 都能广播",
        "Mask shapes (b,1,n) and (b,n,n) both broadcast",
        Facts(mask_shapes),
    ),
    claim(
        "S33bd",
        "The cat sat on the mat：sat 应关注 cat 和 mat，冠词被抑制",
        "The cat sat on the mat: sat should look at cat and mat, articles are suppressed",
        OutOfScope(sat_in_the_seeded_example),
    ),
    claim(
        "S33be",
        "注意力是大模型的唯一基石",
        "Attention is the sole foundation of large models",
        OutOfScope("a judgement; by parameters, see S29d"),
    ),
    claim(
        "S33bf",
        "StreamingLLM 等方法处理更长的上下文",
        "StreamingLLM and others handle longer contexts",
        OutOfScope("such methods leave keys out, so they approximate; how well is empirical"),
    ),
)
