"""Parts that films are built from."""

import numpy as np
import pytest

from animations.check.inspect import inspect
from animations.film import Film, beat
from animations.parts.grid import Grid
from animations.parts.spotlight import Spotlight
from animations.theme import DARK, Setting


@pytest.fixture
def cells():
    return np.array([[3.0, -0.25], [12.5, 0.0]])


def test_a_grid_shows_every_cell_and_names_it(cells):
    grid = Grid(cells, DARK, name="Q", places=2)
    assert [cell.shown for cell in grid.cells] == ["3.00", "−0.25", "12.50", "0.00"]
    assert grid.at(1, 0).label == "Q[1, 0]"
    assert [cell.shown for cell in grid.row(1)] == ["12.50", "0.00"]
    assert [cell.shown for cell in grid.column(1)] == ["−0.25", "0.00"]


def test_a_vector_is_one_row():
    grid = Grid(np.array([0.5, 0.25]), DARK, name="q")
    assert grid.shape == (1, 2)
    assert grid.at(0, 1).label == "q[1]"


def test_columns_are_right_aligned_and_rows_share_a_baseline(cells):
    grid = Grid(cells, DARK, name="Q")
    for column in range(2):
        edges = {round(float(cell.get_right()[0]), 6) for cell in grid.column(column)}
        assert len(edges) == 1
    for row in range(2):
        assert len({round(cell.baseline, 6) for cell in grid.row(row)}) == 1
    flat = Grid(np.array([1.0, 0.0, 7.0]), DARK, name="n", places=0)
    assert len({round(cell.baseline, 6) for cell in flat.cells}) == 1
    assert grid.at(0, 0).get_y() > grid.at(1, 0).get_y()


def test_brackets_enclose_the_numbers_and_bear_their_role(cells):
    grid = Grid(cells, DARK, name="K", role="K")
    left, right = grid.brackets
    assert left.get_left()[0] < min(c.get_left()[0] for c in grid.cells)
    assert right.get_right()[0] > max(c.get_right()[0] for c in grid.cells)
    assert left.stroke_color.to_hex().lower() == DARK.role("K")


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_a_grid_under_a_spotlight_has_no_findings_until_its_array_changes(theme, cells):
    class Shown(Film):
        @beat()
        def only(self):
            grid = Grid(cells, self.theme, name="V", role="V")
            self.add(grid, Spotlight(grid.row(0), self.theme))
            self.settle()
            self.wait(1)
            cells[1, 0] = 7

    report = inspect(Shown, Setting(theme=theme))
    assert report.quantities_checked == 8
    assert [(f.kind, f.objects) for f in report.findings] == [("wrong-number", ("V[1, 0]",))]
