"""How far rounding can have moved a program's result: a running error analysis.

Each instruction's result comes with a bound on its absolute error, entry by entry, from its
operands' bounds, the unit of the dtype and the number of terms it sums. A check of two sides
against the sum of their bounds therefore needs no tolerance chosen by hand, and notices when a
computation says nothing: the bound is then infinite.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from numeric.program import Instruction, Program, Run, aligned

INPUT_UNITS = 4  # inputs stand for reals that meet the hypotheses exactly: off by a few eps
FUNCTION_UNITS = 4  # a library's exp, log, sin, cos, sqrt


class Bounded(NamedTuple):
    """A value and a bound on its absolute error; no error for integers and truth values."""

    value: Any
    error: Any = None


def evaluate(
    program: Program,
    values: Mapping[str, Any],
    /,
    *,
    sizes: Mapping[str, int] | None = None,
    probability: Any = None,
) -> Bounded:
    """Return a program's result and a bound on its rounding error, of one shape.

    Parameters are those of a call of the program.

    Examples
    --------
    >>> import numpy as np
    >>> from derive.syntax import Index, Sum
    >>> from derive.signature import Array, Range
    >>> from numeric.compile import compile_term
    >>> x, i = Array("x", (Range("n"),)), Index("i", Range("n"))
    >>> value, error = evaluate(compile_term(Sum(i, x[i])), {"x": np.full(100, 0.1)})
    >>> bool(abs(value - 10) <= error < 1e-12)
    True
    """
    run = Run(program, values, sizes, probability)
    eps = float(run.xp.finfo(run.like.dtype).eps)
    results: list[Bounded] = []
    for step in program.instructions:
        operands = [results[slot] for slot in step.slots]
        value = run.step(step, *(operand.value for operand in operands))
        exact = not run.xp.isdtype(value.dtype, "real floating")
        error = None if exact else BOUNDS[step.op](run, step, eps, value, *operands)
        results.append(Bounded(value, error))
    return results[-1]


def _inputs(run: Run, _: Instruction, eps: float, value: Any) -> Any:
    return INPUT_UNITS * eps * run.xp.abs(value)


def _exact(run: Run, _: Instruction, eps: float, value: Any, *__: Bounded) -> Any:
    return run.xp.zeros_like(value)


def _add(run: Run, step: Instruction, eps: float, value: Any, *operands: Bounded) -> Any:
    sizes = run.step(step, *(run.xp.abs(x.value) for x in operands))
    return run.step(step, *(x.error for x in operands)) + len(operands) * eps * sizes


def _contract(run: Run, step: Instruction, eps: float, value: Any, *operands: Bounded) -> Any:
    sizes = [run.xp.abs(x.value) for x in operands]
    units = (_length(step, operands) + 2) * eps
    error = units * run.step(step, *sizes)
    for place, operand in enumerate(operands):
        parts = [
            x + y.error if n < place else x
            for n, (x, y) in enumerate(zip(sizes, operands, strict=True))
        ]
        error = error + run.step(step, *parts[:place], operand.error, *parts[place + 1 :])
    return error


def _length(step: Instruction, operands: tuple[Bounded, ...]) -> int:
    """Return how many terms each entry of a contraction sums."""
    *axes, result = step.axes
    sizes = {
        axis: size
        for of_operand, operand in zip(axes, operands, strict=True)
        for axis, size in zip(of_operand, operand.value.shape, strict=True)
    }
    return math.prod(size for axis, size in sizes.items() if axis not in result)


def _divide(
    run: Run, step: Instruction, eps: float, value: Any, top: Bounded, bottom: Bounded
) -> Any:
    """(|dx| + |x / y| |dy|) / (|y| − |dy|); where y is exactly 0 the quotient is exactly 0."""
    xp = run.xp
    of_top, of_bottom, result = step.axes
    y, dy = (aligned(run, x, of_bottom, result) for x in bottom)
    least = xp.abs(y) - dy
    spread = aligned(run, top.error, of_top, result) + xp.abs(value) * dy
    error = spread / xp.where(least > 0, least, run.number(1.0)) + eps * xp.abs(value)
    return _unless(run, least > 0, error, (y == 0) & (dy == 0))


def _unless(run: Run, safe: Any, error: Any, exact: Any) -> Any:
    """Return `error` where safe, 0 where the value is exact by convention, else infinity."""
    error = run.xp.where(safe, error, run.number(math.inf))
    return run.xp.where(exact, run.number(0.0), error)


def _power(run: Run, step: Instruction, eps: float, value: Any, base: Bounded) -> Any:
    """|x| ** p is monotone in |x|, so the error is at most its spread over |x| ± |dx|."""
    xp, size = run.xp, run.xp.abs(base.value)
    low = size - base.error
    exact = (base.value == 0) & (base.error == 0)
    safe = (low > 0) | (step.data > 0)
    low = xp.where(low > 0, low, run.number(0.0 if step.data > 0 else 1.0))
    ends = run.step(step, low), run.step(step, size + base.error)
    units = (FUNCTION_UNITS + abs(math.ceil(step.data))) * eps
    error = xp.abs(ends[1] - ends[0]) + units * (xp.abs(ends[0]) + xp.abs(ends[1]))
    return _unless(run, safe, error, exact)


def _function(run: Run, step: Instruction, eps: float, value: Any, x: Bounded) -> Any:
    xp = run.xp
    match step.data:
        case "exp":
            return value * (xp.expm1(x.error) + FUNCTION_UNITS * eps)
        case "log":
            low = x.value - x.error
            error = x.error / xp.where(low > 0, low, run.number(1.0))
            error = error + FUNCTION_UNITS * eps * xp.abs(value)
            return _unless(run, low > 0, error, x.value + x.error <= 0)
        case "abs":
            return x.error
    return x.error + FUNCTION_UNITS * eps  # cos, sin


def _moved(run: Run, step: Instruction, eps: float, value: Any, *operands: Bounded) -> Any:
    """The entries are moved, not changed: move their bounds likewise."""
    first, *indices = operands
    return run.step(step, first.error, *(index.value for index in indices))


BOUNDS: dict[str, Callable[..., Any]] = {
    "number": lambda run, step, eps, value: eps * run.xp.abs(value),
    "size": _exact,
    "symbol": _inputs,
    "array": _inputs,
    "probability": _inputs,
    "real": _exact,
    "contract": _contract,
    "add": _add,
    "neg": lambda run, step, eps, value, x: x.error,
    "div": _divide,
    "pow": _power,
    "fn": _function,
    "gather": _moved,
    "take": _moved,
    "spread": _moved,
}
