"""What an expression does as x → ∞: quotients of sums of ``c · xᵖ · e^(k x)``, exactly.

Put in the place of x, a `Growth` runs through an expression by the ordinary arithmetic; the terms
that grow fastest then decide the limit. So a claim about a limit can be refuted, not just doubted.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from derive.values import (
    ONE,
    ZERO,
    Far,
    Functions,
    Interval,
    NotEvaluableError,
    Value,
    divide,
    sign,
)

Rate = tuple[Fraction, int]  # (k, p) of xᵖ e^(k x); a larger pair grows faster
Series = Mapping[Rate, Fraction | Interval]

CONSTANT: Rate = (ZERO, 0)
LINEAR: Rate = (ZERO, 1)
UNIT: Series = {CONSTANT: ONE}
MOST_TERMS = 400


class Growth(Far):
    """A quotient of two series in x, for large x."""

    __slots__ = ("bottom", "top")

    def __init__(self, top: Series, bottom: Series = UNIT) -> None:
        if len(top) + len(bottom) > MOST_TERMS:
            raise NotEvaluableError("an expression of too many terms near ∞")
        self.top, self.bottom = top, bottom

    @classmethod
    def of(cls, value: Any) -> Growth:
        if isinstance(value, Growth):
            return value
        if not isinstance(value, (Fraction, Interval)):
            raise NotEvaluableError("a derivative near ∞")
        return cls({CONSTANT: value} if value != 0 else {})

    def __add__(self, other: Any) -> Growth:
        other = Growth.of(other)
        if self.bottom is other.bottom or (self.bottom == other.bottom and _exact(self.bottom)):
            return Growth(_sum(self.top, other.top), self.bottom)
        top = _sum(_product(self.top, other.bottom), _product(other.top, self.bottom))
        return Growth(top, _product(self.bottom, other.bottom))

    __radd__ = __add__

    def __neg__(self) -> Growth:
        return Growth({rate: -c for rate, c in self.top.items()}, self.bottom)

    def __mul__(self, other: Any) -> Growth:
        other = Growth.of(other)
        return Growth(_product(self.top, other.top), _product(self.bottom, other.bottom))

    __rmul__ = __mul__

    @property
    def sign(self) -> int | None:
        """The sign for all large x."""
        if not self.top:
            return 0
        leading = [sign(series[max(series)]) for series in (self.top, self.bottom)]
        return None if None in leading or 0 in leading else leading[0] * leading[1]

    def reciprocal(self) -> Value:
        return Growth(self.bottom, self.top) if self.top else ZERO

    def function(self, name: str, functions: Functions) -> Growth:
        """e^x of a linear expression, or |x|."""
        if name == "abs" and self.sign is not None:
            return -self if self.sign < 0 else self
        if name != "exp" or self.bottom != UNIT or not self.top.keys() <= {CONSTANT, LINEAR}:
            raise NotEvaluableError(f"{name} of what moves", "e^x of something linear, or |x|")
        rate = self.top.get(LINEAR, ZERO)
        if not isinstance(rate, Fraction):
            raise NotEvaluableError("an exponential with an inexact rate", "a rational one")
        return Growth({(rate, 0): functions.exp(self.top.get(CONSTANT, ZERO))})

    def limit(self) -> Value | None:
        """The limit as x → ∞; None where it is infinite."""
        if not self.top:
            return ZERO
        if self.sign is None:
            raise NotEvaluableError("two terms near ∞ that may cancel")
        above, below = max(self.top), max(self.bottom)
        if above != below:
            return ZERO if above < below else None
        return divide(self.top[above], self.bottom[below])


VARIABLE = Growth({LINEAR: ONE})


def _exact(series: Series) -> bool:
    """Only then are series that look alike the same: one interval may hold two numbers."""
    return all(type(c) is Fraction for c in series.values())


def _sum(a: Series, b: Series) -> Series:
    out = dict(a)
    for rate, c in b.items():
        out[rate] = out[rate] + c if rate in out else c
    return {rate: c for rate, c in out.items() if c != 0}


def _product(a: Series, b: Series) -> Series:
    if a == UNIT:
        return b
    out: Series = {}
    for (k, p), c in a.items():
        out = _sum(out, {(k + l, p + q): c * d for (l, q), d in b.items()})
    return out
