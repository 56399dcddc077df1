"""What drawing a film gives: its parts in order, and what belongs to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from animations.film import Film

    from .stills import Still

__all__ = ["Take"]


@dataclass(frozen=True, slots=True)
class Take:
    """A film that has been drawn.

    Parameters
    ----------
    film
        The film, played to its end.
    videos
        The files that make it up, in order, all encoded alike.
    stills
        For each beat, the picture that tells it.
    words
        The words that were used, by key.
    drawn, reused
        How many of the videos were drawn, and how many were there already.
    """

    film: Film
    videos: Sequence[Path]
    stills: Mapping[str, Still]
    words: Mapping[str, str]
    drawn: int
    reused: int = 0
