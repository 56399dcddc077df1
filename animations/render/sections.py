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
from typing import TYPE_CHECKING, NoReturn

import numpy as np
from manim import config
from PIL import Image

from animations.errors import FilmError

from .encoder import Band, EncoderThread, Video
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
        self.is_worker = False
        self._parent = os.getpid()
        self._cut: Cut | None = None
        self._encoder: EncoderThread | None = None
        self._still: np.ndarray | None = None
        self._settled = self._sections = 0

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
        self._settle()
        last = self._cut
        if last is not None and last.frames >= LONG * self.video.rate:
            self.end()
            self._start(Cut(last.beat, last.base, last.part + 1))
        return self.is_worker

    def _start(self, cut: Cut) -> None:
        self._cut = cut
        self.cuts.append(cut)
        cut.segment = self.store.find(cut.name, self._text)
        if cut.segment is None:
            cut.future = self.pool.fork()
            if cut.future is None:
                self._become_worker()

    def play(self, frames: int) -> None:
        """Take note of a play of so many frames."""
        if self._cut is not None:
            self._cut.frames += frames

    def _settle(self) -> None:
        """Keep the frame if the film calls it settled and none was fuller: it tells the beat."""
        settled = self._count_settled()
        if self.is_worker and settled > self._settled:
            frame = self._frame()
            if self._still is None or _fullness(frame) >= _fullness(self._still):
                self._still = frame
        self._settled = settled

    def write(self, band: Band | None, repeat: int = 1) -> None:
        """Encode the next frame, in the worker."""
        if os.getppid() != self._parent:
            os._exit(1)  # the render was killed: nobody will join this segment
        if self._encoder is None:
            self._encoder = EncoderThread(self.work / f"{self._cut.name}.mp4", self.video)
        self._encoder.write(band, repeat)
        self.counter.add(len(self.cuts), repeat)

    def end(self) -> None:
        """End the section: a worker leaves here."""
        if self.is_worker:
            self._leave()
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

    def _become_worker(self) -> None:
        self.is_worker = True
        self._settled = self._count_settled()
        self.scene.watchers = []  # the parent checks the film
        # Manim's texts pass through files of fixed names, which two processes must not share.
        config["text_dir"] = str(self.work / f"texts-{os.getpid()}")

    def _leave(self) -> NoReturn:
        """Finish the segment and end this process."""
        if self._encoder:
            self._encoder.close()
            if self._encoder.frames != self._cut.frames:
                raise RuntimeError(
                    f"section {self._cut.beat!r} was to have {self._cut.frames} frames and has "
                    f"{self._encoder.frames}: what it does depends on how often it is drawn"
                )
            self._settle()
            still, video = (self.work / f"{self._cut.name}.{kind}" for kind in ("png", "mp4"))
            fullness = -1 if self._still is None else _fullness(self._still)
            picture = self._frame() if self._still is None else self._still
            Image.fromarray(picture).save(still, compress_level=1)
            self.store.take(self._cut.name, self._words.words, fullness, video, still)
        os._exit(0)

    def _count_settled(self) -> int:
        return sum(cue.kind == "settled" for cue in getattr(self.scene, "timeline", ()))

    def _frame(self) -> np.ndarray:
        return self.scene.renderer.camera.pixel_array[..., :3].copy()

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


def _fullness(frame: np.ndarray) -> int:
    """Return how many pixels differ from the corner's."""
    return int((frame != frame[0, 0]).any(axis=2).sum())


def _no_words(key: str) -> str:
    """Answer for a scene that is not a film: it has no table of words."""
    raise KeyError(key)
