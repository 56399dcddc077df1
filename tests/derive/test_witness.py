"""Counterexamples: found where a statement is false, never where it is true, and always right."""

from __future__ import annotations

import json
from fractions import Fraction as Q

import pytest

from derive.signature import Array
from derive.syntax import (
    E,
    Lambda,
    Sum,
    absolute,
    bijection,
    cos,
    delta,
    derivative,
    eq,
    exp,
    forall,
    implies,
    independent,
    iverson,
    le,
    log,
    lt,
    moments,
    negate,
    ranges,
    sin,
    sqrt,
    tends,
)
from derive.terms import number
from derive.witness import Witness, exact_check, refute, satisfying_model
from vocabulary import SOFTMAX, X, Y, a, b, c, d, i, j, k, m, mask, n, q, u, v, x
from vocabulary import σ as sigma

r, y = Array("k", (d,), random=True), Array("y", (d,))
w, s = Array("w", (n,)), Array("s", (n,))
INHABITED = lt(0, n.size)
DOT = Sum(a, q[a] * r[a])


def mean_zero(h):
    return forall(a, eq(E(h[a]), 0))


def white(h):
    return forall((a, b), eq(E(h[a] * h[b]), delta(a, b)))


def unit(h):
    return forall(a, eq(E(h[a] ** 2), 1))


def variance(z):
    return E(z**2) - E(z) ** 2


MOMENTS = [mean_zero(q), white(q), unit(r), independent(q, r), moments(q, 2), moments(r, 2)]
WEIGHTS = [forall(i, le(0, w[i])), eq(Sum(i, w[i]), 1)]
UNIQUE = forall(j, implies(negate(eq(j, m)), lt(s[j], s[m])))
AGREE = forall((k, a), implies(le(k, i), eq(X[k, a], Y[k, a])))
ENTROPY = Sum(i, w[i] * s[i]) - Sum(i, w[i] * log(w[i]))

TRUE = {
    "variance": (MOMENTS, eq(variance(DOT), d.size)),
    "scaled variance": ([*MOMENTS, lt(0, d.size)], eq(variance(DOT / sqrt(d.size)), 1)),
    "rows sum to one": ([INHABITED], eq(Sum(j, SOFTMAX(x)[j]), 1)),
    "shift": ([], eq(SOFTMAX(Lambda(k, x[k] + u))[i], SOFTMAX(x)[i])),
    "reindexing": ([bijection(sigma)], eq(Sum(i, x[sigma[i]]), Sum(i, x[i]))),
    "reindexing between ranges": (
        [bijection(Array("ρ", (n,), d))],
        eq(Sum(i, y[Array("ρ", (n,), d)[i]]), Sum(a, y[a])),
    ),
    "causal": (
        [AGREE],
        eq(Sum(k, iverson(le(k, i)) * X[k, b]), Sum(k, iverson(le(k, i)) * Y[k, b])),
    ),
    "rotation": ([], eq(cos(u - v), cos(u) * cos(v) + sin(u) * sin(v))),
    "jacobian": (
        [],
        eq(
            derivative(SOFTMAX(Lambda(k, x[k] + u * delta(k, j)))[i], u, at=0),
            SOFTMAX(x)[i] * (delta(i, j) - SOFTMAX(x)[j]),
        ),
    ),
    "hard limit": ([UNIQUE], tends(u, SOFTMAX(Lambda(k, u * s[k]))[i], delta(i, m))),
    "uniform limit": ([], tends(u, SOFTMAX(Lambda(k, u * s[k]))[i], 1 / n.size, to="0")),
    "log of a product": ([lt(0, u), lt(0, v)], eq(log(u * v), log(u) + log(v))),
}


@pytest.mark.parametrize("name", TRUE)
def test_true_statements_are_not_refuted_and_hold_in_every_instance(name):
    hypotheses, conclusion = TRUE[name]
    assert refute(hypotheses, conclusion, budget=60) is None
    result = exact_check(hypotheses, conclusion, instances=10)
    assert result["failures"] == 0
    assert result["instances"] >= 8
    assert result["instances"] + result["not_evaluable"] == 10


@pytest.mark.parametrize("name", TRUE)
def test_their_hypotheses_have_a_model(name):
    hypotheses, conclusion = TRUE[name]
    model = satisfying_model(hypotheses, about=[conclusion])
    assert all(model.truth(p) is True for p in hypotheses)


@pytest.mark.parametrize("dropped", range(4))
def test_each_moment_hypothesis_is_needed(dropped):
    weaker = [p for at, p in enumerate(MOMENTS) if at != dropped]
    witness = refute(weaker, TRUE["variance"][1])
    assert witness.left != witness.right
    assert witness.right == witness.model.sizes[d]
    assert all(witness.model.truth(p) is True for p in weaker)
    assert witness.model.truth(MOMENTS[dropped]) is False


FALSE = {
    "softmax of nothing": ([], eq(Sum(j, SOFTMAX(x)[j]), 1)),
    "log of a sum": ([lt(0, u), lt(0, v)], eq(log(u + v), log(u) + log(v))),
    "log of any product": ([], eq(log(u * v), log(u) + log(v))),
    "exp of a sum": ([], eq(exp(u + v), exp(u) + exp(v))),
    "root of a square": ([], eq(sqrt(u**2), u)),
    "cancel what may vanish": ([], eq(u / u, 1)),
    "reindexing by any map": ([], eq(Sum(i, x[sigma[i]]), Sum(i, x[i]))),
    "a bijection left bare": (
        [bijection(sigma)],
        eq(Sum(i, x[sigma[i]] * s[i]), Sum(i, x[i] * s[i])),
    ),
    "< from ≤": ([le(u, v)], lt(u, v)),
    "scaling by what may be negative": ([le(u, v)], le(u * x[i], v * x[i])),
    "for all reals": ([], forall(u, le(u, u**2))),
    "squares for all reals": ([], forall(u, eq(u**2, absolute(u)))),
    "the future ignored": ([AGREE], eq(Sum(k, X[k, b]), Sum(k, Y[k, b]))),
    "entropy of no distribution": ([WEIGHTS[1]], le(ENTROPY, log(Sum(i, exp(s[i]))))),
    "entropy unnormalised": ([WEIGHTS[0]], le(ENTROPY, log(Sum(i, exp(s[i]))))),
    "a mask with an empty row": (
        [],
        eq(Sum(j, iverson(mask[i, j])) / Sum(j, iverson(mask[i, j])), 1),
    ),
    "diagonal jacobian": (
        [],
        eq(
            derivative(SOFTMAX(Lambda(k, x[k] + u * delta(k, j)))[i], u, at=0),
            SOFTMAX(x)[i] * (1 - SOFTMAX(x)[i]) * delta(i, j),
        ),
    ),
    "a strict maximum among one": ([UNIQUE], lt(0, Sum(j, s[m] - s[j]))),
    "E of a product": ([], eq(E(DOT), Sum(a, E(q[a]) * E(r[a])))),
    "uncorrelated for independent": (
        [white(q), mean_zero(q)],
        forall((a, b), eq(E(q[a] ** 2 * q[b] ** 2), E(q[a] ** 2) * E(q[b] ** 2))),
    ),
    "the limit with two maxima": ([], tends(u, SOFTMAX(Lambda(k, u * s[k]))[i], delta(i, m))),
    "a limit that is infinite": ([], tends(u, u * v, 0)),
    "transposed": (
        [],
        eq(Lambda((i, j), Sum(a, X[i, a] * Y[j, a])), Lambda((i, j), Sum(a, X[j, a] * Y[i, a]))),
    ),
    "sums swapped with a dependent range": (
        [],
        eq(Sum((i, j), iverson(lt(i, j)) * x[j]), Sum((i, j), iverson(lt(j, i)) * x[j])),
    ),
    "reindexing by any map between ranges": (
        [],
        eq(Sum(i, y[Array("ρ", (n,), d)[i]]), Sum(a, y[a])),
    ),
    "a condition on an outcome used for its mean": ([], implies(eq(q[a], 0), eq(E(q[a]), 0))),
    "an outcome for its mean": ([], eq(q[a], E(q[a]))),
}


@pytest.mark.parametrize("name", FALSE)
def test_false_statements_are_refuted(name):
    hypotheses, conclusion = FALSE[name]
    witness = refute(hypotheses, conclusion)
    assert isinstance(witness, Witness)
    assert all(witness.model.truth(p) is True for p in hypotheses)
    assert witness.relation in {"=", "≤", "<", "→", None}
    json.dumps(witness.to_json(), allow_nan=False)
    assert str(witness)


def test_the_witness_is_small_and_printed_plainly():
    witness = refute([], eq(u / u, 1))
    assert str(witness) == "u = 0\nleft: 0   right: 1   claimed: ="
    assert witness.to_json()["values"] == {"u": "0"}
    reindexed = refute([], eq(Sum(i, x[sigma[i]]), Sum(i, x[i]))).to_json()
    assert reindexed["sizes"] == {"n": 2}
    assert all(1 <= image <= 2 for image in reindexed["arrays"]["σ"])  # indices count from 1


def test_same_seed_same_witness():
    hypotheses, conclusion = FALSE["the future ignored"]
    assert str(refute(hypotheses, conclusion)) == str(refute(hypotheses, conclusion))


def test_what_cannot_be_decided_is_not_refuted():
    assert refute([], tends(u, sqrt(u) / u, 5)) is None
    assert refute([], eq(sqrt(number(2)) ** 2, 2)) is None
    assert refute([forall(u, le(0, u**2))], eq(v, v + 1)) is None  # hypothesis not decidable


def test_contradictory_hypotheses_have_no_model_and_refute_nothing():
    contradiction = [eq(u, 0), eq(u, 1)]
    assert satisfying_model(contradiction, budget=60) is None
    assert refute(contradiction, eq(v, v + 1), budget=60) is None


def test_hypotheses_shape_the_model():
    inverse = forall(
        (a, b), eq(Sum(c, Array("G", (d, d))[a, c] * Array("H", (d, d))[c, b]), delta(a, b))
    )
    for hypotheses in (
        WEIGHTS,
        [UNIQUE],
        [AGREE],
        [negate(forall(j, negate(mask[i, j])))],
        [inverse],
    ):
        model = satisfying_model(hypotheses)
        assert all(model.truth(p) is True for p in hypotheses)


def test_inequalities_are_checked_by_intervals_and_a_wrong_one_fails():
    right = exact_check(WEIGHTS, le(ENTROPY, log(Sum(i, exp(s[i])))), instances=12)
    wrong = exact_check(WEIGHTS, le(ENTROPY + Q(1, 2), log(Sum(i, exp(s[i])))), instances=12)
    assert right["failures"] == 0 < right["instances"]
    assert wrong["failures"] > 0


def test_exact_check_sees_a_wrong_equation_with_exponentials():
    wrong = eq(SOFTMAX(Lambda(k, 2 * x[k]))[i], SOFTMAX(x)[i])
    assert exact_check([], wrong, instances=12)["failures"] > 0


def test_exact_check_counts_what_it_could_not_evaluate():
    assert exact_check([], tends(u, sqrt(u) / u, 0), instances=3) == {
        "instances": 0,
        "failures": 0,
        "not_evaluable": 3,
    }


def test_sizes_satisfy_what_relates_them():
    heads, wide = ranges("heads wide")
    related = [eq(heads.size * n.size, d.size), eq(wide.size, 4 * d.size), lt(0, d.size)]
    sizes = satisfying_model(related).sizes
    assert sizes[heads] * sizes[n] == sizes[d]
    assert sizes[wide] == 4 * sizes[d] > 0
    alone = forall(i, eq(i, m))  # all elements are one
    assert satisfying_model([alone], about=[x[m]]).sizes[n] == 1
