"""Where a film is cut: where its caption changes, and where a part would grow long.

The film is played once with everything skipped. At each cut a worker is forked, which waits. As
soon as all plays of its part are known, so is the key of the segment: if there is one already
the worker is let go, else it draws on from its very state and leaves at the next cut. Where even
the beat is the same as it was, from the first state to the last word, nothing is forked at all.
"""

from __future__ import annotations

import os
import traceback
from collections import ChainMap
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, NoReturn

from manim import config

from animations.errors import FilmError

from .again import again
from .drawing import Drawing, count_settled
from .encoder import Band, Video
from .naming import Namer, WordsUsed
from .pool import Pool, Worker
from .progress import Counter
from .renderer import SectionRenderer
from .stills import Still
from .store import Segment, Store
from .take import Take

if TYPE_CHECKING:
    from manim import Scene

    from animations.film import Film

__all__ = ["Cutter"]

LONG = 6  # seconds after which a part ends at its next play; key frames come as often


@dataclass
class Cut:
    """A part of the film that is one segment.

    Attributes
    ----------
    beat
        The section that it belongs to.
    segment
        The segment, once it is there.
    worker
        Who draws the segment if it is not.
    key
        What the segment is kept under; known once the part has been played.
    plays
        What the key is made of: a name for each play, and where the picture is settled.
    frames
        How many frames it has.
    """

    beat: str
    segment: Segment | None = None
    worker: Worker | None = None
    key: str = ""
    plays: list[str] = field(default_factory=list)
    frames: int = 0


@dataclass
class Section:
    """A section that is being cut.

    Attributes
    ----------
    beat
        What it is called.
    name
        Under which its segments are noted.
    words
        Those that it has used.
    cuts
        Its parts; none if it is to be skipped.
    known
        Whether all its segments have been found, or there is nothing to be found.
    """

    beat: str
    name: str
    words: WordsUsed
    cuts: list[Cut] = field(default_factory=list)
    known: bool = False


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
        self.sections: list[Section] = []
        self._parent = os.getpid()
        self._cut: Cut | None = None
        self._caption: Any = None
        self._apart = False  # whether the play that was last is to be a part of its own
        self._settled = 0
        self._drawing: Drawing | None = None  # in a worker
        self._order = ""
        self._drawn: dict[str, Worker] = {}
        self._warming = Thread(target=self._warm)

    @property
    def cuts(self) -> list[Cut]:
        """Return all parts of the film so far."""
        return [cut for section in self.sections for cut in section.cuts]

    @property
    def is_worker(self) -> bool:
        """Tell whether this process is a worker, which draws one segment and leaves."""
        return self._drawing is not None

    def attach(self, scene: Scene) -> None:
        """Learn which scene is played."""
        self.scene = scene
        self._text = getattr(scene, "text", _no_words)

    def begin(self, beat: str, skipped: bool) -> None:
        """Begin a section."""
        self.end()
        self.scene.text = words = WordsUsed(self._text)
        if skipped:
            self.sections.append(Section(beat, "", words, known=True))
            return
        section = Section(beat, self.namer.name(self.scene, beat, len(self.sections)), words)
        self.sections.append(section)
        if segments := self.store.recall(section.name, self._text):
            section.cuts, section.known = [Cut(beat, segment) for segment in segments], True

    def cut(self, *played: Any) -> bool:
        """Cut before the next play or not; return whether this process is to draw it."""
        if self._drawing:
            self._drawing.look()
        self._note_settled()
        if self._is_due():
            self.end()
        section = self.sections[-1]
        if not section.known and not self._cut:
            self._start(section)
        if self._cut and not self.is_worker:
            self._cut.plays.append(self.namer.play(self.scene, *played))
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
            self._drawing.finish(self._order, self.store, self._cut.frames)
            os._exit(0)
        self._note_settled()
        cut, self._cut = self._cut, None
        if cut is None:
            return
        if cut.frames:
            self._decide(cut)
        else:
            self.sections[-1].cuts.remove(cut)
            self.pool.dismiss(cut.worker)

    def _is_due(self) -> bool:
        """Tell whether a part ends here.

        The play in which one caption gives way to another shows both. It is a part of its own,
        so that other words leave all but their own part and the plays at its ends as they were.
        """
        caption = getattr(self.scene, "caption", None)
        changes = caption is not self._caption
        is_due = changes or self._apart
        self._caption, self._apart = caption, changes
        return is_due or (self._cut is not None and self._cut.frames >= LONG * self.video.rate)

    def _note_settled(self) -> None:
        """Take note of where the picture is settled: it may be the one that tells the beat."""
        settled = count_settled(self.scene)
        if settled > self._settled and self._cut is not None:
            self._cut.plays.append("settled")
        self._settled = settled

    def _decide(self, cut: Cut) -> None:
        """Find the part's segment, or let its worker draw it."""
        cut.key = self.namer.key(cut.plays)
        cut.segment = self.store.find(cut.key)
        if cut.segment or cut.key in self._drawn:
            self.pool.dismiss(cut.worker)
            cut.worker = self._drawn.get(cut.key)
        else:
            self._drawn[cut.key] = cut.worker
            self.pool.admit(cut.worker, cut.key, cut.frames)

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
        for section in self.sections:
            self._complete(section)
        cuts = self.cuts
        return Take(
            film,
            videos=[cut.segment.video for cut in cuts],
            stills=_stills(cuts),
            words=dict(ChainMap(*(section.words.words for section in self.sections))),
            drawn=len(self._drawn),
            reused=len(cuts) - len(self._drawn),
        )

    @property
    def frames_to_draw(self) -> int:
        return sum(cut.frames for cut in self.cuts if cut.worker)

    def _complete(self, section: Section) -> None:
        """Take up what the workers have left, and note it for the next time."""
        for cut in section.cuts:
            if cut.worker and cut.worker.future.result() != 0:
                raise self._failure(cut)
            cut.segment = cut.segment or self.store.find(cut.key)
        if section.cuts and not section.known:
            keys = [cut.key for cut in section.cuts]
            self.store.note(section.name, section.words.words, keys, self.work)

    def _warm(self) -> None:
        """Work out what every worker needs; if that fails, it fails again where it is needed."""
        with suppress(Exception):
            again(self.video)

    def _start(self, section: Section) -> None:
        """Fork a worker for the part that begins here."""
        self._warming.join()
        again(self.video)
        self._cut = Cut(section.beat)
        section.cuts.append(self._cut)
        forked = self.pool.fork()
        if isinstance(forked, str):
            self._become_worker(forked)
        else:
            self._cut.worker = forked

    def _become_worker(self, order: str) -> None:
        self._order = order
        self._drawing = Drawing(self.scene, self.video, self.work / order)
        self.scene.watchers = []  # the parent checks the film
        # Manim's texts pass through files of fixed names, which two processes must not share.
        config["text_dir"] = str(self.work / f"texts-{os.getpid()}")

    def _fail(self) -> NoReturn:
        """Leave the worker with what went wrong written down for the parent."""
        try:
            self._report(self._order).write_text(traceback.format_exc(), encoding="utf-8")
        finally:
            os._exit(1)  # whatever happens: this process must not go on as if it were the parent

    def _report(self, key: str) -> Path:
        return self.work / f"{key}.error"

    def _failure(self, cut: Cut) -> FilmError:
        report = self._report(cut.key)
        text = report.read_text(encoding="utf-8") if report.exists() else "its worker was killed"
        return FilmError(
            f"the beat {cut.beat!r}, which could not be drawn: {text.strip()}",
            "a beat that can be drawn",
            "mend the film where the last line points",
        )


def _stills(cuts: Sequence[Cut]) -> dict[str, Still]:
    """Choose the fullest settled frame of each beat."""
    best: dict[str, Segment] = {}
    for segment, beat in ((cut.segment, cut.beat) for cut in cuts):
        if segment.still and segment.fullness >= best.get(beat, segment).fullness:
            best[beat] = segment
    return {beat: segment.still for beat, segment in best.items()}


def _no_words(key: str) -> str:
    """Answer for a scene that is not a film: it has no table of words."""
    raise KeyError(key)
