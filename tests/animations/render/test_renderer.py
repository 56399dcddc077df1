"""The fast renderer gives plain Manim's frames, bit for bit."""

import numpy as np
import pytest
from manim import (
    BLUE,
    DOWN,
    GREEN,
    LEFT,
    RED,
    RIGHT,
    UP,
    YELLOW,
    Circle,
    Create,
    Dot,
    FadeIn,
    FadeOut,
    LaggedStart,
    Line,
    PMobject,
    Rotate,
    Scene,
    Square,
    Star,
    Transform,
    ValueTracker,
    VGroup,
    always_redraw,
    there_and_back,
)

pytestmark = pytest.mark.render


class Moves(Scene):
    def construct(self):
        dots = VGroup(*[Dot(color=RED).shift(RIGHT * i) for i in range(-3, 4)])
        star = Star(color=YELLOW, fill_opacity=0.5, stroke_width=9).shift(UP)
        self.play(FadeIn(dots), Create(star), run_time=0.5)
        self.wait(0.35)
        self.play(Rotate(star, 1), run_time=0.7)
        self.play(dots.animate.shift(DOWN * 2).set_color(GREEN), run_time=0.4)
        self.play(FadeOut(dots), run_time=0.3)


class StillAndMoving(Scene):
    def construct(self):
        under, over = Square(3, fill_opacity=0.7, color=BLUE), Circle(color=RED, fill_opacity=0.3)
        self.add(under)
        self.play(over.animate.shift(LEFT * 5 + UP * 3), run_time=0.5)
        self.play(under.animate.scale(3), over.animate.shift(DOWN * 5), run_time=0.5)
        self.wait(0.2)


class Updaters(Scene):
    def construct(self):
        value = ValueTracker(0)
        line = always_redraw(lambda: Line(LEFT * 3, RIGHT * 3 + UP * value.get_value()))
        self.add(line)
        self.play(value.animate.set_value(3), rate_func=there_and_back, run_time=0.8)
        dot = Dot().add_updater(lambda mobject, dt: mobject.shift(RIGHT * dt))
        self.add(dot)
        self.wait(0.5)


class Gradients(Scene):
    def construct(self):
        square = Square(fill_opacity=1).set_color_by_gradient(RED, BLUE)
        outlined = Circle().set_stroke(YELLOW, 12, background=True).set_fill(GREEN, 0.4)
        self.play(LaggedStart(FadeIn(square), FadeIn(outlined.shift(RIGHT * 2))), run_time=0.6)
        self.play(Transform(square, Star(7)), run_time=0.5)


class Clouds(Scene):
    """Point clouds are left to Manim's own camera, between outlines that are not."""

    def construct(self):
        cloud = PMobject(stroke_width=8)
        cloud.add_points(np.array([[x / 5, 2.0, 0] for x in range(20)]))
        self.add(cloud)
        self.play(cloud.animate.shift(RIGHT * 2 + DOWN), FadeIn(Dot()), run_time=0.4)
        self.play(FadeIn(Dot().shift(DOWN)), run_time=0.3)


class Nothing(Scene):
    def construct(self):
        self.wait(0.3)
        square = Square()
        self.play(FadeIn(square), run_time=0.3)
        self.play(FadeOut(square), run_time=0.3)
        self.wait(0.2)


SCENES = [Moves, StillAndMoving, Updaters, Gradients, Clouds, Nothing]


@pytest.mark.parametrize("kind", SCENES)
def test_frames_are_those_of_plain_manim(kind, plain_frames, fast):
    expected, got = plain_frames(kind), fast(kind).frames
    assert len(got) == len(expected)
    for number, (mine, plain) in enumerate(zip(got, expected, strict=True)):
        assert np.array_equal(mine, plain), f"frame {number} differs"


@pytest.mark.parametrize("kind", SCENES)
def test_frames_are_counted_before_they_are_drawn(kind, fast):
    kept = fast(kind)
    assert kept.predicted == len(kept.frames)


def test_a_scene_without_sections_has_one(fast):
    assert fast(Moves).sections == ["autocreated"]


def test_only_rows_that_changed_are_passed_on(small):
    """A dot that moves sideways must not cost whole frames."""
    from animations.render.renderer import SectionRenderer

    class Slide(Scene):
        def construct(self):
            self.play(Dot().animate.shift(RIGHT), run_time=0.5)

    heights = []

    class Heights:
        attach = play = end = lambda self, *_: None
        begin = cut = lambda self, *_: True

        def write(self, band, repeat=1):
            heights.append(len(band.pixels))

    Slide(renderer=SectionRenderer(Heights())).render()
    assert heights[0] == 120
    assert max(heights[1:]) < 30


@pytest.mark.slow
def test_memory_does_not_grow_over_three_hundred_plays(small):
    """Neither Manim's own kind of scene nor a film may keep what it has played."""
    import gc
    import tracemalloc

    from animations.film import Film, beat
    from animations.render.renderer import SectionRenderer

    held = []

    class Many(Film):
        @beat()
        def plays(self):
            dot = self.label("苹果")
            self.add(dot)
            for number in range(300):
                self.play(dot.animate.shift(RIGHT * (-1) ** number), run_time=0.1)
                if number in (99, 299):
                    gc.collect()
                    held.append(tracemalloc.get_traced_memory()[0])

    class Forgets:
        attach = play = end = write = lambda self, *_: None
        begin = cut = lambda self, *_: True

    tracemalloc.start()
    try:
        Many(renderer=SectionRenderer(Forgets())).render()
    finally:
        tracemalloc.stop()
    assert held[1] - held[0] < 300_000
