"""A dot product as it runs: pair by pair, then the sum."""

from typing import Any

from manim import VGroup

from animations.formula import Block, Phrase, Quantity, line_up
from animations.parts.grid import exact_places
from animations.theme import MATH, TYPE, Theme


class DotProduct(VGroup):
    """``q₁ × k₁ + q₂ × k₂ = score``, every number bound.

    Parameters
    ----------
    q, k
        The two vectors.
    scores, index
        The array that holds the result, and where.
    theme
        Where colours come from.
    names
        What findings call the two vectors and the scores.
    gap
        Units around each sign.
    """

    def __init__(
        self,
        q: Any,
        k: Any,
        scores: Any,
        index: tuple[int, ...],
        theme: Theme,
        *,
        names: tuple[str, str, str] = ("q", "k", "scores"),
        gap: float = 0.2,
    ) -> None:
        super().__init__()
        self.theme = theme
        self.left = [self._number(q, (i,), names[0], "Q") for i in range(len(q))]
        self.right = [self._number(k, (i,), names[1], "K") for i in range(len(k))]
        self.score = self._number(scores, index, names[2], "")
        pairs = list(zip(self.left, self.right, strict=True))
        signs = [[self._sign("×"), self._sign("+")] for _ in pairs]
        self.signs = VGroup(*[sign for pair in signs for sign in pair][:-1])
        self.equals = self._sign("=")
        row: list[Block] = []
        for (one, other), (times, plus) in zip(pairs, signs, strict=True):
            row += [one, times, other, plus]
        line_up(*row[:-1], self.equals, self.score, gap=gap)
        self.add(*self.left, *self.right, self.signs, self.equals, self.score)

    def _number(self, array: Any, index: tuple[int, ...], name: str, role: str) -> Quantity:
        return Quantity(
            lambda: array[index],
            self.theme,
            places=exact_places(float(array[index])),
            em=MATH["number"],
            role=role,
            label=f"{name}[{', '.join(map(str, index))}]",
        )

    def _sign(self, sign: str) -> Phrase:
        phrase = Phrase(sign, self.theme, em=TYPE["small"])
        phrase.set_fill(self.theme.muted)
        return phrase
