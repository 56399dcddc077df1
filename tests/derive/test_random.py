"""Random typed terms through every rule of the kernel, against exact evaluation in small models.

A theorem must hold in every model of its hypotheses, empty ranges included. ``QKV_COMPARISONS``
says how many comparisons each search makes (a nightly run: 50 000 or more).
"""

from __future__ import annotations

import itertools
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction as Q
from random import Random

import pytest

from derive.binding import open_
from derive.errors import DeriveError
from derive.facts import inhabited
from derive.kernel import infer
from derive.model import Evaluation, Model
from derive.rules.rewriting import LAW_NAMES
from derive.shaping import Vocabulary, draw
from derive.signature import Array, Definition, Range
from derive.syntax import (
    E,
    Index,
    Lambda,
    Sum,
    Symbol,
    absolute,
    bijection,
    conjoin,
    cos,
    derivative,
    eq,
    exp,
    forall,
    implies,
    independent,
    indices,
    iverson,
    le,
    log,
    lt,
    moments,
    negate,
    power,
    sin,
)
from derive.terms import Term, number
from derive.values import NotEvaluableError, RealFunctions
from vocabulary import SOFTMAX, a, both, d, i, j, k, mask, n, q, r, s, u, v, x
from vocabulary import τ as tau

COMPARISONS = int(os.environ.get("QKV_COMPARISONS", "800"))
SEED = int(os.environ.get("QKV_SEED", "0"))

y, w, z = Array("y", (d,)), Array("w", (n,)), Array("z", (n, d))
INNER = Definition("inner", (x, w), (), Sum(k, x[k] * w[k]))

GIVEN = (
    bijection(tau),
    independent(q, r),
    moments(q, 8),
    moments(r, 8),
    forall(a, eq(E(q[a]), 0)),
    forall(a, eq(E(r[a] ** 2), 1)),
    forall(k, le(0, w[k])),
    lt(0, v),
)
GUARDED = forall(k, implies(le(k, i), eq(x[k], w[k])))
NOT_EMPTY = (inhabited(n), inhabited(d))


# The nodes at which a law can apply, and the laws that a short search need not meet.
STARTS = {
    "definition": {"def"},
    "linearity": {"E"},
    "independence": {"E"},
    "derivative": {"D"},
    "reindex": {"sum"},
    "split": {"sum"},
    "product of sums": {"mul", "pow"},
    "logarithm": {"fn"},
    "angle addition": {"fn"},
    "assumption": {"E", "entry"},
    "multiply out": {"add", "mul", "sum", "div", "pow", "E", "fn"},
}
RARE = {"reindex", "product of sums", "angle addition"}


class Generator:
    """Random terms over the vocabulary above; `scope` holds the indices that may be used."""

    def __init__(self, rng: Random, scope: tuple[Term, ...]) -> None:
        self.rng, self.scope = rng, scope

    def under(self, index: Term) -> Generator:
        return Generator(self.rng, (*self.scope, index))

    def index(self, over: Range) -> Term | None:
        found = [t for t in self.scope if t.kind == over]
        if not found:
            return None
        chosen = self.rng.choice(found)
        return tau[chosen] if over == n and self.rng.random() < 0.2 else chosen

    def leaf(self, random: bool) -> Term:
        row, column, other = self.index(n), self.index(d), self.index(n)
        leaves = [number(Q(self.rng.randint(-2, 3), self.rng.choice((1, 1, 2)))), u, v]
        leaves += [n.size, d.size]
        if row is not None:
            leaves += [x[row], w[row], x[row], self.bracket(row, other)]
        if column is not None:
            leaves += [y[column], y[column]]
            means = [E(q[column]), E(r[column] ** 2), E(q[column] * r[column])]
            leaves += [q[column], r[column], q[column]] if random else means
        if row is not None and column is not None:
            leaves += [z[row, column]] * 2
        return self.rng.choice(leaves)

    def bracket(self, row: Term, other: Term) -> Term:
        p = self.rng.choice(
            [eq(row, other), le(row, other), lt(row, other), mask[row, other], eq(row, row)]
        )
        if self.rng.random() < 0.3:
            p = negate(p)
        if self.rng.random() < 0.2:
            p = conjoin(p, mask[other, row])
        return iverson(p)

    def term(self, depth: int, random: bool = False) -> Term:
        rng = self.rng
        if depth <= 0 or rng.random() < 0.1:
            return self.leaf(random)
        more = lambda: self.term(depth - 1, random)
        kind = rng.choices(
            ("add", "mul", "neg", "sum", "div", "pow", "fn", "def", "E", "D", "union"),
            (22, 24, 4, 20, 8, 6, 8, 4, 0 if random else 6, 0 if random else 6, 3),
        )[0]
        match kind:
            case "add" | "mul":
                return Term(kind, [more() for _ in range(rng.choice((2, 2, 3)))])
            case "neg":
                return -more()
            case "sum":
                return self.sum(depth, random)
            case "div":
                return more() / self.denominator(depth - 1)
            case "pow":
                return power(more(), rng.choice((2, 2, 3) if random else (2, 2, 3, 0, -1, Q(1, 2))))
            case "fn" if not random:
                return self.function(depth)
            case "def" if not random:
                index = self.index(n)
                row = Index("m", n)
                argument = Lambda(row, self.under(row).term(depth - 2))
                if index is None or rng.random() < 0.3:
                    return INNER(argument, w)
                return SOFTMAX(argument)[index]
            case "E":
                return E(self.term(min(depth - 1, 2), random=True))
            case "D":
                return derivative(self.smooth(depth - 1), u, at=rng.choice((u, number(1))))
            case "union":
                t = Index("t", both)
                return Sum(t, s[t] * self.term(depth - 2))
        return self.leaf(random)

    def sum(self, depth: int, random: bool) -> Term:
        index = Index(self.rng.choice("klm"), n) if self.rng.random() < 0.6 else Index("b", d)
        return Sum(index, self.under(index).term(depth - 1, random))

    def function(self, depth: int) -> Term:
        inside = self.term(min(depth - 1, 1))
        return self.rng.choice(
            [
                exp(inside),
                exp(inside - self.leaf(False)),
                log(exp(inside) * v),
                cos(inside + u),
                sin(-inside),
                absolute(inside),
            ]
        )

    def denominator(self, depth: int) -> Term:
        m = Index("m", n)
        return self.rng.choice(
            [
                exp(self.leaf(False)),
                Sum(m, exp(x[m])),
                n.size,
                v,
                1 + self.leaf(False) ** 2,
                self.term(depth - 1),
            ]
        )

    def smooth(self, depth: int) -> Term:
        leaf = self.leaf(False)
        return self.rng.choice(
            [
                u * self.term(depth),
                u**3 * leaf + u,
                exp(u * leaf) * leaf,
                leaf / (1 + u**2),
                cos(u * leaf),
                log(1 + u**2) * u,
                self.term(depth),
            ]
        )

    def paths(self, term: Term, law: str) -> list[tuple[int, ...]]:
        """Up to three places where the law might apply."""
        found = [path for path, place in places(term) if place.op in STARTS.get(law, {place.op})]
        return self.rng.sample(found, min(3, len(found)))


def places(term: Term, path: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Term]]:
    yield path, term
    for position, arg in enumerate(term.args):
        yield from places(arg, (*path, position))


@dataclass(frozen=True)
class Tally:
    """Compares theorems with models, and counts."""

    models: tuple[Model, ...]
    counts: Counter

    def check(self, theorem, rule: str) -> None:
        for model in self.models:
            if all(model.truth(p) is True for p in theorem.hypotheses):
                self.compare(model, theorem, rule)

    def compare(self, model: Model, theorem, rule: str) -> None:
        claim = theorem.conclusion
        truth = model.surrogate_truth(claim) if claim.op == "eq" else model.truth(claim)
        if type(truth) is not bool:
            truth = model.truth(claim)
        if type(truth) is not bool:
            self.counts["not evaluable"] += 1
            return
        self.counts["compared"] += 1
        self.counts[rule] += 1
        assert truth, f"{rule} proved what is false:\n{theorem!r}\nin {model.sizes} {model.values}"


def models_of(hypotheses, about, count: int, seed: int) -> tuple[Model, ...]:
    words = Vocabulary((*hypotheses, *about))
    found: list[Model] = []
    attempt = 0
    while len(found) < count:
        model = draw(hypotheses, words, Random(f"{seed} {attempt}"), 2 + attempt % 2)
        found += [model] if model is not None else []
        attempt += 1
        assert attempt < 200 * count, "the vocabulary's hypotheses are hardly ever satisfied"
    return tuple(found)


EVERYTHING = (
    eq(SOFTMAX(x)[i] + INNER(x, w) + z[j, a] + y[a] + u + v, n.size + d.size + E(q[a] + r[a])),
    mask[i, j],
    eq(Sum(Index("t", both), s[Index("t", both)]), 0),
)
CLOSED = tuple(forall((i, j, a), p) for p in EVERYTHING)


@pytest.fixture(scope="module")
def open_models() -> tuple[Model, ...]:
    """Models with elements for the free indices."""
    return models_of((*GIVEN, GUARDED), EVERYTHING, 12, SEED)


@pytest.fixture(scope="module")
def closed_models() -> tuple[Model, ...]:
    """Models for closed terms: ranges may be empty."""
    models = models_of(GIVEN, CLOSED, 20, SEED)
    assert {model.sizes[n] for model in models} >= {0, 1, 2}
    return models


def tried(rule: str, *premises, **arguments):
    try:
        return infer(rule, *premises, **arguments)
    except (DeriveError, RecursionError):
        return None


EVERYWHERE = (
    ("linearity", "product of sums", "independence"),
    ("definition", "reindex", "split"),
    ("assumption",),
    ("derivative", "logarithm", "angle addition"),
)


def everywhere(term: Term, laws: tuple[str, ...], given):
    """What `prove` uses: laws applied wherever they apply."""
    return tried(
        "rewrite everywhere",
        term=term,
        laws=laws,
        given=given,
        definitions=(SOFTMAX, INNER) if "definition" in laws else (),
        equations=given if "assumption" in laws else (),
    )


@pytest.mark.parametrize("free", [True, False], ids=["free indices", "empty ranges"])
def test_laws_at_random_places(free, open_models, closed_models):
    models = open_models if free else closed_models
    scope = (i, j, a) if free else ()
    given = (*GIVEN, *NOT_EMPTY, *((GUARDED,) if free else ()))
    counts = Counter()
    seed = 0
    while counts["compared"] < COMPARISONS:
        rng = Random(f"{SEED} {seed} {free}")
        seed += 1
        generator = Generator(rng, scope)
        term = generator.term(4)
        tally = Tally(tuple(rng.sample(models, 3)), counts)
        theorem = tried("rewrite", term=term, law="multiply out", given=given)
        if theorem is not None:
            tally.check(theorem, "multiply out")
        for laws in EVERYWHERE:
            theorem = everywhere(term, laws, given)
            if theorem is not None and theorem.conclusion.args[0] != theorem.conclusion.args[1]:
                tally.check(theorem, "everywhere")
        for law in LAW_NAMES:
            for path in generator.paths(term, law):
                theorem = tried("rewrite", term=term, law=law, path=path, given=given)
                if theorem is not None and theorem.conclusion.args[0] != theorem.conclusion.args[1]:
                    tally.check(theorem, law)
    assert counts["not evaluable"] < counts["compared"]
    assert {law for law in STARTS if not counts[law]} <= RARE
    assert counts["everywhere"]
    print(dict(counts))


def random_product(generator: Generator) -> Term:
    """A product that independence may split, or must not."""
    (t,) = indices("t", d)
    leaves = (
        q[a],
        r[a],
        q[a] ** 2,
        q[a] * r[a],
        y[a],
        Sum(t, q[t]),
        Sum(t, q[t] * r[t]),
        r[a] ** 3,
    )
    return E(Term("mul", generator.rng.choices(leaves, k=generator.rng.choice((2, 3)))))


def roots_and_reciprocals(generator: Generator) -> Term:
    """What may only be cancelled or merged under a side condition."""
    f, g = generator.leaf(False), generator.leaf(False)
    square = number(generator.rng.choice((1, 4, Q(9, 4), 0)))
    half = Q(1, 2)
    shapes = (
        (f**2) ** half,
        (f * square) ** half * (f * square) ** half,
        (f * f) ** half * g / f,
        f / g * g,
        (f * g) ** -1 * f,
        ((f + g) ** -1) ** -1,
        (f + g) / (f + g) + f,
        (f * u + f * g) ** -1 * f,
        absolute(f * g) / absolute(f),
        absolute(f / (f + g) + g / (f + g)),
        (f**-1) ** 2 * f**2,
        (square * f**2) ** Q(-1, 2),
        exp(f) * exp(g - f) / exp(g) * f,
        f**0 * g,
    )
    return generator.rng.choice(shapes) * generator.rng.choice((number(1), f))


FOCUSED = {
    "multiply out": roots_and_reciprocals,
    "derivative": lambda g: derivative(g.smooth(1), u, at=g.rng.choice((u, number(1), v))),
    "independence": random_product,
    "linearity": lambda g: E(g.term(2, random=True)),
    "logarithm": lambda g: log(g.denominator(1) * exp(g.leaf(False)) / v),
    "angle addition": lambda g: g.rng.choice((cos, sin))(g.leaf(False) + g.term(1)),
    "product of sums": lambda g: g.sum(2, False) * g.sum(2, False),
    "reindex": lambda g: Sum(k, g.under(tau[k]).term(2)),
    "injective": lambda g: iverson(eq(tau[i], tau[g.index(n)])) * g.leaf(False),
}


@pytest.mark.parametrize("law", FOCUSED)
def test_one_law_where_it_applies(law, open_models):
    counts = Counter()
    seed = 0
    given = (*GIVEN, *NOT_EMPTY)
    while counts["compared"] < COMPARISONS // (4 if law == "multiply out" else 8):
        rng = Random(f"{SEED} {seed} {law}")
        seed += 1
        tally = Tally(tuple(rng.sample(open_models, 2)), counts)
        term = FOCUSED[law](Generator(rng, (i, j, a)))
        for path in ((), (0,)):
            theorem = tried("rewrite", term=term, law=law, path=path, given=given)
            if theorem is not None:
                tally.check(theorem, law)
    print(dict(counts))


def rounds(name, models, counts):
    """Terms by chance, and models to weigh them in, until enough was compared."""
    for seed in itertools.count():
        if counts["compared"] >= COMPARISONS // 3:
            return
        rng = Random(f"{SEED} {seed} {name}")
        yield Generator(rng, (i, j, a)), Tally(tuple(rng.sample(models, 3)), counts)


def test_signs_and_order_rules(open_models):
    counts = Counter()
    for generator, tally in rounds("order", open_models, counts):
        for theorem, rule in order_theorems(generator, (*GIVEN, *NOT_EMPTY)):
            if theorem is not None:
                tally.check(theorem, rule)
    print(dict(counts))
    assert {"positive", "nonnegative", "add monotone", "scale monotone"} <= set(counts)


def order_theorems(generator: Generator, given):
    low, high, factor = (generator.term(2) for _ in range(3))
    for rule in ("positive", "nonnegative"):
        for shown in (factor, exp(factor) + low**2, v * exp(low)):
            yield tried(rule, term=shown, given=given), rule
    op = generator.rng.choice(("le", "lt"))
    premise = tried("assume", proposition=Term(op, (low, high)))
    square = tried("nonnegative", term=factor**2, given=given)
    if premise is None:
        return
    yield tried("weaken", premise), "weaken"
    yield tried("scale monotone", premise, factor=factor, given=given), "scale monotone"
    yield tried("scale monotone", premise, factor=exp(factor), given=given), "scale monotone"
    yield tried("sum monotone", premise, index=i), "sum monotone"
    yield tried("add monotone", premise, premise), "add monotone"
    if square is not None:
        yield tried("add monotone", premise, square), "add monotone"
        yield tried("product monotone", square, premise, given=given), "product monotone"
    for function in ("exp", "sqrt", "log"):
        theorem = tried("function monotone", premise, function=function, given=given)
        yield theorem, "function monotone"
    yield tried("reciprocal antitone", premise, given=given), "reciprocal antitone"
    yield tried("absolute value", term=factor), "absolute value"
    yield tried("log bound", term=exp(factor), given=given), "log bound"
    below = tried("assume", proposition=le(-low, high))
    if below is not None:
        yield tried("absolute bound", premise, below), "absolute bound"


def test_structural_rules(open_models):
    """Chaining, cutting, binding and instantiating keep a theorem true."""
    counts = Counter()
    for generator, tally in rounds("structure", open_models, counts):
        given = (*GIVEN, *NOT_EMPTY)
        term = generator.term(3)
        base = tried("rewrite", term=term, law="multiply out", given=given)
        if base is None:
            continue
        results = [*structural(base, generator, given), *from_an_assumption(generator)]
        for rule, theorem in results:
            if theorem is not None:
                tally.check(theorem, rule)
    print(dict(counts))
    assert {"specialize", "generalize", "extensionality", "transitivity", "cases"} <= set(counts)


def structural(base, generator: Generator, given):
    rng = generator.rng
    back = infer("symmetry", base)
    yield "symmetry", back
    yield "transitivity", infer("transitivity", base, back)
    index = rng.choice((i, a))
    yield "generalize", tried("generalize", base, variable=index)
    bound = tried("generalize", base, variable=u)
    if bound is not None:
        yield "instantiate", tried("instantiate", bound, value=generator.term(1))
    yield "extensionality", tried("extensionality", base, index=index)
    yield "exists", tried("exists", base, index=index)
    values = ((u, generator.term(1)), (i, generator.index(n)))
    yield "specialize", tried("specialize", base, values=values)
    row = Index("m", n)
    argument = Lambda(row, generator.under(row).term(1))
    yield "specialize", tried("specialize", base, values=((x, argument),))
    yield "specialize", tried("specialize", base, ranges=((d, n),))
    yield "conjunction", tried("conjunction", base, back)
    for hypothesis in base.hypotheses:
        yield "discharge", tried("discharge", base, hypothesis=hypothesis)
    on = rng.choice((lt(0, u), eq(i, j), mask[i, j]))
    yes = tried("rewrite", term=base.conclusion.args[0], law="multiply out", given=(*given, on))
    no = tried(
        "rewrite", term=base.conclusion.args[0], law="multiply out", given=(*given, negate(on))
    )
    if yes is not None and no is not None:
        yield "cases", tried("cases", yes, no, on=on)
        yield "cases", tried("cases", base, base, on=on)


def from_an_assumption(generator: Generator):
    """What is assumed of an index or a variable may not be said of all."""
    assumed = tried("assume", proposition=le(generator.term(1), generator.term(1)))
    if assumed is None:
        return
    for variable in (i, a, u):
        yield "generalize", tried("generalize", assumed, variable=variable)
    yield "sum monotone", tried("sum monotone", assumed, index=i)
    yield "specialize", tried("specialize", assumed, values=((u, generator.term(1)),))
    yield "discharge", tried("discharge", assumed, hypothesis=assumed.conclusion)
    denied = tried("assume", proposition=negate(lt(generator.term(1), generator.term(1))))
    yield "not less", tried("not less", denied) if denied is not None else None


def test_limits_are_approached(open_models):
    """A limit is no equation of values; but far out the two sides must be close."""
    counts = Counter()
    seed = 0
    b = Symbol("β")
    while counts["near"] < COMPARISONS // 8:
        rng = Random(f"{SEED} {seed} limit")
        seed += 1
        to = rng.choice(("oo", "0"))
        theorem = tried("limit", variable=b, term=moving(rng, b, to), to=to, given=GIVEN)
        if theorem is None:
            continue
        far = Q(2000) if to == "oo" else Q(1, 10**9)
        for model in rng.sample(open_models, 3):
            if all(model.truth(p) is True for p in theorem.hypotheses):
                counts[near(model, theorem.conclusion, far)] += 1
    print(dict(counts))
    assert not counts["far"]


def moving(rng: Random, b: Term, to: str) -> Term:
    generator = Generator(rng, (i, j, a))
    vanishing = [exp(-(b * v)), b**2 * exp(-(b * exp(number(0)))), exp(b * -v) * u]
    vanishing += [exp(b * rng.choice((-1, 1, 2))), exp(b * u), exp(-(b * u)), exp(b * w[i])]
    moved = [rng.choice(vanishing if to == "oo" else [b, b**2, exp(b * u), u * b, cos(b)])]
    moved += [generator.term(1) for _ in range(2)]
    total = Sum(Index("m", n), moved[0] * x[Index("m", n)])
    return rng.choice(
        [
            moved[0] * moved[1] + moved[2],
            exp(moved[0]) / (1 + moved[0] ** 2),
            moved[1] / (v + moved[0]),
            total + moved[2],
            log(v + moved[0]),
            (v + moved[0]) ** Q(1, 2),
        ]
    )


def near(model: Model, claim: Term, far: Q) -> str:
    function, limit = claim.args
    beta = Symbol("β")
    world = Model(model.sizes, model.tables, {**model.values, beta: far}, model.outcomes)
    try:
        inside = Evaluation(world, RealFunctions(256))
        gap = inside.value(open_(function.args[0], beta)) + -inside.value(limit)
    except NotEvaluableError:
        return "not evaluable"
    size = abs(gap) if type(gap) is Q else max(map(abs, map(float, gap.bounds())))
    return "near" if size < Q(1, 10**4) else "far"


def test_the_search_can_fail(open_models):
    """A false theorem, were there one, would be noticed."""

    class Forged:
        hypotheses = frozenset()
        conclusion = eq(Sum(k, x[tau[k]] * x[k]), Sum(k, x[k] * x[k]) + 1)

    with pytest.raises(AssertionError):
        Tally(open_models, Counter()).check(Forged, "forged")
