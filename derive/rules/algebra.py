"""Equality by algebra alone. *Trusted file.*"""

from __future__ import annotations

from derive.facts import Facts, RuleError
from derive.normal import equal
from derive.rules.parameters import Proposition
from derive.rules.sequent import Sequent
from derive.syntax import eq, lt
from derive.terms import Term, number


def algebra(*, left: Term, right: Term, given: tuple[Proposition, ...] = ()) -> Sequent:
    """``left = right`` when their normal forms agree."""
    facts = Facts(given)
    if not equal(left, right, facts):
        raise RuleError(f"{left!r} = {right!r}", "two sides that agree by algebra")
    return Sequent(frozenset(facts.used), eq(left, right), frozenset(facts.laws))


def positive(*, term: Term, given: tuple[Proposition, ...] = ()) -> Sequent:
    """``0 < term`` from the shape of the term and the given assumptions."""
    facts = Facts(given)
    facts.positive(term)
    return Sequent(frozenset(facts.used), lt(number(0), term), frozenset(facts.laws))


def nonnegative(*, term: Term, given: tuple[Proposition, ...] = ()) -> Sequent:
    """``0 ≤ term`` from the shape of the term and the given assumptions."""
    facts = Facts(given)
    facts.nonnegative(term)
    return Sequent(frozenset(facts.used), Term("le", (number(0), term)), frozenset(facts.laws))


RULES = {"algebra": algebra, "positive": positive, "nonnegative": nonnegative}
