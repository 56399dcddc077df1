"""What each symbol of the formula of attention means, one line a symbol."""

from collections.abc import Mapping

from manim import DOWN, LEFT, RIGHT, Mobject, VGroup

from animations.film import Film
from animations.formula import Phrase
from animations.motion import Appear, late
from animations.parts.acting import ActingFormula, set_term
from animations.parts.layout import is_wide
from animations.parts.motions import Arrive
from animations.parts.terms import SCORES, K, Q, V
from animations.theme import MATH, Box, Theme
from derive.origins import nodes

PARTS = ("queries", "keys", "values", "scores", "scale", "softmax")
_MATRICES = {"queries": Q, "keys": K, "values": V, "scores": SCORES}
_PITCH, _GAP = 0.85, 0.9  # units from line to line, and between two columns


class Legend(VGroup):
    """Symbols below each other, each beside its meaning.

    Parameters
    ----------
    symbols, meanings
        By the name of the part of the formula.
    box
        Where they stand.
    columns
        One, or two side by side.
    """

    def __init__(
        self,
        symbols: Mapping[str, Mobject],
        meanings: Mapping[str, Mobject],
        box: Box,
        *,
        columns: int = 2,
    ) -> None:
        super().__init__()
        self.symbols, self.meanings = symbols, meanings
        names = tuple(symbols)
        each = -(-len(names) // columns)
        shares = (names[at : at + each] for at in range(0, len(names), each))
        self.add(*(self._column(share) for share in shares))
        self.arrange(RIGHT, buff=_GAP).move_to(box.centre)

    def _column(self, names: tuple[str, ...]) -> VGroup:
        """Set symbols in the middle of one column, and meanings from the left of the next."""
        middle = max(self.symbols[name].width for name in names) / 2
        lines = VGroup()
        for i, name in enumerate(names):
            height = i * _PITCH * DOWN
            symbol = self.symbols[name].move_to(height)
            meaning = self.meanings[name].move_to(height + (middle + 0.35) * RIGHT, LEFT)
            lines.add(VGroup(symbol, meaning))
        return lines


def symbol_of(formula: ActingFormula, part: str, theme: Theme) -> Mobject:
    """Draw a part of a formula once more, by itself."""
    if part == "softmax":
        return Phrase('$op("softmax")$', theme, em=MATH["math"])
    if part in _MATRICES:
        return set_term(_MATRICES[part], theme)
    return set_term(dict(nodes(formula.term))[formula.path(part)], theme)


def explain(film: Film, formula: ActingFormula, box: Box) -> Legend:
    """Let every symbol come out of the formula, and say beside it what it means."""
    symbols = {part: symbol_of(formula, part, film.theme) for part in PARTS}
    meanings = {part: film.phrase(f"attention.meaning.{part}", size="small") for part in PARTS}
    legend = Legend(symbols, meanings, box, columns=1 + is_wide(film.stage))
    for part in PARTS:
        film.play(
            Arrive(symbols[part], formula.part(part)),
            Appear(meanings[part], rate_func=late),
            run_time=1.0,
        )
    film.settle()
    return legend
