"""What every function asks of its arrays: one library, one device, one floating type.

Libraries are recognised by `array-api-compat`, which imports none that the caller has not
imported already.
"""

import math
from typing import Any

import array_api_compat as compat

from numeric.errors import NumericError

_MIXED = "move them to one library first, for example with xp.from_dlpack(x)"


def namespace(**arrays: Any) -> Any:
    """Return the one array namespace that all `arrays` belong to; None values are skipped.

    Raises
    ------
    NumericError
        If a value is no array, or two values come from different libraries or devices.
    """
    present = {name: x for name, x in arrays.items() if x is not None}
    for name, x in present.items():
        if not compat.is_array_api_obj(x):
            raise NumericError(
                f"{name} of type {type(x).__name__}",
                "an array (NumPy, JAX, CuPy or another of the array API standard)",
                f"make it one first, for example {name} = numpy.asarray({name})",
            )
    try:
        xp = compat.array_namespace(*present.values())
    except TypeError as error:
        kinds = ", ".join(f"{name}: {type(x).__module__}" for name, x in present.items())
        raise NumericError(kinds, "arrays of one library", _MIXED) from error
    _one_device(present)
    return xp


def _one_device(arrays: dict[str, Any]) -> None:
    devices = {name: device(x) for name, x in arrays.items()}
    known = {name: d for name, d in devices.items() if d is not None}
    if len(set(map(str, known.values()))) > 1:
        given = ", ".join(f"{name} on {d}" for name, d in known.items())
        raise NumericError(given, "arrays on one device", "move them with to_device(x, device)")


def device(x: Any) -> Any:
    """Return the device `x` lives on, or None while a tracer stands in for the array."""
    try:
        return compat.device(x)
    except (AttributeError, TypeError):
        return None


def floating(xp: Any, **arrays: Any) -> Any:
    """Return the one real floating dtype of `arrays`; None values are skipped."""
    present = {name: x for name, x in arrays.items() if x is not None}
    for name, x in present.items():
        if not xp.isdtype(x.dtype, "real floating"):
            raise NumericError(
                f"{name} of dtype {x.dtype}",
                "a real floating dtype",
                f"convert it, for example {name} = xp.astype({name}, xp.float32)",
            )
    dtypes = {name: x.dtype for name, x in present.items()}
    first = next(iter(dtypes.values()))
    if any(dtype != first for dtype in dtypes.values()):
        given = ", ".join(f"{name}: {dtype}" for name, dtype in dtypes.items())
        raise NumericError(given, "arrays of one dtype", "convert them with xp.astype(x, dtype)")
    return first


def boolean(xp: Any, mask: Any) -> None:
    """Refuse a mask that is not boolean: 0/1 and 0/-inf floats mean opposite things."""
    if mask is not None and not xp.isdtype(mask.dtype, "bool"):
        raise NumericError(
            f"mask of dtype {mask.dtype}",
            "a boolean mask, True where a query may attend to a key",
            "write mask=m != 0 for a 0/1 mask, mask=m == 0 or bias=m for a 0/-inf one",
        )


def accumulator(xp: Any, dtype: Any) -> Any:
    """Return the dtype to compute in: float32 for half precision, else `dtype` itself."""
    return xp.float32 if xp.finfo(dtype).bits < 32 else dtype


def constant(xp: Any, value: float, like: Any) -> Any:
    """Return `value` as a zero-dimensional array of the dtype and device of `like`."""
    return xp.asarray(value, dtype=like.dtype, device=device(like))


def negative_infinity(xp: Any, like: Any) -> Any:
    """Return -inf as an array of the dtype and device of `like`."""
    return constant(xp, -math.inf, like)


def surely(condition: Any) -> bool:
    """Return whether `condition` is known to hold; False while it is only being traced."""
    try:
        return bool(condition)
    except TypeError:
        return False


def all_finite(xp: Any, *arrays: Any) -> bool:
    """Return whether every entry is known to be finite."""
    return all(surely(xp.all(xp.isfinite(x))) for x in arrays)
