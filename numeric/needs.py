"""What ``numeric`` needs of the machine."""

from __future__ import annotations

import subprocess

from derive.console import Need, distribution
from derive.needs import REINSTALL


def needs() -> list[Need]:
    """Return the needs, each with what was found."""
    return [
        distribution("numpy", "verify, heatmap, the films", REINSTALL),
        distribution("array-api-compat", "verify", REINSTALL),
        distribution("jaxtyping", "verify, heatmap", REINSTALL),
        distribution("threadpoolctl", "attention on large arrays", REINSTALL),
        _optional("array-api-strict", "verify --backend strict", "array-api-strict"),
        _optional("numba", "the fast path of attention on the CPU", "'.[fast]'"),
        _optional("jax", "verify --backend jax", "'.[jax]'"),
        _optional("cupy-cuda13x", "verify --backend cupy", "'.[cupy]'"),
        Need(
            "GPU",
            _gpu(),
            "verify --device gpu",
            "install the NVIDIA driver, then: pip install '.[cupy]' in the checkout",
            required=False,
        ),
    ]


def _optional(name: str, needed_by: str, package: str) -> Need:
    return distribution(name, needed_by, f"pip install {package}", required=False)


def _gpu() -> str | None:
    """Name the first CUDA device that the driver reports."""
    query = ["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"]
    try:
        names = subprocess.run(query, capture_output=True, text=True, timeout=10, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    return names.partition("\n")[0].strip() or None
