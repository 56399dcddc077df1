"""Compiled terms against an evaluation by plain loops, entry by entry."""

import math
import time
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from derive.binding import unbind, unfold
from derive.signature import PROP, Array, Definition, Range
from derive.syntax import (
    E,
    Lambda,
    Sum,
    Symbol,
    absolute,
    add,
    conjoin,
    cos,
    delta,
    derivative,
    exp,
    indices,
    inject,
    iverson,
    le,
    log,
    lt,
    mul,
    neg,
    negate,
    ranges,
    sin,
    sqrt,
)
from derive.terms import number
from numeric import NumericError
from numeric.compare import max_error, tolerance
from numeric.compile import compile_term
from numeric.program import Run

n, m = ranges("n m")
i, j, l = indices("i j l", n)
a, b = indices("a b", m)
X, Y, x, y = Array("X", (n, m)), Array("Y", (m, n)), Array("x", (n,)), Array("y", (m,))
sigma, M = Array("σ", (n,), n), Array("M", (n, n), PROP)
beta = Symbol("β")
softmax = Definition("softmax", [x], [i], exp(x[i]) / Sum(l, exp(x[l])))


def values(sizes, seed=0, positive=False):
    rng = np.random.default_rng(seed)
    shape = {r: sizes[r.name] for r in (n, m)}
    out = {
        array.name: rng.uniform(0.2, 1.5, [shape[r] for r in array.axes])
        * (1 if positive else rng.choice([-1, 1], [shape[r] for r in array.axes]))
        for array in (X, Y, x, y)
    }
    return {
        **out,
        "σ": rng.permutation(shape[n]),
        "M": rng.random((shape[n], shape[n])) > 0.5,
        "β": np.asarray(rng.uniform(0.3, 1)),
    }


def loops(term, v, sizes, env):
    """The value of a term by its definition: no sharing, no arrays, one entry at a time."""
    go = lambda t, env=env: loops(t, v, sizes, env)
    args = term.args
    match term.op:
        case "num":
            return float(term.value)
        case "size":
            return float(sizes[term.data.name])
        case "sym":
            return float(v[term.data])
        case "ix" | "fv":
            return env[term]
        case "entry":
            return v[term.data.name][tuple(map(go, args))]
        case "inj":
            union, part = term.data
            return go(args[0]) + sum(sizes[p.name] for p in union.parts[:part])
        case "add":
            return math.fsum(map(go, args))
        case "mul":
            return math.prod(map(go, args))
        case "neg":
            return -go(args[0])
        case "div":
            bottom = go(args[1])
            return go(args[0]) / bottom if bottom else 0.0
        case "pow":
            base, e = go(args[0]), term.value
            if (base == 0 and e < 0) or (base < 0 and e.denominator > 1):
                return 0.0
            return base ** float(e)
        case "fn":
            arg = go(args[0])
            if term.data == "log":
                return math.log(arg) if arg > 0 else 0.0
            return {"exp": math.exp, "cos": math.cos, "sin": math.sin, "abs": abs}[term.data](arg)
        case "iv":
            return float(go(args[0]))
        case "eq":
            return go(args[0]) == go(args[1])
        case "le":
            return go(args[0]) <= go(args[1])
        case "lt":
            return go(args[0]) < go(args[1])
        case "not":
            return not go(args[0])
        case "and":
            return bool(go(args[0])) and bool(go(args[1]))
        case "sum":
            variable, body = unbind(term)
            size = length(term.data, sizes)
            return math.fsum(loops(body, v, sizes, {**env, variable: k}) for k in range(size))
        case "def":
            return go(unfold(term))
    raise AssertionError(term.op)


def length(r, sizes):
    return sum(length(p, sizes) for p in r.parts) if r.parts else sizes[r.name]


def by_loops(term, axes, v, sizes):
    shape = [length(axis.kind, sizes) for axis in axes]
    out = np.zeros(shape)
    for place in np.ndindex(*shape):
        out[place] = loops(term, v, sizes, dict(zip(axes, place, strict=True)))
    return out


TERMS = {
    "matrix product": (Sum(a, X[i, a] * Y[a, j]), (i, j)),
    "transposed result": (Sum(a, X[i, a] * Y[a, j]), (j, i)),
    "inner product": (Sum(i, x[i] * x[i]), ()),
    "outer product": (x[i] * y[a], (i, a)),
    "three factors": (Sum((i, a), x[i] * X[i, a] * y[a]), ()),
    "batched": (Sum(a, X[i, a] * X[i, a] * y[a]), (i,)),
    "trace": (Sum(i, Sum(a, X[i, a] * Y[a, i])), ()),
    "sum of a sum": (Sum(j, x[j] + X[i, a]), (i, a)),
    "constant sum": (Sum(j, number(1)), ()),
    "constant sum over nothing of it": (Sum((j, a), x[j]), ()),
    "product of sums": (Sum(i, x[i]) * Sum(a, y[a]), ()),
    "sum in a quotient": (Sum(i, x[i]) / Sum(a, y[a] ** 2), ()),
    "softmax": (softmax(x)[i], (i,)),
    "softmax of scores": (softmax(Lambda(l, Sum(a, X[i, a] * Y[a, l]) / sqrt(m.size)))[j], (i, j)),
    "division by zero": (x[i] / (x[i] - x[i]), (i,)),
    "powers": (x[i] ** 2 + x[i] ** -1 + x[i] ** Fraction(1, 2) + x[i] ** Fraction(-3, 2), (i,)),
    "zero to a negative power": ((x[i] - x[i]) ** -2, (i,)),
    "logarithm": (log(x[i]), (i,)),
    "functions": (cos(x[i]) * sin(x[j]) + absolute(x[i]), (i, j)),
    "diagonal": (Sum(i, iverson(M[i, i]) * x[i]), ()),
    "delta": (Sum(j, delta(i, j) * x[j]), (i,)),
    "order": (Sum(j, iverson(le(j, i)) * x[j]), (i,)),
    "strict order": (Sum(j, iverson(conjoin(lt(j, i), negate(M[i, j]))) * x[j]), (i,)),
    "mapped index": (X[sigma[i], a], (i, a)),
    "mapped twice": (x[sigma[sigma[i]]] * X[sigma[j], a], (i, a, j)),
    "map at two places": (iverson(M[sigma[i], sigma[j]]), (i, j)),
    "map under a sum": (Sum(i, X[sigma[i], a] * x[i]), (a,)),
    "compared maps": (delta(sigma[i], j), (i, j)),
    "symbol": (exp(neg(beta * x[i])), (i,)),
    "missing axis": (number(3), (i, a)),
    "size": (n.size * x[i] / m.size, (i,)),
}


@pytest.mark.parametrize("sizes", [{"n": 3, "m": 2}, {"n": 1, "m": 4}, {"n": 0, "m": 2}], ids=str)
@pytest.mark.parametrize("name", TERMS)
def test_against_loops(arrays, name, sizes):
    term, axes = TERMS[name]
    v = values(sizes)
    program = compile_term(term, axes)
    names = program.inputs
    got = program(dict(zip(names, _each(arrays, v, names), strict=True)), sizes=sizes)
    want = by_loops(term, axes, v, sizes)
    assert max_error(got, want) <= tolerance("float64", 12, 1 + np.abs(want).max(initial=0))


def _each(arrays, v, names):
    return [arrays.given(v[name]) for name in names]


def test_disjoint_union():
    union = Range("n⊎m", (n, m))
    s = Array("s", (union,))
    (k,) = indices("k", union)
    v = {"s": np.asarray([1.0, 2, 4, 8, 16])}
    sizes = {"n": 3, "m": 2}
    parts = Sum(i, s[inject(union, 0, i)]), Sum(a, s[inject(union, 1, a)])
    assert [float(compile_term(p)(v, sizes=sizes)) for p in parts] == [7, 24]
    assert float(compile_term(Sum(k, s[k]))(v, sizes=sizes)) == 31


def test_expectation_is_the_mean_over_outcomes():
    q, k = Array("q", (m,), random=True), Array("k", (m,), random=True)
    dot = Sum(a, q[a] * k[a])
    v = {name: np.random.default_rng(s).standard_normal((50, 3)) for s, name in enumerate("qk")}
    products = (v["q"] * v["k"]).sum(1)
    got = compile_term(E(dot**2) - E(dot) ** 2)(v)
    assert max_error(got, products.var()) <= tolerance("float64", 150, products.var())
    p = np.random.default_rng(5).dirichlet(np.ones(50))
    weighted = compile_term(E(q[a] * k[b]), (a, b))(v, probability=p)
    want = np.einsum("w,wa,wb->ab", p, v["q"], v["k"])
    assert max_error(weighted, want) <= tolerance("float64", 50, np.abs(want).max())


def test_nested_expectations_have_their_own_outcomes():
    q = Array("q", (m,), random=True)
    v = {"q": np.random.default_rng(0).standard_normal((7, 2))}
    got = compile_term(E((q[a] - E(q[a])) ** 2), (a,))(v)
    assert max_error(got, v["q"].var(0)) <= tolerance("float64", 14, 2)


def _slope(f, at):
    return derivative(f, Symbol("ε"), at)


eps = Symbol("ε")
SLOPES = {
    "power": (eps**3, 0.7, 3 * 0.49),
    "root": (sqrt(eps), 0.64, 0.5 / 0.8),
    "quotient": ((1 + eps) / (2 + eps**2), 0.5, (2.25 - 1.5 * 1.0) / 2.25**2),
    "exp of a product": (exp(2 * eps) * eps, 0.3, math.exp(0.6) * 1.6),
    "log": (log(eps**2), 0.4, 5.0),
    "circle": (sin(eps) * cos(eps), 0.2, math.cos(0.4)),
    "absolute": (absolute(eps), -0.5, -1.0),
    "sum": (Sum(i, exp(eps)), 0.0, 3.0),
    "constant": (beta, 0.3, 0.0),
    "second": (_slope(eps**4, eps), 0.5, 12 * 0.25),
}


@pytest.mark.parametrize("name", SLOPES)
def test_derivatives(name):
    f, at, want = SLOPES[name]
    got = compile_term(_slope(f, Symbol("t")))(
        {"t": np.asarray(at), "β": np.asarray(1.0)}, sizes={"n": 3}
    )
    assert max_error(got, want) <= tolerance("float64", 4, 1 + abs(want))


def test_softmax_jacobian():
    moved = softmax(Lambda(l, x[l] + eps * delta(l, j)))[i]
    s = np.random.default_rng(1).standard_normal(6)
    p = np.exp(s) / np.exp(s).sum()
    got = compile_term(_slope(moved, 0), (i, j))({"x": s})
    assert max_error(got, np.diag(p) - np.outer(p, p)) <= tolerance("float64", 6)


def test_equal_parts_are_computed_once():
    score = lambda k: Sum(a, X[i, a] * Y[a, k])
    program = compile_term(exp(score(j)) / Sum(l, exp(score(l))), (i, j))
    assert [step.op for step in program.instructions].count("fn") == 1


def test_contractions_are_pairwise_and_small():
    program = compile_term(Sum((a, j, b), X[i, a] * Y[a, j] * X[j, b] * y[b]), (i,))
    largest = max(len(set(sum(step.axes, ()))) for step in program.instructions)
    assert largest == 2


def test_no_python_loop_over_entries():
    """A hundred times the entries must not take anywhere near a hundred times the calls."""
    program = compile_term(*TERMS["softmax of scores"])
    seconds = []
    for size in (3, 30):
        v = values({"n": size, "m": size})
        start = time.perf_counter()
        for _ in range(20):
            program(v)
        seconds.append(time.perf_counter() - start)
    assert seconds[1] < 20 * seconds[0]


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda: compile_term(Sum(a, X[i, a]))({}), "X"),
        (lambda: compile_term(x[i])({"x": np.ones((2, 2))}), "one axis"),
        (lambda: compile_term(x[i] * X[i, a])({"x": np.ones(3), "X": np.ones((2, 2))}), "along n"),
        (lambda: compile_term(n.size)({}), "sizes"),
        (lambda: compile_term(x[i], ()), "axes"),
        (lambda: compile_term(Array("q", (n,), random=True)[i]), "outside an expectation"),
        (lambda: compile_term(x[i] * Symbol("x")), "one input"),
        (lambda: compile_term(x[i] * Array("x", (m,))[a]), "rename"),
    ],
)
def test_errors_say_what_is_wrong(call, word):
    with pytest.raises(NumericError, match=word):
        call()


# --- random terms ----------------------------------------------------------------------------

LEAVES = [x[i], x[j], X[i, a], y[a], x[sigma[i]], number(2), n.size, delta(i, j), iverson(M[i, j])]
AXES = (i, j, a)


def _combine(inner):
    return st.one_of(
        st.tuples(inner, inner).map(lambda t: add(*t)),
        st.tuples(inner, inner).map(lambda t: mul(*t)),
        st.tuples(inner, inner).map(lambda t: t[0] / (1 + t[1] ** 2)),
        inner.map(neg),
        inner.map(lambda t: cos(t)),
        st.tuples(st.sampled_from([i, j, a]), inner).map(lambda t: Sum(*t)),
    )


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    term=st.recursive(st.sampled_from(LEAVES), _combine, max_leaves=8),
    sizes=st.sampled_from([{"n": 2, "m": 3}, {"n": 1, "m": 2}, {"n": 2, "m": 0}]),
)
def test_random_terms_against_loops(term, sizes):
    v = values(sizes)
    got = compile_term(term, AXES)(v, sizes=sizes)
    want = by_loops(term, AXES, v, sizes)
    assert max_error(got, want) <= tolerance("float64", 64, 1 + np.abs(want).max(initial=0)) * 8


@pytest.mark.parametrize(
    "term",
    [
        Sum((l, a), X[i, a] * Y[a, l]) + x[j],
        softmax(x)[sigma[i]] * X[sigma[j], a],
        iverson(le(i, j)) * exp(beta * X[i, a]) + n.size,
        X[sigma[sigma[i]], a] * Y[a, sigma[i]],
    ],
    ids=range(4),
)
def test_entries_are_counted_without_a_call(term):
    """What is foretold is what the results of a call have."""
    v = values({"n": 4, "m": 3})
    program = compile_term(term)
    made = []

    run = Run(program, v, {"n": 4, "m": 3}, None)
    for step in program.instructions:
        made.append(run.step(step, *(made[slot] for slot in step.slots)))
    assert program.entries(v, {"n": 4, "m": 3}) == sum(np.size(x) for x in made)
