"""What lights up in the formula stays legible, whatever moves meanwhile."""

from manim import DOWN, RIGHT, Square

from animations.check.inspect import DryRenderer
from animations.film import Film, beat
from animations.motion import Move
from animations.parts.acting import ActingFormula
from animations.parts.spotlight import Spotlight
from animations.parts.terms import OUTPUT
from animations.theme import Box, Setting


class Lit(Film):
    @beat(draws=("apple",))
    def only(self):
        self.acting = ActingFormula(OUTPUT, Box(-6, 0, 6, 3), self.theme)
        self.target = Square().shift(2 * DOWN)
        self.add(self.acting.shown, self.target)
        self.acting.light(self, "softmax", self.target)


def test_the_light_rests_with_the_formula_before_it(dry):
    """Manim draws what moves over what rests, and lets a group move as a whole."""
    film = Lit(renderer=DryRenderer(), setting=Setting())
    film.render()
    moving, resting = film.get_moving_and_static_mobjects([Move(film.target, RIGHT)])
    light = next(m for m in film.get_mobject_family_members() if isinstance(m, Spotlight))
    assert film.acting.shown[0] in resting
    assert resting.index(light) < resting.index(film.acting.shown[0])
    assert light not in moving
    film.acting.dim(film)
    assert not any(isinstance(m, Spotlight) for m in film.mobjects)
