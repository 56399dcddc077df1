"""Comparing computed arrays: an error that NaN cannot hide in, a tolerance that is derived."""

from typing import Any

import numpy as np


def max_error(got: Any, want: Any) -> float:
    """Return the largest absolute difference of two arrays.

    Infinite unless both have one shape and are infinite or NaN in the same places: a plain
    ``abs(got - want) <= tolerance`` or a maximum that skips NaN would let those through.

    Examples
    --------
    >>> max_error([1.0, 2.0], [1.0, 2.5])
    0.5
    >>> max_error([1.0, float("nan")], [1.0, 2.0])
    inf
    """
    got, want = (np.asarray(x, dtype=np.float64) for x in (got, want))
    if got.shape != want.shape:
        return float("inf")
    special = ~(np.isfinite(got) & np.isfinite(want))
    if not np.array_equal(got[special], want[special], equal_nan=True):
        return float("inf")
    return float(np.max(np.abs(got[~special] - want[~special]), initial=0.0))


def tolerance(dtype: Any, length: int, magnitude: float = 1.0) -> float:
    """Return how far rounding may move a sum of `length` terms of the given total magnitude.

    A sum of n products is off by at most n·u/(1 − n·u) of the sum of their sizes, u the unit
    roundoff (eps/2). Twice that covers two such values compared with each other; eight more
    operations cover the scale, the exponential and the division around the sum.

    Examples
    --------
    >>> tolerance("float32", 0) / 2**-23
    8.0
    """
    return (length + 8) * float(np.finfo(dtype).eps) * max(magnitude, 0.0)
