"""Scaled dot-product attention on any array of the array API standard.

What it means, in every library alike: a boolean mask says *may attend*; a bias is added to the
scores and its −inf means *may not attend*; a query that may attend to nothing yields zero, with
zero gradient; whatever stands in a key or value that a query may not attend to, NaN and infinity
included, does not reach its output, and what stands in one that it may attend to does.
"""

import math
from typing import Any

from jaxtyping import Bool, Float

from numeric import blocked, cudnn, masks, rows
from numeric.arrays import (
    accumulator,
    all_finite,
    boolean,
    constant,
    device,
    floating,
    namespace,
    negative_infinity,
)
from numeric.errors import NumericError
from numeric.masks import Alignment


def softmax(
    x: Float[Any, "*shape"], /, *, axis: int = -1, mask: Bool[Any, "..."] | None = None
) -> Float[Any, "*shape"]:
    """Return the softmax of `x` along `axis` over the entries that `mask` allows.

    Parameters
    ----------
    x
        Scores. −inf counts as not allowed.
    axis
        The axis along which the weights sum to 1.
    mask
        True where an entry takes part; broadcasts to the shape of `x`.

    Returns
    -------
    array of the type, dtype and device of `x`
        Weights; zero where not allowed, so a slice with nothing allowed is all zero.

    Examples
    --------
    >>> import numpy as np
    >>> softmax(np.asarray([800.0, 1.0, 1.0]))
    array([1., 0., 0.])
    """
    xp, scores, allowed = _checked_scores(x, axis, mask)
    exponentials, total, _ = _exponentials(xp, scores, allowed, axis)
    return xp.astype(exponentials / total, x.dtype)


def log_softmax(
    x: Float[Any, "*shape"], /, *, axis: int = -1, mask: Bool[Any, "..."] | None = None
) -> Float[Any, "*shape"]:
    """Return the logarithm of :func:`softmax`, accurate where the weights underflow.

    −inf where not allowed, so a slice with nothing allowed is all −inf.

    Examples
    --------
    >>> import numpy as np
    >>> log_softmax(np.asarray([800.0, 0.0]))
    array([   0., -800.])
    """
    xp, scores, allowed = _checked_scores(x, axis, mask)
    _, total, maximum = _exponentials(xp, scores, allowed, axis)
    logs = xp.where(allowed, scores - maximum - xp.log(total), negative_infinity(xp, scores))
    return xp.astype(logs, x.dtype)


def attention(
    q: Float[Any, "*#batch n_q d_k"],
    k: Float[Any, "*#batch n_k d_k"],
    v: Float[Any, "*#batch n_k d_v"],
    /,
    *,
    mask: Bool[Any, "..."] | None = None,
    bias: Float[Any, "..."] | None = None,
    causal: Alignment | None = None,
    offset: int = 0,
    scale: float | None = None,
    softcap: float | None = None,
    return_weights: bool = False,
) -> Any:
    r"""Return ``softmax(scale · q kᵀ + bias) v``, row by row over the keys that are allowed.

    Parameters
    ----------
    q, k, v
        Queries (\*batch, n_q, d_k), keys (\*batch, n_k, d_k), values (\*batch, n_k, d_v) of one
        library, device and real floating dtype. Batch axes broadcast.
    mask
        True where a query may attend to a key; broadcasts to (\*batch, n_q, n_k).
    bias
        Added to the scaled scores, −inf meaning *may not attend*; same dtype as `q`.
    causal
        None, or the corner that the causal diagonal is anchored to.
    offset
        Number of keys before the first query, for causal attention with cached keys.
    scale
        Factor of the scores; 1/√d_k if None.
    softcap
        If given, scores are bent to softcap · tanh(score / softcap) before the bias.
    return_weights
        Also return the weights, from the same computation.

    Returns
    -------
    output : array, shape (\*batch, n_q, d_v)
        Of the type, dtype and device of `q`. Half precision is computed in float32. Large NumPy
        arrays take the tiles of :mod:`numeric.blocked` unless weights are asked for.
    weights : array, shape (\*batch, n_q, n_k)
        Only with ``return_weights=True``.

    Examples
    --------
    >>> import numpy as np
    >>> q, k, v = np.ones((2, 2)), np.ones((3, 2)), np.asarray([[0.0, 1], [2, 3], [4, 5]])
    >>> attention(q, k, v, mask=np.asarray([[True, True, False], [False, False, False]]))
    array([[1., 2.],
           [0., 0.]])
    """
    xp = namespace(q=q, k=k, v=v, mask=mask, bias=bias)
    dtype = floating(xp, q=q, k=k, v=v, bias=bias)
    boolean(xp, mask)
    shape = _score_shape(q, k, v)
    for name, x in (("mask", mask), ("bias", bias)):
        if x is not None:
            _broadcasts(name, x.shape, shape)
    wide = accumulator(xp, dtype)
    scale = _factor("scale", scale, 1 / math.sqrt(q.shape[-1]), xp.finfo(wide))
    cap = _factor("softcap", softcap, None, xp.finfo(wide), positive=True)
    _check_causal(causal, offset)

    options = {"mask": mask, "bias": bias, "causal": causal, "offset": offset, "softcap": cap}
    if not return_weights:
        output = _in_parts(q, k, v, shape, scale, options)
        if output is not None:
            return output
    q, k, v, bias = (_cast(xp, x, wide) for x in (q, k, v, bias))
    allowed = _allowed(xp, q, shape, mask, bias, causal, offset)
    scores = _scores(xp, q, k, scale, allowed)
    if cap is not None:
        scores = cap * xp.tanh(scores / cap)
    if bias is not None:
        scores = scores + bias
    exponentials, total, _ = _exponentials(xp, scores, allowed, -1)
    weights = exponentials / total
    output = xp.astype(_blend(xp, weights, v, allowed), dtype)
    return (output, xp.astype(weights, dtype)) if return_weights else output


def _in_parts(
    q: Any, k: Any, v: Any, shape: tuple[int, ...], scale: float, options: dict[str, Any]
) -> Any:
    """Return the output without a matrix of scores; None where that is small enough to have."""
    if cudnn.applies(q, k, v, **options):
        return cudnn.attend(q, k, v, scale=scale)
    if blocked.applies(q, k, v, shape):
        return blocked.attend(q, k, v, scale=scale, **options)
    if rows.applies(shape):
        return rows.attend(attention, q, k, v, shape=shape, scale=scale, **options)
    return None


def _checked_scores(x: Any, axis: int, mask: Any) -> tuple[Any, Any, Any]:
    """Check the arguments of a softmax; return its namespace, scores and allowed entries."""
    xp = namespace(x=x, mask=mask)
    dtype = floating(xp, x=x)
    boolean(xp, mask)
    if not -x.ndim <= axis < x.ndim:
        raise NumericError(
            f"axis={axis} for an array of {x.ndim} axes",
            f"-{x.ndim} <= axis < {x.ndim}",
            "pass one of the array's own axes",
        )
    allowed = x != negative_infinity(xp, x)
    if mask is not None:
        _broadcasts("mask", mask.shape, x.shape)
        allowed = allowed & mask
    return xp, _cast(xp, x, accumulator(xp, dtype)), allowed


def _exponentials(xp: Any, scores: Any, allowed: Any, axis: int) -> tuple[Any, Any, Any]:
    """Return exp(scores − maximum), its sum (1 where nothing is allowed) and the maximum.

    Subtracting the maximum of the allowed scores changes no weight (theorem
    ``softmax-shift-invariance``) and keeps every exponential in [0, 1].
    """
    if scores.shape[axis] == 0:
        total = xp.sum(scores, axis=axis, keepdims=True)
        return scores, xp.ones_like(total), total
    if allowed is None:
        maximum = xp.max(scores, axis=axis, keepdims=True)
        exponentials = xp.exp(scores - maximum)
        return exponentials, xp.sum(exponentials, axis=axis, keepdims=True), maximum
    scores = xp.where(allowed, scores, negative_infinity(xp, scores))
    alive = xp.any(allowed, axis=axis, keepdims=True)
    maximum = xp.max(scores, axis=axis, keepdims=True)
    maximum = xp.where(alive, maximum, xp.zeros_like(maximum))
    exponentials = xp.exp(scores - maximum)
    total = xp.sum(exponentials, axis=axis, keepdims=True)
    return exponentials, xp.where(alive, total, xp.ones_like(total)), maximum


def _check_causal(causal: Any, offset: int) -> None:
    """Refuse a causal alignment that is not named, and an offset of no causal mask."""
    if causal is not None:
        masks.check_alignment(causal)
        masks.check_offset(offset)
    elif offset:
        raise NumericError(
            f"offset={offset} without causal", "an offset of a causal mask", "name causal= as well"
        )


def _allowed(
    xp: Any, q: Any, shape: tuple[int, ...], mask: Any, bias: Any, causal: Any, offset: int
) -> Any:
    """Return where a query may attend to a key, of shape `shape`; None if everywhere."""
    parts = [] if mask is None else [mask]
    if bias is not None:
        parts.append(bias != negative_infinity(xp, bias))
    if causal is not None:
        n_q, n_k = shape[-2:]
        place = device(q)
        parts.append(masks.causal(n_q, n_k, align=causal, offset=offset, xp=xp, device=place))
    if not parts:
        return None
    allowed, *others = parts
    for other in others:
        allowed = allowed & other
    return xp.broadcast_to(allowed, shape)


def _scores(xp: Any, q: Any, k: Any, scale: float, allowed: Any) -> Any:
    """Return scale · q kᵀ; a query or key with an entry that is not finite scores NaN.

    The scale goes in before the product, which is what keeps it in range. Where something is
    forbidden, entries that are not finite are kept out of the product: 0 · NaN would carry them
    into the gradients of rows that may not see them.
    """
    transposed = xp.matrix_transpose(k)
    if allowed is None or all_finite(xp, q, k):
        return (q * scale) @ transposed
    zero = constant(xp, 0.0, q)
    finite_q, finite_k = xp.isfinite(q), xp.isfinite(transposed)
    product = (xp.where(finite_q, q, zero) * scale) @ xp.where(finite_k, transposed, zero)
    whole = xp.all(finite_q, axis=-1, keepdims=True) & xp.all(finite_k, axis=-2, keepdims=True)
    return xp.where(whole, product, constant(xp, math.nan, q))


def _blend(xp: Any, weights: Any, v: Any, allowed: Any) -> Any:
    """Return weights · v, letting what is not finite in `v` through to allowed rows only."""
    if allowed is None or all_finite(xp, v):
        return weights @ v
    output = weights @ xp.where(xp.isfinite(v), v, constant(xp, 0.0, v))
    reach = xp.astype(allowed, v.dtype)
    not_a_number = xp.isnan(v)
    up = reach @ xp.astype(not_a_number | (v == math.inf), v.dtype) > 0
    down = reach @ xp.astype(not_a_number | (v == -math.inf), v.dtype) > 0
    output = xp.where(up, constant(xp, math.inf, v), output)
    output = xp.where(down, negative_infinity(xp, v), output)
    return xp.where(up & down, constant(xp, math.nan, v), output)


def _cast(xp: Any, x: Any, dtype: Any) -> Any:
    return x if x is None else xp.astype(x, dtype, copy=False)


def _score_shape(q: Any, k: Any, v: Any) -> tuple[int, ...]:
    """Check the shapes of queries, keys and values; return that of the scores."""
    given = f"q {q.shape}, k {k.shape}, v {v.shape}"
    expected = "q (*batch, n_q, d_k), k (*batch, n_k, d_k), v (*batch, n_k, d_v)"
    if min(q.ndim, k.ndim, v.ndim) < 2:
        raise NumericError(given, expected, "add the missing axis, for example q[None, :]")
    if q.shape[-1] != k.shape[-1]:
        raise NumericError(given, expected, "give q and k the same last axis d_k")
    if k.shape[-2] != v.shape[-2]:
        raise NumericError(given, expected, "give k and v the same number of rows n_k")
    if q.shape[-1] == 0:
        raise NumericError(given, "d_k of at least 1", "with d_k = 0 the scale 1/√d_k is undefined")
    batch = _broadcast_batches(given, expected, q.shape[:-2], k.shape[:-2], v.shape[:-2])
    return (*batch, q.shape[-2], k.shape[-2])


def _broadcast_batches(given: str, expected: str, *shapes: tuple[int, ...]) -> tuple[int, ...]:
    length = max(map(len, shapes))
    padded = [(1,) * (length - len(shape)) + tuple(shape) for shape in shapes]
    result = []
    for sizes in zip(*padded, strict=True):
        distinct = {size for size in sizes if size != 1}
        if len(distinct) > 1:
            raise NumericError(given, expected, "make the batch axes equal or 1")
        result.append(distinct.pop() if distinct else 1)
    return tuple(result)


def _broadcasts(name: str, shape: tuple[int, ...], target: tuple[int, ...]) -> None:
    """Refuse a shape that does not broadcast to `target` without enlarging it."""
    fits = len(shape) <= len(target) and all(
        size in (1, wanted) for size, wanted in zip(reversed(shape), reversed(target), strict=False)
    )
    if not fits:
        raise NumericError(
            f"{name} of shape {tuple(shape)}",
            f"a shape that broadcasts to {tuple(target)}",
            f"index {name} with None where an axis is missing",
        )


def _factor(
    name: str, value: Any, default: float | None, info: Any, *, positive: bool = False
) -> float:
    """Return `value` as a Python float, which leaves the arrays' dtype alone but must fit it."""
    if value is None:
        return default
    if (
        isinstance(value, (bool, str, bytes))
        or not hasattr(value, "__float__")
        or getattr(value, "ndim", 0)
    ):
        raise NumericError(f"{name}={value!r}", "a real number", f"pass a float for {name}")
    number, largest = float(value), float(info.max)
    least = float(info.smallest_normal) if positive else -largest
    if not least <= number <= largest:
        raise NumericError(
            f"{name}={number}",
            f"a number from {least:.3g} to {largest:.3g}",
            f"leave {name} out for the usual value",
        )
    return number
