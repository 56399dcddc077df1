"""图书馆查资料: a reader, a shelf of labelled books, and the blend that the reader takes home."""

from functools import cache
from typing import Any

import numpy as np
from manim import DOWN, RIGHT, UP, Arc, ArcBetweenPoints, Mobject, VGroup

from animations.film import Film, beat
from animations.formula import Phrase
from animations.motion import Appear, Move, Vanish, early, late
from animations.parts.acting import set_term
from animations.parts.blend import Blend
from animations.parts.bookshelf import Bookshelf
from animations.parts.grid import Grid
from animations.parts.layout import is_wide, put, stacked
from animations.parts.motions import Arrive, Become
from animations.parts.scoring import Scoring
from animations.parts.stagecraft import clear, exchange
from animations.parts.table import Table
from animations.parts.terms import OUTPUT
from animations.parts.tokens import TokenRow
from animations.parts.worked import Worked
from animations.theme import MATH
from derive.examples import load as example
from derive.examples.library import CONTENTS, SUBJECTS

BOOKS = ("home", "balcony", "plate", "silk")
TOKENS = {"我": "wo", "吃": "chi", "苹果": "pingguo"}
NAMED = {"key": 0.66}
COLUMNS = {"book": 0.012, "key": 0.325, "work": 0.45}
TALL = {"book": 0.02, "key": 0.66, "work": 0.03}
LINES = {"book": 0.24, "key": 0.24, "work": -0.24}  # two to a book, where the frame is narrow
_LOW = 3.0  # units of a shelf that leaves room for a blend below it
_REACH = 0.6  # units that a book of weight 1 would be drawn out


@cache
def worked(name: str, which: str = "library") -> Worked:
    """The numbers of one reader, or of one sentence."""
    return Worked.of(example(which).case(name))


class LibraryLookup(Film):
    """What a question, a label and a content are, and that reading is blending."""

    title = "film.library.lookup"
    poster = "blend"

    @beat(title="library.chapter.question", draws=("library",))
    def walks_in(self) -> None:
        upper, lower = stacked(self.stage, 0.2, 0.1)
        self.shelf = self._bookshelf(lower.height - 0.2).move_to(lower.centre)
        self.question = self._question("grow-and-cook").move_to(upper.centre)
        self.say("library.say.walk-in")
        self.play(Appear(self.shelf.board), run_time=0.6)
        self.play(Appear(self.shelf.spines, rise=0.15, lag_ratio=0.02), run_time=1.4)
        self.play(Appear(self.question), run_time=0.8)
        self.settle()
        self.say("library.say.spines")
        for label in self.shelf.labels:
            self.play(Appear(label, rise=0.1), run_time=0.5)
        self.settle()

    @beat(title="library.chapter.labels", draws=("library",))
    def compares(self) -> None:
        self._lay_table("grow-and-cook")
        self.say("library.say.measure")
        self.scoring.entitle(self, "scores")
        self.scoring.score(self)
        best = int(np.argmax(self.numbers.scores[0]))
        self.say("library.say.best", score=f"{self.numbers.scores[0, best]:.0f}")
        self.scoring.glance(self, best)

    @beat(title="library.chapter.weights", draws=("library",))
    def weighs(self) -> None:
        self.say("library.say.scale", d=self.numbers.Q.shape[1])
        self.scoring.change(self, "scaled")
        self.say("library.say.softmax")
        self.scoring.change(self, "exponentials")
        self.scoring.normalise(self)
        self.settle()
        self.read()

    @beat(title="library.chapter.blend", draws=("library",))
    def blend(self) -> None:
        self._back_to_the_shelf()
        self.say("library.say.drawn")
        self._draw_out("grow-and-cook")
        self._read_books("grow-and-cook")
        self.say("library.say.mixed")
        self._pour("grow-and-cook")
        self.say("library.say.exact")
        self.settle()
        self.say("library.say.half")
        self._add_up("grow-and-cook")
        self.settle()
        self.read()

    @beat(title="library.chapter.reader", draws=("library",))
    def another_reader(self) -> None:
        self.say("library.say.another")
        self._ask_again("grow")
        self.say("library.say.same-books")
        self.settle()
        self.read()
        clear(self)

    @beat(title="library.chapter.tokens", draws=("library", "apple"))
    def books_become_words(self) -> None:
        sentence = worked("fruit", "apple")
        shelf = self._bookshelf(3.4).move_to(self.stage.centre)
        spoken = [self.text(f"apple.token.{TOKENS[token]}") for token in sentence.tokens]
        self.row = TokenRow(spoken, self.theme, em=0.62, gap=1.1)
        self.row.move_to(np.array(self.stage.centre) + 0.6 * DOWN)
        self.say("library.say.turn")
        self.play(Appear(shelf), run_time=0.8)
        self.wait(0.6)
        self.play(Vanish(shelf, rate_func=early), Appear(self.row, rate_func=late), run_time=1.6)
        self.say("library.say.both")
        roles = self._roles_about()
        for role in roles:
            self.play(Appear(role, lag_ratio=0.02), run_time=0.8)
        self.settle()
        self.read()
        self.play(*map(Vanish, roles), run_time=0.5)
        self.say("library.say.all")
        self.looks = VGroup()
        for i in range(len(spoken)):
            look = self._looks(sentence, i)
            self.play(Appear(look), run_time=0.7)
            self.settle()
            self.wait(0.6)
            if i < len(spoken) - 1:
                self.play(Vanish(look), run_time=0.4)
            self.looks.add(look)
        self.read()
        self.play(Vanish(self.looks[-1]), run_time=0.5)

    @beat(title="library.chapter.matrices", draws=("apple", "attention-formula"))
    def folds(self) -> None:
        sentence = worked("fruit", "apple")
        upper, lower = stacked(self.stage, 0.2, 0.2)
        to = np.array(upper.centre) - self.row.get_center()
        self.say("library.say.stack-q")
        self.play(Move(self.row, to, factor=0.8), run_time=1.0)
        grids = {name: self._grid(getattr(sentence, name), name) for name in "QKV"}
        stacks = VGroup(*(self._named(grid, name) for name, grid in grids.items()))
        stacks.arrange(RIGHT, buff=1.3 if is_wide(self.stage) else 0.5).move_to(lower.centre)
        self._stack(stacks[0], grids["Q"])
        self.say("library.say.stack-kv")
        self._stack(stacks[1], grids["K"])
        self._stack(stacks[2], grids["V"])
        self.settle()
        self.read()
        formula = put(set_term(OUTPUT, self.theme, 1.0), self.stage)
        self.say("library.say.formula")
        self.play(Vanish(self.row), run_time=0.5)
        letters = [glyph for glyph in formula if glyph.role]
        names = [stack[0] for stack in stacks]
        rest = VGroup(*(glyph for glyph in formula if not glyph.role))
        self.play(
            *(Vanish(grid) for grid in grids.values()),
            *(Become(name, VGroup(g)) for name, g in zip(names, letters, strict=True)),
            run_time=1.4,
        )
        self.play(Appear(rest), run_time=1.0)
        self.remove(*names, rest)
        self.add(formula)
        self.settle()
        self.say("library.say.proved")
        self.read()
        self.wait(1.0)

    def _roles_about(self) -> tuple[VGroup, VGroup]:
        """Write above each word that it asks, and below it what it is asked for."""
        asks, is_asked = VGroup(), VGroup()
        for token in self.row:
            asks.add(self._role("query").next_to(token, UP, buff=0.3))
            book = VGroup(self._role("key"), self._role("value")).arrange(DOWN, buff=0.2)
            is_asked.add(book.next_to(token, DOWN, buff=0.3))
        return asks, is_asked

    def _role(self, name: str) -> Phrase:
        return self.phrase(f"attention.{name}", size="small")

    # ------------------------------------------------------------------ words and numbers

    def _asked(self, case: Any) -> str:
        return case.title[self.setting.lang].rstrip("？?") + ("?" * (self.setting.lang == "en"))

    def _question(self, name: str) -> Phrase:
        question = self._asked(example("library").case(name))
        width = self.stage.width
        return self.phrase("library.label.question", question=question, width=width)

    def _grid(self, array: Any, name: str, **look: Any) -> Grid:
        role = name[0]
        return Grid(array, self.theme, name=name, places=None, role=role, **look)

    def _titles(self) -> list[str]:
        return [self.text(f"library.book.{book}") for book in BOOKS]

    def _subjects_of(self, label: Any) -> str:
        """Write the subjects of a label below each other."""
        named = [
            self.text(f"library.subject.{s}") for s, on in zip(SUBJECTS, label, strict=True) if on
        ]
        return "[K|" + "\n".join(named) + "]"

    def _bookshelf(self, height: float) -> Bookshelf:
        labels = [self._subjects_of(label) for label in worked("grow").K]
        gap = 1.25 if is_wide(self.stage) else 0.18
        return Bookshelf(self._titles(), labels, self.theme, height=height, gap=gap)

    # ------------------------------------------------------------------ question against label

    def _lay_table(self, name: str) -> None:
        """Write question and labels as numbers, then make room for what is done with them."""
        self.numbers = worked(name)
        strip, box = stacked(stacked(self.stage, 0.97, 0)[0], 0.17, 0)
        columns, lines = (COLUMNS, {}) if is_wide(self.stage) else (TALL, LINES)
        wide, narrow = (Table(box, at, len(BOOKS), lines) for at in (NAMED, columns))
        titles = [self.label(title, size="small") for title in self._titles()]
        for j, title in enumerate(titles):
            narrow.put(title, "book", j, left=True)
        room = 1.35 if is_wide(self.stage) else 0.8
        label = narrow.head(self.phrase("attention.query", size="small"), "book", left=True)
        question = self._vector(wide, "Q", 0, gap=room)
        names = self._subjects_over(question)
        target = self._question(name)
        target.move_to([strip.centre[0], strip.top - 0.1, 0.0], aligned_edge=UP)
        self.say("library.say.numbers")
        shelf = VGroup(self.shelf, self.shelf.labels)
        self.play(Vanish(shelf), Become(self.question, target), run_time=1.0)
        self.play(Appear(label), Appear(question), run_time=0.8)
        self.play(Appear(names, lag_ratio=0.1), run_time=0.8)
        self.settle()
        self.say("library.say.label-numbers")
        labels = [self._vector(wide, "K", j, gap=room) for j in range(len(BOOKS))]
        for title, grid in zip(titles, labels, strict=True):
            self.play(Appear(title), Appear(grid), run_time=0.6)
        self.settle()
        self.say("library.say.compare")
        self.play(Vanish(names), run_time=0.4)
        close = [self._vector(narrow, "K", j) for j in range(len(BOOKS))]
        asked = self._vector(narrow, "Q", 0)
        exchange(self, (question, asked), *zip(labels, close, strict=True), run_time=1.2)
        self.scoring = Scoring(self.numbers, 0, narrow, asked, close)

    def _vector(self, table: Table, name: str, row: int, gap: float = 0.3) -> Grid:
        """Set a question at the head of the labels, or a label in its row."""
        grid = self._grid(getattr(self.numbers, name)[row], f"{name}[{row}]", gap=(gap, 0.0))
        return table.head(grid, "key") if name == "Q" else table.put(grid, "key", row)

    def _subjects_over(self, grid: Grid) -> VGroup:
        names = VGroup()
        for j, subject in enumerate(SUBJECTS):
            name = self.phrase(f"library.subject.{subject}", size="small")
            names.add(name.next_to(grid, UP, buff=0.2).set_x(grid.at(0, j).get_x()))
        for name in names:
            name.shift((names[0].baseline - name.baseline) * UP)
        return names

    # ------------------------------------------------------------------ weights on the shelf

    def _back_to_the_shelf(self) -> None:
        """Carry the weights from the table to the books."""
        numbers = self.scoring.bars.numbers
        self.shelf = self._bookshelf(_LOW)
        self.shelf.move_to(np.array(self.stage.centre) + 0.12 * UP)
        self.shares = self._shares("grow-and-cook")
        kept = VGroup(*numbers)
        clear(self, kept, *numbers, self.question)
        self.play(Appear(self.shelf), run_time=0.8)
        exchange(self, (kept, self.shares), run_time=1.2)

    def _shares(self, name: str) -> VGroup:
        """Write each book's weight above it."""
        weights = worked(name).weights
        return VGroup(
            *(
                self.number(weights, (0, j), name="weights").next_to(spine, UP, buff=0.2)
                for j, spine in enumerate(self.shelf.spines)
            )
        )

    def _draw_out(self, name: str) -> None:
        """Draw each book out as far as its weight says."""
        out = self.shelf.drawn_out(worked(name).weights[0], _REACH)
        pairs = zip(self.shelf.spines, self.shares, out, strict=True)
        self.play(*(Move(VGroup(spine, share), by) for spine, share, by in pairs), run_time=1.8)
        self.settle()

    def _read_books(self, name: str) -> None:
        """Look into each book for as long as its weight says."""
        for spine, weight in zip(self.shelf.spines, worked(name).weights[0], strict=True):
            open_ = spine.back.copy().set_fill(opacity=0).set_stroke(self.theme.accent, 4)
            self.play(Appear(open_), run_time=0.25)
            self.wait(4 * float(weight))
            self.play(Vanish(open_), run_time=0.25)

    def _pour(self, name: str) -> None:
        """Let the contents flow together, each in proportion to its weight."""
        self.mix = self._mix(name)
        self.flows = self.mix.flows(self._feet())
        self.play(Appear(self.flows), run_time=0.8)
        self.play(Appear(self.mix), run_time=0.6)

    def _add_up(self, name: str) -> None:
        """Say how much of each content that makes."""
        self.takes = self._takes(name)
        self.play(Appear(self.takes), run_time=0.8)

    def _mix(self, name: str) -> Blend:
        mix = Blend(worked(name).weights[0], self.theme, width=self.shelf.spines.width)
        return mix.next_to(self.shelf.board, DOWN, buff=0.4)

    def _feet(self) -> list[Mobject]:
        """Return where on the board each book stands."""
        return [self.shelf.board.copy().match_x(spine) for spine in self.shelf.spines]

    def _takes(self, name: str) -> VGroup:
        """Say how much of each content the reader takes home."""
        output = worked(name).output
        parts = VGroup(self.phrase("library.label.takes", size="small"))
        for j, content in enumerate(CONTENTS):
            word = self.phrase(f"library.content.{content}", size="small")
            number = self.number(output, (0, j), name="output", role="O")
            parts.add(VGroup(word, number).arrange(RIGHT, buff=0.2))
        parts.arrange(*((RIGHT, 0.7) if is_wide(self.stage) else (DOWN, 0.2)))
        return parts.next_to(self.mix, DOWN, buff=0.2)

    def _ask_again(self, name: str) -> None:
        """Let another question move the same books."""
        old = self.shelf.spines
        shelf = self._bookshelf(_LOW).move_to(self.shelf)
        shelf.shift((self.shelf.board.get_y() - shelf.board.get_y()) * UP)
        before, self.shelf = self.shelf, shelf
        shares = self._shares(name)
        out = shelf.drawn_out(worked(name).weights[0], _REACH)
        for spine, share, by in zip(shelf.spines, shares, out, strict=True):
            VGroup(spine, share).shift(by)
        mix, gone = self._mix(name), (self.shares, self.takes)
        flows, self.mix = mix.flows(self._feet()), self.mix
        asked = self._question(name).move_to(self.question)
        self.play(
            *map(Vanish, gone),
            Vanish(self.question, rate_func=early),
            Appear(asked, rate_func=late),
            run_time=1.0,
        )
        self.question = asked
        exchange(
            self,
            (before.board, shelf.board),
            (old, shelf.spines),
            (self.mix, mix),
            (self.flows, flows),
            run_time=1.8,
        )
        self.mix, self.shares = mix, shares
        self.takes = self._takes(name)
        self.play(Appear(shares), Appear(self.takes), run_time=0.8)

    # ------------------------------------------------------------------ words instead of books

    def _looks(self, sentence: Worked, i: int) -> VGroup:
        """Join a word to every word, itself included, each line as thick as the weight."""
        look = {"stroke_color": self.theme.accent}
        arcs = VGroup()
        for j, token in enumerate(self.row):
            width = 1 + 9 * float(sentence.weights[i, j])
            start, end = (t.get_top() + 0.1 * UP for t in (self.row[i], token))
            if i == j:
                arcs.add(
                    Arc(0.32, -np.pi / 3, 5 * np.pi / 3, arc_center=end + 0.28 * UP).set_stroke(
                        self.theme.accent, width
                    )
                )
            else:
                angle = 1.2 if j < i else -1.2
                arcs.add(ArcBetweenPoints(start, end, angle=angle, stroke_width=width, **look))
        return arcs

    def _named(self, grid: Grid, name: str) -> VGroup:
        letter = Phrase(f"[{name}|${name}$]", self.theme, em=MATH["math"])
        return VGroup(letter, grid).arrange(DOWN, buff=0.35)

    def _stack(self, stack: VGroup, grid: Grid) -> None:
        """Let each word lay its row into the matrix."""
        arrivals = [Arrive(grid.row(i), token.word) for i, token in enumerate(self.row)]
        self.play(*arrivals, run_time=1.2)
        self.play(Appear(grid.brackets), Appear(stack[0]), run_time=0.6)
