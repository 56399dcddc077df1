"""The array libraries a check can run on, each loaded only when it is asked for."""

from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from numeric.errors import NumericError

MODULES = {
    "numpy": "numpy",
    "jax": "jax.numpy",
    "cupy": "cupy",
    "strict": "array_api_strict",
}
PACKAGES = {
    "jax": "'.[jax]' in the checkout",
    "cupy": "'.[cupy]' in the checkout",
    "strict": "array-api-strict",
}
DEVICES = {"numpy": ("cpu",), "jax": ("cpu", "gpu"), "cupy": ("gpu",), "strict": ("cpu",)}


@dataclass(frozen=True)
class Backend:
    """An array library with the device and the floating dtype to compute in."""

    name: str
    device: str
    dtype: str
    xp: Any
    place: Any  # the library's own name for the device

    def put(self, x: Any) -> Any:
        """Return a NumPy array as this library's: floats in ``dtype``, all on ``device``."""
        x = np.asarray(x)
        if x.dtype.kind == "f":
            x = x.astype(self.dtype)
        return self.xp.asarray(x) if self.place is None else self.xp.asarray(x, device=self.place)

    def get(self, x: Any) -> np.ndarray:
        """Return an array of this library as NumPy's."""
        return x.get() if self.name == "cupy" else np.asarray(x)


def backend(name: str = "numpy", *, device: str | None = None, dtype: str = "float64") -> Backend:
    """Return the back-end of that name.

    For JAX this switches on 64-bit numbers and full-precision products for the whole process.

    Raises
    ------
    NumericError
        If the name, device or dtype is unknown to us or not to be had on this machine.
    """
    if name not in MODULES:
        raise NumericError(f"back-end {name!r}", f"one of {', '.join(MODULES)}", "choose one")
    device = device or DEVICES[name][0]
    if device not in DEVICES[name]:
        others = [other for other, devices in DEVICES.items() if device in devices]
        raise NumericError(
            f"{name} on {device}",
            f"{name} on {' or '.join(DEVICES[name])}",
            f"for {device} choose {' or '.join(others)}" if others else "choose that",
        )
    try:
        xp = import_module(MODULES[name])
    except ImportError as error:
        raise NumericError(
            f"back-end {name}, which is not installed",
            "an installed array library",
            f"pip install {PACKAGES[name]}",
        ) from error
    if dtype not in ("float64", "float32"):
        raise NumericError(f"dtype {dtype!r}", "float64 or float32", "choose one of these")
    return Backend(name, device, dtype, xp, _place(name, device))


def _place(name: str, device: str) -> Any:
    """Make the library ready and return its own name for the device."""
    if name != "jax":
        return None
    import jax

    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_default_matmul_precision", "highest")
    try:
        return jax.devices(device)[0]
    except RuntimeError as error:
        raise NumericError(
            f"JAX on {device}", "a device that JAX finds", "pass --device cpu"
        ) from error
