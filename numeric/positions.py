"""Telling attention where tokens stand: sinusoids, learned tables, rotations, linear biases.

Pairs of channels share a frequency ``base ** (−2 p / d)``, p = 0, 1, …. Where the two members of
pair p lie is the layout: ``"interleaved"`` puts them at 2p and 2p + 1, ``"half-split"`` at p and
p + d/2. Weights trained in one layout are wrong in the other, so it is always named.
"""

from typing import Any, Literal, get_args

import numpy as np
from jaxtyping import Float

from numeric.arrays import accumulator, device, floating, namespace
from numeric.errors import NumericError

Layout = Literal["interleaved", "half-split"]


def sinusoidal(
    positions: Any, d_model: int, /, *, layout: Layout, base: float = 10000.0
) -> Float[Any, "*batch n d_model"]:
    r"""Return the encoding with a sine and a cosine of each position in each pair of channels.

    Parameters
    ----------
    positions
        An integer or floating array, (\*batch, n); any library.
    d_model
        Number of channels, even.
    layout
        Where the sine and the cosine of a pair lie.
    base
        The longest wavelength is about 2π times this.

    Examples
    --------
    >>> sinusoidal(np.asarray([1]), 4, layout="interleaved").round(6).tolist()
    [[0.841471, 0.540302, 0.01, 0.99995]]
    """
    xp = namespace(positions=positions)
    dtype = positions.dtype if xp.isdtype(positions.dtype, "real floating") else xp.float64
    phases = _phases(xp, positions, d_model, base, dtype)
    return _laid_out(xp, xp.sin(phases), xp.cos(phases), layout)


def learned(
    n: int, d_model: int, /, *, seed: int, scale: float = 0.02
) -> Float[np.ndarray, "n d_model"]:
    """Return the table that training starts from: normal entries of standard deviation `scale`."""
    return np.random.default_rng(seed).standard_normal((n, d_model)) * scale


def rotate(
    x: Float[Any, "*batch n d"],
    positions: Any = None,
    /,
    *,
    layout: Layout,
    base: float = 10000.0,
    rotated: int | None = None,
) -> Float[Any, "*batch n d"]:
    r"""Return `x` with each pair of channels turned by its position times its frequency (RoPE).

    Scores of rotated queries and keys depend on the distance alone (theorem ``rope-relative``).

    Parameters
    ----------
    x
        Queries or keys.
    positions
        Broadcasts to (\*batch, n); 0, 1, 2, … if None. Floating positions are taken as they are.
    layout
        Where the members of a pair lie.
    base
        As for :func:`sinusoidal`.
    rotated
        How many channels, from the first, are turned; all if None.

    Returns
    -------
    array of the type, dtype and device of `x`
        Angles are computed in float32 at least: half precision is off by 0.8 at position 2000.

    Examples
    --------
    >>> x = np.asarray([[9.0, 9, 9, 9], [1, 2, 3, 4]])
    >>> rotate(x, layout="interleaved")[1].round(6).tolist()
    [-1.14264, 1.922076, 2.959851, 4.0298]
    >>> rotate(x, layout="half-split")[1].round(6).tolist()
    [-1.984111, 1.959901, 2.462378, 4.0198]
    """
    xp = namespace(x=x, positions=positions)
    dtype = floating(xp, x=x)
    if x.ndim < 2:
        raise NumericError(f"shape {tuple(x.shape)}", "(*batch, n, d)", "add the missing axis")
    width = x.shape[-1] if rotated is None else rotated
    if not 0 <= width <= x.shape[-1]:
        raise NumericError(f"rotated={rotated}", f"0 to {x.shape[-1]} channels", "pass fewer")
    if positions is None:
        positions = xp.arange(x.shape[-2], device=device(x))
    phases = _phases(xp, positions, width, base, accumulator(xp, dtype))
    return rotate_by(x, xp.cos(phases), xp.sin(phases), layout=layout)


def rotate_by(
    x: Float[Any, "*batch n d"], cos: Any, sin: Any, /, *, layout: Layout
) -> Float[Any, "*batch n d"]:
    r"""Return `x` with each pair of channels turned by given cosines and sines.

    Parameters
    ----------
    x
        Queries or keys.
    cos, sin
        Of the angles, broadcasting to (\*batch, n, pairs). Channels beyond the pairs stay.
    layout
        Where the members of a pair lie.
    """
    xp = namespace(x=x, cos=cos, sin=sin)
    dtype = floating(xp, x=x)
    wide = accumulator(xp, dtype)
    width = 2 * cos.shape[-1]
    cos, sin = xp.astype(cos, wide), xp.astype(sin, wide)
    first, second = _pairs(xp.astype(x[..., :width], wide), layout)
    turned = _laid_out(xp, first * cos - second * sin, first * sin + second * cos, layout)
    return xp.concat([xp.astype(turned, dtype), x[..., width:]], axis=-1)


def alibi(
    heads: int, n_q: int, n_k: int, /, *, offset: int = 0, xp: Any = np, dtype: Any = None
) -> Float[Any, "heads n_q n_k"]:
    """Return the bias that falls linearly with distance, more steeply in the first heads.

    Head h of H, a power of two, has slope 2 ** (−8 (h + 1) / H); for other numbers of heads the
    slopes are those of the next smaller power of two and then every other one of the next larger.

    Examples
    --------
    >>> alibi(1, 2, 3, offset=1)[0].tolist()
    [[-0.00390625, -0.0, -0.00390625], [-0.0078125, -0.00390625, -0.0]]
    """
    if heads < 1:
        raise NumericError(f"heads={heads}", "at least one head", "pass heads=1 or more")
    slopes = xp.asarray(_slopes(heads), dtype=dtype or xp.float64)
    queries = xp.arange(n_q) + offset
    distance = xp.abs(queries[:, None] - xp.arange(n_k)[None, :])  # (n_q, n_k)
    return -slopes[:, None, None] * xp.astype(distance, slopes.dtype)


def _slopes(heads: int) -> list[float]:
    power = 1 << (heads.bit_length() - 1)
    slopes = [2.0 ** (-8 * (h + 1) / power) for h in range(power)]
    between = [2.0 ** (-4 * (h + 1) / power) for h in range(0, 2 * power, 2)]
    return slopes + between[: heads - power]


def _phases(xp: Any, positions: Any, channels: int, base: float, dtype: Any) -> Any:
    """Return position · frequency, of shape (*batch, n, channels / 2)."""
    if channels % 2 or channels < 0:
        raise NumericError(f"{channels} channels", "an even number, in pairs", "add or drop one")
    pairs = xp.arange(channels // 2, dtype=dtype, device=device(positions))
    frequencies = base ** (-2 * pairs / max(channels, 1))
    return xp.astype(positions, dtype)[..., None] * frequencies


def _pairs(x: Any, layout: Layout) -> tuple[Any, Any]:
    """Return the first and the second members of all pairs."""
    _check_layout(layout)
    if layout == "interleaved":
        return x[..., 0::2], x[..., 1::2]
    half = x.shape[-1] // 2
    return x[..., :half], x[..., half:]


def _laid_out(xp: Any, first: Any, second: Any, layout: Layout) -> Any:
    """Return the members of all pairs where the layout puts them."""
    _check_layout(layout)
    if layout == "half-split":
        return xp.concat([first, second], axis=-1)
    stacked = xp.stack([first, second], axis=-1)  # (*batch, n, pairs, 2)
    return xp.reshape(stacked, (*stacked.shape[:-2], 2 * stacked.shape[-2]))


def _check_layout(layout: Any) -> None:
    if layout not in get_args(Layout):
        raise NumericError(
            f"layout={layout!r}",
            "'interleaved' or 'half-split'",
            "name the one that the weights were trained in",
        )
