"""Names for what is drawn.

A beat's *name* tells the state it starts from and the code that plays it: known before it is
played. A segment's *key* tells what its plays show, whichever code has brought it about: known
once it has been played, and equal after an edit that it does not show.
"""

from __future__ import annotations

import inspect
import sys
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .fingerprint import play_state, scene_state
from .sources import beat_code, digest_of, drawing_code, film_code, fonts, versions

if TYPE_CHECKING:
    from manim import Scene

__all__ = ["Namer", "WordsUsed"]

# Whose code is in every key, by version or by `drawing_code`; what has no module is built in.
FAMILIAR = frozenset(("", "animations", "manim", "numpy", *sys.stdlib_module_names))


@dataclass(frozen=True, slots=True)
class Namer:
    """Names the beats and the segments of one render.

    Parameters
    ----------
    shown
        Whatever else tells renders apart: setting, size, encoding.
    """

    shown: Any

    def name(self, scene: Scene, section: str, number: int) -> str:
        """Name the section that starts now, the `number`-th of `scene`."""
        state = scene_state(scene)
        if state is None:
            return _once()
        code = self._code(scene, section, number)
        return digest_of(state, code, self.shown, versions(), fonts())

    def play(self, scene: Scene, *played: Any) -> str:
        """Name a play that begins now; keys are made of such names."""
        state = play_state(scene, *played)
        if state is None:
            return _once()
        name, modules = state
        return digest_of(name, None if all(map(_is_familiar, modules)) else _code_of(scene))

    def key(self, plays: Sequence[str]) -> str:
        """Return the key of the segment that is made of plays of these names."""
        return digest_of(plays, drawing_code(), self.shown, versions())

    def _code(self, scene: Scene, section: str, number: int) -> Any:
        """Return what identifies the code of a section.

        A film says which function plays a beat. In any other scene the section is a stretch of
        `construct`, which only its number tells from others.
        """
        beats = {beat.name: beat.play for beat in getattr(scene, "beats", ())}
        if section in beats:
            return beat_code(_file_of(beats[section]), beats, section)
        return film_code(_file_of(type(scene).construct)), number


@dataclass
class WordsUsed:
    """Takes note of the words that a film asks for.

    Parameters
    ----------
    look_up
        The film's own way from a key to words.
    """

    look_up: Callable[..., str]
    words: dict[str, str] = field(default_factory=dict)

    def __call__(self, key: str, **values: Any) -> str:
        """Look `key` up as the film does."""
        self.words[key] = self.look_up(key)
        return self.look_up(key, **values) if values else self.words[key]


def _once() -> str:
    """Return a name that nothing else ever has."""
    return f"once-{uuid.uuid4().hex}"


def _is_familiar(module: str) -> bool:
    package, _, within = module.partition(".")
    return package in FAMILIAR and not (package == "animations" and within.startswith("films"))


def _code_of(scene: Scene) -> str:
    """Return what identifies all code that the plays of a scene can depend on."""
    return film_code(Path(inspect.getfile(type(scene))))


def _file_of(function: Callable) -> Path:
    return Path(function.__code__.co_filename)
