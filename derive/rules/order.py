"""Rules of inequalities. *Trusted file.*"""

from __future__ import annotations

from derive.facts import Facts
from derive.rules.sequent import Premise, Sequent, conclusion, hypotheses, not_about
from derive.syntax import Sum, add, le, log, mul
from derive.terms import Term, number


def weaken(premise: Premise) -> Sequent:
    """``a = b`` or ``a < b`` gives ``a ≤ b``."""
    left, right = conclusion(premise, "eq", "lt", "le")
    return Sequent(premise.hypotheses, le(left, right))


def add_monotone(*premises: Premise) -> Sequent:
    """``aᵢ ≤ bᵢ`` give ``Σaᵢ ≤ Σbᵢ``; one strict premise makes it strict."""
    sides = [conclusion(p, "le", "lt", "eq") for p in premises]
    strict = any(p.conclusion.op == "lt" for p in premises)
    left, right = (add(*side) for side in zip(*sides, strict=True))
    return Sequent(hypotheses(*premises), Term("lt" if strict else "le", (left, right)))


def sum_monotone(premise: Premise, *, index: Term) -> Sequent:
    """``f(k) ≤ g(k)`` for every k gives ``Σ f ≤ Σ g``."""
    left, right = conclusion(premise, "le")
    not_about([index], premise.hypotheses)
    return Sequent(premise.hypotheses, le(Sum(index, left), Sum(index, right)))


def scale_monotone(premise: Premise, *, factor: Term, given: tuple[Term, ...] = ()) -> Sequent:
    """``a ≤ b`` and ``c ≥ 0`` give ``c a ≤ c b``; strict when ``a < b`` and ``c > 0``."""
    left, right = conclusion(premise, "le", "lt")
    facts = Facts(given)
    strict = premise.conclusion.op == "lt"
    (facts.positive if strict else facts.nonnegative)(factor)
    sides = (mul(factor, left), mul(factor, right))
    return Sequent(premise.hypotheses | facts.used, Term("lt" if strict else "le", sides))


def log_bound(*, term: Term, given: tuple[Term, ...] = ()) -> Sequent:
    """``log x ≤ x − 1`` for ``x > 0``."""
    facts = Facts(given)
    facts.positive(term)
    return Sequent(frozenset(facts.used), le(log(term), term - number(1)))


RULES = {
    "weaken": weaken,
    "add monotone": add_monotone,
    "sum monotone": sum_monotone,
    "scale monotone": scale_monotone,
    "log bound": log_bound,
}
