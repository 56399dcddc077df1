"""Scores become weights: one question held against a table of labels, number by number."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from manim import DOWN, LEFT, RIGHT, Line, VGroup

from animations.film import Film
from animations.formula import Phrase, Quantity
from animations.motion import Appear, Move, Vanish, early, late
from animations.parts.bars import Bars
from animations.parts.dot_product import DotProduct
from animations.parts.grid import Grid, exact_places
from animations.parts.motions import Arrive, Grow
from animations.parts.table import Table
from animations.parts.worked import Worked

_ASIDE = 1.9  # units from the left of a column of numbers to the line down its right side
_NUMBER = 1.75  # units that a weight's number takes beside its bar


class Scoring:
    """What happens in the column ``work`` of a table.

    Parameters
    ----------
    numbers, asker
        The arrays, and the row of the question.
    table
        Its column ``work`` is filled; row j is about the j-th label.
    question, labels
        The vectors on the stage.
    places
        Digits of a weight after the point.
    """

    def __init__(
        self,
        numbers: Worked,
        asker: int,
        table: Table,
        question: Grid,
        labels: Sequence[Grid],
        places: int = 3,
    ) -> None:
        self.numbers, self.asker, self.table, self.places = numbers, asker, table, places
        self.question, self.labels = question, labels
        self.head: Phrase | None = None
        self.column = VGroup()
        self.bars: Bars | None = None

    def entitle(self, film: Film, name: str, *others: Any) -> None:
        """Name what the column holds now, while other things happen."""
        d = self.numbers.Q.shape[1]
        head = film.phrase(f"attention.{name}", size="small", d=d).set_fill(film.theme.accent)
        self.table.head(head, "work", left=True)
        gone = [Vanish(self.head, rate_func=early)] if self.head else []
        film.play(*gone, Appear(head, rate_func=late), *others, run_time=1.0)
        self.head = head

    def score(self, film: Film, paces: tuple[float, float] = (1.0, 0.6)) -> None:
        """Hold the question against each label; the first time slowly."""
        for j in range(len(self.labels)):
            pace = paces[j > 0]
            product = self._product(film, j)
            light = self.table.light(j, film.theme)
            film.play(Appear(light), run_time=0.4 * pace)
            self._run(film, product, j, pace)
            film.settle()
            film.wait(0.8 * pace)
            self._collapse(film, product, light, j, pace)

    def change(self, film: Film, name: str) -> None:
        """Put the next step's numbers in place of the last one's."""
        column = VGroup(*(self._number(film, name, j) for j in range(len(self.labels))))
        gone, come = Vanish(self.column, rate_func=early), Appear(column, rate_func=late)
        self.entitle(film, name, gone, come)
        self.column = column

    def normalise(self, film: Film) -> None:
        """Divide by the total: numbers become weights, weights become bars."""
        total = self._total(film)
        film.play(Appear(total), run_time=0.7)
        film.settle()
        film.wait(0.8)
        self.weigh(film, total)

    def weigh(self, film: Film, *spent: VGroup) -> None:
        """Put weights in place of the last numbers, and bars beside them."""
        room = self.table.room("work") - _NUMBER
        self.bars = self.bars_in(film, self.table, min(3.0, room))
        gone = (Vanish(old, rate_func=early) for old in (self.column, *spent))
        self.entitle(film, "weights", *gone, Appear(self.bars.numbers, rate_func=late))
        film.play(*(Grow(bar, LEFT) for bar in self.bars.bars), run_time=1.0)

    def glance(self, film: Film, row: int) -> None:
        """Light a row up while the caption is read."""
        light = self.table.light(row, film.theme)
        film.play(Appear(light), run_time=0.5)
        film.settle()
        film.read()
        film.play(Vanish(light), run_time=0.4)

    def bars_in(self, film: Film, table: Table, length: float) -> Bars:
        """Set the weights as bars in the column ``work`` of a table."""
        heights = [table.y("work", j) for j in range(len(self.labels))]
        bars = Bars(
            self.numbers.weights,
            self.asker,
            film.theme,
            heights=heights,
            length=length,
            places=self.places,
        )
        return bars.shift((table.x("work") - bars.numbers.get_left()[0]) * RIGHT)

    def _product(self, film: Film, j: int) -> DotProduct:
        product = DotProduct(
            self.numbers.Q[self.asker],
            self.numbers.K[j],
            self.numbers.scores,
            (self.asker, j),
            film.theme,
            names=(f"Q[{self.asker}]", f"K[{j}]", "scores"),
            gap=0.2 if len(self.question.cells) <= 2 else 0.12,
        )
        self.table.put(product, "work", j, left=True)
        return product

    def _run(self, film: Film, product: DotProduct, j: int, pace: float) -> None:
        """Carry the numbers of question and label into their dot product."""
        left = zip(product.left, self.question.cells, strict=True)
        right = zip(product.right, self.labels[j].cells, strict=True)
        film.play(*(Arrive(n, cell) for n, cell in (*left, *right)), run_time=1.2 * pace)
        film.play(Appear(product.signs), run_time=0.4 * pace)
        film.play(Appear(product.equals), Appear(product.score), run_time=0.5 * pace)

    def _collapse(
        self, film: Film, product: DotProduct, light: VGroup, j: int, pace: float
    ) -> None:
        """Keep the score alone."""
        number = self._number(film, "scores", j)
        rest = VGroup(*product.left, *product.right, product.signs, product.equals)
        by = number.get_center() - product.score.get_center()
        film.play(Vanish(rest), Vanish(light), Move(product.score, by), run_time=0.7 * pace)
        film.remove(product.score)
        film.add(number)
        self.column.add(number)

    def _number(self, film: Film, name: str, j: int) -> Quantity:
        array = getattr(self.numbers, name)
        at = (self.asker, j)
        number = film.number(array, at, name=name, places=exact_places(array[at]))
        self.table.put(number, "work", j, left=True)
        return number

    def _total(self, film: Film) -> VGroup:
        """Gather the column into its sum: a line down its side, and the total beside it.

        Where rows take two lines each, the sum stands beside the head, which nothing separates.
        """
        array, row = self.numbers.totals, (self.asker,)
        label = film.phrase("attention.total", size="small")
        total = film.number(array, row, name="totals", places=exact_places(array[row]))
        sum_ = VGroup(label, total).arrange(RIGHT if self.table.has_lines else DOWN, buff=0.2)
        if self.table.has_lines:
            return sum_.next_to(self.head, RIGHT, buff=0.4)
        x = self.table.x("work") + _ASIDE
        top = self.table.y("work", 0) + 0.25
        bottom = self.table.y("work", len(self.labels) - 1) - 0.25
        line = Line(
            np.array([x, top, 0.0]),
            np.array([x, bottom, 0.0]),
            stroke_width=2,
            stroke_color=film.theme.muted,
        )
        sum_.move_to([x + 0.3, (top + bottom) / 2, 0.0], aligned_edge=LEFT)
        return VGroup(line, sum_)
