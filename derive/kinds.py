"""Kinds: which node may stand over which children. *Trusted file.*

The kind of a term is a number, a proposition, an index over a range, an array of one of these over
a range, or a function of one real variable. `kind_of` knows every node there is; what it refuses
is no term.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from derive.errors import TermError
from derive.signature import (
    PROP,
    REAL,
    Array,
    Definition,
    Range,
    distinct,
    is_name,
    is_word,
    match_kinds,
)

if TYPE_CHECKING:
    from derive.terms import Term

FUNCTION = ("function",)  # of one real variable
FUNCTIONS = frozenset({"exp", "log", "cos", "sin", "abs"})
BINDERS = frozenset({"sum", "lam", "all", "rlam"})
MOST_BITS = 100_000  # of a number in a term
LIMITS = frozenset({"oo", "0"})  # β → ∞; β → 0 through values other than 0


def kind_of(op: str, args: tuple[Term, ...], data: Any) -> Any:
    """The kind of a node; its children are well-formed, so by induction every term is."""
    if type(op) is not str:  # a subclass may equal whatever it likes
        raise TermError(f"a node of type {type(op).__name__}", "the name of a node")
    kinds = tuple([tuple.__getitem__(arg, 8) for arg in args])
    numbers = kinds == (REAL,) * len(kinds)
    kind: Any = REAL
    match op:
        case "num":
            ok = not kinds and _is_rational(data)
        case "size":
            ok = not kinds and type(data) is Range and not data.parts
        case "sym":
            ok = not kinds and is_name(data)
        case "ix":
            ok = not kinds and _is_pair(data, is_name, _is_range)
            kind = ok and data[1]
        case "bv" | "fv":
            ok = not kinds and _is_pair(data, _is_int, _is_bound)
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
            ok = numbers and len(kinds) == 1 and is_word(data, *FUNCTIONS)
        case "iv":
            ok = kinds == (PROP,) and data is None and _about_indices(args[0])
        case "sum":
            ok = kinds == (REAL,) and _is_range(data) and _binds(args[0], data)
        case "lam":
            ok = len(kinds) == 1 and _is_range(data) and _binds(args[0], data)
            ok = ok and kinds[0] != FUNCTION
            kind = ok and ("array", data, kinds[0])
        case "rlam":
            ok = kinds == (REAL,) and is_word(data, REAL) and _binds(args[0], data)
            kind = FUNCTION
        case "all":
            ok = kinds == (PROP,) and _is_bound(data) and _binds(args[0], data)
            kind = PROP
        case "def":
            ok = type(data) is Definition and match_kinds(data.kinds, kinds) is not None
        case "D":
            ok = kinds == (FUNCTION, REAL) and data is None
        case "tends":
            ok, kind = kinds == (FUNCTION, REAL) and is_word(data, *LIMITS), PROP
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
        raise TermError(describe(op, kinds, data), wanted(op, data))
    return kind


_WANTED = {
    "eq": "two sides of one kind",
    "le": "two numbers, or two indices of one range",
    "lt": "two numbers, or two indices of one range",
    "iv": "a statement about indices",
    "tends": "a function of a real variable, a number, and to 'oo' or '0'",
    "num": "an exact rational in lowest terms",
    "bij": "a map from one range to another",
    "indep": "two or more distinct random arrays",
}


def describe(op: str, kinds: tuple, data: Any) -> str:
    """What was given, for a refusal."""
    return f"{op} {'' if data is None else data} of {_shown(kinds)}"


def wanted(op: str, data: Any) -> str:
    """What the node would have taken."""
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
    if type(x) is int and x.bit_length() > MOST_BITS:
        raise TermError(f"a number of {x.bit_length()} bits", f"{MOST_BITS} at most", "a symbol")
    return type(x) is int


def _is_range(x: Any) -> bool:
    return type(x) is Range


def _is_bound(kind: Any) -> bool:
    """The kind of a variable that a binder takes."""
    return _is_range(kind) or is_word(kind, REAL)


def _is_pair(data: Any, first: Callable[[Any], bool], second: Callable[[Any], bool]) -> bool:
    return type(data) is tuple and len(data) == 2 and first(data[0]) and second(data[1])


def _is_rational(data: Any) -> bool:
    whole = _is_pair(data, _is_int, _is_int) and data[1] >= 1
    return whole and Fraction(*data).as_integer_ratio() == data


def _is_random_family(data: Any) -> bool:
    if type(data) is not tuple or not all(type(x) is Array and x.random for x in data):
        return False
    return len(data) >= 2 and distinct(data)


def _binds(body: Term, kind: Any) -> bool:
    return all(depth != 0 or bound == kind for depth, bound in body.loose)


def _about_indices(p: Term) -> bool:
    if p.op in ("eq", "le", "lt"):
        return _is_range(p.args[0].kind)
    return p.op == "entry" or (p.op in ("not", "and") and all(map(_about_indices, p.args)))
