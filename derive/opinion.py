"""SymPy's second opinion on one step: it derives both sides by itself at small concrete sizes.

Sizes become numbers, entries stay symbols; SymPy adds, differentiates, takes limits and works out
moments with its own algebra, and the two results are compared. It is no proof and the kernel does
not hear of it; but it is another mind.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random
from typing import Any

from derive.binding import open_, unbind, unfold
from derive.model import Model
from derive.shaping import Vocabulary, draw
from derive.signature import REAL, Array
from derive.terms import Term
from derive.values import NotEvaluableError
from derive.witness import name, opened

AGREES, DISAGREES, NOT_EVALUABLE = "agrees", "disagrees", "not evaluable"
CASES = ((2, 0), (2, 1), (3, 0))  # sizes, and which choice of maps, masks and indices
LARGEST = 2000  # operations in an expression that SymPy is asked to expand
DRAWS = 40  # models tried for the discrete part: maps, masks, free indices


@dataclass(frozen=True)
class Opinion:
    """What SymPy says of a step, and what it derived.

    Attributes
    ----------
    verdict : str
        ``agrees``, ``disagrees`` or ``not evaluable``.
    reason : str
        Why it is not evaluable; else empty.
    left, right : sympy.Expr or None
        The two sides as SymPy derived them.
    sizes : dict
        The sizes at which it did.
    """

    verdict: str
    reason: str = ""
    left: Any = None
    right: Any = None
    sizes: dict[str, int] = field(default_factory=dict)


def second_opinion(hypotheses: Sequence[Term], claim: Term, *, seed: int = 0) -> Opinion:
    """Ask SymPy whether the hypotheses give the claim, at sizes 2 and 3.

    It answers for entries in general position: a denominator that is not identically 0 counts as
    not 0. Any disagreement wins over any agreement.

    Parameters
    ----------
    hypotheses : sequence of Term
        What the step consumes. Equations are solved and put in; signs become SymPy assumptions.
    claim : Term
        An equation, an inequality or a limit; leading quantifiers are stripped.
    seed : int
        Chooses index maps, masks and free indices.
    """
    parts = [_part_opinion(*part, seed) for part in opened(tuple(hypotheses), claim)]
    return min(parts, key=lambda opinion: (DISAGREES, NOT_EVALUABLE, AGREES).index(opinion.verdict))


def _part_opinion(premises: tuple[Term, ...], claim: Term, seed: int) -> Opinion:
    opinions = [_opinion(premises, claim, *case, seed) for case in CASES]
    return min(
        opinions, key=lambda opinion: (DISAGREES, AGREES, NOT_EVALUABLE).index(opinion.verdict)
    )


def _opinion(premises: tuple[Term, ...], claim: Term, size: int, turn: int, seed: int) -> Opinion:
    words = Vocabulary((*premises, claim))
    sizes = dict.fromkeys(words.ranges, size)
    draws = (draw(premises, words, Random(f"{seed} {turn} {n}"), 2, sizes) for n in range(DRAWS))
    model = next((m for m in draws if m is not None), None)
    if model is None:
        return Opinion(NOT_EVALUABLE, f"no model of the hypotheses at size {size} was found")
    try:
        verdict, left, right = _verdict(_Concrete(model, premises), premises, claim)
    except NotEvaluableError as failure:
        return Opinion(NOT_EVALUABLE, failure.given)
    reason = "SymPy cannot tell" if verdict == NOT_EVALUABLE else ""
    shown = {over.name: n for over, n in model.sizes.items()}
    return Opinion(verdict, reason, left, right, shown)


def _verdict(concrete: _Concrete, premises: Sequence[Term], claim: Term) -> tuple[str, Any, Any]:
    if claim.op == "tends":
        return _limit(concrete, claim)
    if claim.op not in ("eq", "le", "lt") or claim.args[0].kind != REAL:
        raise NotEvaluableError(f"{claim.op}: no relation between numbers")
    known = _solved(concrete, premises)
    left, right = (concrete.expression(side).xreplace(known) for side in claim.args)
    if claim.op != "eq":
        return _ordered(left, right, strict=claim.op == "lt"), left, right
    if is_zero(left - right):
        return AGREES, left, right
    return DISAGREES if _differs(concrete.at_model(left - right)) else NOT_EVALUABLE, left, right


def _differs(number: Any) -> bool:
    import sympy

    return bool(abs(sympy.N(number, 40)) > sympy.Rational(1, 10**25))


def _ordered(left: Any, right: Any, strict: bool) -> str:
    gap = right - left
    if gap.is_positive or (gap.is_nonnegative and not strict):
        return AGREES
    return DISAGREES if gap.is_negative or (strict and gap.is_nonpositive) else NOT_EVALUABLE


def _limit(concrete: _Concrete, claim: Term) -> tuple[str, Any, Any]:
    """The limit by SymPy, the other symbols at the model's numbers."""
    import sympy

    function, limit = claim.args
    variable, body = unbind(function)
    symbol = sympy.Symbol(function.hint or "x", positive=True)
    inner = concrete.at_model(concrete.expression(body, {variable: symbol}), keep=symbol)
    target = concrete.at_model(concrete.expression(limit))
    derived = sympy.limit(inner, symbol, sympy.oo if claim.data == "oo" else 0)
    return AGREES if is_zero(derived - target) else DISAGREES, derived, target


# ------------------------------------------------------------------ hypotheses


def _solved(concrete: _Concrete, premises: Sequence[Term]) -> dict[Any, Any]:
    """Substitutions from equations, each solved for a symbol in which it is linear."""
    import sympy

    known: dict[Any, Any] = {}
    for equation in _equations(concrete, premises):
        gap = sympy.expand(sympy.numer(sympy.together(equation.xreplace(known))))
        found = _linear_symbol(concrete, gap)
        if found is not None:
            symbol, slope = found
            solution = sympy.cancel(symbol - gap / slope)
            known = {s: e.xreplace({symbol: solution}) for s, e in known.items()}
            known[symbol] = solution
    return known


def _linear_symbol(concrete: _Concrete, gap: Any) -> tuple[Any, Any] | None:
    """A symbol in which the expression is linear, and its slope: a number if there is one."""
    slopes = [(s, gap.diff(s)) for s in sorted(gap.free_symbols, key=str, reverse=True)]
    slopes = [(s, slope) for s, slope in slopes if s not in slope.free_symbols]
    usable = ((s, slope) for s, slope in slopes if concrete.at_model(slope) != 0)
    return min(usable, key=lambda pair: not pair[1].is_number, default=None)


def _equations(concrete: _Concrete, premises: Sequence[Term]) -> list[Any]:
    found: list[Any] = []
    for premise in premises:
        try:
            found += list(_differences(concrete, premise, {}))
        except NotEvaluableError:
            continue  # without it, SymPy can only agree less
    return found


def _differences(concrete: _Concrete, p: Term, env: dict) -> Iterator[Any]:
    """left − right of every equation that the proposition asserts at these sizes."""
    if p.op == "eq" and p.args[0].kind == REAL:
        left, right = (concrete.expression(side, env) for side in p.args)
        yield left - right
    elif p.op == "and":
        for arg in p.args:
            yield from _differences(concrete, arg, env)
    elif p.op == "imp" and concrete.holds(p.args[0], env):
        yield from _differences(concrete, p.args[1], env)
    elif p.op == "all" and p.data != REAL:
        variable, body = unbind(p)
        for element in range(concrete.model.size(p.data)):
            yield from _differences(concrete, body, {**env, variable: element})
    elif p.op == "eq" and p.args[0].op == "lam":
        variable, body = unbind(p.args[0])
        entries = Term("eq", (body, open_(p.args[1].args[0], variable)))
        for element in range(concrete.model.size(p.args[0].data)):
            yield from _differences(concrete, entries, {**env, variable: element})


def _signs(premises: Sequence[Term]) -> dict[Array | Term, dict[str, bool]]:
    """SymPy assumptions from hypotheses such as 0 ≤ w_i for every i."""
    signs: dict[Array | Term, dict[str, bool]] = {}
    for p in premises:
        while p.op == "all":
            p = open_(p.args[0], unbind(p)[0])
        if p.op in ("le", "lt") and p.args[0].op == "num" and p.args[0].value == 0:
            right = p.args[1]
            thing = right.data if right.op == "entry" else right
            if right.op == "sym" or (
                right.op == "entry" and len(set(right.args)) == len(right.args)
            ):
                flag = "positive" if p.op == "lt" else "nonnegative"
                signs.setdefault(thing, {})[flag] = True
    return signs


# ------------------------------------------------------------------ terms


class _Concrete:
    """Terms as SymPy expressions, at the sizes, maps, masks and free indices of a model."""

    def __init__(self, model: Model, premises: Sequence[Term]) -> None:
        self.model = model
        self.families = [frozenset(p.data) for p in premises if p.op == "indep"]
        self.signs = _signs(premises)
        self.numbers: dict[Any, Fraction] = {}  # what the model says of each symbol
        self.random: dict[Any, tuple[Array, tuple[int, ...]]] = {}
        self.unbound: dict[Term, tuple[Term, Term]] = {}
        self.unfolded: dict[Term, Term] = {}
        self.memo: dict[tuple, Any] = {}

    def at_model(self, expression: Any, keep: Any = None) -> Any:
        """The expression at the model's numbers, but for one symbol."""
        import sympy

        unknown = expression.free_symbols - {keep} - self.numbers.keys()
        if unknown:
            raise NotEvaluableError(f"{unknown}: a random number outside an expectation")
        values = {s: self.numbers[s] for s in expression.free_symbols - {keep}}
        rationals = {s: sympy.Rational(x.numerator, x.denominator) for s, x in values.items()}
        return expression.subs(rationals)

    def expression(self, term: Term, env: dict | None = None) -> Any:
        """The term as a SymPy expression, or an index as an int."""
        env = env or {}
        key = (term, tuple((v, env[v]) for v in term.free if v in env))
        if key not in self.memo:
            self.memo[key] = self._expression(term, env)
        return self.memo[key]

    def _expression(self, term: Term, env: dict) -> Any:
        import sympy

        args, data = term.args, term.data
        match term.op:
            case "num":
                return sympy.Rational(*data)
            case "size":
                return sympy.Integer(self.model.size(data))
            case "fv":
                return env[term]
            case "ix":
                return env[term] if term in env else self.model.values[term]
            case "sym":
                return env[term] if term in env else self._symbol(term, (), self.model.values[term])
            case "entry":
                return self._entry(data, tuple(self.expression(arg, env) for arg in args))
            case "inj":
                before = data[0].parts[: data[1]]
                return sum(map(self.model.size, before)) + self.expression(args[0], env)
            case "add":
                return sympy.Add(*(self.expression(arg, env) for arg in args))
            case "mul":
                return sympy.Mul(*(self.expression(arg, env) for arg in args))
            case "neg":
                return -self.expression(args[0], env)
            case "div":
                return _quotient(*(self.expression(arg, env) for arg in args))
            case "pow":
                return _power(self.expression(args[0], env), sympy.Rational(*data))
            case "fn":
                return _function(data, self.expression(args[0], env))
            case "iv":
                return sympy.Integer(int(self.holds(args[0], env)))
            case "sum":
                return sympy.Add(*self._elements(term, env))
            case "def":
                if term not in self.unfolded:
                    self.unfolded[term] = unfold(term)
                return self.expression(self.unfolded[term], env)
            case "D":
                return self._derivative(term, env)
            case "E":
                return self._expectation(self.expression(args[0], env))
        raise NotEvaluableError(f"{term.op}: nothing that SymPy was given a meaning for")

    def holds(self, p: Term, env: dict) -> bool:
        """The truth of a statement about indices."""
        if p.op in ("eq", "le", "lt") and p.args[0].kind != REAL:
            a, b = (self.expression(arg, env) for arg in p.args)
            return {"eq": a == b, "le": a <= b, "lt": a < b}[p.op]
        match p.op:
            case "not":
                return not self.holds(p.args[0], env)
            case "and":
                return all(self.holds(arg, env) for arg in p.args)
            case "entry":
                return self.expression(p, env)
        raise NotEvaluableError(f"the guard {p!r}: not about indices only")

    def _elements(self, term: Term, env: dict) -> Iterator[Any]:
        if term not in self.unbound:
            self.unbound[term] = unbind(term)
        variable, body = self.unbound[term]
        for element in range(self.model.size(term.data)):
            yield self.expression(body, {**env, variable: element})

    def _entry(self, array: Array, index: tuple[int, ...]) -> Any:
        if array.random:
            symbol = self._symbol(array, index, None)
            self.random[symbol] = (array, index)
            return symbol
        value = self.model.tables[array][index]
        return self._symbol(array, index, value) if array.out == REAL else value

    def _symbol(self, thing: Array | Term, index: tuple[int, ...], value: Fraction | None) -> Any:
        import sympy

        title = thing.name if type(thing) is Array else name(thing)
        place = ",".join(str(i + 1) for i in index)
        title = f"{title}[{place}]" if index else title
        symbol = sympy.Symbol(title, **{"real": True, **self.signs.get(thing, {})})
        if value is not None:
            self.numbers[symbol] = value
        return symbol

    def _derivative(self, term: Term, env: dict) -> Any:
        import sympy

        variable, body = unbind(term.args[0])
        symbol = sympy.Dummy(term.args[0].hint or "x", real=True)
        inner = self.expression(body, {**env, variable: symbol})
        derived = sympy.Derivative(inner, symbol).doit()
        return derived.subs(symbol, self.expression(term.args[1], env))

    # -------------------------------------------------------------- expectation

    def _expectation(self, body: Any) -> Any:
        """Expand in the random symbols; each monomial becomes a product of moments."""
        import sympy

        variables = sorted(body.free_symbols & self.random.keys(), key=str)
        if not variables:
            return body
        try:
            polynomial = sympy.Poly(body, *variables)
        except sympy.PolynomialError as failure:
            raise NotEvaluableError(f"the expectation of {body}: no polynomial") from failure
        terms = (
            c * self._moment(dict(zip(variables, e, strict=True))) for e, c in polynomial.terms()
        )
        return sympy.Add(*terms)

    def _moment(self, exponents: dict[Any, int]) -> Any:
        import sympy

        exponents = {s: e for s, e in exponents.items() if e}
        arrays = {self.random[s][0] for s in exponents}
        if any(arrays <= family for family in self.families):
            groups = [
                {s: e for s, e in exponents.items() if self.random[s][0] == a} for a in arrays
            ]
        else:
            groups = [exponents]
        return sympy.Mul(*(self._moment_symbol(group) for group in groups if group))

    def _moment_symbol(self, exponents: dict[Any, int]) -> Any:
        import sympy

        monomial = sympy.Mul(*(s**e for s, e in exponents.items()))
        symbol = sympy.Symbol(f"E({monomial})", real=True)
        cells = [(*self.random[s], e) for s, e in exponents.items()]
        self.numbers[symbol] = sum(
            outcome.probability
            * math.prod(outcome.tables[array][index] ** e for array, index, e in cells)
            for outcome in self.model.outcomes
        )
        return symbol


def _quotient(numerator: Any, denominator: Any) -> Any:
    return denominator if denominator == 0 else numerator / denominator  # x/0 = 0


def _power(base: Any, exponent: Any) -> Any:
    undefined = (base == 0 and exponent < 0) or (base.is_negative and not exponent.is_integer)
    return exponent * 0 if undefined else base**exponent


def _function(title: str, argument: Any) -> Any:
    import sympy

    if title == "log" and argument.is_nonpositive:
        return argument * 0
    return sympy.Abs(argument) if title == "abs" else getattr(sympy, title)(argument)


# ------------------------------------------------------------------ is it zero?


def is_zero(expression: Any) -> bool:
    """Whether SymPy's algebra makes it 0: a polynomial identity in entries and exponentials."""
    import sympy

    if expression.count_ops() > LARGEST:
        raise NotEvaluableError(f"an expression of {expression.count_ops()} operations: too large")
    if expression.has(sympy.cos, sympy.sin):
        expression = expression.rewrite(sympy.exp)
    if expression.has(sympy.log):
        expression = sympy.expand_log(expression)
    numerator, _ = sympy.fraction(sympy.together(_exponentials_as_symbols(expression)))
    return sympy.expand(numerator) == 0


def _exponentials_as_symbols(expression: Any) -> Any:
    """Write exp(a + 2b/3) as A·B², with one symbol for each independent exponential."""
    import sympy

    exponents = {e: dict(_exponent_terms(e)) for e in expression.atoms(sympy.exp)}
    grain: dict[Any, int] = {}
    for terms in exponents.values():
        for unit, c in terms.items():
            grain[unit] = math.lcm(grain.get(unit, 1), c.q)
    symbol = {unit: sympy.Dummy(positive=True) for unit in grain}
    return expression.xreplace(
        {
            e: sympy.Mul(*(symbol[unit] ** (c * grain[unit]) for unit, c in terms.items()))
            for e, terms in exponents.items()
        }
    )


def _exponent_terms(exponential: Any) -> Iterator[tuple[Any, Any]]:
    import sympy

    for term in sympy.Add.make_args(sympy.expand(exponential.args[0])):
        c, unit = term.as_coeff_Mul()
        yield (unit, c) if c.is_Rational else (term, sympy.Integer(1))
