"""Weights as bars, each with its number."""

from collections.abc import Sequence
from typing import Any

from manim import LEFT, RIGHT, Rectangle, VGroup

from animations.formula import Quantity
from animations.theme import MATH, Theme

_THICK = 0.3


class Bars(VGroup):
    """Bars from one left edge, as long as the weights are large.

    Parameters
    ----------
    weights, row
        The array, and the row of it that is shown.
    theme
        Where colours come from.
    name
        What findings call the array.
    heights
        Where each bar stands.
    length
        Units that a weight of 1 would take.
    places
        Digits after the point.
    """

    def __init__(
        self,
        weights: Any,
        row: int,
        theme: Theme,
        *,
        name: str = "weights",
        heights: Sequence[float],
        length: float = 3.0,
        places: int = 3,
    ) -> None:
        super().__init__()
        self.bars = VGroup()
        self.numbers = VGroup()
        for j, y in enumerate(heights):
            bar = Rectangle(
                width=max(float(weights[row, j]), 1e-3) * length,
                height=_THICK,
                stroke_width=0,
                fill_color=theme.accent,
                fill_opacity=0.85,
            )
            number = Quantity(
                lambda at=(row, j): weights[at],
                theme,
                places=places,
                em=MATH["number"],
                label=f"{name}[{row}, {j}]",
            )
            number.move_to([0.0, y, 0.0], aligned_edge=LEFT)
            bar.next_to(number, RIGHT, buff=0.25).set_y(y)
            self.numbers.add(number)
            self.bars.add(bar)
        self.add(self.numbers, self.bars)
        self._full = length

    @property
    def room(self) -> float:
        """Return the width that the bars would take if a weight were 1."""
        return self.numbers.width + 0.25 + self._full
