"""Typst source in, glyph outlines out, each bearing the number of the node that drew it.

One compile gives everything. In the source a node is written ``tag(#7, body)``, which does
nothing but set a fill colour that spells the number 7; the layout stays the same digit for
digit, and the colour of each outline in the SVG tells which node drew it. The innermost tag
wins, so what a node draws itself (a fraction's bar, a radical, parentheses) bears its own
number. Chinese, Latin and mathematics all come this one way.
"""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any
from xml.etree import ElementTree

import numpy as np
import typst
from fontTools.pens.basePen import BasePen
from fontTools.svgLib.path import parse_path
from numpy.typing import NDArray

from animations.errors import FilmError

MATH_FAMILY = "New Computer Modern Math"  # bundled with typst
CJK_FAMILIES = (
    "Noto Sans CJK SC",
    "Source Han Sans SC",
    "Source Han Sans CN",
    "Noto Sans SC",
    "PingFang SC",
    "Hiragino Sans GB",
    "Microsoft YaHei",
    "WenQuanYi Micro Hei",
)
LEVELS = ("{}", "script({})", "sscript({})")

_EM = 11.0  # points; every compile uses this size, so that one glyph always has one symbol name
_PREAMBLE = """\
#set page(width: {width}, height: auto, margin: 0pt, fill: none)
#set text(font: "{text}", fallback: false, size: {em}pt)
#set par(leading: 0.6em)
#show math.equation: set text(font: ("{math}", "{text}"), fallback: false)
#let tag(i, body) = text(fill: rgb(1, calc.quo(i, 256), calc.rem(i, 256)), body)
"""
_ABSENT = "\U0010fffd"  # a private code point: no font draws it, so it shows the missing-glyph box
_ALPHABET = (
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789αβγδεθλμπρσφωΣΔΩ+−=×·∑√⊤≤<>"
)
_GREEK = "alpha beta gamma delta epsilon theta lambda mu pi rho sigma phi omega"
_SVG = "{http://www.w3.org/2000/svg}"
_HREF = "{http://www.w3.org/1999/xlink}href"
_TOKEN = re.compile(r'tag\(#\d+, |"(?:[^"\\]|\\.)*"|\\.|[^()"\\t]+|.')
_TRANSFORM = re.compile(r"(matrix|translate|scale)\(([^)]*)\)")
_STRAIGHT = re.compile(r"M (\S+) (\S+?) ?([hvl]) (\S+)(?: (\S+))?\s*")
_THIRDS = np.array([[1, 0], [2 / 3, 1 / 3], [1 / 3, 2 / 3], [0, 1]])

Points = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Ink:
    """One filled outline: a glyph, or a rule such as a fraction's bar.

    Parameters
    ----------
    tag
        The number of the node that drew it; 0 where no node was named.
    symbol
        The glyph's name, equal for equal glyphs of equal size; ``""`` for a rule.
    points
        Cubic Bézier points, four a curve, of shape (4n, 3), in ems, y upwards. Read-only.
    """

    tag: int
    symbol: str
    points: Points


@dataclass(frozen=True, eq=False)
class Drawing:
    """What one compile drew: its outlines in reading order, and the first line's baseline."""

    inks: tuple[Ink, ...]
    baseline: float


def quoted(text: str) -> str:
    r"""Write any text as a Typst string.

    >>> quoted('say "q"')
    '"say \\"q\\""'
    """
    return json.dumps(text, ensure_ascii=False)


def untagged(source: str) -> str:
    """Return a source without its tags, as a person would write it.

    >>> untagged("tag(#1, frac(tag(#2, x), 2)) tag(#3, (y))")
    'frac(x, 2) (y)'
    """
    kept: list[str] = []
    tags: list[bool] = []  # for each parenthesis that is open, whether a tag opened it
    for token in _TOKEN.findall(source):
        if token.startswith("tag("):
            tags.append(True)
            continue
        if token == "(":
            tags.append(False)
        if token == ")" and tags and tags.pop():
            continue
        kept.append(token)
    return "".join(kept)


def choose_family(wanted: Iterable[str], available: Iterable[str]) -> str:
    """Find the first wanted family that the machine has.

    Raises
    ------
    FilmError
        If it has none of them: a picture without its characters must not be drawn.
    """
    wanted, found = tuple(wanted), set(available)
    for family in wanted:
        if family in found:
            return family
    raise FilmError(
        given=f"a machine with {len(found)} font families, none of those wanted",
        expected="one of " + ", ".join(wanted),
        fix="install one: apt install fonts-noto-cjk · dnf install google-noto-sans-cjk-fonts"
        " · brew install --cask font-noto-sans-cjk-sc",
    )


@cache
def text_family() -> str:
    """Return the family that Chinese and Latin text is set in."""
    return choose_family(CJK_FAMILIES, typst.Fonts().families())


@lru_cache(maxsize=256)  # a large formula takes some 300 kB
def draw(source: str, *, math: bool = True, width: float | None = None) -> Drawing:
    """Typeset Typst source and read the outlines.

    Parameters
    ----------
    source
        Typst markup, or the inside of a formula if `math`.
    math
        Whether the source is a displayed formula.
    width
        Where lines break, in ems; by default nowhere.

    Raises
    ------
    FilmError
        If Typst refuses the source, a font is unknown, or a character has no glyph.
    """
    body = f"$ {source} $" if math else source
    svg = _compile(_preamble(width) + body, body)
    drawing = _read(svg)
    if any(ink.symbol in missing_symbols() for ink in drawing.inks):
        raise _missing(body)
    return drawing


@cache
def missing_symbols() -> frozenset[str]:
    """Return the names of the boxes that stand for a missing glyph, at each size in use."""
    boxes = " ".join(level.format(quoted(_ABSENT)) for level in LEVELS)
    svg = _compile(_preamble(None) + f"{_ABSENT} $ {boxes} $", boxes)
    return frozenset(ink.symbol for ink in _read(svg).inks)


@cache
def x_heights() -> dict[str, float]:
    """Return for each letter, digit and common sign, at each size, the x-height of its type in ems.

    Scripts are set smaller than the line they hang on, which no number in the SVG tells; the
    names of their glyphs do.
    """
    found: dict[str, float] = {}
    for level in LEVELS:
        upright = level.format(quoted(_ALPHABET))
        italic = level.format(" ".join(_ALPHABET[:52]) + " " + _GREEK)
        height = float(np.ptp(draw(level.format(quoted("x"))).inks[0].points[:, 1]))
        for ink in (*draw(upright).inks, *draw(italic).inks):
            found.setdefault(ink.symbol, height)
    height = float(np.ptp(draw("x", math=False).inks[0].points[:, 1]))
    return found | {"": height}


@cache
def _compiler() -> typst.Compiler:
    return typst.Compiler()


def _preamble(width: float | None) -> str:
    page = "auto" if width is None else f"{width * _EM}pt"
    return _PREAMBLE.format(width=page, text=text_family(), math=MATH_FAMILY, em=_EM)


def _compile(document: str, shown: str) -> bytes:
    try:
        svg, warnings = _compiler().compile_with_warnings(input=document.encode(), format="svg")
    except typst.TypstError as error:
        raise FilmError(
            given=f"the Typst source {shown!r}",
            expected="source that Typst can typeset",
            fix=f"mend the source; Typst says: {error.message}",
        ) from None
    if warnings:
        raise FilmError(
            given=f"the Typst source {shown!r}",
            expected="source that Typst typesets without a warning",
            fix=f"mend the source or install the font; Typst says: {warnings[0].message}",
        )
    return svg


def _missing(body: str) -> FilmError:
    lacking = [c for c in dict.fromkeys(body) if not c.isascii() and _lacks_glyph(c)]
    return FilmError(
        given=f"the characters {' '.join(lacking) or '?'} in {body!r}",
        expected=f"characters that {text_family()} or {MATH_FAMILY} can draw",
        fix="write it with other characters",
        kind="missing-glyph",
    )


def _lacks_glyph(character: str) -> bool:
    body = f"$ {quoted(character)} $"
    inks = _read(_compile(_preamble(None) + body, body)).inks
    return any(ink.symbol in missing_symbols() for ink in inks)


def _read(svg: bytes) -> Drawing:
    root = ElementTree.fromstring(svg)
    outlines = {
        symbol.get("id"): symbol.find(f"{_SVG}path").get("d")
        for symbol in root.iter(f"{_SVG}symbol")
    }
    inks: list[Ink] = []
    baselines: list[float] = []
    for node, matrix in _leaves(root, np.eye(3)):
        ink = _glyph(node, outlines) if node.tag == f"{_SVG}use" else _rule(node)
        if not baselines and ink.symbol:
            baselines.append(-matrix[1, 2] / _EM)
        if len(ink.points):
            inks.append(Ink(ink.tag, ink.symbol, _placed(ink.points, matrix)))
    return Drawing(tuple(inks), *baselines or (0.0,))


def _leaves(node: Any, matrix: NDArray) -> Iterator[tuple[Any, NDArray]]:
    """Walk the glyphs and paths of an SVG in reading order, each with its transform."""
    if node.tag == f"{_SVG}defs":
        return
    for kind, numbers in _TRANSFORM.findall(node.get("transform", "")):
        matrix = matrix @ _matrix(kind, [float(n) for n in numbers.replace(",", " ").split()])
    if node.tag in (f"{_SVG}use", f"{_SVG}path"):
        yield node, matrix
    for child in node:
        yield from _leaves(child, matrix)


def _matrix(kind: str, numbers: list[float]) -> NDArray:
    if kind == "matrix":
        a, b, c, d, e, f = numbers
        return np.array([[a, c, e], [b, d, f], [0, 0, 1]])
    x, y = (*numbers, numbers[0] if kind == "scale" else 0.0)[:2]
    if kind == "scale":
        return np.diag([x, y, 1.0])
    return np.array([[1, 0, x], [0, 1, y], [0, 0, 1]])


def _glyph(node: Any, outlines: dict[str, str]) -> Ink:
    symbol = node.get(_HREF)[1:]
    offset = float(node.get("x") or 0), float(node.get("y") or 0)
    return Ink(_number(node.get("fill")), symbol, _outline(outlines[symbol]) + offset)


def _rule(node: Any) -> Ink:
    """Read a stand-alone path; a straight stroke becomes the rectangle that it inks."""
    if node.get("fill", "none") != "none":
        return Ink(_number(node.get("fill")), "", _outline(node.get("d")))
    straight = _STRAIGHT.fullmatch(node.get("d"))
    if straight is None:
        raise FilmError(
            given=f"a curved stroke in the typeset source: {node.get('d')!r}",
            expected="filled shapes and straight rules only",
            fix="draw curves with Manim, not with Typst",
        )
    x, y, kind, first, second = straight.groups()
    start = np.array([float(x), float(y)])
    along = {
        "h": (float(first), 0.0),
        "v": (0.0, float(first)),
        "l": (float(first), float(second or 0)),
    }
    step = np.array(along[kind])
    across = np.array([-step[1], step[0]]) / np.hypot(*step) * float(node.get("stroke-width")) / 2
    corners = [start - across, start + step - across, start + step + across, start + across]
    return Ink(_number(node.get("stroke")), "", _polygon(corners))


def _number(colour: str | None) -> int:
    """Read a node's number out of its colour ``#01hhll``; any other colour names no node."""
    return int(colour[3:7], 16) if colour and colour.startswith("#01") else 0


def _placed(points: NDArray, matrix: NDArray) -> Points:
    placed = np.zeros((len(points), 3))
    placed[:, :2] = (points @ matrix[:2, :2].T + matrix[:2, 2]) / (_EM, -_EM)
    placed.flags.writeable = False
    return placed


def _polygon(corners: list[NDArray]) -> NDArray:
    ends = [*corners[1:], corners[0]]
    return np.concatenate([_THIRDS @ np.array(side) for side in zip(corners, ends, strict=True)])


class _CubicPen(BasePen):
    """Collects every contour as cubic curves, four points each; the parser closes them."""

    def __init__(self) -> None:
        super().__init__(None)
        self.curves: list[NDArray] = []

    def _moveTo(self, point: tuple[float, float]) -> None:
        self.here = point

    def _lineTo(self, point: tuple[float, float]) -> None:
        self.curves.append(_THIRDS @ np.array([self.here, point], dtype=float))
        self.here = point

    def _curveToOne(self, *points: tuple[float, float]) -> None:
        self.curves.append(np.array([self.here, *points], dtype=float))
        self.here = points[-1]


@lru_cache(maxsize=8192)
def _outline(path: str) -> NDArray:
    pen = _CubicPen()
    parse_path(path, pen)
    return np.concatenate(pen.curves) if pen.curves else np.zeros((0, 2))
