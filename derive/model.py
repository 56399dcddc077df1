"""Small worlds: finite ranges, exact entries, finite distributions; terms evaluated in them.

Nothing here makes a theorem. But a refutation rests on it, so every value is either an exact
rational or a rigorous interval, and a truth value is True, False or `Unknown` with its reason.

Elements of a range are 0, 1, 2, …; those of a disjoint union are numbered part after part.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

from derive.binding import close, rename_ranges
from derive.growth import VARIABLE, Growth
from derive.signature import PROP, REAL, Array, Definition, Range, match_kinds, rename_data
from derive.terms import Term
from derive.values import (
    ZERO,
    Dual,
    Functions,
    GrainError,
    Interval,
    NotEvaluableError,
    RealFunctions,
    SurrogateFunctions,
    Value,
    bounded,
    difference_sign,
    divide,
    function,
    power,
)

PRECISIONS = (64, 320)  # bits; the second only where the first cannot tell two sides apart
_SAMPLES = tuple(map(Fraction, (0, 1, -1, 2, -2, Fraction(1, 2))))
_TRANSCENDENTAL = frozenset({"exp", "log", "cos", "sin"})


class Unknown(NamedTuple):
    """Neither true nor false as far as this model can tell, and why."""

    reason: str

    def __bool__(self) -> bool:
        raise NotEvaluableError(
            f"a truth value of the unknown: {self.reason}", "`is True`, `is False`"
        )


Truth = bool | Unknown
Table = Mapping[tuple[int, ...], Any]  # index → Fraction, bool or element


class Outcome(NamedTuple):
    """One outcome of all random arrays together, with its probability."""

    probability: Fraction
    tables: Mapping[Array, Table]


@dataclass(frozen=True)
class Model:
    """Sizes of ranges, tables of arrays, values of free variables, a finite distribution."""

    sizes: Mapping[Range, int] = field(default_factory=dict)
    tables: Mapping[Array, Table] = field(default_factory=dict)
    values: Mapping[Term, Any] = field(default_factory=dict)  # free symbols and indices
    outcomes: tuple[Outcome, ...] = (Outcome(Fraction(1), {}),)

    def size(self, over: Range) -> int:
        if over.parts:
            return sum(map(self.size, over.parts))
        if over not in self.sizes:
            raise NotEvaluableError(f"the range {over}: this model gives it no size")
        return self.sizes[over]

    def cells(self, array: Array) -> Iterator[tuple[int, ...]]:
        """Every index of an array, in order."""
        return product(*(range(self.size(axis)) for axis in array.axes))

    def value(self, term: Term, functions: Functions | None = None) -> Value:
        """The value of a real-valued term; `NotEvaluableError` where it has none here."""
        return Evaluation(self, functions or RealFunctions()).value(term)

    def truth(self, proposition: Term) -> Truth:
        """Truth with the real functions, by exact arithmetic and rigorous intervals.

        A proposition about a random entry itself (not its expectation) holds if it holds at
        every outcome.
        """
        for bits in PRECISIONS:
            evaluation = Evaluation(self, RealFunctions(bits))
            truth = evaluation.surely(proposition)
            if truth is True or truth is False or not transcendental(proposition):
                break
        return truth

    def surrogate_truth(self, proposition: Term, t: Fraction = Fraction(2)) -> Truth:
        """Truth with exact stand-ins for exp, log, cos and sin: evidence for equations only."""
        grain = 1
        for _ in range(4):
            try:
                return Evaluation(self, SurrogateFunctions(t, grain)).surely(proposition)
            except GrainError as need:
                grain = math.lcm(grain, grain * need.denominator)
        return Unknown("an exponential of an exponential has no exact stand-in")


# ------------------------------------------------------------------ evaluation


class Closure(NamedTuple):
    """An argument of a definition, evaluated when it is needed."""

    term: Term
    stack: tuple
    frame: Frame | None


class Frame:
    """The arguments of one unfolded definition."""

    __slots__ = ("arguments",)

    def __init__(self, arguments: dict[Array, Closure]) -> None:
        self.arguments = arguments


class Context(NamedTuple):
    """Where a sub-term stands: values of bound variables, the definition, the outcome."""

    stack: tuple = ()
    frame: Frame | None = None
    outcome: Outcome | None = None

    def push(self, *values: Any) -> Context:
        return self._replace(stack=(*self.stack, *values))


ROOT = Context()


class Evaluation:
    """One pass over terms in one model with one meaning of the functions.

    Parameters
    ----------
    model : Model
        The world.
    functions : Functions
        Real ones, or exact stand-ins.
    on_read : callable, optional
        Called with each cell that is read: ``(array, index)`` or ``(variable, ())``.
    """

    def __init__(self, model: Model, functions: Functions, on_read: Callable | None = None) -> None:
        self.model, self.functions, self.on_read = model, functions, on_read
        self.memo: dict[tuple, Value] = {}
        self.frames: dict[tuple, Frame] = {}
        self.marginals: dict[frozenset[Array], tuple[Outcome, ...]] = {}
        self.level = 0

    # -------------------------------------------------------------- numbers and indices

    def value(self, term: Term, context: Context = ROOT) -> Any:
        """A number, an element of a range, or the truth of an entry."""
        args, data = term.args, term.data
        match term.op:
            case "num":
                return term.value
            case "size":
                return Fraction(self.model.size(data))
            case "bv":
                return context.stack[-1 - data[0]]
            case "ix" | "sym" | "fv":
                return self._variable(term)
            case "entry":
                return self._entry(data, [self.value(arg, context) for arg in args], context)
            case "inj":
                union, part = data
                return sum(map(self.model.size, union.parts[:part])) + self.value(args[0], context)
            case "add":
                return bounded(sum((self.value(arg, context) for arg in args), ZERO))
            case "mul":
                return self._product(args, context)
            case "neg":
                return -self.value(args[0], context)
            case "div":
                return divide(self.value(args[0], context), self.value(args[1], context))
            case "pow":
                return power(self.value(args[0], context), term.value, self.functions)
            case "fn":
                return function(data, self.value(args[0], context), self.functions)
            case "iv":
                return Fraction(int(_decided(self.truth(args[0], context))))
            case "sum" | "def" | "D" | "E":
                return self._memoised(term, context)
        raise NotEvaluableError(f"{term!r} used as a value", "a number or an index")

    def _variable(self, variable: Term) -> Any:
        if variable not in self.model.values:
            raise NotEvaluableError(f"the variable {variable!r}: this model gives it no value")
        if self.on_read:
            self.on_read(variable, ())
        return self.model.values[variable]

    def _entry(self, array: Array, index: list[int], context: Context) -> Any:
        if context.frame and array in context.frame.arguments:
            return self._apply(context.frame.arguments[array], index, context.outcome)
        if array.random:
            if context.outcome is None:
                raise NotEvaluableError(f"the random {array} outside an expectation")
            table = context.outcome.tables.get(array)
        else:
            table = self.model.tables.get(array)
            if self.on_read:
                self.on_read(array, tuple(index))
        if table is None:
            raise NotEvaluableError(f"the array {array}: this model gives it no entries")
        return table[tuple(index)]

    def _apply(self, closure: Closure, index: list[int], outcome: Outcome | None) -> Any:
        term = closure.term
        for _ in index:
            term = term.args[0]
        context = Context((*closure.stack, *index), closure.frame, outcome)
        return (
            _decided(self.truth(term, context)) if term.kind == PROP else self.value(term, context)
        )

    def _product(self, factors: tuple[Term, ...], context: Context) -> Value:
        result = Fraction(1)
        for factor in factors:
            result = result * self.value(factor, context)
            if result == 0:
                return ZERO
        return bounded(result)

    def _memoised(self, term: Term, context: Context) -> Value:
        outcome = None if term.op == "E" else context.outcome
        key = (term, _visible(term, context.stack), context.frame, id(outcome))
        if key not in self.memo:
            compute = getattr(self, f"_{term.op}")
            self.memo[key] = compute(term, context)
        return self.memo[key]

    def _sum(self, term: Term, context: Context) -> Value:
        body, elements = term.args[0], range(self.model.size(term.data))
        return bounded(sum((self.value(body, context.push(e)) for e in elements), ZERO))

    def _def(self, term: Term, context: Context) -> Value:
        parameters, body = _instance(term.data, tuple(arg.kind for arg in term.args))
        arrays, indices = term.args[: len(parameters)], term.args[len(parameters) :]
        index = tuple(self.value(arg, context) for arg in indices)
        frame = self._frame(parameters, arrays, context)
        return self.value(body, Context(index, frame, context.outcome))

    def _frame(self, parameters: tuple[Array, ...], args: tuple[Term, ...], at: Context) -> Frame:
        seen = tuple(_visible(arg, at.stack) for arg in args)
        key = (parameters, args, seen, at.frame)
        if key not in self.frames:
            closures = (Closure(arg, at.stack, at.frame) for arg in args)
            self.frames[key] = Frame(dict(zip(parameters, closures, strict=True)))
        return self.frames[key]

    def _D(self, term: Term, context: Context) -> Value:
        result, level = self._at_dual(term.args[0], self.value(term.args[1], context), context)
        return result.b if type(result) is Dual and result.level == level else ZERO

    def _at_dual(self, function: Term, point: Value, context: Context) -> tuple[Value, int]:
        """The function at a point + ε, and the level of that ε."""
        self.level += 1
        try:
            moved = Dual(self.level, point, Fraction(1))
            return self.value(function.args[0], context.push(moved)), moved.level
        finally:
            self.level -= 1

    def _E(self, term: Term, context: Context) -> Value:
        family = None if context.frame else frozenset(a for a in term.arrays if a.random)
        terms = (
            self.value(term.args[0], context._replace(outcome=outcome)) * outcome.probability
            for outcome in self._outcomes(family)
        )
        return sum(terms, ZERO)

    def _outcomes(self, family: frozenset[Array] | None) -> tuple[Outcome, ...]:
        """The joint law of some arrays: equal outcomes are taken together."""
        if family is None or self.model.outcomes[0].tables.keys() == family:
            return self.model.outcomes
        if family not in self.marginals:
            arrays = sorted(family & self.model.outcomes[0].tables.keys(), key=str)
            law = _distribution(self.model, arrays)
            self.marginals[family] = tuple(
                Outcome(p, {a: dict(table) for a, table in zip(arrays, tables, strict=True)})
                for tables, p in law.items()
            )
        return self.marginals[family]

    # -------------------------------------------------------------- truth

    def surely(self, proposition: Term) -> Truth:
        """Truth at every outcome, if the proposition speaks of random entries themselves."""
        if not bare(proposition):
            return self.truth(proposition)
        contexts = (ROOT._replace(outcome=outcome) for outcome in self.model.outcomes)
        return _all(self.truth(proposition, context) for context in contexts)

    def truth(self, proposition: Term, context: Context = ROOT) -> Truth:
        """True, False, or `Unknown` with its reason."""
        try:
            return self._truth(proposition, context)
        except NotEvaluableError as failure:
            return Unknown(failure.given)

    def _truth(self, p: Term, context: Context) -> Truth:
        match p.op:
            case "entry":
                return self.value(p, context)
            case "eq" | "le" | "lt":
                return self._compare(p, context)
            case "not":
                return _not(self.truth(p.args[0], context))
            case "and":
                return _all(self.truth(arg, context) for arg in p.args)
            case "imp":
                premise = self.truth(p.args[0], context)
                return _either(_not(premise), lambda: self.truth(p.args[1], context))
            case "all":
                return self._all_of(p, context)
            case "bij":
                table = self.model.tables[p.data]
                return sorted(table.values()) == list(range(self.model.size(p.data.out)))
            case "indep":
                return self._independent(p.data)
            case "moments":
                return True  # every distribution here is finite
            case "tends":
                return self._limit(*p.args, p.data, context)
        raise NotEvaluableError(f"{p!r} used as a statement", "a proposition")

    def _compare(self, p: Term, context: Context) -> Truth:
        left, right = p.args
        if left == right:
            return p.op != "lt"
        if left.kind == REAL:
            if p.op != "eq" and self._stand_in and transcendental(p):
                return Unknown("an inequality with exp, log, cos or sin has no exact stand-in")
            sides = self.value(left, context), self.value(right, context)
            return _relation(p.op, difference_sign(*sides), sides)
        if type(left.kind) is Range:
            a, b = self.value(left, context), self.value(right, context)
            return {"eq": a == b, "le": a <= b, "lt": a < b}[p.op]
        return self._same_array(p, context)

    @property
    def _stand_in(self) -> bool:
        return isinstance(self.functions, SurrogateFunctions)

    def _same_array(self, p: Term, context: Context) -> Truth:
        left, right = (arg.args[0] for arg in p.args)
        entries = Term("eq", (left, right)) if left.kind != PROP else None
        if entries is None:
            raise NotEvaluableError("equal masks", "their entries compared")
        elements = range(self.model.size(p.args[0].data))
        return _all(self.truth(entries, context.push(e)) for e in elements)

    def _all_of(self, p: Term, context: Context) -> Truth:
        if p.data != REAL:
            elements = range(self.model.size(p.data))
            return _all(self.truth(p.args[0], context.push(e)) for e in elements)
        if _all(self.truth(p.args[0], context.push(x)) for x in _SAMPLES) is False:
            return False
        return Unknown("a statement about all real numbers is not decided by finitely many")

    def _limit(self, function: Term, limit: Term, to: str, context: Context) -> Truth:
        reached, claimed = self.limit(function, to, context), self.value(limit, context)
        if reached is None:
            return False
        return _relation("eq", difference_sign(reached, claimed), (reached, claimed))

    def limit(self, function: Term, to: str, context: Context = ROOT) -> Value | None:
        """A limit at ∞ by the terms that grow fastest; at 0, of what is differentiable there.

        None where it is infinite.
        """
        if to == "oo":
            reached = self.value(function.args[0], context.push(VARIABLE))
            return reached.limit() if isinstance(reached, Growth) else reached
        reached, level = self._at_dual(function, ZERO, context)
        return reached.a if type(reached) is Dual and reached.level == level else reached

    def _independent(self, family: tuple[Array, ...]) -> bool:
        joint = _distribution(self.model, family)
        marginals = [_distribution(self.model, (array,)) for array in family]
        return all(
            joint.get(combination, ZERO)
            == math.prod((m[(x,)] for m, x in zip(marginals, combination, strict=True)), start=1)
            for combination in product(*([x for (x,) in m] for m in marginals))
        )


def _distribution(model: Model, family: Sequence[Array]) -> dict[tuple, Fraction]:
    law: dict[tuple, Fraction] = {}
    for probability, tables in model.outcomes:
        seen = tuple(tuple(sorted(tables[array].items())) for array in family)
        law[seen] = law.get(seen, ZERO) + probability
    return law


def _relation(op: str, order: int | None, sides: tuple[Value, Value]) -> Truth:
    if order is None:
        if (op == "le" and _touching(sides)) or (op == "lt" and _touching(sides[::-1])):
            return op == "le"
        return Unknown("two real numbers too close to tell apart")
    return {"eq": order == 0, "le": order <= 0, "lt": order < 0}[op]


def _touching(sides: tuple[Value, Value]) -> bool:
    """Whether the first is at most the second, though perhaps equal to it."""
    gap = sides[0] + -sides[1]
    return type(gap) is Interval and gap.box.b <= 0


def _decided(truth: Truth) -> bool:
    if type(truth) is Unknown:
        raise NotEvaluableError(truth.reason)
    return truth


def _not(truth: Truth) -> Truth:
    return truth if type(truth) is Unknown else not truth


def _all(truths: Iterator[Truth]) -> Truth:
    """False if any is; else unknown if any is."""
    result: Truth = True
    for truth in truths:
        if truth is False:
            return False
        if truth is not True:
            result = truth
    return result


def _either(first: Truth, second: Callable[[], Truth]) -> Truth:
    if first is True:
        return True
    other = second()
    return other if first is False or other is True else first


@lru_cache(maxsize=1 << 14)
def _depths(term: Term) -> tuple[int, ...]:
    return tuple(sorted({depth for depth, _ in term.loose}))


def _visible(term: Term, stack: tuple) -> tuple:
    """The values that the term's loose variables have."""
    return tuple(stack[-1 - depth] for depth in _depths(term))


@lru_cache(maxsize=1 << 12)
def _instance(definition: Definition, kinds: tuple) -> tuple[tuple[Array, ...], Term]:
    """The array parameters over the arguments' ranges, and the body with its indices bound."""
    ranges = match_kinds(definition.kinds, kinds)
    body = definition.body
    for depth, index in enumerate(reversed(definition.indices)):
        body = close(body, index, depth)  # the last index is the innermost
    parameters = tuple(rename_data(parameter, ranges) for parameter in definition.parameters)
    return parameters, rename_ranges(body, ranges)


@lru_cache(maxsize=1 << 14)
def transcendental(term: Term) -> bool:
    """Whether exp, log, cos or sin occurs, in definitions too."""
    if term.op == "fn" and term.data in _TRANSCENDENTAL:
        return True
    inside = (term.data.body, *term.args) if term.op == "def" else term.args
    return any(map(transcendental, inside))


@lru_cache(maxsize=1 << 14)
def bare(term: Term) -> bool:
    """Whether a random entry stands outside every expectation."""
    if term.op == "E":
        return False
    if term.op == "entry" and term.data.random:
        return True
    return any(map(bare, term.args))
