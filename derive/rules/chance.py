"""Laws of expectation, from moments alone. *Trusted file.*

An expectation that does not exist counts as 0, so linearity needs integrability: it is shown for
polynomials in the entries of random arrays, from finite moments (Hölder) and independence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from derive.binding import fresh, rebind, rebuild, unbind, unfold
from derive.facts import Facts, RuleError, is_random
from derive.signature import Array
from derive.syntax import E
from derive.terms import Term


def linearity(term: Term, facts: Facts) -> Term:
    """One step of linearity: a constant, a sum, a finite sum, a constant factor."""
    inner = _expected(term)
    args = inner.args
    if not is_random(inner):
        facts.law("expectation of a constant")
        return inner
    facts.law("linearity of expectation")
    if inner.op == "add":
        _integrable(inner, facts)
        return rebuild(inner, map(E, args))
    if inner.op == "sum":
        _integrable(inner, facts)
        index, body = unbind(inner)
        return rebind(inner, index, E(body))
    if inner.op == "neg":
        return rebuild(inner, (E(args[0]),))
    if inner.op == "mul":
        constants = [arg for arg in args if not is_random(arg)]
        if constants:
            return _product([*constants, E(_product([a for a in args if is_random(a)]))])
    if inner.op == "div" and not is_random(args[1]):
        return rebuild(inner, (E(args[0]), args[1]))
    raise RuleError(term, "the expectation of a sum, or of a constant times something")


def independence(term: Term, facts: Facts) -> Term:
    """``E[f(x) g(y)] = E[f(x)] E[g(y)]`` for arrays that are assumed independent."""
    inner = _expected(term)
    factors = inner.args if inner.op == "mul" else ()
    for proposition in facts.given:
        if proposition.op != "indep":
            continue
        groups = [[f for f in factors if _random(f) == {array}] for array in proposition.data]
        groups = [group for group in groups if group]
        if len(groups) >= 2 and sum(map(len, groups)) == len(factors):
            facts.use(proposition)
            facts.law(f"independence of {' and '.join(map(str, proposition.data))}")
            return Term("mul", (E(_product(group)) for group in groups))
    raise RuleError(term, "a product whose factors belong to arrays assumed independent")


def _expected(term: Term) -> Term:
    if term.op != "E":
        raise RuleError(term, "an expectation")
    return term.args[0]


def _random(term: Term) -> set[Array]:
    return {array for array in term.arrays if array.random}


def _product(factors: list[Term]) -> Term:
    return factors[0] if len(factors) == 1 else Term("mul", factors)


def _integrable(term: Term, facts: Facts) -> None:
    """Every monomial of the polynomial has a finite expectation, or refuse."""
    degrees = _degrees(term)
    together = sum(degrees.values())
    independent = next((p for p in facts.given if _covers(p, degrees)), None)
    if independent is not None:
        facts.use(independent)
    for array, degree in sorted(degrees.items(), key=str):
        _finite_moment(array, degree if independent is not None else together, facts)


def _covers(proposition: Term, degrees: Counter) -> bool:
    return proposition.op == "indep" and len(degrees) > 1 and set(degrees) <= set(proposition.data)


def _degrees(term: Term) -> Counter:
    """The degree of a polynomial in the entries of each random array."""
    if not is_random(term) or term.op == "E":
        return Counter()
    op, args = term.op, term.args
    if op == "entry" and not any(map(is_random, args)):
        return Counter({term.data: 1})
    if op in ("add", "neg"):
        return _largest(map(_degrees, args))
    if op == "sum":
        return _degrees(unbind(term)[1])
    if op == "mul":
        return sum(map(_degrees, args), Counter())
    if op == "div" and not is_random(args[1]):
        return _degrees(args[0])
    if op == "pow" and term.data[1] == 1 and term.data[0] >= 0:
        return Counter({a: n * term.data[0] for a, n in _degrees(args[0]).items()})
    if op == "def":
        return _degrees(unfold(term))
    raise RuleError(f"{term!r} under an expectation", "a polynomial in random entries")


def _largest(counters: Iterable[Counter]) -> Counter:
    out: Counter = Counter()
    for counter in counters:
        out |= counter
    return out


def _finite_moment(array: Array, order: int, facts: Facts) -> None:
    """The entries of the array have finite absolute moments of this order, or refuse."""
    for proposition in facts.given:
        known = proposition.data if proposition.op == "moments" else (None, 0)
        if known[0] == array and known[1] >= order:
            facts.use(proposition)
            return
    if order <= 2 and _second_moment_known(array, facts):
        return
    raise RuleError(
        f"a moment of order {order} of {array}",
        "one that is finite",
        f"assume moments({array}, {order})",
    )


def _second_moment_known(array: Array, facts: Facts) -> bool:
    """A second moment that is assumed to be some non-zero number exists, for it is not 0."""
    entry = array[tuple(map(fresh, array.axes))]
    for square in (entry**2, entry * entry):
        for value, consumed in facts.equations(E(square)):
            if facts.is_nonzero(value):
                facts.use(*consumed)
                return True
    return False


LAWS = {"linearity": linearity, "independence": independence}
