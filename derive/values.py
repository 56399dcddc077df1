"""Values: exact rationals, rigorous intervals, dual numbers, and the total functions on them.

The conventions are those of `derive.terms`: ``x / 0 = 0``, ``0 ** negative = 0``, a fractional
power of a negative number is 0, ``log x = 0`` for ``x <= 0``. Whatever cannot be told exactly or
enclosed rigorously is refused by `NotEvaluableError`; nothing is ever rounded silently.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

from derive.errors import DeriveError

ZERO, ONE = Fraction(0), Fraction(1)
LARGEST_BITS = 1 << 14  # a rational longer than this is refused: time and memory stay bounded
LARGEST_EXPONENT = 1 << 12
LARGEST_ARGUMENT = 1 << 20  # of a real exponential, a cosine or a sine


class NotEvaluableError(DeriveError):
    """A value or a truth that this model cannot tell."""


class GrainError(Exception):
    """A surrogate exponential met an exponent that is no multiple of its grain."""

    def __init__(self, denominator: int) -> None:
        self.denominator = denominator


# ------------------------------------------------------------------ intervals


@lru_cache(maxsize=8)
def _context(bits: int) -> Any:
    from mpmath.ctx_iv import MPIntervalContext

    context = MPIntervalContext()  # a context of our own: precision is no global state
    context.prec = bits
    return context


class Interval:
    """An interval that certainly holds the real number meant."""

    __slots__ = ("bits", "box")

    def __init__(self, box: Any, bits: int) -> None:
        self.box, self.bits = box, bits

    @classmethod
    def of(cls, x: Fraction, bits: int) -> Interval:
        context = _context(bits)
        return cls(context.mpf(x.numerator) / context.mpf(x.denominator), bits)

    @property
    def sign(self) -> int | None:
        """−1, 0 or 1 where certain; None where the interval holds 0 and more."""
        if self.box.a > 0:
            return 1
        if self.box.b < 0:
            return -1
        return 0 if self.box.a == 0 == self.box.b else None

    def _with(self, other: Any) -> Any:
        return other.box if type(other) is Interval else Interval.of(Fraction(other), self.bits).box

    def __eq__(self, other: object) -> bool:  # sameness of the enclosure, for memos only
        return type(other) is Interval and self.box._mpi_ == other.box._mpi_

    def __hash__(self) -> int:
        return hash(self.box._mpi_)

    def __add__(self, other: Any) -> Interval:
        if not isinstance(other, (Fraction, Interval)):
            return NotImplemented
        return Interval(self.box + self._with(other), self.bits)

    __radd__ = __add__

    def __neg__(self) -> Interval:
        return Interval(-self.box, self.bits)

    def __mul__(self, other: Any) -> Any:
        if not isinstance(other, (Fraction, Interval)):
            return NotImplemented
        return ZERO if other == 0 else Interval(self.box * self._with(other), self.bits)

    __rmul__ = __mul__

    def __abs__(self) -> Interval:
        return Interval(abs(self.box), self.bits)

    def bounds(self, digits: int = 15) -> tuple[str, str]:
        """Both ends in decimal, for people; rounded to that many digits."""
        from mpmath import mp

        with mp.workprec(self.bits):
            return tuple(mp.nstr(mp.mpf(end._mpi_[0]), digits) for end in (self.box.a, self.box.b))

    def __repr__(self) -> str:
        low, high = self.bounds()
        return f"≈ {low}" if low == high else f"in [{low}, {high}]"


# ------------------------------------------------------------------ dual numbers


class Dual(NamedTuple):
    """a + εb with ε² = 0; `level` tells the ε of an inner derivative from that of an outer one."""

    level: int
    a: Any
    b: Any

    def _split(self, other: Any) -> tuple[int, Any, Any, Any, Any]:
        mine, theirs = self.level, other.level if type(other) is Dual else -1
        level = max(mine, theirs)
        a, b = (self.a, self.b) if mine == level else (self, ZERO)
        c, d = (other.a, other.b) if theirs == level else (other, ZERO)
        return level, a, b, c, d

    def __add__(self, other: Any) -> Dual:
        level, a, b, c, d = self._split(other)
        return Dual(level, a + c, b + d)

    __radd__ = __add__

    def __neg__(self) -> Dual:
        return Dual(self.level, -self.a, -self.b)

    def __mul__(self, other: Any) -> Dual:
        level, a, b, c, d = self._split(other)
        return Dual(level, a * c, a * d + b * c)

    __rmul__ = __mul__


class Far(ABC):
    """A number that moves towards ∞; see `derive.growth`."""

    __slots__ = ()

    @property
    @abstractmethod
    def sign(self) -> int | None: ...

    @abstractmethod
    def reciprocal(self) -> Any: ...

    @abstractmethod
    def function(self, name: str, functions: Any) -> Any: ...


Value = Fraction | Interval | Dual | Far


def sign(x: Value) -> int | None:
    """The sign of a value, or None where it cannot be told."""
    if type(x) is Dual:
        return sign(x.a)
    if isinstance(x, (Interval, Far)):
        return x.sign
    return (x > 0) - (x < 0)


def _sure_sign(x: Value, what: str) -> int:
    known = sign(x)
    if known is None:
        raise NotEvaluableError(f"{what} of a number too close to 0: {x}", "a known sign")
    return known


# ------------------------------------------------------------------ functions


class Functions(Protocol):
    """What exp, log, cos, sin and roots mean."""

    def exp(self, x: Any) -> Any: ...
    def log(self, x: Any) -> Any: ...
    def cos(self, x: Any) -> Any: ...
    def sin(self, x: Any) -> Any: ...
    def root(self, x: Any, exponent: Fraction) -> Any: ...


@dataclass(frozen=True)
class RealFunctions:
    """The functions themselves: exact where the result is a known rational, else enclosed."""

    bits: int = 64

    def exp(self, x: Fraction | Interval) -> Fraction | Interval:
        return ONE if x == 0 else self._apply("exp", x)

    def log(self, x: Fraction | Interval) -> Fraction | Interval:
        return ZERO if x == 1 else self._apply("log", x)

    def cos(self, x: Fraction | Interval) -> Fraction | Interval:
        return ONE if x == 0 else self._apply("cos", x)

    def sin(self, x: Fraction | Interval) -> Fraction | Interval:
        return ZERO if x == 0 else self._apply("sin", x)

    def root(self, x: Fraction | Interval, exponent: Fraction) -> Fraction | Interval:
        exact = _exact_root(x, exponent) if type(x) is Fraction else None
        if exact is not None:
            return exact
        logarithm = self._apply("log", x) * exponent
        return self._apply("exp", logarithm)

    def _apply(self, name: str, x: Fraction | Interval) -> Interval:
        box = (Interval.of(x, self.bits) if type(x) is Fraction else x).box
        if name != "log" and not (box.a > -LARGEST_ARGUMENT and box.b < LARGEST_ARGUMENT):
            raise NotEvaluableError(f"{name} of a very large number")
        return Interval(getattr(_context(self.bits), name)(box), self.bits)


@dataclass(frozen=True)
class SurrogateFunctions:
    """Exact stand-ins that obey the same equations over the rationals.

    exp(m) = tᴸᵐ, so that exp(a + b) = exp(a) exp(b); log is additive over primes with
    log exp(m) = m; cos and sin are those of multiples of the angle of (3 + 4i)/5. Equations
    derived from such laws hold here exactly; *inequalities do not* and are not evaluable.
    """

    t: Fraction = Fraction(2)
    grain: int = 1  # L: every exponent and angle must be a multiple of 1/L

    def exp(self, x: Fraction) -> Fraction:
        return self.t ** self._steps(x)

    def log(self, x: Fraction) -> Fraction:
        return sum((self._log_of_prime(p) * e for p, e in _factors(x).items()), ZERO)

    def cos(self, x: Fraction) -> Fraction:
        return self._angle(x)[0]

    def sin(self, x: Fraction) -> Fraction:
        return self._angle(x)[1]

    def root(self, x: Fraction, exponent: Fraction) -> Fraction:
        exact = _exact_root(x, exponent)
        if exact is None:
            raise NotEvaluableError(f"{x} ** {exponent} is irrational")
        return exact

    def _steps(self, x: Fraction) -> int:
        steps = x * self.grain
        if steps.denominator != 1:
            raise GrainError(steps.denominator)
        if abs(steps) > LARGEST_EXPONENT:
            raise NotEvaluableError(f"an exponential of {x}: too large")
        return int(steps)

    def _angle(self, x: Fraction) -> tuple[Fraction, Fraction]:
        """(3 + 4i)ⁿ / 5ⁿ by repeated squaring, the conjugate where n < 0."""
        steps = self._steps(x)
        turned, turn, left = (1, 0), (3, 4 if steps >= 0 else -4), abs(steps)
        while left:
            if left % 2:
                turned = _complex_product(turned, turn)
            turn, left = _complex_product(turn, turn), left // 2
        return Fraction(turned[0], 5 ** abs(steps)), Fraction(turned[1], 5 ** abs(steps))

    def _log_of_prime(self, p: int) -> Fraction:
        """Any choice will do, but for one prime of t: it makes log exp(m) = m."""
        factors = _factors(self.t)
        first = min(factors)
        if p != first:
            return Fraction(p % 11 - 5, p % 3 + 1)
        others = sum((self._log_of_prime(q) * e for q, e in factors.items() if q != first), ZERO)
        return (Fraction(1, self.grain) - others) / factors[first]


def _complex_product(x: tuple[int, int], y: tuple[int, int]) -> tuple[int, int]:
    return x[0] * y[0] - x[1] * y[1], x[0] * y[1] + x[1] * y[0]


def _exact_root(x: Fraction, exponent: Fraction) -> Fraction | None:
    roots = [_integer_root(part, exponent.denominator) for part in (x.numerator, x.denominator)]
    return None if None in roots else integer_power(Fraction(*roots), exponent.numerator)


def _integer_root(n: int, k: int) -> int | None:
    if k == 2:
        root = math.isqrt(n)
    elif n.bit_length() < 1000:
        root = round(n ** (1 / k))
    else:
        return None
    return root if root**k == n else None


def _factors(x: Fraction) -> dict[int, int]:
    """Prime exponents of a positive rational."""
    factors: dict[int, int] = {}
    for n, direction in ((x.numerator, 1), (x.denominator, -1)):
        p = 2
        while p * p <= n:
            if p > 20_000:
                raise NotEvaluableError(f"the logarithm of {x}: its prime factors are too large")
            if n % p:
                p += 1
            else:
                factors[p], n = factors.get(p, 0) + direction, n // p
        if n > 1:
            factors[n] = factors.get(n, 0) + direction
    return factors


# ------------------------------------------------------------------ total operations


def bounded(x: Value) -> Value:
    """The value itself, unless it has grown beyond all use."""
    if type(x) is Fraction and _bits(x) > LARGEST_BITS:
        raise NotEvaluableError("a rational with thousands of digits")
    return x


def _bits(x: Fraction) -> int:
    return x.numerator.bit_length() + x.denominator.bit_length()


def divide(x: Value, y: Value) -> Value:
    """x / y, and 0 where y is 0."""
    if type(y) is Fraction:
        return x * (ONE / y) if y else ZERO
    return x * integer_power(y, -1)


def integer_power(x: Value, n: int) -> Value:
    """xⁿ, with 0 ** negative = 0 and x ** 0 = 1."""
    if n == 0:
        return ONE
    if abs(n) > LARGEST_EXPONENT or (type(x) is Fraction and _bits(x) * abs(n) > 2 * LARGEST_BITS):
        raise NotEvaluableError(f"a power with the exponent {n}: too large")
    if type(x) is Dual:
        return _dual_power(x, Fraction(n), lambda y, e: integer_power(y, int(e)))
    if isinstance(x, Far):
        return math.prod([x if n > 0 else x.reciprocal()] * abs(n), start=ONE)
    if n > 0:
        return bounded(x**n) if type(x) is Fraction else Interval(x.box**n, x.bits)
    if _sure_sign(x, "the reciprocal") == 0:
        return ZERO
    if type(x) is Fraction:
        return bounded(x**n)
    return Interval(1 / x.box**-n, x.bits)


def power(x: Value, exponent: Fraction, functions: Functions) -> Value:
    """x to a rational exponent; a fractional power of a negative number is 0."""
    if exponent.denominator == 1:
        return integer_power(x, int(exponent))
    if type(x) is Dual:
        return _dual_power(x, exponent, lambda y, e: power(y, e, functions))
    if isinstance(x, Far):
        raise NotEvaluableError("a root of what moves towards ∞")
    return functions.root(x, exponent) if _sure_sign(x, "a root") > 0 else ZERO


def _dual_power(x: Dual, exponent: Fraction, power_of: Callable) -> Value:
    smooth = exponent.denominator == 1 and exponent > 0
    if not smooth and _sure_sign(x, "a power") == 0:
        raise NotEvaluableError(f"the derivative of x ** {exponent} at 0")
    if exponent.denominator != 1 and sign(x) == -1:
        return ZERO  # constant nearby
    slope = exponent * power_of(x.a, exponent - 1)
    return Dual(x.level, power_of(x.a, exponent), slope * x.b)


def function(name: str, x: Value, functions: Functions) -> Value:
    """exp, log, cos, sin or abs of a value."""
    if name == "log" and _sure_sign(x, "the logarithm") <= 0:
        if type(x) is Dual and sign(x) == 0:
            raise NotEvaluableError("the derivative of log at 0")
        return ZERO
    if type(x) is Dual:
        value = function(name, x.a, functions)
        return Dual(x.level, value, _slope(name, x.a, value, functions) * x.b)
    if isinstance(x, Far):
        return x.function(name, functions)
    if name == "abs":
        return abs(x)
    return bounded(getattr(functions, name)(x))


def _slope(name: str, x: Value, value: Value, functions: Functions) -> Value:
    match name:
        case "exp":
            return value
        case "log":
            return divide(ONE, x)
        case "cos":
            return -function("sin", x, functions)
        case "sin":
            return function("cos", x, functions)
    side = _sure_sign(x, "the derivative of abs")
    if side == 0:
        raise NotEvaluableError("the derivative of abs at 0")
    return Fraction(side)


def difference_sign(x: Value, y: Value) -> int | None:
    """The sign of x − y, or None where the two are too close to tell apart."""
    return sign(x + -y)
