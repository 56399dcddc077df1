"""查通讯录: an ordinary dictionary, the fuzzy one that attention is, and the way back."""

from functools import cache
from itertools import chain
from typing import Any

import numpy as np
from manim import DOWN, LEFT, RIGHT, UP, VGroup

from animations.film import Film, beat
from animations.films.apple import NAMES
from animations.formula import Formula, Phrase, line_up
from animations.motion import Appear, Move, Vanish, early, late
from animations.parts.acting import ActingFormula, set_term
from animations.parts.bars import Bars
from animations.parts.grid import Grid
from animations.parts.layout import above_columns, is_wide, levelled, on_lines, put, stacked
from animations.parts.legend import Legend, explain
from animations.parts.motions import Arrive, Become, Fold
from animations.parts.scoring import Scoring
from animations.parts.spotlight import Spotlight
from animations.parts.stagecraft import exchange, succeed
from animations.parts.table import Table
from animations.parts.terms import OUTPUT
from animations.parts.tokens import Token
from animations.parts.worked import Worked
from animations.theme import MATH, TYPE, Box
from derive.catalog import load as theorem
from derive.examples import load as example
from derive.origins import nodes
from numeric import softmax

RECORDS = ("zhang-address", "zhang-phone", "li-address")  # each label is the question it answers
CONTENTS = ("home", "phone", "other")
AXES = ("zhang", "li", "address", "phone")
BETAS = np.array([1.0, 2.0, 4.0])

PLAIN = {"key": 0.34, "value": 0.72}
PLAIN_TALL = {"key": 0.28, "value": 0.8}
NAMED = {"key": 0.55, "value": 0.93}
COLUMNS = {"record": 0.012, "key": 0.322, "work": 0.43, "value": 0.93}
NAMED_TALL = {"key": 0.66}
TALL = {"record": 0.02, "key": 0.64, "work": 0.04, "value": 0.86}
LINES = {"record": 0.24, "key": 0.24, "work": -0.24, "value": -0.24}  # two to a record, if narrow
PAIRS = {"word": 0.2, "key": 0.5, "value": 0.8}
PAIRS_TALL = {"word": 0.18, "key": 0.56, "value": 0.86}
TURN = {"word": 0.16, "query": 0.38, "key": 0.58, "value": 0.82}
TURN_TALL = {"word": 0.16, "query": 0.37, "key": 0.56, "value": 0.86}
_LENGTH = 3.0  # units of a bar of weight 1


@cache
def worked(question: str) -> Worked:
    """The numbers of one question."""
    return Worked.of(example("address-book").case(question))


@cache
def sharpened() -> Any:
    """The weights of the first question, one row for each β."""
    return softmax(BETAS[:, None] * worked(RECORDS[0]).scaled)


class AddressBook(Film):
    """Attention is a dictionary that answers with a blend; sharpened, it is a dictionary again."""

    title = "film.address.book"
    poster = "answers"

    @beat(title="address.chapter.dictionary", draws=("address-book",))
    def looks_up(self) -> None:
        strip, box = self._regions()
        table = Table(box, PLAIN if is_wide(self.stage) else PLAIN_TALL, len(RECORDS))
        self.records = [table.put(r, "key", j) for j, r in enumerate(self._records())]
        self.contents = [table.put(c, "value", j) for j, c in enumerate(self._contents())]
        self.heads = [table.head(self.phrase(f"address.label.{name}"), name) for name in PLAIN]
        asked = self._asked(RECORDS[0], strip)
        self.say("address.say.open")
        self.play(Appear(asked), run_time=0.8)
        self.say("address.say.records")
        self.play(*map(Appear, self.heads), run_time=0.6)
        for record, content in zip(self.records, self.contents, strict=True):
            self.play(Appear(record), Appear(content), run_time=0.6)
        self.settle()
        self.say("address.say.found")
        self._ask_exactly(table, asked, RECORDS[0])
        self.say("address.say.typo")
        self._ask_exactly(table, self._asked("typo", strip), "typo")
        self.say("address.say.strict")
        self.read()

    @beat(title="address.chapter.vectors", draws=("address-book",))
    def writes_vectors(self) -> None:
        numbers = worked(RECORDS[0])
        strip, box = self._regions()
        wide = is_wide(self.stage)
        lines = {} if wide else LINES
        roomy = Table(box, NAMED if wide else NAMED_TALL, 4, lines)
        self.table = Table(box, COLUMNS if wide else TALL, 4, lines)
        self.say("address.say.vectors")
        self._step_aside()
        labels = [
            roomy.put(self._vector(numbers, "K", j, gap=self._gap), "key", j) for j in range(3)
        ]
        for record, label in zip(self.records, labels, strict=True):
            self._write_out(record, label)
        names = self._axes_over(labels[0])
        self.say("address.say.axes")
        self.play(Appear(names, lag_ratio=0.1), run_time=1.0)
        self.settle()
        self.read()
        self.say("address.say.question")
        self.asked = self._asked(RECORDS[0], strip)
        question = roomy.head(self._vector(numbers, "Q", 0, gap=self._gap), "key")
        self.play(Appear(self.asked), run_time=0.6)
        above = (question.get_top()[1] + 0.2 - names.get_bottom()[1]) * UP
        self.play(Move(names, above), run_time=0.6)
        self._write_out(self.asked, question)
        self.settle()
        self.read()
        self.play(Vanish(names), run_time=0.4)
        self.labels = [self.table.put(self._vector(numbers, "K", j), "key", j) for j in range(3)]
        self.question = self.table.head(self._vector(numbers, "Q", 0), "key")
        pairs = zip(labels, self.labels, strict=True)
        exchange(self, (question, self.question), *pairs, run_time=1.2)

    @beat(title="address.chapter.scores", draws=("address-book",))
    def scores(self) -> None:
        numbers = worked(RECORDS[0])
        self.scoring = Scoring(numbers, 0, self.table, self.question, self.labels)
        self.say("address.say.compare")
        self.scoring.entitle(self, "scores")
        self.scoring.score(self)
        best, half = (f"{numbers.scores[0, j]:.0f}" for j in (0, 1))
        self.say("address.say.partly", best=best, half=half)
        self.scoring.glance(self, 0)

    @beat(title="address.chapter.blend", draws=("address-book",))
    def blends(self) -> None:
        numbers = worked(RECORDS[0])
        self.say("address.say.scale", d=numbers.Q.shape[1])
        if not is_wide(self.stage):
            self._place_contents()
            self.play(*map(Appear, (self.value_head, *self.contents)), run_time=0.8)
        self.scoring.change(self, "scaled")
        self.say("address.say.softmax")
        self.scoring.change(self, "exponentials")
        self.scoring.normalise(self)
        self.settle()
        self.bars, self.head = self.scoring.bars, self.scoring.head
        self.say("address.say.blend", share=f"{100 * numbers.output[0, 0]:.0f}")
        self.answer = self._answer(RECORDS[0])
        self.play(Appear(self.answer[0]), run_time=0.4)
        sources = zip(self.answer[1:], self.bars.numbers, self.contents, strict=True)
        for (number, content), weight, held in sources:
            self.play(Arrive(number, weight), Arrive(content, held), run_time=0.8)
        self.settle()
        self.say("address.say.fuzzy")
        self.read()

    @beat(title="address.chapter.questions", draws=("address-book",))
    def answers(self) -> None:
        self.say("address.say.other")
        self._ask("zhang-phone")
        self.say("address.say.third")
        self._ask("li-address")
        self.say("address.say.nobody")
        self._ask("li-phone")
        self.say("address.say.vague")
        self.settle()
        self.read()

    @beat(title="address.chapter.sharpen", draws=("address-book", "hard-lookup-limit"))
    def sharpens(self) -> None:
        self.say("address.say.sharpen")
        self._ask(RECORDS[0])
        self.play(Vanish(self.answer), run_time=0.4)
        label = self.phrase("address.label.sharpness")
        label.move_to([self.table.x("work"), self.table.heights[3], 0.0], aligned_edge=LEFT)
        beta = self._beta(label, 0)
        self.play(Appear(label), Appear(beta), run_time=0.6)
        self.say("address.say.sharper")
        for i in range(1, len(BETAS)):
            beta = self._sharpen(label, beta, i)
        self.read()
        self.say("address.say.limit")
        self._show_limit()

    @beat(title="address.chapter.roles", draws=("address-book",))
    def two_things(self) -> None:
        places = PAIRS if is_wide(self.stage) else PAIRS_TALL
        self.rows = self._rows(Table(self._regions()[1], places, 3))
        _, _, labels, contents = self.rows
        self.say("address.say.two-things")
        rows = VGroup(*chain(*self.rows))
        succeed(self, rows)
        self.remove(rows)
        self.add(*rows)
        for column in (labels, contents):
            light = Spotlight(VGroup(*column), self.theme, margin=0.25)
            self.play(Appear(light), run_time=0.6)
            self.settle()
            self.wait(1.0)
            self.play(Vanish(light), run_time=0.4)
        self.read()
        self.say("address.say.moves")
        light = Spotlight(contents[0], self.theme, margin=0.25)
        self.play(Appear(light), run_time=0.6)
        self.settle()
        self.read()
        self.play(Vanish(light), run_time=0.4)

    @beat(title="address.chapter.sentence", draws=("apple", "attention-formula"))
    def becomes_a_sentence(self) -> None:
        numbers = Worked.of(example("apple").case("fruit"))
        spoken = [self.text(f"apple.token.{NAMES[token]}") for token in numbers.tokens]
        tokens = [Token(word, self.theme, em=TYPE["small"], lead=0.35) for word in spoken]
        turn = Table(self._regions()[1], TURN if is_wide(self.stage) else TURN_TALL, 3)
        columns = {
            name: [turn.put(self._vector(numbers, name, j), role, j) for j in range(3)]
            for name, role in (("Q", "query"), ("K", "key"), ("V", "value"))
        }
        self.say("address.say.sentence")
        heads, *rows = self._rows(turn)
        exchange(self, *zip(chain(*self.rows), chain(heads, *rows), strict=True), run_time=0.8)
        for j, token in enumerate(tokens):
            turn.put(token, "word", j)
            olds = [column[j] for column in rows]
            news = token, columns["K"][j], columns["V"][j]
            self.play(
                *(Fold(old, new, rate_func=early) for old, new in zip(olds, news, strict=True)),
                *(Appear(new, rate_func=late) for new in news),
                run_time=1.0,
            )
        self.settle()
        self.say("address.say.asks")
        head = self._head(turn, "query")
        self.play(Appear(head), run_time=0.4)
        for token, question in zip(tokens, columns["Q"], strict=True):
            self._write_out(token.word, question)
        self.settle()
        self.read()
        self.say("address.say.formula")
        upper, lower = stacked(self.stage, 0.42 if is_wide(self.stage) else 0.36, 0)
        formula = ActingFormula(OUTPUT, upper, self.theme)
        self.play(*map(Vanish, (head, *heads, *tokens)), run_time=0.5)
        self._fold(columns, formula.shown)
        self.read()
        self.say("attention.explain")
        explain(self, formula, lower)
        self.read()
        self.wait(1.5)

    # ------------------------------------------------------------------ places and words

    def _regions(self) -> tuple[Box, Box]:
        """Return where the question stands, and the table below it."""
        return stacked(stacked(self.stage, 0.97, 0)[0], 0.2, 0)

    @property
    def _under(self) -> float:
        """Return the height of what stands below the table's rows."""
        return self.table.heights[3] - (0 if is_wide(self.stage) else 0.2)

    @property
    def _gap(self) -> float:
        """Room between numbers that stand under the names of their axes."""
        return 1.3 if is_wide(self.stage) else 0.8

    def _records(self, size: str = "body") -> list[Phrase]:
        spoken = (self.text(f"address.question.{name}") for name in RECORDS)
        return [self.label(f"[K|{words}]", size=size) for words in spoken]

    def _contents(self, size: str = "body") -> list[Phrase]:
        return [self.phrase(f"address.content.{name}", size=size) for name in CONTENTS]

    def _rows(self, table: Table) -> tuple[list[Phrase], list[Phrase], list[Grid], list[Phrase]]:
        """Write the book into a table: heads, what a record is about, its label, its content."""
        heads = [self._head(table, role) for role in ("key", "value")]
        records = [table.put(r, "word", j) for j, r in enumerate(self._records("small"))]
        numbers = worked(RECORDS[0])
        labels = [table.put(self._vector(numbers, "K", j), "key", j) for j in range(3)]
        contents = [table.put(c, "value", j) for j, c in enumerate(self._contents("small"))]
        return heads, records, labels, contents

    def _head(self, table: Table, role: str) -> Phrase:
        return table.head(self.phrase(f"attention.{role}", size="small"), role)

    def _asked(self, name: str, strip: Box) -> Phrase:
        question = self.text(f"address.question.{name}")
        asked = self.phrase("address.label.asked", question=question)
        return asked.move_to([strip.centre[0], strip.top - 0.1, 0.0], aligned_edge=UP)

    def _vector(self, numbers: Worked, name: str, row: int, gap: float = 0.3) -> Grid:
        array, role = getattr(numbers, name)[row], name
        label = f"{name}[{row}]"
        return Grid(array, self.theme, name=label, places=None, role=role, gap=(gap, 0.0))

    def _axes_over(self, grid: Grid) -> VGroup:
        return above_columns(grid, [self.phrase(f"address.axis.{a}", size="small") for a in AXES])

    # ------------------------------------------------------------------ from record to word

    def _step_aside(self) -> None:
        """Make room for vectors between the labels and the contents."""
        records = [
            self.table.put(r, "record", j, left=True) for j, r in enumerate(self._records("small"))
        ]
        pairs = list(zip(self.records, records, strict=True))
        label_head, value_head = self.heads
        gone = [label_head]
        if is_wide(self.stage):
            before = self.contents
            self._place_contents()
            pairs += [*zip(before, self.contents, strict=True), (value_head, self.value_head)]
        else:
            gone += [value_head, *self.contents]
        exchange(self, *pairs, run_time=1.2, also=map(Vanish, gone))
        self.records = records

    def _place_contents(self) -> None:
        self.contents = [
            self.table.put(c, "value", j) for j, c in enumerate(self._contents("small"))
        ]
        head = self.phrase("address.label.value", size="small")
        self.value_head = self.table.head(head, "value")

    def _write_out(self, words: Phrase, vector: Grid) -> None:
        """Let a copy of words turn into numbers."""
        self.play(Fold(words.copy(), vector), Appear(vector, rate_func=late), run_time=0.9)

    def _fold(self, columns: dict[str, list[Grid]], formula: Formula) -> None:
        """Let all questions shrink into one letter, and so the labels and the contents."""
        letters = {glyph.role: glyph for glyph in formula if glyph.role}
        folds = [
            Fold(vector, letters[name]) for name, column in columns.items() for vector in column
        ]
        self.play(*folds, Appear(VGroup(*letters.values()), rate_func=late), run_time=1.8)
        rest = VGroup(*(glyph for glyph in formula if not glyph.role))
        self.play(Appear(rest), run_time=1.0)
        self.remove(*letters.values(), rest)
        self.add(formula)
        self.settle()

    # ------------------------------------------------------------------ the ordinary dictionary

    def _ask_exactly(self, table: Table, asked: Phrase, name: str) -> None:
        """Go through the labels until one is the question, letter by letter."""
        labels = [self.text(f"address.question.{record}") for record in RECORDS]
        question = self.text(f"address.question.{name}")
        found = labels.index(question) if question in labels else None
        lights = [] if found is not None else [self._slip(asked, question, labels[0])]
        if asked not in self.mobjects:
            self.play(*map(Appear, (asked, *lights)), run_time=0.6)
        for j in range(len(labels)):
            light = table.light(j, self.theme)
            self.play(Appear(light), run_time=0.3)
            self.wait(0.5)
            if j == found:
                lights.append(light)
                break
            self.play(Vanish(light), run_time=0.3)
        result = self._result(asked, found)
        self.settle()
        self.wait(1.2)
        self.read()
        self.play(*map(Vanish, (asked, result, *lights)), run_time=0.5)

    def _slip(self, asked: Phrase, question: str, meant: str) -> Spotlight:
        """Put light behind the letters that are not what was meant."""
        written, right = ("".join(text.split()) for text in (question, meant))
        wrong = [g for g, one, other in zip(asked, written, right, strict=False) if one != other]
        return Spotlight(VGroup(*wrong), self.theme, margin=0.08)

    def _result(self, asked: Phrase, found: int | None) -> Phrase:
        """Show what the dictionary gives back: a content, or nothing."""
        if found is None:
            result = self.phrase("address.label.nothing").set_fill(self.theme.muted)
        else:
            result = self._contents()[found]
        if is_wide(self.stage):
            line_up(asked, result, gap=0.8)
        else:
            result.next_to(asked, DOWN, buff=0.3)
        if found is None:
            self.play(Appear(result), run_time=0.6)
        else:
            self.play(Arrive(result, self.contents[found]), run_time=1.0)
        return result

    # ------------------------------------------------------------------ the fuzzy dictionary

    def _answer(self, name: str) -> VGroup:
        """Write the blend that comes back: how much of each content."""
        output = worked(name).output
        parts = VGroup(self.phrase("address.label.answer", size="small"))
        for j, content in enumerate(self._contents()):
            number = self.number(output, (0, j), name="output", role="O")
            parts.add(VGroup(number, content).arrange(RIGHT, buff=0.2))
        parts.arrange(*((RIGHT, 0.6) if is_wide(self.stage) else (DOWN, 0.14)))
        parts.move_to([self.stage.centre[0], self._under, 0.0])
        return levelled(parts)

    def _ask(self, name: str) -> None:
        """Put another question to the same book: only what depends on it changes."""
        numbers = worked(name)
        strip, _ = self._regions()
        asked, answer = self._asked(name, strip), self._answer(name)
        question = self.table.head(self._vector(numbers, "Q", 0), "key")
        self._replace((self.asked, asked), (self.question, question))
        scoring = Scoring(numbers, 0, self.table, question, self.labels)
        bars = scoring.bars_in(self, self.table, _LENGTH)
        self._rescale(bars, (self.answer, answer))
        self.asked, self.question, self.answer = asked, question, answer
        self.settle()

    def _replace(self, *pairs: tuple[VGroup, VGroup]) -> None:
        self.play(
            *(Vanish(old, rate_func=early) for old, _ in pairs),
            *(Appear(new, rate_func=late) for _, new in pairs),
            run_time=1.0,
        )

    def _rescale(self, bars: Bars, *others: tuple[VGroup, VGroup]) -> None:
        """Let bars grow or shrink to other weights, and change their numbers."""
        pairs = ((self.bars.numbers, bars.numbers), *others)
        self.play(
            Become(self.bars.bars, bars.bars),
            *(Vanish(old, rate_func=early) for old, _ in pairs),
            *(Appear(new, rate_func=late) for _, new in pairs),
            run_time=1.2,
        )
        self.remove(self.bars.bars)
        self.add(bars.bars)
        self.bars = bars

    # ------------------------------------------------------------------ the way back

    def _beta(self, label: Phrase, i: int) -> Any:
        beta = self.number(BETAS, (i,), name="beta", places=0)
        line_up(label, beta)
        return beta

    def _sharpen(self, label: Phrase, beta: Any, i: int) -> Any:
        """Multiply the scores by a larger β, and let the weights follow."""
        new = self._beta(label, i)
        heights = [self.table.y("work", j) for j in range(len(RECORDS))]
        bars = Bars(sharpened(), i, self.theme, name="sharpened", heights=heights, length=_LENGTH)
        bars.shift((self.table.x("work") - bars.numbers.get_left()[0]) * RIGHT)
        self._rescale(bars, (beta, new))
        self.settle()
        self.wait(0.8)
        return new

    def _show_limit(self) -> None:
        """Show what is proved of the limit, and what its letters stand for."""
        upper, lower = stacked(self.stage, 0.6, 0)
        statement = theorem("hard-lookup-limit").statement
        formula = set_term(statement, self.theme, 0.9)
        if not is_wide(self.stage):
            weights = next(path for path, node in nodes(statement) if node.op == "def")
            on_lines(formula, [formula.own(weights), formula.own(())])
        succeed(self, put(formula, upper))
        letters = {"sharpness": "$β$", "score": "$s$", "content": "[V|$v$]", "best": "$m$"}
        symbols = {n: Phrase(m, self.theme, em=MATH["math"]) for n, m in letters.items()}
        meanings = {n: self.phrase(f"address.meaning.{n}", size="small") for n in letters}
        legend = Legend(symbols, meanings, lower, columns=1 + is_wide(self.stage))
        self.play(Appear(legend, lag_ratio=0.02), run_time=1.2)
        self.settle()
        self.wait(2.5)
