"""A proof on the stage: each line the term that was proved, each step along its own ancestry."""

from typing import Any

from animations.formula import Formula, Typeset
from animations.morph import Morph
from derive.chain import Proof, Step
from derive.notation.names import Names
from derive.notation.typst import typst
from derive.origins import origins, orphans


def lines(proof: Proof) -> tuple[Typeset, ...]:
    """Return what a chain of steps goes through, first term included, in one spelling.

    Steps that are shown above the chain, such as lemmas proved on the way, are not part of it:
    the lines end where a step does not begin at the line before.
    """
    terms = [proof.steps[0].left]
    for step in proof.steps:
        if step.left != terms[-1]:
            break
        terms.append(step.right)
    names = Names.of(*terms)
    return tuple(typst(term, names=names) for term in terms)


def advance(step: Step, old: Formula, new: Formula, **options: Any) -> Morph:
    """Return the step as a motion from its left side's formula to its right side's."""
    found = origins(step.theorem)
    return Morph(old, new, found, born=frozenset(orphans(step.right, found)), **options)
