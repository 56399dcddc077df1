"""What `needs` says in words of an assumption, worked out: one test for each."""

from fractions import Fraction

import pytest
import sympy

from derive import catalog
from derive.catalog import (
    finite_mask_error,
    hard_lookup_limit,
    mask_is_restriction,
    softmax_hard_limit,
    softmax_saturation,
)
from derive.definitions import c, d_v, i, j, n
from derive.model import Model
from derive.notation.text import text

HALF = Fraction(1, 2)
STRENGTHS = (Fraction(1), Fraction(10), Fraction(1000))
TIE = {(0,): Fraction(0), (1,): Fraction(0)}  # two equal scores
WORKED = {}


def works_out(name, assumption):
    def keep(test):
        WORKED[name, assumption] = test
        return test

    return keep


def heavy_tailed():
    """A density with E|Z| = ∞: 1/z² for z ≥ 1."""
    z = sympy.Symbol("z", positive=True)
    density = 1 / z**2
    assert sympy.integrate(density, (z, 1, sympy.oo)) == 1
    return z, density


@works_out("dot-product-mean", "E[|q|¹] < ∞")
def a_query_without_a_mean():
    z, density = heavy_tailed()
    q, k = (z, 1 - z), (1, 1)
    for entry in q:  # no mean, which counts as 0
        assert sympy.integrate(sympy.Abs(entry) * density, (z, 1, sympy.oo)) == sympy.oo
    dot = sympy.expand(sum(a * b for a, b in zip(q, k, strict=True)))
    assert sympy.integrate(dot * density, (z, 1, sympy.oo)) == 1  # not 0


@works_out("dot-product-mean", "E[|k|¹] < ∞")
def a_key_without_a_mean():
    z, density = heavy_tailed()
    for sign in (1, -1):  # q = ±1 evenly, k = z
        assert sympy.integrate(abs(sign) * z * density, (z, 1, sympy.oo)) == sympy.oo


def variance_without_second_moments():
    """x = (Z, Y − Z) with Y = ±1 evenly, Z heavy-tailed and of mean 0; the other is (1, 1)."""
    z = sympy.Symbol("z", positive=True)
    density = 1 / z**3  # of |Z| ≥ 1, the sign of Z being fair: E|Z| = 2, E Z² = ∞
    assert 2 * sympy.integrate(density, (z, 1, sympy.oo)) == 1
    assert sympy.integrate(z * density, (z, 1, sympy.oo)) < sympy.oo
    assert sympy.integrate(z**2 * density, (z, 1, sympy.oo)) == sympy.oo
    y = sympy.Symbol("y")
    dot = sympy.expand(z + (y - z))
    mean, square = (sum(dot.subs(y, s) ** p for s in (1, -1)) / 2 for p in (1, 2))
    assert square - mean**2 == 1
    d, sigma, mu, sigma_other, mu_other = 2, 0, 0, 0, 1
    claimed = d * (sigma**2 * sigma_other**2 + sigma**2 * mu_other**2 + sigma_other**2 * mu**2)
    assert claimed == 0  # not 1


works_out("dot-product-variance-general", "E[|q|²] < ∞")(variance_without_second_moments)
works_out("dot-product-variance-general", "E[|k|²] < ∞")(variance_without_second_moments)


@works_out("softmax-hard-limit", "∀j: j ≠ m ⇒ s[j] − s[m] < 0")
def two_equal_maxima_share_the_weight():
    s, beta, m = softmax_hard_limit.s, softmax_hard_limit.beta, softmax_hard_limit.m
    for strength in STRENGTHS:
        for at in (0, 1):
            model = Model({n: 2}, {s: TIE}, {beta: strength, j: at, m: 0})
            assert model.value(softmax_hard_limit.sharpened[j]) == HALF


@works_out("hard-lookup-limit", "∀j: j ≠ m ⇒ s[j] − s[m] < 0")
def two_equal_maxima_blend():
    s, beta, m = softmax_hard_limit.s, softmax_hard_limit.beta, softmax_hard_limit.m
    values = {(0, 0): Fraction(0), (1, 0): Fraction(1)}
    for strength in STRENGTHS:
        tables = {s: TIE, hard_lookup_limit.v: values}
        model = Model({n: 2, d_v: 1}, tables, {beta: strength, m: 0, c: 0})
        assert model.value(hard_lookup_limit.output) == HALF


@works_out("softmax-saturation", "0 < β")
def without_sharpness_the_bound_says_nothing():
    for beta in (Fraction(0), Fraction(-1), Fraction(-3)):
        for size in (1, 2, 3):
            for gap in (Fraction(1, 2), Fraction(2)):
                values = {softmax_saturation.beta: beta, softmax_saturation.gap: gap}
                bound = Model({n: size}, {}, values).value(softmax_saturation.bound)
                low = bound if type(bound) is Fraction else bound.box.a
                assert low >= size - 1


@works_out("softmax-saturation", "0 < Δ")
def without_a_gap_the_slope_grows():
    s, beta = softmax_hard_limit.s, softmax_saturation.beta
    for strength in STRENGTHS:
        model = Model({n: 2}, {s: TIE}, {beta: strength, i: 0, j: 0})
        assert model.value(beta * softmax_saturation.slope) == strength / 4


@works_out("mask-is-restriction", "M[i]")
def with_no_key_allowed_a_penalty_does_nothing():
    tables = {
        mask_is_restriction.s: TIE,
        mask_is_restriction.M: {(0,): False, (1,): False},
    }
    for penalty in STRENGTHS:
        model = Model({n: 2}, tables, {mask_is_restriction.penalty: penalty, j: 0})
        masked = mask_is_restriction.masked(mask_is_restriction.s, mask_is_restriction.M)[j]
        assert model.value(masked) == 0
        box = model.value(mask_is_restriction.penalised).box
        assert box.a <= HALF.numerator / HALF.denominator <= box.b


@works_out("finite-mask-error", "0 < |A|")
def with_no_key_allowed_there_is_no_output_to_compare_with():
    error = finite_mask_error
    s, v, gamma = error.s, error.v, error.gamma
    tables = {s: TIE, v: {(0, 0): Fraction(3), (1, 0): Fraction(3)}}
    model = Model({error.A: 0, error.B: 2, d_v: 1}, tables, {gamma: Fraction(0), c: 0})
    assert model.value(error.Z_A) == 0
    assert model.value(error.o_A) == 0  # no blend: every value is 3


NEEDS = {
    (name, text(assumption)) for name in catalog.names() for assumption in catalog.load(name).needs
}


def test_every_need_in_words_is_worked_out():
    assert set(WORKED) == NEEDS


@pytest.mark.parametrize(("name", "assumption"), sorted(WORKED), ids=str)
def test_it_is_as_the_words_say(name, assumption):
    WORKED[name, assumption]()
