"""Rules of limits, for a variable that goes to ∞ or to 0. *Trusted file.*

The variable is bound by the limit. A premise about it must hold throughout a neighbourhood of the
point: it may assume ``0 < β`` where β → ∞ and ``β ≠ 0`` where β → 0, and nothing else about β.
"""

from __future__ import annotations

from collections.abc import Callable

from derive.binding import open_, rebind, rebuild, substitute
from derive.facts import ZERO, Facts, RuleError, match
from derive.normal import normal_form
from derive.rules.parameters import Proposition, RealVariable
from derive.rules.sequent import Premise, Sequent, conclusion
from derive.syntax import eq, lt, negate, tends
from derive.terms import Term


def limit(
    *known: Premise,
    variable: RealVariable,
    term: Term,
    to: str,
    given: tuple[Proposition, ...] = (),
) -> Sequent:
    """The limit of a term, part by part; premises say the limits of parts.

    Sums, products, finite Σ, continuous functions; quotients whose limit below is not 0;
    ``e^(β c) → 0`` and ``β^k e^(β c) → 0`` as β → ∞, for ``c < 0`` free of β.
    """
    if any(variable in assumption.names for assumption in given):
        raise RuleError(f"an assumption about {variable!r}, which the limit binds")
    facts = Facts(given)
    rules = _Limits(variable, to, known, facts)
    value = rules.of(term)
    if variable in value.names or any(variable in used.names for used in facts.used):
        raise RuleError(f"a limit that mentions {variable!r}")
    laws = frozenset(facts.laws | {"limits, part by part"})
    return Sequent(frozenset(facts.used), tends(variable, term, value, to), laws)


class _Limits:
    def __init__(self, variable: Term, to: str, known: tuple[Premise, ...], facts: Facts) -> None:
        self.variable, self.to, self.known, self.facts = variable, to, known, facts
        for premise in known:
            conclusion(premise, "tends")

    def of(self, term: Term) -> Term:
        """The limit of the term, or refuse."""
        if self.variable not in term.names:
            return term
        for premise in self.known:
            value = self._known(premise, term)
            if value is not None:
                return value
        op, args = term.op, term.args
        if self.to == "0" and term == self.variable:
            return ZERO
        if self.to == "oo" and self._decays(term):
            return ZERO
        if op in ("add", "neg", "mul"):
            return rebuild(term, map(self.of, args))
        if op == "sum":
            with self.facts.inside(term) as (index, body):
                value = self.of(body)
            return rebind(term, index, value)
        if op == "div":
            above, below = map(self.of, args)
            if not self.facts.is_nonzero(below):
                self.facts.nonzero(normal_form(below, self.facts))
            return rebuild(term, (above, below))
        if op == "fn":
            return self._continuous(term)
        if op == "pow":
            base = self.of(args[0])
            if not (term.data[1] == 1 and term.data[0] >= 0):
                self.facts.positive(base)
            return rebuild(term, (base,))
        raise RuleError(f"the limit of {term!r}", "a rule or a premise for it")

    def _continuous(self, term: Term) -> Term:
        inner = self.of(term.args[0])
        if term.data == "log":
            self.facts.positive(inner)
        return rebuild(term, (inner,))

    def _known(self, premise: Premise, term: Term) -> Term | None:
        function, value = premise.conclusion.args
        fixed = frozenset().union(*(h.names for h in premise.hypotheses))
        if premise.conclusion.data != self.to or self.variable in fixed | premise.conclusion.names:
            return None  # a constant of the premise may bear the variable's name
        body = open_(function.args[0], self.variable)
        variables = frozenset(v for v in premise.conclusion.free if v not in fixed)
        values = match(body, term, variables)
        if values is None or any(self.variable in value.names for value in values.values()):
            return None  # what the premise calls a constant must be one
        self.facts.use(*premise.hypotheses)
        return substitute(value, values)

    def _decays(self, term: Term) -> bool:
        """``β^k e^(β c)`` with ``c < 0``, written as a product or as the exponential alone."""
        factors = term.args if term.op == "mul" else (term,)
        rest = [f for f in factors if not self._power_of_variable(f)]
        if len(rest) != 1 or rest[0].op != "fn" or rest[0].data != "exp":
            return False
        rate = self._rate(rest[0].args[0])
        return rate is not None and self._negative(rate)

    def _power_of_variable(self, factor: Term) -> bool:
        if factor.op == "pow" and factor.data[1] == 1 and factor.data[0] >= 0:
            factor = factor.args[0]
        return factor == self.variable

    def _rate(self, exponent: Term) -> Term | None:
        """The c of ``β c`` or ``-(β c)``."""
        if exponent.op == "neg":
            rate = self._rate(exponent.args[0])
            return None if rate is None else -rate
        if exponent.op != "mul" or exponent.args.count(self.variable) != 1:
            return None
        rest = tuple(arg for arg in exponent.args if arg != self.variable)
        if not rest or any(self.variable in arg.names for arg in rest):
            return None
        return rest[0] if len(rest) == 1 else rebuild(exponent, rest)

    def _negative(self, rate: Term) -> bool:
        if rate.op == "num":
            return rate.value < 0
        if rate.op == "neg" and self.facts.sign(rate.args[0], strict=True):
            return True
        return self.facts.holds(lt(rate, ZERO))


def equal_limit(
    limit: Premise, equation: Premise, *, variable: RealVariable | None = None
) -> Sequent:
    """``f → L`` and ``f = g`` near the point give ``g → L``.

    Without a variable, ``f → L`` and ``L = M`` give ``f → M``.
    """
    function, value = conclusion(limit, "tends")
    left, right = conclusion(equation, "eq")
    to = limit.conclusion.data
    if variable is None and left == value:
        new = rebuild(limit.conclusion, (function, right))
        return Sequent(limit.hypotheses | equation.hypotheses, new)
    if variable is not None and tends(variable, left, value, to) == limit.conclusion:
        rest = _near(variable, to, equation.hypotheses)
        return Sequent(limit.hypotheses | rest, tends(variable, right, value, to))
    raise RuleError(f"{equation.conclusion!r}", f"an equation for a side of {limit.conclusion!r}")


def squeeze(bound: Premise, limit: Premise, *, variable: RealVariable) -> Sequent:
    """``|f| ≤ g`` near the point and ``g → 0`` give ``f → 0``."""
    inside, above = conclusion(bound, "le")
    conclusion(limit, "tends")
    to = limit.conclusion.data
    if inside.op != "fn" or inside.data != "abs":
        raise RuleError(f"{bound.conclusion!r}", "a bound on an absolute value")
    if tends(variable, above, ZERO, to) != limit.conclusion:
        raise RuleError(f"{limit.conclusion!r}", f"{above!r} → 0")
    rest = _near(variable, to, bound.hypotheses)
    return Sequent(limit.hypotheses | rest, tends(variable, inside.args[0], ZERO, to))


def _near(variable: Term, to: str, hypotheses: frozenset[Term]) -> frozenset[Term]:
    """The hypotheses without what holds near the point; none of the rest may mention the variable."""
    positive, nonzero = lt(ZERO, variable), negate(eq(variable, ZERO))
    rest = hypotheses - {positive if to == "oo" else nonzero}
    if any(variable in h.names for h in rest):
        raise RuleError(f"an assumption about {variable!r}, which the limit binds")
    return rest


RULES: dict[str, Callable[..., Sequent]] = {
    "limit": limit,
    "equal limit": equal_limit,
    "squeeze": squeeze,
}
