"""The layer written from scratch, S34 to S42: what that article asserts, and what became of it."""

from __future__ import annotations

from collections.abc import Mapping
from math import isclose
from typing import Any

from derive.claims import lemmas, statements
from derive.claims.claim import Claim, claim
from derive.claims.evidence import (
    Contradicted,
    Facts,
    Figures,
    OutOfScope,
    Proved,
    Refuted,
    Together,
    world,
)
from derive.claims.lesson import same_matrices
from derive.claims.numbers import row, rows, step, tail, typical_size
from derive.definitions import j, softmax
from derive.examples import cat_mat
from derive.syntax import eq
from derive.terms import number

CAT, ROWS, APPLE = "cat-mat", "softmax-rows", "apple"
SHADES = " ░▒▓█"
LARGE = 20  # "in the tens"


# ------------------------------------------------------------------ facts that are looked up


def both_returned() -> Mapping[str, bool]:
    """What a run of the layer leaves behind."""
    weights, output = (step(CAT, "cat", name) for name in ("weights", "output"))
    return {
        f"weights: {len(weights.rows)} × {len(weights.columns)}": len(weights.decimal) == 6,
        f"output: {len(output.rows)} × {len(output.columns)}": len(output.decimal[0]) == 4,
    }


def scale() -> list[float]:
    """What the draws were multiplied by to give W_Q."""
    drawn, matrix = cat_mat.DRAWS[42], list(rows(CAT, "cat", "W_Q"))
    return [12 * (matrix[0] / drawn[0]) ** 2]


def copied() -> Mapping[str, Any]:
    """X's first draws beside W_Q before scaling."""
    x = list(rows(CAT, "cat", "X"))
    w = [entry / cat_mat.SCALE for entry in rows(CAT, "cat", "W_Q")]
    if not all(isclose(a, b, rel_tol=1e-12) for a, b in zip(x, w, strict=False)):
        return {}
    return {
        "seed": 42,
        "draws_in_common": len(w),
        "X": x[:4],
        "W_Q_before_scaling": w[:4],
    }


def in_the_tens() -> Mapping[str, Any]:
    """How often a score is beyond twenty at d_k = 64, if that is not most of the time."""
    often = tail(64, LARGE)
    if often > 1 / 2:
        return {}
    return {
        "d_k": 64,
        "entries": "independent standard normal",
        "standard_deviation": int(typical_size(64)),
        f"probability_beyond_{LARGE}": often,
    }


def levels() -> list[list[int]]:
    """The shade of every weight of the example, as the article computes it."""
    weights = step(CAT, "cat", "weights").decimal
    most = max(map(max, weights))
    return [[int(4 * w / most) for w in line] for line in weights]


def shades() -> Mapping[str, bool]:
    """The heat map of the example."""
    tokens = step(CAT, "cat", "weights").rows
    drawn = {
        f"{token:>4} |{''.join(SHADES[level] for level in line)}|": set(line) <= set(range(5))
        for token, line in zip(tokens, levels(), strict=True)
    }
    darkest = sum(line.count(4) for line in levels())
    return {**drawn, f"the darkest shade is the maximum's alone: {darkest}": darkest == 1}


def weights_change() -> Mapping[str, bool]:
    """Weights over the seeded sentences."""
    cat, dog = (step(CAT, case, "weights").decimal for case in ("cat", "dog"))
    return {"two seeded sentences of six tokens have different weights": cat != dog}


def weights_stay() -> Mapping[str, Any]:
    """The weights of 我 吃 苹果 and of 苹果 发布 手机, if they are the same."""
    fruit, company = (step(APPLE, case, "weights") for case in ("fruit", "company"))
    if fruit.exact != company.exact:
        return {}
    return {
        "sentences": [" ".join(fruit.rows), " ".join(company.rows)],
        "weights": [list(map(str, line)) for line in fruit.exact],
    }


# ------------------------------------------------------------------ the claims

RIGHT_WEIGHTS = Refuted(
    eq(softmax(statements.s)[j], number(13) / 25),
    world({statements.s: statements.FIVE_SCORES}, {j: 1}),
    lambda: ", ".join(f"{w:.4f}" for w in row(ROWS, "five", "weights")),
    lambda: ", ".join(f"{w:.4f}" for w in row(ROWS, "five", "weights")),
)

CLAIMS: tuple[Claim, ...] = (
    claim(
        "S34a",
        "注意力是软性的数据库查询：查询、与所有键比较、混合所有值",
        "Attention is a soft database look-up: a query, its similarity to all keys, all values "
        "blended",
        Proved(("attention-formula", "hard-lookup-limit")),
    ),
    claim(
        "S34b",
        "RNN 的瓶颈与 Bahdanau 注意力",
        "The bottleneck of RNNs, and Bahdanau's attention",
        OutOfScope("history; the path length of an RNN is S28c"),
    ),
    claim(
        "S35a",
        "减去每行最大值不改变 softmax",
        "Subtracting the row maximum does not change softmax",
        Proved(("softmax-shift-invariance",)),
    ),
    claim(
        "S35b",
        "softmax[2.0, 1.0, 0.1] = 0.6590, 0.2424, 0.0986",
        "softmax[2.0, 1.0, 0.1] = 0.6590, 0.2424, 0.0986",
        Figures("weights", "0.6590 0.2424 0.0986", lambda: row(ROWS, "three", "weights")),
    ),
    claim(
        "S36a",
        "权重 [0.52, 0.09, 0.07, 0.14, 0.08] 之和约为 1",
        "The weights [0.52, 0.09, 0.07, 0.14, 0.08] sum to about 1",
        statements.SUM_TO_ONE,
    ),
    claim(
        "S36b",
        "它们是 [2.1, 0.3, 0.1, 0.8, 0.2] 的 softmax",
        "They are the softmax of [2.1, 0.3, 0.1, 0.8, 0.2]",
        RIGHT_WEIGHTS,
    ),
    claim(
        "S36c",
        "正确的权重：0.5805, 0.0960, 0.0786, 0.1582, 0.0868",
        "The right weights: 0.5805, 0.0960, 0.0786, 0.1582, 0.0868",
        Figures(
            "weights", "0.5805 0.0960 0.0786 0.1582 0.0868", lambda: row(ROWS, "five", "weights")
        ),
    ),
    claim(
        "S37a",
        "函数同时返回输出和权重",
        "The function returns output and weights",
        Facts(both_returned),
    ),
    claim(
        "S37b",
        "初始化的尺度是 √(2/(d_model+d_k))",
        "Matrices are scaled by √(2/(d_model+d_k))",
        Figures("(d_model + d_k) · scale², d_model 8, d_k 4", "2.000000000000", scale),
    ),
    claim(
        "S38a",
        "第一行权重 0.0974, 0.1225, 0.2355, 0.4453, 0.0474, 0.0519",
        "First row of weights 0.0974, 0.1225, 0.2355, 0.4453, 0.0474, 0.0519",
        Figures(
            "weights",
            "0.0974 0.1225 0.2355 0.4453 0.0474 0.0519",
            lambda: row(CAT, "cat", "weights"),
        ),
    ),
    claim(
        "S38b",
        "第一行输出 −0.2329, 0.4427, 1.0351, 0.5496",
        "First row of the output −0.2329, 0.4427, 1.0351, 0.5496",
        Figures("output", "-0.2329 0.4427 1.0351 0.5496", lambda: row(CAT, "cat", "output")),
    ),
    claim(
        "S38c",
        "X 与权重矩阵是相互独立的随机数",
        "X and the matrices are independent random numbers",
        Contradicted(
            "X and W_Q are independent draws",
            copied,
            "two generators of one seed draw the same numbers, so W_Q before scaling is X's "
            "beginning; use one generator for all, or different seeds",
            "同一个种子的两个生成器给出同样的数，W_Q 缩放前就是 X 的开头；应共用一个生成器，或换种子",
        ),
    ),
    claim(
        "S38d",
        "6 个词，d_model 8，d_k = d_v = 4",
        "6 tokens, d_model 8, d_k = d_v = 4",
        Figures(
            "rows of X; columns of X, K, V",
            "6 8 4 4",
            lambda: (
                [len(step(CAT, "cat", "X").rows)]
                + [len(step(CAT, "cat", name).columns) for name in "XKV"]
            ),
        ),
    ),
    claim(
        "S39a",
        "热力图用 ` ░▒▓█`，深浅 ⌊4w/max⌋",
        "The heat map uses ` ░▒▓█` at level ⌊4w/max⌋",
        Facts(shades),
    ),
    claim(
        "S39b",
        "d_k = 64 时，未缩放的打分常有几十",
        "At d_k = 64 unscaled scores are in the tens",
        Contradicted(
            f"at d_k = 64 most scores are beyond ±{LARGE}",
            in_the_tens,
            lambda: (
                f"their typical size is √64 = {typical_size(64)} (dot-product-variance); beyond "
                f"±{LARGE} are {tail(64, LARGE):.2%} of them"
            ),
            lambda: (
                f"典型大小是 √64 = {typical_size(64)}（dot-product-variance）；超出 ±{LARGE} 的只有 "
                f"{tail(64, LARGE):.2%}"
            ),
        ),
    ),
    claim(
        "S40a",
        "库里的同一层：各头权重取平均后仍是权重",
        "The same layer in a library: weights averaged over heads are weights again",
        Proved((lemmas.averaged_heads,)),
    ),
    claim(
        "S40b",
        "d_model 8，2 个头，n 6 与某个库的结果一致",
        "d_model 8, 2 heads, n 6: the same numbers as a known library's",
        OutOfScope("about another program's code, not about the formula"),
    ),
    claim(
        "S41a",
        "掩码参数可有可无：它限制能看的键",
        "An optional mask argument: it restricts the keys",
        Proved(("mask-is-restriction",)),
    ),
    claim(
        "S41b",
        "拆分 Q、K、V 与每个头各自投影是一回事",
        "Splitting Q, K, V equals per-head projections",
        Proved(("multi-head-sum",)),
    ),
    claim(
        "S41c",
        "两个等长的句子通过同一组权重：矩阵不变",
        "Two sentences of equal length through the same matrices: the matrices stay",
        Together((Facts(lambda: same_matrices(CAT)), Facts(lambda: same_matrices(APPLE)))),
    ),
    claim(
        "S41d",
        "带种子的例子里，注意力权重随句子而变",
        "In the seeded example the attention weights change with the sentence",
        Facts(weights_change),
    ),
    claim(
        "S41e",
        "换一个句子，注意力权重一定会变",
        "With another sentence the attention weights always change",
        Contradicted(
            "two different sentences have different weights",
            weights_stay,
            "they change where the scores do; 我 吃 苹果 and 苹果 发布 手机 are both noun, verb, "
            "noun, so all weights are the same, and only what is handed over differs",
            "打分变了权重才变；我 吃 苹果 与 苹果 发布 手机 都是名词、动词、名词，"
            "所有权重都相同，不同的只是带回的内容",
        ),
    ),
    claim(
        "S42a",
        "用数据库查询的比喻写一段解释注意力的提示词",
        "A prompt that explains attention by the look-up analogy",
        OutOfScope("a text to write, nothing that is true or false"),
    ),
    claim(
        "S42b",
        "词汇表：query、key、value、缩放点积注意力、自注意力、权重、多头",
        "Glossary: query, key, value, scaled dot-product attention, self-attention, weights, "
        "multi-head attention",
        OutOfScope("words and not assertions; `derive.definitions` defines each"),
    ),
)
