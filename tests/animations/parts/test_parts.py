"""Each part draws what it is given, and stands where it is put."""

from pathlib import Path

import numpy as np
import pytest
from manim import LEFT, Square

from animations import parts
from animations.formula import Formula, Phrase
from animations.parts.acting import ActingFormula, set_term
from animations.parts.bars import Bars
from animations.parts.connector import Connector
from animations.parts.dot_product import DotProduct
from animations.parts.gallery import page, specimens
from animations.parts.grid import Grid
from animations.parts.growth import grow
from animations.parts.layout import above_columns, beside, halves, hold, on_lines, put, stacked
from animations.parts.legend import PARTS, Legend, symbol_of
from animations.parts.motions import Arrive, Become, Depart, Fold, Grow
from animations.parts.plane import Plane
from animations.parts.product import Product
from animations.parts.roles import roles_of
from animations.parts.table import Table
from animations.parts.terms import OUTPUT, SCORES
from animations.parts.tokens import TokenRow
from animations.parts.worked import Worked
from animations.theme import DARK, Box
from derive import definitions as words
from derive.examples import load
from derive.notation.typst import typst

BOX = Box(-6, -3, 6, 3)


@pytest.fixture
def numbers():
    return Worked.of(load("apple").case("fruit"))


def test_weights_are_the_exponentials_over_their_total(numbers):
    assert numbers.weights == pytest.approx(numbers.exponentials / numbers.totals[:, None])
    assert numbers.output == pytest.approx(numbers.weights @ numbers.V)


def test_a_lookup_needs_no_matrices():
    book = Worked.of(load("address-book").case("zhang-address"))
    assert book.given == {}
    assert book.output[0] == pytest.approx([0.691, 0.154, 0.154], abs=5e-4)


def test_a_dot_product_shows_both_vectors_and_the_score(numbers):
    product = DotProduct(numbers.Q[2], numbers.K[1], numbers.scores, (2, 1), DARK)
    assert [n.shown for n in product.left] == ["3", "0"]
    assert [n.shown for n in product.right] == ["1", "0"]
    assert product.score.shown == "3"
    assert {g.role for n in product.left for g in n} == {"Q"}
    assert {g.role for n in product.right for g in n} == {"K"}
    assert len(product.signs) == 3


def test_a_product_lines_up_entries_rows_and_result(numbers):
    X, W = numbers.given["X"], numbers.given["W_Q"]
    product = Product(
        X[2],
        W,
        numbers.Q[2],
        DARK,
        names=("x", "W_Q", "q"),
        titles=("a", "b", "c"),
        role="Q",
        rows="abcd",
        columns="xy",
    )
    for i, entry in enumerate(product.entries):
        assert entry.baseline == pytest.approx(product.matrix.at(i).baseline)
        assert product.rows[i].get_y() == pytest.approx(product.matrix.at(i).get_y(), abs=0.1)
    assert product.result.at(0, 1).get_x() == pytest.approx(
        product.matrix.at(0, 1).get_x(), abs=0.01
    )
    light = product.light(1)
    assert light.get_left()[0] < product.rows[1].get_left()[0]


def test_bars_are_as_long_as_weights_are_large(numbers):
    bars = Bars(numbers.weights, 2, DARK, heights=(1, 0, -1), length=3)
    widths = [bar.width for bar in bars.bars]
    assert widths == pytest.approx(3 * numbers.weights[2])
    assert [n.shown for n in bars.numbers] == ["0.097", "0.807", "0.097"]


def test_a_plane_knows_its_points_wherever_it_is_moved():
    plane = Plane(DARK, side=4, across="food", up="tech").shift([1, 2, 0])
    assert plane.at((1, 0)) - plane.at((0, 0)) == pytest.approx([4, 0, 0])
    assert plane.at((0, 1)) - plane.at((0, 0)) == pytest.approx([0, 4, 0])
    assert plane.dot((0.5, 0.25)).get_center() == pytest.approx(plane.at((0.5, 0.25)))


def test_pulls_are_as_thick_as_weights_are_large(numbers):
    plane = Plane(DARK, side=4, across="food", up="tech")
    pulls = plane.pulls(numbers.V, numbers.weights[2], numbers.output[2])
    thick = [line.stroke_width for line in pulls]
    assert np.argmax(thick) == np.argmax(numbers.weights[2])
    assert all(p.get_end() == pytest.approx(plane.at(numbers.output[2])) for p in pulls)


def test_boxes_share_out_their_room():
    left, right = beside(BOX, 0.25, gap=1)
    assert (left.width, right.width) == (2.5, 8.5)
    upper, lower = stacked(BOX, 0.5, gap=1)
    assert (upper.height, lower.height) == (2.5, 2.5)
    assert halves(BOX)[0].height == BOX.height
    assert halves(Box(-3, -6, 3, 6))[0].width == 6


def test_things_are_made_smaller_only_where_they_must_be():
    assert put(Square(2), BOX).width == pytest.approx(2)
    assert put(Square(20), BOX).height == pytest.approx(BOX.height)


def test_things_are_held_within_a_box():
    assert BOX.right - 0.1 < hold(Square(2).shift([9, 0, 0]), BOX).get_right()[0] < BOX.right
    assert hold(Square(2), BOX).get_x() == 0


def test_type_of_one_row_shares_a_baseline_whatever_its_letters():
    table = Table(BOX, {"a": 0.2, "b": 0.5, "c": 0.8}, 2)
    words = zip("abc", ("noun", "apple", "苹果"), strict=True)
    row = [table.put(Phrase(word, DARK, em=0.4), column, 1) for column, word in words]
    assert [word.baseline for word in row] == pytest.approx([row[0].baseline] * 3)
    assert row[2].get_y() == pytest.approx(table.heights[1], abs=0.03)
    tokens = TokenRow(["eat", "apple"], DARK)
    assert tokens[0].word.baseline == pytest.approx(tokens[1].word.baseline)


@pytest.mark.parametrize(("gap", "lines"), [(1.5, 1), (0.1, 2)])
def test_names_above_columns_never_touch(gap, lines):
    grid = Grid(np.zeros(3), DARK, name="x", places=None, gap=(gap, 0))
    names = above_columns(grid, [Phrase(word, DARK, em=0.4) for word in ("travel", "history", "x")])
    assert [n.get_x() for n in names] == pytest.approx([cell.get_x() for cell in grid.cells])
    assert len({round(name.baseline, 6) for name in names}) == lines
    assert all(name.get_bottom()[1] > grid.get_top()[1] for name in names)


def test_a_formula_is_broken_before_the_parts_that_are_given():
    formula = set_term(OUTPUT, DARK)
    value = formula.at(next(path for path, role in roles_of(OUTPUT).items() if role == "V"))
    number, width = len(formula), formula.width
    on_lines(formula, [value])
    assert len(formula) == number
    assert formula.width < width
    rest = [glyph for glyph in formula if glyph.role != "V"]
    assert value.get_top()[1] < min(glyph.get_bottom()[1] for glyph in rest)


def test_a_table_knows_the_room_to_the_next_column_on_the_same_line():
    columns = {"a": 0.25, "b": 0.5, "c": 0.75}
    assert Table(BOX, columns, 2).room("a") == pytest.approx(3)
    assert Table(BOX, columns, 2).room("c") == pytest.approx(3)
    assert Table(BOX, columns, 2, {"b": 0.2}).room("a") == pytest.approx(6)


@pytest.mark.parametrize("columns", [1, 2])
def test_a_legend_sets_meanings_flush_beside_their_symbols(columns):
    names = ("a", "bb", "ccc", "d")
    symbols = {name: Phrase(name, DARK) for name in names}
    meanings = {name: Phrase(name * 3, DARK, em=0.4) for name in names}
    Legend(symbols, meanings, BOX, columns=columns)
    lefts = {round(float(meaning.get_left()[0]), 6) for meaning in meanings.values()}
    assert len(lefts) == columns
    for name in names:
        assert symbols[name].get_right()[0] < meanings[name].get_left()[0]
        assert symbols[name].get_y() == pytest.approx(meanings[name].get_y())


def test_every_symbol_of_the_formula_can_be_drawn_by_itself():
    acting = ActingFormula(OUTPUT, BOX, DARK)
    drawn = {part: symbol_of(acting, part, DARK) for part in PARTS}
    glyphs = {glyph.symbol for symbol in drawn.values() for glyph in symbol}
    brackets = acting.shown.own(acting.path("softmax"))[len("softmax") :]
    assert [g for g in acting.shown if g.symbol and g.symbol not in glyphs] == list(brackets)
    assert [drawn[part][0].role for part in ("queries", "keys", "values")] == ["Q", "K", "V"]


def test_a_table_has_even_rows_below_its_head():
    table = Table(BOX, {"a": 0.25}, 3)
    gaps = np.diff([table.head_height, *table.heights])
    assert gaps == pytest.approx([-1.5] * 3)
    cell = table.put(Square(0.5), "a", 1)
    assert cell.get_center() == pytest.approx([-3, table.heights[1], 0])
    assert table.put(Square(0.5), "a", 1, left=True).get_left()[0] == pytest.approx(-3)
    assert table.light(1, DARK).get_y() == pytest.approx(table.heights[1])


def test_a_marked_token_stands_out():
    row = TokenRow(["一", "二"], DARK, marked=1)
    assert row[1].box.stroke_color.to_hex().lower() == DARK.accent
    assert row[0].box.stroke_color.to_hex().lower() == DARK.muted


def test_a_connector_goes_down_from_one_thing_to_another():
    upper, lower = Square(1).shift([0, 2, 0]), Square(1).shift([3, -2, 0])
    line = Connector(upper, lower, DARK)
    assert line.get_start()[1] < upper.get_bottom()[1]
    assert line.get_end()[1] > lower.get_top()[1]


def test_a_connector_goes_straight_down_to_its_level():
    upper, lower = Square(1).shift([0, 2, 0]), Square(1).shift([3, -2, 0])
    points = Connector(upper, lower, DARK, level=0.0).points
    assert points[3] == pytest.approx([0, 0, 0])
    assert (points[points[:, 1] > 0.01][:, 0] == 0).all()


def test_roles_are_found_in_every_writing():
    Q_, K_, V_ = (words.matmul(words.X, W) for W in (words.W_Q, words.W_K, words.W_V))
    for term in (words.attention(Q_, K_, V_), OUTPUT):
        assert list(roles_of(term).values()) == ["Q", "K", "V"]
    s = words.score(words.query(words.X, words.W_Q), words.key(words.X, words.W_K))
    assert list(roles_of(s[words.i, words.j]).values()) == ["Q", "K"]


def test_a_formula_grows_around_what_was_there():
    small, large = SCORES, words.scaled(SCORES)
    old, new = (Formula(typst(term), DARK) for term in (small, large))
    kinds = [joint.kind for joint in grow(old, new, (small, large)).links]
    assert kinds.count("move") == len(old)
    assert kinds.count("appear") == len(new) - len(old)


def begun(animation):
    animation.begin()
    return animation


def test_what_arrives_comes_from_its_source():
    target, source = Square(1).shift([3, 0, 0]), Square(2).shift([-3, 1, 0])
    motion = begun(Arrive(target, source))
    assert target.get_center() == pytest.approx([-3, 1, 0])
    assert target.height == pytest.approx(2)
    motion.interpolate(1)
    assert target.get_center() == pytest.approx([3, 0, 0])
    assert target.height == pytest.approx(1)


def test_what_becomes_ends_as_its_target():
    one, other = Square(1), Square(2).shift([1, 0, 0])
    begun(Become(one, other)).interpolate(1)
    assert one.points == pytest.approx(other.points)


def test_what_departs_fades_on_its_way():
    one, target = Square(1, fill_opacity=1), Square(1).shift([2, 0, 0])
    motion = begun(Depart(one, target))
    motion.interpolate(1)
    assert one.fill_rgbas[0, 3] == 0
    assert one.get_x() == pytest.approx(2)


def test_what_folds_shrinks_into_its_target_and_never_grows():
    small, large = Square(1, fill_opacity=1), Square(2, fill_opacity=1).shift([3, 0, 0])
    for one, target in ((large.copy(), small), (small.copy(), large)):
        motion = begun(Fold(one, target))
        motion.interpolate(1)
        assert one.get_center() == pytest.approx(target.get_center())
        assert one.height == pytest.approx(1)
        assert one.fill_rgbas[0, 3] == 0


def test_what_grows_starts_at_its_edge():
    bar = Square(2)
    motion = begun(Grow(bar, LEFT))
    assert bar.width == pytest.approx(0)
    assert bar.get_x() == pytest.approx(-1)
    motion.interpolate(1)
    assert bar.width == pytest.approx(2)


def test_the_gallery_shows_every_part_that_draws(tmp_path):
    names = set(specimens(DARK))
    modules = {path.stem for path in Path(parts.__file__).parent.glob("*.py")}
    behind_the_stage = {"__init__", "gallery", "growth", "layout", "motions", "roles", "scoring"}
    behind_the_stage |= {"stagecraft", "terms", "worked"}
    assert names == modules - behind_the_stage
    page(tmp_path / "parts.png")
    assert (tmp_path / "parts.png").stat().st_size > 10_000
