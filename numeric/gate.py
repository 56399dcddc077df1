r"""Which rows of scores may be exponentiated as they are, without looking for their maximum.

Subtracting a row's maximum changes no weight (theorem ``softmax-shift-invariance``); it is there
to keep the arithmetic in range. Where the range is known without it, the pass over the scores can
be left out. Let a row see n keys, and let

* B = \|scale\| · ‖q_i‖ · max ‖k_j‖ over those keys, so that \|s_ij\| ≤ B before any bias (theorem
  ``score-bound``); a softcap c bends scores into [−c, c], so B = min(B, c) then;
* the biases of those keys lie in [b, b′], hence the scores in [b − B, b′ + B] = [L, U];
* every entry of their values be 0 or of a size in [ν, V].

A row passes the gate if, with ``tiny`` the smallest normal number of the dtype and ``max`` its
largest,

1. U + log n + log max(1, V) ≤ log max − 2, and
2. L + log min(1, ν) ≥ log tiny + 2.

**Nothing overflows.** Every exponential is at most e^U, every partial sum of them at most n e^U,
every partial sum of exponentials times values at most n e^U V. By 1 all are at most max/e², and
rounding enlarges a sum of n terms by less than e as long as n u < 1, u the unit roundoff; the
other factor e is left for the rounding of the scores and of the logarithms here.

**Nothing underflows.** Every exponential is at least e^L, every product of one with a value that
is not 0 at least e^L ν. By 2 both are normal numbers; and a sum of normal numbers is rounded
like any other, or exact where it cancels below tiny.

So each operation errs by its rounding alone, relative to its result, and multiplying all
exponentials by e^m, which is all that a shift by m would do, changes no such bound: the output is
as accurate as with the maximum. The two ends are needed both, and so are n, V and ν: B alone says
nothing about 10⁵ keys, values of 10³⁰, or values of 10⁻³⁰.

B is a gate, never a shift: with q = (100, 0) and k = (0, 100) it is 10⁴ while the score is 0, and
exp(0 − 10⁴) is 0. Whatever is not a number, or infinite, fails both comparisons.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int

MARGIN = 2.0


def unshifted(
    q: Float[np.ndarray, "n_q d_k"],
    k: Float[np.ndarray, "n_k d_k"],
    v: Float[np.ndarray, "n_k d_v"],
    /,
    *,
    scale: float,
    softcap: float | None = None,
    allowed: Bool[np.ndarray, " n_k"] | None = None,
    bias: Float[np.ndarray, " n_k"] | None = None,
    visible: Int[np.ndarray, " n_q"] | None = None,
) -> Bool[np.ndarray, " n_q"]:
    """Return which rows pass the gate.

    Parameters
    ----------
    q, k, v
        Queries, keys and values of one head, float32 or float64.
    scale, softcap
        As for :func:`numeric.attention`.
    allowed, bias
        Of each key, the same for all rows.
    visible
        How many keys each row sees at most, counted from the first.

    Returns
    -------
    array of bool
        True where no maximum is needed. Decided by the keys that the row may see, by nothing
        else: what comes later does not change a causal row by a single bit.
    """
    if 0 in (len(q), len(k)):
        return np.ones(len(q), bool)
    queries = _squares(q)
    fits = partial(_fits, keys=_squares(k), bias=bias, scale=scale, softcap=softcap, like=q)
    # If the largest query passes on all keys, each does on those that it sees.
    if fits(queries.max(), _sizes(v, None), largest=_largest(None, None)):
        return np.ones(len(q), bool)
    alike = allowed is None and visible is None
    return fits(queries, _sizes(v, None if alike else 1), largest=_largest(allowed, visible))


def _fits(
    queries: Any,
    values: tuple[Any, Any],
    *,
    keys: np.ndarray,
    bias: np.ndarray | None,
    scale: float,
    softcap: float | None,
    largest: Callable[[Any, float], Any],
    like: np.ndarray,
) -> Any:
    """Return the two comparisons, from the squared norms of queries and keys and values' sizes."""
    info, width = np.finfo(like.dtype), like.shape[1]
    rounding = 1 + 4 * (width + 8) * float(info.eps)
    # A square too small for the dtype may have vanished; what is added outweighs all that do.
    norm = lambda squares: np.sqrt(squares + width * float(info.tiny))
    low, high = values
    with np.errstate(all="ignore"):  # what overflows here fails the comparisons
        bound = abs(scale) * rounding * norm(queries) * norm(largest(keys, 0.0))
        if softcap is not None:
            bound = np.minimum(bound, softcap * rounding)
        upper, lower = bound, -bound
        if bias is not None:
            upper = upper + largest(bias, -math.inf)
            lower = lower - largest(-bias, -math.inf)
        top = upper + math.log(len(keys)) + np.log(np.maximum(largest(high, 0.0), 1.0))
        bottom = lower + np.log(np.minimum(-largest(-low, -math.inf), 1.0))
    fits = top <= math.log(float(info.max)) - MARGIN
    return fits & (bottom >= math.log(float(info.tiny)) + MARGIN)


def _squares(x: np.ndarray) -> np.ndarray:
    """Return the squared Euclidean norms of the rows."""
    return np.einsum("ij,ij->i", x, x).astype(np.float64)


def _sizes(v: np.ndarray, axis: int | None) -> tuple[Any, Any]:
    """Return the smallest size of a value that is not 0, and the largest; of each key or of all."""
    sizes = np.abs(v)
    largest = sizes.max(axis=axis, initial=0.0)
    smallest = sizes.min(axis=axis, initial=math.inf)
    if not np.all(smallest):
        sizes[sizes == 0] = math.inf
        smallest = sizes.min(axis=axis, initial=math.inf)
    return smallest, largest


def _largest(allowed: np.ndarray | None, visible: np.ndarray | None) -> Any:
    """Return how to take, for each row, the maximum of something over the keys it may see."""

    def maximum(values: Any, least: float) -> Any:
        if allowed is not None:
            values = np.where(allowed, values, least)
        if visible is None:
            return np.float64(np.max(values))
        return np.maximum.accumulate(values, dtype=np.float64)[np.maximum(visible, 1) - 1]

    return maximum
