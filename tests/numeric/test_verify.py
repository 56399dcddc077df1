"""The cross-check: true statements pass, false and untestable ones do not."""

import dataclasses
import math

import numpy as np
import pytest

from derive.signature import PROP, Array, Definition
from derive.syntax import (
    E,
    Lambda,
    Sum,
    Symbol,
    absolute,
    bijection,
    delta,
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
    neg,
    negate,
    number,
    ranges,
    tends,
)
from numeric import NumericError
from numeric.backends import backend
from numeric.compile import compile_term
from numeric.rounding import evaluate
from numeric.sabotage import mutants
from numeric.sampling import sample
from numeric.verify import ENOUGH, FAR, SWEEP, WORLDS, verify
from numeric.world import Gap, TooLargeError, World, measure

n, m = ranges("n m")
i, j, l, top = indices("i j l m", n)
a, b = indices("a b", m)
s, w, X, Y = Array("s", (n,)), Array("w", (n,)), Array("X", (n, m)), Array("Y", (n, m))
M, sigma, u = Array("M", (n, n), PROP), Array("σ", (n,), n), Array("u", (m,))
beta, bound, gap = Symbol("β"), Symbol("B"), Symbol("Δ")
q, k = Array("q", (m,), random=True), Array("k", (m,), random=True)
softmax = Definition("softmax", (s,), (i,), exp(s[i]) / Sum(l, exp(s[l])))
hot = softmax(Lambda(l, beta * s[l]))
dot = Sum(a, q[a] * k[a])
centred = forall(a, eq(E(q[a]), 0))
white = forall((a, b), eq(E(q[a] * q[b]), delta(a, b)))
unit = forall(a, eq(E(k[a] ** 2), 1))
apart = independent(q, k)
weights = (forall(j, le(0, w[j])), eq(Sum(j, w[j]), 1))
entropy = neg(Sum(j, w[j] * log(w[j])))
lead = forall(j, implies(negate(eq(j, top)), le(s[j], s[top] - gap)))

TRUE = {
    "rows": ((lt(0, n.size),), eq(Sum(i, softmax(s)[i]), 1)),
    "shift": ((), eq(softmax(Lambda(l, s[l] + beta))[i], softmax(s)[i])),
    "reindexing": ((bijection(sigma),), eq(Sum(i, s[sigma[i]]), Sum(i, s[i]))),
    "positive": ((), lt(0, softmax(s)[i])),
    "variance": ((centred, white, unit, apart), eq(E(dot**2) - E(dot) ** 2, m.size)),
    "entropy": (
        weights,
        le(Sum(j, w[j] * s[j]) + entropy, log(Sum(j, exp(s[j])))),
    ),
    "saturation": (
        (lt(0, beta), lt(0, gap), lead),
        le(absolute(hot[i] * (delta(i, j) - hot[j])), (n.size - 1) * exp(-beta * gap)),
    ),
    "hard limit": (
        (forall(j, implies(negate(eq(j, top)), lt(s[j], s[top]))),),
        tends(beta, hot[i], delta(i, top)),
    ),
    "uniform limit": ((), tends(beta, hot[i], 1 / n.size, to="0")),
    "guarded": (
        (forall((j, a), implies(le(j, i), eq(X[j, a], Y[j, a]))),),
        eq(
            Sum((j, a), iverson(le(j, i)) * X[j, a] ** 2),
            Sum((j, a), iverson(le(j, i)) * Y[j, a] ** 2),
        ),
    ),
}


def run(name, cases=TRUE, **options):
    hypotheses, conclusion = cases[name]
    return verify(name, hypotheses, conclusion, **options)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", TRUE)
def test_true_statements_pass(name, dtype):
    report = run(name, on=backend(dtype=dtype))
    assert report.verdict == "passed", report.reason
    assert report.max_error <= report.tolerance < 0.1
    assert report.control_error >= FAR * report.tolerance
    assert report.mutants.caught == report.mutants.tried >= ENOUGH
    assert not report.mutants.survivors


@pytest.mark.parametrize("name", ["rows", "variance", "guarded"])
def test_true_statements_pass_where_only_the_standard_holds(name):
    assert run(name, on=backend("strict")).verdict == "passed"


FALSE = {
    "no root": ((), eq(Sum(i, softmax(s)[i] ** 2), 1)),
    "wrong sign": ((), eq(softmax(Lambda(l, s[l] + beta))[i], softmax(Lambda(l, -s[l]))[i])),
    "no bijection": ((), eq(Sum(i, s[sigma[i]]), Sum(i, s[i]))),
    "no independence": ((centred, white, unit), eq(E(dot**2) - E(dot) ** 2, m.size + 1)),
    "uncentred": ((forall((a, b), eq(E(k[a] * q[b]), 0)), unit), eq(E(k[a]), 0)),
    "reversed": ((), lt(softmax(s)[i], 0)),
    "strict where equal": ((), lt(softmax(s)[i], softmax(s)[i])),
    "wrong limit": ((), tends(beta, hot[i], delta(i, top))),
    "barely wrong": ((), eq(Sum(i, softmax(s)[i]), 1 + number(1) / 10**9)),
}


@pytest.mark.parametrize("name", FALSE)
def test_false_statements_fail(name):
    report = run(name, FALSE)
    assert report.verdict == "failed"
    assert report.reason


def test_a_check_that_cannot_fail_does_not_pass():
    """Under a guard that never holds, everything is true, and so is every mutant."""
    report = verify("vacuous", (), implies(negate(eq(i, i)), eq(s[i], 7)))
    assert report.max_error == 0.0
    assert report.verdict == "failed"
    assert report.mutants.caught == 0
    assert report.mutants.survivors
    assert report.reason.startswith("not told from the truth")


def test_too_few_mutants_are_no_control(monkeypatch):
    few = lambda statement, seed: mutants(statement, seed=seed)[: ENOUGH - 1]
    monkeypatch.setattr("numeric.verify.mutants", few)
    report = run("shift")
    assert report.verdict == "failed"
    assert report.reason.startswith(f"only {ENOUGH - 1} mutants")


@pytest.mark.parametrize(
    ("statement", "original", "true"),
    [
        (eq(s[i] * 2, s[i] + s[i]), eq(s[i] + s[i], 2 * s[i]), True),
        (eq(s[i] * 2, s[i]), eq(s[i] * 2, s[i] + s[i]), False),
        (eq(s[i] / s[i], 1), eq(s[i], s[i]), False),  # not where it is 0
        (eq(E(dot), 0), eq(E(dot**2), m.size), True),
        (eq(E(k[a]), 0), eq(E(dot), 0), False),
        (lt(0, exp(s[i])), lt(0, softmax(s)[i]), True),
        (lt(0, s[i]), lt(0, softmax(s)[i]), False),
        (le(s[i], beta + exp(beta)), le(s[i], beta), True),
        (le(s[i], beta - exp(beta)), le(s[i], beta), False),
        (tends(beta, hot[i], 1), tends(beta, hot[i], 0), False),
    ],
    ids=range(10),
)
def test_only_the_kernel_calls_a_mutant_true(statement, original, true):
    from numeric.equivalence import proved

    assert proved(statement, original, (centred, white, unit, apart)) is true


def test_contradictory_hypotheses_are_not_evaluable():
    report = verify("contradiction", (lt(beta, 0), lt(0, beta)), eq(beta, 7))
    assert report.verdict == "not evaluable"
    assert report.max_error is None
    assert report.instances == 0


def test_same_seed_same_report():
    first, second = (run("entropy", seed=3) for _ in range(2))
    strip = lambda r: dataclasses.replace(r, seconds=0.0)
    assert strip(first) == strip(second)


# --- sizes -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["rows", "saturation", "guarded"])
def test_sizes_grow(name):
    report = run(name)
    assert report.instances == WORLDS + len(SWEEP)
    assert SWEEP[-1] // 2 <= report.largest <= SWEEP[-1]
    assert "largest" not in report.as_dict()


def test_what_holds_at_small_sizes_only_fails():
    """A sum of exponentials of small numbers is below 100 as long as there are few."""
    report = verify("small", (), lt(Sum(i, exp(s[i])), 100))
    assert report.verdict == "failed"
    assert report.reason.startswith("off by")
    assert report.max_error > 20


def test_a_size_counts_only_where_a_mutant_is_caught_too(monkeypatch):
    monkeypatch.setattr("numeric.verify._far_off", lambda *_: False)
    report = run("rows")
    assert report.instances == WORLDS
    assert report.largest < SWEEP[0]


def test_sizes_stop_where_memory_does(monkeypatch):
    monkeypatch.setattr("numeric.verify.MOST_ENTRIES", 1000)
    report = run("guarded")
    assert report.verdict == "passed"
    assert report.largest < SWEEP[-1] // 2


def test_a_world_grants_so_much_memory_and_no_more():
    wide = World({"s": np.ones(30)}, {"n": 30}, most=1000)
    assert measure(eq(s[i] - s[i], 0), wide).holds
    with pytest.raises(TooLargeError, match="at most 1000"):
        measure(eq(s[i] - s[j], 0), wide)


# --- worlds ----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("tight", [False, True])
@pytest.mark.parametrize("name", TRUE)
def test_worlds_satisfy_every_hypothesis(name, seed, tight):
    hypotheses, conclusion = TRUE[name]
    world = sample(hypotheses, conclusion, seed=seed, tight=tight)
    assert all(measure(h, world).holds for h in hypotheses)


def test_worlds_assume_no_more_than_they_are_told():
    """Keys need no mean of 0, rows above the guard must differ, weights are not uniform."""
    k_mean = compile_term(E(k[a]), (a,))
    world = sample(*TRUE["variance"], seed=1)
    assert np.abs(k_mean(world.values, probability=world.probability)).min() > 0.1
    world = next(
        w for w in (sample(*TRUE["guarded"], seed=t) for t in range(20)) if w.sizes["n"] > 2
    )
    assert not np.array_equal(world.values["X"], world.values["Y"])
    assert np.ptp(sample(*TRUE["entropy"], seed=2).values["w"]) > 0.01


def test_matrix_equations_are_solved():
    G, H = Array("G", (m, m)), Array("H", (m, m))
    (c,) = indices("c", m)
    inverse = forall((a, b), eq(Sum(c, G[a, c] * H[b, c]), delta(a, b)))
    world = sample((inverse,), eq(G[a, b], G[a, b]), seed=0)
    assert measure(inverse, world).holds


def test_sizes_that_equations_state():
    p, r = ranges("p r")
    world = sample((eq(p.size, 4 * r.size), lt(1, r.size)), eq(p.size, p.size), seed=0)
    assert world.sizes["p"] == 4 * world.sizes["r"] > 4


# --- measuring -------------------------------------------------------------------------------


def world_of(**values):
    values = {name: np.asarray(x, dtype=np.float64) for name, x in values.items()}
    return World(values, {"n": 3, "m": 2})


def test_nan_is_never_within_tolerance():
    gap = measure(eq(s[i], s[i]), world_of(s=[1.0, math.nan, 2.0]))
    assert not gap.holds
    assert not Gap(math.nan, 1.0).holds
    assert not Gap(0.0, math.nan).holds
    assert not Gap(0.0, math.inf).holds
    assert not (Gap(0.0, 0.0) | Gap(math.nan, 1.0)).holds


def test_infinity_is_never_within_tolerance():
    with np.errstate(invalid="ignore"):
        assert not measure(eq(s[i], 1 + s[i]), world_of(s=[1.0, math.inf, 2.0])).holds


@pytest.mark.parametrize(
    ("statement", "error"),
    [
        (le(s[i], 2), 1.0),
        (le(2, s[i]), 1.0),
        (le(s[i], 3), 0.0),
        (eq(s[i], 2), 1.0),
        (implies(eq(i, i), eq(s[i], 2)), 1.0),
        (forall(i, implies(negate(eq(i, j)), eq(s[i], s[i]))), 0.0),
    ],
    ids=str,
)
def test_gaps(statement, error):
    assert measure(statement, world_of(s=[1.0, 2.0, 3.0])).error == error


def test_bijections_are_looked_at():
    world = lambda values: World({"σ": np.asarray(values)}, {"n": 3})
    assert measure(bijection(sigma), world([2, 0, 1])).holds
    assert not measure(bijection(sigma), world([2, 0, 0])).holds


# --- rounding --------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_error_bounds_hold_and_are_not_idle(seed):
    """float32 against float64 on the same inputs: within the bound, and the bound is small."""
    rng = np.random.default_rng(seed)
    term = log(Sum(l, exp(s[l]))) * softmax(s)[i] / (1 + s[j] ** 2) - absolute(s[i])
    program = compile_term(term, (i, j))
    given = rng.standard_normal(40).astype(np.float32)
    value, error = evaluate(program, {"s": given})
    exact = program({"s": given.astype(np.float64)})
    assert (np.abs(value - exact) <= error).all()
    assert error.max() < 1e-3


def test_bounds_grow_as_the_analysis_says():
    """A sum of n terms is off by n eps of their sizes, beside what the terms are off by."""
    eps = np.finfo("float64").eps
    bound = lambda term, x: evaluate(compile_term(term, ()), {"s": np.asarray(x)})[1]
    inputs = 4 * eps * 1000
    assert bound(Sum(i, s[i]), np.ones(1000)) >= 1000 * eps * 1000 + inputs
    assert bound(Sum(i, s[i] * s[i]), np.ones(1000)) >= 1000 * eps * 1000 + 2 * inputs
    large = bound(Sum(i, exp(s[i])), [30.0])
    assert (
        large >= np.exp(30) * 4 * eps * 30
    )  # the exponential amplifies what its argument is off by
    assert large <= np.exp(30) * 40 * eps * 30
    assert bound(Sum(i, exp(s[i])), [0.0]) >= 4 * eps


@pytest.mark.parametrize(
    "term", [1 / (s[i] - s[i]), log(s[i] - s[i]), (s[i] - s[i]) ** -2, 1 / (s[i] + -s[i])]
)
def test_what_hangs_on_rounding_has_no_bound(term):
    _, error = evaluate(compile_term(term, (i,)), {"s": np.asarray([0.1, 0.2])})
    assert np.isinf(error).all()


# --- mutants ---------------------------------------------------------------------------------


def test_mutants_are_statements_and_differ():
    for _, conclusion in TRUE.values():
        made = mutants(conclusion, seed=1)
        statements = [mutant.statement for mutant in made]
        assert len(set(statements)) == len(statements) >= ENOUGH
        assert conclusion not in statements
        assert all(statement.kind == PROP and not statement.loose for statement in statements)


def test_mutants_cover_the_slips_people_make():
    kinds = {m.kind for _, c in TRUE.values() for m in mutants(c, limit=99)}
    assert kinds >= {
        "sign",
        "dropped factor",
        "dropped summand",
        "missing scale",
        "wrong index",
        "wrong constant",
        "reversed",
        "off by one",
    }


# --- back-ends -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "word"),
    [
        (lambda: backend("torch"), "one of numpy"),
        (lambda: backend("numpy", device="gpu"), "numpy on cpu; for gpu choose jax or cupy"),
        (lambda: backend(dtype="int8"), "float64 or float32"),
    ],
    ids=["name", "device", "dtype"],
)
def test_back_ends_that_are_not_there(call, word):
    with pytest.raises(NumericError, match=word):
        call()


def test_a_missing_library_names_what_to_install(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(NumericError, match=r"pip install '\.\[cupy\]' in the checkout"):
        backend("cupy")
