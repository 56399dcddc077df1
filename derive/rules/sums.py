"""Laws of finite sums that algebra does not know. *Trusted file.*"""

from __future__ import annotations

from derive.binding import close, fresh, open_, rebind, rebuild, substitute, unbind
from derive.facts import ZERO, Facts, RuleError, inhabited
from derive.signature import Range
from derive.syntax import add, bijection, delta, inject, negate
from derive.terms import Term


def reindex(term: Term, facts: Facts) -> Term:
    """``Σ_k f(σ(k)) = Σ_m f(m)`` for a bijection σ from the range of k, which occurs only as σ(k)."""
    if term.op != "sum":
        raise RuleError(term, "a sum")
    index, body = unbind(term)
    for sigma in sorted(body.arrays, key=str):
        if sigma.axes != (term.data,) or type(sigma.out) is not Range:
            continue
        new = fresh(sigma.out)
        moved = _without(body, sigma[index], new)
        if index not in moved.names and new in moved.names and facts.holds(bijection(sigma)):
            facts.law("reindexing by a bijection")
            return Term("sum", (close(moved, new),), sigma.out, term.hint, term.origin)
    raise RuleError(term, "a sum whose index occurs only as σ(k), with σ assumed bijective")


def _without(term: Term, old: Term, new: Term) -> Term:
    if term == old:
        return new
    return rebuild(term, (_without(arg, old, new) for arg in term.args)) if term.args else term


def split(term: Term, facts: Facts) -> Term:
    """A sum over a disjoint union is the sum of the sums over its parts."""
    if term.op != "sum" or not term.data.parts:
        raise RuleError(term, "a sum over a disjoint union")
    facts.law("a sum over a disjoint union")
    parts = []
    for number, part in enumerate(term.data.parts):
        index = fresh(part)
        body = open_(term.args[0], inject(term.data, number, index))
        parts.append(Term("sum", (close(body, index),), part, term.hint, term.origin))
    return add(*parts)


def product_of_sums(term: Term, facts: Facts) -> Term:
    """``(Σ_i f)(Σ_j g) = Σ_i Σ_j f g``, also for a square."""
    if term.op == "pow" and term.data == (2, 1):
        pair = (term.args[0], term.args[0])
    else:
        pair = term.args if term.op == "mul" and len(term.args) == 2 else ()
    if not pair or any(factor.op != "sum" for factor in pair):
        raise RuleError(term, "a product of two sums, or the square of one")
    facts.law("a product of sums is a double sum")
    (i, f), (j, g) = map(unbind, pair)
    return rebind(pair[0], i, rebind(pair[1], j, Term("mul", (f, g))))


def single(term: Term, facts: Facts) -> Term:
    """``Σ_k f(k) = f(p)`` over a range whose elements are all assumed to be p."""
    if term.op != "sum":
        raise RuleError(term, "a sum")
    index, body = unbind(term)
    for element, consumed in facts.equations(index):
        if index not in element.names:
            facts.use(*consumed)
            facts.law("a sum over a single element")
            return substitute(body, {index: element})
    raise RuleError(term, "a sum over a range whose elements are all assumed equal")


def empty(term: Term, facts: Facts) -> Term:
    """The size of a range that is assumed to have no element, and any sum over it, is 0."""
    if term.op not in ("sum", "size") or not facts.holds(negate(inhabited(term.data))):
        raise RuleError(term, "a sum over a range assumed empty")
    facts.law("an empty sum is 0")
    return ZERO


def injective(term: Term, facts: Facts) -> Term:
    """``[σ(i) = σ(j)] = [i = j]`` for a bijection σ."""
    sides = term.args[0].args if term.op == "iv" and term.args[0].op == "eq" else ()
    if sides and all(side.op == "entry" and len(side.args) == 1 for side in sides):
        first, second = sides
        if first.data == second.data and facts.holds(bijection(first.data)):
            facts.law("a bijection is injective")
            return delta(first.args[0], second.args[0])
    raise RuleError(term, "[σ(i) = σ(j)] for a σ assumed bijective")


LAWS = {
    "injective": injective,
    "empty": empty,
    "single": single,
    "reindex": reindex,
    "split": split,
    "product of sums": product_of_sums,
}
