"""Finished segments, kept under names that say everything they were drawn from.

A segment's *name* tells the state it starts from and the code that plays it. Which words that
code uses is only known once it has been played, so they are written down beside the segments:
the *key* of a segment is its name together with the words that it used.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from animations.errors import FilmError

from .sources import digest_of

__all__ = ["Segment", "Store"]

KEPT = 7 * 24 * 3600  # seconds that a segment nobody uses is kept


@dataclass(frozen=True, slots=True)
class Segment:
    """A finished segment.

    Parameters
    ----------
    video, still
        Its files.
    words
        The words that it used, and those that the beat had used before.
    fullness
        How much the still shows; less than 0 if it is not of a settled frame.
    """

    video: Path
    still: Path
    words: Mapping[str, str]
    fullness: int


@dataclass(frozen=True, slots=True)
class Store:
    """A folder of segments.

    Files are written elsewhere and moved in whole, so what is here is complete, and several
    renders may share one store.
    """

    folder: Path

    def find(self, name: str, text: Callable[[str], str]) -> Segment | None:
        """Return the segment called `name` for today's words, and mark it as used.

        Parameters
        ----------
        name
            The segment's name.
        text
            Looks the words of a key up.
        """
        note = self.folder / f"{name}.json"
        try:
            noted = json.loads(note.read_text(encoding="utf-8"))
            words = {key: text(key) for key in noted["words"]}
            segment = self._segment(name, words, noted["fullness"])
            for path in (note, segment.still, segment.video):
                os.utime(path)
        except (FileNotFoundError, FilmError):
            return None
        return segment

    def take(
        self, name: str, words: Mapping[str, str], fullness: int, video: Path, still: Path
    ) -> None:
        """Move a finished segment in; the note comes last, as it makes the segment count."""
        segment = self._segment(name, words, fullness)
        self.folder.mkdir(parents=True, exist_ok=True)
        note = video.with_suffix(".json")
        note.write_text(
            json.dumps({"words": sorted(words), "fullness": fullness}), encoding="utf-8"
        )
        still.replace(segment.still)
        video.replace(segment.video)
        note.replace(self.folder / f"{name}.json")

    def prune(self) -> None:
        """Drop what nobody has used for a week."""
        oldest = time.time() - KEPT
        for path in self.folder.glob("*.*"):
            with suppress(FileNotFoundError):
                if path.stat().st_mtime < oldest:
                    path.unlink()

    def _segment(self, name: str, words: Mapping[str, str], fullness: int) -> Segment:
        key = digest_of(name, words)
        return Segment(self.folder / f"{key}.mp4", self.folder / f"{key}.png", words, fullness)
