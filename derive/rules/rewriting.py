"""Laws applied inside a term: congruence, and the table of laws. *Trusted file.*"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from types import MappingProxyType

from derive.binding import rebind, rebuild, substitute, unfold
from derive.errors import TermError
from derive.facts import Facts, RuleError, match, no_longer_inhabited
from derive.kinds import BINDERS
from derive.normal import normal_form
from derive.rules import calculus, chance, functions, sums
from derive.rules.parameters import Proposition
from derive.rules.sequent import Premise, Sequent, conclusion
from derive.signature import Definition
from derive.syntax import eq
from derive.terms import Term

Law = Callable[[Term, Facts], Term]


def multiply_out(term: Term, facts: Facts) -> Term:
    """A number in normal form."""
    return normal_form(term, facts)


LAWS: Mapping[str, Law] = MappingProxyType(
    {
        "multiply out": multiply_out,
        **sums.LAWS,
        **chance.LAWS,
        **calculus.LAWS,
        **functions.LAWS,
    }
)
LAW_NAMES = ("assumption", "definition", "lemma", *sorted(LAWS))
MOST_STEPS = 2000  # applications of laws in one rewriting


def rewrite(
    *lemmas: Premise,
    term: Term,
    law: str,
    path: tuple[int, ...] = (),
    given: tuple[Proposition, ...] = (),
) -> Sequent:
    """``term = term'`` where the law was applied at the path.

    Under a binder the law may use that its range has an element; inside ``[p]·f`` it may use p.
    With a lemma (law ``"lemma"``) the lemma's equation is used from left to right, its free
    variables being filled where no hypothesis of it mentions them.
    """
    facts = Facts(given)
    (apply,) = _laws((law,), lemmas, facts)
    new = _at(term, path, facts, apply)
    return Sequent(frozenset(facts.used), eq(term, new), frozenset(facts.laws))


def rewrite_everywhere(
    *lemmas: Premise,
    term: Term,
    laws: tuple[str, ...],
    given: tuple[Proposition, ...] = (),
    definitions: tuple[Definition, ...] = (),
    equations: tuple[Proposition, ...] = (),
) -> Sequent:
    """``term = term'`` where the laws were applied wherever they apply, outermost first.

    The law ``"definition"`` opens the given definitions only, and ``"assumption"`` uses the given
    equations only; otherwise as `rewrite`.
    """
    facts = Facts(given)
    new = _Everywhere(facts, _laws(laws, lemmas, facts, definitions, equations)).of(term)
    facts.use(*_brought_and_lost(lemmas, facts.used, eq(term, new)))
    return Sequent(frozenset(facts.used), eq(term, new), frozenset(facts.laws))


def _brought_and_lost(
    lemmas: tuple[Premise, ...], used: Iterable[Term], result: Term
) -> frozenset[Term]:
    """``0 < n`` where a lemma brings an index from nowhere and another law took it away again.

    Asked of the whole result: what holds at a place only (an element of the range that is summed
    over there) is no witness outside of it.
    """
    sides = [conclusion(lemma, "eq") for lemma in lemmas]
    brought = frozenset().union(*(right.names - left.names for left, right in sides))
    left_over = result.names.union(*(p.names for p in used))
    return no_longer_inhabited(brought, left_over)


def _laws(
    names: tuple[str, ...],
    lemmas: tuple[Premise, ...],
    facts: Facts,
    definitions: tuple[Definition, ...] | None = None,
    equations: tuple[Term, ...] | None = None,
    table: Mapping[str, Law] = LAWS,
) -> list[Callable[[Term], Term]]:
    """The named laws as functions of a node, ``"lemma"`` taking the premises one by one."""
    if names.count("lemma") != len(lemmas):
        raise RuleError(f"{len(lemmas)} lemmas", f"one for each law 'lemma' in {names}")
    rest, out = iter(lemmas), []
    for name in names:
        if name == "lemma":
            out.append(partial(_by_lemma, next(rest), facts))
        elif name == "assumption":
            out.append(partial(_by_assumption, equations, facts))
        elif name == "definition":
            out.append(partial(_by_definition, definitions, facts))
        elif name in table:
            out.append(partial(_by_law, table[name], name, facts))
        else:
            raise RuleError(f"the law {name!r}", f"one of {', '.join(LAW_NAMES)}")
    return out


def _by_law(law: Law, name: str, facts: Facts, term: Term) -> Term:
    if term.op not in STARTS.get(name, (term.op,)):
        raise RuleError(f"{name} at a node {term.op}", " or ".join(sorted(STARTS[name])))
    return law(term, facts)


def _by_definition(only: tuple[Definition, ...] | None, facts: Facts, term: Term) -> Term:
    """A definition opened."""
    if term.op != "def" or (only is not None and term.data not in only):
        raise RuleError(f"a node {term.op}", "a definition that may be opened")
    facts.law(f"definition of {term.data}")
    return unfold(term)


def _by_assumption(only: tuple[Term, ...] | None, facts: Facts, term: Term) -> Term:
    """An assumed equation, used from left to right."""
    for right, consumed in facts.equations(term):
        if only is None or consumed & set(only):
            facts.use(*consumed)
            return right
    raise RuleError(f"a node {term.op}", "the left side of an assumed equation")


STARTS = MappingProxyType(
    {
        "linearity": {"E"},
        "independence": {"E"},
        "derivative": {"D"},
        "reindex": {"sum"},
        "split": {"sum"},
        "empty": {"sum", "size"},
        "injective": {"iv"},
        "single": {"sum"},
        "product of sums": {"mul", "pow"},
        "logarithm": {"fn"},
        "angle addition": {"fn"},
    }
)


class _Everywhere:
    """Laws applied at every place of a term until none applies."""

    def __init__(self, facts: Facts, laws: list[Callable[[Term], Term]]) -> None:
        self.facts, self.laws, self.left = facts, laws, MOST_STEPS

    def of(self, term: Term) -> Term:
        while True:
            term = self._here(term)
            new = self._inside(term)
            if new is term:
                return term
            term = new
            if self._step(term) is None:
                return term

    def _here(self, term: Term) -> Term:
        new = self._step(term)
        while new is not None:
            term, new = new, self._step(new)
        return term

    def _step(self, term: Term) -> Term | None:
        """The first law that changes this very node, or None."""
        for law in self.laws:
            used, names = set(self.facts.used), set(self.facts.laws)
            try:
                new = law(term)
            except (RuleError, TermError):
                new = term
            if new != term and new.kind == term.kind:
                self.left -= 1
                if not self.left:
                    raise RuleError(
                        f"{MOST_STEPS} rewriting steps", "laws that simplify", "one at one place"
                    )
                return new
            self.facts.used, self.facts.laws = used, names
        return None

    def _inside(self, term: Term) -> Term:
        if not term.args:
            return term
        if term.op in BINDERS:
            with self.facts.inside(term) as (variable, body):
                new = self.of(body)
            return term if new is body else rebind(term, variable, new)
        args = list(term.args)
        for position in range(len(args)):
            with self.facts.assuming(*_guards(rebuild(term, args), position)):
                args[position] = self.of(args[position])
        same = all(new is old for new, old in zip(args, term.args, strict=True))
        return term if same else rebuild(term, args)


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


def _by_lemma(lemma: Premise, facts: Facts, term: Term) -> Term:
    left, right = conclusion(lemma, "eq")
    fixed = frozenset().union(*(h.names for h in lemma.hypotheses))
    variables = frozenset(v for v in left.free if v not in fixed)
    values = match(left, term, variables)
    if values is None:
        raise RuleError(term, f"an instance of {left!r}")
    facts.use(*lemma.hypotheses)
    return substitute(right, values)


RULES = {"rewrite": rewrite, "rewrite everywhere": rewrite_everywhere}
