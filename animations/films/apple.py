"""苹果: one word, two sentences, the same matrices, two meanings."""

from functools import cache, reduce
from typing import Any

import numpy as np
from manim import (
    DOWN,
    LEFT,
    RIGHT,
    UP,
    ArcBetweenPoints,
    Line,
    Mobject,
    VGroup,
)

from animations.film import Film, beat
from animations.formula import Formula, Phrase
from animations.motion import Appear, Move, Vanish, early, late
from animations.parts.acting import ActingFormula, set_term
from animations.parts.grid import Grid
from animations.parts.growth import follow, rename
from animations.parts.layout import (
    above_columns,
    beside,
    halves,
    hold,
    is_wide,
    on_lines,
    put,
    stacked,
)
from animations.parts.legend import explain
from animations.parts.motions import Arrive, Become, Depart
from animations.parts.plane import Plane
from animations.parts.product import Product
from animations.parts.roles import roles_of
from animations.parts.scoring import Scoring
from animations.parts.spotlight import Spotlight
from animations.parts.stagecraft import clear, exchange, succeed
from animations.parts.table import Table
from animations.parts.terms import OUTPUT, SCALED, SCORES, WEIGHTS
from animations.parts.tokens import Token, TokenRow
from animations.parts.worked import Worked
from animations.theme import MATH, TYPE, Box
from derive.catalog import load as theorem
from derive.examples import load as example
from derive.examples.apple import FEATURES as AXES
from derive.origins import compose, nodes, origins
from derive.terms import Term

APPLE = "苹果"
NAMES = {"我": "wo", "吃": "chi", APPLE: "pingguo", "发布": "fabu", "手机": "shouji"}
PROJECTIONS = {"query": ("W_Q", "Q"), "key": ("W_K", "K"), "value": ("W_V", "V")}

SHELF = {"token": 0.1, "query": 0.36, "key": 0.585, "value": 0.84}
SCORING = {"token": 0.074, "key": 0.245, "meaning": 0.358, "work": 0.448, "value": 0.91}
NARROW = {"token": 0.11, "key": 0.33, "meaning": 0.33, "work": 0.46}
_FORMULA, _BREATH = 2.2, 0.2  # units kept for the formula above, and free above the captions
_LARGE = 0.94  # ems of a formula that has the stage to itself: its smallest scripts stay legible
PLACES = 4  # digits of a weight: rounded to so many, the three still add up to 1
BLENDING = {"token": 0.13, "work": 0.325, "value": 0.84}


@cache
def worked(name: str) -> Worked:
    """The numbers of one of the two sentences."""
    return Worked.of(example("apple").case(name))


class Apple(Film):
    """Why 苹果 is a fruit in one sentence and a company in the other."""

    title = "film.apple"
    poster = "together"

    # ------------------------------------------------------------------ the beats

    @beat(title="apple.chapter.problem", draws=("apple",))
    def problem(self) -> None:
        middle, wide = np.array(self.stage.centre), is_wide(self.stage)
        self.sentence, second = self._sentence("fruit"), self._sentence("company")
        apples = self.sentence[2], second[0]
        aside = np.array([0.0 if wide else 0.28 * self.stage.width, 2.1, 0.0])
        self.sentence.shift(middle + aside - apples[0].get_center())
        second.shift(middle - aside - apples[1].get_center())
        hold(self.sentence, self.stage), hold(second, self.stage)
        fruit = self._meaning("fruit").next_to(apples[0], RIGHT if wide else UP, buff=0.4)
        company = self._meaning("company").next_to(apples[1], LEFT if wide else DOWN, buff=0.4)
        self.say("apple.say.two-sentences")
        self.play(Appear(self.sentence, lag_ratio=0.05), run_time=1.2)
        self.play(Appear(fruit), run_time=0.6)
        self.play(Appear(second, lag_ratio=0.05), run_time=1.2)
        self.play(Appear(company), run_time=0.6)

        vector = self._grid(worked("fruit").given["X"][2], "X[2]", em=0.62).move_to(middle)
        threads = VGroup(
            Line(apples[0].get_bottom() + 0.15 * DOWN, vector.get_top() + 0.15 * UP),
            Line(apples[1].get_top() + 0.15 * UP, vector.get_bottom() + 0.15 * DOWN),
        ).set_stroke(self.theme.accent, 2)
        self.say("apple.say.same-vector")
        self.play(Appear(threads), Appear(vector), run_time=1.2)
        self.settle()

        neighbours = VGroup(*self.sentence[:2]), VGroup(*second[1:])
        lights = [Spotlight(pair, self.theme, margin=0.18) for pair in neighbours]
        self.say("apple.say.look-around")
        self.play(*map(Appear, lights), run_time=0.8)
        self.say("apple.say.which-words")
        self.read()
        gone = (*lights, threads, vector, second, fruit, company)
        self.play(*map(Vanish, gone), run_time=0.8)

    @beat(title="apple.chapter.vectors", draws=("apple",))
    def vectors(self) -> None:
        numbers, wide = worked("fruit"), is_wide(self.stage)
        self.matrix = self._grid(
            numbers.given["X"], "X", em=0.62 if wide else 0.5, gap=(1.0 if wide else 0.75, 0.95)
        )
        size = "heading" if wide else "small"
        words_down = self._sentence("fruit", down=True, size=size).next_to(
            self.matrix, LEFT, buff=0.5
        )
        for i, token in enumerate(words_down):
            token.set_y(self.matrix.row(i).get_y())
        names = [self.phrase(f"apple.axis.{axis}", size="small") for axis in AXES]
        axes = above_columns(self.matrix, names, buff=0.25)
        VGroup(words_down, self.matrix, axes).move_to(self.stage.centre)
        self.say("apple.say.rows")
        self._turn_down(words_down)
        for i in range(3):
            self.play(Appear(self.matrix.row(i), rise=0.1), run_time=0.5)
        self.play(Appear(self.matrix.brackets), run_time=0.5)
        self.say("apple.say.axes")
        for axis in axes:
            self.play(Appear(axis, rise=0.1), run_time=0.4)
        light = Spotlight(VGroup(self.sentence[2], self.matrix.row(2)), self.theme, margin=0.2)
        self.say("apple.say.half")
        self.play(Appear(light), run_time=0.6)
        self.settle()
        self.read()
        self.play(Vanish(light), Vanish(axes), run_time=0.5)

    @beat(title="apple.chapter.roles", draws=("apple",))
    def asks(self) -> None:
        self._open_shelf()
        self.say("apple.say.asks")
        self.play(Appear(self.product.weights), Appear(self.product.rule), run_time=1.0)
        self.say("apple.say.crosswise")
        self._multiply("query", 2)
        self.say("apple.say.all-ask")
        self._others("query")

    @beat(draws=("apple",))
    def is_labelled(self) -> None:
        self.say("apple.say.labels")
        self._next_product("key", 2)
        self.say("apple.say.noun-label")
        self._multiply("key", 2)
        self.say("apple.say.all-labelled")
        self._others("key")

    @beat(draws=("apple",))
    def hands_over(self) -> None:
        self.say("apple.say.gives")
        self._next_product("value", 2)
        self.say("apple.say.half-each")
        self._multiply("value", 2)
        self.say("apple.say.all-give")
        self._others("value")
        self.say("apple.say.three-roles")
        shelf = VGroup(self.sentence, *self.heads.values(), *self.gathered.values())
        to_middle = np.array(self.stage.centre) - shelf.get_center()
        self.play(Vanish(self.product), run_time=0.6)
        self.play(Move(shelf, to_middle), run_time=1.0)
        light = Spotlight(VGroup(self.sentence[2], self.gathered["value", 2]), self.theme)
        self.play(Appear(light), run_time=0.5)
        self.settle()
        self.read()
        self.play(Vanish(light), run_time=0.4)

    @beat(title="apple.chapter.scores", draws=("apple", "attention-formula"))
    def scores(self) -> None:
        self._lay_table("fruit")
        self._leave_shelf()
        self.acting = ActingFormula(SCORES, self.upper, self.theme)
        self.say("apple.say.against")
        self.play(Appear(self.acting.shown), run_time=0.6)
        self.scoring.entitle(self, "scores")
        self.say("apple.say.multiply")
        self.scoring.score(self)
        self.say("apple.say.matches", score=f"{worked('fruit').scores[2, 1]:.0f}")
        self.scoring.glance(self, 1)

    @beat(draws=("apple", "attention-formula"))
    def scale(self) -> None:
        self.say("apple.say.scale", d=worked("fruit").Q.shape[1])
        self.acting.grow(self, SCALED)
        self._light("scale")
        self.scoring.change(self, "scaled")

    @beat(title="apple.chapter.weights", draws=("apple", "attention-formula"))
    def weights(self) -> None:
        self.say("apple.say.exponentiate")
        self.acting.dim(self)
        self.scoring.change(self, "exponentials")
        self.say("apple.say.normalise")
        self.scoring.normalise(self)
        self.say("apple.say.softmax")
        self.acting.grow(self, WEIGHTS)
        self._light("softmax")
        self.say("apple.say.attention", share=_percent(worked("fruit").weights[2, 1]))
        self.scoring.glance(self, 1)

    @beat(title="apple.chapter.blend", draws=("apple", "attention-formula"))
    def blend(self) -> None:
        self.say("apple.say.bring")
        self.acting.grow(self, OUTPUT)
        self._make_room("fruit")
        self._bring_values("fruit")
        self.say("apple.say.moves")
        self._pull("fruit")
        self.say("apple.say.fruit")
        self._name_dot("fruit")
        clear(self, self.acting.shown)

    @beat(title="apple.chapter.proof", draws=("attention-formula",))
    def proof(self) -> None:
        steps = theorem("attention-formula").steps
        last = len(steps) - (2 if is_wide(self.stage) else 1)  # shorter, where there is less room
        first = 3 if is_wide(self.stage) else 2
        line, proved = steps[first].right, steps[last].right
        made = reduce(compose, (origins(step.theorem) for step in steps[first + 1 : last + 1]))
        by_hand, by_matrices, named = map(self._large, (line, proved, OUTPUT))
        if not is_wide(self.stage):
            by_hand = self._on_lines(line)
        self.say("apple.say.line")
        self.play(Vanish(self.acting.shown), run_time=0.5)
        self.play(Appear(by_hand, lag_ratio=0.01), run_time=1.5)
        self.settle()
        self.wait(1.0)
        self.say("apple.say.matrices")
        self.play(follow(by_hand, by_matrices, proved, made), run_time=2.6)
        self.settle()
        self.say("apple.say.formula")
        self.play(rename(by_matrices, named, OUTPUT, (0, 0)), run_time=1.8)
        self.settle()
        self.read()
        self.acting = ActingFormula(OUTPUT, self.upper, self.theme)
        exchange(self, (named, self.acting.shown), run_time=0.8)

    @beat(title="apple.chapter.other", draws=("apple", "attention-formula"))
    def other(self) -> None:
        self.say("apple.say.unchanged")
        matrices = self._matrices()
        self.play(Appear(matrices, lag_ratio=0.02), run_time=1.2)
        self.settle()
        self.read()
        self.play(Vanish(matrices), run_time=0.5)
        self.say("apple.say.same-question")
        self._lay_table("company")
        self.play(Appear(self.tokens), Appear(self.asking), run_time=0.8)
        self.play(*map(Appear, (self.labels, *self.held)), run_time=0.8)
        self.say("apple.say.launch")
        self.scoring.entitle(self, "scores")
        self._light("scores")
        self.scoring.score(self, paces=(0.6, 0.4))
        self.scoring.glance(self, 1)

    @beat(draws=("apple", "attention-formula"))
    def other_meaning(self) -> None:
        self.say("apple.say.launch-weights", share=_percent(worked("company").weights[0, 1]))
        self._light("scale")
        self.scoring.change(self, "scaled")
        self._light("softmax")
        self.scoring.weigh(self)
        self.say("apple.say.launch-gives")
        self.acting.dim(self)
        self._make_room("company")
        self._bring_values("company")
        self._pull("company")
        self._name_dot("company")

    @beat(title="apple.chapter.together", draws=("apple",))
    def together(self) -> None:
        boxes = halves(self.stage, gap=0.5)
        panels = [self._panel(*named) for named in zip(("fruit", "company"), boxes, strict=True)]
        self.say("apple.say.same-different")
        first, *others = zip(*panels, strict=True)
        succeed(self, *first)
        for part in others:
            self.play(*map(Appear, part), run_time=0.8)
        self.settle()
        self.wait(2.5)
        self.read()

    @beat(title="apple.chapter.formula", draws=("attention-formula",))
    def formula_explained(self) -> None:
        upper, lower = stacked(self.stage, 0.42 if is_wide(self.stage) else 0.36, 0)
        acting = ActingFormula(OUTPUT, upper, self.theme)
        self.say("apple.say.where-what")
        succeed(self, acting.shown)
        explain(self, acting, lower)
        self.read()
        self.wait(2.0)

    # ------------------------------------------------------------------ words and numbers

    def _sentence(self, name: str, *, size: str = "heading", **layout: Any) -> TokenRow:
        spoken = [self.text(f"apple.token.{NAMES[token]}") for token in worked(name).tokens]
        return TokenRow(spoken, self.theme, marked=_asker(name), em=TYPE[size], **layout)

    def _meaning(self, name: str) -> Phrase:
        meaning = self.phrase(f"apple.label.{name}")
        meaning.set_fill(self.theme.muted)
        return meaning

    def _grid(self, array: Any, name: str, **look: Any) -> Grid:
        return Grid(array, self.theme, name=name, places=None, **look)

    def _vector(self, numbers: Worked, name: str, i: int) -> Grid:
        return self._grid(getattr(numbers, name)[i], f"{name}[{i}]", role=name, gap=(0.28, 0.0))

    # ------------------------------------------------------------------ three matrices

    def _open_shelf(self) -> None:
        """Move the words aside, to where their q, k and v will be gathered; open the first product."""
        self.desk, box = halves(self.stage, 0.46 if is_wide(self.stage) else 0.56)
        self.shelf = Table(stacked(box, 0.94, 0)[0], SHELF, 3)
        tokens = self._sentence("fruit", size="small")
        for i, token in enumerate(tokens):
            self.shelf.put(token, "token", i)
        self.gathered: dict[tuple[str, int], Grid] = {}
        self.heads = {role: self._shelf_head(role) for role in PROJECTIONS}
        self.slots = {
            (role, i): self._slot(role, i) for role in PROJECTIONS for i in range(len(tokens))
        }
        self.product = self._product("query", 2)
        rest = VGroup(self.matrix.row(0), self.matrix.row(1), self.matrix.brackets)
        self.play(Vanish(rest), Vanish(self.sentence), run_time=0.5)
        self.sentence = tokens
        self.remove(*self.matrix.row(2))
        arrivals = zip(self.product.entries, self.matrix.row(2), strict=True)
        places = (*self.heads.values(), *self.slots.values())
        self.play(
            *(Arrive(entry, cell) for entry, cell in arrivals),
            *(Appear(part, rate_func=late) for part in (self.product.rows, self.product.head)),
            *(Appear(place, rate_func=late) for place in (tokens, *places)),
            run_time=1.4,
        )

    def _turn_down(self, column: TokenRow) -> None:
        """Turn a row of words into a column: first down, like a staircase, then across."""
        stairs = column.copy()
        for stair, token in zip(stairs, self.sentence, strict=True):
            stair.set_x(token.get_x())
        self.play(Become(self.sentence, stairs), run_time=0.7)
        self.play(Become(self.sentence, column), run_time=0.7)

    def _shelf_head(self, role: str) -> Phrase:
        return self.shelf.head(self.phrase(f"attention.{role}", size="small"), role)

    def _slot(self, role: str, i: int) -> VGroup:
        """Keep the place of a vector that is still to come."""
        vector = self.shelf.put(self._vector(worked("fruit"), PROJECTIONS[role][1], i), role, i)
        return vector.brackets.set_stroke(opacity=0.4)

    def _product(self, role: str, i: int) -> Product:
        """Set up the product of the i-th word's vector with the matrix of a role."""
        weights, result = PROJECTIONS[role]
        numbers = worked("fruit")
        kind = "seek" if role == "query" else "axis"
        columns = AXES[2:] if role == "value" else AXES[:2]
        word = self.text(f"apple.token.{NAMES[numbers.tokens[i]]}")
        product = Product(
            numbers.given["X"][i],
            numbers.given[weights],
            getattr(numbers, result)[i],
            self.theme,
            names=(f"X[{i}]", weights, f"{result}[{i}]"),
            titles=(word, f"[{result}|$W_{result}$]", self.text(f"attention.{role}")),
            role=result,
            rows=[self.text(f"apple.axis.{axis}") for axis in AXES],
            columns=[self.text(f"apple.{kind}.{axis}") for axis in columns],
        )
        where = np.array(self.desk.centre) + 1.3 * RIGHT
        return product.shift(where - product.matrix.get_center())

    def _next_product(self, role: str, i: int) -> None:
        """Bring another word before the matrix, and another matrix if the role is another."""
        old, new = self.product, self._product(role, i)
        other = new.result.cells[0].label[0] != old.result.cells[0].label[0]
        gone = [old.run, old.weights] if other else [old.run]
        come = [new.head, new.entries, *(new.weights if other else ())]
        self.play(
            *(Vanish(part, rate_func=early) for part in gone),
            *(Appear(part, rate_func=late) for part in come),
            run_time=0.6,
        )
        self.remove(old)
        self.add(new.rows, new.rule, new.weights, new.head, new.entries)
        self.product = new

    def _multiply(self, role: str, i: int, pace: float = 1.0) -> None:
        """Add up the rows that the word picks, and gather the result."""
        product = self.product
        numbers = worked("fruit")
        picked = [row for row, entry in enumerate(numbers.given["X"][i]) if entry]
        matrix = numbers.given[PROJECTIONS[role][0]]
        picked = [row for row in picked if matrix[row].any()] or picked
        lights = [product.light(row) for row in picked]
        self.play(*map(Appear, lights), run_time=0.6 * pace)
        copies = [product.matrix.row(row).copy() for row in picked]
        falls = [Depart(copy, product.result) for copy in copies]
        self.play(*falls, Appear(product.result), run_time=1.2 * pace)
        self.settle()
        grid = self.shelf.put(self._vector(numbers, PROJECTIONS[role][1], i), role, i)
        spent = map(Vanish, (*lights, self.slots[role, i]))
        exchange(self, (product.result, grid), run_time=0.9 * pace, also=spent)
        product.remove(product.result)
        self.gathered[role, i] = grid

    def _others(self, role: str) -> None:
        for i in (0, 1):
            self._next_product(role, i)
            self._multiply(role, i, pace=0.5)

    # ------------------------------------------------------------------ scores and weights

    @property
    def upper(self) -> Box:
        """Where the formula stands."""
        return stacked(self.stage, _FORMULA / self.stage.height, 0)[0]

    @property
    def lower(self) -> Box:
        """Where what it does is shown."""
        below = stacked(self.stage, _FORMULA / self.stage.height, 0)[1]
        return Box(below.left, below.bottom + _BREATH, below.right, below.top)

    def _light(self, part: str) -> None:
        """Light a part of the formula up, joined to the column that it fills if nothing is between."""
        self.acting.light(self, part, self.scoring.head if is_wide(self.stage) else None)

    def _lay_table(self, name: str) -> None:
        """Set the asker aside with its question, and every word's label in a table."""
        numbers, asker = worked(name), _asker(name)
        aside, box = halves(self.lower, 0.17 if is_wide(self.stage) else 0.3, 0.3)
        table = Table(box, SCORING if is_wide(self.stage) else NARROW, 3)
        self.tokens = self._sentence(name, down=True, size=self._size_in(table), lead=0.34)
        keys = [self._vector(numbers, "K", j) for j in range(3)]
        meanings = VGroup(*(self._meaning_of(key, "axis", "K") for key in numbers.K))
        for j in range(3):
            table.put(self.tokens[j], "token", j)
            table.put(keys[j], "key", j)
            table.put(meanings[j], "meaning", j)
            if not is_wide(self.stage):
                meanings[j].shift(0.5 * DOWN)
        head = table.head(self.phrase("attention.key", size="small"), "key")
        self.labels = VGroup(head, *keys, meanings)
        self.held = self._held(table, numbers) if is_wide(self.stage) else []
        question = self._vector(numbers, "Q", asker)
        self.asking = self._asking(question, numbers.Q[asker]).move_to(aside.centre)
        self.scoring = Scoring(numbers, asker, table, question, keys, places=PLACES)

    def _size_in(self, table: Table) -> str:
        """Choose the size in which the words of both sentences fit into a table's first column."""
        words = (*self._sentence("fruit", size="body"), *self._sentence("company", size="body"))
        room = 2 * (table.x("token") - table.box.left)
        return "body" if all(word.width <= room for word in words) else "small"

    def _held(self, table: Table, numbers: Worked) -> list[Mobject]:
        """Write what each word hands over in the column of contents, below its head."""
        head = table.head(self.phrase("attention.value", size="small"), "value")
        return [head, *(table.put(self._vector(numbers, "V", j), "value", j) for j in range(3))]

    def _asking(self, question: Grid, q: Any) -> VGroup:
        """Set up who asks: the word, that it asks, and what it asks for."""
        token = Token(self.text(f"apple.token.{NAMES[APPLE]}"), self.theme, marked=True)
        label = self.phrase("attention.query", size="small")
        sought = self._meaning_of(q, "seek", "Q")
        direction = DOWN if is_wide(self.stage) else RIGHT
        return VGroup(token, label, question, sought).arrange(direction, buff=0.3)

    def _meaning_of(self, vector: Any, kind: str, role: str) -> Phrase:
        """Say in words what a vector that names one axis is about."""
        axis = AXES[int(np.argmax(vector))]
        return self.label(f"[{role}|{self.text(f'apple.{kind}.{axis}')}]", size="small")

    def _leave_shelf(self) -> None:
        """Move the words, their labels and the one question from the shelf to the table."""
        values = [self.heads["value"], *(self.gathered["value", j] for j in range(3))]
        gone = [self.gathered["query", j] for j in (0, 1)] + ([] if self.held else values)
        head, *keys, meanings = self.labels
        token, label, question, sought = self.asking
        self.play(*map(Vanish, gone), run_time=0.6)
        exchange(
            self,
            (self.sentence, self.tokens),
            (self.heads["key"], head),
            *((self.gathered["key", j], key) for j, key in enumerate(keys)),
            (self.heads["query"], label),
            (self.gathered["query", 2], question),
            *zip(values, self.held, strict=False),
            run_time=1.2,
        )
        self.play(Appear(token), Appear(sought), Appear(meanings), run_time=0.6)

    # ------------------------------------------------------------------ values and the plane

    def _make_room(self, name: str) -> None:
        """Gather words and weights on one side; the labels have done their work."""
        numbers = worked(name)
        near, self.far = halves(self._board, 0.5 if is_wide(self.stage) else 0.45)
        self.play(Vanish(self.labels), Vanish(self.asking), run_time=0.6)
        box = self.upper
        if is_wide(self.stage):
            box, near = stacked(near, _FORMULA / near.height, 0)
        self.table = Table(near, BLENDING, 4)
        tokens = self._sentence(name, down=True, size="small", lead=0.26)
        for j, token in enumerate(tokens):
            self.table.put(token, "token", j)
        bars = self.scoring.bars_in(self, self.table, length=1.0)
        head = self.phrase("attention.weights", size="small").set_fill(self.theme.accent)
        self.table.head(head, "work", left=True)
        held = self._held(self.table, numbers)
        exchange(
            self,
            (self.tokens, tokens),
            (self.scoring.bars, bars),
            (self.scoring.head, head),
            *zip(self.held, held, strict=False),
            run_time=1.2,
            also=[self.acting.move(box)],
        )
        self.tokens = tokens
        self.value_head, self.values = held[0], VGroup(*held[1:])

    @property
    def _board(self) -> Box:
        """Where table and plane are, with the formula beside the plane if there is room."""
        if not is_wide(self.stage):
            return self.lower
        return Box(self.stage.left, self.lower.bottom, self.stage.right, self.stage.top)

    def _bring_values(self, name: str) -> None:
        """Show what each word hands over, and the plane of what it can mean."""
        asker, values = _asker(name), worked(name).V
        if not self.held:
            self.play(Appear(self.value_head), Appear(self.values, lag_ratio=0.02), run_time=0.8)
        self.acting.light(self, "values", self.value_head)
        self.plane = self._plane(self.far)
        self.dot = self.plane.dot(values[asker])
        self.play(Appear(self.plane), run_time=0.8)
        self.play(Arrive(self.dot, self.values[asker]), run_time=0.8)

    def _plane(self, box: Box) -> Plane:
        side = min(box.width - 0.6, box.height - 1.2)
        axes = (self.text("apple.axis.food"), self.text("apple.axis.tech"))
        plane = Plane(self.theme, side=side, across=axes[0], up=axes[1])
        return plane.move_to(box.centre)

    def _pull(self, name: str) -> None:
        """Let every value pull with its weight; the dot gives way."""
        numbers, asker = worked(name), _asker(name)
        start, end = numbers.V[asker], numbers.output[asker]
        pulls, pulled = (
            self.plane.pulls(numbers.V, numbers.weights[asker], place) for place in (start, end)
        )
        ends = VGroup(*(self.plane.dot(v, marked=False, role="V") for v in numbers.V))
        self.play(Appear(ends), run_time=0.5)
        self.play(Appear(pulls), run_time=0.7)
        self.add(self.dot)
        self.settle()
        by = self.plane.at(end) - self.plane.at(start)
        self.play(Become(pulls, pulled), Move(self.dot, by), run_time=2.4)
        output = Grid(end, self.theme, name=f"output[{asker}]", places=3, role="O")
        self.table.put(output, "value", 3).align_to(self.values, RIGHT)
        label = self.table.put(self.phrase("apple.label.output", size="small"), "token", 3)
        label.shift((self.table.box.left - label.get_left()[0]) * RIGHT)
        self.play(Arrive(output, self.dot), Appear(label), run_time=1.0)
        self.settle()
        self.play(Vanish(pulls), Vanish(ends), run_time=0.5)

    def _name_dot(self, name: str) -> None:
        """Write next to the dot what the word means now, and let it be read."""
        meaning = self.phrase(f"apple.label.{name}").set_fill(self.theme.accent)
        meaning.next_to(self.dot, UP if name == "fruit" else RIGHT, buff=0.25)
        self.play(Appear(meaning), run_time=0.6)
        self.settle()
        self.read()

    # ------------------------------------------------------------------ side by side

    def _matrices(self) -> VGroup:
        """Set the three matrices side by side, each under its role."""
        parts = VGroup()
        for weights, result in PROJECTIONS.values():
            matrix = worked("company").given[weights]
            grid = self._grid(matrix, weights, role=result, gap=(0.6, 0.36))
            title = Phrase(f"[{result}|$W_{result}$]", self.theme, em=MATH["math"])
            parts.add(VGroup(title, grid).arrange(DOWN, buff=0.3))
        return put(parts.arrange(RIGHT, buff=1.0), self.lower)

    def _panel(self, name: str, box: Box) -> tuple[VGroup, VGroup, VGroup]:
        """Set one sentence over its plane: first the words, then the weights, then the meaning."""
        numbers, asker = worked(name), _asker(name)
        above, below = stacked(stacked(box, 0.96, 0)[0], 0.4 if is_wide(self.stage) else 0.46, 0.1)
        place, aside = beside(below, 0.58, 0.2)
        row = self._sentence(name, size="small")
        spare = above.width - sum(token.width for token in row)
        row.arrange(RIGHT, buff=min(0.85, spare / 2 - 0.05))
        weights = VGroup(self._weights_under(row, name), self._arcs(row, name))
        VGroup(row, weights).shift(np.array([above.centre[0], above.top - 0.8, 0]) - row.get_top())
        plane = self._plane(place)
        dot, ring = plane.dot(numbers.output[asker]), plane.ring(numbers.V[asker])
        outcome = hold(self._outcome(name).move_to(aside.centre), box)
        return VGroup(row, plane), VGroup(weights, ring), VGroup(dot, outcome)

    def _outcome(self, name: str) -> VGroup:
        """Say what the word means, and how much food and tech that is."""
        output, asker = worked(name).output, _asker(name)
        meaning = self.phrase(f"apple.label.{name}", size="heading").set_fill(self.theme.accent)
        lines = VGroup()
        for j, axis in enumerate(AXES[2:]):
            label = self.phrase(f"apple.axis.{axis}", size="small")
            number = self.number(output, (asker, j), name="output", role="O")
            lines.add(VGroup(label, number).arrange(RIGHT, buff=0.3))
        lines.arrange(DOWN, buff=0.25, aligned_edge=RIGHT)
        return VGroup(meaning, lines).arrange(DOWN, buff=0.4)

    def _weights_under(self, row: TokenRow, name: str) -> VGroup:
        weights, asker = worked(name).weights, _asker(name)
        return VGroup(
            *(
                self.number(weights, (asker, j), name="weights", places=PLACES).next_to(
                    token, DOWN, buff=0.2
                )
                for j, token in enumerate(row)
            )
        )

    def _arcs(self, row: TokenRow, name: str) -> VGroup:
        """Join the asker to the words that it looks at, each line as thick as the weight."""
        weights, asker = worked(name).weights, _asker(name)
        top = lambda token: token.get_top() + 0.1 * UP
        return VGroup(
            *(
                ArcBetweenPoints(
                    top(row[asker]),
                    top(token),
                    angle=0.9 if j < asker else -0.9,
                    stroke_color=self.theme.accent,
                    stroke_width=1 + 9 * float(weights[asker, j]),
                )
                for j, token in enumerate(row)
                if j != asker
            )
        )

    # ------------------------------------------------------------------ coming and going

    def _on_lines(self, line: Term) -> Formula:
        """Set a sum above its factors, since side by side they would have to be too small."""
        formula = set_term(line, self.theme, _LARGE)
        fraction = next(path for path, node in nodes(line) if node.op == "div")
        value = next(path for path, role in roles_of(line).items() if role == "V")
        return put(on_lines(formula, [formula.at(fraction), formula.at(value)]), self.stage)

    def _large(self, term: Term) -> Formula:
        return put(set_term(term, self.theme, _LARGE), self.stage)


def _asker(name: str) -> int:
    """Return the place of 苹果 in its sentence."""
    return worked(name).tokens.index(APPLE)


def _percent(share: float) -> str:
    return f"{100 * share:.0f}"
