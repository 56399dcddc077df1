"""图书馆查资料: a reader, a shelf of labelled books, and the blend that the reader takes home."""

from functools import cache
from typing import Any

import numpy as np
from manim import DOWN, LEFT, RIGHT, UP, Arc, ArcBetweenPoints, Mobject, VGroup

from animations.film import Film, beat
from animations.formula import Formula, Phrase
from animations.motion import Appear, Move, Vanish, early, late
from animations.parts.acting import ActingFormula
from animations.parts.blend import Blend
from animations.parts.bookshelf import Bookshelf
from animations.parts.grid import Grid
from animations.parts.layout import above_columns, is_wide, levelled, stacked
from animations.parts.legend import explain
from animations.parts.motions import Arrive, Become, Depart, Fold
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
NAMED = {"key": 0.54, "value": 0.94}
COLUMNS = {"book": 0.012, "key": 0.315, "work": 0.425, "value": 0.94}
NAMED_TALL = {"key": 0.66}
TALL = {"book": 0.02, "key": 0.66, "work": 0.03}
LINES = {"book": 0.24, "key": 0.24, "work": -0.24}  # two to a book, where the frame is narrow
_LOW = 2.95  # units of a shelf that leaves room for a blend below it
_BESIDE = 1.7  # units between books, for what is in each of them
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
        upper, lower = stacked(self.stage, 0.16, 0.1)
        self.shelf = self._bookshelf(lower.height - (0.2 if is_wide(self.stage) else 1.3))
        self.contents = self._beside(self._all_contents())
        VGroup(self.shelf, self.shelf.labels, self.contents).move_to(lower.centre)
        self.question = self._question("grow-and-cook").move_to(upper.centre)
        self.say("library.say.walk-in")
        self.play(Appear(self.shelf.board), run_time=0.6)
        self.play(Appear(self.shelf.spines, rise=0.15, lag_ratio=0.02), run_time=1.4)
        self.play(Appear(self.question), run_time=0.8)
        self.settle()
        self.say("library.say.which")
        self.read()
        self.say("library.say.spines")
        for label in self.shelf.labels:
            self.play(Appear(label, rise=0.1), run_time=0.5)
        self.settle()
        self.say("library.say.inside")
        for content in self.contents:
            self.play(Appear(content, rise=0.1), run_time=0.5)
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
        self.say("library.say.back")
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

    @beat(title="library.chapter.tokens", draws=("library", "apple"))
    def books_become_words(self) -> None:
        sentence = worked("fruit", "apple")
        spoken = [self.text(f"apple.token.{TOKENS[token]}") for token in sentence.tokens]
        self.row = TokenRow(spoken, self.theme, gap=1.7 if is_wide(self.stage) else 0.8)
        self.row.move_to(self.stage.centre)
        self.roles = self._roles_about()
        self.say("library.say.turn")
        self._turn()
        self.say("library.say.both")
        asks = self.roles["query"]
        asked = self._role("query").move_to(self.question)
        self.play(
            Vanish(self.question, rate_func=early), Appear(asked, rate_func=late), run_time=1.0
        )
        self.remove(asked)
        self.play(*(Arrive(ask, asked) for ask in asks), run_time=1.2)
        self.settle()
        self.read()
        self.say("library.say.all")
        for i in range(len(spoken)):
            look = self._looks(sentence, i)
            self.play(Appear(look), run_time=0.7)
            self.settle()
            self.wait(0.6)
            self.play(Vanish(look), run_time=0.4)
        self.read()

    @beat(title="library.chapter.matrices", draws=("apple", "attention-formula"))
    def folds(self) -> None:
        sentence = worked("fruit", "apple")
        upper, lower = stacked(self.stage, 0.48, 0)
        words = VGroup(self.row, *self.roles.values())
        self.say("library.say.stack-q")
        self.play(Move(words, np.array(upper.centre) - words.get_center()), run_time=1.0)
        grids = {name: self._grid(getattr(sentence, name), name) for name in "QKV"}
        stacks = VGroup(*(self._named(grid, name) for name, grid in grids.items()))
        stacks.arrange(RIGHT, buff=1.3 if is_wide(self.stage) else 0.5).move_to(lower.centre)
        self._stack(stacks[0], grids["Q"], "query")
        self.say("library.say.stack-kv")
        self._stack(stacks[1], grids["K"], "key")
        self._stack(stacks[2], grids["V"], "value")
        self.settle()
        self.read()
        self.say("library.say.formula")
        upper, lower = stacked(self.stage, 0.42 if is_wide(self.stage) else 0.36, 0)
        formula = ActingFormula(OUTPUT, upper, self.theme)
        self._fold(words, stacks, grids, formula.shown)
        self.read()
        self.say("attention.explain")
        explain(self, formula, lower)
        self.read()
        self.say("library.say.proved")
        self.read()
        self.wait(1.0)

    # ------------------------------------------------------------------ books become words

    def _turn(self) -> None:
        """Let three books become the words of a sentence: labels stay labels, contents contents."""
        books = len(self.row)
        rest = (self.shelf.spines[books:], self.labels[books:], self.contents[books:])
        spent = (self.shelf.board, self.mix, self.flows, self.takes, self.shares)
        self.play(*map(Vanish, (*spent, *(VGroup(*some) for some in rest))), run_time=0.8)
        turns = []
        for j, token in enumerate(self.row):
            spine, key, value = self.shelf.spines[j], self.roles["key"][j], self.roles["value"][j]
            turns += [
                Become(spine.back, token.box),
                Vanish(spine.title, rate_func=early),
                Appear(token.word, rate_func=late),
                Depart(self.labels[j], key, rate_func=early),
                Depart(self.contents[j], value, rate_func=early),
                Appear(VGroup(key, value), rate_func=late),
            ]
        self.play(*turns, run_time=2.0)
        self.remove(self.shelf, *(token.word for token in self.row))
        self.add(self.row)
        self.settle()

    def _roles_about(self) -> dict[str, VGroup]:
        """Write above each word that it asks, and below it what it is asked for."""
        roles = {role: VGroup() for role in ("query", "key", "value")}
        for token in self.row:
            roles["query"].add(self._role("query").next_to(token, UP, buff=0.3))
            book = VGroup(self._role("key"), self._role("value")).arrange(DOWN, buff=0.2)
            book.next_to(token, DOWN, buff=0.3)
            roles["key"].add(book[0])
            roles["value"].add(book[1])
        return roles

    def _role(self, name: str) -> Phrase:
        return self.phrase(f"attention.{name}", size="small")

    def _fold(
        self, words: VGroup, stacks: VGroup, grids: dict[str, Grid], formula: Formula
    ) -> None:
        """Let the matrices shrink into their letters, and the letters become the formula."""
        letters = [glyph for glyph in formula if glyph.role]
        names = [stack[0] for stack in stacks]
        rest = VGroup(*(glyph for glyph in formula if not glyph.role))
        self.play(Vanish(words), run_time=0.6)
        self.play(
            *(Fold(grid, glyph) for grid, glyph in zip(grids.values(), letters, strict=True)),
            *(Become(name, VGroup(g)) for name, g in zip(names, letters, strict=True)),
            run_time=1.6,
        )
        self.play(Appear(rest), run_time=1.0)
        self.remove(*names, rest)
        self.add(formula)
        self.settle()

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
        """Name the subjects of a label, one a word."""
        return " ".join(
            self.text(f"library.subject.{s}") for s, on in zip(SUBJECTS, label, strict=True) if on
        )

    def _in_a_row(self, label: Any) -> VGroup:
        """Write the subjects of a label side by side, each by itself."""
        words = self._subjects_of(label).split()
        row = VGroup(*(self.label(f"[K|{word}]", size="small") for word in words))
        return levelled(row.arrange(RIGHT, buff=0.25))

    def _all_labels(self, size: str = "small") -> list[Phrase]:
        """Write each book's label, its words below each other."""
        labels = (self._subjects_of(label) for label in worked("grow").K)
        return [self.label("[K|" + "\n".join(said.split()) + "]", size=size) for said in labels]

    def _all_contents(self) -> list[VGroup]:
        """Write what each book holds, its words close below each other."""
        words = [self.text(f"library.content.{content}") for content in CONTENTS]
        held = ([w for w, on in zip(words, row, strict=True) if on] for row in worked("grow").V)
        lines = ([self.label(f"[V|{word}]", size="small") for word in some] for some in held)
        return [VGroup(*some).arrange(DOWN, buff=0.08) for some in lines]

    def _bookshelf(self, height: float) -> Bookshelf:
        labels = ["[K|" + "\n".join(self._subjects_of(k).split()) + "]" for k in worked("grow").K]
        gap = _BESIDE if is_wide(self.stage) else 0.18
        spare = gap if is_wide(self.stage) else 0.3
        return Bookshelf(self._titles(), labels, self.theme, height=height, gap=gap, spare=spare)

    def _beside(self, *notes: list[Any]) -> VGroup:
        """Write notes about each book: beside its foot, or below the board if there is no room."""
        written = VGroup()
        for spine, *said in zip(self.shelf.spines, *notes, strict=True):
            lines = VGroup(*said).arrange(DOWN, buff=0.25)
            if is_wide(self.stage):
                lines.next_to(spine.back, RIGHT, buff=0.2)
                lines.shift((spine.back.get_bottom()[1] + 0.25 - lines.get_bottom()[1]) * UP)
                lines.set_x(spine.back.get_right()[0] + _BESIDE / 2)
            else:
                lines.next_to(spine.back, DOWN, buff=0.3)
            written.add(lines)
        return written

    # ------------------------------------------------------------------ question against label

    def _lay_table(self, name: str) -> None:
        """Let books become rows and labels numbers, then make room for what is done with them."""
        self.numbers, wide = worked(name), is_wide(self.stage)
        strip, box = stacked(stacked(self.stage, 0.97, 0)[0], 0.19, 0)
        lines = {} if wide else LINES
        roomy = Table(box, NAMED if wide else NAMED_TALL, len(BOOKS), lines)
        table = Table(box, COLUMNS if wide else TALL, len(BOOKS), lines)
        self.titles = [
            table.put(self.label(title, size="small"), "book", j, left=True)
            for j, title in enumerate(self._titles())
        ]
        spoken = [
            roomy.put(self._in_a_row(label), "key", j) for j, label in enumerate(self.numbers.K)
        ]
        target = self._question(name)
        target.move_to([strip.centre[0], strip.top - 0.1, 0.0], aligned_edge=UP)
        self.say("library.say.rows")
        self._books_to_rows(table, spoken, target)
        self._write_numbers(roomy, spoken)
        self.say("library.say.compare")
        close = [self._vector(table, "K", j) for j in range(len(BOOKS))]
        asked = self._vector(table, "Q", 0)
        exchange(self, (self.asked, asked), *zip(self.keys, close, strict=True), run_time=1.2)
        self.scoring = Scoring(self.numbers, 0, table, asked, close)

    def _books_to_rows(self, table: Table, spoken: list[VGroup], question: Phrase) -> None:
        """Lay the shelf down: each title, label and content moves into the row of its book."""
        backs = [spine.back for spine in self.shelf.spines]
        wide = is_wide(self.stage)
        gone = [] if wide else [self.contents]
        self.play(*map(Vanish, (self.shelf.board, *backs, *gone)), run_time=0.6)
        exchange(self, (self.question, question), run_time=0.4)
        titles = [(s.title, title) for s, title in zip(self.shelf.spines, self.titles, strict=True)]
        for pair in titles[:-1]:
            exchange(self, pair, run_time=0.6)
        held = self._all_contents()
        pairs = list(zip(self.shelf.labels, spoken, strict=True))
        if wide:
            rows = [table.put(content, "value", j) for j, content in enumerate(held)]
            pairs += zip(self.contents, rows, strict=True)
        exchange(self, *pairs, run_time=1.4)  # before the last row is where the labels were
        exchange(self, titles[-1], run_time=0.6)
        self.remove(self.shelf)
        self.question = question
        self.contents = VGroup(*held)
        self.settle()

    def _write_numbers(self, table: Table, spoken: list[VGroup]) -> None:
        """Write the question as numbers, one a subject, and then every label."""
        room = 1.35 if is_wide(self.stage) else 0.8
        self.asked = self._vector(table, "Q", 0, gap=room)
        names = self._subjects_over(self.asked)
        label = self.phrase("attention.query", size="small")
        label.move_to([self.titles[0].get_left()[0], self.asked.get_y(), 0.0], aligned_edge=LEFT)
        self.say("library.say.numbers")
        self.play(Appear(label), Appear(self.asked), run_time=0.8)
        self.play(Appear(names, lag_ratio=0.1), run_time=0.8)
        self.settle()
        self.say("library.say.label-numbers")
        self.keys = [self._vector(table, "K", j, gap=room) for j in range(len(BOOKS))]
        for said, grid in zip(spoken, self.keys, strict=True):
            ones = [cell for cell, on in zip(grid.cells, grid.array, strict=True) if on]
            self.play(
                *(Depart(word, one) for word, one in zip(said, ones, strict=True)),
                Appear(grid, rate_func=late),
                run_time=0.9,
            )
        self.settle()
        self.read()
        self.play(Vanish(names), run_time=0.4)

    def _vector(self, table: Table, name: str, row: int, gap: float = 0.3) -> Grid:
        """Set a question at the head of the labels, or a label in its row."""
        grid = self._grid(getattr(self.numbers, name)[row], f"{name}[{row}]", gap=(gap, 0.0))
        return table.head(grid, "key") if name == "Q" else table.put(grid, "key", row)

    def _subjects_over(self, grid: Grid) -> VGroup:
        names = [self.phrase(f"library.subject.{s}", size="small") for s in SUBJECTS]
        return above_columns(grid, names)

    # ------------------------------------------------------------------ weights on the shelf

    def _back_to_the_shelf(self) -> None:
        """Carry the weights from the table to where the books will stand below them."""
        numbers = VGroup(*self.scoring.bars.numbers)
        self.shelf = self._bookshelf(_LOW)
        self.shelf.move_to(np.array(self.stage.centre) + (0 if is_wide(self.stage) else 1.6) * UP)
        self.labels, self.contents = self._all_labels(), self._all_contents()
        notes = self._beside(self.labels, self.contents)
        self.shares = self._shares("grow-and-cook")
        clear(self, numbers, *numbers, self.question)
        exchange(self, (numbers, self.shares), run_time=1.4)
        self.play(Appear(self.shelf), Appear(notes), run_time=0.8)
        self.remove(notes)
        self.add(*self.labels, *self.contents)

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
        out = self._out(worked(name).weights[0])
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
        drops = zip(self.contents, self.mix.shares, strict=True)
        self.play(Appear(self.flows), run_time=0.8)
        self.play(
            *(Depart(content.copy(), share) for content, share in drops),
            Appear(self.mix, rate_func=late),
            run_time=1.4,
        )

    def _add_up(self, name: str) -> None:
        """Say how much of each content that makes."""
        self.takes = self._takes(name)
        self.play(Appear(self.takes), run_time=0.8)

    def _mix(self, name: str) -> Blend:
        mix = Blend(worked(name).weights[0], self.theme, width=0.8 * self.shelf.board.width)
        mix.next_to(self._lowest(), DOWN, buff=0.45)
        return mix.set_x(self.shelf.board.get_x())

    def _feet(self) -> list[Mobject]:
        """Return from where each content flows: below its book, and below what is written there."""
        level = self._lowest().get_bottom()[1]
        board = self.shelf.board
        return [board.copy().match_x(spine).set_y(level) for spine in self.shelf.spines]

    def _lowest(self) -> Mobject:
        return self.shelf.board if is_wide(self.stage) else VGroup(*self.contents)

    def _takes(self, name: str) -> VGroup:
        """Say how much of each content the reader takes home."""
        output = worked(name).output
        parts = VGroup(self.phrase("library.label.takes", size="small"))
        for j, content in enumerate(CONTENTS):
            word = self.phrase(f"library.content.{content}", size="small")
            number = self.number(output, (0, j), name="output", role="O")
            parts.add(VGroup(word, number).arrange(RIGHT, buff=0.2))
        parts.arrange(*((RIGHT, 0.7) if is_wide(self.stage) else (DOWN, 0.2)))
        return levelled(parts.next_to(self.mix, DOWN, buff=0.2))

    def _ask_again(self, name: str) -> None:
        """Let another question move the same books."""
        before, after = (worked(n).weights[0] for n in ("grow-and-cook", name))
        spines = self.shelf.spines
        by = [new - old for old, new in zip(*map(self._out, (before, after)), strict=True)]
        shares = self._shares(name)
        VGroup(*(share.shift(step) for share, step in zip(shares, by, strict=True)))
        mix, asked = self._mix(name), self._question(name).move_to(self.question)
        flows = mix.flows(self._feet())
        self.play(
            *map(Vanish, (*self.shares, self.takes)),
            Vanish(self.question, rate_func=early),
            Appear(asked, rate_func=late),
            run_time=1.0,
        )
        self.question = asked
        exchange(
            self,
            (self.mix, mix),
            (self.flows, flows),
            run_time=1.8,
            also=[Move(spine, step) for spine, step in zip(spines, by, strict=True)],
        )
        self.mix, self.flows, self.shares = mix, flows, shares
        self.takes = self._takes(name)
        self.play(Appear(shares), Appear(self.takes), run_time=0.8)

    def _out(self, weights: Any) -> list[np.ndarray]:
        return self.shelf.drawn_out(weights, _REACH)

    # ------------------------------------------------------------------ words instead of books

    def _looks(self, sentence: Worked, i: int) -> VGroup:
        """Join a word to every word, itself included, each line as thick as the weight."""
        look = {"stroke_color": self.theme.accent}
        arcs, asks = VGroup(), self.roles["query"]
        for j in range(len(self.row)):
            width = 1 + 9 * float(sentence.weights[i, j])
            start, end = (t.get_top() + 0.1 * UP for t in (asks[i], asks[j]))
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

    def _stack(self, stack: VGroup, grid: Grid, role: str) -> None:
        """Let each word lay its row into the matrix."""
        arrivals = [Arrive(grid.row(i), said) for i, said in enumerate(self.roles[role])]
        self.play(*arrivals, run_time=1.2)
        self.play(Appear(grid.brackets), Appear(stack[0]), run_time=0.6)
