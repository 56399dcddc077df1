"""Holes that were really found in the rules: each once gave a theorem that is false."""

from __future__ import annotations

import pytest

from derive.errors import TermError
from derive.facts import RuleError, inhabited
from derive.kernel import infer
from derive.signature import REAL, Array
from derive.syntax import Lambda, Sum, Symbol, eq, exp, forall, lt, sqrt, tends
from derive.terms import Term, number
from derive.witness import refute
from vocabulary import a, d, i, j, k, n, x, y, β

sigma, m = Array("σ", (d,), n), Array("m", (), n)
TOTAL = Sum(j, exp(y[j]) / Sum(k, exp(y[k])))  # 1, but 0 over an empty range


def padded(element):
    """``TOTAL + x_e − x_e = 1``: true without any hypothesis, for e is an element of the range."""
    theorem = infer("algebra", left=TOTAL + x[i] - x[i], right=number(1), given=(inhabited(n),))
    theorem = infer("exists", theorem, index=i)
    return infer("specialize", theorem, values=((i, element),)) if element != i else theorem


def total_is_one(element):
    padding = infer("algebra", left=TOTAL, right=TOTAL + x[element] - x[element])
    return infer("transitivity", padding, padded(element))


def test_the_goal_is_false_over_an_empty_range():
    assert refute([], eq(TOTAL, 1)) is not None
    assert refute([inhabited(d)], eq(TOTAL, 1)) is not None
    assert refute([inhabited(n)], eq(TOTAL, 1)) is None


@pytest.mark.parametrize("element", [i, m[()], sigma[a]], ids=["index", "constant", "map"])
def test_an_element_that_is_lost_leaves_its_range_inhabited(element):
    assert inhabited(n) in total_is_one(element).hypotheses


def test_a_map_that_is_lost_leaves_its_target_inhabited():
    beside = Sum(a, TOTAL + x[sigma[a]] - x[sigma[a]])
    summed = infer("rewrite", padded(i), term=beside, law="lemma", path=(0,))
    plain = infer("algebra", left=d.size * TOTAL, right=beside)
    assert inhabited(n) in infer("transitivity", plain, summed).hypotheses
    assert not summed.hypotheses


def test_a_map_from_a_range_to_itself_is_always_there():
    tau = Array("τ", (n,), n)
    there = infer("algebra", left=Sum(i, x[i]), right=Sum(i, x[i] + x[tau[i]] - x[tau[i]]))
    back = infer("algebra", left=there.conclusion.args[1], right=Sum(i, x[i]))
    assert not infer("transitivity", there, back).hypotheses


def test_an_array_replaced_by_a_constant_takes_its_index_along():
    constant = infer("specialize", padded(i), values=((x, Lambda(k, number(0))),))
    assert inhabited(n) in constant.hypotheses


def test_an_index_put_where_there_is_none():
    theorem = infer("algebra", left=TOTAL, right=number(1), given=(inhabited(n),))
    arrays = infer("extensionality", theorem, index=i)
    assert not arrays.hypotheses
    assert inhabited(n) in infer("entry", arrays, index=j).hypotheses
    everywhere = infer("assume", proposition=forall(i, eq(TOTAL, 1)))
    assert inhabited(n) in infer("instantiate", everywhere, value=j).hypotheses


def test_a_loose_variable_is_no_index():
    """Put under a sum it was captured: ``Σ x_k y_k = (1/n) Σ x_k Σ y_k``."""
    spread = Sum(j, x[i] * Sum(k, y[k]) / n.size)
    theorem = infer("algebra", left=Sum(k, x[i] * y[k]), right=spread, given=(inhabited(n),))
    theorem = infer("extensionality", theorem, index=i)
    with pytest.raises(RuleError):
        infer("entry", theorem, index=Term("bv", (), (0, n)))


def test_a_loose_variable_is_no_constant_of_a_limit():
    """It was captured by the limit: ``e^(−β e^(−2β)) → 0``, which goes to 1."""
    rate = -exp(-(2 * Term("bv", (), (0, REAL))))
    with pytest.raises(RuleError):
        infer("limit", variable=β, term=exp(β * rate), to="oo")


def test_a_private_variable_is_no_argument():
    with pytest.raises(RuleError):
        infer("reflexivity", term=x[Term("fv", (), (10**6, n))])


def test_a_sum_inside_a_product_keeps_its_sign_of_summation():
    """``√S √S`` lost the sum in S, and so seemed positive over an empty range."""
    z = Array("z", (n, n, d))
    inner = Sum(a, exp(z[i, j, a]))
    below = Sum((i, j), sqrt(inner) * sqrt(inner))
    assert refute([inhabited(n)], lt(0, below)) is not None
    moving = 1 / (below + exp(-(β * 1)))
    with pytest.raises(RuleError):
        infer("limit", variable=β, term=moving, to="oo", given=(inhabited(n),))
    both = (inhabited(n), inhabited(d))
    assert infer("limit", variable=β, term=moving, to="oo", given=both).hypotheses == set(both)
    flat = infer("rewrite", term=below, law="multiply out").conclusion.args[1]
    assert refute([], eq(below, flat)) is None


def test_an_index_that_one_lemma_brings_and_the_next_takes_away():
    """Both within one rewriting: there the kernel sees no premise that loses an index."""
    padding = infer("algebra", left=TOTAL, right=TOTAL + x[i] - x[i])
    lemmas = (padding, padded(i))
    theorem = infer("rewrite everywhere", *lemmas, term=TOTAL, laws=("lemma", "lemma"))
    assert theorem.conclusion == eq(TOTAL, 1)
    assert theorem.hypotheses == {inhabited(n)}


def test_a_map_that_one_lemma_brings_and_the_next_takes_away():
    padding = infer("algebra", left=TOTAL, right=TOTAL + x[m[()]] - x[m[()]])
    lemmas = (padding, padded(m[()]))
    theorem = infer("rewrite everywhere", *lemmas, term=TOTAL, laws=("lemma", "lemma"))
    assert theorem.hypotheses == {inhabited(n)}


@pytest.mark.parametrize("inside", [x[i], x[sigma[a]]], ids=["its own range", "a map into it"])
def test_an_index_that_a_lemma_brings_under_a_sum(inside):
    """Under the sum its range has an element; over none the sum is 0, and the index nowhere."""
    summed = i if inside == x[i] else a
    three = 3 * inside - inside
    padded_twice = inside + inside + y[j] - y[j]
    bring = infer("algebra", left=2 * inside, right=padded_twice)
    total = Sum(summed, three) + TOTAL - 1
    given = (inhabited(n),)
    take = infer("algebra", left=Sum(summed, padded_twice), right=total, given=given)
    lemmas = (bring, infer("exists", take, index=j))
    term = Sum(summed, 2 * inside)
    theorem = infer("rewrite everywhere", *lemmas, term=term, laws=("lemma", "lemma"))
    assert theorem.conclusion == eq(term, total)
    assert refute([], theorem.conclusion) is not None
    assert theorem.hypotheses == {inhabited(n)}


def test_an_exponent_of_two_parts_that_look_alike():
    """``√((α−β)²)`` and ``√(α²−2αβ+β²)`` were two monomials of one spelling: e^(T+T) = e^T."""
    α = Symbol("α")
    square = α**2 - 2 * α * β + β**2
    exponent = sqrt((α - β) ** 2) + sqrt(square)
    assert refute([], eq(exp(exponent), exp(sqrt(square)))) is not None
    for single in (sqrt(square), sqrt((α - β) ** 2)):
        with pytest.raises(RuleError):
            infer("algebra", left=exp(exponent), right=exp(single))
    both = exp(sqrt((α - β) ** 2)) * exp(sqrt(square))
    assert not infer("algebra", left=exp(exponent), right=both).hypotheses


class Chameleon(str):
    """A string that also equals another one."""

    __slots__ = ("also",)
    __hash__ = str.__hash__

    def __new__(cls, word, also):
        made = super().__new__(cls, word)
        made.also = also
        return made

    def __eq__(self, other):
        return str.__eq__(self, other) or other == self.also

    def __ne__(self, other):
        return not self == other


@pytest.mark.parametrize(
    "node",
    [
        lambda: Term(Chameleon("num", "add"), (), (1, 1)),  # 1, and a sum of nothing: 1 = 0
        lambda: Term("fn", (number(1),), Chameleon("exp", "log")),
        lambda: Term("rlam", (number(1),), Chameleon("any", REAL)),
        lambda: Term("all", (eq(number(1), 1),), Chameleon("any", REAL)),
        lambda: Term("fv", (), (0, Chameleon("any", REAL))),
        lambda: Term("bv", (), (0, Chameleon("any", REAL))),
        lambda: Term("tends", tends(β, β, 0).args, Chameleon("any", "oo")),
        lambda: Array("x", (), Chameleon("any", REAL)),
        lambda: Array(Chameleon("x", "y")),
        lambda: Symbol(Chameleon("x", "y")),
    ],
    ids=range(10),
)
def test_a_string_that_equals_another_names_nothing(node):
    with pytest.raises(TermError):
        node()
