"""Evaluation in small models, against values worked out by hand or by plain Python."""

from __future__ import annotations

import math
from fractions import Fraction as Q
from itertools import product

import pytest

from derive.model import Model, Outcome, Unknown
from derive.signature import PROP, Array, Definition, Range
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
    delta,
    derivative,
    eq,
    exp,
    forall,
    implies,
    independent,
    indices,
    inject,
    iverson,
    le,
    log,
    lt,
    moments,
    negate,
    power,
    sin,
    sqrt,
    tends,
)
from derive.terms import Term, number
from derive.values import NotEvaluableError
from vocabulary import X, a, d, i, j, k, n, x

b = Symbol("b")


def table(*values: object) -> dict:
    return {(index,): Q(v) if type(v) is int else v for index, v in enumerate(values)}


def grid(rows: list[list[int]]) -> dict:
    return {(r, c): Q(v) for r, row in enumerate(rows) for c, v in enumerate(row)}


WORLD = Model(
    {n: 3, d: 2},
    {x: table(1, -2, 5), X: grid([[1, 2], [3, 4], [5, 6]])},
    {i: 0, j: 1, k: 2, a: 1, b: Q(3, 2)},
)


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        (x[i] + x[j] * b, Q(-2)),
        (Sum(i, x[i]), Q(4)),
        (Sum((i, a), X[i, a]), Q(21)),
        (Sum(i, x[i] * X[i, a]), Q(2 - 8 + 30)),
        (n.size * d.size, Q(6)),
        (Sum(k, delta(k, j) * x[k]), Q(-2)),
        (Sum(k, iverson(le(k, j)) * x[k]), Q(-1)),
        (Sum(k, iverson(lt(k, j)) * x[k]), Q(1)),
        (absolute(x[j]), Q(2)),
        (sqrt(number(Q(9, 4))), Q(3, 2)),
        (power(number(8), Q(-1, 3)), Q(1, 2)),
    ],
)
def test_value_is_exact(term, expected):
    assert WORLD.value(term) == expected


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        (x[i] / 0, Q(0)),
        (power(number(0), -2), Q(0)),
        (power(number(0), Q(1, 2)), Q(0)),
        (power(number(-4), Q(1, 2)), Q(0)),
        (power(number(-4), Q(-3, 2)), Q(0)),
        (power(number(0), 0), Q(1)),
        (log(number(0)), Q(0)),
        (log(number(-3)), Q(0)),
        (log(number(1)), Q(0)),
        (exp(number(0)), Q(1)),
        (cos(number(0)), Q(1)),
        (sin(number(0)), Q(0)),
    ],
)
def test_total_conventions(term, expected):
    assert WORLD.value(term) == expected


def test_empty_sum_is_zero_and_every_statement_about_nothing_holds():
    empty = Model({n: 0}, {x: {}})
    assert empty.value(Sum(i, exp(x[i]))) == 0
    assert empty.truth(forall(i, lt(x[i], x[i]))) is True
    assert empty.truth(lt(0, n.size)) is False


def test_disjoint_union_numbers_its_elements_part_after_part():
    union = Range("n+d", (n, d))
    y = Array("y", (union,))
    u = Index("u", union)
    world = Model({n: 3, d: 2}, {y: table(1, 2, 4, 8, 16)}, {a: 1, i: 0})
    assert world.value(union.size) == 5
    assert world.value(y[inject(union, 1, a)]) == 16
    assert world.value(y[inject(union, 0, i)]) == 1
    split = Sum(i, y[inject(union, 0, i)]) + Sum(a, y[inject(union, 1, a)])
    assert world.truth(eq(Sum(u, y[u]), split)) is True


def test_index_maps_and_masks():
    sigma, mask = Array("σ", (n,), n), Array("M", (n, n), PROP)
    allowed = {(r, c): r >= c for r, c in product(range(3), repeat=2)}
    world = Model({n: 3}, {x: table(1, 10, 100), sigma: {(0,): 2, (1,): 0, (2,): 1}, mask: allowed})
    assert world.value(Sum(i, x[sigma[i]] * x[i])) == 100 + 10 + 1000
    assert world.truth(bijection(sigma)) is True
    assert world.truth(forall(i, mask[i, i])) is True
    assert world.truth(forall((i, j), mask[i, j])) is False
    assert world.value(Sum((i, j), iverson(negate(mask[i, j])))) == 3
    collapsed = Model({n: 2}, {sigma: {(0,): 0, (1,): 0}})
    assert collapsed.truth(bijection(sigma)) is False


def test_definition_is_evaluated_as_its_unfolding():
    m = Range("m")
    A, B = Array("A", (n, m)), Array("B", (m, d))
    (l,) = indices("l", m)
    matmul = Definition("matmul", (A, B), (i, a), Sum(l, A[i, l] * B[l, a]))
    softmax = Definition("softmax", (x,), (i,), exp(x[i]) / Sum(j, exp(x[j])))
    XT = Lambda((a, i), X[i, a])
    gram = matmul(X, XT)
    assert WORLD.value(gram[i, j]) == 1 * 3 + 2 * 4  # other ranges than the definition's own
    row = softmax(Lambda(k, gram[i, k]))
    assert WORLD.truth(eq(row[j], exp(gram[i, j]) / Sum(k, exp(gram[i, k])))) is not False
    assert WORLD.surrogate_truth(eq(Sum(j, row[j]), 1)) is True
    low, high = WORLD.value(row[j]).bounds()
    scores = [5, 11, 17]
    assert float(low) == pytest.approx(math.exp(11) / sum(map(math.exp, scores)))
    assert float(high) >= float(low)


def test_a_bound_index_does_not_slip_into_an_argument():
    y = Array("y", (n,))
    f = Definition("f", (y,), (), Sum(k, Sum(l := Index("l", n), y[l] * y[k])))
    by_hand = sum(((1 + u) * (1 + v) for u, v in product((1, -2, 5), repeat=2)), Q(0))
    assert WORLD.value(f(Lambda(k, x[k] + x[i]))) == by_hand


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        (derivative(b**3 + 2 * b, b), Q(3) * Q(9, 4) + 2),
        (derivative(1 / b, b), Q(-4, 9)),
        (derivative(sqrt(b), b, at=4), Q(1, 4)),
        (derivative(absolute(b), b, at=-3), Q(-1)),
        (derivative(log(b), b, at=5), Q(1, 5)),
        (derivative(log(b), b, at=-5), Q(0)),
        (derivative(exp(b), b, at=0), Q(1)),
        (derivative(sin(b), b, at=0), Q(1)),
        (derivative(cos(b), b, at=0), Q(0)),
        (derivative(b * sqrt(b - 10), b), Q(0)),
        (derivative(x[i], b), Q(0)),
        # perturbation confusion: d/db [b · d/dc (b + c)] = 1, not 2
        (derivative(b * derivative(b + Symbol("c"), Symbol("c"), at=7), b), Q(1)),
        (derivative(derivative(b**3, b, at=b), b), Q(9)),
        (derivative(Sum(k, b * x[k]) ** 2, b), Q(2 * 16) * Q(3, 2)),
    ],
)
def test_derivative(term, expected):
    assert WORLD.value(term) == expected


@pytest.mark.parametrize(
    "term",
    [
        derivative(absolute(b), b, at=0),
        derivative(1 / b, b, at=0),
        derivative(sqrt(b), b, at=0),
        derivative(log(b), b, at=0),
    ],
)
def test_derivative_at_a_kink_is_refused(term):
    with pytest.raises(NotEvaluableError):
        WORLD.value(term)


def test_softmax_jacobian_by_duals_matches_finite_differences():
    s = [0.1, -0.4, 0.7]
    world = Model({n: 3}, {x: table(Q(1, 10), Q(-2, 5), Q(7, 10))}, {i: 0, j: 1})
    moved = Lambda(k, x[k] + b * delta(k, j))
    p = exp(moved[i]) / Sum(k, exp(moved[k]))
    low, _ = world.value(derivative(p, b, at=0)).bounds()

    def softmax(s):
        return math.exp(s[0]) / sum(map(math.exp, s))

    h = 1e-6
    slope = (softmax([s[0], s[1] + h, s[2]]) - softmax([s[0], s[1] - h, s[2]])) / (2 * h)
    assert float(low) == pytest.approx(slope, rel=1e-6)


# ------------------------------------------------------------------ real functions


def test_reals_are_enclosed_and_told_apart():
    assert WORLD.truth(lt(exp(b), number(Q(448169, 100000)))) is True  # e^1.5 = 4.4816890…
    assert WORLD.truth(lt(number(Q(448168, 100000)), exp(b))) is True
    assert WORLD.truth(eq(exp(b), number(Q(4481689070338, 10**12)))) is False
    assert WORLD.truth(lt(exp(number(1)) * exp(number(-1)), 1)) is not True
    assert WORLD.truth(eq(sqrt(number(2)) ** 2, 2)).reason  # never decided by intervals
    # needs the second precision: e^(10^-40) against 1
    assert WORLD.truth(lt(1, exp(number(Q(1, 10**40))))) is True


def test_a_denominator_that_may_vanish_is_refused():
    nothing = sqrt(number(2)) ** 2 - 2
    with pytest.raises(NotEvaluableError):
        WORLD.value(1 / nothing)
    assert type(WORLD.truth(eq(1 / nothing, 0))) is Unknown


def test_huge_numbers_are_refused_in_bounded_time():
    tower = exp(exp(exp(number(10))))
    with pytest.raises(NotEvaluableError):
        WORLD.value(tower)
    with pytest.raises(NotEvaluableError):
        WORLD.value(power(power(number(7), 4000), 4000))


# ------------------------------------------------------------------ exact stand-ins


def test_stand_ins_obey_the_laws_of_exp_log_and_rotation():
    u, v = Symbol("u"), Symbol("v")
    world = Model({}, {}, {u: Q(5, 3), v: Q(-7, 2)})
    laws = [
        eq(exp(u + v), exp(u) * exp(v)),
        eq(log(exp(u)), u),
        eq(log(exp(u) * exp(v)), u + v),
        eq(log(2 * exp(u)) + log(6 * exp(v)), u + v + log(number(12))),
        eq(cos(u) ** 2 + sin(u) ** 2, 1),
        eq(cos(u + v), cos(u) * cos(v) - sin(u) * sin(v)),
        eq(sin(-u), -sin(u)),
        eq(derivative(exp(2 * u), u), 2 * exp(2 * u)),
    ]
    for t in (Q(2), Q(3, 2), Q(15, 4)):
        assert [world.surrogate_truth(law, t) for law in laws] == [True] * len(laws)
    assert world.surrogate_truth(eq(exp(u + v), exp(u) + exp(v))) is False
    assert world.surrogate_truth(eq(cos(u + v), cos(u) * cos(v) + sin(u) * sin(v))) is False


def test_stand_ins_do_not_decide_inequalities():
    u = Symbol("u")
    world = Model({}, {}, {u: Q(1, 2)})
    assert type(world.surrogate_truth(le(1 + u, exp(u)))) is Unknown
    assert world.truth(le(1 + u, exp(u))) is True
    assert world.surrogate_truth(lt(0, u)) is True


# ------------------------------------------------------------------ truth


def test_three_valued_connectives():
    yes, no = le(0, 1), lt(1, 0)
    unclear = eq(sqrt(number(2)) ** 2, 2)
    truth = WORLD.truth
    assert truth(implies(no, unclear)) is True
    assert truth(implies(unclear, yes)) is True
    assert type(truth(implies(unclear, no))) is Unknown
    assert truth(conjoin(unclear, no)) is False
    assert type(truth(conjoin(unclear, yes))) is Unknown
    assert type(truth(negate(unclear))) is Unknown
    with pytest.raises(NotEvaluableError):
        bool(truth(unclear))


def test_arrays_are_compared_entry_by_entry():
    doubled = Lambda((i, a), X[i, a] + X[i, a])
    assert WORLD.truth(eq(doubled, Lambda((i, a), 2 * X[i, a]))) is True
    assert WORLD.truth(eq(doubled, Lambda((i, a), X[i, a] * X[i, a]))) is False


def test_statements_about_all_reals_are_at_most_refuted():
    assert WORLD.truth(forall(b, eq(b * b, b))) is False
    assert type(WORLD.truth(forall(b, le(0, b * b)))) is Unknown


B = Symbol("β")


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        (tends(B, 1 / B, 0), True),
        (tends(B, 1 / B, 1), False),
        (tends(B, (2 * B**2 + 1) / (B**2 - B), 2), True),
        (tends(B, B, 5), False),  # infinite
        (tends(B, B**3 * exp(-B), 0), True),
        (tends(B, exp(B) / (exp(B) + exp(2 * B)), 0), True),
        (tends(B, exp(B * x[i]) / Sum(j, exp(B * x[j])), 0), True),
        (tends(B, exp(B * x[k]) / Sum(j, exp(B * x[j])), 1), True),
        (tends(B, exp(B + 1) / exp(B), exp(number(1))), None),  # equal, but by intervals
        (tends(B, exp(B + 1) / exp(B), 2), False),
        (tends(B, absolute(1 - B) / B, 1), True),
        (tends(B, sqrt(B), 0), None),
        (tends(B, B * derivative(b * B, b), 0), False),
        (tends(B, exp(B) + 1, 2, to="0"), True),
        (tends(B, exp(B) + 1, 1, to="0"), False),
        (tends(B, absolute(B), 0, to="0"), None),  # true, but not differentiable there
        (tends(B, B / B, 1, to="0"), None),
        (tends(B, absolute(B) / B, 1, to="0"), None),
    ],
)
def test_limits(claim, expected):
    truth = WORLD.truth(claim)
    assert truth is expected or (expected is None and type(truth) is Unknown)


# ------------------------------------------------------------------ expectation

q, r = Array("q", (n,), random=True), Array("r", (n,), random=True)


def law(*cases: tuple[Q, dict]) -> Model:
    return Model({n: 2}, {}, {i: 0, j: 1}, tuple(Outcome(p, t) for p, t in cases))


INDEPENDENT = law(
    *(
        (Q(1, 4) * p, {q: table(s, -s), r: table(t, t)})
        for s in (1, -1)
        for t, p in ((3, Q(1, 2)), (0, Q(3, 2)))
    )
)
EQUAL = law(*((Q(1, 2), {q: table(s, s), r: table(s, s)}) for s in (1, -1)))


def test_expectation():
    assert INDEPENDENT.value(E(q[i])) == 0
    assert INDEPENDENT.value(E(q[i] * q[j])) == -1
    assert INDEPENDENT.value(E(r[i])) == Q(3, 4)
    assert INDEPENDENT.value(E(r[i] ** 2) - E(r[i]) ** 2) == Q(9, 4) - Q(9, 16)
    assert INDEPENDENT.value(E(number(7) + E(r[i]))) == 7 + Q(3, 4)
    assert EQUAL.value(E(Sum(k, q[k] * r[k]) ** 2)) == 4


def test_independence_is_the_joint_law_being_the_product():
    assert INDEPENDENT.truth(independent(q, r)) is True
    assert EQUAL.truth(independent(q, r)) is False
    assert EQUAL.truth(moments(q, 4)) is True


def test_pairwise_is_not_mutual():
    u, v, w = (Array(name, (), random=True) for name in "uvw")
    cases = [(Q(1, 4), {u: {(): Q(s)}, v: {(): Q(t)}, w: {(): Q(s * t)}}) for s, t in SIGNS]
    world = law(*cases)
    assert all(world.truth(independent(*pair)) is True for pair in ((u, v), (v, w), (u, w)))
    assert world.truth(independent(u, v, w)) is False


SIGNS = tuple(product((1, -1), repeat=2))


def test_a_random_entry_itself_is_looked_at_in_every_outcome():
    assert EQUAL.truth(eq(q[i], r[i])) is True
    assert INDEPENDENT.truth(eq(q[i], r[i])) is False
    assert INDEPENDENT.truth(le(q[i], 1)) is True
    with pytest.raises(NotEvaluableError):
        EQUAL.value(q[i])


def test_a_definition_of_an_expectation_takes_a_random_argument_by_name():
    y = Array("y", (n,))
    mean = Definition("mean", (y,), (i,), E(y[i]))
    assert INDEPENDENT.value(mean(Lambda(k, Term("mul", (r[k], q[k]))))[i]) == 0
    assert INDEPENDENT.value(mean(r)[j]) == Q(3, 4)


def test_a_bijection_between_ranges_reaches_every_element():
    sigma = Array("σ", (n,), d)
    onto = {(0,): 1, (1,): 0}
    assert Model({n: 2, d: 2}, {sigma: onto}).truth(bijection(sigma)) is True
    assert Model({n: 2, d: 3}, {sigma: onto}).truth(bijection(sigma)) is False


def test_a_limit_of_a_constant_is_that_constant():
    assert WORLD.truth(tends(Symbol("β"), b, Q(3, 2))) is True
    assert WORLD.truth(tends(Symbol("β"), b, 0)) is False


def test_denominators_too_close_to_tell_apart_are_not_the_same():
    """One interval holds both, so the difference seemed to be 0 and its limit too."""
    third, more = (exp(number(Q(1, 3) + shift)) for shift in (0, Q(1, 2**400)))
    difference = B / (third * B + 1) - B / (more * B + 1)
    assert type(WORLD.truth(negate(tends(B, difference, 0)))) is Unknown
