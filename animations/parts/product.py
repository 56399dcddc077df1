"""A vector times a matrix, written as a sum: each entry weighs one row of the matrix."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from manim import DOWN, LEFT, RIGHT, UP, Line, Mobject, VGroup

from animations.formula import Phrase, Quantity
from animations.parts.grid import Grid, exact_places
from animations.parts.layout import level
from animations.parts.spotlight import Spotlight
from animations.theme import MATH, TYPE, Theme

_GAP = (1.05, 0.42)  # units between the columns and between the rows of the matrix
_ENTRY = 1.15  # units from the names of rows to the vector, and from there to the matrix


class Product(VGroup):
    """The matrix with its rows named, the vector down its left side, the result below a rule.

    Parameters
    ----------
    vector, matrix, result
        The arrays; the result is the vector times the matrix.
    theme
        Where colours come from.
    names
        What findings call the three.
    titles
        What stands above the vector, above the matrix, and before the result; marked up.
    role
        The role of the matrix and the result.
    rows, columns
        What each entry of the vector, and of the result, is about.
    """

    def __init__(
        self,
        vector: Any,
        matrix: Any,
        result: Any,
        theme: Theme,
        *,
        names: tuple[str, str, str],
        titles: tuple[str, str, str],
        role: str,
        rows: Sequence[str],
        columns: Sequence[str],
    ) -> None:
        super().__init__()
        self.theme = theme
        self.matrix = Grid(matrix, theme, name=names[1], places=None, role=role, gap=_GAP)
        self.result = Grid(result, theme, name=names[2], places=None, role=role, gap=_GAP)
        self.entries = self._column(vector, names[0])
        self.rows = VGroup(*(Phrase(row, theme, em=TYPE["small"]) for row in rows))
        self.columns = VGroup(*(Phrase(name, theme, em=TYPE["small"]) for name in columns))
        self.rule = Line(stroke_width=2, stroke_color=theme.faint)
        self.head, self.foot = (Phrase(titles[i], theme, em=TYPE["small"]) for i in (0, 2))
        self.title = Phrase(titles[1], theme, em=MATH["math"])
        self._lay_out()
        self.add(self.rows, self.columns, self.matrix, self.rule, self.title, self.foot)
        self.add(self.head, self.entries, self.result)

    @property
    def weights(self) -> VGroup:
        """Return what belongs to the matrix, whatever vector meets it."""
        return VGroup(self.title, self.columns, self.matrix, self.foot)

    @property
    def run(self) -> VGroup:
        """Return what is there of the vector that meets the matrix now; results are taken away."""
        return VGroup(self.head, self.entries)

    def light(self, row: int) -> Spotlight:
        """Put light behind a row: its name, its entry of the vector, the numbers it weighs."""
        lit = VGroup(self.rows[row], self.entries[row], self.matrix.row(row))
        return Spotlight(lit, self.theme, margin=0.14)

    def _column(self, vector: Any, name: str) -> VGroup:
        """Set the vector's entries beside the rows that they weigh."""
        entries = VGroup()
        for i in range(len(vector)):
            entry = Quantity(
                lambda i=i: vector[i],
                self.theme,
                places=exact_places(vector[i]),
                em=MATH["number"],
                label=f"{name}[{i}]",
            )
            entry.set_x(self.matrix.get_left()[0] - _ENTRY)
            entry.shift([0.0, self.matrix.at(i).baseline - entry.baseline, 0.0])
            entries.add(entry)
        return entries

    def _lay_out(self) -> None:
        middle = self.entries[0].get_x()
        for i, row in enumerate(self.rows):
            height = self.matrix.at(i).get_y()
            level(row.move_to([middle - _ENTRY, height, 0.0]), height)
        for j, name in enumerate(self.columns):
            name.next_to(self.matrix, UP, buff=0.22).set_x(self.matrix.at(0, j).get_x())
        height = max(name.get_y() for name in self.columns)
        for name in self.columns:
            level(name, height)
        _keep_apart(self.columns)
        self.title.next_to(self.columns, UP, buff=0.3)
        level(self.head.move_to([middle, height, 0.0]), height)
        left, right = min(row.get_left()[0] for row in self.rows), self.matrix.get_right()[0]
        under = self.matrix.get_bottom()[1] - 0.25
        self.rule.put_start_and_end_on(np.array([left, under, 0]), np.array([right, under, 0]))
        self.result.next_to(self.rule, DOWN, buff=0.25)
        self.result.shift(_across(self.matrix.at(0), self.result.at(0)))
        self.foot.next_to(self.result, LEFT, buff=0.4).set_x((middle + left) / 2)


def _across(target: Mobject, moved: Mobject) -> np.ndarray:
    return np.array([target.get_x() - moved.get_x(), 0.0, 0.0])


def _keep_apart(names: VGroup, gap: float = 0.3) -> None:
    """Spread the names of two columns about their middle until they do not touch."""
    if len(names) == 2:
        lacking = gap - (names[1].get_left()[0] - names[0].get_right()[0])
        names[0].shift(max(lacking, 0) / 2 * LEFT)
        names[1].shift(max(lacking, 0) / 2 * RIGHT)
