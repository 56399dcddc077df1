"""Chains of steps: how proofs are written. *Not trusted*: every step is made by the kernel.

>>> from derive.syntax import *
>>> n, = ranges("n"); j, l = indices("j l", n); s = Array("s", (n,))
>>> softmax = Definition("softmax", (s,), (j,), exp(s[j]) / Sum(l, exp(s[l])))
>>> theorem = (
...     calc(Sum(j, softmax(s)[j]), given=[inhabited(n)])
...     .eq(Sum(j, exp(s[j])) / Sum(l, exp(s[l])), by=softmax)
...     .eq(1, by=algebra)
...     .qed()
... )
>>> theorem.theorem.conclusion.op
'eq'
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from derive.binding import as_term
from derive.diagnosis import SYMBOLS, StepError, wrong_line
from derive.errors import DeriveError, TermError
from derive.facts import RuleError, inhabited
from derive.kernel import Theorem, genuine, infer
from derive.rules.rewriting import STARTS
from derive.signature import PROP, Array, Definition, Range
from derive.syntax import negate
from derive.terms import Term


@dataclass(frozen=True)
class Law:
    """A way to justify a step: laws of the kernel to rewrite with, tried in this order."""

    reason: str
    laws: tuple[str, ...] = ()
    given: tuple[Term, ...] = ()
    lemmas: tuple[Any, ...] = ()
    definitions: tuple[Definition, ...] = ()


algebra = Law("algebra")
linearity = Law("linearity of expectation", ("linearity", "product of sums"))
independence = Law("independence", ("independence",))
differentiation = Law("differentiation", ("derivative",))
reindexing = Law("reindexing by a bijection", ("reindex",))
splitting = Law("a sum over a disjoint union", ("split",))
injectivity = Law("a bijection is injective", ("injective",))
emptiness = Law("an empty sum is 0", ("empty",))
singleton = Law("a sum over a single element", ("single",))
logarithms = Law("laws of the logarithm", ("logarithm",))
angles = Law("angle addition", ("angle addition",))
LEMMA = "lemma"  # the name of a theorem that has none
Justification = Law | Definition | Term | Any


@dataclass(frozen=True)
class Step:
    """One line: ``left relation right``, why, and the theorem that says so.

    `uses` are the assumptions behind it, `lemmas` the theorems that it cites, each with its name.
    """

    theorem: Any
    rule: str
    uses: tuple[Term, ...] = ()
    lemmas: tuple[tuple[str, Any], ...] = ()
    file: str = ""
    line: int = 0

    @property
    def relation(self) -> str:
        return SYMBOLS.get(self.theorem.conclusion.op, "")

    @property
    def left(self) -> Term:
        return self.theorem.conclusion.args[0]

    @property
    def right(self) -> Term:
        return self.theorem.conclusion.args[-1]


@dataclass(frozen=True)
class Proof:
    """A theorem with the lines that lead to it."""

    theorem: Any
    steps: tuple[Step, ...]
    name: str = ""
    title: dict[str, str] = field(default_factory=dict)
    source: str = ""
    doc: str = ""
    parts: tuple[Any, ...] = ()  # the theorems of a statement made of several

    @property
    def statement(self) -> Term:
        return self.theorem.conclusion

    @property
    def assumptions(self) -> tuple[Term, ...]:
        """What was consumed, in a fixed order."""
        return tuple(sorted(self.theorem.hypotheses, key=repr))


@dataclass(frozen=True)
class Chain:
    """``first R₁ … Rₙ last``, grown a line at a time; each line is proved when it is added."""

    first: Term
    given: tuple[Term, ...] = ()
    steps: tuple[Step, ...] = ()

    @property
    def last(self) -> Term:
        return self.steps[-1].right if self.steps else self.first

    def eq(self, right: Any, *, by: Justification | tuple = algebra) -> Chain:
        """The last term equals `right`."""
        return self._extended("eq", as_term(right), by, *_caller())

    def le(self, right: Any, *, by: Any) -> Chain:
        """The last term is at most `right`, by a theorem that says so."""
        return self._extended("le", as_term(right), by, *_caller())

    def lt(self, right: Any, *, by: Any) -> Chain:
        """The last term is less than `right`, by a theorem that says so."""
        return self._extended("lt", as_term(right), by, *_caller())

    def qed(self) -> Proof:
        """The whole chain as one theorem."""
        if not self.steps:
            theorem = infer("reflexivity", term=self.first)
        else:
            theorem = self.steps[0].theorem
            for step in self.steps[1:]:
                theorem = infer("transitivity", theorem, step.theorem)
        return Proof(_without_ranges(theorem), self.steps)

    def _extended(self, op: str, right: Term, by: Any, file: str, line: int) -> Chain:
        laws = _laws(by)
        try:
            theorem = prove_step(op, self.last, right, laws, self.given)
        except (RuleError, TermError) as error:
            raise wrong_line(self, op, right, laws, error, file, line) from error
        used = _laws_used(theorem, {id(lemma) for law in laws for lemma in law.lemmas})
        reason = _reason(law for law in laws if law.laws != ("definition",) or law.reason in used)
        lemmas = tuple((law.reason, lemma) for law in laws for lemma in law.lemmas)
        uses = tuple(sorted(theorem.hypotheses, key=repr))
        step = Step(theorem, reason, uses, lemmas, file, line)
        return replace(self, steps=(*self.steps, step))


def calc(first: Any, *, given: Iterable[Term] = ()) -> Chain:
    """Start a chain at a term; `given` are assumptions that steps may consume."""
    return Chain(as_term(first), tuple(given))


def _reason(laws: Iterable[Law]) -> str:
    return ", ".join(dict.fromkeys(law.reason for law in laws)) or algebra.reason


def _laws_used(theorem: Any, lemmas: set[int]) -> set[str]:
    """The laws that made a theorem, those of its lemmas left out."""
    if id(theorem) in lemmas:
        return set()
    return set(theorem.laws).union(*(_laws_used(p, lemmas) for p in theorem.premises))


# ------------------------------------------------------------------ whole proofs


def by_kernel(reason: str, rule: str, *premises: Any, **arguments: Any) -> Proof:
    """One application of a rule, as a proof of one line."""
    file, line = _caller()
    theorem = _without_ranges(infer(rule, *premises, **arguments))
    uses = tuple(sorted(theorem.hypotheses, key=repr))
    return Proof(theorem, (Step(theorem, reason, uses, (), file, line),))


def argument(*lines: tuple[str, Any, *tuple[Any, ...]]) -> Proof:
    """A proof that is not one chain: (reason, theorem, cited …) a line; the last is the theorem."""
    file, number = _caller()
    steps = tuple(_argued(*line, file=file, number=number) for line in lines)
    return Proof(steps[-1].theorem, steps)


def _argued(reason: str, theorem: Any, *cited: Any, file: str, number: int) -> Step:
    theorem, laws = _without_ranges(theorem), _laws(cited)
    lemmas = tuple((law.reason, lemma) for law in laws for lemma in law.lemmas)
    words = ", ".join((reason, *(name for name, _ in lemmas)))
    return Step(theorem, words, tuple(sorted(theorem.hypotheses, key=repr)), lemmas, file, number)


def by_cases(condition: Term, proof: Callable[[Term], Proof]) -> Proof:
    """A statement shown once with the condition given and once with its negation."""
    holds, fails = proof(condition), proof(negate(condition))
    theorem = infer("cases", holds.theorem, fails.theorem, on=condition)
    return Proof(theorem, holds.steps)


def entrywise(proof: Proof, *indices: Term) -> Proof:
    """From an equation for every entry to one between arrays."""
    theorem = proof.theorem
    for index in reversed(indices):
        theorem = infer("extensionality", theorem, index=index)
    file, line = _caller()
    uses = tuple(sorted(theorem.hypotheses, key=repr))
    step = Step(theorem, "equal entry by entry", uses, (), file, line)
    return Proof(theorem, (*proof.steps, step))


def both(first: Proof, *others: Proof) -> Proof:
    """Several theorems as one statement."""
    theorem, steps = first.theorem, first.steps
    for other in others:
        theorem = infer("conjunction", theorem, other.theorem)
        steps = (*steps, *other.steps)
    return Proof(theorem, steps, parts=tuple(p.theorem for p in (first, *others)))


# ------------------------------------------------------------------ one step


def prove_step(
    op: str, left: Term, right: Term, laws: tuple[Law, ...], given: tuple[Term, ...]
) -> Any:
    """A theorem ``left op right`` by these laws, with as few assumptions as will do."""
    if op != "eq":
        return _order_step(op, left, right, laws, given)
    scope = tuple(inhabited(over) for over in _ranges_in_scope(left, right))
    candidates = dict.fromkeys((*given, *(p for law in laws for p in law.given), *scope))
    theorem = _equal(left, right, laws, tuple(candidates))
    return _fewest(left, right, laws, _without_ranges(theorem), scope)


def _fewest(left: Term, right: Term, laws: tuple, theorem: Any, scope: tuple[Term, ...]) -> Any:
    """Drop side conditions that algebra used but did not need."""
    conditions = (h for h in theorem.hypotheses if h.op in ("lt", "le", "not"))
    for assumption in sorted(conditions, key=repr):
        fewer = tuple(h for h in theorem.hypotheses if h != assumption)
        try:
            theorem = _without_ranges(_equal(left, right, laws, (*fewer, *scope)))
        except (RuleError, TermError):
            continue
    return theorem


def _equal(left: Term, right: Term, laws: tuple[Law, ...], given: tuple[Term, ...]) -> Any:
    """Rewrite both sides as far as the laws go; algebra closes the gap."""
    there, back = (_exhaust(side, laws, given) for side in (left, right))
    middle_left, middle_right = there.conclusion.args[1], back.conclusion.args[1]
    if middle_left != middle_right:
        gap = infer("algebra", left=middle_left, right=middle_right, given=given)
        there = infer("transitivity", there, gap)
    return infer("transitivity", there, infer("symmetry", back))


def _exhaust(term: Term, laws: tuple[Law, ...], given: tuple[Term, ...]) -> Any:
    """The term rewritten as far as the laws go."""
    return infer(
        "rewrite everywhere",
        *(lemma for law in laws for lemma in law.lemmas),
        term=term,
        laws=[name for law in laws for name in (*law.laws, *("lemma" for _ in law.lemmas))],
        given=given,
        definitions=[d for law in laws for d in law.definitions],
        equations=[p for law in laws for p in law.given],
    )


def _attempts(law: Law) -> list[tuple[str, tuple]]:
    return [(name, ()) for name in law.laws] + [("lemma", (lemma,)) for lemma in law.lemmas]


def _may_apply(name: str, place: Term, law: Law) -> bool:
    """Whether a law can apply at a place at all; the kernel decides the rest."""
    if name == "definition":
        return place.op == "def" and place.data in law.definitions
    return place.op in STARTS.get(name, {place.op})


def places(term: Term, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Term]]:
    """Every node with its path, outermost first."""
    yield path, term
    for position, arg in enumerate(term.args):
        yield from places(arg, (*path, position))


def _order_step(op: str, left: Term, right: Term, laws: tuple[Law, ...], given: tuple) -> Any:
    """An inequality by a theorem; algebra adapts both of its sides."""
    lemmas = [lemma for law in laws for lemma in law.lemmas]
    if len(lemmas) != 1 or lemmas[0].conclusion.op not in SYMBOLS:
        raise RuleError("a step ≤ or <", "one theorem that says it", "by=theorem")
    lemma = lemmas[0]
    below, above = lemma.conclusion.args
    theorem = infer("transitivity", _equal(left, below, (), given), lemma)
    theorem = infer("transitivity", theorem, _equal(above, right, (), given))
    if op == "le" and theorem.conclusion.op != "le":
        theorem = infer("weaken", theorem)
    if theorem.conclusion.op != op:
        raise RuleError(f"{theorem.conclusion!r}", "a strict inequality")
    return _without_ranges(theorem)


def _ranges_in_scope(*terms: Term) -> list[Range]:
    found = {i.kind for term in terms for i in term.free if i.op == "ix"}
    return sorted(found, key=str)


def _without_ranges(theorem: Any) -> Any:
    """A range has an element wherever the statement speaks of one."""
    for index in theorem.conclusion.free:
        if index.op == "ix" and inhabited(index.kind) in theorem.hypotheses:
            theorem = infer("exists", theorem, index=index)
    return theorem


def _laws(by: Any) -> tuple[Law, ...]:
    """What an author may write after ``by=``."""
    if type(by) is Law:
        return (by,)
    if type(by) is Definition:
        return (Law(f"definition of {by.name}", ("definition",), definitions=(by,)),)
    if type(by) is Term and by.kind == PROP:
        return (Law("assumption", ("assumption",), (by,)),)
    if type(by) is Theorem:
        return (Law(LEMMA, lemmas=(genuine(by),)),)
    if hasattr(by, "theorem"):
        return (Law(by.name or LEMMA, lemmas=(genuine(by.theorem),)),)
    if type(by) in (tuple, list):
        return tuple(law for part in by for law in _laws(part))
    raise DeriveError(
        f"by={by!r}",
        "a law (algebra, linearity, …), a definition, an assumption, a theorem, or several",
    )


# ------------------------------------------------------------------ a line that fails


def _caller() -> tuple[str, int]:
    frame = sys._getframe(2)
    return frame.f_code.co_filename, frame.f_lineno


__all__ = [
    "Array",
    "Chain",
    "Law",
    "Proof",
    "Step",
    "StepError",
    "algebra",
    "angles",
    "argument",
    "both",
    "by_cases",
    "by_kernel",
    "calc",
    "differentiation",
    "emptiness",
    "entrywise",
    "independence",
    "inhabited",
    "injectivity",
    "linearity",
    "logarithms",
    "reindexing",
    "singleton",
    "splitting",
]
