"""Bulk animations: the same pictures as Manim's own, and groups left whole."""

import numpy as np
import pytest
from manim import RIGHT, UP, FadeIn, Scene, Square, VGroup

from animations.check.inspect import DryRenderer
from animations.motion import Appear, Move, Tint, Vanish
from animations.theme import DARK


@pytest.fixture
def scene(dry):
    return Scene(renderer=DryRenderer())


@pytest.fixture
def word(formula):
    return formula("tag(#1, a) tag(#2, b) tag(#3, c)", (0,), (1,), (2,))


def opacities(group):
    return [float(shape.fill_rgbas[0, 3]) for shape in group]


@pytest.mark.parametrize("lag", [0.0, 0.5])
def test_appear_gives_manims_own_fade(word, lag):
    mine, theirs = word, word.copy()
    for animation in (Appear(mine, lag_ratio=lag), FadeIn(theirs, lag_ratio=lag)):
        animation.begin()
        animation.interpolate(0.4)
    family = theirs.family_members_with_points()
    np.testing.assert_allclose(opacities(mine), opacities(family), atol=1e-9)


def test_appear_rises_to_its_place(word):
    there = word.get_center()
    motion = Appear(word, rise=0.3)
    motion.begin()
    np.testing.assert_allclose(word.get_center(), there - 0.3 * UP, atol=1e-9)
    motion.finish()
    np.testing.assert_allclose(word.get_center(), there, atol=1e-9)


def test_what_vanished_is_gone_and_can_come_again(scene, word):
    scene.play(Appear(word))
    scene.play(Vanish(word))
    assert scene.mobjects == []
    assert opacities(word) == [1.0, 1.0, 1.0]


def test_move_shifts_and_grows_about_the_middle(scene, word):
    width = word.shift(UP).width
    scene.play(Move(word, 2 * RIGHT, factor=1.5))
    np.testing.assert_allclose(word.get_center(), 2 * RIGHT + UP, atol=1e-9)
    assert word.width == pytest.approx(1.5 * width)


def test_a_part_changes_without_taking_the_formula_apart(scene, word):
    scene.add(word)
    scene.play(Tint(word.at((1,)), DARK.accent))
    assert scene.mobjects == [word]
    colours = [glyph.fill_color.to_hex().lower() for glyph in word]
    assert colours == [DARK.ink, DARK.accent, DARK.ink]


def test_a_stroke_is_tinted_too_and_keeps_its_opacity(scene):
    square = Square(stroke_opacity=0.5)
    scene.play(Tint(square, "#ff0000"))
    np.testing.assert_allclose(square.stroke_rgbas[0], [1, 0, 0, 0.5], atol=1e-9)


def test_shapes_of_every_kind_move_together(scene, word):
    group = VGroup(word, Square())
    before = [shape.get_center() for shape in group.family_members_with_points()]
    scene.play(Move(group, UP))
    after = [shape.get_center() for shape in group.family_members_with_points()]
    np.testing.assert_allclose(np.subtract(after, before), np.tile(UP, (4, 1)), atol=1e-9)
