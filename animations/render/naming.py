"""The name of a segment: the state it starts from, the code that plays it, and how it is shown."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .fingerprint import scene_state
from .sources import beat_code, digest_of, film_code, fonts, versions

if TYPE_CHECKING:
    from manim import Scene

__all__ = ["Namer", "WordsUsed"]


@dataclass(frozen=True, slots=True)
class Namer:
    """Names the segments of one render.

    Parameters
    ----------
    shown
        Whatever else tells renders apart: setting, size, encoding.
    """

    shown: Any

    def name(self, scene: Scene, section: str, number: int) -> str:
        """Name the segment of the section that starts now, the `number`-th of `scene`."""
        state = scene_state(scene)
        if state is None:
            return f"once-{uuid.uuid4().hex}"
        code = self._code(scene, section, number)
        return digest_of(state, code, self.shown, versions(), fonts())

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


def _file_of(function: Callable) -> Path:
    return Path(function.__code__.co_filename)
