"""Boolean masks: True where a query may attend to a key.

Rows are queries, columns are keys. Where the two lengths differ, the diagonal is anchored to a
corner that the caller names: ``"upper-left"`` lines up the first query with the first key,
``"lower-right"`` the last query with the last key. Masks combine with ``&``.
"""

from typing import Any, Literal, get_args

import numpy
from jaxtyping import Bool, Int

from numeric.arrays import device, namespace
from numeric.errors import NumericError

Alignment = Literal["upper-left", "lower-right"]


def causal(
    n_q: int,
    n_k: int,
    /,
    *,
    align: Alignment,
    offset: int = 0,
    xp: Any = numpy,
    device: Any = None,
) -> Bool[Any, "n_q n_k"]:
    """Return the mask under which query i sees no key later than itself.

    Parameters
    ----------
    n_q, n_k
        Numbers of queries and keys.
    align
        The corner that the diagonal is anchored to.
    offset
        Number of keys that come before the first query, as with a cache of earlier keys: the
        diagonal moves right by as much.
    xp, device
        The array namespace and device of the result.

    Returns
    -------
    array of bool, shape (n_q, n_k)

    Examples
    --------
    >>> causal(2, 3, align="lower-right").astype(int)
    array([[1, 1, 0],
           [1, 1, 1]])
    """
    return _distance(n_q, n_k, align, offset, xp, device) <= 0


def sliding_window(
    n_q: int,
    n_k: int,
    /,
    *,
    before: int,
    after: int = 0,
    align: Alignment,
    offset: int = 0,
    xp: Any = numpy,
    device: Any = None,
) -> Bool[Any, "n_q n_k"]:
    """Return the mask under which query i sees the keys from i − before to i + after.

    The query's own position is always inside, so the window is before + 1 + after wide.

    Examples
    --------
    >>> sliding_window(3, 3, before=1, align="upper-left").astype(int)
    array([[1, 0, 0],
           [1, 1, 0],
           [0, 1, 1]])
    """
    for name, width in (("before", before), ("after", after)):
        if width < 0:
            raise NumericError(f"{name}={width}", "a width of at least 0", f"pass {name}=0")
    distance = _distance(n_q, n_k, align, offset, xp, device)
    return (distance <= after) & (distance >= -before)


def padding(lengths: Int[Any, "*batch"], n_k: int, /) -> Bool[Any, "*batch 1 n_k"]:
    """Return the mask of the first ``lengths`` keys, the same for every query.

    Examples
    --------
    >>> padding(numpy.asarray([2, 0]), 3).astype(int)
    array([[[1, 1, 0]],
    <BLANKLINE>
           [[0, 0, 0]]])
    """
    xp = namespace(lengths=lengths)
    if not xp.isdtype(lengths.dtype, "integral"):
        raise NumericError(
            f"lengths of dtype {lengths.dtype}", "integers", "round them with astype(lengths, int)"
        )
    keys = xp.arange(n_k, dtype=lengths.dtype, device=device(lengths))
    return keys < lengths[..., None, None]  # (*batch, 1, n_k)


def positions(keep: Bool[Any, "*batch n"], /) -> Int[Any, "*batch n"]:
    """Return each kept token's position, counted from the first kept one of its row.

    With padding on the left, positions must restart at the first real token; the padding itself
    is given position 0, which no score ever uses.

    Examples
    --------
    >>> positions(numpy.asarray([[False, False, True, True, True]]))
    array([[0, 0, 0, 1, 2]])
    """
    xp = namespace(keep=keep)
    counted = xp.cumulative_sum(xp.astype(keep, xp.int64), axis=-1) - 1
    return xp.where(keep, counted, xp.zeros_like(counted))


def check_alignment(align: Any) -> None:
    """Refuse an alignment that is not named."""
    if align not in get_args(Alignment):
        raise NumericError(
            f"causal alignment {align!r}",
            "'upper-left' or 'lower-right'",
            "write 'upper-left' where queries and keys start together, "
            "'lower-right' where they end together",
        )


def check_offset(offset: Any) -> None:
    """Refuse an offset that is no whole number."""
    if isinstance(offset, float):
        raise NumericError(f"offset={offset!r}", "a whole number of keys", "pass an int")


def _distance(n_q: int, n_k: int, align: Alignment, offset: int, xp: Any, device: Any) -> Any:
    """Return how far key j lies after query i: an integer array of shape (n_q, n_k)."""
    check_alignment(align)
    check_offset(offset)
    start = offset + (n_k - n_q if align == "lower-right" else 0)
    queries = xp.arange(n_q, device=device) + start
    return xp.arange(n_k, device=device)[None, :] - queries[:, None]  # (n_q, n_k)
