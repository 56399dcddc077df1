"""What a frame of a moving formula costs, beside Manim's own animations."""

import statistics
import time

from manim import FadeIn, ReplacementTransform

from animations.formula import Formula
from animations.morph import Morph
from animations.motion import Appear
from animations.theme import DARK

FRAMES = 60
PATHS = tuple((k,) for k in range(30))


class Tagged:
    """Thirty indexed letters, each a node."""

    source = " ".join(f"tag(#{k + 1}, a_{k})" for k in range(30))
    paths = PATHS


def per_frame(animation) -> float:
    """Return the median time of a frame, in milliseconds."""
    animation.begin()
    times = []
    for frame in range(FRAMES):
        start = time.perf_counter()
        animation.interpolate(frame / FRAMES)
        times.append(1e3 * (time.perf_counter() - start))
    return statistics.median(times)


def test_morph_beside_manims_transform():
    old, new = Formula(Tagged, DARK), Formula(Tagged, DARK).shift([0.0, 2.0, 0.0])
    ours = per_frame(Morph(old, new, {path: path for path in PATHS}))
    theirs = per_frame(ReplacementTransform(old.copy(), new.copy()))
    print(
        f"\nMorph {ours:.2f} ms, ReplacementTransform {theirs:.2f} ms a frame: {theirs / ours:.0f} times"
    )
    assert theirs >= 3 * ours


def test_appear_beside_manims_fade():
    formula = Formula(Tagged, DARK)
    ours, theirs = per_frame(Appear(formula.copy())), per_frame(FadeIn(formula.copy()))
    print(f"\nAppear {ours:.2f} ms, FadeIn {theirs:.2f} ms a frame: {theirs / ours:.0f} times")
    assert theirs >= 5 * ours
