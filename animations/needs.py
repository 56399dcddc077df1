"""What ``animations`` needs of the machine."""

from __future__ import annotations

import subprocess
from ctypes.util import find_library
from importlib.util import find_spec

from derive.console import Need, distribution

INSTALL = "make setup, or: pip install '.[animations]' in the checkout"
PACKAGES = {  # library: its package under apt, dnf, brew
    "cairo": ("libcairo2-dev", "cairo-devel", "cairo"),
    "pango": ("libpango1.0-dev", "pango-devel", "pango"),
    "font": ("fonts-noto-cjk", "google-noto-sans-cjk-fonts", "font-noto-sans-cjk-sc"),
}


def needs() -> list[Need]:
    """Return the needs, each with what was found; they bind once Manim is installed."""
    films = find_spec("manim") is not None
    return [
        distribution("manim", "render, check", INSTALL, required=False),
        distribution("pycairo", "render", INSTALL, films),
        distribution("manimpango", "render, check", INSTALL, films),
        distribution("fonttools", "render, check", INSTALL, films),
        Need("cairo", find_library("cairo"), "render", _install("cairo"), films),
        Need("pango", find_library("pango-1.0"), "render", _install("pango"), films),
        Need("Chinese font", _chinese_font(), "render, show --format pdf", _install("font"), films),
    ]


def _install(library: str) -> str:
    apt, dnf, brew = PACKAGES[library]
    return f"sudo apt-get install {apt} (dnf install {dnf}; brew install {brew})"


def _chinese_font() -> str | None:
    """Name the first simplified Chinese family that fontconfig knows."""
    query = ["fc-list", ":lang=zh-cn", "family"]
    try:
        families = subprocess.run(query, capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return min(families.stdout.splitlines(), default="").partition(",")[0] or None
