"""Many heads: split the channels, attend in each part, put the parts together again."""

from typing import Any

from jaxtyping import Float

from numeric.arrays import namespace
from numeric.dot_product import attention
from numeric.errors import NumericError


def split_heads(x: Float[Any, "*batch n channels"], heads: int, /) -> Float[Any, "*batch h n d"]:
    """Return the channels of each token as `heads` consecutive parts, heads before tokens.

    Examples
    --------
    >>> import numpy as np
    >>> split_heads(np.arange(6.0).reshape(1, 6), 3)[:, 0].tolist()
    [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]
    """
    xp = namespace(x=x)
    if isinstance(heads, bool) or not isinstance(heads, int) or heads < 1:
        raise NumericError(f"heads={heads!r}", "a whole number of at least 1", "pass an int")
    if x.ndim < 2 or x.shape[-1] % heads or x.shape[-1] < heads:
        raise NumericError(
            f"{heads} heads for shape {tuple(x.shape)}",
            "(*batch, n, channels) with channels a multiple of the heads",
            "choose a number of heads that divides the channels",
        )
    *batch, n, channels = x.shape
    parts = xp.reshape(x, (*batch, n, heads, channels // heads))  # (*batch, n, h, d)
    return xp.moveaxis(parts, -2, -3)  # (*batch, h, n, d)


def merge_heads(x: Float[Any, "*batch h n d"], /) -> Float[Any, "*batch n channels"]:
    """Return the heads' outputs side by side: the inverse of :func:`split_heads`."""
    xp = namespace(x=x)
    if x.ndim < 3:
        raise NumericError(f"shape {tuple(x.shape)}", "(*batch, heads, n, d)", "split heads first")
    *batch, heads, n, d = x.shape
    return xp.reshape(xp.moveaxis(x, -3, -2), (*batch, n, heads * d))


def multi_head_attention(
    q: Float[Any, "*batch n_q channels_q"],
    k: Float[Any, "*batch n_k channels_k"],
    v: Float[Any, "*batch n_k channels_v"],
    /,
    *,
    heads: int,
    kv_heads: int | None = None,
    return_weights: bool = False,
    **options: Any,
) -> Any:
    r"""Return attention in each head, the heads' outputs side by side.

    Parameters
    ----------
    q, k, v
        Projected queries, keys and values; their channels are those of all heads.
    heads
        Number of heads of the queries.
    kv_heads
        Number of heads of keys and values, if fewer: query head i then uses key head
        i // (heads / kv_heads).
    return_weights
        Also return the weights of every head.
    options
        What :func:`attention` takes. Masks and biases broadcast to (\*batch, heads, n_q, n_k).

    Returns
    -------
    output : array, shape (\*batch, n_q, heads · d_v)
    weights : array, shape (\*batch, heads, n_q, n_k)
        Only with ``return_weights=True``.
    """
    kv_heads = heads if kv_heads is None else kv_heads
    xp = namespace(q=q, k=k, v=v)
    q, k, v = split_heads(q, heads), split_heads(k, kv_heads), split_heads(v, kv_heads)
    if heads % kv_heads:
        raise NumericError(
            f"{heads} query heads and {kv_heads} key heads",
            "a whole number of query heads for each key head",
            "choose kv_heads that divides heads",
        )
    if kv_heads != heads:
        k, v = (xp.repeat(x, heads // kv_heads, axis=-3) for x in (k, v))
    if not return_weights:
        return merge_heads(attention(q, k, v, **options))
    output, weights = attention(q, k, v, return_weights=True, **options)
    return merge_heads(output), weights
