"""A blend: shares of one whole, each as wide as its weight, each flowing from its source."""

from collections.abc import Sequence
from typing import Any

from manim import RIGHT, Mobject, Polygon, Rectangle, VGroup

from animations.theme import Theme


class Blend(VGroup):
    """A bar cut into shares, from left to right.

    Parameters
    ----------
    shares
        Numbers that sum to one.
    theme
        Where the colour comes from.
    width, height
        Units of the whole bar.
    role
        The role whose colour it bears.
    """

    def __init__(
        self, shares: Any, theme: Theme, *, width: float, height: float = 0.5, role: str = "V"
    ) -> None:
        self.colour = theme.role(role)
        self.shares = VGroup(
            *(
                Rectangle(
                    width=float(share) * width,
                    height=height,
                    stroke_width=1.5,
                    stroke_color=theme.background,
                    fill_color=self.colour,
                    fill_opacity=0.85,
                )
                for share in shares
            )
        ).arrange(RIGHT, buff=0)
        super().__init__(self.shares)

    def flows(self, sources: Sequence[Mobject]) -> VGroup:
        """Let each share flow down from its source, narrowing or widening on the way."""
        return VGroup(*(self._flow(*pair) for pair in zip(sources, self.shares, strict=True)))

    def _flow(self, source: Mobject, share: Rectangle) -> Polygon:
        half = share.width / 2
        top, middle = source.get_bottom()[1], source.get_x()
        x, y = share.get_x(), share.get_top()[1]
        corners = [(middle - half, top), (middle + half, top), (x + half, y), (x - half, y)]
        return Polygon(
            *((*corner, 0.0) for corner in corners),
            stroke_width=0,
            fill_color=self.colour,
            fill_opacity=0.28,
        )
