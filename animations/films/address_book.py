"""查通讯录: an ordinary dictionary, the fuzzy one that attention is, and the way back."""

from functools import cache
from typing import Any

import numpy as np
from manim import DOWN, LEFT, RIGHT, UP, VGroup

from animations.film import Film, beat
from animations.films.apple import NAMES
from animations.formula import Phrase, line_up
from animations.motion import Appear, Move, Vanish, early, late
from animations.parts.acting import set_term
from animations.parts.bars import Bars
from animations.parts.grid import Grid
from animations.parts.layout import is_wide, put, stacked
from animations.parts.motions import Arrive, Become
from animations.parts.scoring import Scoring
from animations.parts.stagecraft import clear, exchange
from animations.parts.table import Table
from animations.parts.terms import OUTPUT
from animations.parts.tokens import TokenRow
from animations.parts.worked import Worked
from animations.theme import Box
from derive.catalog import load as theorem
from derive.examples import load as example
from numeric import softmax

RECORDS = ("zhang-address", "zhang-phone", "li-address")  # each label is the question it answers
CONTENTS = ("home", "phone", "other")
AXES = ("zhang", "li", "address", "phone")
BETAS = np.array([1.0, 2.0, 4.0, 8.0])

PLAIN = {"key": 0.34, "value": 0.72}
NAMED = {"key": 0.66}
_LENGTH = 3.0  # units of a bar of weight 1
COLUMNS = {"record": 0.012, "key": 0.37, "work": 0.49, "value": 0.93}
TALL = {"record": 0.02, "key": 0.64, "work": 0.04, "value": 0.86}
LINES = {"record": 0.24, "key": 0.24, "work": -0.24, "value": -0.24}  # two to a record, if narrow


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
        table = Table(box, PLAIN, len(RECORDS))
        self.records = VGroup(*(table.put(r, "key", j) for j, r in enumerate(self._records())))
        self.contents = VGroup(*(table.put(c, "value", j) for j, c in enumerate(self._contents())))
        heads = [table.head(self.phrase(f"address.label.{name}"), name) for name in PLAIN]
        self.say("address.say.records")
        self.play(*map(Appear, heads), run_time=0.6)
        for record, content in zip(self.records, self.contents, strict=True):
            self.play(Appear(record), Appear(content), run_time=0.6)
        self.settle()
        self.say("address.say.found")
        self._ask_exactly(table, strip, RECORDS[0])
        self.say("address.say.typo")
        self._ask_exactly(table, strip, "typo")
        self.play(*map(Vanish, heads), Vanish(self.contents), run_time=0.6)

    @beat(title="address.chapter.vectors", draws=("address-book",))
    def writes_vectors(self) -> None:
        numbers = worked(RECORDS[0])
        strip, box = self._regions()
        columns, lines = (COLUMNS, {}) if is_wide(self.stage) else (TALL, LINES)
        wide, self.table = Table(box, NAMED, 4, lines), Table(box, columns, 4, lines)
        records = VGroup(
            *(
                self.table.put(r, "record", j, left=True)
                for j, r in enumerate(self._records("small"))
            )
        )
        self.say("address.say.vectors")
        exchange(self, (self.records, records), run_time=1.0)
        labels = [
            wide.put(self._vector(numbers, "K", j, gap=self._gap), "key", j) for j in range(3)
        ]
        for label in labels:
            self.play(Appear(label), run_time=0.5)
        names = self._axes_over(labels[0])
        self.say("address.say.axes")
        self.play(Appear(names, lag_ratio=0.1), run_time=1.0)
        self.settle()
        self.read()
        self.say("address.say.question")
        self.asked = self._asked(RECORDS[0], strip)
        question = wide.head(self._vector(numbers, "Q", 0, gap=self._gap), "key")
        self.play(Appear(self.asked), run_time=0.6)
        above = (question.get_top()[1] + 0.2 - names.get_bottom()[1]) * UP
        self.play(Appear(question), Move(names, above), run_time=0.9)
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
        contents = VGroup(*(self.table.put(c, "value", j) for j, c in enumerate(self._contents())))
        head = self.table.head(self.phrase("address.label.value", size="small"), "value")
        self.say("address.say.scale", d=numbers.Q.shape[1])
        self.play(Appear(head), Appear(contents), run_time=0.8)
        self.scoring.change(self, "scaled")
        self.say("address.say.softmax")
        self.scoring.change(self, "exponentials")
        self.scoring.normalise(self)
        self.settle()
        self.bars, self.head = self.scoring.bars, self.scoring.head
        self.say("address.say.blend", share=f"{100 * numbers.output[0, 0]:.0f}")
        self.answer = self._answer(RECORDS[0])
        self.play(Appear(self.answer[0]), run_time=0.4)
        arrivals = zip(self.answer[1:], contents, strict=True)
        self.play(*(Arrive(part, content) for part, content in arrivals), run_time=1.2)
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
        clear(self)
        statement = put(
            set_term(theorem("hard-lookup-limit").statement, self.theme, 0.9), self.stage
        )
        self.say("address.say.limit")
        self.play(Appear(statement, lag_ratio=0.01), run_time=1.5)
        self.settle()
        self.read()
        self.play(Vanish(statement), run_time=0.5)

    @beat(title="address.chapter.roles", draws=("address-book", "apple", "attention-formula"))
    def parts(self) -> None:
        box = self._regions()[1]
        table = Table(box, PLAIN, len(RECORDS))
        label = self._vector(worked(RECORDS[0]), "K", 0)
        record = VGroup(self._records()[0], label).arrange(DOWN, buff=0.35)
        content = self._contents()[0]
        for part, column in ((record, "key"), (content, "value")):
            part.move_to([table.x(column), self.stage.centre[1], 0.0])
            head = self.phrase(f"address.label.{column}", size="heading")
            head.move_to([table.x(column), self.stage.centre[1] + 1.5, 0.0])
            part.add(head)
        self.say("address.say.two-things")
        self.play(Appear(record), run_time=0.8)
        self.play(Appear(content), run_time=0.8)
        self.settle()
        self.say("address.say.sentence")
        self.play(Vanish(record), Vanish(content), run_time=0.5)
        sentence = self._sentence()
        for part in sentence:
            self.play(Appear(part, lag_ratio=0.02), run_time=0.8)
        self.settle()
        self.read()
        formula = put(set_term(OUTPUT, self.theme, 0.94), self.stage)
        self.say("address.say.formula")
        self.play(*map(Vanish, sentence), run_time=0.5)
        self.play(Appear(formula, lag_ratio=0.02), run_time=1.4)
        self.settle()
        self.read()
        self.wait(1.0)

    # ------------------------------------------------------------------ places and words

    def _regions(self) -> tuple[Box, Box]:
        """Return where the question stands, and the table below it."""
        return stacked(stacked(self.stage, 0.97, 0)[0], 0.2, 0)

    @property
    def _gap(self) -> float:
        """Room between numbers that stand under the names of their axes."""
        return 1.3 if is_wide(self.stage) else 0.8

    def _records(self, size: str = "body") -> list[Phrase]:
        return [self.phrase(f"address.question.{name}", size=size) for name in RECORDS]

    def _contents(self) -> list[Phrase]:
        return [self.phrase(f"address.content.{name}") for name in CONTENTS]

    def _asked(self, name: str, strip: Box) -> Phrase:
        question = self.text(f"address.question.{name}")
        asked = self.phrase("address.label.asked", question=question)
        return asked.move_to([strip.centre[0], strip.top - 0.1, 0.0], aligned_edge=UP)

    def _vector(self, numbers: Worked, name: str, row: int, gap: float = 0.3) -> Grid:
        array, role = getattr(numbers, name)[row], name
        label = f"{name}[{row}]"
        return Grid(array, self.theme, name=label, places=None, role=role, gap=(gap, 0.0))

    def _axes_over(self, grid: Grid) -> VGroup:
        names = VGroup()
        for j, axis in enumerate(AXES):
            name = self.phrase(f"address.axis.{axis}", size="small")
            names.add(name.next_to(grid, UP, buff=0.2).set_x(grid.at(0, j).get_x()))
        for name in names:
            name.shift((names[0].baseline - name.baseline) * UP)
        return names

    def _sentence(self) -> VGroup:
        """Set the words of a sentence over what each asks, is labelled with and holds."""
        numbers = Worked.of(example("apple").case("fruit"))
        words = [self.text(f"apple.token.{NAMES[token]}") for token in numbers.tokens]
        row = TokenRow(words, self.theme, gap=1.2 if is_wide(self.stage) else 0.6)
        lines = VGroup(row)
        for name, role in (("Q", "query"), ("K", "key"), ("V", "value")):
            line = VGroup(self.phrase(f"attention.{role}", size="small"))
            line.next_to(lines[-1], DOWN, buff=0.5)
            line.set_x(row.get_left()[0] - (1.3 if is_wide(self.stage) else 0.8))
            for i, token in enumerate(row):
                line.add(self._vector(numbers, name, i).set_x(token.get_x()).set_y(line.get_y()))
            lines.add(line)
        return lines.move_to(self.stage.centre)

    # ------------------------------------------------------------------ the ordinary dictionary

    def _ask_exactly(self, table: Table, strip: Box, name: str) -> None:
        """Go through the labels until one is the question, letter by letter."""
        labels = [self.text(f"address.question.{record}") for record in RECORDS]
        question = self.text(f"address.question.{name}")
        asked = self._asked(name, strip)
        self.play(Appear(asked), run_time=0.6)
        for j, label in enumerate(labels):
            light = table.light(j, self.theme)
            self.play(Appear(light), run_time=0.3)
            self.wait(0.5)
            if label == question:
                break
            self.play(Vanish(light), run_time=0.3)
        result = self._result(asked, labels.index(question) if question in labels else None)
        lit = [Vanish(light)] if light in self.mobjects else []
        self.settle()
        self.read()
        self.play(Vanish(asked), Vanish(result), *lit, run_time=0.5)

    def _result(self, asked: Phrase, found: int | None) -> Phrase:
        """Show what the dictionary gives back: a content, or nothing."""
        side, gap = (RIGHT, 0.8) if is_wide(self.stage) else (DOWN, 0.3)
        if found is None:
            result = self.phrase("address.label.nothing").set_fill(self.theme.muted)
            self.play(Appear(result.next_to(asked, side, buff=gap)), run_time=0.6)
        else:
            result = self._contents()[found].next_to(asked, side, buff=gap)
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
        parts.arrange(*((RIGHT, 0.6) if is_wide(self.stage) else (DOWN, 0.2)))
        return parts.move_to([self.stage.centre[0], self.table.heights[3], 0.0])

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
