"""The step-by-step lesson, S1 to S22: what it asserts, and what became of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from derive import examples
from derive.claims import lemmas, statements
from derive.claims.claim import Claim, claim
from derive.claims.evidence import Facts, Figures, OutOfScope, Proved, Together
from derive.claims.numbers import exact, row, rows, same, slopes, step, typical_size
from derive.claims.paths import attention, path_length, recurrent, sequential_operations
from derive.examples import address_book, apple

LENGTHS = range(2, 65)
BOOK, APPLE, ROWS = "address-book", "apple", "softmax-rows"
MATRICES = ("W_Q", "W_K", "W_V")


# ------------------------------------------------------------------ facts that are looked up


def one_vector() -> Mapping[str, bool]:
    """苹果 in both sentences: one vector in, two vectors out."""
    fruit, company = exact(APPLE, "fruit", "X", 3), exact(APPLE, "company", "X", 1)
    return {f"苹果 is {tuple(map(str, fruit))} in both sentences": fruit == company}


def two_meanings() -> Mapping[str, bool]:
    """The outputs for 苹果."""
    fruit, company = row(APPLE, "fruit", "output", 3), row(APPLE, "company", "output", 1)
    shown = " and ".join(f"({a:.3f}, {b:.3f})" for a, b in (fruit, company))
    return {
        f"the outputs for 苹果 are {shown}": fruit != company,
        "food leads in the first, tech in the second": fruit[0] > fruit[1]
        and company[0] < company[1],
    }


def as_many_out() -> Mapping[str, bool]:
    """Rows in, rows out."""
    cases = [(name, len(step(APPLE, name, "X").rows)) for name in apple.SENTENCES]
    return {
        f"{name}: {n} vectors in, {n} out": len(step(APPLE, name, "output").rows) == n
        for name, n in cases
    }


def without_matrices() -> Mapping[str, bool]:
    """苹果's scores in 我 吃 苹果 when q = k = v = x."""
    x = step(APPLE, "fruit", "X").exact
    scores = [sum(a * b for a, b in zip(x[2], other, strict=True)) for other in x]
    return {
        f"with q = k = x its scores are {', '.join(map(str, scores))}: it finds itself, not the "
        "verb": max(scores) == scores[2] > scores[1],
        "with the matrices it finds the verb": max(row(APPLE, "fruit", "scores", 3))
        == row(APPLE, "fruit", "scores", 3)[1],
    }


def book() -> Mapping[str, bool]:
    """The data of the address book."""
    return {
        "d_k = 4: the axes are " + ", ".join(address_book.AXES): len(address_book.AXES) == 4,
        "V is the 3 × 3 identity matrix": tuple(
            tuple(int(i == j) for j in range(3)) for i in range(3)
        )
        == address_book.VALUES,
    }


def only_q_changes() -> Mapping[str, bool]:
    """K, V and Q over the questions."""
    cases = list(address_book.QUESTIONS)
    tables = {name: {step(BOOK, case, name).exact for case in cases} for name in "QKV"}
    return {
        f"{len(cases)} questions, one K": len(tables["K"]) == 1,
        "one V": len(tables["V"]) == 1,
        "as many different Q": len(tables["Q"]) == len(cases),
    }


def no_refusal() -> Mapping[str, bool]:
    """李四的电话, which no record holds."""
    weights = row(BOOK, "li-phone", "weights")
    return {
        "no record is about both 李四 and a phone": all(
            k[1] * k[3] == 0 for k in address_book.KEYS
        ),
        f"the weights still sum to one: {', '.join(f'{w:.4f}' for w in weights)}": abs(
            sum(weights) - 1
        )
        < 1e-12,
    }


def every_token_asks() -> Mapping[str, bool]:
    """Who has a query, who has a key."""
    tokens = apple.SENTENCES["fruit"][0]
    askers, records = step(APPLE, "fruit", "Q").rows, step(APPLE, "fruit", "K").rows
    return {f"{' '.join(tokens)}: each has a query and a key": askers == records == tokens}


def keys_are_not_values() -> Mapping[str, bool]:
    """What the columns of K and of V are about."""
    keys, values = step(APPLE, "fruit", "K").columns, step(APPLE, "fruit", "V").columns
    return {
        f"keys say {' or '.join(keys)}, values {' or '.join(values)}": not set(keys) & set(values)
    }


def saturated() -> list[float]:
    """The entries of the Jacobian at [10, 20, 30], the largest first."""
    return [max(map(abs, slopes(row(ROWS, "saturated", "weights"))))]


def one_step_apart() -> Mapping[str, bool]:
    """Paths in attention and in a recurrent network."""
    near = all(path_length(attention, n) == 1 for n in LENGTHS)
    far = all(path_length(recurrent, n) == n - 1 for n in LENGTHS)
    return {
        f"attention: one step between any two of n tokens, n = {LENGTHS[0]} to {LENGTHS[-1]}": near,
        "a recurrent network needs n − 1": far,
    }


def in_parallel() -> Mapping[str, bool]:
    """What must wait for what in one layer."""
    together = all(sequential_operations(attention, n) == 1 for n in LENGTHS)
    return {"no token of a layer waits for another of the same layer": together}


def kept(matrix: str, axes: Mapping[str, Mapping[int, int]]) -> Mapping[str, bool]:
    """What a matrix makes of the unit vectors of the features."""
    table = {"W_Q": apple.W_Q, "W_K": apple.W_K, "W_V": apple.W_V}[matrix]
    found = {}
    for feature, line in zip(apple.FEATURES, table, strict=True):
        wanted = [axes.get(feature, {}).get(column, 0) for column in range(2)]
        found[f"{feature} → ({', '.join(map(str, line))})"] = list(line) == wanted
    return found


def roles_only() -> Mapping[str, bool]:
    """The weights do not know W_V, and what is handed over not W_Q or W_K."""
    fruit = apple.SENTENCES["fruit"][0]
    nouns = [row(APPLE, "fruit", "weights", place) for place in (1, 3)]
    return {
        f"{fruit[0]} and {fruit[2]}, both nouns, look the same way: "
        f"{', '.join(f'{w:.4f}' for w in nouns[0])}": nouns[0] == nouns[1],
        "what they are handed differs with V alone": step(APPLE, "fruit", "weights").exact
        == step(APPLE, "company", "weights").exact
        and step(APPLE, "fruit", "output").exact != step(APPLE, "company", "output").exact,
    }


def not_affine() -> Mapping[str, bool]:
    """That an affine softmax is refuted."""
    finding = statements.AFFINE.examine()
    witness = finding.witness or {}
    return {
        f"softmax is not affine: in the middle of two rows it is {witness.get('left')}, the middle "
        f"of its values is {witness.get('right')}": finding.verdict == statements.AFFINE.verdict
    }


def closed_form(
    example: str, case: str, number: int, form: Callable[[Any], Any]
) -> Mapping[str, bool]:
    """The first entry of an output, in a closed form written in SymPy's functions."""
    import sympy

    entry, expected = exact(example, case, "output", number)[0], form(sympy)
    return {f"{entry} = {expected}": same(entry, expected)}


def exact_numbers(case: str) -> list[float]:
    """The scaled scores of a question, which are rational."""
    return [float(x) if x.q != 1 else int(x) for x in exact(BOOK, case, "scaled")]


def rows_exact(case: str, name: str) -> list[float]:
    """All entries of an example's step, whole numbers as such."""
    return [int(x) if x == int(x) else x for x in rows(APPLE, case, name)]


def same_matrices(example: str) -> Mapping[str, bool]:
    """The matrices over the sentences of an example."""
    cases = [case.name for case in examples.load(example).cases]
    return {
        f"one {name} for all sentences": len({step(example, c, name).decimal for c in cases}) == 1
        for name in MATRICES
    }


# ------------------------------------------------------------------ the claims

CLAIMS: tuple[Claim, ...] = (
    claim(
        "S1a",
        "查表之后，同一个词在任何句子里的向量都相同",
        "After the look-up a token has the same vector in every sentence",
        Facts(one_vector),
    ),
    claim(
        "S1b",
        "自注意力借助上下文把两个苹果区分开",
        "Self-attention tells the two 苹果 apart by their context",
        Facts(two_meanings),
    ),
    claim(
        "S1c",
        "自注意力把 n 个向量变成 n 个向量",
        "Self-attention maps n vectors to n vectors",
        Facts(as_many_out),
    ),
    claim(
        "S2a",
        "问题与标签越匹配，读得越仔细",
        "The better question and label match, the more closely one reads",
        Proved((lemmas.monotone,)),
    ),
    claim(
        "S2b",
        "带走的是按匹配程度混合的内容",
        "What one leaves with is the contents mixed by degree of match",
        Proved(("attention-formula",)),
    ),
    claim(
        "S2c",
        "自注意力中每个词也查询自己",
        "In self-attention every token also consults itself",
        Proved(("softmax-positive",), "its weight on itself is positive, like every weight"),
    ),
    claim(
        "S3a",
        "四步做法就是 softmax(QKᵀ/√d_k) V",
        "The four steps are softmax(QKᵀ/√d_k) V",
        Proved(("attention-formula",)),
    ),
    claim(
        "S3b",
        "权重都是正数，且不止一个词时都小于一",
        "Weights are positive, and below one as soon as there are two tokens",
        Proved(("softmax-positive", lemmas.below_one)),
    ),
    claim(
        "S3c",
        "每行权重之和为一",
        "The weights of a row sum to one",
        Proved(("softmax-rows-sum-to-one",)),
    ),
    claim(
        "S4a",
        "d_k 和 d_v 可以自由选择",
        "d_k and d_v are design choices",
        Proved(("attention-formula",), "proved for all sizes n, d_model, d_k, d_v at once"),
    ),
    claim(
        "S4b",
        "原论文：d_model = 512，8 个头，d_k = d_v = 64",
        "The original paper: d_model = 512, 8 heads, d_k = d_v = 64",
        Figures("512 over 8 heads", "64", lambda: [512 // 8]),
    ),
    claim(
        "S4c",
        "d_k 小则表达能力受限",
        "A small d_k limits what a score can express",
        Proved(("ruler-rank",), "W_Q W_Kᵀ is a sum of d_k outer products"),
    ),
    claim(
        "S4d",
        "d_k 是表达能力与计算、内存之间的折中",
        "d_k trades expressiveness against compute and memory",
        OutOfScope("which trade is best is found by training models, not by proof"),
    ),
    claim(
        "S5a",
        "不用矩阵（q = k = v = x），一个向量难以身兼三职",
        "Without matrices (q = k = v = x) one vector has to play three roles",
        Facts(without_matrices),
    ),
    claim(
        "S5b",
        "q = k 时打分是对称的",
        "With q = k the score is symmetric",
        Proved((lemmas.symmetric,)),
    ),
    claim(
        "S5c",
        "q = k 时每个词总是最匹配自己",
        "With q = k a token always matches itself best",
        statements.SELF_MATCH,
    ),
    claim(
        "S5d",
        "q = k 且模长都相等时，每个词最匹配自己",
        "With q = k and equal norms a token matches itself best",
        Proved((lemmas.self_match,)),
    ),
    claim(
        "S5e",
        "打分是一把学出来的尺：q_i·k_j = x_i (W_Q W_Kᵀ) x_jᵀ",
        "The score is a learned ruler: q_i·k_j = x_i (W_Q W_Kᵀ) x_jᵀ",
        Proved(("score-bilinear",)),
    ),
    claim(
        "S5f",
        "W_Q W_Kᵀ 不对称，打分就不对称",
        "The score is not symmetric once W_Q W_Kᵀ is not",
        Proved(("score-asymmetry",)),
    ),
    claim(
        "S5g",
        "只要 W_Q ≠ W_K，打分就不对称",
        "W_Q ≠ W_K is enough to make the score asymmetric",
        Together((statements.UNEQUAL_MATRICES, statements.TWICE_THE_KEYS)),
    ),
    claim(
        "S5h",
        "有了矩阵，维度可以选择",
        "With matrices the dimensions can be chosen",
        Proved(("attention-formula",), "d_k and d_v need not be d_model, nor equal"),
    ),
    claim(
        "S6a",
        "矩阵乘法便宜，且适合 GPU 并行",
        "Matrices are cheap and parallel on GPUs",
        OutOfScope("a statement about hardware, found by measuring it"),
    ),
    claim(
        "S6b",
        "非线性已经在 softmax 里",
        "The non-linearity is already in the softmax",
        Facts(not_affine),
    ),
    claim(
        "S7a",
        "通讯录：三条记录，d_k = 4，值是 one-hot",
        "The address book: three records, d_k = 4, one-hot values",
        Together(
            (
                Facts(book),
                Figures(
                    "keys",
                    "1 0 1 0 1 0 0 1 0 1 1 0",
                    lambda: (entry for key in address_book.KEYS for entry in key),
                ),
            )
        ),
    ),
    claim(
        "S8a",
        "张三住在哪：打分 6, 3, 3，除以 √4 得 3, 1.5, 1.5",
        "Where 张三 lives: scores 6, 3, 3; divided by √4: 3, 1.5, 1.5",
        Together(
            (
                Figures("scores", "6 3 3", lambda: exact(BOOK, "zhang-address", "scores")),
                Figures("scaled", "3 1.5 1.5", lambda: row(BOOK, "zhang-address", "scaled")),
            )
        ),
    ),
    claim(
        "S8b",
        "指数 20.086, 4.482, 4.482，和 29.049",
        "Exponentials 20.086, 4.482, 4.482; their sum 29.049",
        Together(
            (
                Figures(
                    "exponentials",
                    "20.086 4.482 4.482",
                    lambda: row(BOOK, "zhang-address", "exponentials"),
                ),
                Figures(
                    "their sum", "29.049", lambda: [sum(row(BOOK, "zhang-address", "exponentials"))]
                ),
            )
        ),
    ),
    claim(
        "S8c",
        "权重与输出 0.691, 0.154, 0.154：约 69% 西安",
        "Weights and output 0.691, 0.154, 0.154: about 69 % 西安",
        Together(
            (
                Figures(
                    "weights", "0.691 0.154 0.154", lambda: row(BOOK, "zhang-address", "weights")
                ),
                Figures(
                    "output", "0.691 0.154 0.154", lambda: row(BOOK, "zhang-address", "output")
                ),
            )
        ),
    ),
    claim(
        "S8d",
        "精确值 e³/(e³+2e^{3/2})",
        "Exactly e³/(e³+2e^{3/2})",
        Facts(
            lambda: closed_form(
                BOOK,
                "zhang-address",
                1,
                lambda sp: sp.exp(3) / (sp.exp(3) + 2 * sp.exp(sp.Rational(3, 2))),
            )
        ),
    ),
    claim(
        "S9a",
        "同一本通讯录，换个问题：K 和 V 不变，只有 q 变",
        "Same book, other questions: K and V stay, only q changes",
        Facts(only_q_changes),
    ),
    claim(
        "S9b",
        "张三的电话：1.5, 3, 0 → 0.1753, 0.7856, 0.0391",
        "The phone of 张三: 1.5, 3, 0 → 0.1753, 0.7856, 0.0391",
        Together(
            (
                Figures("scaled", "1.5 3 0", lambda: exact_numbers("zhang-phone")),
                Figures(
                    "weights", "0.1753 0.7856 0.0391", lambda: row(BOOK, "zhang-phone", "weights")
                ),
            )
        ),
    ),
    claim(
        "S9c",
        "李四住在哪：1.5, 0, 3 → 0.1753, 0.0391, 0.7856",
        "Where 李四 lives: 1.5, 0, 3 → 0.1753, 0.0391, 0.7856",
        Together(
            (
                Figures("scaled", "1.5 0 3", lambda: exact_numbers("li-address")),
                Figures(
                    "weights", "0.1753 0.0391 0.7856", lambda: row(BOOK, "li-address", "weights")
                ),
            )
        ),
    ),
    claim(
        "S9d",
        "李四的电话，没有记录能回答：得到混合 0.1004, 0.4498, 0.4498，而不是拒答",
        "The phone of 李四, which no record holds: a blend 0.1004, 0.4498, 0.4498, no refusal",
        Together(
            (
                Facts(no_refusal),
                Figures(
                    "weights", "0.1004 0.4498 0.4498", lambda: row(BOOK, "li-phone", "weights")
                ),
            )
        ),
    ),
    claim(
        "S10a",
        "一个键远胜其余时，它的权重趋于一",
        "When one key matches far better, its weight tends to one",
        Proved(("softmax-hard-limit",)),
    ),
    claim(
        "S10b",
        "极限就是普通字典",
        "In the limit attention is a plain dictionary",
        Proved(("hard-lookup-limit",)),
    ),
    claim(
        "S10c",
        "注意力是模糊字典：每个值都分到一点",
        "Attention is a fuzzy dictionary: every value has a share",
        Proved(("softmax-positive",)),
    ),
    claim(
        "S11a",
        "句子里每个词既是记录，也提问",
        "In a sentence every token is a record and also asks",
        Facts(every_token_asks),
    ),
    claim(
        "S11b",
        "q、k、v 都由 x 经学到的矩阵得来",
        "q, k and v all come from x by learned matrices",
        Proved(("attention-formula",), "its left side projects each x by W_Q, W_K and W_V"),
    ),
    claim(
        "S11c",
        "键和值不必描述同一件事",
        "Keys and values need not describe the same thing",
        Facts(keys_are_not_values),
    ),
    claim(
        "S12a",
        "q·k 的均值为 0",
        "q·k has mean 0",
        Proved(("dot-product-mean",)),
    ),
    claim(
        "S12b",
        "q·k 的方差为 d_k",
        "q·k has variance d_k",
        Proved(
            ("dot-product-variance",),
            "from less than the articles assume: see the assumptions that it consumes",
        ),
    ),
    claim(
        "S12c",
        "典型大小 √d_k：d_k = 64 时约 ±8",
        "Its typical size is √d_k: ±8 at d_k = 64",
        Figures("√Var(q·k) at d_k = 64", "8", lambda: [typical_size(64)]),
    ),
    claim(
        "S12d",
        "除以 √d_k 后方差回到 1",
        "Divided by √d_k the variance is 1 again",
        Proved(("scaled-dot-product-variance",)),
    ),
    claim(
        "S13a",
        "softmax[1,2,3] = 0.0900, 0.2447, 0.6652",
        "softmax[1,2,3] = 0.0900, 0.2447, 0.6652",
        Figures("weights", "0.0900 0.2447 0.6652", lambda: row(ROWS, "gentle", "weights")),
    ),
    claim(
        "S13b",
        "放大十倍，[10,20,30] ≈ 0, 0, 1",
        "Ten times as large, [10,20,30] ≈ 0, 0, 1",
        Figures("weights", "2.06e-9 4.54e-5 0.99995", lambda: row(ROWS, "saturated", "weights")),
    ),
    claim(
        "S13c",
        "此时其他词得到的梯度几乎为 0",
        "Then the gradient that reaches the other tokens is nearly 0",
        Proved(("softmax-saturation",)),
    ),
    claim(
        "S13d",
        "在 [10,20,30] 处最大的梯度是 4.54e-5",
        "At [10,20,30] the largest gradient is 4.54e-5",
        Figures("largest entry of the Jacobian", "4.54e-5", saturated),
    ),
    claim(
        "S14a",
        "交叉注意力：Q 来自一个序列，K 和 V 来自另一个",
        "Cross-attention: Q from one sequence, K and V from another",
        Proved(
            ("cross-attention-symmetry",), "stated for as many queries as one likes, of n records"
        ),
    ),
    claim(
        "S14b",
        "GPT 只用自注意力",
        "GPT uses self-attention only",
        OutOfScope("a fact about published architectures, not about the formula"),
    ),
    claim(
        "S14c",
        "“自”的意思是 Q、K、V 来自同一个 X",
        "'Self' means that Q, K and V come from the same X",
        Proved(("attention-formula",), "on its right side all three are X times a matrix"),
    ),
    claim(
        "S15a",
        "对任意置换矩阵 P，Attn(PX) = P·Attn(X)",
        "For any permutation matrix P, Attn(PX) = P·Attn(X)",
        Proved(("permutation-equivariance", "permutation-equivariance-multi-head")),
    ),
    claim(
        "S15b",
        "加了位置编码之后，注意力仍然不知道顺序",
        "With positions added to X, attention would still not know the order",
        statements.WITH_POSITIONS,
    ),
    claim(
        "S15c",
        "旋转位置编码（RoPE）让打分只取决于相对距离",
        "RoPE makes scores depend on relative distance only",
        Proved(("rope-relative",)),
    ),
    claim(
        "S15d",
        "正弦位置编码：平移是固定的旋转",
        "Sinusoidal encodings: a shift is a fixed rotation",
        Proved(("sinusoidal-shift",)),
    ),
    claim(
        "S16a",
        "n² 个打分；长度加倍，这部分的计算和内存变成四倍",
        "n² scores; twice the length, four times the compute and memory of this part",
        Proved(("quadratic-cost",)),
    ),
    claim(
        "S16b",
        "换来的是：任意两个词只隔一步",
        "In exchange any two tokens are one step apart",
        Facts(one_step_apart),
    ),
    claim(
        "S16c",
        "所有词并行计算",
        "All tokens are computed in parallel",
        Facts(in_parallel),
    ),
    claim(
        "S17a",
        "苹果例子：d_model = 4，d_k = d_v = 2",
        "The 苹果 example: d_model = 4, d_k = d_v = 2",
        Figures(
            "columns of X, Q, K, V",
            "4 2 2 2",
            lambda: [len(step(APPLE, "fruit", name).columns) for name in "XQKV"],
        ),
    ),
    claim(
        "S17b",
        "我 = (0,1,0,0)，吃 = (1,0,1,0)，苹果 = (0,1,½,½)",
        "我 = (0,1,0,0), 吃 = (1,0,1,0), 苹果 = (0,1,½,½)",
        Figures("X", "0 1 0 0 1 0 1 0 0 1 0.5 0.5", lambda: rows_exact("fruit", "X")),
    ),
    claim(
        "S18a",
        "W_K 保留 [动词, 名词]",
        "W_K keeps [verb, noun]",
        Facts(lambda: kept("W_K", {"verb": {0: 1}, "noun": {1: 1}})),
    ),
    claim(
        "S18b",
        "W_Q 交叉提问：名词问动词，动词问名词",
        "W_Q asks crosswise: a noun asks for a verb, a verb for a noun",
        Facts(lambda: kept("W_Q", {"verb": {1: 3}, "noun": {0: 3}})),
    ),
    claim(
        "S18c",
        "W_V 保留 [食物, 科技]",
        "W_V keeps [food, tech]",
        Facts(lambda: kept("W_V", {"food": {0: 1}, "tech": {1: 1}})),
    ),
    claim(
        "S19a",
        "Q = (3,0),(0,3),(3,0)；K = (0,1),(1,0),(0,1)；V = (0,0),(1,0),(½,½)",
        "Q = (3,0),(0,3),(3,0); K = (0,1),(1,0),(0,1); V = (0,0),(1,0),(½,½)",
        Together(
            (
                Figures("Q", "3 0 0 3 3 0", lambda: rows_exact("fruit", "Q")),
                Figures("K", "0 1 1 0 0 1", lambda: rows_exact("fruit", "K")),
                Figures("V", "0 0 1 0 0.5 0.5", lambda: rows_exact("fruit", "V")),
            )
        ),
    ),
    claim(
        "S19b",
        "苹果的打分 0, 3, 0；除以 √2 得 0, 2.121, 0",
        "苹果's scores 0, 3, 0; divided by √2: 0, 2.121, 0",
        Together(
            (
                Figures("scores", "0 3 0", lambda: exact(APPLE, "fruit", "scores", 3)),
                Figures("scaled", "0.0 2.121 0.0", lambda: row(APPLE, "fruit", "scaled", 3)),
            )
        ),
    ),
    claim(
        "S19c",
        "权重 0.0967, 0.8066, 0.0967；输出 (0.855, 0.048)：水果",
        "Weights 0.0967, 0.8066, 0.0967; output (0.855, 0.048): fruit",
        Together(
            (
                Figures(
                    "weights", "0.0967 0.8066 0.0967", lambda: row(APPLE, "fruit", "weights", 3)
                ),
                Figures("output", "0.855 0.048", lambda: row(APPLE, "fruit", "output", 3)),
            )
        ),
    ),
    claim(
        "S19d",
        "食物分量的精确值 (e^{3/√2}+½)/(e^{3/√2}+2)",
        "The food entry is exactly (e^{3/√2}+½)/(e^{3/√2}+2)",
        Facts(
            lambda: closed_form(
                APPLE,
                "fruit",
                3,
                lambda sp: (sp.exp(3 / sp.sqrt(2)) + sp.S.Half) / (sp.exp(3 / sp.sqrt(2)) + 2),
            )
        ),
    ),
    claim(
        "S19e",
        "吃的权重 0.4717, 0.0565, 0.4717，输出 (0.2924, 0.2359)",
        "吃: weights 0.4717, 0.0565, 0.4717, output (0.2924, 0.2359)",
        Together(
            (
                Figures(
                    "weights", "0.4717 0.0565 0.4717", lambda: row(APPLE, "fruit", "weights", 2)
                ),
                Figures("output", "0.2924 0.2359", lambda: row(APPLE, "fruit", "output", 2)),
            )
        ),
    ),
    claim(
        "S20a",
        "苹果 发布 手机：权重 0.0967, 0.8066, 0.0967；输出 (0.048, 0.952)：公司",
        "苹果 发布 手机: weights 0.0967, 0.8066, 0.0967; output (0.048, 0.952): company",
        Together(
            (
                Figures(
                    "weights", "0.0967 0.8066 0.0967", lambda: row(APPLE, "company", "weights")
                ),
                Figures("output", "0.048 0.952", lambda: row(APPLE, "company", "output")),
            )
        ),
    ),
    claim(
        "S20b",
        "同一个词、同样的矩阵，不同的上下文，不同的意思",
        "Same token, same matrices, different context, different meaning",
        Together((Facts(one_vector), Facts(lambda: same_matrices(APPLE)), Facts(two_meanings))),
    ),
    claim(
        "S20c",
        "发布 = (1,0,0,1)，手机 = (0,1,0,1)",
        "发布 = (1,0,0,1), 手机 = (0,1,0,1)",
        Figures("X", "0 1 0.5 0.5 1 0 0 1 0 1 0 1", lambda: rows_exact("company", "X")),
    ),
    claim(
        "S21a",
        "W_Q、W_K 决定看哪里，W_V 决定带回什么",
        "W_Q and W_K decide where to look, W_V what is brought back",
        Facts(roles_only),
    ),
    claim(
        "S21b",
        "看哪里定下之后，带回的内容与 V 成线性关系",
        "Once it is decided where to look, what is brought back is linear in V",
        Proved(("linear-in-values",)),
    ),
    claim(
        "S22a",
        "一个头不能同时看多种关系",
        "One head cannot see several kinds of relation at once",
        OutOfScope(
            "'kind of relation' has no definition here; what is proved: a head hands each token "
            "one blend of the values (output-in-convex-hull), several heads a sum of several "
            "(multi-head-sum)"
        ),
    ),
    claim(
        "S22b",
        "因果掩码让解码器看不见后面的词",
        "A causal mask keeps a decoder from seeing later tokens",
        Proved(("causal-ignores-the-future",)),
    ),
    claim(
        "S22c",
        "加了因果掩码，注意力仍然与顺序无关",
        "With a causal mask attention would still be blind to order",
        statements.WITH_CAUSAL_MASK,
    ),
)
