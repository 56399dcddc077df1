"""Attention on NumPy arrays tile by tile: the scores of a few rows and keys at a time.

The whole matrix of scores is never there. Each task takes the rows of one tile of one head and
goes through the keys, keeping for each row the sum of exponentials and the sum of exponentials
times values so far. That the parts add up to the whole is the theorem ``blockwise-attention``,
by induction from ``online-softmax``: two disjoint blocks of keys, each relative to a reference
value of its own, are merged by multiplying with the exponential of the difference.

The reference value of a row is 0 where :mod:`numeric.gate` shows that to be safe, else the largest
score met so far. Which of the two is decided row by row, from what the row may see; so a row's
output does not depend, to the last bit, on what it may not see.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Any

import numpy as np
from jaxtyping import Bool, Float

from numeric import masks, workers
from numeric.gate import unshifted
from numeric.masks import Alignment

# Of a tile: its scores, in single precision, fill a megabyte. BLAS is faster on tall tiles.
ROWS, KEYS = 1024, 256
FEWEST_ROWS = 256  # where there is too little to do for all workers otherwise
# Scores of one head, and in all: with fewer, one matrix of them is as fast, and small.
SMALLEST_HEAD, SMALLEST = 2**14, 2**20


def applies(q: Any, k: Any, v: Any, shape: tuple[int, ...]) -> bool:
    """Return whether `attend` is for these arrays, with scores of that shape."""
    plain = all(type(x) in (np.ndarray, np.memmap) and x.dtype.isnative for x in (q, k, v))
    if not plain or q.dtype not in (np.float16, np.float32, np.float64):
        return False
    return math.prod(shape) >= SMALLEST and shape[-2] * shape[-1] >= SMALLEST_HEAD


def attend(
    q: Float[np.ndarray, "*#batch n_q d_k"],
    k: Float[np.ndarray, "*#batch n_k d_k"],
    v: Float[np.ndarray, "*#batch n_k d_v"],
    /,
    *,
    scale: float,
    mask: Bool[np.ndarray, "..."] | None = None,
    bias: Float[np.ndarray, "..."] | None = None,
    causal: Alignment | None = None,
    offset: int = 0,
    softcap: float | None = None,
) -> Float[np.ndarray, "*batch n_q d_v"]:
    """Return what :func:`numeric.attention` returns, in memory for the output and a few tiles.

    The arguments mean the same as there, and are taken to be right.
    """
    batch = np.broadcast_shapes(q.shape[:-2], k.shape[:-2], v.shape[:-2])
    n_q, n_k = q.shape[-2], k.shape[-2]
    output = np.empty((*batch, n_q, v.shape[-1]), q.dtype)
    wide = np.result_type(q, np.float32)  # half precision is computed in single
    q, k, v = (x.astype(wide, copy=False) for x in (q, k, v))
    q, k, v, mask, bias = (_spread(x, batch) for x in (q, k, v, mask, bias))
    start = None
    if causal is not None:
        masks.check_alignment(causal)
        start = offset + (n_k - n_q if causal == "lower-right" else 0)

    at = list(np.ndindex(batch))
    heads = [
        _Head(
            *(x[i] for x in (q, k, v, output)),
            mask=None if mask is None else mask[i],
            bias=None if bias is None else bias[i],
            start=start,
            scale=scale,
            softcap=softcap,
        )
        for i in at
    ]
    height = _height(len(heads) * n_q)
    tiles = [slice(row, min(row + height, n_q)) for row in range(0, n_q, height)]
    tiles.reverse()  # the rows that see most first, so that no worker is left with a large one
    workers.run(_attend_rows, [(head, rows) for rows in tiles for head in heads])
    return output


def _height(rows: int) -> int:
    """Return the rows of a tile, fewer where so many `rows` in all would leave workers idle."""
    height, fair = ROWS, rows // (2 * workers.count())
    while height > max(fair, FEWEST_ROWS):
        height //= 2
    return height


def _spread(x: np.ndarray | None, batch: tuple[int, ...]) -> np.ndarray | None:
    """Return a view of `x` that has all batch axes; its last two axes stay as they are."""
    if x is None:
        return None
    x = x.reshape((1,) * (2 - x.ndim) + x.shape)
    return np.broadcast_to(x, (*batch, *x.shape[-2:]))


@dataclass(frozen=True, eq=False)
class _Head:
    """One head: its arrays without batch axes, and what its rows may see.

    ``start`` is the number of keys that the first row sees besides its own, if causal. Masks and
    biases have one row, or as many as there are queries; one column, or as many as there are keys.
    """

    q: np.ndarray
    k: np.ndarray
    v: np.ndarray
    output: np.ndarray
    mask: np.ndarray | None
    bias: np.ndarray | None
    start: int | None
    scale: float
    softcap: float | None

    @cached_property
    def restricted(self) -> bool:
        """Whether there may be keys that a row may not see."""
        return self.mask is not None or self.bias is not None or self.start is not None

    @cached_property
    def guards(self) -> tuple[bool, bool]:
        """Whether scores, and values, need care: something in them might leak."""
        if not self.restricted:
            return False, False
        q, k, v = (bool(np.isfinite(x).all()) for x in (self.q, self.k, self.v))
        return not (q and k), not v

    @cached_property
    def visible(self) -> np.ndarray | None:
        """The number of keys that each row sees at most, if causal."""
        if self.start is None:
            return None
        return np.clip(np.arange(len(self.q)) + self.start + 1, 0, len(self.k))

    @cached_property
    def unshifted(self) -> np.ndarray:
        """Which rows need no maximum.

        None, where a mask or a bias differs from row to row: to bound each row over the keys that
        it may see takes as long as to find its maximum.
        """
        if any(x is not None and len(x) > 1 for x in (self.mask, self.bias)):
            return np.zeros(len(self.q), bool)
        first, every = slice(0, 1), slice(None)
        allowed = self._permitted(first, every)
        return unshifted(
            self.q,
            self.k,
            self.v,
            scale=self.scale,
            softcap=self.softcap,
            allowed=None if allowed is None else np.broadcast_to(allowed, (1, len(self.k)))[0],
            bias=None if self.bias is None else np.broadcast_to(self.bias[0], len(self.k)),
            visible=self.visible,
        )

    def stop(self, rows: slice) -> int:
        """Return the number of keys, from the first, beyond which these rows see nothing."""
        return len(self.k) if self.visible is None else int(self.visible[rows.stop - 1])

    def start_of(self, rows: slice, keys: slice) -> int:
        """Return the first of these rows that may see one of these keys."""
        if self.visible is None:
            return rows.start
        return rows.start + int(np.searchsorted(self.visible[rows], keys.start, side="right"))

    def forbid(self, scores: np.ndarray, rows: slice, keys: slice) -> None:
        """Set to −∞ the scores of what these rows may not see among these keys."""
        permitted = self._permitted(rows, keys)
        if permitted is not None:
            np.copyto(scores, -math.inf, where=~permitted)
        if self.visible is not None:
            some = int(np.searchsorted(self.visible[rows], keys.stop))  # the others see all
            offset = self.start + rows.start - keys.start
            future = _future(some, keys.stop - keys.start, offset)
            np.copyto(scores[:some], -math.inf, where=future)

    def allowed(self, rows: slice, keys: slice) -> np.ndarray:
        """Return where these rows may see these keys, as it broadcasts."""
        permitted = self._permitted(rows, keys)
        allowed = np.asarray(True) if permitted is None else permitted
        if self.visible is None:
            return allowed
        return allowed & (np.arange(keys.start, keys.stop) < self.visible[rows, None])

    def _permitted(self, rows: slice, keys: slice) -> np.ndarray | None:
        """Return what the mask and the bias allow; None if there is neither."""
        if self.bias is None:
            return None if self.mask is None else _part(self.mask, rows, keys)
        allowed = _part(self.bias, rows, keys) != -math.inf
        return allowed if self.mask is None else allowed & _part(self.mask, rows, keys)

    def queries(self, rows: slice) -> np.ndarray:
        """Return these rows of the queries, scaled: that keeps the products in range."""
        q = self.q[rows]
        return (_finite(q) if self.guards[0] else q) * self.scale

    def scores(self, queries: np.ndarray, rows: slice, keys: slice, out: np.ndarray) -> np.ndarray:
        """Return the scores of these rows, whose `queries` are given, and keys, in `out`."""
        k = self.k[keys]
        np.matmul(queries, (_finite(k) if self.guards[0] else k).T, out=out)
        if self.guards[0]:
            out[~np.isfinite(self.q[rows]).all(axis=1)] = math.nan
            out[:, ~np.isfinite(k).all(axis=1)] = math.nan
        if self.softcap is not None:
            out /= self.softcap
            np.tanh(out, out=out)
            out *= self.softcap
        if self.bias is not None:
            out += _part(self.bias, rows, keys)
        return out


def _attend_rows(head: _Head, rows: slice) -> None:
    """Compute the output of some rows of a head."""
    count, dtype = rows.stop - rows.start, head.q.dtype
    width = ROWS * KEYS // count  # fewer rows, more keys: tiles of one size
    space, product = np.empty(count * width, dtype), np.empty((count, head.v.shape[1]), dtype)
    total, blend = np.zeros((count, 1), dtype), np.zeros_like(product)
    free = head.unshifted[rows, None]
    reference = np.where(free, dtype.type(0), dtype.type(-math.inf))
    seen = _Seen(blend.shape) if head.guards[1] else None
    exponentiate = _exponentiate(dtype)
    queries = head.queries(rows)

    for first in range(0, head.stop(rows), width):
        keys = slice(first, min(first + width, head.stop(rows)))
        some = slice(head.start_of(rows, keys), rows.stop)
        here = slice(some.start - rows.start, count)  # the same, counted from the first row here
        shape = some.stop - some.start, keys.stop - keys.start
        tile = space[: math.prod(shape)].reshape(shape)
        scores = head.scores(queries[here], some, keys, tile)
        head.forbid(scores, some, keys)
        if not free[here].all():
            decay = _shift(scores, reference[here], free[here])
            total[here] *= decay
            blend[here] *= decay
        total[here] += exponentiate(scores)[:, None]
        values = head.v[keys]
        if seen is not None:
            seen.look(here, head.allowed(some, keys), values)
            values = _finite(values)
        blend[here] += np.matmul(scores, values, out=product[here])

    if head.restricted:
        total[total == 0] = 1  # rows that may attend to nothing
    np.divide(blend, total, out=head.output[rows], casting="same_kind")
    if seen is not None:
        seen.show(head.output[rows])


def _shift(scores: np.ndarray, reference: np.ndarray, free: np.ndarray) -> np.ndarray:
    """Subtract each row's new reference value; return the factor of what went before.

    The reference is the largest score so far, −∞ before there is any, or 0 where `free`. It is
    brought up to date in place, as the scores are.
    """
    largest = np.maximum(reference, scores.max(axis=1, keepdims=True))
    largest[free] = 0
    subtracted = np.where(largest == -math.inf, scores.dtype.type(0), largest)
    scores -= subtracted
    decay = np.exp(reference - subtracted)
    reference[:] = largest
    return decay


def _exponentiate(dtype: np.dtype) -> Callable[[np.ndarray], np.ndarray]:
    """Return a function that exponentiates scores in place and returns the sums of their rows."""
    return (dtype == np.float32 and _fused()) or _exp_sum


@cache
def _fused() -> Callable[[np.ndarray], np.ndarray] | None:
    """Return the compiled form, for float32 only; None where numba is not to be had."""
    try:
        from numeric.fused import exp_sum
    except (ImportError, RuntimeError):  # the second: it finds no folder to keep its code in
        return None
    return exp_sum


def _exp_sum(scores: np.ndarray) -> np.ndarray:
    np.exp(scores, out=scores)
    return scores @ np.ones(scores.shape[1], scores.dtype)  # BLAS sums faster than NumPy


class _Seen:
    """Which outputs see +∞, −∞ or NaN (counted as both) among the values."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.up, self.down = np.zeros(shape, bool), np.zeros(shape, bool)

    def look(self, rows: slice, allowed: np.ndarray, values: np.ndarray) -> None:
        """Take in a tile."""
        shape = rows.stop - rows.start, len(values)
        reach = np.broadcast_to(allowed, shape).astype(np.float32)
        for seen, infinity in ((self.up, math.inf), (self.down, -math.inf)):
            seen[rows] |= reach @ (np.isnan(values) | (values == infinity)).astype(np.float32) > 0

    def show(self, output: np.ndarray) -> None:
        """Write what is seen."""
        output[self.up] = math.inf
        output[self.down] = -math.inf
        output[self.up & self.down] = math.nan


@lru_cache(maxsize=16)  # all diagonal tiles are alike
def _future(rows: int, keys: int, offset: int) -> np.ndarray:
    """Return where a key lies after a query that has `offset` keys of these before it."""
    return ~masks.causal(rows, keys, align="upper-left", offset=offset)


def _part(x: np.ndarray, rows: slice, keys: slice) -> np.ndarray:
    """Return a tile of a mask or bias; an axis of length 1 stands for all."""
    every = slice(None)
    return x[rows if x.shape[0] > 1 else every, keys if x.shape[1] > 1 else every]


def _finite(x: np.ndarray) -> np.ndarray:
    """Return `x` with 0 for what is not finite."""
    return np.where(np.isfinite(x), x, x.dtype.type(0))
