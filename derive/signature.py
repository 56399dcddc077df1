"""The signature: ranges, arrays and definitions, which terms are made from. *Trusted file.*

They are sealed, named records. A range is a sort; an array is a symbol with ranges for its axes; a
definition stands for a body, with schematic ranges. Each of them makes terms (a size, an entry, an
application), and terms hold them, so the modules of terms are imported where one is made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from unicodedata import is_normalized

from derive.errors import TermError, require, several

if TYPE_CHECKING:
    from derive.terms import Term

REAL = "real"
PROP = "prop"
MOST_PARTS = 1000  # of one range, those of parts among them


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

    def _no_number(self, *_: object) -> Any:
        """Refuse what a tuple would answer in silence: ``2 * n`` would hold everything twice."""
        raise TermError(
            f"the {type(self).__name__.lower()} {self.name} in arithmetic or a comparison",
            "a number",
            "an entry such as x[i], an instance such as f(x), the size n.size of a range n",
        )

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __neg__ = _no_number
    __truediv__ = __rtruediv__ = __pow__ = __rpow__ = _no_number
    __lt__ = __le__ = __gt__ = __ge__ = _no_number

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
        parts = several(parts, "the parts of a range")
        require(is_name(name), f"the range name {name!r}", "a name such as 'n' or 'd_k'")
        require(all(type(part) is Range for part in parts), "parts of a range", "ranges")
        leaves = sum(tuple.__getitem__(part, 2) for part in parts) or 1
        require(leaves <= MOST_PARTS, f"{leaves} parts of {name}", f"{MOST_PARTS} at most")
        return cls._of(name, parts, leaves)

    def __reduce__(self) -> tuple:
        return Range, (self.name, self.parts)

    @property
    def parts(self) -> tuple[Range, ...]:
        return tuple.__getitem__(self, 1)

    @property
    def size(self) -> Term:
        """The number of its elements, a term."""
        from derive.terms import Term

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
        axes = several(axes, "the axes of an array")
        require(is_name(name), f"the array name {name!r}", "a name such as 'X' or 'W_Q'")
        require(all(type(axis) is Range for axis in axes), f"axes of {name}", "ranges")
        require(is_word(out, REAL, PROP) or type(out) is Range, f"entries of {name}")
        require(type(random) is bool and (out == REAL or not random), f"random {name}")
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
        from derive.terms import Term

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
        from derive.terms import Term

        parameters = several(parameters, "the parameters of a definition")
        indices = several(indices, "the indices of a definition")
        require(is_name(name), f"the definition's name {name!r}")
        require(type(body) is Term and body.kind == REAL, f"the body of {name}", "a number")
        require(all(type(p) is Array and not p.random for p in parameters), f"arrays of {name}")
        require(all(type(i) is Term and i.op == "ix" for i in indices), f"indices of {name}")
        names = (*(p.name for p in parameters), *(i.data[0] for i in indices))
        require(distinct(names), f"parameters {names} of {name}", "distinct names")
        require(type(notation) is str, f"the notation of {name}")
        allowed = frozenset(indices).union(
            *map(data_names, parameters), *(i.names for i in indices)
        )
        extra = [x for x in body.names if type(x) is not Definition and x not in allowed]
        require(not extra and not body.loose, f"{name} mentions {extra}", "its parameters only")
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
        from derive.binding import as_term, bind, fresh
        from derive.kinds import describe, wanted
        from derive.terms import Term

        args = tuple(map(as_term, arguments))
        ranges = match_kinds(self.kinds[: len(args)], tuple(arg.kind for arg in args))
        if ranges is None or len(args) != len(self.parameters):
            raise TermError(describe("def", tuple(a.kind for a in args), self), wanted("def", self))
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


def data_names(data: Any) -> frozenset:
    """Every range, array and definition in a node's data."""
    if type(data) in (Range, Array, Definition):
        return _record_names(data)
    if type(data) is tuple:
        return frozenset().union(*map(data_names, data))
    return frozenset()


@lru_cache(maxsize=1 << 12)
def _record_names(record: Any) -> frozenset:
    """A record and what its name stands for; a definition's ranges and arrays are schematic."""
    match record:
        case Range():
            inside = map(data_names, record.parts)
        case Array():
            inside = map(data_names, (*record.axes, record.out))
        case _:
            inside = [frozenset(x for x in record.body.names if type(x) is Definition)]
    return frozenset({record}).union(*inside)


def is_name(name: object) -> bool:
    """A printable name with one spelling, without spaces."""
    if type(name) is not str or not 0 < len(name) <= 64 or " " in name:
        return False
    return name.isprintable() and is_normalized("NFC", name)  # one spelling for what looks alike


def is_word(value: object, *words: str) -> bool:
    """One of the words itself: a subclass of str may equal whatever it likes."""
    return type(value) is str and value in words


def distinct(items: tuple) -> bool:
    return len(set(items)) == len(items)
