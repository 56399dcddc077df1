"""A plane with two named axes from 0 to 1, and points that move in it."""

from typing import Any

from manim import DOWN, LEFT, RIGHT, UP, Circle, Dot, Line, VGroup
from numpy.typing import NDArray

from animations.formula import Phrase
from animations.theme import TYPE, Theme

_DOT = 0.13


class Plane(VGroup):
    """The first quadrant up to (1, 1).

    Parameters
    ----------
    theme
        Where colours come from.
    side
        Units from 0 to 1.
    across, up
        The names of the axes.
    """

    def __init__(self, theme: Theme, *, side: float, across: str, up: str) -> None:
        super().__init__()
        self.theme = theme
        thin = {"stroke_width": 1.5, "stroke_color": theme.faint}
        strong = {"stroke_width": 2.5, "stroke_color": theme.muted}
        halves = [0.5 * side, side]
        grid = [Line([x, 0, 0], [x, side, 0], **thin) for x in halves]
        grid += [Line([0, y, 0], [side, y, 0], **thin) for y in halves]
        self._axes = [
            Line([0, 0, 0], [side, 0, 0], **strong),
            Line([0, 0, 0], [0, side, 0], **strong),
        ]
        self.across = Phrase(across, theme, em=TYPE["small"]).set_fill(theme.ink)
        self.up = Phrase(up, theme, em=TYPE["small"]).set_fill(theme.ink)
        self.across.move_to([side, -0.2, 0.0], aligned_edge=UP + RIGHT)
        self.up.move_to([0.0, side + 0.2, 0.0], aligned_edge=DOWN)
        self.add(*grid, *self._axes, self.across, self.up)

    def at(self, point: Any) -> NDArray:
        """Return where a point of the plane is on the stage."""
        across, up = (axis.get_end() - axis.get_start() for axis in self._axes)
        return self._axes[0].get_start() + float(point[0]) * across + float(point[1]) * up

    def dot(self, point: Any, *, marked: bool = True, role: str = "") -> Dot:
        """Make a dot at a point."""
        dot = Dot(self.at(point), radius=_DOT if marked else 0.75 * _DOT)
        dot.role = role
        dot.set_fill(self.theme.role(role) if role else self.theme.accent, opacity=1)
        return dot

    def ring(self, point: Any) -> Circle:
        """Mark where a point was."""
        return Circle(_DOT, stroke_width=2, stroke_color=self.theme.muted).move_to(self.at(point))

    def pulls(self, points: Any, weights: Any, towards: Any) -> VGroup:
        """Join points to one, each line as thick as the weight with which it pulls."""
        return VGroup(
            *(
                Line(
                    self.at(point) + 1e-3 * LEFT,
                    self.at(towards),
                    stroke_width=1 + 9 * float(weight),
                    stroke_color=self.theme.accent,
                    stroke_opacity=0.55,
                )
                for point, weight in zip(points, weights, strict=True)
            )
        )
