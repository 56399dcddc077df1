"""The one compiled accelerator: exponentials and their row sums in a single pass, by numba.

Nothing needs it; importing this module needs numba (the extra ``fast``). Where it is installed,
:mod:`numeric.blocked` uses it, and leaves the matrix products to BLAS. NumPy goes over a tile once
for the exponentials and again for the sums; this goes over it once, and compiles to vector
instructions because the exponential is written out.
"""

from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.extending import intrinsic

ZERO, HALF, ONE = np.float32(0), np.float32(0.5), np.float32(1)
PER_OCTAVE = np.float32(1.4426950408889634)  # 1 / log 2
OCTAVE, REST = np.float32(0.693359375), np.float32(-2.12194440e-4)  # log 2, exactly and the rest
C3, C4, C5, C6, C7 = (np.float32(1 / factorial) for factorial in (6, 24, 120, 720, 5040))
LOWEST = np.log(np.finfo(np.float32).tiny)


@intrinsic
def _as_float(_: Any, bits: Any) -> Any:
    """Return the float32 that these 32 bits are."""
    return numba.float32(numba.int32), lambda _, builder, __, args: builder.bitcast(
        args[0], ir.FloatType()
    )


@numba.njit(fastmath={"contract"})
def _exp(x: Any) -> Any:
    """Return exp x for x ≤ 88 to one unit in the last place; 0 for what would be subnormal."""
    n = np.floor(x * PER_OCTAVE + HALF)
    r = (x - n * OCTAVE) - n * REST  # exp x = 2ⁿ exp r, |r| ≤ log 2 / 2
    e = C3 + r * (C4 + r * (C5 + r * (C6 + r * C7)))
    e = ONE + r * (ONE + r * (HALF + r * e))
    e *= _as_float((np.int32(n) + np.int32(127)) << np.int32(23))
    return ZERO if x < LOWEST else e


# Its sums may be taken in any order ("reassoc"): that lets them be taken many at a time.
@numba.njit(nogil=True, cache=True, fastmath={"reassoc", "contract"})
def exp_sum(scores: Any) -> Any:
    """Replace float32 scores by their exponentials and return the sums of their rows.

    No score may be above 88: either the gate or the maximum has seen to that.
    """
    sums = np.empty(scores.shape[0], np.float32)
    for i in range(scores.shape[0]):
        total = ZERO
        for j in range(scores.shape[1]):
            e = _exp(scores[i, j])
            scores[i, j] = e
            total += e
        sums[i] = total
    return sums
