"""What it looks like: films, stills and pages drawn from the proofs and the computed arrays.

``animations`` may import ``derive``, ``numeric`` and Manim. Nothing imports ``animations`` but
the command line.

Public names are looked up on first use, so that ``import animations`` costs nothing. A
submodule must not bear the name of a public function, or importing it would hide the function.
"""

from importlib import import_module

_HOMES: dict[str, str] = {
    "Appear": "animations.motion",
    "Film": "animations.film",
    "FilmError": "animations.errors",
    "Formula": "animations.formula",
    "Morph": "animations.morph",
    "Move": "animations.motion",
    "Phrase": "animations.formula",
    "Quantity": "animations.formula",
    "Setting": "animations.theme",
    "Tint": "animations.motion",
    "Vanish": "animations.motion",
    "beat": "animations.film",
    "inspect": "animations.check.inspect",
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return list(__all__)
