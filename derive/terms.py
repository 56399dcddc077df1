"""Terms: typed, ordered, immutable trees with real binders. *Trusted file.*

A term is meaning and form at once: it keeps the author's order, and what is drawn is what was
proved. Every node is type-checked when it is built, so an ill-formed term does not exist.

Bound variables are locally nameless: inside a binder they are numbers (`bv`), and a body is
opened with a fresh private variable (`fv`) before anything is done to it. Terms that differ only
in bound names are therefore equal, and nothing can be captured.

Meaning, where it is not the obvious one: a sum over an empty range is 0; division is total,
``x / 0 = 0``; so is every power, ``0 ** negative = 0`` and a fractional power of a negative number
is 0; ``log x = 0`` for ``x <= 0``; an expectation that does not exist is 0, and so is a derivative
that does not exist. Rules may only use laws that hold under these conventions.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache
from typing import Any

from derive.errors import TermError, require, several
from derive.kinds import BINDERS, kind_of
from derive.signature import REAL, Array, Definition, Range, data_names, is_name

MOST_WEIGHT = 1_000_000  # nodes of one term


class Term(tuple):
    """One node: ``op``, ``args``, ``data``, and two slots that equality ignores.

    ``hint`` is a binder's display name; ``origin`` says which node of an earlier term this one
    came from. ``names`` holds every array, range, definition and free variable inside; ``loose``
    the bound variables whose binder is outside; ``weight`` counts the nodes, a shared one as often
    as it occurs, for so often it is read. A term has no truth value, no length and no order: use
    `eq`, `le`, `lt` to state something.
    """

    __slots__ = ()

    def __new__(
        cls,
        op: str,
        args: Iterable[Term] = (),
        data: Any = None,
        hint: str | None = None,
        origin: Any = None,
    ) -> Term:
        if cls is not Term:
            raise TermError("a subclass of Term", "Term itself")
        args = several(args, "the children of a node")
        weight = data.body.weight if type(data) is Definition else 1
        for arg in args:
            if type(arg) is not Term:
                raise TermError(f"{arg!r} inside a term", "a term")
            weight += tuple.__getitem__(arg, 9)
        if weight > MOST_WEIGHT:
            raise TermError(f"a term of {weight} parts", f"{MOST_WEIGHT} at most", "a definition")
        require(hint is None or is_name(hint), f"the display name {hint!r}")
        kind = kind_of(op, args, data)
        code = hash((op, tuple(map(hash, args)), data))
        names, loose = _names(args, data), _loose(op, args, data)
        return tuple.__new__(cls, (op, args, data, hint, origin, code, names, loose, kind, weight))

    def __init_subclass__(cls) -> None:
        raise TermError("a subclass of Term", "Term itself")

    op = property(lambda self: tuple.__getitem__(self, 0))
    args = property(lambda self: tuple.__getitem__(self, 1))
    data = property(lambda self: tuple.__getitem__(self, 2))
    hint = property(lambda self: tuple.__getitem__(self, 3))
    origin = property(lambda self: tuple.__getitem__(self, 4))
    loose = property(lambda self: tuple.__getitem__(self, 7))
    kind = property(lambda self: tuple.__getitem__(self, 8))
    weight = property(lambda self: tuple.__getitem__(self, 9))

    @property
    def names(self) -> frozenset:
        """Every array, range, definition and free variable inside; a variable names itself."""
        names = tuple.__getitem__(self, 6)
        return names | {self} if self.op in ("ix", "sym", "fv") else names

    @property
    def value(self) -> Fraction:
        """The exact number or exponent in a ``num`` or ``pow`` node."""
        return Fraction(*self.data)

    @property
    def free(self) -> tuple[Term, ...]:
        """Free variables, in a fixed order."""
        return tuple(sorted((x for x in self.names if type(x) is Term), key=key))

    @property
    def arrays(self) -> frozenset[Array]:
        return frozenset(x for x in self.names if type(x) is Array)

    def __reduce__(self) -> tuple:
        return Term, (self.op, self.args, self.data, self.hint, self.origin)

    def __hash__(self) -> int:
        return tuple.__getitem__(self, 5)

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return (
            type(other) is Term
            and hash(self) == hash(other)
            and self.op == other.op
            and self.data == other.data
            and self.args == other.args
        )

    def __ne__(self, other: object) -> bool:
        return not self == other

    def _no_order(self, *_: object) -> Any:
        raise TermError("a comparison or iteration of terms", "eq(a, b), le(a, b) or lt(a, b)")

    __lt__ = __le__ = __gt__ = __ge__ = __len__ = __iter__ = __contains__ = _no_order

    def __bool__(self) -> bool:
        raise TermError("a term used as true or false", "a theorem, or a == b for sameness")

    def __getitem__(self, indices: Any) -> Term:
        """The entry of an array-valued term (β-reduced)."""
        from derive.binding import open_

        term = self
        for index in indices if type(indices) is tuple else (indices,):
            if term.op != "lam" or type(index) is not Term or index.kind != term.data:
                raise TermError(f"the entry {index!r} of {term!r}", "an index over its axis")
            term = open_(term.args[0], index)
        return term

    def __add__(self, other: Any) -> Term:
        return Term("add", (*_parts(self, "add"), number(other)))

    def __radd__(self, other: Any) -> Term:
        return Term("add", (number(other), self))

    def __neg__(self) -> Term:
        return Term("neg", (self,))

    def __sub__(self, other: Any) -> Term:
        return self + -number(other)

    def __rsub__(self, other: Any) -> Term:
        return number(other) + -self

    def __mul__(self, other: Any) -> Term:
        return Term("mul", (*_parts(self, "mul"), number(other)))

    def __rmul__(self, other: Any) -> Term:
        return Term("mul", (number(other), self))

    def __truediv__(self, other: Any) -> Term:
        return Term("div", (self, number(other)))

    def __rtruediv__(self, other: Any) -> Term:
        return Term("div", (number(other), self))

    def __pow__(self, exponent: int | Fraction) -> Term:
        if type(exponent) not in (int, Fraction):
            raise TermError(f"the exponent {exponent!r}", "an int or a Fraction")
        return Term("pow", (self,), Fraction(exponent).as_integer_ratio())

    def __repr__(self) -> str:
        from derive.notation.text import text  # display only

        return text(self)


def _parts(term: Term, op: str) -> tuple[Term, ...]:
    """``a + b + c`` is one sum of three, as it is read."""
    return term.args if term.op == op else (term,)


def _names(args: tuple[Term, ...], data: Any) -> frozenset:
    names = args[0].names if len(args) == 1 else frozenset().union(*[arg.names for arg in args])
    own = data_names(data)
    return names if own <= names else names | own


def _loose(op: str, args: tuple[Term, ...], data: Any) -> frozenset:
    if op == "bv":
        return frozenset({data})
    loose = args[0].loose if len(args) == 1 else frozenset().union(*(a.loose for a in args))
    if op in BINDERS and loose:
        return frozenset((depth - 1, kind) for depth, kind in loose if depth > 0)
    return loose


@lru_cache(maxsize=1 << 16)
def key(term: Term) -> tuple:
    """A total order on terms that does not depend on hashing or on display names."""
    op, data = term.op, term.data
    if op in ("bv", "fv", "num", "pow"):
        label = (f"{data[0] + 10**12:015d}", str(data[1]))
    else:
        label = (_label(data),)
    return (op, label, tuple(map(key, term.args)))


def _label(data: Any) -> str:
    if type(data) is Definition:
        return data.name
    return str(tuple(map(_label, data))) if type(data) is tuple else str(data)


def number(x: Any) -> Term:
    """A term from a term, an int or a Fraction; anything inexact is refused."""
    if type(x) is Term:
        if x.kind != REAL:
            raise TermError(f"{x!r} used as a number", "a real-valued term")
        return x
    if type(x) is Array and not x.axes:
        return x[()]
    if type(x) is Range:
        raise TermError(f"the range {x} as a number", "a number", f"its size: {x}.size")
    if type(x) not in (int, Fraction):
        raise TermError(f"the number {x!r}", "an int, a Fraction or a term", "write Fraction(1, 2)")
    return Term("num", (), Fraction(x).as_integer_ratio())
