"""Normal forms of terms in which one thing is written in several ways, against exact evaluation.

Roots, powers, exponents and absolute values stand in each other, and beside a part stands the same
part multiplied out. Where the signs of the two are known by different means, their monomials are
different though they look alike; nothing may then be lost.
"""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from derive.binding import rebuild
from derive.errors import DeriveError
from derive.facts import inhabited
from derive.kernel import infer
from derive.signature import REAL
from derive.syntax import (
    Index,
    Sum,
    Symbol,
    absolute,
    bijection,
    eq,
    exp,
    forall,
    iverson,
    le,
    log,
    lt,
    negate,
)
from derive.terms import Term, number
from derive.witness import refute
from vocabulary import i, j, k, mask, n, x, y, σ

a, b, c = map(Symbol, "abc")
EXPONENTS = tuple(
    map(Fraction, ("-2", "-1", "1/2", "-1/2", "1/3", "3/2", "2", "3", "2/3", "9", "-3/2"))
)
NUMBERS = tuple(map(Fraction, ("-2", "-1", "0", "1", "2", "3", "1/2", "-1/3", "8")))
GIVEN = (
    *(lt(0, a), le(0, b), lt(c, 0), negate(eq(c, 0)), lt(0, b - c), inhabited(n)),
    *(forall(k, lt(0, x[k])), forall(k, negate(eq(y[k], 0))), forall(k, le(0, y[k]))),
    *(eq(i, j), negate(eq(i, j)), bijection(σ), mask[i, j]),
)


class Writer:
    """Random terms that repeat their parts in another writing."""

    def __init__(self, rng: Random) -> None:
        self.rng, self.parts = rng, []

    def term(self, depth: int, scope: tuple[Term, ...]) -> Term:
        known = [p for p in self.parts if all(v.op == "sym" or v in scope for v in p.free)]
        if not depth or self.rng.random() < 0.1:
            return self.leaf(scope)
        if known and self.rng.random() < 0.25:
            return self.rewritten(self.rng.choice(known))
        made = self.compound(depth, scope)
        self.parts.append(made)
        return made

    def leaf(self, scope: tuple[Term, ...]) -> Term:
        e, f = (self.rng.choice(scope) for _ in range(2)) if scope else (None, None)
        leaves = [a, b, c, number(self.rng.choice(NUMBERS)), n.size]
        if e is not None:
            leaves += [x[e], y[e], x[σ[e]], *map(iverson, (eq(e, f), le(e, f), eq(σ[e], f)))]
        return self.rng.choice(leaves)

    def compound(self, depth: int, scope: tuple[Term, ...]) -> Term:
        part = lambda: self.term(depth - 1, scope)
        match self.rng.choice(("+", "−", "*", "*", "/", "^", "^", "e", "e", "|", "Σ", "log")):
            case "+":
                return part() + part()
            case "−":
                return part() - part()
            case "*":
                return part() * part()
            case "/":
                return part() / part()
            case "^":
                base, exponent = part(), self.rng.choice(EXPONENTS)
                base = base**2 if self.rng.random() < 0.5 else base
                return (self.rewritten(base) if self.rng.random() < 0.5 else base) ** exponent
            case "e":
                exponent = part()
                return exp(exponent + self.rng.choice((0, 1, -1, 2)) * self.rewritten(exponent))
            case "|":
                return absolute(part())
            case "log":
                return log(part())
        index = Index(f"m_{depth}", n)
        return Sum(index, self.term(depth - 1, (*scope, index)))

    def rewritten(self, term: Term) -> Term:
        """The term with some of its parts multiplied out."""
        if self.rng.random() < 0.5 or term.op == "sum" or not term.args:
            return infer("rewrite", term=term, law="multiply out").conclusion.args[1]
        return rebuild(term, (self.rewritten(p) if p.kind == REAL else p for p in term.args))


def compared(seed: int, count: int) -> int:
    """How many normal forms were made; each is compared with its term in small models."""
    rng, made = Random(seed), 0
    for _ in range(count):
        scope = rng.choice(((), (), (i,), (i, j)))
        given = [p for p in GIVEN if rng.random() < 0.25 and set(p.free) <= {a, b, c, *scope}]
        try:
            term = Writer(rng).term(4, scope)
            theorem = infer("rewrite", term=term, law="multiply out", given=given)
        except DeriveError:
            continue
        made += 1
        witness = refute(tuple(theorem.hypotheses), theorem.conclusion, budget=10, seed=seed)
        assert witness is None, f"{theorem!r}\n{witness}"
    return made


def test_nothing_is_lost_between_two_writings():
    assert compared(seed=0, count=250) > 180


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 9))
def test_nothing_is_lost_between_two_writings_at_length(seed):
    assert compared(seed, count=2500) > 2000
