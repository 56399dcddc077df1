"""Straight-line programs on arrays: what a compiled term is, and how it runs.

A program is a tuple of instructions. Each makes one array from earlier ones; axes are named by
small numbers, as in ``einsum`` subscripts, so an instruction says everything about itself and two
equal ones are one. There is no loop over entries anywhere: an instruction is a handful of calls
of the array library.

Conventions are those of the terms: an empty sum is 0 and division, powers and logarithms are
total (`derive.terms`).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from derive.signature import Array, Range
from numeric.arrays import device, namespace
from numeric.errors import NumericError

Axes = tuple[int, ...]


class Instruction(NamedTuple):
    """One step: what to do, with which earlier results, under which axis names.

    Attributes
    ----------
    op
        A key of ``OPERATIONS``.
    slots
        Positions of the operands in the program.
    axes
        For each operand, its axis names; last, those of the result.
    data
        What else the operation needs: an exponent, a function's name, a range, …
    """

    op: str
    slots: tuple[int, ...] = ()
    axes: tuple[Axes, ...] = ()
    data: Any = None

    def __repr__(self) -> str:
        *operands, result = ["".join(chr(97 + a) for a in axes) for axes in self.axes or ((),)]
        data = "" if self.data is None else f" {self.data}"
        return f"{self.op}{data} {list(self.slots)} {','.join(operands)}->{result}"


@dataclass(frozen=True)
class Program:
    """A term as a function of arrays.

    Attributes
    ----------
    instructions
        The steps, in order; the last makes the result.
    axes
        The ranges of the result's axes.
    inputs
        The names that :meth:`__call__` takes values for.
    """

    instructions: tuple[Instruction, ...]
    axes: tuple[Range, ...]

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the arrays and symbols that the program reads."""
        reads = (x.data for x in self.instructions if x.op in ("array", "symbol"))
        return tuple(dict.fromkeys(getattr(x, "name", x) for x in reads))

    def __call__(
        self,
        values: Mapping[str, Any],
        /,
        *,
        sizes: Mapping[str, int] | None = None,
        probability: Any = None,
    ) -> Any:
        """Return the term's value, an array over ``axes``.

        Parameters
        ----------
        values
            Arrays by name, all of one library, device and dtype (index maps are integer, masks
            boolean). A random array has a leading axis of outcomes.
        sizes
            Sizes of ranges by name; needed for those that no array has an axis of.
        probability
            The probability of each outcome; all equal if None.
        """
        run = Run(self, values, sizes, probability)
        results: list[Any] = []
        for instruction in self.instructions:
            results.append(run.step(instruction, *(results[slot] for slot in instruction.slots)))
        return results[-1]

    def entries(
        self, values: Mapping[str, Any], sizes: Mapping[str, int], probability: Any = None
    ) -> int:
        """Return how many entries all results of a call have together, without calling.

        Parameters are those of a call; sizes of every range must be given.
        """
        run = Run(self, values, sizes, probability)
        shapes: list[tuple[int, ...]] = []
        for step in self.instructions:
            shapes.append(run.shape(step, *(shapes[slot] for slot in step.slots)))
        return sum(map(math.prod, shapes))


class Run:
    """One call of a program: its namespace, values and sizes."""

    def __init__(
        self,
        program: Program,
        values: Mapping[str, Any],
        sizes: Mapping[str, int] | None,
        probability: Any,
    ) -> None:
        missing = [name for name in program.inputs if name not in values]
        if missing:
            raise NumericError(
                f"values for {', '.join(values) or 'nothing'}",
                f"also {', '.join(missing)}",
                "pass an array for each of program.inputs",
            )
        used = {name: values[name] for name in program.inputs}
        self.xp = namespace(**used, probability=probability) if used else np
        self.values, self.probability = values, probability
        floats = [x for x in used.values() if self.xp.isdtype(x.dtype, "real floating")]
        self.like = (floats or [self.xp.asarray(0.0)])[0]
        self.sizes = dict(sizes or {})
        self.outcomes = 1 if probability is None else probability.shape[0]
        for instruction in program.instructions:
            if instruction.op == "array":
                self._measure(instruction.data)

    def _measure(self, array: Array) -> None:
        """Read the sizes of an array's ranges off its shape."""
        shape = self.values[array.name].shape
        if array.random:
            self.outcomes, shape = shape[0], shape[1:]
        if len(shape) != len(array.axes):
            names = ", ".join(axis.name for axis in array.axes)
            raise NumericError(
                f"{array.name} of shape {shape}", f"one axis for each of ({names})", "reshape it"
            )
        for axis, size in zip(array.axes, shape, strict=True):
            known = self.size(axis) if axis.parts else self.sizes.setdefault(axis.name, size)
            if known != size:
                raise NumericError(
                    f"{array.name} with {size} along {axis.name}",
                    f"{known}, as elsewhere",
                    "give all arrays one size for each range",
                )

    def step(self, instruction: Instruction, *operands: Any) -> Any:
        """Carry out one instruction."""
        return OPERATIONS[instruction.op](self, instruction, *operands)

    def shape(self, step: Instruction, *operands: tuple[int, ...]) -> tuple[int, ...]:
        """Return the shape of what one instruction makes of operands of given shapes."""
        match step.op:
            case "array":
                return tuple(self.values[step.data.name].shape)
            case "probability":
                return (self.outcomes,)
            case "range":
                return (self.size(step.data),)
            case "spread":
                return tuple(map(self.size, step.data))
            case "take":
                whole, index = operands
                return (*whole[: step.data], *index, *whole[step.data + 1 :])
        *of_operands, result = step.axes
        pairs = zip(of_operands, operands, strict=True)
        lengths = {a: n for axes, shape in pairs for a, n in zip(axes, shape, strict=True)}
        return tuple(lengths[axis] for axis in result)

    def size(self, axis: Range) -> int:
        if axis.parts:
            return sum(map(self.size, axis.parts))
        if axis.name not in self.sizes:
            raise NumericError(
                f"no size for {axis.name}",
                "one for every range",
                f"pass sizes={{{axis.name!r}: …}}",
            )
        return self.sizes[axis.name]

    def number(self, value: float) -> Any:
        return self.xp.asarray(value, dtype=self.like.dtype, device=device(self.like))

    def real(self, x: Any) -> Any:
        return self.xp.astype(x, self.like.dtype)

    def range(self, axis: Range) -> Any:
        return self.xp.arange(self.size(axis), dtype=self.xp.int64, device=device(self.like))


def aligned(run: Run, x: Any, axes: Axes, target: Axes) -> Any:
    """Return `x` with its axes in the order of `target`, new ones of length 1."""
    order = sorted(range(len(axes)), key=lambda place: target.index(axes[place]))
    if order != list(range(len(axes))):
        x = run.xp.permute_dims(x, tuple(order))
    lengths = dict(zip((axes[place] for place in order), x.shape, strict=True))
    return run.xp.reshape(x, tuple(lengths.get(axis, 1) for axis in target))


def _contract(run: Run, instruction: Instruction, *operands: Any) -> Any:
    """Return the product of one or two arrays, summed over the axes that the result lacks."""
    *axes, result = instruction.axes
    pairs = [_reduce(run, x, a, axes, result) for x, a in zip(operands, axes, strict=True)]
    if len(pairs) == 1:
        return aligned(run, *pairs[0], result)
    (x, of_x), (y, of_y) = pairs
    summed = tuple(a for a in of_x if a not in result)
    if not summed:
        return aligned(run, x, of_x, result) * aligned(run, y, of_y, result)
    batch = tuple(a for a in of_x if a in of_y and a in result)
    left = tuple(a for a in of_x if a in result and a not in batch)
    right = tuple(a for a in of_y if a in result and a not in batch)
    x, y = (
        aligned(run, x, of_x, batch + left + summed),
        aligned(run, y, of_y, batch + summed + right),
    )
    shape = x.shape[: len(batch) + len(left)] + y.shape[len(batch) + len(summed) :]
    product = _matrix(run, x, len(batch), len(left)) @ _matrix(run, y, len(batch), len(summed))
    return aligned(run, run.xp.reshape(product, shape), batch + left + right, result)


def _reduce(run: Run, x: Any, axes: Axes, all_axes: list[Axes], result: Axes) -> tuple[Any, Axes]:
    """Sum `x` over its axes that no other operand and not the result has."""
    alone = [a for a in axes if a not in result and sum(a in other for other in all_axes) == 1]
    if alone:
        x = run.xp.sum(x, axis=tuple(axes.index(a) for a in alone))
    return x, tuple(a for a in axes if a not in alone)


def _matrix(run: Run, x: Any, batch: int, rows: int) -> Any:
    """Return `x` as a stack of matrices: batch axes, rows in one axis, columns in one axis."""
    inner = math.prod(x.shape[batch : batch + rows]), math.prod(x.shape[batch + rows :])
    return run.xp.reshape(x, x.shape[:batch] + inner)


def _add(run: Run, instruction: Instruction, *operands: Any) -> Any:
    *axes, result = instruction.axes
    first, *others = (aligned(run, x, a, result) for x, a in zip(operands, axes, strict=True))
    for other in others:
        first = first + other
    return first


def _binary(function: Any) -> Any:
    def apply(run: Run, instruction: Instruction, x: Any, y: Any) -> Any:
        of_x, of_y, result = instruction.axes
        x, y = aligned(run, x, of_x, result), aligned(run, y, of_y, result)
        return function(run, x, y)

    return apply


def _divide(run: Run, x: Any, y: Any) -> Any:
    """x / y, and 0 where y is 0."""
    return x / run.xp.where(y == 0, run.number(math.inf), y)


def _power(run: Run, instruction: Instruction, x: Any) -> Any:
    exponent: Fraction = instruction.data
    if exponent < 0:
        inverse = _positive_power(run, x, -exponent)
        return _divide(run, run.number(1.0), inverse)
    return _positive_power(run, x, exponent)


def _positive_power(run: Run, x: Any, exponent: Fraction) -> Any:
    if exponent.denominator > 1:
        x = run.xp.where(x < 0, run.number(0.0), x)
        if exponent == Fraction(1, 2):
            return run.xp.sqrt(x)
    return x * x if exponent == 2 else x ** run.number(float(exponent))


def _function(run: Run, instruction: Instruction, x: Any) -> Any:
    if instruction.data != "log":
        return getattr(run.xp, instruction.data)(x)
    positive = x > 0
    return run.xp.where(
        positive, run.xp.log(run.xp.where(positive, x, run.number(1.0))), run.number(0.0)
    )


def _gather(run: Run, instruction: Instruction, x: Any, *indices: Any) -> Any:
    """Return the entries of `x` at index arrays, one for each axis, all broadcast together."""
    _, *axes, result = instruction.axes
    place = run.xp.asarray(0, dtype=run.xp.int64, device=device(run.like))
    for size, index, of_index in zip(x.shape, indices, axes, strict=True):
        place = place * size + aligned(run, index, of_index, result)
    entries = run.xp.take(run.xp.reshape(x, (-1,)), run.xp.reshape(place, (-1,)))
    return run.xp.reshape(entries, place.shape)


def _take(run: Run, instruction: Instruction, x: Any, index: Any) -> Any:
    return run.xp.take(x, index, axis=instruction.data)


def _offset(run: Run, instruction: Instruction, x: Any) -> Any:
    union, part = instruction.data
    return x + sum(map(run.size, union.parts[:part]))


def _probability(run: Run, _: Instruction) -> Any:
    if run.probability is not None:
        return run.real(run.probability)
    ones = run.xp.ones(run.outcomes, dtype=run.like.dtype, device=device(run.like))
    return ones / run.outcomes


def _spread(run: Run, instruction: Instruction, x: Any) -> Any:
    """Return `x` over the axes of the result, repeated along those that it lacks."""
    axes, result = instruction.axes
    shape = tuple(map(run.size, instruction.data))
    return run.xp.broadcast_to(aligned(run, x, axes, result), shape)


OPERATIONS = {
    "number": lambda run, step: run.number(float(step.data)),
    "size": lambda run, step: run.number(float(run.size(step.data))),
    "symbol": lambda run, step: run.values[step.data],
    "array": lambda run, step: run.values[step.data.name],
    "range": lambda run, step: run.range(step.data),
    "probability": _probability,
    "contract": _contract,
    "add": _add,
    "neg": lambda run, step, x: -x,
    "div": _binary(_divide),
    "pow": _power,
    "fn": _function,
    "eq": _binary(lambda run, x, y: x == y),
    "le": _binary(lambda run, x, y: x <= y),
    "lt": _binary(lambda run, x, y: x < y),
    "and": _binary(lambda run, x, y: x & y),
    "not": lambda run, step, x: ~x,
    "real": lambda run, step, x: run.real(x),
    "gather": _gather,
    "take": _take,
    "offset": _offset,
    "spread": _spread,
}
