"""Binding and substitution: no variable is ever captured. *Trusted file.*

A bound variable is a number that counts the binders between it and its own. A body is opened with
a fresh private variable before anything is done to it, and closed again afterwards.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from derive.errors import TermError, require
from derive.kinds import BINDERS
from derive.signature import Array, Definition, Range, match_kinds, rename_data
from derive.terms import Term, number

_counter = itertools.count()


def fresh(kind: Any) -> Term:
    return Term("fv", (), (next(_counter), kind))


def bind(op: str, variable: Term, body: Term, hint: str | None = None) -> Term:
    """Bind a free variable of the body."""
    require(type(variable) is Term and variable.op in ("ix", "sym", "fv"), "a bound variable")
    if type(body) is not Term:
        raise TermError(f"the body {body!r} of a binder", "a term")
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


def substitute(term: Term, values: Mapping[Any, Term]) -> Term:
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


def as_term(x: Any) -> Term:
    """An argument of a definition: an array name becomes a λ of its entries."""
    if type(x) is not Array:
        return x if type(x) is Term else number(x)
    variables = tuple(map(fresh, x.axes))
    term = x[variables]
    for variable in reversed(variables):
        term = bind("lam", variable, term)
    return term


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
