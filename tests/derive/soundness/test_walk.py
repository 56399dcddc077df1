"""Random walks through the kernel: rules applied to what other rules gave, in any order.

A rule may be sound by itself and a chain of rules not: an index or a map that is lost on the way
takes the existence of an element with it. So every theorem of a walk is compared with small
models, ranges of no element among them, in which the theorem's own arrays and indices exist, and
no others. ``QKV_COMPARISONS`` says how many comparisons are made.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

from derive.errors import DeriveError
from derive.facts import inhabited
from derive.kernel import infer
from derive.model import Model
from derive.signature import REAL, Array
from derive.syntax import (
    Lambda,
    Sum,
    bijection,
    delta,
    eq,
    forall,
    implies,
    inject,
    le,
    lt,
    negate,
)
from derive.terms import Term, number
from vocabulary import a, b, both, d, i, j, k, n, p, s, u, v, x, y, τ

COMPARISONS = int(os.environ.get("QKV_COMPARISONS", "4000"))
SEED = int(os.environ.get("QKV_SEED", "0"))
STEPS, POOL = 60, 40

σ, m = Array("σ", (d,), n), Array("m", (), n)
ELEMENTS = {n: (i, j, k, σ[a], σ[b], τ[i], m[()], τ[m[()]]), d: (a, b)}
ELEMENTS[both] = (p, inject(both, 0, i), inject(both, 1, a), inject(both, 0, m[()]))


def weight(e: Term) -> Term:
    """Positive at every index, so that the weights' shares sum to one."""
    return 1 + y[e] ** 2


TOTAL = Sum(j, weight(j) / Sum(k, weight(k)))
SIGNED = (eq(u, v), le(u, v), lt(0, u), eq(x[i], y[i]), le(x[i], y[i]), eq(i, j), eq(TOTAL, 1))
ASSUMED = (
    *SIGNED,
    inhabited(n),
    inhabited(d),
    bijection(τ),
    forall(k, eq(x[k], y[k])),
    forall(i, eq(TOTAL, 1)),
    forall(a, eq(x[σ[a]], y[σ[a]])),
    implies(lt(0, u), eq(u, v)),
    eq(Lambda(i, TOTAL), Lambda(i, number(1))),
    eq(Lambda(a, x[σ[a]]), Lambda(a, u)),
)

START = (inhabited(n),)


class Walk:
    """A pool of theorems that grows by random inferences."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.pool = list(self.starts())

    def starts(self) -> Iterator[Any]:
        for e in self.rng.sample([*ELEMENTS[n], *ELEMENTS[d]], 4):
            entry = x[e] if e.kind == n else s[inject(both, 1, e)]
            beside = infer("algebra", left=TOTAL + entry - entry, right=number(1), given=START)
            yield beside
            yield infer("algebra", left=TOTAL, right=TOTAL + entry - entry)
            yield infer("algebra", left=Sum(b, TOTAL + entry - entry), right=d.size * TOTAL)
        for proposition in self.rng.sample(ASSUMED, 5):
            yield infer("assume", proposition=proposition)
        yield infer("reflexivity", term=Sum(k, delta(τ[k], k) * x[k]))

    def step(self) -> tuple[str, Any]:
        """A random rule on random theorems with random arguments; None where it does not apply."""
        rule = self.rng.choice(tuple(RULES))
        return rule, tried(lambda: RULES[rule](self))

    def any(self) -> Any:
        return self.rng.choice(self.pool)

    def index(self) -> Term:
        return self.rng.choice((i, i, j, k, a, b, p))

    def hypothesis(self, theorem: Any) -> Term:
        return self.rng.choice([*theorem.hypotheses, *SIGNED])

    def kind(self, op: str) -> Any:
        """A theorem of this form."""
        return self.rng.choice([t for t in self.pool if t.conclusion.op == op])

    def instantiated(self) -> Any:
        theorem = self.kind("all")
        values = (*ELEMENTS.get(theorem.conclusion.data, ()), u, x[i], x[m[()]])
        return infer("instantiate", theorem, value=self.rng.choice(values))

    def at_an_entry(self) -> Any:
        arrays = [t for t in self.pool if t.conclusion.args and t.conclusion.args[0].op == "lam"]
        theorem = self.rng.choice(arrays)
        elements = ELEMENTS[theorem.conclusion.args[0].data]
        return infer("entry", theorem, index=self.rng.choice(elements))

    def joined(self) -> Any:
        """Two theorems that meet, if there are any."""
        first = self.any()
        end = first.conclusion.args[-1]
        return infer(
            "transitivity",
            first,
            self.rng.choice(
                [
                    t
                    for t in self.pool
                    if t.conclusion.op in ("eq", "le", "lt") and t.conclusion.args[0] == end
                ]
            ),
        )

    def cut(self) -> Any:
        lemma = self.any()
        users = [t for t in self.pool if lemma.conclusion in t.hypotheses]
        return infer("cut", self.rng.choice(users), lemma)

    def detached(self) -> Any:
        implication = self.kind("imp")
        met = [t for t in self.pool if t.conclusion == implication.conclusion.args[0]]
        return infer("modus ponens", implication, self.rng.choice(met))

    def split_in_cases(self) -> Any:
        theorem, on = self.any(), self.rng.choice(SIGNED)
        goal = theorem.conclusion
        denied = [t for t in self.pool if t.conclusion == goal and negate(on) in t.hypotheses]
        return infer("cases", theorem, self.rng.choice([*denied, theorem]), on=on)

    def specialized(self) -> Any:
        values = self.rng.sample(
            [
                (i, self.rng.choice(ELEMENTS[n])),
                (a, b),
                (u, self.rng.choice((v, x[self.rng.choice(ELEMENTS[n])], number(0), n.size))),
                (x, Lambda(k, self.rng.choice((number(0), u, x[i], y[k], x[m[()]])))),
                (y, Lambda(k, self.rng.choice((number(0), x[k])))),
                (σ, Lambda(b, self.rng.choice((i, σ[b], m[()])))),
                (m, self.rng.choice(ELEMENTS[n])),
            ],
            2,
        )
        moved = self.rng.choice(((), (), ((d, n),), ((n, d),), ((n, both),)))
        return infer("specialize", self.any(), ranges=moved, values=() if moved else tuple(values))

    def rewritten(self) -> Any:
        """An equation of the pool, used somewhere in a term."""
        lemma = self.kind("eq")
        term = self.rng.choice([t for t in self.any().conclusion.args if t.kind == REAL])
        term = self.rng.choice((term, Sum(self.index(), term), Sum(a, TOTAL + x[σ[a]] - x[σ[a]])))
        places = list(_places(term))
        for path in self.rng.sample(places, len(places)):
            theorem = tried(
                lambda path=path: infer("rewrite", lemma, term=term, law="lemma", path=path)
            )
            if theorem is not None:
                return theorem
        return None

    def rearranged(self) -> Any:
        theorem = self.any()
        right = theorem.conclusion.args[-1]
        extra = self.rng.choice((x[self.rng.choice(ELEMENTS[n])], u))
        other = self.rng.choice((right + extra - extra, Sum(b, right), d.size * right))
        there = infer("algebra", left=right, right=other, given=ASSUMED)
        return infer("transitivity", theorem, there)


def tried(attempt: Callable[[], Any]) -> Any:
    try:
        return attempt()
    except (DeriveError, IndexError, KeyError):
        return None


def _places(term: Term) -> Iterator[tuple[int, ...]]:
    yield ()
    for position, arg in enumerate(term.args):
        for path in _places(arg):
            yield (position, *path)


RULES = {
    "transitivity": Walk.joined,
    "joined again": Walk.joined,
    "cut": Walk.cut,
    "modus ponens": Walk.detached,
    "cases": Walk.split_in_cases,
    "specialize": Walk.specialized,
    "rewrite": Walk.rewritten,
    "algebra": Walk.rearranged,
    "symmetry": lambda w: infer("symmetry", w.any()),
    "weaken": lambda w: infer("weaken", w.any()),
    "conjunction": lambda w: infer("conjunction", w.any(), w.any()),
    "add monotone": lambda w: infer("add monotone", w.any(), w.any()),
    "sum monotone": lambda w: infer("sum monotone", infer("weaken", w.any()), index=w.index()),
    "generalize": lambda w: infer("generalize", w.any(), variable=w.rng.choice((w.index(), u))),
    "instantiate": Walk.instantiated,
    "extensionality": lambda w: infer("extensionality", w.any(), index=w.index()),
    "entry": Walk.at_an_entry,
    "exists": lambda w: infer("exists", w.any(), index=w.index()),
    "discharge": lambda w: infer("discharge", t := w.any(), hypothesis=w.hypothesis(t)),
}


# ------------------------------------------------------------------ models


def counterexample(theorem: Any, rng: Random) -> tuple[str, Model | None]:
    """A model with exactly the theorem's arrays, in which some choice of its indices fails."""
    propositions = (theorem.conclusion, *theorem.hypotheses)
    names = frozenset().union(*(q.names for q in propositions))
    sizes = {over: rng.choice((0, 0, 1, 2, 2)) for over in (n, d)}
    world = Model(sizes)
    tables = {}
    for array in names:
        if type(array) is not Array:
            continue
        cells = list(world.cells(array))
        if array.out != REAL and cells and not world.size(array.out):
            return "no such map", None
        draw = (
            (lambda: Fraction(rng.randint(-1, 1)))
            if array.out == REAL
            else (lambda out=array.out: rng.randrange(world.size(out)))
        )
        tables[array] = {cell: draw() for cell in cells}
    variables = sorted({w for w in names if type(w) is Term}, key=repr)
    choices = [
        range(world.size(w.kind)) if w.op == "ix" else (Fraction(rng.randint(-1, 1)),)
        for w in variables
    ]
    for values in product(*choices):
        model = Model(sizes, tables, dict(zip(variables, values, strict=True)))
        holds = all(model.truth(h) is True for h in theorem.hypotheses)
        if holds and model.truth(theorem.conclusion) is False:
            return "false", model
    return "true", None


def test_every_theorem_of_a_random_walk_is_true():
    counts: Counter = Counter()
    compared = seed = 0
    while compared < COMPARISONS:
        rng = Random(f"{SEED} {seed} walk")
        seed += 1
        walk = Walk(rng)
        for _ in range(STEPS):
            rule, theorem = walk.step()
            if theorem is None:
                continue
            counts[rule] += 1
            for _ in range(6):
                verdict, model = counterexample(theorem, rng)
                compared += verdict == "true"
                assert model is None, f"{rule}: {theorem!r} fails in {model}"
            if theorem.conclusion not in [t.conclusion for t in walk.pool]:
                walk.pool.append(theorem)
                del walk.pool[: max(0, len(walk.pool) - POOL)]
    print(compared, dict(counts))
    assert not set(RULES) - set(counts)


def test_the_search_can_fail():
    """A false theorem, were there one, would be noticed."""

    class Forged:
        hypotheses = frozenset({inhabited(d)})
        conclusion = eq(TOTAL, 1)

    rng = Random(0)
    assert any(counterexample(Forged, rng)[0] == "false" for _ in range(40))
