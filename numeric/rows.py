"""Attention a few queries at a time, in any library: never the whole matrix of scores.

What one query attends to does not depend on the other queries, so a block of rows is attention
itself, with the same keys and values. NumPy's plain arrays have the faster :mod:`numeric.blocked`.
"""

import math
from collections.abc import Callable
from typing import Any

import array_api_compat as compat

from numeric.masks import Alignment

SCORES = 2**24  # at a time: 64 MiB of them in single precision


def applies(shape: tuple[int, ...]) -> bool:
    """Return whether scores of this shape are too many to be there at once."""
    return math.prod(shape) > SCORES and shape[-2] > 1


def attend(
    attention: Callable[..., Any],
    q: Any,
    k: Any,
    v: Any,
    /,
    *,
    shape: tuple[int, ...],
    mask: Any = None,
    bias: Any = None,
    causal: Alignment | None = None,
    offset: int = 0,
    **options: Any,
) -> Any:
    """Return ``attention(q, k, v, …)``, called for blocks of rows of scores of that shape."""
    n_q, n_k = shape[-2:]
    count = max(1, SCORES * n_q // math.prod(shape))
    start = offset + (n_k - n_q if causal == "lower-right" else 0)

    def block(first: Any, cut: Callable[[Any, Any], Any]) -> Any:
        rows = {"mask": _rows(mask, first, cut), "bias": _rows(bias, first, cut)}
        if causal is not None:
            rows |= {"causal": "upper-left", "offset": start + first}
        return attention(cut(q, first), k, v, **rows, **options)

    if compat.is_jax_array(q):
        return _scanned(block, n_q, count)
    xp = compat.array_namespace(q)
    slices = lambda x, first: x[..., first : min(first + count, n_q), :]
    return xp.concat([block(first, slices) for first in range(0, n_q, count)], axis=-2)


def _rows(x: Any, first: Any, cut: Callable[[Any, Any], Any]) -> Any:
    """Return the rows of a mask or bias, if it has more than one for all."""
    return x if x is None or x.ndim < 2 or x.shape[-2] == 1 else cut(x, first)


def _scanned(block: Callable[..., Any], n_q: int, count: int) -> Any:
    """Return all rows, one block after the other also while JAX compiles.

    Blocks are of one size, so the last one begins among rows that are done. Gradients compute a
    block's weights anew instead of keeping them.
    """
    import jax

    cut = lambda x, first: jax.lax.dynamic_slice_in_dim(x, first, count, axis=-2)
    starts = range(0, n_q, count)
    firsts = jax.numpy.asarray([min(first, n_q - count) for first in starts])
    blocks = jax.lax.map(jax.checkpoint(lambda first: block(first, cut)), firsts)
    *whole, last = blocks
    return jax.numpy.concatenate([*whole, last[..., count - (n_q - starts[-1]) :, :]], axis=-2)
