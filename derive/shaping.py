"""Small models that satisfy given hypotheses.

A model is drawn at random and then shaped: each hypothesis that fails is made true by moving one
cell that it reads (an entry, a mask, an index, a symbol). Rejection does the rest: a model is
handed out only if *every* hypothesis holds in it, with the real functions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from random import Random
from typing import Any

from derive.laws import Law, draw_outcomes, place
from derive.model import ROOT, Context, Evaluation, Model, Outcome
from derive.signature import PROP, REAL, Array, Range, match_kinds
from derive.terms import Term
from derive.values import NotEvaluableError, RealFunctions

Cell = tuple[Array | Term, tuple[int, ...]]

SIMPLE = tuple(map(Fraction, (0, 1, -1, 2)))
VARIED = (*map(Fraction, (0, 1, -1, 2, -2, 3, -3)), *(Fraction(p, 2) for p in (1, -1, 3)))
SIZES = ((1,), (0, 1, 2), (1, 2, 2, 3), (0, 1, 2, 3))  # by stage, simplest first
SQUARES = ((1,), (0, 1, 4), (1, 4), (0, 1, 4, 4))  # where a root of the size is taken
LARGER_SIZES = (1, 2, 3, 4, 6)  # where hypotheses relate sizes to each other
SIZE_DRAWS = 40
PASSES = 6


class Vocabulary:
    """What a set of terms speaks of, in a fixed order.

    Parameters
    ----------
    terms : iterable of Term
        Hypotheses and conclusions.
    """

    def __init__(self, terms: Iterable[Term]) -> None:
        terms = tuple(terms)
        names = frozenset().union(*(term.names for term in terms))
        arrays = sorted((x for x in names if type(x) is Array), key=_spelling)
        self.random = tuple(array for array in arrays if array.random)
        self.arrays = tuple(array for array in arrays if not array.random)
        self.variables = tuple(sorted((x for x in names if type(x) is Term), key=_spelling))
        ranges = {atom for x in names if type(x) is Range for atom in _atoms(x)}
        self.ranges = tuple(sorted(ranges, key=_spelling))
        self.rooted = frozenset().union(*map(rooted_ranges, terms))
        self.independent = any(_requires_independence(term) for term in terms)
        self.bijections = {p.data for term in terms for p in _nodes(term) if p.op == "bij"}
        pairs = [(a.axes[0], a.out) for a in sorted(self.bijections, key=_spelling)]
        pairs = [(x, y) if not y.parts else (y, x) for x, y in pairs if x != y]
        self.matched = tuple(pair for pair in pairs if not pair[1].parts)
        self.single = frozenset(p.data for term in terms for p in _nodes(term) if _says_single(p))


def _says_single(p: Term) -> bool:
    """``∀k: k = p``: the range has one element."""
    if p.op != "all" or type(p.data) is not Range or p.data.parts or p.args[0].op != "eq":
        return False
    left, right = p.args[0].args
    return left.op == "bv" and left.data[0] == 0 and not right.loose


def _spelling(x: Any) -> str:
    if type(x) is Array:
        return f"{x.name} {x.axes} {x.out} {x.random}"
    return f"{x.op} {x.data}" if type(x) is Term else f"{x.name} {x.parts}"


def _atoms(over: Range) -> Iterator[Range]:
    if not over.parts:
        yield over
    for part in over.parts:
        yield from _atoms(part)


def _nodes(term: Term) -> Iterator[Term]:
    yield term
    for arg in term.args:
        yield from _nodes(arg)


def _requires_independence(term: Term) -> bool:
    return term.op == "indep" or any(map(_requires_independence, term.args))


def rooted_ranges(term: Term, under: bool = False) -> frozenset[Range]:
    """The ranges of whose size a root is taken."""
    if term.op == "size":
        return frozenset(_atoms(term.data)) if under else frozenset()
    under = under or (term.op == "pow" and term.value.denominator != 1)
    found = frozenset().union(*(rooted_ranges(arg, under) for arg in term.args))
    if term.op != "def":
        return found
    inner = rooted_ranges(term.data.body, under)
    ranges = match_kinds(term.data.kinds, tuple(arg.kind for arg in term.args)) or {}
    return found.union(*(_atoms(ranges.get(over, over)) for over in inner))


# ------------------------------------------------------------------ drawing and shaping


def draw(
    hypotheses: Sequence[Term],
    words: Vocabulary,
    rng: Random,
    stage: int = 0,
    sizes: Mapping[Range, int] | None = None,
) -> Model | None:
    """One model in which all the hypotheses hold, or None if this draw found none.

    Parameters
    ----------
    hypotheses : sequence of Term
        Propositions.
    words : Vocabulary
        What the model must give a meaning to.
    rng : random.Random
        Where choices come from.
    stage : int
        0 for the smallest sizes and numbers; more for larger ones, up to 3.
    sizes : mapping, optional
        Sizes to take where the hypotheses allow it.
    """
    model = _draft(hypotheses, words, rng, stage, sizes or {})
    if model is None:
        return None
    shaper = _Shaper(model, words, rng, SIMPLE if stage < 2 else VARIED)
    for _ in range(PASSES):
        moved = [shaper.make(p, True) for p in hypotheses]
        if not any(moved):
            break
    return model if all(model.truth(p) is True for p in hypotheses) else None


def _draft(
    hypotheses: Sequence[Term],
    words: Vocabulary,
    rng: Random,
    stage: int,
    fixed: Mapping[Range, int],
) -> Model | None:
    stage = min(stage, len(SIZES) - 1)
    blank = _sized(hypotheses, words, rng, stage, fixed)
    if blank is None:
        return None
    sizes = blank.sizes
    targets = [v.kind for v in words.variables if v.kind != REAL]
    targets += [a.out for a in words.arrays if type(a.out) is Range and any(blank.cells(a))]
    if any(blank.size(target) == 0 for target in targets):
        return None  # no element to point at
    pool = SIMPLE if stage < 2 else VARIED
    outcomes = _draw_outcomes(hypotheses, words, blank, rng)
    if outcomes is None:
        return None
    tables = {array: _table(array, blank, words, rng, pool) for array in words.arrays}
    values = {v: _pick(v.kind, blank, rng, pool) for v in words.variables}
    return Model(sizes, tables, values, outcomes)


def _sized(
    hypotheses: Sequence[Term],
    words: Vocabulary,
    rng: Random,
    stage: int,
    fixed: Mapping[Range, int],
) -> Model | None:
    """Sizes that satisfy the hypotheses about nothing else: the fixed ones if they do."""
    about_sizes = [p for p in hypotheses if all(type(x) is Range for x in p.names)]
    pools = {over: (SQUARES if over in words.rooted else SIZES)[stage] for over in words.ranges}
    for attempt in range(SIZE_DRAWS if about_sizes else 1):
        if attempt > SIZE_DRAWS // 4:
            pools = dict.fromkeys(pools, LARGER_SIZES)
        sizes = {over: rng.choice(pool) for over, pool in pools.items()}
        sizes |= (fixed if attempt == 0 else {}) | dict.fromkeys(words.single, 1)
        for over, same in words.matched:
            sizes[same] = Model(sizes).size(over)
        for p in (*about_sizes, *about_sizes):  # twice: one may set what another reads
            sizes |= _solved_size(p, sizes)
        model = Model(sizes)
        if all(model.truth(p) is True for p in about_sizes):
            return model
    return None


def _solved_size(p: Term, sizes: Mapping[Range, int]) -> dict[Range, int]:
    """The size that an equation such as ``heads · d_h = d`` gives outright."""
    if p.op != "eq":
        return {}
    for known, sought in (p.args, p.args[::-1]):
        if sought.op == "size":
            value = Model(sizes).value(known)
            if type(value) is Fraction and value.denominator == 1 and value >= 0:
                return {sought.data: int(value)}
    return {}


def _draw_outcomes(
    hypotheses: Sequence[Term], words: Vocabulary, blank: Model, rng: Random
) -> tuple[Outcome, ...] | None:
    cells = {array: list(blank.cells(array)) for array in words.random}

    def fits(array: Array, law: Law) -> bool:
        outcomes = tuple(Outcome(p, {array: place(cells[array], x)}) for p, x in law)
        alone = Model(blank.sizes, outcomes=outcomes)
        own = (p for p in hypotheses if {x for x in p.names if type(x) is not Range} == {array})
        return all(alone.truth(p) is not False for p in own)

    return draw_outcomes(cells, not words.independent, fits, rng)


def _table(array: Array, model: Model, words: Vocabulary, rng: Random, pool: Sequence) -> dict:
    cells = list(model.cells(array))
    if array in words.bijections and len(cells) == model.size(array.out):
        images = range(model.size(array.out))
        if len(images) == len(cells):
            return dict(zip(cells, rng.sample(images, len(cells)), strict=True))
    return {cell: _pick(array.out, model, rng, pool) for cell in cells}


def _pick(kind: Any, model: Model, rng: Random, pool: Sequence) -> Any:
    if kind == REAL:
        return rng.choice(pool)
    return rng.random() < 0.6 if kind == PROP else rng.randrange(model.size(kind))


class _Shaper:
    """Moves cells of a model that is still being made, so that a proposition comes true."""

    def __init__(self, model: Model, words: Vocabulary, rng: Random, pool: Sequence) -> None:
        self.model, self.words, self.rng, self.pool = model, words, rng, pool

    def make(self, p: Term, wanted: bool, context: Context = ROOT) -> bool:
        """Try to give the proposition the wanted truth; tells whether anything was moved."""
        if self._truth(p, context) is wanted:
            return False
        match p.op:
            case "not":
                return self.make(p.args[0], not wanted, context)
            case "and":
                return self._make_parts([(arg, context) for arg in p.args], wanted)
            case "imp" if wanted:
                return self.make(p.args[1], True, context) or self.make(p.args[0], False, context)
            case "imp":
                moved = self.make(p.args[0], True, context)
                return self.make(p.args[1], False, context) or moved
            case "all" if p.data != REAL:
                elements = range(self.model.size(p.data))
                return self._make_parts([(p.args[0], context.push(e)) for e in elements], wanted)
            case "eq" if p.args[0].op == "lam":
                entries = Term("eq", (arg.args[0] for arg in p.args))
                elements = range(self.model.size(p.args[0].data))
                return self._make_parts([(entries, context.push(e)) for e in elements], wanted)
            case "eq" | "le" | "lt" | "entry":
                return self._move_a_cell(p, wanted, context)
        return False

    def _make_parts(self, parts: list[tuple[Term, Context]], wanted: bool) -> bool:
        if not wanted and parts:
            parts = [self.rng.choice(parts)]
        moved = [self.make(part, wanted, context) for part, context in parts]
        return any(moved)

    def _truth(self, p: Term, context: Context) -> Any:
        return Evaluation(self.model, RealFunctions()).truth(p, context)

    def _move_a_cell(self, p: Term, wanted: bool, context: Context) -> bool:
        cells = self._cells_read(p, context)
        self.rng.shuffle(cells)
        for cell in cells[:6]:
            before = self._get(cell)
            for value in self._proposals(p, wanted, context, cell):
                self._set(cell, value)
                if self._truth(p, context) is wanted:
                    return True
            self._set(cell, before)
        return False

    def _cells_read(self, p: Term, context: Context) -> list[Cell]:
        read: dict[Cell, None] = {}
        evaluation = Evaluation(
            self.model, RealFunctions(), lambda name, index: read.setdefault((name, index))
        )
        evaluation.truth(p, context)
        return [cell for cell in read if cell[0] not in self.words.bijections]

    def _proposals(self, p: Term, wanted: bool, context: Context, cell: Cell) -> Iterator[Any]:
        kind = cell[0].out if type(cell[0]) is Array else cell[0].kind
        if kind == PROP:
            yield not self._get(cell)
        elif kind != REAL:
            yield from self.rng.sample(range(self.model.size(kind)), self.model.size(kind))
        else:
            yield from self._solutions(p, wanted, context, cell)
            yield from self.rng.sample(self.pool, min(4, len(self.pool)))

    def _solutions(self, p: Term, wanted: bool, context: Context, cell: Cell) -> Iterator[Fraction]:
        """Where the two sides are affine in the cell: the value that sets them as wanted."""
        if p.op == "entry" or p.args[0].kind != REAL:
            return
        start = self._get(cell)
        gaps = []
        for step in range(3):
            self._set(cell, start + step)
            gaps.append(self._gap(p, context))
        self._set(cell, start)
        if any(type(gap) is not Fraction for gap in gaps):
            return
        slope = gaps[1] - gaps[0]
        if slope == 0 or gaps[2] - gaps[1] != slope:
            return
        yield start + (self._wanted_gap(p.op, wanted) - gaps[0]) / slope

    def _gap(self, p: Term, context: Context) -> Any:
        evaluation = Evaluation(self.model, RealFunctions())
        try:
            left, right = (evaluation.value(arg, context) for arg in p.args)
        except NotEvaluableError:
            return None
        return left + -right

    def _wanted_gap(self, op: str, wanted: bool) -> Fraction:
        margin = self.rng.choice((Fraction(1), Fraction(1), Fraction(1, 2), Fraction(2)))
        if op == "eq":
            return Fraction(0) if wanted else margin
        if op == "le" and wanted and self.rng.random() < 0.3:
            return Fraction(0)
        return -margin if wanted else margin

    def _get(self, cell: Cell) -> Any:
        name, index = cell
        return self.model.tables[name][index] if type(name) is Array else self.model.values[name]

    def _set(self, cell: Cell, value: Any) -> None:
        name, index = cell
        if type(name) is Array:
            self.model.tables[name][index] = value
        else:
            self.model.values[name] = value
