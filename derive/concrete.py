"""Terms at concrete arrays: every entry in closed form by SymPy, or in floating point.

The numbers of worked examples come from here, and so from the very definitions that the theorems
speak of. A table is a tuple of rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from derive.binding import fresh, unbind, unfold
from derive.errors import DeriveError
from derive.signature import Array, Range
from derive.terms import Term

Table = tuple[tuple[Any, ...], ...]


class Arithmetic(NamedTuple):
    """What numbers are made of."""

    rational: Callable[[Fraction], Any]
    exp: Callable[[Any], Any]
    power: Callable[[Any, Any], Any]


def closed_forms() -> Arithmetic:
    """Exact numbers, as SymPy writes them."""
    import sympy

    return Arithmetic(lambda x: sympy.Rational(x.numerator, x.denominator), sympy.exp, sympy.Pow)


FLOATING = Arithmetic(float, math.exp, math.pow)


def tabulate(term: Term, tables: Mapping[Array, Table], arithmetic: Arithmetic) -> Table:
    """Every entry of a matrix-valued term, the arrays in it having these entries.

    Parameters
    ----------
    term : Term
        A λ over two indices.
    tables : mapping of Array to Table
        The entries of every array that occurs; they also say how large each range is.
    arithmetic : Arithmetic
        The numbers to compute with, those in the tables included.
    """
    evaluation = _Evaluation(tables, arithmetic)
    row, column = fresh(term.data), fresh(term.args[0].data)
    entry = term[row, column]
    return tuple(
        tuple(evaluation.value(entry, {row: i, column: j}) for j in evaluation.elements(column))
        for i in evaluation.elements(row)
    )


class _Evaluation:
    """One pass over a term."""

    def __init__(self, tables: Mapping[Array, Table], arithmetic: Arithmetic) -> None:
        self.tables, self.arithmetic = tables, arithmetic
        self.sizes = _sizes(tables)

    def elements(self, variable: Term) -> range:
        return range(self.sizes[variable.kind])

    def value(self, term: Term, at: Mapping[Term, int]) -> Any:
        """A number, or the position that an index stands for; variables are bound by `at`."""
        args, data = term.args, term.data
        match term.op:
            case "num":
                return self.arithmetic.rational(term.value)
            case "size":
                return self.arithmetic.rational(Fraction(self.sizes[data]))
            case "fv":
                return at[term]
            case "entry":
                i, j = (self.value(arg, at) for arg in args)
                return self.tables[data][i][j]
            case "add":
                return sum(self.value(arg, at) for arg in args)
            case "mul":
                return math.prod(self.value(arg, at) for arg in args)
            case "neg":
                return -self.value(args[0], at)
            case "div":
                return self._quotient(*(self.value(arg, at) for arg in args))
            case "pow":
                exponent = self.arithmetic.rational(term.value)
                return self.arithmetic.power(self.value(args[0], at), exponent)
            case "fn" if data == "exp":
                return self.arithmetic.exp(self.value(args[0], at))
            case "sum":
                variable, body = unbind(term)
                return sum(self.value(body, {**at, variable: e}) for e in self.elements(variable))
            case "def":
                return self.value(unfold(term), at)
        raise DeriveError(f"{term!r} at concrete arrays", "sums, products, powers, exponentials")

    def _quotient(self, numerator: Any, denominator: Any) -> Any:
        return numerator / denominator if denominator != 0 else denominator  # x / 0 = 0


def _sizes(tables: Mapping[Array, Table]) -> dict[Range, int]:
    sizes: dict[Range, int] = {}
    for array, table in tables.items():
        rows, columns = array.axes
        for over, size in ((rows, len(table)), *((columns, len(row)) for row in table)):
            if sizes.setdefault(over, size) != size:
                raise DeriveError(f"{array} with {size} along {over}", f"{sizes[over]}, as before")
    return sizes
