"""Finished segments, and which of them make up a beat.

A segment is kept under its key, which tells what it shows. A *note* says which segments a beat
of some name was made of. Which words a beat uses is only known once it has been played, so the
note holds them too: it counts as long as they are today's.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from animations.errors import FilmError

from .stills import Still

__all__ = ["Segment", "Store"]

NOTE = ".beat"
KEPT = 7 * 24 * 3600  # seconds that a segment nobody uses is kept


@dataclass(frozen=True, slots=True)
class Segment:
    """A finished segment.

    Parameters
    ----------
    video
        Its file.
    still
        Its fullest settled frame, if any frame is settled.
    fullness
        How much the still shows; less than 0 if there is none.
    """

    video: Path
    still: Still | None
    fullness: int


@dataclass(frozen=True, slots=True)
class Store:
    """A folder of segments.

    Files are written elsewhere and moved in whole, so what is here is complete, and several
    renders may share one store.
    """

    folder: Path

    def recall(self, name: str, text: Callable[[str], str]) -> list[Segment] | None:
        """Return the segments of the beat called `name`, if they are there.

        Parameters
        ----------
        name
            The beat's name.
        text
            Looks the words of a key up.
        """
        note = self.folder / f"{name}{NOTE}"
        try:
            noted = json.loads(note.read_text(encoding="utf-8"))
            if any(text(key) != words for key, words in noted["words"].items()):
                return None
            os.utime(note)
        except (FileNotFoundError, FilmError):
            return None
        segments = [self.find(key) for key in noted["segments"]]
        return None if None in segments else segments

    def note(self, name: str, words: Mapping[str, str], keys: Sequence[str], work: Path) -> None:
        """Say which segments the beat called `name` is made of, written aside in `work` first."""
        part = work / f"{name}{NOTE}"
        part.write_text(
            json.dumps({"words": dict(words), "segments": list(keys)}), encoding="utf-8"
        )
        part.replace(self.folder / part.name)

    def find(self, key: str) -> Segment | None:
        """Return the segment of a key, if it is there, and mark it as used."""
        told = self.folder / f"{key}.json"
        try:
            segment = self._segment(key, json.loads(told.read_text(encoding="utf-8"))["fullness"])
            for path in (told, segment.video, *(segment.still.files if segment.still else ())):
                os.utime(path)
        except FileNotFoundError:
            return None
        return segment

    def take(self, key: str, fullness: int, video: Path, still: Still | None) -> None:
        """Move a finished segment in; what is told of it comes last, and makes it count."""
        segment = self._segment(key, fullness)
        self.folder.mkdir(parents=True, exist_ok=True)
        told = video.with_suffix(".json")
        told.write_text(json.dumps({"fullness": fullness}), encoding="utf-8")
        if still:
            for source, target in zip(still.files, segment.still.files, strict=True):
                source.replace(target)
        video.replace(segment.video)
        told.replace(self.folder / f"{key}.json")

    def prune(self) -> None:
        """Drop what nobody has used for a week."""
        oldest = time.time() - KEPT
        for path in self.folder.glob("*.*"):
            with suppress(FileNotFoundError):
                if path.stat().st_mtime < oldest:
                    path.unlink()

    def _segment(self, key: str, fullness: int) -> Segment:
        still = Still.at(self.folder / key) if fullness >= 0 else None
        return Segment(self.folder / f"{key}.mp4", still, fullness)
