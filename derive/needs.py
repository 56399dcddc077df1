"""What ``derive`` needs of the machine."""

from __future__ import annotations

import sys

from derive.console import Need, distribution

REINSTALL = "pip install . in the checkout"


def needs() -> list[Need]:
    """Return the needs, each with what was found."""
    python = ".".join(map(str, sys.version_info[:3]))
    return [
        Need("Python", python, "everything", "install Python 3.11 or later"),
        distribution("sympy", "prove, show, example", REINSTALL),
        distribution("mpmath", "prove, example", REINSTALL),
        distribution("typst", "show --format svg and pdf, the films", REINSTALL),
    ]
