"""SymPy in and out: statements may be written in SymPy, and theorems are handed back in it.

A theorem is about the term, not about the SymPy expression. So whatever cannot be typed is refused:
an index without a range, a sum that does not run over a whole range, an inexact number, two
symbols of one name, an assumption hidden in a symbol.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from derive.binding import bind, fresh, open_, unfold
from derive.errors import DeriveError
from derive.signature import PROP, REAL, Array, Range
from derive.syntax import (
    E,
    Index,
    Symbol,
    absolute,
    conjoin,
    delta,
    eq,
    implies,
    iverson,
    le,
    lt,
    negate,
    number,
)
from derive.terms import Term

HIDDEN = ("positive", "negative", "nonnegative", "nonpositive", "nonzero", "integer", "zero")


class BridgeError(DeriveError):
    """A SymPy expression that has no term, or a term that has no SymPy expression."""


@dataclass(frozen=True)
class Names:
    """What the symbols of a SymPy expression stand for.

    Attributes
    ----------
    sizes : mapping of sympy.Symbol to Range
        ``{n: Range("n")}``; sums run over 1..n.
    indices : mapping of sympy.Symbol to Range
        Free indices.
    maps : mapping of sympy function classes to Array
        Index maps: ``{Function("σ"): Array("σ", (n,), n)}``.
    masks, random : frozenset of sympy.IndexedBase
        Arrays of truth values (written ``Eq(M[i, j], 1)``) and random arrays.
    """

    sizes: Mapping[Any, Range] = field(default_factory=dict)
    indices: Mapping[Any, Range] = field(default_factory=dict)
    maps: Mapping[Any, Array] = field(default_factory=dict)
    masks: frozenset[Any] = frozenset()
    random: frozenset[Any] = frozenset()

    def range_of(self, size: Any) -> Range:
        if size not in self.sizes:
            declared = ", ".join(map(str, self.sizes)) or "none"
            raise BridgeError(f"{size} as a size", f"a declared size ({declared})")
        return self.sizes[size]

    def array(self, base: Any) -> Array:
        if base.shape is None:
            raise BridgeError(
                f"the array {base} without a shape",
                "its axes",
                f"IndexedBase('{base}', shape=(n, d))",
            )
        axes = map(self.range_of, base.shape)
        out = PROP if base in self.masks else REAL
        return Array(str(base.label), axes, out, base in self.random)


# ------------------------------------------------------------------ in


def from_sympy(expression: Any, names: Names) -> Term:
    """The term, or the proposition, that a SymPy expression states.

    Parameters
    ----------
    expression : sympy.Basic
        Built from `Sum`, `Indexed` with shapes, `KroneckerDelta`, exp, log, cos, sin, `Abs`,
        rational powers, `Derivative`, ``Function("E")`` for expectation; relations, `And`, `Not`,
        `Implies`; ``Eq(Limit(f, x, oo), L)``.
    names : Names
        What the symbols stand for.

    Raises
    ------
    BridgeError
        Where something has no type.
    """
    import sympy

    try:
        expression = sympy.sympify(expression, strict=True)  # a string would be run as code
    except sympy.SympifyError:
        raise BridgeError(
            f"{expression!r}", "an expression of SymPy", "build it from symbols; text is not read"
        ) from None
    _refuse_ambiguity(expression, names)
    return _Reader(names).term(expression)


def _refuse_ambiguity(expression: Any, names: Names) -> None:
    """One name, one thing; nothing assumed that a reader cannot see."""
    import sympy

    bases = expression.atoms(sympy.IndexedBase)
    labels = {base.label for base in bases}
    scalars = (expression.atoms(sympy.Symbol) | names.sizes.keys() | names.indices.keys()) - labels
    _refuse_twins((str(thing), thing) for thing in (*bases, *scalars))
    for symbol in expression.free_symbols & scalars - names.indices.keys():
        allowed = ("integer", "nonnegative") if symbol in names.sizes else ()
        hidden = [flag for flag in HIDDEN if flag not in allowed and symbol.assumptions0.get(flag)]
        if hidden:
            raise BridgeError(
                f"the symbol {symbol} with the hidden assumption {hidden[0]}",
                "assumptions that a reader can see",
                f"Symbol('{symbol}', real=True) and a hypothesis",
            )


def _refuse_twins(named: Iterable[tuple[str, Any]]) -> None:
    seen: dict[str, Any] = {}
    for title, thing in named:
        if seen.setdefault(title, thing) != thing:
            raise BridgeError(f"two different things called {title}", "one name for each")


class _Reader:
    """Reads one expression; `bound` maps bound symbols to their private variables."""

    def __init__(self, names: Names, bound: Mapping[Any, Term] | None = None) -> None:
        self.names, self.bound = names, bound or {}

    def term(self, x: Any) -> Term:
        import sympy

        if x.is_Rational:
            return number(Fraction(int(x.p), int(x.q)))
        if x is sympy.E:
            return Term("fn", (number(1),), "exp")
        if x.is_Symbol:
            return self._symbol(x)
        if isinstance(x, sympy.Indexed):
            return self.names.array(x.base)[tuple(map(self.index, x.indices))]
        if x.is_Add:
            return Term("add", map(self.term, x.as_ordered_terms()))
        if x.is_Mul:
            return self._product(x)
        if isinstance(x, (sympy.exp, sympy.log, sympy.cos, sympy.sin)) and len(x.args) == 1:
            return Term("fn", (self.term(x.args[0]),), x.func.__name__)
        if isinstance(x, sympy.Abs):
            return absolute(self.term(x.args[0]))
        if x.is_Pow and x.exp.is_Rational:
            return self.term(x.base) ** Fraction(int(x.exp.p), int(x.exp.q))
        for kind, read in self._readers().items():
            if isinstance(x, kind):
                return read(x)
        raise BridgeError(f"{type(x).__name__} {x}", "an expression with an exact, typed meaning")

    def _readers(self) -> dict[Any, Any]:
        import sympy
        from sympy.core.function import AppliedUndef

        return {
            sympy.Sum: self._sum,
            sympy.KroneckerDelta: self._delta,
            sympy.Piecewise: self._bracket,
            sympy.Derivative: self._derivative,
            sympy.Subs: self._derivative_at,
            AppliedUndef: self._expectation,
            sympy.Rel: self._relation,
            sympy.And: lambda x: self._fold(conjoin, x),
            sympy.Not: lambda x: negate(self.term(x.args[0])),
            sympy.Implies: lambda x: implies(*map(self.term, x.args)),
        }

    def _under(self, symbol: Any, variable: Term) -> _Reader:
        return _Reader(self.names, {**self.bound, symbol: variable})

    def _symbol(self, x: Any) -> Term:
        variable = self.bound.get(x)
        if variable is not None and variable.kind == REAL:
            return variable
        if variable is not None or x in self.names.indices:
            raise BridgeError(f"the index {x} used as a number", "an entry, a size or a symbol")
        if x in self.names.sizes:
            return self.names.sizes[x].size
        if x.is_extended_real is False or x.is_commutative is False:
            raise BridgeError(f"the symbol {x}", "a real number")
        return Symbol(x.name)

    def index(self, x: Any) -> Term:
        """An index over a declared range; nothing is computed with indices."""
        if x in self.bound and self.bound[x].kind != REAL:
            return self.bound[x]
        if x in self.names.indices and x not in self.bound:
            return Index(x.name, self.names.indices[x])
        if x.func in self.names.maps:
            return self.names.maps[x.func][tuple(map(self.index, x.args))]
        raise BridgeError(
            f"{x} as an index",
            "a summed or declared index, or a map of one",
            "Names(indices={i: n})",
        )

    def _product(self, x: Any) -> Term:
        import sympy

        numerator, denominator = sympy.fraction(x, exact=True)
        if denominator != 1:
            return self.term(numerator) / self.term(denominator)
        sign, rest = x.as_coeff_Mul()
        if sign == -1:
            return -self.term(rest)
        return Term("mul", map(self.term, x.as_ordered_factors()))

    def _sum(self, x: Any) -> Term:
        return self._sum_over(x.function, x.limits)

    def _sum_over(self, body: Any, limits: tuple) -> Term:
        if not limits:
            return self.term(body)
        *inner, (symbol, low, high) = limits  # SymPy's last limit is the outermost
        if low != 1:
            raise BridgeError(
                f"a sum over {symbol} from {low}", "a whole range, from 1 to its size"
            )
        variable = fresh(self.names.range_of(high))
        inside = self._under(symbol, variable)._sum_over(body, tuple(inner))
        return bind("sum", variable, inside, symbol.name)

    def _delta(self, x: Any) -> Term:
        i, j = map(self.index, x.args[:2])
        if len(x.args) == 3:
            low, high = x.args[2]
            if low != 1 or self.names.range_of(high) != i.kind:
                raise BridgeError(f"{x}: its range is not that of its indices", f"(1, {i.kind})")
        return delta(i, j)

    def _bracket(self, x: Any) -> Term:
        (value, condition), *rest = x.args
        if [tuple(r) for r in rest] != [(0, True)]:
            raise BridgeError(f"{x}", "Piecewise((value, condition), (0, True))")
        bracket = iverson(self.term(condition))
        return bracket if value == 1 else bracket * self.term(value)

    def _derivative(self, x: Any, at: Any = None) -> Term:
        (symbol, count), *more = x.variable_count
        if more or count != 1 or not symbol.is_Symbol:
            raise BridgeError(
                f"{x}", "one derivative by one symbol", "for an entry, add a symbol times a delta"
            )
        variable = self._real(symbol)
        body = self._under(symbol, variable).term(x.expr)
        point = self.term(symbol if at is None else at)
        return Term("D", (bind("rlam", variable, body, symbol.name), point))

    def _real(self, symbol: Any) -> Term:
        """A variable for a symbol that moves, which a size does not: sums run up to it."""
        if symbol in self.names.sizes or symbol in self.names.indices:
            raise BridgeError(f"{symbol} as a real variable", "a symbol that is no size, no index")
        return fresh(REAL)

    def _derivative_at(self, x: Any) -> Term:
        import sympy

        inner, variables, points = x.args
        if not isinstance(inner, sympy.Derivative) or inner.variables != tuple(variables):
            raise BridgeError(f"{x}", "a derivative at a point")
        return self._derivative(inner, points[0])

    def _expectation(self, x: Any) -> Term:
        if x.func.__name__ != "E" or len(x.args) != 1:
            raise BridgeError(
                f"the function {x}", "Function('E') for an expectation, or a declared map"
            )
        return E(self.term(x.args[0]))

    def _fold(self, join: Any, x: Any) -> Term:
        first, *rest = map(self.term, x.args)
        for part in rest:
            first = join(first, part)
        return first

    def _relation(self, x: Any) -> Term:
        import sympy

        left, right = x.args
        if isinstance(left, sympy.Limit) and isinstance(x, sympy.Eq):
            return self._limit(left, right)
        if isinstance(left, sympy.Indexed) and left.base in self.names.masks:
            if not isinstance(x, sympy.Eq) or right != 1:
                raise BridgeError(f"{x}", f"Eq({left}, 1): the mask holds there")
            return self.term(left)
        a, b = self._sides(left, right)
        match x.func:
            case sympy.Eq:
                return eq(a, b)
            case sympy.Ne:
                return negate(eq(a, b))
            case sympy.Le:
                return le(a, b)
            case sympy.Lt:
                return lt(a, b)
            case sympy.Ge:
                return le(b, a)
        return lt(b, a)

    def _sides(self, left: Any, right: Any) -> tuple[Term, Term]:
        try:
            return self.index(left), self.index(right)
        except BridgeError:
            return self.term(left), self.term(right)

    def _limit(self, x: Any, value: Any) -> Term:
        import sympy

        body, symbol, point, direction = x.args
        if point not in (0, sympy.oo) or (point == 0 and str(direction) != "+-"):
            raise BridgeError(f"{x}", "a limit at oo, or at 0 from both sides (dir='+-')")
        variable = self._real(symbol)
        inside = self._under(symbol, variable).term(body)
        function = bind("rlam", variable, inside, symbol.name)
        return Term("tends", (function, self.term(value)), str(point))


# ------------------------------------------------------------------ out


def to_sympy(term: Term) -> Any:
    """The term as a SymPy expression over symbolic sizes, definitions unfolded.

    Leading quantifiers are dropped (their variables stay, free); an equation of arrays becomes one
    of entries. Nothing is cancelled: SymPy by itself makes c of e^(log c) and of (√c)², 1 of c/c.
    What it has no faithful form for is refused. Where c ≤ 0, its √c, log c and 1/c are not those
    of `derive.terms`.
    """
    taken = {_title(x) for x in term.names if type(x) is not Term or x.op != "fv"}
    return _Writer(taken).statement(term)


def _title(thing: Any) -> str:
    if type(thing) is Term:
        return thing.data if thing.op == "sym" else str(thing.data[0])
    return thing.name


def names_of(term: Term) -> Names:
    """The `Names` with which `from_sympy` reads back what `to_sympy` wrote."""
    import sympy

    ranges = [x for x in term.names if type(x) is Range and not x.parts]
    arrays = [x for x in term.names if type(x) is Array]
    indices = [x for x in term.names if type(x) is Term and x.op == "ix"]
    return Names(
        sizes={_size(over): over for over in ranges},
        indices={_index_symbol(x.data[0]): x.data[1] for x in indices},
        maps={sympy.Function(a.name): a for a in arrays if type(a.out) is Range},
        masks=frozenset(_base(a) for a in arrays if a.out == PROP),
        random=frozenset(_base(a) for a in arrays if a.random),
    )


def _size(over: Range) -> Any:
    import sympy

    if over.parts:
        return sympy.Add(*map(_size, over.parts))
    return sympy.Symbol(over.name, integer=True, nonnegative=True)


def _index_symbol(title: str) -> Any:
    import sympy

    return sympy.Symbol(title, integer=True)


def _base(array: Array) -> Any:
    import sympy

    return sympy.IndexedBase(array.name, shape=tuple(map(_size, array.axes)))


class _Writer:
    """Writes terms; `spelled` gives bound variables their symbols, no two in one scope alike."""

    def __init__(self, taken: set[str]) -> None:
        self.taken = taken
        self.spelled: dict[Term, Any] = {}

    def statement(self, p: Term) -> Any:
        if p.op == "all":
            return self.statement(open_(p.args[0], self._bound(p)))
        if p.op == "eq" and p.args[0].op == "lam":
            variable = self._bound(p.args[0])
            return self.statement(Term("eq", (open_(side.args[0], variable) for side in p.args)))
        return self.write(p)

    def _bound(self, binder: Term) -> Term:
        """A private variable for the binder, spelled like nothing else here."""
        import sympy

        stem = title = binder.hint or "x"
        count = 0
        while title in self.taken:
            count += 1
            title = f"{stem}_{count}"
        self.taken.add(title)
        variable = fresh(binder.data)
        symbol = sympy.Symbol(title, real=True) if binder.data == REAL else _index_symbol(title)
        self.spelled[variable] = symbol
        return variable

    def write(self, term: Term) -> Any:
        import sympy

        args, data = term.args, term.data
        match term.op:
            case "num":
                return sympy.Rational(*data)
            case "size":
                return _size(data)
            case "sym":
                return sympy.Symbol(data, real=True)
            case "ix":
                return _index_symbol(data[0])
            case "fv":
                return self.spelled[term]
            case "entry":
                return self._entry(data, tuple(map(self.write, args)))
            case "inj":
                before = data[0].parts[: data[1]]
                return sympy.Add(*map(_size, before), self.write(args[0]))
            case "add":
                return sympy.Add(*map(self.write, args))
            case "mul":
                return _product(*map(self.write, args))
            case "neg":
                return _product(sympy.S.NegativeOne, self.write(args[0]))
            case "div":
                above, below = map(self.write, args)
                return _product(above, _power(below, sympy.S.NegativeOne))
            case "pow":
                return _power(self.write(args[0]), sympy.Rational(*data))
            case "fn":
                title = "Abs" if data == "abs" else data
                return getattr(sympy, title)(self.write(args[0]), evaluate=False)
            case "iv":
                return self._bracket(args[0])
            case "sum":
                symbol, body = self._opened(term)
                return sympy.Sum(body, (symbol, 1, _size(data)))
            case "def":
                return self.write(unfold(term))
            case "E":
                return sympy.Function("E")(self.write(args[0]))
            case "D":
                return self._derivative(*args)
            case "tends":
                return self._limit(*args, data)
            case "eq" | "le" | "lt":
                relation = {"eq": sympy.Eq, "le": sympy.Le, "lt": sympy.Lt}[term.op]
                return relation(*map(self.write, args), evaluate=False)
            case "not":
                return sympy.Not(self.write(args[0]))
            case "and":
                return sympy.And(*map(self.write, args))
            case "imp":
                return sympy.Implies(*map(self.write, args))
        raise BridgeError(f"{term.op} in SymPy", "numbers, entries, sums, functions and relations")

    def _entry(self, array: Array, index: tuple) -> Any:
        import sympy

        if type(array.out) is Range:
            return sympy.Function(array.name)(*index)
        if not array.axes:
            raise BridgeError(f"the array {array} without axes", "a symbol, or an array with axes")
        entry = _base(array)[index]
        return sympy.Eq(entry, 1, evaluate=False) if array.out == PROP else entry

    def _bracket(self, p: Term) -> Any:
        import sympy

        if p.op == "eq":
            i, j = map(self.write, p.args)
            return sympy.KroneckerDelta(i, j, (1, _size(p.args[0].kind)))
        return sympy.Piecewise((1, self.write(p)), (0, True))

    def _opened(self, binder: Term) -> tuple[Any, Any]:
        """The binder's symbol and its body; outside, the symbol's name is free again."""
        variable = self._bound(binder)
        body = self.write(open_(binder.args[0], variable))
        self.taken.remove(self.spelled[variable].name)
        return self.spelled[variable], body

    def _derivative(self, function: Term, point: Term) -> Any:
        import sympy

        symbol, body = self._opened(function)
        derived = sympy.Derivative(body, symbol)
        return sympy.Subs(derived, symbol, self.write(point))

    def _limit(self, function: Term, value: Term, to: str) -> Any:
        import sympy

        symbol, body = self._opened(function)
        place = (sympy.oo, "-") if to == "oo" else (sympy.Integer(0), "+-")
        return sympy.Eq(sympy.Limit(body, symbol, *place), self.write(value), evaluate=False)


def _power(base: Any, exponent: Any) -> Any:
    import sympy

    if base == 0 and exponent < 0:
        raise BridgeError(f"{base}**({exponent})", "a denominator that SymPy does not know to be 0")
    value = sympy.Pow(base, exponent)
    return value if value.is_Rational else sympy.Pow(base, exponent, evaluate=False)


def _product(*factors: Any) -> Any:
    """The product; with roots or reciprocals in it as it stands, for SymPy would cancel them."""
    import sympy

    parts = (part for factor in factors for part in sympy.Mul.make_args(factor))
    cancels = any(part.is_Pow and not _is_natural(part.exp) for part in parts)
    return sympy.Mul(*factors, evaluate=not cancels)


def _is_natural(x: Any) -> bool:
    return bool(x.is_Integer and x >= 0)
