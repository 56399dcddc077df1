"""Typst source to outlines: identity, layout, fonts, glyphs."""

import io

import numpy as np
import pytest
from PIL import Image

from animations import typeset
from animations.errors import FilmError
from animations.typeset import choose_family, draw, missing_symbols, quoted, untagged, x_heights

PARTS = {
    "binary operator": ("a + b", "a tag(#1, +) b"),
    "subscript": ("x_i", "tag(#1, x)_tag(#2, i)"),
    "scripts in both orders": (
        "A^n_1 + A_1^n",
        "A^tag(#1, n)_tag(#2, 1) + A_tag(#3, 1)^tag(#4, n)",
    ),
    "power of an indexed letter": ("x_i^k", "tag(#1, x)_tag(#2, i)^tag(#3, k)"),
    "sum with limits": ("sum_(j=1)^n a_j", "tag(#1, sum)_(tag(#2, j)=1)^tag(#3, n) a_j"),
    "fraction": ("(a + b)/c", "tag(#1, (tag(#2, a) + b)/tag(#3, c))"),
    "root": ("sqrt(d_k)", "tag(#1, sqrt(tag(#2, d)_tag(#3, k)))"),
    "operator name": ('op("Var")(q)', 'tag(#1, op("Var"))(tag(#2, q))'),
    "matrix": ("mat(1, 2; 3, 4; 5, 6)", "mat(1, tag(#1, 2); 3, tag(#2, 4); tag(#3, 5), 6)"),
    "Chinese subscript": ('x_"苹果" + Omega', 'x_tag(#1, "苹果") + tag(#2, Omega)'),
}


@pytest.mark.parametrize("case", PARTS)
def test_tags_leave_the_layout_as_it_was(case):
    bare, tagged = (draw(source) for source in PARTS[case])
    assert [ink.symbol for ink in bare.inks] == [ink.symbol for ink in tagged.inks]
    for one, other in zip(bare.inks, tagged.inks, strict=True):
        np.testing.assert_array_equal(one.points, other.points)


@pytest.mark.parametrize("case", PARTS)
def test_every_tag_is_found_again(case):
    bare, tagged = (draw(source) for source in PARTS[case])
    count = PARTS[case][1].count("tag(")
    assert {ink.tag for ink in tagged.inks} - {0} == set(range(1, count + 1))
    assert {ink.tag for ink in bare.inks} == {0}


def test_the_innermost_tag_wins_and_a_node_owns_what_it_draws_itself():
    inks = draw("tag(#1, tag(#2, sqrt(tag(#3, d)))/tag(#4, n))").inks
    rules = [ink for ink in inks if not ink.symbol]
    assert [ink.tag for ink in inks if ink.symbol] == [2, 3, 4]
    assert sorted(ink.tag for ink in rules) == [1, 2]  # the fraction's bar, the radical's


def test_a_rule_is_as_thick_and_as_long_as_typst_strokes_it():
    bar = next(ink for ink in draw("frac(a, b)").inks if not ink.symbol)
    width, height, _ = np.ptp(bar.points, axis=0)
    assert height == pytest.approx(0.048, abs=0.001)  # 0.528 pt of 11
    assert 0.4 < width < 0.7


def test_tag_numbers_beyond_a_byte_survive():
    assert [ink.tag for ink in draw("tag(#255, a) tag(#256, b) tag(#65535, c)").inks] == [
        255,
        256,
        65535,
    ]


def test_outlines_are_closed_cubics_in_ems():
    for ink in draw('sqrt(8) "苹果"').inks:
        assert len(ink.points) % 4 == 0
        curves = ink.points.reshape(-1, 4, 3)
        joined = np.isclose(curves[:-1, 3], curves[1:, 0]).all(axis=1)
        starts = np.r_[0, np.flatnonzero(~joined) + 1]
        ends = np.r_[starts[1:], len(curves)] - 1
        np.testing.assert_allclose(curves[starts, 0], curves[ends, 3])
    height = np.ptp(draw(quoted("x")).inks[0].points[:, 1])
    assert 0.4 < height < 0.5


def test_outlines_cannot_be_written_to():
    with pytest.raises(ValueError, match="read-only"):
        draw("a").inks[0].points[0] = 0


def test_baseline_is_where_flat_letters_stand():
    drawing = draw("x")
    assert abs(drawing.inks[0].points[:, 1].min() - drawing.baseline) < 0.02
    deep = draw('"g"')
    assert deep.inks[0].points[:, 1].min() < deep.baseline - 0.15


def test_a_machine_without_the_family_is_told_what_to_install():
    with pytest.raises(FilmError, match="apt install fonts-noto-cjk"):
        choose_family(typeset.CJK_FAMILIES, ["DejaVu Sans", "New Computer Modern"])


def test_families_are_tried_in_order():
    assert choose_family(["A", "B", "C"], ["C", "B"]) == "B"


def test_a_misspelt_family_is_an_error_not_a_fallback():
    with pytest.raises(FilmError, match="unknown font family: no such family"):
        draw('#text(font: "No Such Family")[abc]', math=False)


def test_a_character_without_a_glyph_is_an_error_that_names_it():
    with pytest.raises(FilmError, match="\U0001f34e") as caught:
        draw(quoted("苹果\U0001f34e"))
    assert caught.value.kind == "missing-glyph"


@pytest.mark.parametrize("level", typeset.LEVELS)
def test_missing_glyphs_are_recognised_at_every_size(level):
    with pytest.raises(FilmError):
        draw(level.format(quoted("\U0001f34e")))
    assert "" not in missing_symbols()


@pytest.mark.parametrize(
    ("tagged", "plain"),
    [
        ("frac(a, tag(#1, b))", "frac(a, b)"),
        ("tag(#1, tag(#2, K)^(⊤)) (x)", "K^(⊤) (x)"),
        (r'tag(#1, "a)(tag(#1, ") \( tag(#2, x \)) op("tat")', r'"a)(tag(#1, " \( x \) op("tat")'),
    ],
)
def test_a_source_can_be_read_without_its_tags(tagged, plain):
    assert untagged(tagged) == plain


def test_bad_source_says_what_typst_says():
    with pytest.raises(FilmError, match="unknown variable: foo"):
        draw("foo")


def test_scripts_are_known_to_be_smaller():
    heights = x_heights()
    big, small = (draw(source).inks[-1] for source in ("k", "x_k"))
    assert heights[small.symbol] < 0.85 * heights[big.symbol]


def test_markup_in_words_is_only_text():
    assert len(draw("#tag(1, " + quoted('a"b\\c#d$e') + ")", math=False).inks) == 9


GLYPHS = "我吃苹果发布手机查询键值问答图书馆国回品圆"


@pytest.mark.parametrize("character", GLYPHS)
def test_ink_of_chinese_glyphs_equals_an_independent_rasteriser(character):
    """Wrong winding would fill counters or hollow strokes; Typst draws the same text itself."""
    page = "#set page(margin: 40pt)\n#set text(size: 88pt)\n"
    document = typeset._preamble(None) + page + character
    png = typeset._compiler().compile(input=document.encode(), format="png", ppi=72)
    alpha = np.asarray(Image.open(io.BytesIO(png)).convert("RGBA"))[..., 3] / 255
    mine = _winding_area(draw(character, math=False).inks[0].points)
    assert abs(alpha.sum() / 88**2 - mine) < 0.01 * mine + 1e-3


def _winding_area(points, lines=400):
    """Measure where the winding number is not zero, by counting crossings along lines."""
    curves = points[:, :2].reshape(-1, 4, 2)
    t = np.linspace(0, 1, 9)
    weights = np.stack([(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3], axis=1)
    path = np.einsum("tk,nkx->ntx", weights, curves)
    a, b = path[:, :-1].reshape(-1, 2), path[:, 1:].reshape(-1, 2)
    low, high = points[:, 1].min(), points[:, 1].max()
    step = (high - low) / lines
    return step * sum(_inked(a, b, low + (i + 0.5) * step) for i in range(lines))


def _inked(a, b, y):
    up, down = (a[:, 1] <= y) & (b[:, 1] > y), (b[:, 1] <= y) & (a[:, 1] > y)
    hit = up | down
    x = a[hit, 0] + (y - a[hit, 1]) / (b[hit, 1] - a[hit, 1]) * (b[hit, 0] - a[hit, 0])
    order = np.argsort(x)
    winding = np.cumsum(np.where(up[hit], 1, -1)[order])
    return float(np.diff(x[order])[winding[:-1] != 0].sum())
