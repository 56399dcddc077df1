"""Books on a shelf, each with its title down the spine and a label at its foot."""

from collections.abc import Sequence

import numpy as np
from manim import DOWN, RIGHT, UP, Line, RoundedRectangle, VGroup

from animations.formula import Phrase
from animations.theme import TYPE, Theme

_WIDTH, _PAD, _HEAD = 1.4, 0.3, 0.2
_REACH = 0.3  # units of the board to the left of the first book


class Spine(VGroup):
    """The back of a book that stands upright.

    Parameters
    ----------
    title
        What is written on it: Chinese from top to bottom, other scripts turned.
    label
        What its label says, marked up.
    theme
        Where colours come from.
    height
        Units from foot to head.
    """

    def __init__(self, title: str, label: str, theme: Theme, *, height: float) -> None:
        super().__init__()
        self.back = RoundedRectangle(  # of the same make as a word's box, so that it can become one
            corner_radius=0.05,
            width=_WIDTH,
            height=height,
            stroke_width=1.5,
            stroke_color=theme.muted,
            fill_color=theme.surface,
            fill_opacity=1,
        )
        self.back.z_index = -1  # behind its title, whichever of the two comes first
        self.label = Phrase(label, theme, em=TYPE["small"])
        self.title = _upright(title, theme)
        self.label.move_to(self.back.get_bottom() + (_PAD + self.label.height / 2) * UP)
        self.title.move_to(self.back.get_top() + (_HEAD + self.title.height / 2) * DOWN)
        self.add(self.back, self.title)


class Bookshelf(VGroup):
    """Books that stand side by side on a board; labels are shown when it is time.

    Parameters
    ----------
    titles, labels
        What is written on each spine, and on its label.
    theme
        Where colours come from.
    height
        Units from the board to the heads of the books.
    gap
        Units between books.
    spare
        Units of the board to the right of the last book.
    """

    def __init__(
        self,
        titles: Sequence[str],
        labels: Sequence[str],
        theme: Theme,
        *,
        height: float,
        gap: float = 0.9,
        spare: float = _REACH,
    ) -> None:
        super().__init__()
        self.spines = VGroup(
            *(
                Spine(title, label, theme, height=height)
                for title, label in zip(titles, labels, strict=True)
            )
        )
        self.spines.arrange(RIGHT, buff=gap, aligned_edge=DOWN)
        for spine in self.spines:
            foot = spine.back.get_bottom()
            spine.label.move_to(foot + (_PAD + spine.label.height / 2) * UP)
        self.board = Line(
            self.spines.get_corner(DOWN - RIGHT) - _REACH * RIGHT,
            self.spines.get_corner(DOWN + RIGHT) + spare * RIGHT,
            stroke_width=4,
            stroke_color=theme.muted,
        )
        self.add(self.board, self.spines)

    @property
    def labels(self) -> VGroup:
        """Return the labels of all books."""
        return VGroup(*(spine.label for spine in self.spines))

    def drawn_out(self, weights: Sequence[float], reach: float) -> list[np.ndarray]:
        """Return how far each book is drawn out, upwards, by its weight."""
        return [float(weight) * reach * UP for weight in weights]


def _upright(title: str, theme: Theme) -> VGroup:
    """Set a title to be read down a spine."""
    if title.isascii():
        return VGroup(Phrase(title, theme, em=TYPE["small"]).rotate(-np.pi / 2))
    letters = VGroup(*(Phrase(letter, theme, em=TYPE["small"]) for letter in title))
    return letters.arrange(DOWN, buff=0.07)
