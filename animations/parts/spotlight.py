"""A quiet surface behind whatever acts now."""

from manim import Mobject, RoundedRectangle

from animations.theme import Theme


class Spotlight(RoundedRectangle):
    """Lights up a part of a formula without touching its colours.

    It lies behind all type, as long as no group holds it. To move it on: ``light.animate.become(Spotlight(other, theme))``.

    Parameters
    ----------
    lit
        What to put light behind.
    theme
        Where the colour comes from.
    margin
        Units between the lit part and the edge.
    """

    def __init__(self, lit: Mobject, theme: Theme, *, margin: float = 0.12) -> None:
        width, height = lit.width + 2 * margin, lit.height + 2 * margin
        super().__init__(
            corner_radius=min(0.14, width / 2, height / 2),
            width=width,
            height=height,
            stroke_width=0,
            fill_color=theme.surface,
            fill_opacity=1,
        )
        self.z_index = -1
        self.move_to(lit)
