"""Array libraries that every numeric test can ask for."""

import importlib
import os
from types import SimpleNamespace

import numpy as np
import pytest

os.environ.setdefault("JAX_PLATFORMS", "cpu")

LIBRARIES = {"numpy": "numpy", "strict": "array_api_strict", "jax": "jax.numpy"}


def load(name):
    """Return the namespace called `name`, skipping the test where it is not installed."""
    if name == "jax":
        jax = pytest.importorskip("jax", reason="JAX is not installed")
        jax.config.update("jax_enable_x64", True)
    return importlib.import_module(LIBRARIES[name])


@pytest.fixture
def load_library():
    return load


# JAX compiles each shape anew, which takes longer than all the rest.
EACH = [pytest.param(name, marks=[pytest.mark.slow] * (name == "jax")) for name in LIBRARIES]


@pytest.fixture(params=EACH)
def xp(request):
    """An array namespace; a test that asks for it runs once for each library."""
    return load(request.param)


@pytest.fixture
def arrays(xp):
    """Turn NumPy arrays into arrays of `xp`, read-only where the library can."""

    def given(*values):
        out = []
        for value in values:
            value = np.array(value)
            value.setflags(write=xp is not np)
            out.append(value if xp is np else xp.asarray(value))
        return out[0] if len(out) == 1 else out

    return SimpleNamespace(given=given, xp=xp)
