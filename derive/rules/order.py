"""Rules of inequalities. *Trusted file.*"""

from __future__ import annotations

from derive.facts import Facts, RuleError, inhabited
from derive.rules.parameters import FreeIndex, Proposition
from derive.rules.sequent import Premise, Sequent, conclusion, hypotheses, not_about
from derive.syntax import Sum, absolute, add, eq, exp, iverson, le, log, mul, sqrt
from derive.terms import Term


def weaken(premise: Premise) -> Sequent:
    """``a = b`` or ``a < b`` gives ``a ≤ b``."""
    left, right = conclusion(premise, "eq", "lt", "le")
    return Sequent(premise.hypotheses, le(left, right))


def not_less(premise: Premise) -> Sequent:
    """``¬(a < b)`` gives ``b ≤ a``."""
    (inner,) = conclusion(premise, "not")
    if inner.op != "lt":
        raise RuleError(f"{premise.conclusion!r}", "the negation of a strict inequality")
    left, right = inner.args
    return Sequent(premise.hypotheses, le(right, left))


def antisymmetry(first: Premise, second: Premise) -> Sequent:
    """``a ≤ b`` and ``b ≤ a`` give ``a = b``."""
    (left, right), reverse = conclusion(first, "le"), conclusion(second, "le")
    if reverse != (right, left):
        raise RuleError(f"{second.conclusion!r}", f"{right!r} ≤ {left!r}")
    return Sequent(hypotheses(first, second), eq(left, right))


def add_monotone(first: Premise, *others: Premise) -> Sequent:
    """``aᵢ ≤ bᵢ`` give ``Σaᵢ ≤ Σbᵢ``; one strict premise makes it strict."""
    premises = (first, *others)
    sides = [conclusion(p, "le", "lt", "eq") for p in premises]
    strict = any(p.conclusion.op == "lt" for p in premises)
    left, right = (add(*side) for side in zip(*sides, strict=True))
    return Sequent(hypotheses(*premises), Term("lt" if strict else "le", (left, right)))


def sum_monotone(premise: Premise, *, index: FreeIndex) -> Sequent:
    """``f(k) ≤ g(k)`` for every k gives ``Σ f ≤ Σ g``."""
    left, right = conclusion(premise, "le")
    rest = premise.hypotheses - {inhabited(index.kind)}  # over an empty range both sums are 0
    not_about([index], rest)
    return Sequent(rest, le(Sum(index, left), Sum(index, right)))


def scale_monotone(
    premise: Premise, *, factor: Term, given: tuple[Proposition, ...] = ()
) -> Sequent:
    """``a ≤ b`` and ``c ≥ 0`` give ``c a ≤ c b``; strict when ``a < b`` and ``c > 0``."""
    left, right = conclusion(premise, "le", "lt")
    facts = Facts(given)
    strict = premise.conclusion.op == "lt"
    (facts.positive if strict else facts.nonnegative)(factor)
    sides = (mul(factor, left), mul(factor, right))
    return Sequent(premise.hypotheses | facts.used, Term("lt" if strict else "le", sides))


def product_monotone(
    first: Premise, second: Premise, *, given: tuple[Proposition, ...] = ()
) -> Sequent:
    """``a ≤ b`` and ``c ≤ d`` give ``a c ≤ b d`` where ``a, c ≥ 0``."""
    (a, b), (c, d) = conclusion(first, "le"), conclusion(second, "le")
    facts = Facts(given)
    facts.nonnegative(a)
    facts.nonnegative(c)
    return Sequent(hypotheses(first, second) | facts.used, le(mul(a, c), mul(b, d)))


def reciprocal_antitone(premise: Premise, *, given: tuple[Proposition, ...] = ()) -> Sequent:
    """``a ≤ b`` and ``0 < a`` give ``1/b ≤ 1/a``."""
    a, b = conclusion(premise, "le")
    facts = Facts(given)
    facts.positive(a)
    return Sequent(premise.hypotheses | facts.used, le(1 / b, 1 / a))


def function_monotone(
    premise: Premise, *, function: str, given: tuple[Proposition, ...] = ()
) -> Sequent:
    """``a ≤ b`` gives ``e^a ≤ e^b``, ``√a ≤ √b``; and ``log a ≤ log b`` where ``0 < a``."""
    a, b = conclusion(premise, "le")
    facts = Facts(given)
    if function == "log":
        facts.positive(a)
    maps = {"exp": exp, "sqrt": sqrt, "log": log}
    if function not in maps:
        raise RuleError(f"the function {function!r}", "exp, sqrt or log")
    sides = map(maps[function], (a, b))
    return Sequent(premise.hypotheses | facts.used, Term("le", sides))


def absolute_value(*, term: Term) -> Sequent:
    """``|x| = √(x²)``"""
    return Sequent(frozenset(), eq(absolute(term), sqrt(term**2)))


def absolute_bound(above: Premise, below: Premise) -> Sequent:
    """``a ≤ b`` and ``-a ≤ b`` give ``|a| ≤ b``."""
    (a, b), (minus, also) = conclusion(above, "le"), conclusion(below, "le")
    if minus != -a or also != b:
        raise RuleError(f"{below.conclusion!r}", f"{-a!r} ≤ {b!r}")
    return Sequent(hypotheses(above, below), le(absolute(a), b))


def iverson_bound(*, proposition: Proposition) -> Sequent:
    """``[p] ≤ 1``"""
    return Sequent(frozenset(), le(iverson(proposition), 1))


def log_bound(*, term: Term, given: tuple[Proposition, ...] = ()) -> Sequent:
    """``log x ≤ x − 1`` for ``x > 0``."""
    facts = Facts(given)
    facts.positive(term)
    return Sequent(frozenset(facts.used), le(log(term), term - 1))


RULES = {
    "weaken": weaken,
    "not less": not_less,
    "antisymmetry": antisymmetry,
    "add monotone": add_monotone,
    "sum monotone": sum_monotone,
    "scale monotone": scale_monotone,
    "product monotone": product_monotone,
    "reciprocal antitone": reciprocal_antitone,
    "function monotone": function_monotone,
    "absolute value": absolute_value,
    "absolute bound": absolute_bound,
    "iverson bound": iverson_bound,
    "log bound": log_bound,
}
