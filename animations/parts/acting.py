"""The formula of attention on the stage: it grows as the action goes on, and lights up."""

from collections.abc import Callable

from manim import Mobject, VGroup

from animations.film import Film
from animations.formula import Formula, Path
from animations.motion import Appear, Vanish
from animations.parts.connector import Connector
from animations.parts.growth import grow
from animations.parts.layout import put
from animations.parts.motions import Become
from animations.parts.roles import roles_of
from animations.parts.spotlight import Spotlight
from animations.theme import MATH, Box, Theme
from derive.notation.typst import typst
from derive.origins import nodes
from derive.terms import Term

_BEARERS = {"queries": "Q", "keys": "K", "values": "V"}


def set_term(term: Term, theme: Theme, em: float = MATH["math"]) -> Formula:
    """Set a proved term, with what has a role in the colour of its role."""
    return Formula(typst(term), theme, em=em, roles=roles_of(term))


class ActingFormula:
    """A formula above the action that it describes.

    Parameters
    ----------
    term
        What it shows first; usually no more than what acts first.
    box
        Where it stands.
    theme
        Where colours come from.
    """

    def __init__(self, term: Term, box: Box, theme: Theme) -> None:
        self.term, self.box, self.theme = term, box, theme
        self.shown = put(set_term(term, theme), box)
        self._lit: tuple[Mobject, ...] = ()

    def grow(self, film: Film, term: Term) -> None:
        """Grow into a larger term, of which this one is a part."""
        self.dim(film)
        new = put(set_term(term, self.theme), self.box)
        film.play(grow(self.shown, new, (self.term, term)), run_time=1.4)
        self.shown, self.term = new, term

    def light(self, film: Film, part: str, target: Mobject | None = None) -> None:
        """Light up the part that acts now, and join it to what it does, if that is given.

        Parameters
        ----------
        film
            Where to play.
        part
            ``"queries"``, ``"keys"``, ``"values"``, ``"scores"``, ``"scale"`` or ``"softmax"``.
        target
            What the part does.
        """
        self.dim(film)
        lit = self.part(part)
        # apart: in a group, Manim would draw the light with the thread, over the type that rests
        self._lit = (Spotlight(lit, self.theme), *self._threads(lit, target))
        film.play(*map(Appear, self._lit), run_time=0.6)

    def _threads(self, lit: VGroup, target: Mobject | None) -> tuple[Connector, ...]:
        if target is None:
            return ()
        level = self.shown.get_bottom()[1]
        return (Connector(self._foot_of(lit), target, self.theme, level=level),)

    def dim(self, film: Film) -> None:
        """Put out what is lit."""
        if self._lit:
            film.play(*map(Vanish, self._lit), run_time=0.3)
        self._lit = ()

    def move(self, box: Box) -> Become:
        """Return the animation that moves the formula into another box."""
        target = put(set_term(self.term, self.theme), box)
        self.box = box
        return Become(self.shown, target)

    def part(self, name: str) -> VGroup:
        """Return the glyphs of a part."""
        path = self.path(name)
        return self.shown.own(path)[: len("softmax")] if name == "softmax" else self.shown.at(path)

    def path(self, name: str) -> Path:
        """Return where in the term a part is."""
        if name == "softmax":
            is_softmax = lambda node: node.op == "def" and node.data.name.startswith("softmax")
            return self._path(is_softmax)
        if name in _BEARERS:
            bearers = roles_of(self.term).items()
            return next(path for path, role in bearers if role == _BEARERS[name])
        return *self._path(lambda node: node.op == "div"), 0 if name == "scores" else 1

    def _path(self, wanted: Callable[[Term], bool]) -> Path:
        return next(path for path, node in nodes(self.term) if wanted(node))

    def _foot_of(self, lit: VGroup) -> VGroup:
        """Return the glyphs from the lit ones downwards, so that a thread crosses none."""
        left, right = lit.get_left()[0], lit.get_right()[0]
        inside = [g for g in self.shown if left <= g.get_x() <= right]
        return VGroup(*inside)
