"""What may be assumed, what has been used, and what follows by looking: signs. *Trusted file.*

`Facts` carries the propositions a step may consume and records those it did consume. Signs are
proved from the shape of a term (a square is not negative, an exponential is positive, a sum of
positives over an inhabited range is positive) and from the given propositions; nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from derive.binding import fresh, open_, substitute, unbind, unfold
from derive.errors import DeriveError
from derive.signature import Array, Range
from derive.syntax import eq, lt
from derive.terms import Term, number

ZERO, ONE = number(0), number(1)
MOST_ASKED = 20_000  # signs asked for in one step


class RuleError(DeriveError):
    """A rule does not apply, or a side condition could not be proved."""


def inhabited(over: Range) -> Term:
    """The proposition that a range has an element."""
    return lt(ZERO, over.size)


def no_longer_inhabited(before: Iterable[Any], after: Iterable[Any]) -> frozenset[Term]:
    """``0 < n`` for every range that names before showed to have an element, and names after do not.

    A statement about an index, or about a map into a range, says nothing where there is none. So
    what was shown with the help of one does not hold without it unless the range has an element.
    """
    before, after = set(before), set(after)
    shown = _shown_inhabited(after)
    lost = {x.kind for x in before if type(x) is Term and x.op == "ix"} - shown
    maps = {(x.axes, x.out) for x in after if type(x) is Array}
    for x in before:
        if type(x) is Array and type(x.out) is Range and (x.axes, x.out) not in maps:
            lost |= {x.out} - shown - set(x.axes)  # from a range to itself there is always a map
    return frozenset(map(inhabited, lost))


def _shown_inhabited(names: set[Any]) -> set[Range]:
    """The ranges that have an element because an index or a map by that name exists."""
    shown = {x.kind for x in names if type(x) is Term and x.op == "ix"}
    found = True
    while found:
        maps = (x for x in names if type(x) is Array and type(x.out) is Range)
        found = {x.out for x in maps if shown.issuperset(x.axes)}
        found |= {x for x in names if type(x) is Range and not shown.isdisjoint(x.parts)}
        found -= shown
        shown |= found
    return shown


class Facts:
    """The given propositions, and which of them (`used`) and which laws were consumed."""

    def __init__(self, given: Iterable[Term] = ()) -> None:
        self.given: tuple[Term, ...] = tuple(given)
        self.used: set[Term] = set()
        self.laws: set[str] = set()
        self.left = MOST_ASKED

    def holds(self, goal: Term) -> bool:
        """Is the goal given, or an instance of something given?"""
        return any(self._yields(proposition, goal) for proposition in self.given)

    def _yields(self, proposition: Term, goal: Term) -> bool:
        conditions, conclusion, variables = instance_pattern(proposition)
        values = match(conclusion, goal, variables)
        if values is None or len(values) != len(variables):
            return False
        if not self._every(self.obvious, (substitute(c, values) for c in conditions)):
            return False
        self.used.add(proposition)
        return True

    def equations(self, left: Term) -> Iterator[tuple[Term, frozenset[Term]]]:
        """Right-hand sides that the given propositions offer for this left-hand side.

        Each comes with what taking it would consume; whoever takes it says so with `use`.
        """
        for proposition in self.given:
            conditions, conclusion, variables = instance_pattern(proposition)
            if conclusion.op != "eq":
                continue
            values = match(conclusion.args[0], left, variables)
            if values is None or len(values) != len(variables):
                continue
            before = set(self.used)
            guarded = all(self.obvious(substitute(c, values)) for c in conditions)
            consumed, self.used = self.used - before | {proposition}, before
            if guarded:
                yield substitute(conclusion.args[1], values), frozenset(consumed)

    def obvious(self, condition: Term) -> bool:
        """Is a guard given here outright, or true of indices by itself?"""
        if condition.op in ("eq", "le") and condition.args[0] == condition.args[1]:
            return True
        if condition.op == "and":
            return all(map(self.obvious, condition.args))
        if condition in self.given:
            self.used.add(condition)
            return True
        return False

    def use(self, *propositions: Term) -> None:
        self.used.update(propositions)

    def law(self, name: str) -> None:
        self.laws.add(name)

    @contextmanager
    def assuming(self, *local: Term) -> Iterator[None]:
        """Propositions that hold at a place only; consuming them there costs nothing outside."""
        before, outer = self.given, set(self.used)
        self.given = (*before, *local)
        try:
            yield
        finally:
            self.given = before
            self.used -= {p for p in local if p not in outer}

    @contextmanager
    def inside(self, binder: Term) -> Iterator[tuple[Term, Term]]:
        """Open a binder: its range has an element there, and nothing used may mention it."""
        variable, body = unbind(binder)
        local = (inhabited(binder.data),) if type(binder.data) is Range else ()
        with self.assuming(*local):
            yield variable, body
        if any(variable in proposition.names for proposition in self.used):
            raise RuleError(f"an assumption about the bound variable of {binder!r}")

    # ---------------------------------------------------------------- signs

    def positive(self, term: Term) -> None:
        """Prove ``0 < term`` or refuse."""
        if not self.sign(term, strict=True):
            raise RuleError(f"0 < {term!r} was not shown", "an assumption that gives it")

    def nonnegative(self, term: Term) -> None:
        """Prove ``0 <= term`` or refuse."""
        if not self.sign(term, strict=False):
            raise RuleError(f"0 ≤ {term!r} was not shown", "an assumption that gives it")

    def nonzero(self, term: Term) -> None:
        """Prove that the term is not 0, or refuse."""
        if not self.is_nonzero(term):
            raise RuleError(f"{term!r} ≠ 0 was not shown", "an assumption that gives it")

    def is_nonzero(self, term: Term) -> bool:
        match term.op:
            case "num":
                return term.data[0] != 0
            case "neg" | "mul" | "div":
                by_parts = True
            case "pow":
                by_parts = term.data[1] == 1
            case _:
                by_parts = term.op == "fn" and term.data == "abs"
        if by_parts and self._every(self.is_nonzero, term.args):
            return True
        if self.holds(Term("not", (eq(term, ZERO),))) or self.holds(lt(term, ZERO)):
            return True
        # parts that are not shown to be non-zero have no sign either, and are asked once
        return self._given_sign(term, True) if by_parts else self.sign(term, strict=True)

    def _every(self, prove: Callable[[Term], bool], terms: Iterable[Term]) -> bool:
        """All of them, or none of what was consumed on the way."""
        before = set(self.used)
        if all(map(prove, terms)):
            return True
        self.used = before
        return False

    def sign(self, term: Term, *, strict: bool) -> bool:
        """Is the term shown to be positive (strict), or not negative?"""
        self.left -= 1
        if self.left < 0:  # definitions may unfold without end
            raise RuleError("a sign without end", f"{MOST_ASKED} parts at most", "a lemma for one")
        before = set(self.used)
        if self._sign(term, strict) or self._given_sign(term, strict):
            return True
        self.used = before
        return False

    def _given_sign(self, term: Term, strict: bool) -> bool:
        if self.holds(lt(ZERO, term)):
            return True
        return not strict and self.holds(Term("le", (ZERO, term)))

    def _sign(self, term: Term, strict: bool) -> bool:
        args = term.args
        match term.op:
            case "num":
                return term.data[0] > 0 or (not strict and term.data[0] == 0)
            case "fn":
                return term.data == "exp" or (term.data == "abs" and not strict)
            case "size":
                return not strict
            case "iv":
                return not strict or self.obvious(args[0])
            case "add" if strict:
                return all(self.sign(x, strict=False) for x in args) and any(
                    self.sign(x, strict=True) for x in args
                )
            case "add" | "mul" | "div":
                return all(self.sign(x, strict=strict) for x in args)
            case "pow":
                even = term.data[1] == 1 and term.data[0] % 2 == 0
                if even:
                    return not strict or self.is_nonzero(args[0])
                return self.sign(args[0], strict=strict)
            case "sum":
                with self.inside(term) as (_, body):
                    shown = self.sign(body, strict=strict)
                return shown and (not strict or self.range_inhabited(term.data))
            case "def":
                return self.sign(unfold(term), strict=strict)
        return False

    def range_inhabited(self, over: Range) -> bool:
        """Is the range shown to have an element?"""
        return any(map(self.range_inhabited, over.parts)) or self.holds(inhabited(over))


# ------------------------------------------------------------------ matching


def is_random(term: Term) -> bool:
    """Does a random array occur? Such a term never stands for a bound or schematic constant."""
    return any(array.random for array in term.arrays)


@lru_cache(maxsize=1 << 10)
def instance_pattern(proposition: Term) -> tuple[tuple[Term, ...], Term, frozenset[Term]]:
    """Open ``∀…: guard ⇒ conclusion``: its guards, its conclusion, the variables to be filled.

    A match fills them all or is dropped, so they leave no trace and may serve again.
    """
    conditions, variables = [], set()
    while proposition.op in ("all", "imp"):
        if proposition.op == "all":
            variable = fresh(proposition.data)
            variables.add(variable)
            proposition = open_(proposition.args[0], variable)
        else:
            conditions.append(proposition.args[0])
            proposition = proposition.args[1]
    return tuple(conditions), proposition, frozenset(variables)


def match(pattern: Term, term: Term, variables: frozenset[Term]) -> dict[Term, Term] | None:
    """Values for the variables that make the pattern the term, if there are any."""
    values: dict[Term, Term] = {}
    return values if _match(pattern, term, variables, values) else None


def _match(pattern: Term, term: Term, variables: frozenset[Term], values: dict) -> bool:
    if pattern in variables:
        if pattern.kind != term.kind or term.loose or is_random(term):
            return False
        return values.setdefault(pattern, term) == term
    if pattern.op != term.op or pattern.data != term.data or len(pattern.args) != len(term.args):
        return False
    pairs = zip(pattern.args, term.args, strict=True)
    return all(_match(p, t, variables, values) for p, t in pairs)
