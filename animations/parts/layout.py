"""Where things go: the stage shared out, side by side or one above the other as its shape asks."""

from collections.abc import Sequence
from itertools import pairwise

from manim import DOWN, UP, Mobject, VGroup

from animations.formula import Block
from animations.parts.grid import Grid
from animations.theme import Box

_APART, _STEP = 0.1, 0.45  # names nearer than this to each other stand on two lines
_LINE, _MIDDLE = 1.3, 0.35  # ems: higher is more than one line; from baseline to middle
_EDGE = 0.03  # units: half of the widest line, which a shape's size leaves out


def is_wide(box: Box) -> bool:
    """Tell whether a box is wider than high."""
    return box.width > box.height


def beside(box: Box, share: float = 0.5, gap: float = 0.4) -> tuple[Box, Box]:
    """Cut a box into a left and a right one.

    >>> beside(Box(0, 0, 10, 4), 0.25, gap=0)
    (Box(left=0, bottom=0, right=2.5, top=4), Box(left=2.5, bottom=0, right=10, top=4))
    """
    cut = box.left + share * box.width
    return (
        Box(box.left, box.bottom, cut - gap / 2, box.top),
        Box(cut + gap / 2, box.bottom, box.right, box.top),
    )


def stacked(box: Box, share: float = 0.5, gap: float = 0.4) -> tuple[Box, Box]:
    """Cut a box into an upper and a lower one.

    >>> stacked(Box(0, 0, 4, 10), 0.25, gap=0)
    (Box(left=0, bottom=7.5, right=4, top=10), Box(left=0, bottom=0, right=4, top=7.5))
    """
    cut = box.top - share * box.height
    return (
        Box(box.left, cut + gap / 2, box.right, box.top),
        Box(box.left, box.bottom, box.right, cut - gap / 2),
    )


def halves(box: Box, share: float = 0.5, gap: float = 0.4) -> tuple[Box, Box]:
    """Cut a box across its longer side."""
    return beside(box, share, gap) if is_wide(box) else stacked(box, share, gap)


def put(mobject: Mobject, box: Box) -> Mobject:
    """Set a thing in the middle of a box, made smaller only if it would not fit."""
    factor = min(1.0, box.width / max(mobject.width, 1e-9), box.height / max(mobject.height, 1e-9))
    if factor < 1:
        mobject.scale(factor)
    return mobject.move_to(box.centre)


def level(words: Mobject, y: float) -> Mobject:
    """Set one line of type on the baseline that all type in the middle of this height shares."""
    if isinstance(words, Block) and words.height < _LINE * words[0].em:
        words.shift((y - _MIDDLE * words[0].em - words.baseline) * UP)
    return words


def levelled(rows: VGroup) -> VGroup:
    """Set words and numbers that stand side by side on one baseline, wherever their middles are."""
    for part in rows:
        middle = part.get_y()
        for words in [part] if isinstance(part, Block) else part:
            level(words, middle)
    return rows


def above_columns(grid: Grid, names: Sequence[Block], buff: float = 0.2) -> VGroup:
    """Set a name above each column of a grid, on one baseline, or on two if they would touch."""
    for j, name in enumerate(names):
        name.next_to(grid, UP, buff=buff).set_x(grid.at(0, j).get_x())
        name.shift((names[0].baseline - name.baseline) * UP)
    if any(b.get_left()[0] - a.get_right()[0] < _APART for a, b in pairwise(names)):
        for name in names[1::2]:
            name.shift(_STEP * UP)
    return VGroup(*names)


def on_lines(formula: VGroup, begins: Sequence[Mobject], gap: float = 0.35) -> VGroup:
    """Break a formula into lines below each other, a new one before each of the given parts."""
    cuts = [part.get_left()[0] for part in begins]
    lines = [VGroup() for _ in (*cuts, None)]
    for glyph in formula:
        lines[sum(glyph.get_x() > cut for cut in cuts)].add(glyph)
    VGroup(*lines).arrange(DOWN, buff=gap)
    return formula


def column(mobjects: Sequence[Mobject], x: float, ys: Sequence[float]) -> VGroup:
    """Set things below each other, centred at given heights."""
    for mobject, y in zip(mobjects, ys, strict=True):
        mobject.move_to([x, y, 0.0])
    return VGroup(*mobjects)


def hold(mobject: Mobject, box: Box) -> Mobject:
    """Shift a thing sideways, no further than a box asks, if it reaches out of it."""
    left = box.left + _EDGE - mobject.get_left()[0]
    right = box.right - _EDGE - mobject.get_right()[0]
    return mobject.shift([max(left, 0.0) or min(right, 0.0), 0.0, 0.0])
