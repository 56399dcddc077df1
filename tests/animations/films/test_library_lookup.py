"""The film of the library: shares as wide as weights, books drawn out by them."""

import numpy as np
import pytest

from animations.films.library_lookup import BOOKS, worked
from animations.parts.blend import Blend
from animations.parts.bookshelf import Bookshelf
from animations.theme import DARK
from animations.words import load
from derive.examples import load as example
from derive.examples.library import BOOKS as SHELF


@pytest.fixture
def shelf():
    return Bookshelf(["家常菜", "Silk Road"], ["[K|烹饪]", "[K|travel]"], DARK, height=3)


@pytest.mark.parametrize("reader", ["grow-and-cook", "grow"])
def test_its_arrays_are_those_of_the_exact_example(reader):
    numbers, case = worked(reader), example("library").case(reader)
    for name in ("scores", "scaled", "exponentials", "weights", "output"):
        assert getattr(numbers, name) == pytest.approx(np.array(case.step(name).decimal)), name


def test_its_titles_are_those_of_the_books_in_their_order():
    told = [f"《{load().get(f'library.book.{book}', 'zh')}》" for book in BOOKS]
    assert told == list(SHELF)


def test_shares_are_exactly_as_wide_as_the_weights():
    weights = worked("grow-and-cook").weights[0]
    blend = Blend(weights, DARK, width=8)
    assert [share.width for share in blend.shares] == pytest.approx(8 * weights)
    assert blend.shares.width == pytest.approx(8)


def test_flows_begin_and_end_as_wide_as_their_share(shelf):
    blend = Blend([0.25, 0.75], DARK, width=4).shift([0, -4, 0])
    for flow, spine, share in zip(
        blend.flows(shelf.spines), shelf.spines, blend.shares, strict=True
    ):
        start, middle, low, _ = flow.get_vertices()
        assert middle[0] - start[0] == pytest.approx(share.width)
        assert (start[0] + middle[0]) / 2 == pytest.approx(spine.get_x())
        assert low[1] == pytest.approx(share.get_top()[1])


def test_books_stand_on_their_board_with_titles_inside(shelf):
    for spine in shelf.spines:
        assert spine.back.get_bottom()[1] == pytest.approx(shelf.board.get_y())
        assert spine.title.height < spine.back.height
        assert spine.label.get_bottom()[1] > shelf.board.get_y()


def test_books_are_drawn_out_in_proportion(shelf):
    assert [step[1] for step in shelf.drawn_out([0.2, 0.8], 1.0)] == pytest.approx([0.2, 0.8])


def test_the_book_that_is_said_to_be_half_and_half_is():
    assert worked("grow-and-cook").V[BOOKS.index("plate")] == pytest.approx([0.5, 0.5, 0])
