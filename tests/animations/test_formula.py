"""Formulas, phrases and numbers: every part is found by what it is, never by its look."""

import numpy as np
import pytest
from manim import UP, VGroup, VMobject, tempconfig
from manim.camera.camera import Camera

from animations.errors import FilmError
from animations.formula import Formula, Phrase, Quantity, block_of, line_up
from animations.theme import DARK, LIGHT

ATTENTION = (
    r'op("softmax") tag(#1, (tag(#2, (tag(#3, Q) tag(#4, K)^top)/tag(#5, sqrt(tag(#6, d)_k)))))'
    r" tag(#7, V)"
)
PATHS = ((0,), (0, 0), (0, 0, 0), (0, 0, 1), (0, 0, 2), (0, 0, 2, 0), (1,))


@pytest.fixture
def attention(formula):
    return formula(ATTENTION, *PATHS)


def test_at_gives_a_node_with_everything_under_it(attention):
    fraction, root = attention.at((0, 0)), attention.at((0, 0, 2))
    assert {g.owner for g in root} == {(0, 0, 2), (0, 0, 2, 0)}
    assert all(g in list(fraction) for g in root)
    assert not set(map(id, attention.at((1,)))) & set(map(id, fraction))


def test_own_gives_only_what_the_node_draws(attention):
    assert len(attention.own((0, 0, 2, 0))) == 1  # d
    radical = attention.own((0, 0, 2))  # the sign, its bar and the untagged k
    assert sorted(bool(g.symbol) for g in radical) == [False, True, True]
    assert len(attention.own((0,))) == 2  # the parentheses


def test_the_root_path_is_everything_that_a_node_drew(formula):
    whole = formula("tag(#1, tag(#2, a) + b)", (), (0,))
    assert len(whole.at(())) == 3
    assert len(whole.own(())) == 2


def test_an_unknown_path_names_those_there_are(attention):
    with pytest.raises(FilmError, match=r"the part \(7,\)"):
        attention.at((7,))


def test_roles_colour_the_node_and_nothing_else(formula):
    mixed = formula("tag(#1, d)_tag(#2, k) sqrt(tag(#3, d))", (0,), (1,), (2,), roles={(0,): "Q"})
    colours = {g.owner: g.fill_color.to_hex().lower() for g in mixed}
    assert colours[(0,)] == DARK.role("Q")
    assert colours[(1,)] == colours[(2,)] == DARK.ink


def test_formulas_stand_centred_and_at_the_size_asked_for(formula):
    small, large = (formula("tag(#1, x)", (0,), em=em) for em in (0.5, 1.0))
    np.testing.assert_allclose(small.get_center(), 0, atol=1e-9)
    assert large.height == pytest.approx(2 * small.height)


def test_a_glyph_knows_its_size_through_scaling(formula):
    letter = formula("tag(#1, x)", (0,), em=0.5)
    assert letter.scale(1.5)[0].em == pytest.approx(0.75)


def test_glyphs_are_complete_and_share_nothing(formula):
    """They are not set up by VMobject's own constructor, so nothing of it may be missing."""
    one, other = formula("tag(#1, x x)", (0,))
    fresh = VMobject(stroke_width=0, fill_opacity=1, fill_color=DARK.ink)
    assert set(vars(one)) - set(vars(fresh)) == {"symbol", "owner", "block", "role", "extent"}
    for name, value in vars(fresh).items():
        mine = getattr(one, name)
        assert type(mine) is type(value)
        if isinstance(value, np.ndarray) and name != "points":
            np.testing.assert_array_equal(mine, value)
        if isinstance(value, np.ndarray | list | dict):
            assert mine is not getattr(other, name)


def test_a_copy_owns_its_glyphs(attention):
    twin = attention.copy()
    assert {block_of(g) for g in twin} == {twin}
    assert {block_of(g) for g in attention} == {attention}
    twin.shift(UP)
    assert twin.get_y() == pytest.approx(attention.get_y() + 1)


def test_the_theme_decides_the_colours(tagged):
    light = Formula(tagged("tag(#1, x)", (0,)), LIGHT)
    assert light[0].fill_color.to_hex().lower() == LIGHT.ink


def test_spaces_do_not_shift_the_colours_of_parts():
    phrase = Phrase("the [Q|query 查询] 和 [K|key 标签] !", DARK)
    by_role = {role: len(phrase.part(role)) for role in ("Q", "K")}
    assert by_role == {"Q": 7, "K": 5}
    assert len(phrase) == 3 + 7 + 1 + 5 + 1


def test_a_phrase_mixes_words_and_formulas():
    phrase = Phrase("除以 $sqrt(d_k)$", DARK)
    assert len(phrase) == 2 + 4


def test_a_phrase_breaks_lines_at_its_width():
    words = "一句很长的话放不进一行里" * 3
    one, wrapped = Phrase(words, DARK), Phrase(words, DARK, width=5)
    assert wrapped.width <= 5
    assert wrapped.height > 2 * one.height


def test_a_phrase_breaks_lines_where_the_words_do():
    assert Phrase("上\n下", DARK).height > 1.5 * Phrase("上", DARK).height


def test_what_draws_nothing_is_refused():
    with pytest.raises(FilmError, match="draws nothing"):
        Phrase("   ", DARK)


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.80664, "0.807"), (-2.5, "−2.500"), (-0.0001, "0.000"), (2.1213, "2.121")],
)
def test_a_quantity_writes_its_cell(value, shown):
    number = Quantity(lambda: value, DARK)
    assert number.shown == shown
    assert number.drawn()


def test_a_quantity_notices_that_its_cell_changed():
    cells = np.array([[0.25, 0.75]])
    number = Quantity(lambda: cells[0, 1], DARK, label="A[0, 1]")
    cells[0, 1] = 0.5
    assert (number.shown, number.expected()) == ("0.750", "0.500")


def test_a_quantity_notices_foreign_glyphs():
    one, other = (Quantity(lambda v=v: v, DARK) for v in (0.125, 0.521))
    one.submobjects = other.submobjects
    assert not one.drawn()


def test_blocks_line_up_on_their_baselines(formula):
    row = line_up(formula("tag(#1, g)", (0,)), Quantity(lambda: 1.0, DARK), Phrase("gx", DARK))
    assert isinstance(row, VGroup)
    assert len({round(block.baseline, 6) for block in row}) == 1
    assert row[0].get_right()[0] < row[1].get_left()[0]


def test_chinese_glyphs_are_filled_on_the_screen():
    """The ink that Manim's camera lays down, against the outlines' own area."""
    phrase = Phrase("图书馆苹果", DARK, em=1.5)
    with tempconfig({"pixel_width": 854, "pixel_height": 480}):
        camera = Camera(background_color="#000000")
        for glyph in phrase:
            glyph.set_fill("#ffffff")
        camera.capture_mobjects([phrase])
    ink = camera.pixel_array[..., 0].sum() / 255 / 60**2  # 60 pixels a unit
    box = sum(g.width * g.height for g in phrase)
    assert 0.25 * box < ink < 0.6 * box
