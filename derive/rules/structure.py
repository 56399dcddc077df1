"""Rules about propositions as such: assuming, chaining, instantiating, quantifying. *Trusted.*"""

from __future__ import annotations

from types import MappingProxyType

from derive.binding import as_term, bind, open_, rename_ranges, substitute
from derive.facts import RuleError, inhabited, is_random, no_longer_inhabited
from derive.rules.parameters import FreeIndex, Proposition
from derive.rules.sequent import Premise, Sequent, conclusion, hypotheses, not_about
from derive.signature import Array, Range
from derive.syntax import conjoin, eq, forall, implies, negate
from derive.terms import Term

STRENGTH = MappingProxyType({"eq": 0, "le": 1, "lt": 2})


def assume(*, proposition: Proposition) -> Sequent:
    """``p ⊢ p``"""
    return Sequent(frozenset({proposition}), proposition)


def reflexivity(*, term: Term) -> Sequent:
    """``⊢ a = a``"""
    return Sequent(frozenset(), eq(term, term))


def symmetry(premise: Premise) -> Sequent:
    """``a = b`` gives ``b = a``."""
    left, right = conclusion(premise, "eq")
    return Sequent(premise.hypotheses, eq(right, left))


def transitivity(first: Premise, second: Premise) -> Sequent:
    """``a R b`` and ``b S c`` give ``a T c``, with T the stronger of =, ≤, <."""
    (left, middle), (meeting, right) = (conclusion(p, *STRENGTH) for p in (first, second))
    if middle != meeting:
        raise RuleError(f"a chain that breaks: {middle!r} is not {meeting!r}")
    op = max(first.conclusion.op, second.conclusion.op, key=STRENGTH.__getitem__)
    return Sequent(hypotheses(first, second), Term(op, (left, right)))


def cut(theorem: Premise, lemma: Premise) -> Sequent:
    """A hypothesis that the lemma proves is replaced by the lemma's hypotheses."""
    if lemma.conclusion not in theorem.hypotheses:
        raise RuleError(f"the lemma {lemma.conclusion!r}", "one of the theorem's hypotheses")
    rest = theorem.hypotheses - {lemma.conclusion}
    return Sequent(rest | lemma.hypotheses, theorem.conclusion)


def conjunction(first: Premise, second: Premise) -> Sequent:
    """``p`` and ``q`` give ``p ∧ q``."""
    return Sequent(hypotheses(first, second), conjoin(first.conclusion, second.conclusion))


def discharge(theorem: Premise, *, hypothesis: Proposition) -> Sequent:
    """``Γ, p ⊢ q`` gives ``Γ ⊢ p ⇒ q``."""
    rest = theorem.hypotheses - {hypothesis}
    return Sequent(rest, implies(hypothesis, theorem.conclusion))


def cases(first: Premise, second: Premise, *, on: Proposition) -> Sequent:
    """``Γ, p ⊢ q`` and ``Δ, ¬p ⊢ q`` give ``Γ, Δ ⊢ q``."""
    if first.conclusion != second.conclusion:
        raise RuleError(f"{second.conclusion!r}", f"{first.conclusion!r} in both cases")
    rest = (first.hypotheses - {on}) | (second.hypotheses - {negate(on)})
    return Sequent(rest, first.conclusion)


def absurd(premise: Premise, *, proposition: Proposition) -> Sequent:
    """An equation between two different numbers gives anything."""
    left, right = conclusion(premise, "eq")
    if left.op != "num" or right.op != "num" or left == right:
        raise RuleError(f"{premise.conclusion!r}", "an equation between two different numbers")
    return Sequent(premise.hypotheses, proposition)


def modus_ponens(implication: Premise, premise: Premise) -> Sequent:
    """``p ⇒ q`` and ``p`` give ``q``."""
    condition, consequence = conclusion(implication, "imp")
    if condition != premise.conclusion:
        raise RuleError(f"{premise.conclusion!r}", f"the condition {condition!r}")
    return Sequent(hypotheses(implication, premise), consequence)


def generalize(theorem: Premise, *, variable: Term) -> Sequent:
    """``Γ ⊢ p`` gives ``Γ ⊢ ∀v. p`` when v is in no hypothesis."""
    not_about([variable], theorem.hypotheses)
    return Sequent(theorem.hypotheses, forall(variable, theorem.conclusion))


def instantiate(theorem: Premise, *, value: Term) -> Sequent:
    """``∀v. p(v)`` gives ``p(a)``; a random value is refused, since p may average over it."""
    if theorem.conclusion.op != "all" or value.kind != theorem.conclusion.data:
        raise RuleError(f"{value!r} for {theorem.conclusion!r}", "∀ over values of that kind")
    _constant(value)
    return Sequent(theorem.hypotheses, open_(theorem.conclusion.args[0], value))


def extensionality(theorem: Premise, *, index: FreeIndex) -> Sequent:
    """``Γ ⊢ f(i) = g(i)`` gives ``Γ ⊢ λi.f = λi.g`` when i is in no hypothesis."""
    left, right = conclusion(theorem, "eq")
    not_about([index], theorem.hypotheses - {inhabited(index.kind)})
    rest = theorem.hypotheses - {inhabited(index.kind)}  # over an empty range both are empty
    return Sequent(rest, eq(bind("lam", index, left), bind("lam", index, right)))


def entry(theorem: Premise, *, index: Term) -> Sequent:
    """``A = B`` gives ``A[i] = B[i]``."""
    left, right = conclusion(theorem, "eq")
    return Sequent(theorem.hypotheses, eq(left[index], right[index]))


def exists(theorem: Premise, *, index: FreeIndex) -> Sequent:
    """``0 < n`` need not be assumed of a statement about an index i of that range."""
    if index not in theorem.conclusion.names:
        raise RuleError(f"the index {index!r}", "an index that occurs in the conclusion")
    return Sequent(theorem.hypotheses - {inhabited(index.kind)}, theorem.conclusion)


def specialize(
    theorem: Premise,
    *,
    ranges: tuple[tuple[Range, Range], ...] = (),
    values: tuple[tuple[Term | Array, Term | Array], ...] = (),
) -> Sequent:
    """Other ranges, then terms for free variables and arrays, throughout a theorem.

    Ranges are arbitrary finite sets, so any range will do for an undivided one. Nothing random
    may be put in, and no array is replaced that is random or named by bij, indep or moments.
    """
    if any(old.parts for old, _ in ranges):
        raise RuleError(f"the ranges {ranges!r}", "an undivided range on the left")
    renaming = dict(ranges)
    propositions = [theorem.conclusion, *theorem.hypotheses]
    propositions = [rename_ranges(p, renaming) for p in propositions]
    replacements = {name: as_term(value) for name, value in values}
    for name, value in replacements.items():
        _replaceable(name, value, propositions)
    new = [substitute(p, replacements) for p in propositions]
    before, after = (frozenset().union(*(p.names for p in ps)) for ps in (propositions, new))
    return Sequent(frozenset(new[1:]) | no_longer_inhabited(before, after), new[0])


def _replaceable(name: Term | Array, value: Term, propositions: list[Term]) -> None:
    _constant(value)
    if type(name) is Array:
        if name.random or any(_names_array(p, name) for p in propositions):
            raise RuleError(f"the array {name!r}", "one that no bij, indep or moments names")
    elif name.op not in ("ix", "sym"):
        raise RuleError(f"{name!r}", "a free index or a real variable")
    if name.kind != value.kind:
        raise RuleError(f"{value!r} for {name!r}", f"a value of kind {name.kind}")


def _names_array(p: Term, array: Array) -> bool:
    if p.op in ("bij", "indep", "moments"):
        return array == p.data or (type(p.data) is tuple and array in p.data)
    return any(_names_array(arg, array) for arg in p.args)


def _constant(value: Term) -> None:
    if value.loose or is_random(value):
        raise RuleError(f"{value!r} in place of a constant", "a term with nothing random in it")


RULES = {
    "assume": assume,
    "reflexivity": reflexivity,
    "symmetry": symmetry,
    "transitivity": transitivity,
    "cut": cut,
    "conjunction": conjunction,
    "cases": cases,
    "absurd": absurd,
    "discharge": discharge,
    "modus ponens": modus_ponens,
    "generalize": generalize,
    "instantiate": instantiate,
    "extensionality": extensionality,
    "entry": entry,
    "exists": exists,
    "specialize": specialize,
}
