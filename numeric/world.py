"""A world: arrays, sizes and chances in which a statement can be measured."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from derive.binding import fresh, substitute, unbind
from derive.signature import REAL, Array, Range
from derive.terms import Term
from numeric.backends import Backend, backend
from numeric.compile import compile_term, variables
from numeric.errors import NumericError
from numeric.rounding import evaluate

LIMIT = "→"  # the symbol that stands for a limit's variable


@dataclass(frozen=True)
class Gap:
    """How far a statement is from holding, and how far rounding alone may take it."""

    error: float
    tolerance: float

    @property
    def holds(self) -> bool:
        """Whether the error is within the tolerance; never, if either is NaN or unbounded."""
        return self.error <= self.tolerance < float("inf")

    @property
    def ratio(self) -> float:
        """The error in tolerances; infinite if either says nothing."""
        if not self.error < float("inf") or not self.tolerance < float("inf"):
            return float("inf")
        return self.error / max(self.tolerance, float(np.finfo(np.float64).tiny))

    def __or__(self, other: "Gap") -> "Gap":
        """The worse of two: the one that is off by more tolerances; if by as many, the larger."""
        return max(self, other, key=lambda gap: (gap.ratio, gap.tolerance))


NONE = Gap(0.0, 0.0)


class TooLargeError(NumericError):
    """A statement that needs more memory in a world than the world grants."""


@dataclass(frozen=True, eq=False)
class World:
    """Values of arrays and symbols by name, sizes of ranges, points of free indices.

    Attributes
    ----------
    values
        NumPy arrays in double precision; random arrays have a leading axis of outcomes.
    sizes
        The size of each range by name.
    points
        Free indices held at one element each; all others become axes.
    probability
        The probability of each outcome of the random arrays together.
    backend
        Where statements are evaluated.
    most
        How many entries all intermediate arrays of one evaluation may have together.
    """

    values: Mapping[str, np.ndarray]
    sizes: Mapping[str, int]
    points: Mapping[Term, int] = field(default_factory=dict)
    probability: np.ndarray | None = None
    backend: Backend = field(default_factory=backend)
    most: float = float("inf")

    @cached_property
    def _given(self) -> dict[str, Any]:
        points = {_held(point).name: np.asarray(at) for point, at in self.points.items()}
        return {name: self.backend.put(x) for name, x in {**self.values, **points}.items()}

    @cached_property
    def _chances(self) -> Any:
        return None if self.probability is None else self.backend.put(self.probability)

    def evaluate(self, term: Term, axes: tuple[Term, ...]) -> tuple[np.ndarray, np.ndarray]:
        """Return a term's values over `axes`, and their error bounds (0 for truth values)."""
        term = substitute(term, {point: _held(point)[()] for point in self.points})
        program = compile_term(term, axes)
        needed = program.entries(self._given, self.sizes, self._chances)
        if needed > self.most:
            raise TooLargeError(f"{needed} entries", f"at most {self.most}", "choose smaller sizes")
        with np.errstate(all="ignore"):  # what overflows has no finite bound, and says so
            value, error = evaluate(
                program, self._given, sizes=self.sizes, probability=self._chances
            )
        value = self.backend.get(value)
        return value, np.zeros(value.shape) if error is None else self.backend.get(error)

    def with_limit(self, at: float) -> "World":
        """Return this world with the limit's variable at a value."""
        return replace(self, values={**self.values, LIMIT: np.asarray(at)})


def _held(point: Term) -> Array:
    """Return the index map without axes that holds a free index at its point."""
    return Array(f"{point.data[0]}#", (), point.kind)


@dataclass(frozen=True)
class Opened:
    """A proposition without its outer quantifiers: a core, guards, and the axes of both."""

    core: Term
    guards: tuple[Term, ...]
    axes: tuple[Term, ...]

    def closed(self, core: Term) -> Term:
        """Return a core under these guards; opened axes stay free, which means all of them."""
        for guard in reversed(self.guards):
            core = Term("imp", (guard, core))
        return core


def opened(proposition: Term, world: World) -> Opened:
    """Open the quantifiers and implications around a proposition's core."""
    axes, guards = [], []
    while proposition.op in ("all", "imp"):
        if proposition.op == "imp":
            guards.append(proposition.args[0])
            proposition = proposition.args[1]
            continue
        if proposition.data == REAL:
            raise NumericError(
                f"{proposition!r}", "a statement about indices", "give the real number a symbol"
            )
        variable, proposition = unbind(proposition)
        axes.append(variable)
    free = (v for part in (proposition, *guards) for v in variables(part))
    axes += [v for v in free if v not in axes and v not in world.points]
    return Opened(proposition, tuple(guards), tuple(dict.fromkeys(axes)))


def measure(proposition: Term, world: World) -> Gap:
    """Return how far `proposition` is from holding in `world`.

    Equations by the largest difference, inequalities by the largest excess, truth values by 0 or
    1, limits by the difference far out. What the world is built to satisfy (independence, moments
    that exist) counts as holding.
    """
    parts = opened(proposition, world)
    if parts.core.op == "and":
        first, second = (measure(parts.closed(arg), world) for arg in parts.core.args)
        return first | second
    return _measure(parts.core, parts.axes, guarded(parts, world), world)


def guarded(parts: Opened, world: World) -> np.ndarray:
    """Return where all guards of an opened proposition hold, over its axes."""
    allowed = np.ones(tuple(size(axis.kind, world.sizes) for axis in parts.axes), bool)
    for guard in parts.guards:
        allowed &= world.evaluate(guard, parts.axes)[0]
    return allowed


def size(over: Range, sizes: Mapping[str, int]) -> int:
    """Return the number of elements of a range, or of a disjoint union."""
    return sum(size(part, sizes) for part in over.parts) if over.parts else sizes[over.name]


def _measure(core: Term, axes: tuple[Term, ...], allowed: np.ndarray, world: World) -> Gap:
    match core.op:
        case "indep" | "moments":
            return NONE
        case "bij":
            image = np.sort(np.asarray(world.values[core.data.name]))
            target = np.arange(size(core.data.out, world.sizes))
            return Gap(float(not np.array_equal(image, target)), 0.0)
        case "tends":
            return _limit(core, axes, allowed, world)
        case "eq" | "le" | "lt" if not isinstance(core.args[0].kind, Range):
            return _compare(core, axes, allowed, world)
    truth, _ = world.evaluate(core, axes)
    return Gap(float(np.any(allowed & ~truth)), 0.0)


def _compare(core: Term, axes: tuple[Term, ...], allowed: np.ndarray, world: World) -> Gap:
    left, right = core.args
    while left.op == "lam":
        variable = fresh(left.data)
        left, right, axes = left[variable], right[variable], (*axes, variable)
        allowed = np.broadcast_to(
            allowed[..., None], (*allowed.shape, size(variable.kind, world.sizes))
        )
    (x, dx), (y, dy) = world.evaluate(left, axes), world.evaluate(right, axes)
    bound = dx.astype(np.float64) + dy
    difference = x.astype(np.float64) - y
    if core.op == "eq":
        error = np.abs(difference)
    else:
        error = np.maximum(difference, 0.0)
        if core.op == "lt":
            error = np.where(difference >= 0, np.maximum(error, 2 * bound + 1e-300), error)
    least = float(np.finfo(world.backend.dtype).eps)
    return Gap(_largest(error[allowed]), max(_largest(bound[allowed]), least))


def _largest(x: np.ndarray) -> float:
    """Return the maximum, infinite if anything is NaN."""
    return float("inf") if np.isnan(x).any() else float(np.max(x, initial=0.0))


def _limit(core: Term, axes: tuple[Term, ...], allowed: np.ndarray, world: World) -> Gap:
    """Measure a limit far out: as far as exponentials of ordinary scores stay finite."""
    variable, body = unbind(core.args[0])
    body = substitute(body, {variable: Term("sym", (), LIMIT)})
    claim = Term("eq", (body, core.args[1]))
    for at in _far(core.data, np.finfo(world.backend.dtype)):
        gap = _compare(claim, axes, allowed, world.with_limit(at))
        if np.isfinite(gap.tolerance):
            break
    return gap


def _far(towards: str, info: np.finfo) -> list[float]:
    """Return values of a limit's variable, the furthest first: β with exp(β) far from overflow."""
    if towards == "0":
        return [float(info.eps) ** 2]
    return [share * float(np.log(info.max)) for share in (0.4, 0.33, 0.27, 0.2, 0.1)]
