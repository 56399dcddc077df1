"""Falsehoods that plausible rules would prove; each is refused, or keeps what makes it true."""

from __future__ import annotations

from fractions import Fraction as Q

import pytest

from derive.facts import RuleError, inhabited
from derive.kernel import infer
from derive.signature import Array
from derive.syntax import (
    E,
    Sum,
    Symbol,
    absolute,
    bijection,
    derivative,
    eq,
    exp,
    implies,
    log,
    negate,
    sqrt,
)
from derive.terms import number
from derive.witness import refute
from vocabulary import a, i, j, k, n, q, x
from vocabulary import β as beta

c = Symbol("c")
TOTAL = Sum(j, exp(x[j]) / Sum(k, exp(x[k])))


def _rows_sum_to_one_beside(index):
    """``Σ softmax + x_i − x_i = 1``: true, for an index has a range that is not empty."""
    theorem = infer(
        "algebra", left=TOTAL + x[index] - x[index], right=number(1), given=(inhabited(n),)
    )
    return infer("exists", theorem, index=index)


def test_an_index_that_is_lost_in_a_chain_leaves_its_range_inhabited():
    beside = _rows_sum_to_one_beside(i)
    assert not beside.hypotheses
    padded = infer("algebra", left=TOTAL, right=TOTAL + x[i] - x[i])
    theorem = infer("transitivity", padded, beside)
    assert theorem.hypotheses == {inhabited(n)}
    assert refute([], theorem.conclusion) is not None  # without the hypothesis it is false


def test_an_index_that_is_lost_in_a_cut_or_by_modus_ponens():
    beside = _rows_sum_to_one_beside(i)
    goal = eq(TOTAL, 1)
    padded = infer("algebra", left=TOTAL, right=TOTAL + x[i] - x[i])
    assumed = infer("transitivity", padded, infer("assume", proposition=beside.conclusion))
    assert infer("cut", assumed, beside).hypotheses == {inhabited(n)}
    implication = infer("discharge", assumed, hypothesis=beside.conclusion)
    assert implication.conclusion == implies(beside.conclusion, goal)
    assert infer("modus ponens", implication, beside).hypotheses == {inhabited(n)}


def test_another_index_of_the_range_is_as_good():
    padded = infer("algebra", left=TOTAL + x[j], right=TOTAL + x[i] - x[i] + x[j])
    back = infer("algebra", left=padded.conclusion.args[1], right=TOTAL + x[j])
    assert not infer("transitivity", padded, back).hypotheses


def test_binding_an_index_needs_no_element():
    theorem = infer("algebra", left=x[i] + x[i], right=2 * x[i])
    for rule, arguments in (("generalize", {"variable": i}), ("extensionality", {"index": i})):
        assert not infer(rule, theorem, **arguments).hypotheses


def test_a_constant_of_a_known_limit_is_not_the_variable_that_moves():
    vanishing = infer("limit", variable=beta, term=c * exp(-(beta * 1)), to="oo")
    vanishing = infer("equal limit", vanishing, infer("algebra", left=c * 0, right=number(0)))
    growing = exp(beta) * exp(-(beta * 1))  # which is 1
    with pytest.raises(RuleError):
        infer("limit", vanishing, variable=beta, term=growing, to="oo")


@pytest.mark.parametrize("p", [eq(q[a], 0), negate(eq(q[a], 0))])
def test_nothing_is_assumed_of_single_outcomes(p):
    """Under an expectation it would hold for all of them: then E q = 0 or E q ≠ 0 by cases."""
    with pytest.raises(RuleError):
        infer("assume", proposition=p)
    with pytest.raises(RuleError):
        infer("rewrite", term=E(q[a]), law="assumption", path=(0,), given=(eq(q[a], 0),))


def test_what_holds_at_every_outcome_may_be_concluded():
    assert not infer("algebra", left=q[a] * x[i], right=x[i] * q[a]).hypotheses


@pytest.mark.parametrize(
    "quotient",
    [c**2 / c, (c**2) ** Q(1, 2), absolute(c), log(c), c ** Q(3, 2), 1 / (c + 1)],
    ids=repr,
)
def test_a_derivative_where_there_may_be_none(quotient):
    """c²/c is c, with slope 1, but the quotient rule would give 0 at 0."""
    with pytest.raises(RuleError):
        infer("rewrite", term=derivative(quotient, c), law="derivative")


def test_reindexing_with_the_index_also_bare():
    sigma = Array("σ", (n,), n)
    with pytest.raises(RuleError):
        infer(
            "rewrite",
            term=Sum(k, x[sigma[k]] * x[k]),
            law="reindex",
            given=(bijection(sigma),),
        )


@pytest.mark.parametrize("rate", [c, -c, number(0), number(2), c - c])
def test_an_exponential_that_may_grow_has_no_limit(rate):
    with pytest.raises(RuleError):
        infer("limit", variable=beta, term=exp(beta * rate), to="oo")


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (sqrt(c) ** 2, c),
        (sqrt(c**2), c),
        (sqrt(c * beta), sqrt(c) * sqrt(beta)),
        (c / c, number(1)),
        (c**-1 * c, number(1)),
        (c * beta / c, beta),
        (c**2 / c, number(0)),
        (absolute(c), c),
        (log(c * beta), log(c) + log(beta)),
        (c**0 * beta, number(1)),
    ],
    ids=repr,
)
def test_algebra_that_needs_a_condition(left, right):
    with pytest.raises(RuleError):
        infer("algebra", left=left, right=right)
    assert refute([], eq(left, right)) is not None
