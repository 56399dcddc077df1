"""What stands on the stage at a settled frame, as plain data."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from manim import VMobject
from numpy.typing import NDArray

from animations.film import Film
from animations.formula import Block, Glyph, Quantity, block_of
from animations.theme import Box, Setting
from animations.typeset import x_heights

# weights that evaluate a cubic curve at nine places, close enough for its bounding box
_T = np.linspace(0, 1, 9)
_BERNSTEIN = np.stack([(1 - _T) ** 3, 3 * _T * (1 - _T) ** 2, 3 * _T**2 * (1 - _T), _T**3], axis=1)


@dataclass(frozen=True)
class Shape:
    """One visible or invisible outline on the stage.

    Parameters
    ----------
    label
        What findings call it: the block's name, or the shape's class.
    block
        The number of the block of type that it belongs to; None for what is not type.
    box
        Its bounding box, strokes included.
    fill, stroke
        Colours as ``(red, green, blue, opacity)``.
    stroke_width
        As Manim gives it.
    role
        The role that it bears, if any.
    symbol
        The name of the mathematical symbol that it stands for, if any.
    x_height
        For a glyph, the x-height of its type on the stage, else None.
    owned
        For a glyph of a formula, whether a node drew it.
    loose
        For a glyph, whether its block no longer counts it as its own.
    """

    label: str
    block: int | None
    box: Box
    fill: tuple[float, ...]
    stroke: tuple[float, ...]
    stroke_width: float
    role: str = ""
    symbol: str = ""
    x_height: float | None = None
    owned: bool = True
    loose: bool = False

    @property
    def filled(self) -> bool:
        return self.fill[3] > 0

    @property
    def stroked(self) -> bool:
        return self.stroke[3] > 0 and self.stroke_width > 0

    @property
    def visible(self) -> bool:
        return self.filled or self.stroked


@dataclass(frozen=True)
class Reading:
    """A number on the stage beside what its cell says."""

    label: str
    shown: str
    expected: str
    drawn: bool


@dataclass(frozen=True)
class Snapshot:
    """A settled frame.

    Parameters
    ----------
    beat, time
        Where in the film.
    setting
        What it is shown in.
    shapes
        Everything on the stage, in the order of drawing.
    readings
        Every bound number on the stage.
    caption
        The number of the caption's block, if there is one.
    introduced
        The symbols that the viewer has met.
    """

    beat: str
    time: float
    setting: Setting
    shapes: tuple[Shape, ...]
    readings: tuple[Reading, ...]
    caption: int | None
    introduced: frozenset[str]


def snapshot(film: Film) -> Snapshot:
    """Read the stage of a film as it stands now."""
    outlines = [m for m in film.get_mobject_family_members() if isinstance(m, VMobject)]
    outlines = [m for m in outlines if len(m.points)]
    shapes = tuple(_shape(m) for m in outlines)
    return Snapshot(
        beat=film.current_beat,
        time=film.clock,
        setting=film.setting,
        shapes=shapes,
        readings=tuple(_readings(outlines)),
        caption=film.caption.number if film.caption else None,
        introduced=frozenset(film.introduced),
    )


def _shape(outline: VMobject) -> Shape:
    look = {
        "box": _box(outline),
        "fill": tuple(outline.fill_rgbas[0].tolist()),
        "stroke": tuple(outline.stroke_rgbas[0].tolist()),
        "stroke_width": float(outline.stroke_width),
        "role": getattr(outline, "role", ""),
    }
    if not isinstance(outline, Glyph):
        return Shape(getattr(outline, "label", "") or type(outline).__name__, None, **look)
    return Shape(block=outline.block, **look, **_belonging(outline))


def _belonging(glyph: Glyph) -> Mapping[str, Any]:
    block = block_of(glyph)
    typical = x_heights()
    return {
        "label": block.label if block else "a glyph of no block",
        "symbol": block.symbol_of(glyph) if block else "",
        "x_height": glyph.em * typical.get(glyph.symbol, typical[""]) if glyph.symbol else None,
        "owned": not block or not block.tells_nodes or glyph.owner is not None,
        "loose": not block or not any(own is glyph for own in block),
    }


def _box(outline: VMobject) -> Box:
    points: NDArray = outline.points[: len(outline.points) // 4 * 4, :2].reshape(-1, 4, 2)
    traced = np.einsum("tk,nkx->ntx", _BERNSTEIN, points).reshape(-1, 2)
    half = _half_stroke(outline)
    (left, bottom), (right, top) = traced.min(axis=0) - half, traced.max(axis=0) + half
    return Box(float(left), float(bottom), float(right), float(top))


def _half_stroke(outline: VMobject) -> float:
    """Manim's stroke widths are in hundredths of a unit."""
    seen = outline.stroke_width > 0 and outline.stroke_rgbas[0, 3] > 0
    return float(outline.stroke_width) / 200 if seen else 0.0


def _readings(outlines: list[VMobject]) -> Iterator[Reading]:
    staged = (block_of(m) for m in outlines if isinstance(m, Glyph))
    blocks: dict[int, Block] = {block.number: block for block in staged if block}
    for block in blocks.values():
        if isinstance(block, Quantity):
            yield Reading(block.label, block.shown, block.expected(), block.drawn())
