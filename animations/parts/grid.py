"""A matrix or a row of numbers, each bound to its cell of a computed array."""

from typing import Any

import numpy as np
from manim import VGroup, VMobject

from animations.formula import Quantity
from animations.theme import MATH, Theme

_LIP = 0.12  # of the height of a line: how far a bracket's ends turn inwards
_PAD = 0.16  # units between numbers and bracket


def exact_places(value: float, most: int = 3) -> int:
    """Return the fewest digits after the point that write a value exactly, or the most.

    >>> [exact_places(value) for value in (3.0, 0.5, 0.8066)]
    [0, 1, 3]
    """
    return next((places for places in range(most) if round(value, places) == value), most)


class Grid(VGroup):
    """Numbers in rows and columns between brackets.

    Parameters
    ----------
    array
        A matrix, or a vector, which is drawn as one row. It is asked again at every check.
    theme
        Where colours come from.
    name
        What findings call it, such as ``"K"``; cells are ``K[i, j]``.
    places
        Digits after the point; None for as many as write each cell exactly, at most three.
        Then numbers are centred in their columns, else right-aligned.
    em
        The size of one em on the stage.
    role
        The role whose colour numbers and brackets bear, if any.
    gap
        Units between columns and between rows.
    """

    def __init__(
        self,
        array: Any,
        theme: Theme,
        *,
        name: str,
        places: int | None = 2,
        em: float = MATH["number"],
        role: str = "",
        gap: tuple[float, float] = (0.35, 0.28),
    ) -> None:
        super().__init__()
        self.array = array
        self.shape = np.atleast_2d(np.asarray(array)).shape
        vector = np.ndim(array) == 1
        self.cells = [
            Quantity(
                lambda at=(j if vector else (i, j)): array[at],
                theme,
                places=exact_places(array[j if vector else (i, j)]) if places is None else places,
                em=em,
                role=role,
                label=f"{name}[{j}]" if vector else f"{name}[{i}, {j}]",
            )
            for i, j in np.ndindex(*self.shape)
        ]
        self._lay_out(em, gap, centred=places is None)
        self.brackets = VGroup(*(self._bracket(side, em) for side in (-1, 1)))
        for bracket in self.brackets:
            bracket.role = role
            bracket.set_stroke(theme.role(role) if role else theme.ink)
        self.add(*self.cells, self.brackets)

    def at(self, row: int, column: int = 0) -> Quantity:
        """Return the number in a row and a column."""
        return self.cells[row * self.shape[1] + column]

    def row(self, row: int) -> VGroup:
        """Return the numbers of a row."""
        return VGroup(*(self.at(row, column) for column in range(self.shape[1])))

    def column(self, column: int) -> VGroup:
        """Return the numbers of a column."""
        return VGroup(*(self.at(row, column) for row in range(self.shape[0])))

    def _lay_out(self, em: float, gap: tuple[float, float], centred: bool) -> None:
        """Align columns, so that points stand under points, and set rows on baselines."""
        rows, columns = self.shape
        widths = [max(cell.width for cell in self.column(j)) for j in range(columns)]
        rights = np.cumsum(widths) + gap[0] * np.arange(columns)
        pitch = 0.68 * em + gap[1]
        for i, j in np.ndindex(rows, columns):
            cell = self.at(i, j)
            slack = (widths[j] - cell.width) / 2 if centred else 0.0
            across = rights[j] - slack - cell.get_right()[0]
            cell.shift([across, -i * pitch - cell.baseline, 0.0])
        VGroup(*self.cells).center()

    def _bracket(self, side: int, em: float) -> VMobject:
        numbers = VGroup(*self.cells)
        x = side * (numbers.width / 2 + _PAD)
        y, lip = numbers.height / 2 + _PAD / 2, side * _LIP * em * 1.4
        corners = [(x - lip, y), (x, y), (x, -y), (x - lip, -y)]
        bracket = VMobject(stroke_width=2.5)
        bracket.set_points_as_corners([(*corner, 0.0) for corner in corners])
        return bracket.shift(numbers.get_center())
