"""Array libraries that every numeric test can ask for."""

import importlib
import os
from types import SimpleNamespace

import numpy as np
import pytest

from numeric import blocked, rows

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


# Ways that attention takes only where arrays are large; here with NumPy's.
PATHS = ("rows", "blocked", "online", "fused")


def force(path, monkeypatch):
    """Make attention take few rows at a time, or tiles: as it chooses, or in one way."""
    if path == "rows":
        monkeypatch.setattr(rows, "SCORES", 7)
        return
    monkeypatch.setattr(blocked, "SMALLEST", 0)
    monkeypatch.setattr(blocked, "SMALLEST_HEAD", 0)
    monkeypatch.setattr(blocked, "ROWS", 2)
    monkeypatch.setattr(blocked, "KEYS", 3)
    if path == "fused":
        pytest.importorskip("numba", reason="numba is not installed")
    else:
        monkeypatch.setattr(blocked, "_fused", lambda: None)
    if path == "online":
        never = lambda q, *_, **__: np.zeros(len(q), bool)
        monkeypatch.setattr(blocked, "unshifted", never)


@pytest.fixture(params=[*EACH, *PATHS])
def xp(request, monkeypatch):
    """An array namespace; a test that asks for it runs once for each library and path."""
    if request.param not in PATHS:
        return load(request.param)
    force(request.param, monkeypatch)
    return np


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
