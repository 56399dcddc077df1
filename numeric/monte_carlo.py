"""The variance of q·k by simulation: for the laws that the theorems assume, and where they fail.

Products are drawn in chunks of bounded size on all cores. Each chunk has a generator of its own,
so the estimate depends on the seed alone, and its standard error comes from how the chunks differ.
"""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from numeric.errors import NumericError

CHUNK = 1 << 20  # products drawn at a time by each thread
LEAST_CHUNKS = 16  # a standard error needs some
FAR = 5.0  # standard errors

Draw = Callable[[np.random.Generator, tuple[int, int]], tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class Law:
    """How q and k are drawn, and the variance of q·k that this implies for each dimension."""

    words: str
    draw: Draw
    per_dimension: float


def _independent(rng: np.random.Generator, shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
    return rng.standard_normal(shape), rng.standard_normal(shape)


def _correlated(rho: float) -> Draw:
    def draw(rng: np.random.Generator, shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
        q, other = _independent(rng, shape)
        return q, rho * q + np.sqrt(1 - rho**2) * other

    return draw


def _shifted(by_q: float, by_k: float) -> Draw:
    def draw(rng: np.random.Generator, shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
        q, k = _independent(rng, shape)
        return q + by_q, k + by_k

    return draw


def _same(one: Callable[[np.random.Generator, tuple[int, int]], np.ndarray]) -> Draw:
    def draw(rng: np.random.Generator, shape: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
        q = one(rng, shape)
        return q, q

    return draw


ROOT_3 = float(np.sqrt(3))
LAWS = {
    "independent": Law("entries of mean 0 and variance 1, all independent", _independent, 1.0),
    "correlated": Law("each pair q_t, k_t correlated by ½", _correlated(0.5), 1.25),
    "same-normal": Law("k = q, normal", _same(lambda g, s: g.standard_normal(s)), 2.0),
    "same-uniform": Law("k = q, uniform", _same(lambda g, s: g.uniform(-ROOT_3, ROOT_3, s)), 0.8),
    "same-sign": Law("k = q, each entry ±1", _same(lambda g, s: g.choice([-1.0, 1.0], s)), 0.0),
    "both-means": Law("means 1, variances 1", _shifted(1.0, 1.0), 3.0),
    "key-mean": Law("only k has mean 1, variance 1", _shifted(0.0, 1.0), 2.0),
}


@dataclass(frozen=True)
class Estimate:
    """A simulated variance beside the one that theory gives.

    Attributes
    ----------
    variance, standard_error
        Of the estimate, from the chunks.
    expected
        What theory says for this law.
    deviation
        Their difference in standard errors; 0 if both are exact and agree.
    products
        How many products q_t k_t were drawn.
    """

    law: str
    d: int
    variance: float
    standard_error: float
    expected: float
    deviation: float
    products: int

    @property
    def agrees(self) -> bool:
        """Whether theory is within five standard errors."""
        return abs(self.deviation) <= FAR


def simulate(law: str, /, *, d: int = 64, products: int = 10**8, seed: int = 0) -> Estimate:
    """Return the variance of q·k under a law, from about `products` products q_t k_t.

    Examples
    --------
    >>> simulate("same-sign", d=8, products=10**5).variance
    0.0
    """
    if law not in LAWS:
        raise NumericError(f"law {law!r}", f"one of {', '.join(LAWS)}", "choose one")
    if d < 1 or products < 2 * LEAST_CHUNKS * d:
        raise NumericError(
            f"d={d}, products={products}",
            f"d of at least 1 and at least {2 * LEAST_CHUNKS} products for each dimension",
            "ask for more products",
        )
    rows = max(2, min(CHUNK, products // LEAST_CHUNKS) // d)
    chunks = max(LEAST_CHUNKS, products // (rows * d))
    variances = np.fromiter(_variances(LAWS[law], (rows, d), chunks, seed), float, chunks)
    variance, expected = float(variances.mean()), d * LAWS[law].per_dimension
    error = float(variances.std(ddof=1) / np.sqrt(chunks))
    difference = variance - expected
    deviation = difference / error if error else (0.0 if difference == 0 else float("inf"))
    return Estimate(law, d, variance, error, expected, deviation, chunks * rows * d)


def _variances(law: Law, shape: tuple[int, int], chunks: int, seed: int) -> Iterator[Any]:
    """Return the unbiased variance of q·k within each chunk."""

    def one(sequence: np.random.SeedSequence) -> float:
        q, k = law.draw(np.random.default_rng(sequence), shape)
        return np.var(np.einsum("rt,rt->r", q, k), ddof=1)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        yield from pool.map(one, np.random.SeedSequence(seed).spawn(chunks))
