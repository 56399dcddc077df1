"""One law at one place of a term: congruence, and the table of laws. *Trusted file.*"""

from __future__ import annotations

from collections.abc import Callable

from derive.facts import Facts, RuleError, match
from derive.normal import normal_form
from derive.rules import calculus, chance, functions, sums
from derive.rules.sequent import Premise, Sequent, conclusion
from derive.syntax import eq
from derive.terms import BINDERS, Term, rebind, rebuild, substitute, unfold

Law = Callable[[Term, Facts], Term]


def definition(term: Term, facts: Facts) -> Term:
    """A definition opened."""
    if term.op != "def":
        raise RuleError(f"{term!r}", "a definition")
    facts.law(f"definition of {term.data}")
    return unfold(term)


def assumption(term: Term, facts: Facts) -> Term:
    """An assumed equation, used from left to right."""
    for right, consumed in facts.equations(term):
        facts.use(*consumed)
        return right
    raise RuleError(f"{term!r}", "the left side of an assumed equation")


def multiply_out(term: Term, facts: Facts) -> Term:
    """A number in normal form."""
    return normal_form(term, facts)


LAWS: dict[str, Law] = {
    "multiply out": multiply_out,
    "definition": definition,
    "assumption": assumption,
    **sums.LAWS,
    **chance.LAWS,
    **calculus.LAWS,
    **functions.LAWS,
}


def rewrite(
    *lemmas: Premise,
    term: Term,
    law: str,
    path: tuple[int, ...] = (),
    given: tuple[Term, ...] = (),
) -> Sequent:
    """``term = term'`` where the law was applied at the path.

    Under a binder the law may use that its range has an element; inside ``[p]·f`` it may use p.
    With a lemma (law ``"lemma"``) the lemma's equation is used from left to right, its free
    variables being filled where no hypothesis of it mentions them.
    """
    facts = Facts(given)
    if law == "lemma":
        (lemma,) = lemmas
        apply = lambda place: _by_lemma(place, lemma, facts)
    elif law in LAWS and not lemmas:
        apply = lambda place: LAWS[law](place, facts)
    else:
        raise RuleError(f"the law {law!r}", f"lemma, or one of {', '.join(sorted(LAWS))}")
    new = _at(term, path, facts, apply)
    return Sequent(frozenset(facts.used), eq(term, new), frozenset(facts.laws))


def _at(term: Term, path: tuple[int, ...], facts: Facts, apply: Callable[[Term], Term]) -> Term:
    if not path:
        new = apply(term)
        if new.kind != term.kind:
            raise RuleError(f"{new!r} in place of {term!r}")
        return new
    position, rest = path[0], path[1:]
    if not 0 <= position < len(term.args):
        raise RuleError(f"place {position} of {term!r}")
    if term.op in BINDERS:
        with facts.inside(term) as (variable, body):
            new = _at(body, rest, facts, apply)
        return rebind(term, variable, new)
    with facts.assuming(*_guards(term, position)):
        new = _at(term.args[position], rest, facts, apply)
    return rebuild(term, (*term.args[:position], new, *term.args[position + 1 :]))


def _guards(term: Term, position: int) -> list[Term]:
    """What may be assumed of one factor, because the product is 0 otherwise."""
    if term.op != "mul":
        return []
    others = (arg for n, arg in enumerate(term.args) if n != position)
    return [p for other in others for p in _zero_unless(other)]


def _zero_unless(term: Term) -> list[Term]:
    """Propositions without which the term is 0."""
    match term.op:
        case "iv":
            return _conjuncts(term.args[0])
        case "mul":
            return [p for factor in term.args for p in _zero_unless(factor)]
        case "neg" | "div":
            return _zero_unless(term.args[0])
    return []


def _conjuncts(p: Term) -> list[Term]:
    return [q for arg in p.args for q in _conjuncts(arg)] if p.op == "and" else [p]


def _by_lemma(term: Term, lemma: Premise, facts: Facts) -> Term:
    left, right = conclusion(lemma, "eq")
    fixed = frozenset().union(*(h.names for h in lemma.hypotheses))
    variables = frozenset(v for v in left.free if v not in fixed)
    values = match(left, term, variables)
    if values is None:
        raise RuleError(f"{term!r}", f"an instance of {left!r}")
    facts.use(*lemma.hypotheses)
    return substitute(right, values)


RULES = {"rewrite": rewrite}
