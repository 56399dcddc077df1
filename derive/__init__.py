"""What is true: attention's statements as terms, and proofs that only a small kernel can make.

``derive`` may import SymPy and mpmath (lazily) and ``typst`` where it typesets. It must not
import ``numeric``, ``animations`` or any array library: nothing flows back along the chain
*derive → numeric → animations → renders*.

Public names are looked up on first use, so that ``import derive`` costs nothing. A submodule
must not bear the name of a public function, or importing it would hide the function.
"""

from importlib import import_module

_HOMES: dict[str, str] = {}

__all__ = list(_HOMES)


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return list(__all__)
