"""Rows that fill up and light up: where the cells of a table stand."""

from collections.abc import Mapping

from manim import LEFT, ORIGIN, Mobject, RoundedRectangle

from animations.parts.layout import hold, level
from animations.theme import Box, Theme

_TIGHT = 0.92  # of a row's height: what its light takes


class Table:
    """Even rows under a row of heads, in a box; a film fills it as it goes.

    Parameters
    ----------
    box
        Where it stands.
    columns
        Where each column is, as a part of the width.
    rows
        How many rows there are below the heads.
    lifts
        How far above a row's middle the cells of a column stand, in parts of a row's height:
        a narrow table sets what belongs to a row on lines of their own.
    """

    def __init__(
        self,
        box: Box,
        columns: Mapping[str, float],
        rows: int,
        lifts: Mapping[str, float] | None = None,
    ) -> None:
        self.box, self._columns, self._lifts = box, dict(columns), dict(lifts or {})
        self.pitch = box.height / (rows + 1)
        self.heights = tuple(box.top - (i + 1.5) * self.pitch for i in range(rows))
        self.head_height = box.top - 0.5 * self.pitch

    def x(self, column: str) -> float:
        """Return where a column is."""
        return self.box.left + self._columns[column] * self.box.width

    def y(self, column: str, row: int) -> float:
        """Return how high a cell stands."""
        return self.heights[row] + self._lift(column)

    def room(self, column: str) -> float:
        """Return the units from a column to the next one on its line, or to the box's edge."""
        lift, x = self._lifts.get(column, 0.0), self.x(column)
        beside = (name for name in self._columns if self._lifts.get(name, 0.0) == lift)
        return min((self.x(n) for n in beside if self.x(n) > x), default=self.box.right) - x

    @property
    def has_lines(self) -> bool:
        """Tell whether what belongs to a row stands on more than one line."""
        return bool(self._lifts)

    def put(self, thing: Mobject, column: str, row: int, *, left: bool = False) -> Mobject:
        """Set a thing into a cell: in its middle if the box allows, or beginning there."""
        return self._at(thing, column, self.y(column, row), left)

    def head(self, thing: Mobject, column: str, *, left: bool = False) -> Mobject:
        """Set a thing above a column."""
        return self._at(thing, column, self.head_height + self._lift(column), left)

    def light(self, row: int, theme: Theme, *, until: str = "") -> RoundedRectangle:
        """Put light behind a row."""
        right = self.x(until) if until else self.box.right
        light = RoundedRectangle(
            corner_radius=0.14,
            width=right - self.box.left,
            height=_TIGHT * self.pitch,
            stroke_width=0,
            fill_color=theme.surface,
            fill_opacity=1,
        )
        light.z_index = -1
        return light.move_to([(self.box.left + right) / 2, self.heights[row], 0.0])

    def _lift(self, column: str) -> float:
        return self._lifts.get(column, 0.0) * self.pitch

    def _at(self, thing: Mobject, column: str, y: float, left: bool) -> Mobject:
        thing.move_to([self.x(column), y, 0.0], aligned_edge=LEFT if left else ORIGIN)
        level(thing, y)
        return thing if left else hold(thing, self.box)
