"""From a part of a formula to what it does: a quiet line between the two."""

from manim import DOWN, UP, Mobject, VMobject

from animations.theme import Theme


class Connector(VMobject):
    """A line that leaves one thing downwards and reaches another from above.

    Parameters
    ----------
    upper, lower
        What it joins.
    theme
        Where the colour comes from.
    level
        How far down it goes straight before it bends; by default not at all.
    gap
        Units left free at both ends.
    """

    def __init__(
        self,
        upper: Mobject,
        lower: Mobject,
        theme: Theme,
        *,
        level: float | None = None,
        gap: float = 0.12,
    ) -> None:
        super().__init__(stroke_color=theme.accent, stroke_width=2.5)
        start, end = upper.get_bottom() + gap * DOWN, lower.get_top() + gap * UP
        corner = start.copy()
        corner[1] = start[1] if level is None else min(start[1], max(level, end[1]))
        bend = 0.8 * (corner[1] - end[1]) * UP
        self.start_new_path(start)
        if corner[1] < start[1]:
            self.add_line_to(corner)
        self.add_cubic_bezier_curve_to(corner - bend, end + bend, end)
