"""From a part of a formula to what it does: a quiet line between the two."""

from manim import DOWN, UP, CubicBezier, Mobject

from animations.theme import Theme


class Connector(CubicBezier):
    """A curve that leaves one thing downwards and reaches another from above.

    Parameters
    ----------
    upper, lower
        What it joins.
    theme
        Where the colour comes from.
    gap
        Units left free at both ends.
    """

    def __init__(self, upper: Mobject, lower: Mobject, theme: Theme, *, gap: float = 0.12) -> None:
        start, end = upper.get_bottom(), lower.get_top()
        start, end = start + gap * DOWN, end + gap * UP
        bend = 0.8 * (start[1] - end[1]) * UP
        super().__init__(
            start, start - bend, end + bend, end, stroke_color=theme.accent, stroke_width=2.5
        )
