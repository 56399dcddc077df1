"""The words in which terms are written: one short function for each node. *Trusted file.*

>>> n, d_k = ranges("n d_k")
>>> i, j = indices("i j", n)
>>> t, = indices("t", d_k)
>>> q = Array("q", (n, d_k))
>>> Sum(t, q[i, t] * q[j, t]) / sqrt(d_k.size)
(Σ_{t=1}^d_k q[i,t] q[j,t]) / √d_k
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from derive.binding import as_term, bind
from derive.errors import require
from derive.signature import Array, Range
from derive.terms import Term, number


def ranges(names: str) -> tuple[Range, ...]:
    """Ranges by name, from one string."""
    return tuple(map(Range, _words(names)))


def indices(names: str, over: Range) -> tuple[Term, ...]:
    """Free indices over a range, from one string of names."""
    return tuple(Index(name, over) for name in _words(names))


def _words(names: str) -> list[str]:
    require(type(names) is str, f"the names {names!r}", "one string, such as 'n d_k'")
    return names.split()


def add(*terms: Any) -> Term:
    return Term("add", map(number, terms))


def mul(*terms: Any) -> Term:
    return Term("mul", map(number, terms))


def neg(term: Any) -> Term:
    return Term("neg", (number(term),))


def power(base: Any, exponent: int | Fraction) -> Term:
    return number(base) ** exponent


def sqrt(term: Any) -> Term:
    return power(term, Fraction(1, 2))


def _function(name: str) -> Callable[[Any], Term]:
    def apply(term: Any) -> Term:
        return Term("fn", (number(term),), name)

    apply.__name__, apply.__doc__ = name, f"The function {name}, as a term."
    return apply


exp, log, cos, sin, absolute = map(_function, ("exp", "log", "cos", "sin", "abs"))


def Symbol(name: str) -> Term:
    """A free real variable."""
    return Term("sym", (), name)


def Index(name: str, over: Range) -> Term:
    """A free index that carries its range."""
    return Term("ix", (), (name, over))


def inject(union: Range, part: int, element: Term) -> Term:
    """An element of the given part of a disjoint union, as an element of the union."""
    return Term("inj", (element,), (union, part))


def eq(a: Any, b: Any) -> Term:
    return Term("eq", (as_term(a), as_term(b)))


def le(a: Any, b: Any) -> Term:
    return Term("le", (as_term(a), as_term(b)))


def lt(a: Any, b: Any) -> Term:
    return Term("lt", (as_term(a), as_term(b)))


def implies(p: Term, q: Term) -> Term:
    return Term("imp", (p, q))


def negate(p: Term) -> Term:
    return Term("not", (p,))


def conjoin(p: Term, q: Term) -> Term:
    return Term("and", (p, q))


def iverson(p: Term) -> Term:
    """[p]: 1 where p holds, else 0; p speaks of indices only."""
    return Term("iv", (p,))


def delta(i: Term, j: Term) -> Term:
    return iverson(eq(i, j))


def E(term: Any) -> Term:
    """The expectation over all random arrays."""
    return Term("E", (number(term),))


def bijection(sigma: Array) -> Term:
    return Term("bij", (), sigma)


def independent(*arrays: Array) -> Term:
    """Mutual independence of whole random arrays (entries of one array may depend)."""
    return Term("indep", (), arrays)


def moments(array: Array, order: int) -> Term:
    """All entries have finite absolute moments up to this order."""
    return Term("moments", (), (array, order))


def tends(variable: Term, f: Any, limit: Any, to: str = "oo") -> Term:
    """f → limit as the real variable, bound here, goes to ∞ or to 0."""
    return Term("tends", (bind("rlam", variable, number(f)), number(limit)), to)


def derivative(f: Any, variable: Term, at: Any = None) -> Term:
    """df/dvariable, the variable bound here, at a point (by default at the variable itself)."""
    point = variable if at is None else number(at)
    return Term("D", (bind("rlam", variable, number(f)), point))


def _nest(op: str, variables: Term | tuple[Term, ...], body: Term) -> Term:
    for variable in reversed(variables if type(variables) is tuple else (variables,)):
        body = bind(op, variable, body)
    return body


def Sum(variables: Term | tuple[Term, ...], body: Any) -> Term:
    """Σ over one index or several; the index is bound here.

    >>> n = Range("n"); j = Index("j", n); x = Array("x", (n,))
    >>> Sum(j, x[j]) == Sum(Index("k", n), x[Index("k", n)])
    True
    """
    return _nest("sum", variables, number(body))


def Lambda(variables: Term | tuple[Term, ...], body: Any) -> Term:
    """The array whose entries are the body."""
    return _nest("lam", variables, as_term(body))


def forall(variables: Term | tuple[Term, ...], body: Term) -> Term:
    return _nest("all", variables, body)
