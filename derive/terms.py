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

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType
from typing import Any
from unicodedata import is_normalized

REAL = "real"
PROP = "prop"
FUNCTION = ("function",)  # of one real variable
FUNCTIONS = frozenset({"exp", "log", "cos", "sin", "abs"})
BINDERS = frozenset({"sum", "lam", "all", "rlam"})
LIMITS = frozenset({"oo", "0"})  # β → ∞; β → 0 through values other than 0


class DeriveError(Exception):
    """What was given, what was expected, and how to mend it."""

    def __init__(self, given: object, expected: str = "", fix: str = "") -> None:
        super().__init__(given, expected, fix)
        self._given, self.expected, self.fix = given, expected, fix

    @property
    def given(self) -> str:
        """What was given; a term is only drawn when somebody asks."""
        return self._given if type(self._given) is str else repr(self._given)

    def __str__(self) -> str:
        expected = self.expected and f"expected: {self.expected}"
        return "\n".join(
            filter(None, (self.given, expected, self.fix and f"to mend it: {self.fix}"))
        )


class TermError(DeriveError):
    """A term that would not be well-formed."""


def _require(condition: bool, given: str, expected: str = "") -> None:
    if not condition:
        raise TermError(given, expected)


# ------------------------------------------------------------------ what terms are made from


class _Record(tuple):
    """A sealed, named record: a tuple of fields and their hash, so nothing can be overwritten."""

    __slots__ = ()

    @classmethod
    def _of(cls, *fields: Any) -> Any:
        return tuple.__new__(cls, (*fields, hash((cls.__name__, fields))))

    def __init_subclass__(cls) -> None:
        if cls.__mro__[1] is not _Record:
            raise TermError(f"a subclass of {cls.__mro__[1].__name__}", "the class itself")

    @property
    def name(self) -> str:
        return tuple.__getitem__(self, 0)

    def __eq__(self, other: object) -> bool:
        return self is other or (type(other) is type(self) and tuple.__eq__(self, other))

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return tuple.__getitem__(self, -1)

    def __repr__(self) -> str:
        return self.name


class Range(_Record):
    """A finite index set of unknown size, possibly empty; or a disjoint union of others.

    >>> n = Range("n")
    >>> n.size
    n
    """

    __slots__ = ()

    def __new__(cls, name: str, parts: Iterable[Range] = ()) -> Range:
        parts = tuple(parts)
        _require(_is_name(name), f"the range name {name!r}", "a name such as 'n' or 'd_k'")
        _require(all(type(part) is Range for part in parts), "parts of a range", "ranges")
        return cls._of(name, parts)

    def __reduce__(self) -> tuple:
        return Range, (self.name, self.parts)

    @property
    def parts(self) -> tuple[Range, ...]:
        return tuple.__getitem__(self, 1)

    @property
    def size(self) -> Term:
        """The number of its elements, a term."""
        if self.parts:
            return Term("add", (part.size for part in self.parts))
        return Term("size", (), self)


class Array(_Record):
    """The name of an array: the ranges of its axes, what its entries are, whether it is random.

    Entries are numbers (``out=REAL``), truth values (``out=PROP``: a mask), or indices
    (``out`` a range: an index map).

    >>> from derive.syntax import Index
    >>> n, d = Range("n"), Range("d")
    >>> X = Array("X", (n, d))
    >>> X[Index("i", n), Index("a", d)]
    X[i,a]
    """

    __slots__ = ()

    def __new__(
        cls, name: str, axes: Iterable[Range] = (), out: Any = REAL, random: bool = False
    ) -> Array:
        axes = tuple(axes)
        _require(_is_name(name), f"the array name {name!r}", "a name such as 'X' or 'W_Q'")
        _require(all(type(axis) is Range for axis in axes), f"axes of {name}", "ranges")
        _require(out in (REAL, PROP) or type(out) is Range, f"entries of {name}")
        _require(type(random) is bool and (out == REAL or not random), f"random {name}")
        return cls._of(name, axes, out, random)

    def __reduce__(self) -> tuple:
        return Array, (self.name, self.axes, self.out, self.random)

    @property
    def axes(self) -> tuple[Range, ...]:
        return tuple.__getitem__(self, 1)

    @property
    def out(self) -> Any:
        return tuple.__getitem__(self, 2)

    @property
    def random(self) -> bool:
        return tuple.__getitem__(self, 3)

    @property
    def kind(self) -> Any:
        """The kind of the array as a λ."""
        kind = self.out
        for axis in reversed(self.axes):
            kind = ("array", axis, kind)
        return kind

    def __getitem__(self, indices: Term | tuple[Term, ...]) -> Term:
        return Term("entry", indices if type(indices) is tuple else (indices,), self)

    def __iter__(self) -> Iterator:
        raise TermError(f"iteration over the array {self.name}", "indices: X[i, a]")


class Definition(_Record):
    """A named definition: array parameters, index parameters, and a body of nothing else.

    Its ranges are schematic: one matrix product serves matrices of every shape. Calling it with
    arrays gives an array, ``matmul(A, B)[i, j]``. `notation` says how `derive.notation` draws it;
    it is part of the definition's identity.
    """

    __slots__ = ()

    def __new__(
        cls,
        name: str,
        parameters: Iterable[Array],
        indices: Iterable[Term],
        body: Term,
        notation: str = "",
    ) -> Definition:
        parameters, indices = tuple(parameters), tuple(indices)
        _require(_is_name(name), f"the definition's name {name!r}")
        _require(type(body) is Term and body.kind == REAL, f"the body of {name}", "a number")
        _require(all(type(p) is Array and not p.random for p in parameters), f"arrays of {name}")
        _require(all(type(i) is Term and i.op == "ix" for i in indices), f"indices of {name}")
        names = (*(p.name for p in parameters), *(i.data[0] for i in indices))
        _require(_distinct(names), f"parameters {names} of {name}", "distinct names")
        _require(type(notation) is str, f"the notation of {name}")
        allowed = frozenset(indices).union(
            *map(_data_names, parameters), *(i.names for i in indices)
        )
        extra = [x for x in body.names if type(x) is not Definition and x not in allowed]
        _require(not extra and not body.loose, f"{name} mentions {extra}", "its parameters only")
        kinds = (*(p.kind for p in parameters), *(i.kind for i in indices))
        return cls._of(name, parameters, indices, body, notation, kinds)

    def __reduce__(self) -> tuple:
        return Definition, tuple(self)[:5]

    parameters = property(lambda self: tuple.__getitem__(self, 1))
    indices = property(lambda self: tuple.__getitem__(self, 2))
    body = property(lambda self: tuple.__getitem__(self, 3))
    notation = property(lambda self: tuple.__getitem__(self, 4))
    kinds = property(lambda self: tuple.__getitem__(self, 5))

    def __call__(self, *arguments: Array | Term) -> Term:
        """The defined array for these arguments (a number if it has no indices)."""
        args = tuple(map(as_term, arguments))
        ranges = match_kinds(self.kinds[: len(args)], tuple(arg.kind for arg in args))
        if ranges is None or len(args) != len(self.parameters):
            raise TermError(
                _describe("def", tuple(a.kind for a in args), self), _wanted("def", self)
            )
        variables = tuple(fresh(rename_data(index.kind, ranges)) for index in self.indices)
        term = Term("def", (*args, *variables), self)
        for variable, index in zip(reversed(variables), reversed(self.indices), strict=True):
            term = bind("lam", variable, term, index.data[0])
        return term


@lru_cache(maxsize=1 << 12)
def match_kinds(pattern: Any, kinds: Any) -> Mapping[Range, Range] | None:
    """The ranges that turn the pattern into the kinds, if there are any."""
    ranges: dict[Range, Range] = {}
    return MappingProxyType(ranges) if _match_kind(pattern, kinds, ranges) else None


def _match_kind(pattern: Any, kind: Any, ranges: dict[Range, Range]) -> bool:
    if type(pattern) is Range and type(kind) is Range:
        if pattern.parts and not _match_kind(pattern.parts, kind.parts, ranges):
            return False
        return ranges.setdefault(pattern, kind) == kind
    if type(pattern) is tuple and type(kind) is tuple and len(pattern) == len(kind):
        return all(_match_kind(p, k, ranges) for p, k in zip(pattern, kind, strict=True))
    return type(pattern) is str and pattern == kind


def rename_data(data: Any, ranges: Mapping[Range, Range]) -> Any:
    """Other ranges in a node's data; definitions are schematic and stay."""
    if type(data) is Range:
        if data in ranges:
            return ranges[data]
        return (
            Range(data.name, (rename_data(p, ranges) for p in data.parts)) if data.parts else data
        )
    if type(data) is Array:
        axes, out = rename_data((data.axes, data.out), ranges)
        return Array(data.name, axes, out, data.random)
    return tuple(rename_data(x, ranges) for x in data) if type(data) is tuple else data


def _is_name(name: object) -> bool:
    if type(name) is not str or not 0 < len(name) <= 64 or " " in name:
        return False
    return name.isprintable() and is_normalized("NFC", name)  # one spelling for what looks alike


def _distinct(items: tuple) -> bool:
    return len(set(items)) == len(items)


# ------------------------------------------------------------------ terms


class Term(tuple):
    """One node: ``op``, ``args``, ``data``, and two slots that equality ignores.

    ``hint`` is a binder's display name; ``origin`` says which node of an earlier term this one
    came from. ``names`` holds every array, range, definition and free variable inside; ``loose``
    the bound variables whose binder is outside. A term has no truth value, no length and no order:
    use `eq`, `le`, `lt` to state something.
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
        args = tuple(args)
        for arg in args:
            if type(arg) is not Term:
                raise TermError(f"{arg!r} inside a term", "a term")
        _require(hint is None or _is_name(hint), f"the display name {hint!r}")
        kind = _kind(op, args, data)
        code = hash((op, tuple(map(hash, args)), data))
        names, loose = _names(args, data), _loose(op, args, data)
        return tuple.__new__(cls, (op, args, data, hint, origin, code, names, loose, kind))

    def __init_subclass__(cls) -> None:
        raise TermError("a subclass of Term", "Term itself")

    op = property(lambda self: tuple.__getitem__(self, 0))
    args = property(lambda self: tuple.__getitem__(self, 1))
    data = property(lambda self: tuple.__getitem__(self, 2))
    hint = property(lambda self: tuple.__getitem__(self, 3))
    origin = property(lambda self: tuple.__getitem__(self, 4))
    loose = property(lambda self: tuple.__getitem__(self, 7))
    kind = property(lambda self: tuple.__getitem__(self, 8))

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


def _kind(op: str, args: tuple[Term, ...], data: Any) -> Any:
    """The kind of a node; its children are well-formed, so by induction every term is."""
    kinds = tuple([tuple.__getitem__(arg, 8) for arg in args])
    numbers = kinds == (REAL,) * len(kinds)
    kind: Any = REAL
    match op:
        case "num":
            ok = not kinds and _is_rational(data)
        case "size":
            ok = not kinds and type(data) is Range and not data.parts
        case "sym":
            ok = not kinds and _is_name(data)
        case "ix":
            ok = not kinds and _is_pair(data, _is_name, _is_range)
            kind = ok and data[1]
        case "bv" | "fv":
            ok = not kinds and _is_pair(data, _is_int, lambda k: _is_range(k) or k == REAL)
            ok = ok and (op == "fv" or data[0] >= 0)
            kind = ok and data[1]
        case "entry":
            ok = type(data) is Array and kinds == data.axes
            kind = ok and data.out
        case "inj":
            ok = _is_pair(data, _is_range, _is_int) and 0 <= data[1] < len(data[0].parts)
            ok = ok and kinds == (data[0].parts[data[1]],)
            kind = ok and data[0]
        case "add" | "mul":
            ok = numbers and len(kinds) >= 1 and data is None
        case "neg" | "E":
            ok = numbers and len(kinds) == 1 and data is None
        case "div":
            ok = numbers and len(kinds) == 2 and data is None
        case "pow":
            ok = numbers and len(kinds) == 1 and _is_rational(data)
        case "fn":
            ok = numbers and len(kinds) == 1 and type(data) is str and data in FUNCTIONS
        case "iv":
            ok = kinds == (PROP,) and data is None and _about_indices(args[0])
        case "sum":
            ok = kinds == (REAL,) and _is_range(data) and _binds(args[0], data)
        case "lam":
            ok = len(kinds) == 1 and _is_range(data) and _binds(args[0], data)
            ok = ok and kinds[0] != FUNCTION
            kind = ok and ("array", data, kinds[0])
        case "rlam":
            ok, kind = kinds == (REAL,) and data == REAL and _binds(args[0], data), FUNCTION
        case "all":
            ok = kinds == (PROP,) and (_is_range(data) or data == REAL) and _binds(args[0], data)
            kind = PROP
        case "def":
            ok = type(data) is Definition and match_kinds(data.kinds, kinds) is not None
        case "D":
            ok = kinds == (FUNCTION, REAL) and data is None
        case "tends":
            ok, kind = kinds == (FUNCTION, REAL) and data in LIMITS, PROP
        case "eq":
            ok = len(kinds) == 2 and kinds[0] == kinds[1] not in (PROP, FUNCTION) and data is None
            kind = PROP
        case "le" | "lt":
            ok = len(kinds) == 2 and kinds[0] == kinds[1] and data is None
            ok, kind = ok and (kinds[0] == REAL or _is_range(kinds[0])), PROP
        case "not":
            ok, kind = kinds == (PROP,) and data is None, PROP
        case "and" | "imp":
            ok, kind = kinds == (PROP, PROP) and data is None, PROP
        case "bij":
            ok = not kinds and type(data) is Array and len(data.axes) == 1
            ok, kind = ok and _is_range(data.out), PROP
        case "indep":
            ok, kind = not kinds and _is_random_family(data), PROP
        case "moments":
            ok = not kinds and _is_pair(data, lambda x: type(x) is Array, _is_int)
            ok, kind = ok and data[0].random and data[1] >= 1, PROP
        case _:
            ok = False
    if not ok:
        raise TermError(_describe(op, kinds, data), _wanted(op, data))
    return kind


_WANTED = {
    "eq": "two sides of one kind",
    "le": "two numbers, or two indices of one range",
    "lt": "two numbers, or two indices of one range",
    "iv": "a statement about indices",
    "num": "an exact rational in lowest terms",
    "bij": "a map from one range to another",
    "indep": "two or more distinct random arrays",
}


def _describe(op: str, kinds: tuple, data: Any) -> str:
    return f"{op} {'' if data is None else data} of {_shown(kinds)}"


def _wanted(op: str, data: Any) -> str:
    if op == "entry" and type(data) is Array:
        return f"indices over {_shown(data.axes)}"
    if op == "def" and type(data) is Definition:
        return f"{_shown(data.kinds)}, whatever its ranges are"
    return _WANTED.get(op, "a known node")


def _shown(kinds: tuple) -> str:
    return f"({', '.join(map(_kind_name, kinds))})"


def _kind_name(kind: Any) -> str:
    axes = []
    while type(kind) is tuple and len(kind) == 3:
        axes.append(str(kind[1]))
        kind = kind[2]
    return f"array {'×'.join(axes)}" if axes else str(kind)


def _is_int(x: Any) -> bool:
    return type(x) is int


def _is_range(x: Any) -> bool:
    return type(x) is Range


def _is_pair(data: Any, first: Callable[[Any], bool], second: Callable[[Any], bool]) -> bool:
    return type(data) is tuple and len(data) == 2 and first(data[0]) and second(data[1])


def _is_rational(data: Any) -> bool:
    whole = _is_pair(data, _is_int, _is_int) and data[1] >= 1
    return whole and Fraction(*data).as_integer_ratio() == data


def _is_random_family(data: Any) -> bool:
    if type(data) is not tuple or len(data) < 2 or not _distinct(data):
        return False
    return all(type(array) is Array and array.random for array in data)


def _binds(body: Term, kind: Any) -> bool:
    return all(depth != 0 or bound == kind for depth, bound in body.loose)


def _about_indices(p: Term) -> bool:
    if p.op in ("eq", "le", "lt"):
        return _is_range(p.args[0].kind)
    return p.op == "entry" or (p.op in ("not", "and") and all(map(_about_indices, p.args)))


def _names(args: tuple[Term, ...], data: Any) -> frozenset:
    names = args[0].names if len(args) == 1 else frozenset().union(*[arg.names for arg in args])
    own = _data_names(data)
    return names if own <= names else names | own


def _data_names(data: Any) -> frozenset:
    if type(data) in (Range, Array, Definition):
        return _record_names(data)
    if type(data) is tuple:
        return frozenset().union(*map(_data_names, data))
    return frozenset()


@lru_cache(maxsize=1 << 12)
def _record_names(record: Any) -> frozenset:
    """A record and what its name stands for; a definition's ranges and arrays are schematic."""
    match record:
        case Range():
            inside = map(_data_names, record.parts)
        case Array():
            inside = map(_data_names, (*record.axes, record.out))
        case Definition():
            inside = [frozenset(x for x in record.body.names if type(x) is Definition)]
    return frozenset({record}).union(*inside)


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
    if type(x) not in (int, Fraction):
        raise TermError(f"the number {x!r}", "an int, a Fraction or a term", "write Fraction(1, 2)")
    return Term("num", (), Fraction(x).as_integer_ratio())


def as_term(x: Any) -> Term:
    """An argument of a definition: an array name becomes a λ of its entries."""
    if type(x) is not Array:
        return x if type(x) is Term else number(x)
    variables = tuple(map(fresh, x.axes))
    term = x[variables]
    for variable in reversed(variables):
        term = bind("lam", variable, term)
    return term


# ------------------------------------------------------------------ binders

_counter = itertools.count()


def fresh(kind: Any) -> Term:
    return Term("fv", (), (next(_counter), kind))


def bind(op: str, variable: Term, body: Term, hint: str | None = None) -> Term:
    """Bind a free variable of the body."""
    _require(type(variable) is Term and variable.op in ("ix", "sym", "fv"), "a bound variable")
    if hint is None and variable.op != "fv":
        hint = variable.data if variable.op == "sym" else variable.data[0]
    return Term(op, (close(body, variable),), variable.kind, hint)


def rebuild(term: Term, args: Iterable[Term]) -> Term:
    """The same node over other children; display name and origin stay."""
    return Term(term.op, args, term.data, term.hint, term.origin)


def close(term: Term, variable: Term, depth: int = 0) -> Term:
    """Make the free variable a bound one of the enclosing binder."""
    if variable not in term.names:
        return term
    if term == variable:
        return Term("bv", (), (depth, variable.kind), None, term.origin)
    inner = depth + (term.op in BINDERS)
    return rebuild(term, (close(arg, variable, inner) for arg in term.args))


def open_(term: Term, replacement: Term, depth: int = 0) -> Term:
    """Replace the outermost loose variable by a term without loose variables."""
    if not any(level >= depth for level, _ in term.loose):
        return term
    if term.op == "bv":
        return replacement if term.data[0] == depth else term
    inner = depth + (term.op in BINDERS)
    return rebuild(term, (open_(arg, replacement, inner) for arg in term.args))


def unbind(binder: Term) -> tuple[Term, Term]:
    """A fresh variable and the binder's body at it."""
    variable = fresh(binder.data)
    return variable, open_(binder.args[0], variable)


def rebind(binder: Term, variable: Term, body: Term) -> Term:
    """The inverse of `unbind`, with another body."""
    return rebuild(binder, (close(body, variable),))


def substitute(term: Term, values: Mapping[Term | Array, Term]) -> Term:
    """Put terms without loose variables in place of free variables and arrays, all at once.

    An array is replaced by a λ (a term, if it has no axes) and its entries are β-reduced.
    """
    if values.keys().isdisjoint(term.names):
        return term
    if term.op in ("ix", "sym", "fv"):
        return values[term]
    if term.op in BINDERS:  # opened first: a bound index must not slip into a λ's body
        variable, body = unbind(term)
        return rebind(term, variable, substitute(body, values))
    args = tuple(substitute(arg, values) for arg in term.args)
    if term.op == "entry" and term.data in values:
        return values[term.data][args]
    return rebuild(term, args)


def rename_ranges(term: Term, ranges: Mapping[Range, Range]) -> Term:
    """The same term over other ranges."""
    if term.op == "size" and term.data in ranges:
        return ranges[term.data].size
    args = (rename_ranges(arg, ranges) for arg in term.args)
    return Term(term.op, args, rename_data(term.data, ranges), term.hint, term.origin)


def unfold(term: Term) -> Term:
    """The body of a definition at its arguments."""
    ranges = match_kinds(term.data.kinds, tuple(arg.kind for arg in term.args))
    names, body = _instance(term.data, tuple(ranges.items()))
    return substitute(body, dict(zip(names, term.args, strict=True)))


@lru_cache(maxsize=1 << 10)
def _instance(definition: Definition, renaming: tuple) -> tuple[tuple, Term]:
    ranges = dict(renaming)
    arrays = (rename_data(p, ranges) for p in definition.parameters)
    indices = (rename_ranges(i, ranges) for i in definition.indices)
    return (*arrays, *indices), rename_ranges(definition.body, ranges)
