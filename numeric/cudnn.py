"""The fused attention kernel that JAX has from cuDNN, where it means the same as ours.

That is in half precision on a GPU, with nothing that a query may not attend to: its own masks
give a query that may attend to nothing the mean of the values, and let NaN through.
"""

from typing import Any

import array_api_compat as compat

from numeric.arrays import device

WIDEST = 128  # of a head, in every version of the kernel


def applies(q: Any, k: Any, v: Any, /, *, offset: int = 0, **options: Any) -> bool:
    """Return whether the kernel is for these arrays and options of attention."""
    if not compat.is_jax_array(q) or any(x is not None for x in options.values()):
        return False
    import jax

    place = device(q)
    platform = jax.default_backend() if place is None else place.platform
    half = q.dtype in (jax.numpy.bfloat16, jax.numpy.float16)
    same = q.shape[:-2] == k.shape[:-2] == v.shape[:-2] and q.shape[-1] == v.shape[-1]
    fits = q.shape[-1] % 8 == 0 and q.shape[-1] <= WIDEST and min(q.size, k.size) > 0
    return platform == "gpu" and half and same and fits


def attend(q: Any, k: Any, v: Any, /, *, scale: float, implementation: str = "cudnn") -> Any:
    """Return ``attention(q, k, v, scale=scale)`` by the kernel of that name."""
    import jax

    one_head = lambda x: x.reshape(-1, x.shape[-2], 1, x.shape[-1])  # (batch, n, heads, d)
    output = jax.nn.dot_product_attention(
        *map(one_head, (q, k, v)), scale=scale, implementation=implementation
    )
    return output.reshape(q.shape)
