"""Where a film is cut: each section becomes a segment of its own, a long one several.

The film is played once with everything skipped. At each cut either a finished segment is found,
or a worker is forked that draws on from this very state and leaves at the next cut.
"""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, NoReturn

from manim import config

from animations.errors import FilmError

from .again import again
from .drawing import Drawing
from .encoder import Band, Video
from .naming import Namer, WordsUsed
from .pool import Pool
from .progress import Counter
from .renderer import SectionRenderer
from .store import Segment, Store
from .take import Take

if TYPE_CHECKING:
    from manim import Scene

    from animations.film import Film

__all__ = ["Cut", "Cutter"]

LONG = 4  # seconds after which a section is cut at its next play; key frames come as often


@dataclass
class Cut:
    """A section of the film, or a part of a long one.

    Attributes
    ----------
    beat
        The section's name.
    base
        What the section is drawn from; with the part's number it names the segment.
    part
        The part's number.
    segment
        The segment, once it is there.
    future
        The worker's, where the segment had to be drawn.
    frames
        How many frames it has; known once it has been played.
    """

    beat: str
    base: str
    part: int = 0
    segment: Segment | None = None
    future: Future | None = None
    frames: int = 0

    @property
    def name(self) -> str:
        """Return the segment's name in the store."""
        return f"{self.base}-{self.part}"


class Cutter:
    """Cuts a film that is being played into segments.

    Parameters
    ----------
    video
        How segments are encoded.
    store
        Where finished segments are.
    work
        A folder for unfinished ones.
    pool
        The workers.
    namer
        Names segments.
    counter
        Counts frames across processes.
    """

    def __init__(
        self, video: Video, store: Store, work: Path, pool: Pool, namer: Namer, counter: Counter
    ) -> None:
        self.video, self.store, self.work, self.pool = video, store, work, pool
        self.namer, self.counter = namer, counter
        self.cuts: list[Cut] = []
        self._sections = 0
        self._parent = os.getpid()
        self._cut: Cut | None = None
        self._drawing: Drawing | None = None  # in a worker
        self._warming = Thread(target=again, args=(video,))  # what every worker would work out

    @property
    def is_worker(self) -> bool:
        """Tell whether this process is a worker, which draws one segment and leaves."""
        return self._drawing is not None

    def attach(self, scene: Scene) -> None:
        """Learn which scene is played."""
        self.scene = scene
        self._text = getattr(scene, "text", _no_words)

    def begin(self, beat: str, skipped: bool) -> bool:
        """Begin a section; return whether this process is to draw it."""
        self.end()
        if skipped:
            return False
        self.scene.text = self._words = WordsUsed(self._text)
        self._start(Cut(beat, self.namer.name(self.scene, beat, self._sections)))
        self._sections += 1
        return self.is_worker

    def cut(self) -> bool:
        """Cut before the next play if the part is long enough; return as `begin` does."""
        if self._drawing:
            self._drawing.look()
        last = self._cut
        if last is not None and last.frames >= LONG * self.video.rate:
            self.end()
            self._start(Cut(last.beat, last.base, last.part + 1))
        return self.is_worker

    def play(self, frames: int) -> None:
        """Take note of a play of so many frames."""
        if self._cut is not None:
            self._cut.frames += frames

    def write(self, band: Band | None, repeat: int = 1) -> None:
        """Take the next frame, in the worker."""
        if os.getppid() != self._parent:
            os._exit(1)  # the render was killed: nobody will join this segment
        self._drawing.write(band, repeat)
        self.counter.add(len(self.cuts), repeat)

    def end(self) -> None:
        """End the part: a worker leaves here."""
        if self._drawing:
            self._drawing.finish(self._cut.name, self.store, self._words.words, self._cut.frames)
            os._exit(0)
        if self._cut is None:
            return
        if not self._cut.frames:
            self.cuts.remove(self._cut)
        elif self._cut.future:
            self.pool.expect(self._cut.future, self._cut.frames)
        self._cut = None

    def take(self, open_film: Callable[[SectionRenderer], Film], watch: Callable[[], None]) -> Take:
        """Play a film once, skipping, while workers draw its sections; wait for them.

        Parameters
        ----------
        open_film
            Makes the film that a renderer is to draw.
        watch
            Called now and then while there is something to wait for.
        """
        self._warming.start()
        try:
            film = open_film(SectionRenderer(self))
            film.render()
            self.pool.finish(watch)
        except BaseException:
            if self.is_worker:
                self._fail()
            raise
        finally:
            self.pool.stop()
        segments = [self._finished(cut) for cut in self.cuts]
        drawn = sum(cut.future is not None for cut in self.cuts)
        return Take(
            film,
            videos=[segment.video for segment in segments],
            stills=self._stills(segments),
            words={key: text for segment in segments for key, text in segment.words.items()},
            drawn=drawn,
            reused=len(self.cuts) - drawn,
        )

    @property
    def frames_to_draw(self) -> int:
        return sum(cut.frames for cut in self.cuts if cut.future)

    def _stills(self, segments: Sequence[Segment]) -> dict[str, Path]:
        """Choose the fullest settled frame of each beat."""
        best: dict[str, Segment] = {}
        for cut, segment in zip(self.cuts, segments, strict=True):
            if segment.fullness >= best.get(cut.beat, segment).fullness:
                best[cut.beat] = segment
        return {beat: segment.still for beat, segment in best.items()}

    def _finished(self, cut: Cut) -> Segment:
        """Return the segment of a section, or say why its worker has left none."""
        if cut.future and cut.future.result() != 0:
            raise self._failure(cut)
        return cut.segment or self.store.find(cut.name, self._text)

    def _fail(self) -> NoReturn:
        """Leave the worker with what went wrong written down for the parent."""
        try:
            self._report(self._cut).write_text(traceback.format_exc(), encoding="utf-8")
        finally:
            os._exit(1)  # whatever happens: this process must not go on as if it were the parent

    def _start(self, cut: Cut) -> None:
        """Find the part's segment, or fork a worker for it."""
        self._cut = cut
        self.cuts.append(cut)
        cut.segment = self.store.find(cut.name, self._text)
        if cut.segment is None:
            self._warming.join()
            cut.future = self.pool.fork()
            if cut.future is None:
                self._become_worker(cut)

    def _become_worker(self, cut: Cut) -> None:
        self._drawing = Drawing(self.scene, self.video, self.work / cut.name)
        self.scene.watchers = []  # the parent checks the film
        # Manim's texts pass through files of fixed names, which two processes must not share.
        config["text_dir"] = str(self.work / f"texts-{os.getpid()}")

    def _report(self, cut: Cut) -> Path:
        return self.work / f"{cut.name}.error"

    def _failure(self, cut: Cut) -> FilmError:
        report = self._report(cut)
        text = report.read_text(encoding="utf-8") if report.exists() else "its worker was killed"
        return FilmError(
            f"the beat {cut.beat!r}, which could not be drawn: {text.strip()}",
            "a beat that can be drawn",
            "mend the film where the last line points",
        )


def _no_words(key: str) -> str:
    """Answer for a scene that is not a film: it has no table of words."""
    raise KeyError(key)
