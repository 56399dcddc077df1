"""Attention weights as a picture of shades: in a terminal, or as SVG and PNG."""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from numeric.errors import NumericError
from numeric.layers import AttentionLayer

SHADES = " ░▒▓█"
WIDTH, D_K = 8, 4  # of the random tokens and queries
JOINER, EMOJI_STYLE = "\u200d", "\ufe0f"


@dataclass(frozen=True)
class Heatmap:
    """Weights of tokens for tokens, and where they come from.

    Attributes
    ----------
    tokens
        On both axes: rows ask, columns are asked.
    weights
        One row of weights for each token.
    source
        The worked example, or the words "random weights".
    seed
        Of random weights; None for an example.
    """

    tokens: tuple[str, ...]
    weights: tuple[tuple[float, ...], ...]
    source: str
    seed: int | None

    def to_json(self) -> dict[str, Any]:
        """Return the heat map as the command line prints it."""
        return {
            "tokens": list(self.tokens),
            "weights": [list(row) for row in self.weights],
            "source": self.source,
            "seed": self.seed,
        }


def heatmap(text: str, *, seed: int = 0) -> Heatmap:
    """Return the weights for a sentence, its tokens separated by spaces.

    The sentence of a worked example gets that example's weights. Any other gets the weights of an
    untrained layer with random vectors for its tokens, the same for the same seed; equal tokens
    have equal vectors.
    """
    tokens = tuple(text.split())
    if not tokens:
        raise NumericError(f"the text {text!r}", "at least one token", 'write one: "我 吃 苹果"')
    return _from_example(tokens) or _random(tokens, seed)


def _from_example(tokens: tuple[str, ...]) -> Heatmap | None:
    from derive import examples

    for name in examples.names():
        for case in examples.load(name).cases:
            if case.tokens == tokens:
                step = case.step("weights")
                if len(step.rows) == len(tokens):
                    random = "" if step.exact else ", seeded random numbers"
                    source = f"{name}: {case.name}{random}"
                    return Heatmap(tokens, tuple(map(tuple, step.decimal)), source, None)
    return None


def _random(tokens: tuple[str, ...], seed: int) -> Heatmap:
    words = {token: place for place, token in enumerate(dict.fromkeys(tokens))}
    # Two generators, so that tokens and matrices are independent.
    vectors = np.random.default_rng((seed, 1)).standard_normal((len(words), WIDTH))
    layer = AttentionLayer.seeded(WIDTH, D_K, seed=seed)
    _, weights = layer(vectors[[words[token] for token in tokens]], return_weights=True)
    return Heatmap(tokens, tuple(map(tuple, weights.tolist())), "random weights", seed)


def levels(weights: Sequence[Sequence[float]]) -> list[list[int]]:
    """Return the shade of each weight: ⌊4 w / max⌋.

    Examples
    --------
    >>> levels([[0.0, 0.2], [0.5, 0.8]])
    [[0, 1], [2, 4]]
    """
    most = max((w for row in weights for w in row), default=0.0)
    return [[int(4 * w / most) if most > 0 else 0 for w in row] for row in weights]


def caption(shown: Heatmap) -> str:
    """Return what the weights are, in words; random ones are called so."""
    if shown.seed is None:
        return f"weights of the worked example {shown.source}"
    return f"untrained: random vectors and matrices, seed {shown.seed}"


# ------------------------------------------------------------------ terminal


def clusters(text: str) -> Iterator[str]:
    """Split a text into what a terminal draws as one: letters with marks, joined emoji, flags."""
    cluster = ""
    for char in text:
        joined = cluster.endswith(JOINER) or char in (JOINER, EMOJI_STYLE)
        mark = unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf")
        skin = "\U0001f3fb" <= char <= "\U0001f3ff"
        flag = len(cluster) == 1 and _is_flag(cluster) and _is_flag(char)
        if cluster and not (joined or mark or skin or flag):
            yield cluster
            cluster = ""
        cluster += char
    if cluster:
        yield cluster


def _is_flag(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def columns(text: str) -> int:
    """Return how many columns of a terminal a text takes.

    Examples
    --------
    >>> columns("苹果"), columns("e\u0301t"), columns("👩\u200d🔬"), columns("🇨🇳")
    (4, 2, 2, 2)
    """
    return sum(map(_columns, clusters(text)))


def _columns(cluster: str) -> int:
    first = cluster[0]
    if EMOJI_STYLE in cluster or (len(cluster) > 1 and _is_flag(first)):
        return 2
    if unicodedata.combining(first) or unicodedata.category(first) in ("Mn", "Me", "Cf", "Cc"):
        return 0
    return 2 if unicodedata.east_asian_width(first) in "WF" else 1


def as_text(shown: Heatmap) -> str:
    """Return the heat map as lines of shades; columns line up whatever the tokens are."""
    widths = [max(2, columns(token)) for token in shown.tokens]
    label = max(widths)
    lines = [" ".join([" " * label, *map(_padded, shown.tokens, widths)]).rstrip()]
    for token, row in zip(shown.tokens, levels(shown.weights), strict=True):
        cells = [SHADES[level] * width for level, width in zip(row, widths, strict=True)]
        lines.append(" ".join([_padded(token, label), *cells]).rstrip())
    most = max(w for row in shown.weights for w in row)
    scale = " ".join(f"{shade * 2} ≥ {n * most / 4:.2f}" for n, shade in enumerate(SHADES) if n)
    return "\n".join([*lines, "", scale, caption(shown)])


def _padded(token: str, width: int) -> str:
    return token + " " * (width - columns(token))


# ------------------------------------------------------------------ pictures


def as_picture(shown: Heatmap, form: str) -> bytes:
    """Return the heat map as an ``svg`` or ``png`` file, with every weight written in it."""
    from derive.notation.page import compiled

    return compiled(as_typst(shown), form)


def as_typst(shown: Heatmap) -> str:
    """Return the heat map as a Typst page."""
    most = max(w for row in shown.weights for w in row) or 1.0
    rows = [f"[], {', '.join(map(_label, shown.tokens))}"]
    for token, row in zip(shown.tokens, shown.weights, strict=True):
        rows.append(f"{_label(token)}, {', '.join(_cell(w, w / most) for w in row)}")
    table = ",\n  ".join(rows)
    return (
        "#set page(width: auto, height: auto, margin: 12pt)\n"
        f"#set text(size: 11pt{_font(shown)})\n"
        f"#grid(columns: {len(shown.tokens) + 1}, inset: 7pt, align: center + horizon,\n"
        f"  {table})\n"
        f"#v(4pt)#text(size: 8pt, fill: luma(90))[#{_string(caption(shown))}]\n"
    )


def _cell(weight: float, share: float) -> str:
    fill = f"rgb(31, 78, 121, {round(100 * share)}%)"
    ink = "white" if share > 0.75 else "black"  # whichever stands out more
    return f"grid.cell(fill: {fill}, text(fill: {ink})[#{_string(f'{weight:.2f}')}])"


def _label(token: str) -> str:
    return f"[#{_string(token)}]"


def _string(words: str) -> str:
    escaped = words.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _font(shown: Heatmap) -> str:
    """Return the font setting for tokens that need a Chinese one; without it, nothing is drawn."""
    if not any(unicodedata.east_asian_width(c) in "WF" for c in "".join(shown.tokens)):
        return ""
    from derive.notation.page import chinese_font

    return f', font: ("New Computer Modern", {_string(chinese_font())})'
