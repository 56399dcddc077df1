"""Gradients of attention, as the theorem ``attention-backward`` states them."""

import math
from typing import Any

from jaxtyping import Bool, Float

from numeric.arrays import accumulator, all_finite, constant, floating, namespace
from numeric.dot_product import attention
from numeric.errors import NumericError
from numeric.masks import Alignment


def attention_backward(
    g: Float[Any, "*batch n_q d_v"],
    q: Float[Any, "*batch n_q d_k"],
    k: Float[Any, "*batch n_k d_k"],
    v: Float[Any, "*batch n_k d_v"],
    /,
    *,
    mask: Bool[Any, "..."] | None = None,
    bias: Float[Any, "..."] | None = None,
    causal: Alignment | None = None,
    offset: int = 0,
    scale: float | None = None,
) -> tuple[Any, Any, Any]:
    r"""Return the gradients of Σ g ⊙ attention(q, k, v) by q, k and v.

    With weights A and D = g vᵀ: dv = Aᵀ g, dS = A ⊙ (D − rowsum(A ⊙ D)), dq = scale · dS k,
    dk = scale · dSᵀ q. A query that may attend to nothing has gradient zero and gives none.

    Parameters
    ----------
    g
        The gradient by the output.
    q, k, v, mask, bias, causal, offset, scale
        As given to :func:`attention`; batch axes equal, not only broadcastable.

    Returns
    -------
    dq, dk, dv : arrays of the shapes and dtype of `q`, `k` and `v`
    """
    xp = namespace(g=g, q=q, k=k, v=v, mask=mask, bias=bias)
    dtype = floating(xp, g=g, q=q, k=k, v=v, bias=bias)
    _one_batch(g, q, k, v)
    wide = accumulator(xp, dtype)
    g, q, k, v, bias = (
        x if x is None else xp.astype(x, wide, copy=False) for x in (g, q, k, v, bias)
    )
    options = {"mask": mask, "bias": bias, "causal": causal, "offset": offset, "scale": scale}
    _, weights = attention(q, k, v, return_weights=True, **options)
    factor = 1 / math.sqrt(q.shape[-1]) if scale is None else float(scale)

    flow = _flow(xp, g, v)
    mean = xp.sum(_weighted(xp, weights, flow), axis=-1, keepdims=True)
    by_scores = factor * _weighted(xp, weights, flow - mean)
    dq = by_scores @ _finite(xp, k)
    dk = xp.matrix_transpose(by_scores) @ _finite(xp, q)
    dv = xp.matrix_transpose(weights) @ g
    return tuple(xp.astype(x, dtype) for x in (dq, dk, dv))


def _flow(xp: Any, g: Any, v: Any) -> Any:
    """Return g vᵀ, NaN for every value with an entry that is not finite."""
    if all_finite(xp, v):
        return g @ xp.matrix_transpose(v)
    whole = xp.all(xp.isfinite(xp.matrix_transpose(v)), axis=-2, keepdims=True)
    return xp.where(whole, g @ xp.matrix_transpose(_finite(xp, v)), constant(xp, math.nan, v))


def _weighted(xp: Any, weights: Any, x: Any) -> Any:
    """Return weights · x, 0 where the weight is 0 whatever x is."""
    return xp.where(weights == 0, constant(xp, 0.0, weights), weights * x)


def _finite(xp: Any, x: Any) -> Any:
    """Return `x` with 0 for what is not finite: where that may be seen, the scores are NaN."""
    return x if all_finite(xp, x) else xp.where(xp.isfinite(x), x, constant(xp, 0.0, x))


def _one_batch(g: Any, q: Any, k: Any, v: Any) -> None:
    given = f"g {g.shape}, q {q.shape}, k {k.shape}, v {v.shape}"
    batches = {tuple(x.shape[:-2]) for x in (g, q, k, v)}
    if len(batches) > 1 or tuple(g.shape[-2:]) != (q.shape[-2], v.shape[-1]):
        raise NumericError(
            given, "equal batch axes, and g of the output's shape", "broadcast before the call"
        )
