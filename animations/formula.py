"""Type on the stage: formulas, phrases and numbers, all set by Typst, all known part by part."""

import itertools
import weakref
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Protocol, Self

import numpy as np
from manim import RIGHT, VGroup, VMobject

from animations.errors import FilmError
from animations.theme import MATH, TYPE, Theme
from animations.typeset import Drawing, Ink, Points, draw, quoted, untagged
from animations.words import Run, runs

Path = tuple[int, ...]

_numbers = itertools.count()
_blocks: "weakref.WeakValueDictionary[int, Block]" = weakref.WeakValueDictionary()


class Typeset(Protocol):
    """A term as `derive.notation` writes it: tag number k marks the node at ``paths[k - 1]``.

    A path is the child positions from the root down.
    """

    source: str
    paths: tuple[Path, ...]


class Glyph(VMobject):
    """One outline on the stage, which knows what it belongs to.

    Parameters
    ----------
    ink
        The outline.
    points
        Where it stands.
    extent
        The diagonal of its bounding box, where one em is one unit.
    colour
        What to fill it with.
    owner
        The node or part that drew it: a path, a part's name, or None.
    block
        The number of the block that it was made for.
    """

    def __init__(
        self, ink: Ink, points: Points, extent: float, colour: str, owner: Any, block: int
    ) -> None:
        # VMobject's own set-up takes longer than all else in a formula: copy what it left once
        vars(self).update(_look(colour))
        self.points, self.extent = points, extent
        self.symbol, self.owner, self.block = ink.symbol, owner, block
        self.role = ""

    @property
    def em(self) -> float:
        """Return the size of one em now, whatever scaling the glyph went through."""
        return float(np.linalg.norm(np.ptp(self.points, axis=0))) / self.extent


@cache
def _pattern(colour: str) -> VMobject:
    return VMobject(stroke_width=0, fill_opacity=1, fill_color=colour, name="Glyph")


def _look(colour: str) -> dict[str, Any]:
    """Return a fresh shape's attributes, sharing nothing that could be changed."""
    return {
        name: value.copy() if isinstance(value, (np.ndarray, list, dict)) else value
        for name, value in vars(_pattern(colour)).items()
    }


class Block(VGroup):
    """Type set in one piece: a flat group of glyphs in reading order.

    Parameters
    ----------
    drawing
        What to show.
    em
        The size of one em on the stage.
    theme
        Where colours come from.
    owners
        For each tag, from 1 on, the node or part that it marks.
    label
        What findings call it.
    """

    def __init__(
        self, drawing: Drawing, em: float, theme: Theme, owners: tuple[Any, ...], label: str
    ) -> None:
        if not drawing.inks:
            raise FilmError(
                given=f"{label!r}, which draws nothing",
                expected="type with at least one visible glyph",
                fix="leave the block out, or give it words",
            )
        super().__init__()
        self.label, self.theme, self.number = label, theme, next(_numbers)
        named = (None, *owners)
        self.submobjects = [
            Glyph(ink, points, extent, theme.ink, named[ink.tag], self.number)
            for ink, points, extent in zip(drawing.inks, *_placed(drawing, em), strict=True)
        ]
        # how far the first glyph's first point stands above the baseline, in ems
        self._rise = float(drawing.inks[0].points[0, 1]) - drawing.baseline
        _blocks[self.number] = self

    @property
    def baseline(self) -> float:
        """Return the height of the first line's baseline on the stage."""
        first = self[0]
        return float(first.points[0, 1]) - self._rise * first.em

    def shift(self, *vectors: np.ndarray) -> Self:
        """Move every glyph; one pass, since that is what a stage does most."""
        total = np.sum(vectors, axis=0)
        for glyph in self.submobjects:
            glyph.points = glyph.points + total
        return self

    def copy(self) -> Self:
        """Return a block of its own, whose glyphs belong to it and not to this one."""
        twin = super().copy()
        twin.number = next(_numbers)
        for glyph in twin:
            glyph.block = twin.number
        _blocks[twin.number] = twin
        return twin

    @property
    def tells_nodes(self) -> bool:
        """Tell whether every glyph must belong to a node."""
        return False

    def symbol_of(self, glyph: Glyph) -> str:
        """Return the name of the symbol that a glyph stands for, or nothing."""
        return ""

    def paint(self, role: str, *glyphs: Glyph) -> None:
        """Give glyphs a role, and the role's colour."""
        colour = self.theme.role(role)
        for glyph in glyphs:
            glyph.role = role
            glyph.set_fill(colour)

    def _owned(self, wanted: Callable[[Any], bool], what: Any) -> VGroup:
        found = [glyph for glyph in self.submobjects if wanted(glyph.owner)]
        if not found:
            owners = dict.fromkeys(glyph.owner for glyph in self.submobjects)
            raise FilmError(
                given=f"the part {what!r} of {self.label}",
                expected="a part that draws something: " + ", ".join(map(repr, owners)),
                fix="name one of these",
            )
        return VGroup(*found)


def _placed(drawing: Drawing, em: float) -> tuple[list[Points], list[float]]:
    """Return each glyph's points about the origin, and the diagonal of its box in ems."""
    points = np.concatenate([ink.points for ink in drawing.inks])
    ends = np.cumsum([len(ink.points) for ink in drawing.inks])
    starts = np.r_[0, ends[:-1]]
    low, high = np.minimum.reduceat(points, starts), np.maximum.reduceat(points, starts)
    points = (points - (low.min(axis=0) + high.max(axis=0)) / 2) * em
    extents = np.linalg.norm(high - low, axis=1).tolist()
    return np.split(points, ends[:-1]), extents


def block_of(glyph: Glyph) -> Block | None:
    """Return the block that a glyph was made for, if it still exists."""
    return _blocks.get(glyph.block)


class Formula(Block):
    """A typeset term whose every glyph knows its node.

    Parameters
    ----------
    typeset
        The term's source and the path of each tag.
    theme
        Where colours come from.
    em
        The size of one em on the stage.
    roles
        For some paths, the role whose colour the node and all under it bear.
    symbols
        For some paths, the name of the symbol there, which a film must have introduced.
    label
        What findings call it; by default the source without its tags.
    """

    def __init__(
        self,
        typeset: Typeset,
        theme: Theme,
        *,
        em: float = MATH["math"],
        roles: Mapping[Path, str] | None = None,
        symbols: Mapping[Path, str] | None = None,
        label: str = "",
    ) -> None:
        self.symbols = dict(symbols or {})
        drawing = draw(typeset.source)
        super().__init__(
            drawing, em, theme, tuple(typeset.paths), label or untagged(typeset.source)
        )
        for path, role in (roles or {}).items():
            self.paint(role, *self.at(path))

    def nodes(self, path: Path = ()) -> frozenset[Path]:
        """Return the nodes at and under a path that draw something themselves."""
        owners = {glyph.owner for glyph in self if glyph.owner is not None}
        return frozenset(owner for owner in owners if owner[: len(path)] == path)

    @property
    def tells_nodes(self) -> bool:
        return True

    def symbol_of(self, glyph: Glyph) -> str:
        owner = glyph.owner or ()
        return next(
            (
                self.symbols[owner[:n]]
                for n in range(len(owner), -1, -1)
                if owner[:n] in self.symbols
            ),
            "",
        )

    def at(self, path: Path) -> VGroup:
        """Return the glyphs of a node and of everything under it."""
        under = lambda owner: owner is not None and owner[: len(path)] == path
        return self._owned(under, path)

    def own(self, path: Path) -> VGroup:
        """Return the glyphs that the node itself draws: a bar, a radical, a sign."""
        return self._owned(lambda owner: owner == path, path)


class Phrase(Block):
    """Words on the stage, in the mark-up of `animations.words`.

    Parameters
    ----------
    marked
        The words, marked up.
    theme
        Where colours come from.
    em
        The size of one em on the stage.
    width
        Where lines break, in units of the stage; by default only where the words do.
    label
        What findings call it; by default the words.
    """

    def __init__(
        self,
        marked: str,
        theme: Theme,
        *,
        em: float = TYPE["body"],
        width: float | None = None,
        label: str = "",
    ) -> None:
        stretches = runs(marked)
        source = "#set align(center)\n" + "".join(map(_tagged, itertools.count(1), stretches))
        drawing = draw(source, math=False, width=width and width / em)
        parts = tuple(run.part or None for run in stretches)
        super().__init__(drawing, em, theme, parts, label or marked)
        for name in {run.part for run in stretches} & set(theme.roles):
            self.paint(name, *self.part(name))

    def part(self, name: str) -> VGroup:
        """Return the glyphs of a named part."""
        return self._owned(lambda owner: owner == name, name)


def _tagged(number: int, run: Run) -> str:
    if run.math:
        return f"#tag({number}, ${run.text}$)"
    lines = run.text.split("\n")
    return "#linebreak()".join(f"#tag({number}, {quoted(line)})" if line else "" for line in lines)


class Quantity(Block):
    """A number on the stage, bound to a cell of a computed array.

    What is drawn is the cell's value when the number was made. `check` asks the cell again at
    every settled frame and compares.

    Parameters
    ----------
    cell
        Gives the computed value.
    theme
        Where colours come from.
    places
        Digits after the point.
    em
        The size of one em on the stage.
    role
        The role whose colour it bears, if any.
    label
        What findings call it, such as ``A[2, 1]``.

    Examples
    --------
    >>> from animations.theme import DARK
    >>> Quantity(lambda: -0.8066, DARK, places=2).shown
    '−0.81'
    """

    def __init__(
        self,
        cell: Callable[[], float],
        theme: Theme,
        *,
        places: int = 3,
        em: float = MATH["number"],
        role: str = "",
        label: str = "",
    ) -> None:
        self.cell, self.places = cell, places
        self.shown = self.expected()
        super().__init__(
            draw(quoted(self.shown)), em, theme, (), label or f"the number {self.shown}"
        )
        if role:
            self.paint(role, *self)

    def expected(self) -> str:
        """Return what should be on the stage: the cell's value now, as it is written."""
        text = f"{float(self.cell()):.{self.places}f}"
        return text.lstrip("-") if float(text) == 0 else text.replace("-", "−")

    def drawn(self) -> bool:
        """Tell whether the glyphs on the stage are those of the value shown."""
        return [g.symbol for g in self] == [ink.symbol for ink in draw(quoted(self.shown)).inks]


def line_up(*blocks: Block, gap: float = 0.25) -> VGroup:
    """Set blocks in a row, from the first one on, on one baseline."""
    for left, right in itertools.pairwise(blocks):
        right.next_to(left, RIGHT, buff=gap)
        right.shift(np.array([0.0, left.baseline - right.baseline, 0.0]))
    return VGroup(*blocks)
