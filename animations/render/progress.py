"""One progress bar a film, on standard error."""

from __future__ import annotations

import mmap
import sys
from typing import TextIO

__all__ = ["Bar", "Counter"]

WIDTH = 24


class Counter:
    """Numbers that forked processes share, one writer to each.

    Parameters
    ----------
    size
        How many numbers there are.
    """

    def __init__(self, size: int = 4096) -> None:
        self._cells = memoryview(mmap.mmap(-1, 8 * size)).cast("q")

    def add(self, cell: int, count: int) -> None:
        """Add `count` to one of the numbers."""
        self._cells[cell % len(self._cells)] += count

    def __getitem__(self, cell: int) -> int:
        return self._cells[cell]

    @property
    def total(self) -> int:
        return sum(self._cells)


class Bar:
    """A bar that is redrawn in place on a terminal; elsewhere only its end is printed."""

    def __init__(self, title: str, stream: TextIO | None = None) -> None:
        self.title = title
        self.stream = sys.stderr if stream is None else stream
        self._live = self.stream.isatty()
        self._shown = ""

    def show(self, done: int, total: int) -> None:
        """Show that `done` of `total` frames are ready."""
        share = done / total if total else 0.0
        full = int(share * WIDTH)
        bar = "█" * full + "░" * (WIDTH - full)
        doing = f"{done}/{total} frames" if total else "playing through"
        text = f"{self.title}  {bar} {share:4.0%}  {doing}"
        if self._live and text != self._shown:
            self._shown = text
            self.stream.write(f"\r\x1b[K{text}")
            self.stream.flush()

    def close(self, text: str) -> None:
        """End the bar with a line that stays."""
        lead = "\r\x1b[K" if self._live else ""
        self.stream.write(f"{lead}{self.title}  {text}\n")
        self.stream.flush()
