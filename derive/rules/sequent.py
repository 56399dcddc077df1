"""What a rule returns, and how it reads its premises. *Trusted file.*"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from derive.facts import RuleError
from derive.terms import Term


class Sequent(NamedTuple):
    """``hypotheses ⊢ conclusion``, and the laws that were used on the way."""

    hypotheses: frozenset[Term]
    conclusion: Term
    laws: frozenset[str] = frozenset()


class Premise(Protocol):
    """A theorem, as a rule sees it."""

    hypotheses: frozenset[Term]
    conclusion: Term


def conclusion(premise: Premise, *ops: str) -> tuple[Term, ...]:
    """The parts of a premise's conclusion, which must be one of these propositions."""
    found = premise.conclusion
    if found.op not in ops:
        raise RuleError(f"the premise {found!r}", f"a proposition of the form {' or '.join(ops)}")
    return found.args


def hypotheses(*premises: Premise) -> frozenset[Term]:
    return frozenset().union(*(premise.hypotheses for premise in premises))


def not_about(variables: Iterable[Term], assumptions: Iterable[Term]) -> None:
    """A variable that is to be bound may occur in no assumption."""
    for assumption in assumptions:
        for variable in variables:
            if variable in assumption.names:
                raise RuleError(f"{variable!r} occurs in the assumption {assumption!r}")
