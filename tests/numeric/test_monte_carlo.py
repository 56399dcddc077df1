"""Simulated variances of q·k, where the theorem's hypotheses hold and where they do not."""

import tracemalloc

import numpy as np
import pytest

from numeric import NumericError
from numeric.monte_carlo import CHUNK, LAWS, simulate

FIGURES = {
    "independent": 64,
    "correlated": 80,
    "same-normal": 128,
    "same-uniform": 51.2,
    "same-sign": 0,
    "both-means": 192,
    "key-mean": 128,
}


@pytest.mark.parametrize("law", LAWS)
def test_theory_is_within_five_standard_errors(law):
    estimate = simulate(law, products=2 * 10**6)
    assert estimate.expected == pytest.approx(FIGURES[law], rel=1e-15)
    assert estimate.agrees, estimate


@pytest.mark.parametrize("law", sorted(set(LAWS) - {"independent"}))
def test_a_dropped_hypothesis_shows(law):
    """The theorem's d_k is far from what these laws give: the check can fail."""
    estimate = simulate(law, products=2 * 10**6)
    assert abs(estimate.variance - 64) > 20 * estimate.standard_error


def test_scaled_products_have_variance_one():
    estimate = simulate("independent", d=256, products=2 * 10**6)
    assert abs(estimate.variance / 256 - 1) <= 5 * estimate.standard_error / 256


def test_the_seed_decides():
    first, again, other = (simulate("independent", products=10**6, seed=s) for s in (1, 1, 2))
    assert first == again
    assert first.variance != other.variance


@pytest.mark.slow
def test_a_hundred_million_products_in_bounded_memory():
    tracemalloc.start()
    estimate = simulate("independent", products=10**8)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert estimate.products >= 0.9 * 10**8
    assert estimate.agrees
    assert estimate.standard_error < 0.1
    import os

    assert peak < (os.cpu_count() + 1) * 4 * 8 * CHUNK


@pytest.mark.parametrize(
    "call",
    [
        lambda: simulate("cauchy"),
        lambda: simulate("independent", d=0),
        lambda: simulate("independent", d=64, products=10),
    ],
    ids=["law", "dimension", "products"],
)
def test_errors(call):
    with pytest.raises(NumericError):
        call()


def test_sixteen_chunks_give_a_usable_standard_error():
    """Deviations over many seeds are of the size that they claim."""
    deviations = [simulate("independent", d=4, products=10**4, seed=s).deviation for s in range(80)]
    assert 0.7 < np.std(deviations) < 1.6
