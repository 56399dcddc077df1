"""Colours that can be read, sizes that can be seen."""

import pytest

from animations.errors import FilmError
from animations.theme import (
    FRAMES,
    LEAST_CONTRAST,
    MATH,
    THEMES,
    TYPE,
    Box,
    Setting,
    contrast,
)
from animations.typeset import draw, x_heights


@pytest.mark.parametrize("theme", THEMES.values(), ids=list(THEMES))
def test_whatever_carries_text_stands_out(theme):
    for colour in (theme.ink, theme.muted, theme.accent, *theme.roles.values()):
        assert contrast(colour, theme.background) >= LEAST_CONTRAST
        assert contrast(colour, theme.surface) >= LEAST_CONTRAST


@pytest.mark.parametrize("theme", THEMES.values(), ids=list(THEMES))
def test_roles_have_one_colour_each_that_nothing_else_has(theme):
    colours = [theme.ink, theme.muted, theme.accent, *theme.roles.values()]
    assert len(set(colours)) == len(colours)
    assert {"Q", "K", "V"} <= set(theme.roles)


def test_both_themes_know_the_same_roles():
    dark, light = THEMES.values()
    assert list(dark.roles) == list(light.roles)


def test_contrast_is_that_of_wcag():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("name", TYPE)
def test_every_size_of_text_is_legible(name):
    assert TYPE[name] * x_heights()[""] >= FRAMES["16:9"].least_x_height


def test_formulas_are_legible_down_to_their_scripts():
    script = x_heights()[draw("x_k").inks[-1].symbol]
    for name in ("display", "math"):
        assert MATH[name] * script >= FRAMES["16:9"].least_x_height


@pytest.mark.parametrize("frame", FRAMES.values(), ids=list(FRAMES))
def test_stage_and_caption_strip_share_the_safe_area(frame):
    assert frame.safe.holds(frame.stage)
    assert frame.safe.holds(frame.strip)
    assert frame.stage.overlap(frame.strip) == 0
    assert frame.safe.left - frame.whole.left == pytest.approx(0.05 * frame.width)
    assert frame.safe.bottom - frame.whole.bottom == pytest.approx(0.05 * frame.height)


def test_a_box_that_sticks_out_is_not_held():
    box = Box(0, 0, 2, 1)
    assert box.holds(Box(0, 0, 2, 1))
    assert not box.holds(Box(0, 0, 2.1, 1))
    assert box.overlap(Box(1, 0.5, 5, 5)) == pytest.approx(0.5)
    assert box.overlap(Box(3, 0, 4, 1)) == 0


def test_an_unknown_theme_or_aspect_is_refused():
    with pytest.raises(FilmError, match="dark or light"):
        Setting(theme="sepia")
    with pytest.raises(FilmError, match="16:9 or 9:16"):
        Setting(aspect="4:3")


def test_an_unknown_role_is_refused():
    with pytest.raises(FilmError, match="one of Q, K, V"):
        THEMES["dark"].role("W")
