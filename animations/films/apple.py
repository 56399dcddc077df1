"""苹果: one word, two sentences, the same matrices, two meanings."""

from functools import cache, reduce
from typing import Any

import numpy as np
from manim import DOWN, LEFT, RIGHT, UP, ArcBetweenPoints, Line, Mobject, VGroup

from animations.film import Film, beat
from animations.formula import Formula, Phrase, Quantity
from animations.motion import Appear, Move, Vanish
from animations.parts.bars import Bars
from animations.parts.connector import Connector
from animations.parts.dot_product import DotProduct
from animations.parts.grid import Grid, exact_places
from animations.parts.growth import follow, grow, rename
from animations.parts.layout import beside, halves, is_wide, put, stacked
from animations.parts.motions import Arrive, Become, Depart, Grow
from animations.parts.plane import Plane
from animations.parts.product import Product
from animations.parts.roles import roles_of
from animations.parts.spotlight import Spotlight
from animations.parts.table import Table
from animations.parts.tokens import Token, TokenRow
from animations.parts.worked import Worked
from animations.theme import MATH, TYPE, Box
from derive import definitions as words
from derive.catalog import load as theorem
from derive.examples import load as example
from derive.examples.apple import FEATURES as AXES
from derive.notation.typst import typst
from derive.origins import compose, nodes, origins
from derive.terms import Array, Term

APPLE = "苹果"
NAMES = {"我": "wo", "吃": "chi", APPLE: "pingguo", "发布": "fabu", "手机": "shouji"}
PROJECTIONS = {"query": ("W_Q", "Q"), "key": ("W_K", "K"), "value": ("W_V", "V")}

Q, K = Array("Q", (words.n, words.d_k)), Array("K", (words.n, words.d_k))
V = Array("V", (words.n, words.d_v))
SCORES = words.matmul(Q, words.transpose(K))
SCALED = words.scaled(SCORES)
WEIGHTS = words.softmax_rows(SCALED)
OUTPUT = words.attention(Q, K, V)

SHELF = {"token": 0.1, "query": 0.33, "key": 0.56, "value": 0.83}
SCORING = {"token": 0.09, "key": 0.3, "work": 0.46}
_FORMULA, _BREATH = 2.2, 0.2  # units kept for the formula above, and free above the captions
_LARGE = 0.94  # ems of a formula that has the stage to itself: its smallest scripts stay legible
BLENDING = {"token": 0.13, "work": 0.28, "value": 0.83}


@cache
def worked(name: str) -> Worked:
    """The numbers of one of the two sentences."""
    return Worked.of(example("apple").case(name))


class Apple(Film):
    """Why 苹果 is a fruit in one sentence and a company in the other."""

    title = "film.apple"
    poster = "together"

    def setup(self) -> None:
        super().setup()
        self.lit: VGroup | None = None
        self.shelf: Table | None = None

    # ------------------------------------------------------------------ the beats

    @beat(title="apple.chapter.problem", draws=("apple",))
    def problem(self) -> None:
        middle = np.array(self.stage.centre)
        self.sentence, second = self._sentence("fruit"), self._sentence("company")
        apples = self.sentence[2], second[0]
        self.sentence.shift(middle + 2.1 * UP - apples[0].get_center())
        second.shift(middle + 2.1 * DOWN - apples[1].get_center())
        fruit = self._meaning("fruit").next_to(self.sentence, RIGHT, buff=0.4)
        company = self._meaning("company").next_to(second, LEFT, buff=0.4)
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
        self._read()
        gone = (*lights, threads, vector, second, fruit, company)
        self.play(*map(Vanish, gone), run_time=0.8)

    @beat(title="apple.chapter.vectors", draws=("apple",))
    def vectors(self) -> None:
        numbers = worked("fruit")
        self.matrix = self._grid(numbers.given["X"], "X", em=0.62, gap=(1.0, 0.95))
        words_down = self._sentence("fruit", down=True).next_to(self.matrix, LEFT, buff=0.6)
        for i, token in enumerate(words_down):
            token.set_y(self.matrix.row(i).get_y())
        axes = self._over(self.matrix, [self.phrase(f"apple.axis.{a}", size="small") for a in AXES])
        VGroup(words_down, self.matrix, axes).move_to(self.stage.centre)
        self.say("apple.say.rows")
        self.play(Become(self.sentence, words_down), run_time=1.2)
        for i in range(3):
            self.play(Appear(self.matrix.row(i), rise=0.1), run_time=0.5)
        self.play(Appear(self.matrix.brackets), run_time=0.5)
        self.say("apple.say.axes")
        for axis in axes:
            self.play(Appear(axis, rise=0.1), run_time=0.4)
        light = Spotlight(VGroup(self.sentence[2], self.matrix.row(2)), self.theme, margin=0.16)
        self.say("apple.say.half")
        self.play(Appear(light), run_time=0.6)
        self.settle()
        self._read()
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
        self._others("key")

    @beat(draws=("apple",))
    def hands_over(self) -> None:
        self.say("apple.say.gives")
        self._next_product("value", 2)
        self.say("apple.say.half-each")
        self._multiply("value", 2)
        self._others("value")
        self.say("apple.say.three-roles")
        light = self.shelf.light(2, self.theme)
        self.play(Vanish(self.product), Appear(light), run_time=0.6)
        self._read()
        self.play(Vanish(light), run_time=0.4)

    @beat(title="apple.chapter.scores", draws=("apple", "attention-formula"))
    def scores(self) -> None:
        numbers = worked("fruit")
        self._lay_table(numbers, 2)
        self.shown, self.term = self._formula(SCORES), SCORES
        self.say("apple.say.against")
        self.play(Appear(self.shown), run_time=0.6)
        self.say("apple.say.multiply")
        self.head = self._head("scores")
        self.play(Appear(self.head), run_time=0.4)
        self._score(numbers, 2)
        self.say("apple.say.matches", score=f"{numbers.scores[2, 1]:.0f}")
        self._glance(1)

    @beat(draws=("apple", "attention-formula"))
    def scale(self) -> None:
        numbers = worked("fruit")
        self.say("apple.say.scale", d=numbers.Q.shape[1])
        self._grow(SCALED, "scale")
        self._change_numbers("scaled", numbers, 2)

    @beat(title="apple.chapter.weights", draws=("apple", "attention-formula"))
    def weights(self) -> None:
        numbers = worked("fruit")
        self.say("apple.say.exponentiate")
        self._change_numbers("exponentials", numbers, 2)
        self.say("apple.say.normalise")
        self._normalise(numbers, 2)
        self.say("apple.say.attention", share=_percent(numbers.weights[2, 1]))
        self._glance(1)
        self.say("apple.say.softmax")
        self._grow(WEIGHTS, "softmax")

    @beat(title="apple.chapter.blend", draws=("apple", "attention-formula"))
    def blend(self) -> None:
        numbers = worked("fruit")
        self.say("apple.say.bring")
        self._grow(OUTPUT, "values")
        self._bring_values(numbers, 2)
        self.say("apple.say.moves")
        self._pull(numbers, 2)
        self.say("apple.say.fruit")
        self._name_dot("fruit")
        self.settle()
        self._read()
        self._clear(self.shown)

    @beat(title="apple.chapter.proof", draws=("attention-formula",))
    def proof(self) -> None:
        steps = theorem("attention-formula").steps
        line, proved = steps[3].right, steps[-1].right
        made = reduce(compose, (origins(step.theorem) for step in steps[4:]))
        by_hand, by_matrices, named = map(self._large, (line, proved, OUTPUT))
        self.say("apple.say.line")
        self.play(Vanish(self.shown), Appear(by_hand, lag_ratio=0.01), run_time=1.6)
        self.settle()
        self.say("apple.say.matrices")
        self.play(follow(by_hand, by_matrices, proved, made), run_time=2.6)
        self.settle()
        self.say("apple.say.formula")
        self.play(rename(by_matrices, named, OUTPUT, (0, 0)), run_time=1.8)
        self.settle()
        self._read()
        self.shown = self._formula(OUTPUT)
        self._exchange((named, self.shown), run_time=0.8)

    @beat(title="apple.chapter.other", draws=("apple", "attention-formula"))
    def other(self) -> None:
        numbers = worked("company")
        self.say("apple.say.unchanged")
        matrices = self._matrices(numbers)
        self.play(Appear(matrices, lag_ratio=0.02), run_time=1.2)
        self.settle()
        self._read()
        self.play(Vanish(matrices), run_time=0.5)
        self.say("apple.say.same-question")
        self._lay_table(numbers, 0)
        self.say("apple.say.launch")
        self.head = self._head("scores")
        self.play(Appear(self.head), run_time=0.4)
        self._light_part("scores")
        self._score(numbers, 0)
        self._glance(1)

    @beat(draws=("apple", "attention-formula"))
    def other_meaning(self) -> None:
        numbers = worked("company")
        self.say("apple.say.launch-weights", share=_percent(numbers.weights[0, 1]))
        self._light_part("scale")
        self._change_numbers("scaled", numbers, 0)
        self._light_part("softmax")
        self._change_numbers("exponentials", numbers, 0)
        self._normalise(numbers, 0)
        self.say("apple.say.launch-gives")
        self._light_part("values")
        self._bring_values(numbers, 0)
        self._pull(numbers, 0)
        self._name_dot("company")
        self.settle()
        self._read()
        self._clear()

    @beat(title="apple.chapter.together", draws=("apple",))
    def together(self) -> None:
        boxes = halves(self.stage, gap=0.5)
        panels = [self._panel(*named) for named in zip(("fruit", "company"), boxes, strict=True)]
        self.say("apple.say.same-different")
        for part in zip(*panels, strict=True):
            self.play(*map(Appear, part), run_time=0.8)
        self.settle()
        self.say("apple.say.where-what")
        self._read()
        self.wait(1.5)

    # ------------------------------------------------------------------ words and numbers

    def _sentence(self, name: str, *, down: bool = False, size: str = "heading") -> TokenRow:
        return self._row_of(worked(name).tokens, down=down, size=size)

    def _row_of(self, tokens: tuple[str, ...], *, down: bool, size: str) -> TokenRow:
        spoken = [self.text(f"apple.token.{NAMES[token]}") for token in tokens]
        marked = tokens.index(APPLE)
        return TokenRow(spoken, self.theme, marked=marked, em=TYPE[size], down=down)

    def _meaning(self, name: str) -> Phrase:
        meaning = self.phrase(f"apple.label.{name}")
        meaning.set_fill(self.theme.muted)
        return meaning

    def _grid(self, array: Any, name: str, **look: Any) -> Grid:
        return Grid(array, self.theme, name=name, places=None, **look)

    def _vector(self, numbers: Worked, name: str, i: int) -> Grid:
        return self._grid(getattr(numbers, name)[i], f"{name}[{i}]", role=name)

    def _number(self, array: Any, index: tuple[int, int], name: str) -> Quantity:
        return self.number(array, index, name=name, places=exact_places(array[index]))

    def _over(self, grid: Grid, names: list[Phrase]) -> VGroup:
        for j, name in enumerate(names):
            name.next_to(grid, UP, buff=0.25).set_x(grid.at(0, j).get_x())
        return VGroup(*names)

    # ------------------------------------------------------------------ three matrices

    def _open_shelf(self) -> None:
        """Move the words aside, to where their q, k and v will be gathered; open the first product."""
        self.desk, box = halves(self.stage, 0.46)
        self.shelf = Table(stacked(box, 0.94, 0)[0], SHELF, 3)
        tokens = self._sentence("fruit", size="body")
        for i, token in enumerate(tokens):
            self.shelf.put(token, "token", i)
        self.gathered: dict[tuple[str, int], Grid] = {}
        self.heads = {role: self._shelf_head(role) for role in PROJECTIONS}
        self.product = self._product("query", 2)
        self.remove(*self.matrix.row(2))
        rest = VGroup(self.matrix.row(0), self.matrix.row(1), self.matrix.brackets)
        arrivals = zip(self.product.entries, self.matrix.row(2), strict=True)
        self.play(
            Become(self.sentence, tokens),
            Vanish(rest),
            *(Arrive(entry, cell) for entry, cell in arrivals),
            Appear(self.product.rows),
            Appear(self.product.head),
            run_time=1.4,
        )

    def _shelf_head(self, role: str) -> Phrase:
        return self.shelf.head(self.phrase(f"apple.label.{role}", size="small"), role)

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
            titles=(word, f"[{result}|$W_{result}$]", self.text(f"apple.label.{role}")),
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
        self.play(*map(Vanish, gone), *map(Appear, come), run_time=0.6)
        self.remove(old)
        self.add(new.rows, new.rule, new.weights, new.head, new.entries)
        self.product = new

    def _multiply(self, role: str, i: int, pace: float = 1.0) -> None:
        """Add up the rows that the word picks, and gather the result."""
        product = self.product
        picked = [row for row, entry in enumerate(worked("fruit").given["X"][i]) if entry]
        lights = [product.light(row) for row in picked]
        self.play(*map(Appear, lights), run_time=0.6 * pace)
        copies = [product.matrix.row(row).copy() for row in picked]
        falls = [Depart(copy, product.result) for copy in copies]
        self.play(*falls, Appear(product.result), run_time=1.2 * pace)
        self.settle()
        grid = self._vector(worked("fruit"), PROJECTIONS[role][1], i)
        head = [] if self.heads[role] in self.mobjects else [Appear(self.heads[role])]
        self.play(
            Arrive(self.shelf.put(grid, role, i), product.result),
            *head,
            *map(Vanish, lights),
            run_time=0.9 * pace,
        )
        self.gathered[role, i] = grid

    def _others(self, role: str) -> None:
        for i in (0, 1):
            self._next_product(role, i)
            self._multiply(role, i, pace=0.6)

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

    def _lay_table(self, numbers: Worked, asker: int) -> None:
        """Set the asker aside with its question, and the labels in a table."""
        box = self.lower
        aside, box = halves(box, 0.2 if is_wide(self.stage) else 0.3, 0.3)
        self.table = Table(box, SCORING, 3)
        self.tokens = self._row_of(numbers.tokens, down=True, size="body")
        self.keys = VGroup(*(self._vector(numbers, "K", j) for j in range(3)))
        for j in range(3):
            self.table.put(self.tokens[j], "token", j)
            self.table.put(self.keys[j], "key", j)
        self.key_head = self.table.head(self.phrase("apple.label.key", size="small"), "key")
        self.question = self._vector(numbers, "Q", asker)
        name = self.text(f"apple.token.{NAMES[APPLE]}")
        label = self.phrase("apple.label.query", size="small")
        token = Token(name, self.theme, marked=True)
        direction = DOWN if is_wide(self.stage) else RIGHT
        self.asking = VGroup(token, label, self.question).arrange(direction, buff=0.35)
        self.asking.move_to(aside.centre)
        if self.shelf:
            self._clear_shelf(asker)
        else:
            self.play(Appear(self.tokens), Appear(self.asking), run_time=0.8)
            self.play(Appear(self.key_head), Appear(self.keys), run_time=0.8)

    def _clear_shelf(self, asker: int) -> None:
        """Move the words, their labels and the one question from the shelf to the table."""
        kept = {("query", asker), *(("key", j) for j in range(3))}
        gone = [grid for place, grid in self.gathered.items() if place not in kept]
        gone += [self.heads["query"], self.heads["value"]]
        moving = [(self.sentence, self.tokens), (self.heads["key"], self.key_head)]
        moving += [(self.gathered["key", j], self.keys[j]) for j in range(3)]
        moving += [(self.gathered["query", asker], self.question)]
        self.play(*map(Vanish, gone), run_time=0.6)
        self._exchange(*moving, run_time=1.2)
        self.play(Appear(self.asking[0]), Appear(self.asking[1]), run_time=0.6)
        self.shelf = None

    def _score(self, numbers: Worked, asker: int) -> None:
        """Hold the question against each label; the first time slowly."""
        self.column = VGroup()
        for j in range(3):
            pace = 1.0 if j == 0 else 0.6
            product = DotProduct(
                numbers.Q[asker],
                numbers.K[j],
                numbers.scores,
                (asker, j),
                self.theme,
                names=(f"Q[{asker}]", f"K[{j}]", "scores"),
            )
            self.table.put(product, "work", j, left=True)
            self._run(product, j, pace)
            number = self._number(numbers.scores, (asker, j), "scores")
            self.table.put(number, "work", j, left=True)
            self._collapse(product, number, pace)
            self.column.add(number)

    def _run(self, product: DotProduct, j: int, pace: float) -> None:
        """Carry the numbers of question and label into their dot product."""
        light = self.table.light(j, self.theme)
        self.play(Appear(light), run_time=0.4 * pace)
        left = zip(product.left, self.question.cells, strict=True)
        right = zip(product.right, self.keys[j].cells, strict=True)
        arrivals = [Arrive(number, cell) for number, cell in (*left, *right)]
        self.play(*arrivals, run_time=1.2 * pace)
        self.play(Appear(product.signs), run_time=0.4 * pace)
        self.play(Appear(product.equals), Appear(product.score), run_time=0.5 * pace)
        self.settle()
        self.wait(0.6 * pace)
        self.play(Vanish(light), run_time=0.3 * pace)

    def _collapse(self, product: DotProduct, number: Quantity, pace: float) -> None:
        rest = VGroup(*product.left, *product.right, product.signs, product.equals)
        by = number.get_center() - product.score.get_center()
        self.play(Vanish(rest), Move(product.score, by), run_time=0.6 * pace)
        self.remove(product.score)
        self.add(number)

    def _head(self, name: str) -> Phrase:
        head = self.phrase(f"apple.label.{name}", size="small")
        head.set_fill(self.theme.accent)
        return self.table.head(head, "work", left=True)

    def _change_numbers(self, name: str, numbers: Worked, asker: int) -> None:
        """Put the next step's numbers in place of the last one's."""
        array = getattr(numbers, name)
        column = VGroup(*(self._number(array, (asker, j), name) for j in range(3)))
        for j, number in enumerate(column):
            self.table.put(number, "work", j, left=True)
        self._change_head(name, Vanish(self.column), Appear(column, rise=0.15))
        self.column = column

    def _change_head(self, name: str, *others: Any) -> None:
        head = self._head(name)
        self.play(Vanish(self.head), Appear(head), *others, run_time=0.9)
        self.head = head

    def _normalise(self, numbers: Worked, asker: int) -> None:
        """Divide by the total: numbers become weights, weights become bars."""
        label = self.phrase("apple.label.total", size="small")
        total = self._number(numbers.totals, (asker,), "totals")
        sum_ = VGroup(label, total.next_to(label, RIGHT, buff=0.25))
        self.table.put(sum_, "work", 1, left=True).shift(2.2 * RIGHT)
        brace = self._brace(sum_)
        self.play(Appear(brace), Appear(sum_), run_time=0.7)
        self.settle()
        self.wait(0.8)
        self.bars = self._bars(numbers, asker, self.table)
        gone = (Vanish(self.column), Vanish(sum_), Vanish(brace))
        self._change_head("weights", *gone, Appear(self.bars.numbers, rise=0.15))
        self.play(*(Grow(bar, LEFT) for bar in self.bars.bars), run_time=1.0)

    def _brace(self, sum_: VGroup) -> Line:
        """Draw the line that gathers the column into its sum."""
        x = sum_.get_left()[0] - 0.25
        heights = self.table.heights
        ends = [np.array([x, y, 0.0]) for y in (heights[0] + 0.25, heights[-1] - 0.25)]
        return Line(*ends, stroke_width=2, stroke_color=self.theme.muted)

    def _bars(self, numbers: Worked, asker: int, table: Table, length: float = 3.0) -> Bars:
        bars = Bars(numbers.weights, asker, self.theme, heights=table.heights[:3], length=length)
        return bars.shift((table.x("work") - bars.numbers.get_left()[0]) * RIGHT)

    def _glance(self, row: int) -> None:
        """Light a row up while the caption is read."""
        light = self.table.light(row, self.theme)
        self.play(Appear(light), run_time=0.5)
        self._read()
        self.play(Vanish(light), run_time=0.4)

    # ------------------------------------------------------------------ values and the plane

    def _bring_values(self, numbers: Worked, asker: int) -> None:
        """Make room for the values and the plane; the labels have done their work."""
        near, far = halves(self.lower, 0.52)
        table = Table(near, BLENDING, 4)
        tokens = self._row_of(numbers.tokens, down=True, size="small")
        values = VGroup(*(self._vector(numbers, "V", j) for j in range(3)))
        for j in range(3):
            table.put(tokens[j], "token", j)
            table.put(values[j], "value", j)
        bars = self._bars(numbers, asker, table, length=1.3)
        self.play(Vanish(self.keys), Vanish(self.key_head), Vanish(self.asking), run_time=0.6)
        old, self.table = self.head, table
        self.head = self._head("weights")
        moving = [(self.tokens, tokens), (self.bars, bars), (old, self.head)]
        self._exchange(*moving, run_time=1.2)
        self.tokens, self.bars, self.values = tokens, bars, values
        head = table.head(self.phrase("apple.label.value", size="small"), "value")
        self.play(Appear(head), Appear(values, lag_ratio=0.02), run_time=0.8)
        self.plane = self._plane(far)
        self.dot = self.plane.dot(numbers.V[asker])
        self.play(Appear(self.plane), run_time=0.8)
        self.play(Arrive(self.dot, values[asker]), run_time=0.8)

    def _plane(self, box: Box) -> Plane:
        side = min(box.width, box.height) - 1.3
        axes = (self.text("apple.axis.food"), self.text("apple.axis.tech"))
        plane = Plane(self.theme, side=side, across=axes[0], up=axes[1])
        return plane.move_to(box.centre)

    def _pull(self, numbers: Worked, asker: int) -> None:
        """Let every value pull with its weight; the dot gives way."""
        start, end = numbers.V[asker], numbers.output[asker]
        pulls, pulled = (
            self.plane.pulls(numbers.V, numbers.weights[asker], place) for place in (start, end)
        )
        ends = VGroup(*(self.plane.dot(v, marked=False, role="V") for v in numbers.V))
        self.play(Appear(ends), run_time=0.5)
        self.play(Appear(pulls), run_time=0.7)
        self.add(self.dot)
        output = self._output(numbers, asker)
        self.table.put(output, "value", 3).align_to(self.values, RIGHT)
        label = self.table.put(self.phrase("apple.label.output", size="small"), "token", 3)
        label.align_to(self.tokens, LEFT)
        by = self.plane.at(end) - self.plane.at(start)
        self.play(Become(pulls, pulled), Move(self.dot, by), run_time=2.4)
        copies = VGroup(*self.values).copy()
        self.play(Depart(copies, output), Appear(output), Appear(label), run_time=1.0)
        self.play(Vanish(pulls), Vanish(ends), run_time=0.5)

    def _name_dot(self, name: str) -> None:
        self.play(Appear(self._beside(self.plane, self.dot, name)), run_time=0.6)

    def _beside(self, plane: Plane, dot: Mobject, name: str) -> Phrase:
        """Write next to the dot what the word means now."""
        meaning = self.phrase(f"apple.label.{name}")
        meaning.set_fill(self.theme.accent)
        return meaning.next_to(dot, UP if name == "fruit" else RIGHT, buff=0.2)

    def _clear(self, *kept: Mobject) -> None:
        """Take everything away but what is kept and the caption."""
        seen = [m for m in self.mobjects if m.family_members_with_points()]
        gone = [m for m in seen if m not in (self.caption, *kept)]
        self.play(*map(Vanish, gone), run_time=0.7)

    # ------------------------------------------------------------------ formulas

    def _formula(self, term: Term) -> Formula:
        return put(self._set(term, MATH["math"]), self.upper)

    def _large(self, term: Term) -> Formula:
        return put(self._set(term, _LARGE), self.stage)

    def _set(self, term: Term, em: float) -> Formula:
        """Set a proved term, its roles in their colours."""
        return Formula(typst(term), self.theme, em=em, roles=roles_of(term))

    def _grow(self, term: Term, part: str) -> None:
        """Let the formula grow by what the next step does."""
        self._unlight()
        new = self._formula(term)
        self.play(grow(self.shown, new, (self.term, term)), run_time=1.4)
        self.shown, self.term = new, term
        self._light_part(part)

    def _light_part(self, part: str) -> None:
        """Light up the part of the formula that acts now, and join it to what it does."""
        self._unlight()
        lit = self._part(part)
        self.lit = VGroup(Spotlight(lit, self.theme), Connector(lit, self.head, self.theme))
        self.play(Appear(self.lit), run_time=0.6)

    def _unlight(self) -> None:
        if self.lit:
            self.play(Vanish(self.lit), run_time=0.3)
        self.lit = None

    def _part(self, part: str) -> VGroup:
        """Return the glyphs of a part of the formula on the stage."""
        if part == "scores":
            fraction = next(p for p, node in nodes(self.term) if node.op == "div")
            return self.shown.at((*fraction, 0))
        if part == "scale":
            return self.shown.at(next(p for p, node in nodes(self.term) if node.op == "pow"))
        if part == "values":
            return self.shown.at(next(p for p, role in roles_of(self.term).items() if role == "V"))
        is_softmax = lambda node: node.op == "def" and node.data.name == "softmax_rows"
        owner = next(p for p, node in nodes(self.term) if is_softmax(node))
        return self.shown.own(owner)[: len("softmax")]

    def _exchange(self, *pairs: tuple[Mobject, Mobject], run_time: float) -> None:
        """Move things to where others of the same make shall stand, and put those there."""
        self.play(*(Become(old, new) for old, new in pairs), run_time=run_time)
        self.remove(*(old for old, _ in pairs))
        self.add(*(new for _, new in pairs))

    # ------------------------------------------------------------------ side by side

    def _matrices(self, numbers: Worked) -> VGroup:
        """Set the three matrices side by side, each under its name."""
        parts = VGroup()
        for role, (weights, result) in PROJECTIONS.items():
            grid = self._grid(numbers.given[weights], weights, role=result, gap=(0.6, 0.36))
            title = self.phrase(f"apple.label.{role}", size="small")
            parts.add(VGroup(title, grid).arrange(DOWN, buff=0.3))
        return put(parts.arrange(RIGHT, buff=1.2), self.lower)

    def _panel(self, name: str, box: Box) -> tuple[VGroup, VGroup, VGroup]:
        """Set one sentence over its plane: first the words, then the weights, then the meaning."""
        numbers = worked(name)
        above, below = stacked(box, 0.4, 0.2)
        place, aside = beside(below, 0.44, 0.1)
        asker = numbers.tokens.index(APPLE)
        row = self._sentence(name, size="small").move_to(above.centre)
        plane = self._plane(place)
        dot = plane.dot(numbers.output[asker])
        ring = plane.ring(numbers.V[asker])
        output = self._output(numbers, asker)
        meaning = self.phrase(f"apple.label.{name}", size="heading")
        meaning.set_fill(self.theme.accent)
        outcome = VGroup(meaning, output).arrange(DOWN, buff=0.4).move_to(aside.centre)
        weights = self._weights_under(row, numbers, asker)
        return (
            VGroup(row, plane),
            VGroup(weights, self._arcs(row, numbers, asker), ring),
            VGroup(dot, outcome),
        )

    def _output(self, numbers: Worked, asker: int) -> Grid:
        name = f"output[{asker}]"
        return Grid(numbers.output[asker], self.theme, name=name, places=3, role="O")

    def _weights_under(self, row: TokenRow, numbers: Worked, asker: int) -> VGroup:
        return VGroup(
            *(
                self.number(numbers.weights, (asker, j), name="weights").next_to(token, DOWN, 0.2)
                for j, token in enumerate(row)
            )
        )

    def _arcs(self, row: TokenRow, numbers: Worked, asker: int) -> VGroup:
        """Join the asker to the words that it looks at, each line as thick as the weight."""
        top = lambda token: token.get_top() + 0.1 * UP
        bend = -1.2 if asker == 0 else 1.2
        return VGroup(
            *(
                ArcBetweenPoints(
                    top(row[asker]),
                    top(token),
                    angle=bend,
                    stroke_color=self.theme.accent,
                    stroke_width=1 + 9 * float(numbers.weights[asker, j]),
                )
                for j, token in enumerate(row)
                if j != asker
            )
        )


def _percent(share: float) -> str:
    return f"{100 * share:.0f}"
