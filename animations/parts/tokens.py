"""The words of a sentence, each in a box of its own."""

from collections.abc import Sequence

from manim import DOWN, RIGHT, RoundedRectangle, VGroup

from animations.formula import Phrase
from animations.parts.layout import level
from animations.theme import TYPE, Theme

_PAD = 0.55  # units added to a word's width


class Token(VGroup):
    """A word in a box.

    Parameters
    ----------
    word
        What to show.
    theme
        Where colours come from.
    em
        The size of one em on the stage.
    marked
        Whether the eye shall follow it.
    lead
        Units added to the height of its type.
    """

    def __init__(
        self,
        word: str,
        theme: Theme,
        *,
        em: float = TYPE["body"],
        marked: bool = False,
        lead: float = 0.5,
    ) -> None:
        super().__init__()
        self.word = Phrase(word, theme, em=em)
        colour = theme.accent if marked else theme.muted
        if marked:
            self.word.set_fill(colour)
        self.box = RoundedRectangle(
            corner_radius=0.16,
            width=self.word.width + _PAD,
            height=em + lead,
            stroke_color=colour,
            stroke_width=3 if marked else 1.5,
            fill_color=theme.surface,  # unseen, until a box with a ground turns into this one
            fill_opacity=0,
        )
        level(self.word, 0.0)
        self.add(self.box, self.word)


class TokenRow(VGroup):
    """A sentence, from left to right or from top to bottom.

    Parameters
    ----------
    words
        The tokens.
    theme
        Where colours come from.
    marked
        The position of the token that the eye shall follow, if any.
    em
        The size of one em on the stage.
    gap
        Units between boxes.
    lead
        Units added to the height of the type.
    down
        Whether they stand below each other.
    """

    def __init__(
        self,
        words: Sequence[str],
        theme: Theme,
        *,
        marked: int | None = None,
        em: float = TYPE["body"],
        gap: float = 0.3,
        lead: float = 0.5,
        down: bool = False,
    ) -> None:
        super().__init__(
            *(
                Token(word, theme, em=em, marked=i == marked, lead=lead)
                for i, word in enumerate(words)
            )
        )
        self.arrange(DOWN if down else RIGHT, buff=gap)
