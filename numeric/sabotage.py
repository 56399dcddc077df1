"""Statements gone wrong: what a check must be able to tell from the true one.

Each mutant has one slip of a kind that people make: a sign, a dropped factor or summand, a
missing scale or root, a wrong constant, a wrong or swapped index, swapped arguments. Inequalities
are reversed as well; slips that only make one weaker are left to whoever measures it.
"""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import islice
from typing import NamedTuple

import numpy as np

from derive.binding import rebind, rebuild, unbind, unfold
from derive.errors import TermError
from derive.signature import REAL, Range
from derive.terms import Term

BINDERS = ("sum", "lam", "rlam", "all")


_Build = Callable[[], Term]
_Slip = tuple[str, _Build]  # built only when chosen: a statement has thousands of places


class Mutant(NamedTuple):
    """A statement with one slip, and what kind of slip it is."""

    kind: str
    statement: Term


def mutants(statement: Term, *, seed: int = 0, each: int = 2, limit: int = 12) -> list[Mutant]:
    """Return mutants of a statement: up to `each` of a kind, `limit` in all.

    The same seed gives the same mutants.

    Examples
    --------
    >>> from derive.syntax import Sum, eq, indices, ranges
    >>> from derive.signature import Array
    >>> (n,) = ranges("n")
    >>> (i,) = indices("i", n)
    >>> x = Array("x", (n,))
    >>> {m.kind for m in mutants(eq(Sum(i, x[i] * x[i]), Sum(i, x[i] ** 2)))} >= {"sign"}
    True
    """
    by_kind: dict[str, list[_Build]] = {}
    for kind, build in _statements(statement):
        by_kind.setdefault(kind, []).append(build)
    rng = np.random.default_rng(seed)
    seen = {statement}
    chosen = {
        kind: list(islice(_built(by_kind[kind], rng, seen), each)) for kind in sorted(by_kind)
    }
    rounds = (
        Mutant(kind, terms[n])
        for n in range(each)
        for kind, terms in chosen.items()
        if n < len(terms)
    )
    return list(rounds)[:limit]


def _built(builds: list[_Build], rng: np.random.Generator, seen: set[Term]) -> Iterator[Term]:
    """Build mutants in random order, each once; ill-typed ones are no mutants."""
    for place in rng.permutation(len(builds)):
        try:
            mutant = builds[place]()
        except TermError:
            continue
        if mutant not in seen:
            seen.add(mutant)
            yield mutant


def _around(slips: Iterable[_Slip], rebuilt: Callable[[Term], Term]) -> Iterator[_Slip]:
    """Put slips of a part into the whole, still unbuilt."""
    for kind, build in slips:
        yield kind, lambda build=build: rebuilt(build())


def _statements(statement: Term) -> Iterator[_Slip]:
    """Mutate a proposition's conclusion: its quantifiers and premises stay."""
    match statement.op:
        case "all":
            variable, body = unbind(statement)
            yield from _around(_statements(body), lambda new: rebind(statement, variable, new))
        case "imp":
            premise, body = statement.args
            yield from _around(_statements(body), lambda new: rebuild(statement, (premise, new)))
        case "and":
            for place, arg in enumerate(statement.args):
                yield from _around(_statements(arg), partial(_with, statement, place))
        case "eq":
            yield from _sides(statement, deep=(0, 1))
        case "le" | "lt":
            yield "reversed", lambda: rebuild(statement, reversed(statement.args))
            yield from _sides(
                statement, deep=(min((0, 1), key=lambda n: _bulk(statement.args[n])),)
            )
        case "tends":
            yield from _sides(statement, deep=(1,))


def _sides(statement: Term, deep: tuple[int, ...]) -> Iterator[_Slip]:
    """Let slip what is claimed, anywhere in the `deep` sides, else at the root.

    A slip inside what is bounded, or goes to a limit, as often as not leaves the bound true; the
    claim is the bound.
    """
    scope = tuple(v for v in statement.free if v.op == "ix")
    for place, side in enumerate(statement.args):
        yield from _around(_root(side, scope), partial(_with, statement, place))
        if place in deep:
            yield from _around(_terms(side, scope), partial(_with, statement, place))


def _root(side: Term, scope: tuple[Term, ...]) -> Iterator[_Slip]:
    """Return the slips at the root of a side, under the binder of a limit's variable."""
    if side.op == "rlam":
        variable, body = unbind(side)
        yield from _around(_root(body, scope), lambda new: rebind(side, variable, new))
    elif side.kind == REAL:
        for kind, slip in _slips(side, scope):
            yield kind, lambda slip=slip: slip
        yield "off by one", lambda: side + 1


def _bulk(term: Term) -> int:
    """Return the number of nodes, definitions opened."""
    if term.op == "def":
        return _bulk(unfold(term))
    if term.op in BINDERS:
        return 1 + _bulk(unbind(term)[1])
    return 1 + sum(map(_bulk, term.args))


def _with(term: Term, place: int, arg: Term) -> Term:
    return rebuild(term, (*term.args[:place], arg, *term.args[place + 1 :]))


def _terms(term: Term, scope: tuple[Term, ...], signs: bool = True) -> Iterator[_Slip]:
    """Return every term with one slip in it, unbuilt, under the variables in scope.

    Without `signs` where the sign does not matter: in a factor of what an even function is of.
    """
    if term.op in ("mul", "div", "neg"):
        inside = signs
    else:
        inside = not (term.op == "fn" and term.data in ("cos", "abs"))
    for kind, slip in _slips(term, scope):
        if signs or kind != "sign":
            yield kind, lambda slip=slip: slip
    if term.op in BINDERS:
        variable, body = unbind(term)
        inner = (*scope, variable) if isinstance(variable.kind, Range) else scope
        yield from _around(_terms(body, inner), lambda new: rebind(term, variable, new))
        return
    if term.op == "def":
        yield from _terms(unfold(term), scope)  # its arguments are in there
        return
    for place, arg in enumerate(term.args):
        yield from _around(_terms(arg, scope, inside), partial(_with, term, place))


def _slips(term: Term, scope: tuple[Term, ...]) -> Iterator[tuple[str, Term]]:
    """Return the term with a slip at its root."""
    args = term.args
    match term.op:
        case "num":
            yield "wrong constant", Term("num", (), (term.value + 1).as_integer_ratio())
        case "mul" if len(args) > 1:
            yield from (("dropped factor", _without(term, n)) for n in range(len(args)))
            yield "repeated factor", _with(term, 0, args[1])
            yield "repeated factor", _with(term, 1, args[0])
        case "add" if len(args) > 1:
            yield from (("dropped summand", _without(term, n)) for n in range(len(args)))
        case "div":
            yield "missing scale", args[0]
        case "pow":
            yield "missing root" if term.value.denominator > 1 else "missing power", args[0]
        case "neg":
            yield "sign", args[0]
        case "size":
            yield "off by one", term + 1
        case "fn":
            yield "dropped function", args[0]
        case "le" | "lt":
            yield "swapped sides", rebuild(term, reversed(args))
        case "entry":
            yield from (("wrong index", t) for t in _other_indices(term, scope))
            yield from (("swapped indices", t) for t in _swaps(term))
        case "def":
            yield from (("wrong index", t) for t in _other_indices(term, scope))
            yield from (("swapped arguments", t) for t in _swaps(term))
    if term.kind == REAL and term.op in ("entry", "fn", "div", "sum", "def", "sym"):
        yield "sign", -term


def _without(term: Term, place: int) -> Term:
    rest = (*term.args[:place], *term.args[place + 1 :])
    return rest[0] if len(rest) == 1 else rebuild(term, rest)


def _other_indices(term: Term, scope: tuple[Term, ...]) -> Iterable[Term]:
    """Put another index in scope in the place of one."""
    for place, arg in enumerate(term.args):
        if isinstance(arg.kind, Range):
            for other in scope:
                if other.kind == arg.kind and other != arg:
                    yield _with(term, place, other)


def _swaps(term: Term) -> Iterable[Term]:
    """Swap two arguments of one kind."""
    args = term.args
    for b in range(len(args)):
        for a in range(b):
            if args[a].kind == args[b].kind and args[a] != args[b]:
                swapped = list(args)
                swapped[a], swapped[b] = args[b], args[a]
                yield rebuild(term, swapped)
