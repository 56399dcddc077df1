"""From a request to files: play the film, draw what has changed, join, move into place."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from manim import tempconfig

from animations.check.inspect import Inspector
from animations.film import expect_film
from animations.theme import FRAMES, Setting

from . import captions, stills
from .aside import aside, writable
from .encoder import Video
from .join import join
from .naming import Namer
from .pool import Pool
from .progress import Bar, Counter
from .record import remember
from .renderer import SectionRenderer
from .request import Files, Request
from .sections import Cut, Cutter
from .store import Store

if TYPE_CHECKING:
    from animations.film import Film

__all__ = ["make"]

# One encoder spans a beat, so that few frames are costly key frames; what that saves pays for a
# faster preset at a finer quantizer. Flat colours and type have no noise worth keeping, which is
# what the tuning says. Threads would only compete with the other workers.
ENCODING = (("preset", "veryfast"), ("tune", "ssim"), ("crf", "21"), ("threads", "1"))


def make(request: Request, bar: Bar) -> dict[str, Any]:
    """Render a film and return what `qkv render --json` says of it."""
    started = time.perf_counter()
    with aside(request.cache) as work, _settings(request, work):
        inspector = Inspector()
        cutter, film = _draw(request, work, bar, inspector)
        files = Files.at(work / request.stem)
        frames = _write(request, cutter.cuts, film, files)
        result = {
            **_result(request, frames, cutter.cuts),
            "checks": inspector.report(film).as_dict(),
            "wall_seconds": round(time.perf_counter() - started, 3),
        }
        _move(files, request.files)
    used = {key: text for cut in cutter.cuts for key, text in cut.segment.words.items()}
    remember(request, result, used, sorted({name for beat in film.beats for name in beat.draws}))
    cutter.store.prune()
    return result


@contextmanager
def _settings(request: Request, work: Path) -> Iterator[None]:
    """Set Manim up for a request; it keeps its settings in one global place."""
    width, height = request.size
    with tempconfig(
        {
            "pixel_width": width,
            "pixel_height": height,
            "frame_width": FRAMES[request.aspect].width,
            "frame_height": FRAMES[request.aspect].height,
            "frame_rate": request.rate,
            "media_dir": str(work),
            "disable_caching": True,
            "progress_bar": "none",
            "verbosity": "ERROR",
            "format": "mp4",
            "seed": 0,
        }
    ):
        yield


def _draw(request: Request, work: Path, bar: Bar, inspector: Inspector) -> tuple[Cutter, Film]:
    """Play the film once, skipping, while workers draw its sections."""
    video = Video(*request.size, Fraction(request.rate), ENCODING)
    pool, counter = Pool(request.jobs), Counter()
    namer = Namer((request.shown, ENCODING))
    cutter = Cutter(video, Store(request.cache / "segments"), work, pool, namer, counter)
    try:
        film = _film(request, SectionRenderer(cutter))
        film.watchers.append(inspector)
        film.render()
        total = sum(cut.frames for cut in cutter.cuts if cut.segment is None)
        cutter.finish(lambda: bar.show(counter.total, total))
    except BaseException:
        if cutter.is_worker:
            cutter.fail()
        raise
    finally:
        pool.stop()
    return cutter, film


def _film(request: Request, renderer: SectionRenderer) -> Film:
    module, _, name = request.where.partition(":")
    kind = expect_film(getattr(import_module(module), name))
    setting = Setting(request.lang, request.theme, request.aspect)
    return kind(renderer=renderer, setting=setting)


def _write(request: Request, cuts: list[Cut], film: Film, files: Files) -> int:
    """Write every file of the film aside, and return its number of frames."""
    title = film.text(film.title) if film.title else request.film
    frames = join([cut.segment.video for cut in cuts], files.video, Fraction(request.rate), title)
    said = [
        part
        for cue in film.timeline
        if cue.kind == "caption"
        for part in captions.split(_caption(cue), request.lang)
    ]
    titled = [_caption(cue) for cue in film.timeline if cue.kind == "beat" and cue.text]
    files.srt.write_text(captions.srt(said), encoding="utf-8")
    files.vtt.write_text(captions.vtt(said), encoding="utf-8")
    files.chapters.write_text(captions.chapters(titled), encoding="utf-8")
    starts = {cue.name: cue.start for cue in film.timeline if cue.kind == "beat"}
    chosen = {cut.beat: cut.segment.still for cut in cuts}
    stills.poster(chosen.get(getattr(film, "poster", ""), cuts[-1].segment.still), files.poster)
    stills.storyboard([(still, starts[beat]) for beat, still in chosen.items()], files.storyboard)
    return frames


def _caption(cue: Any) -> captions.Caption:
    return captions.Caption(cue.start, cue.end, cue.text)


def _move(made: Files, wanted: Files) -> None:
    """Move finished files into place, the video last: where it is, all of them are."""
    with writable(wanted.video.parent):
        wanted.video.parent.mkdir(parents=True, exist_ok=True)
        for source, target in reversed(list(zip(made.all(), wanted.all(), strict=True))):
            source.replace(target)


def _result(request: Request, frames: int, cuts: list[Cut]) -> dict[str, Any]:
    width, height = request.size
    names = ("file", "srt", "vtt", "chapters", "poster", "storyboard")
    drawn = sum(cut.future is not None for cut in cuts)
    return {
        "film": request.film,
        "lang": request.lang,
        "theme": request.theme,
        "aspect": request.aspect,
        **dict(zip(names, map(str, request.files.all()), strict=True)),
        "seconds": frames / request.rate,
        "frames": frames,
        "fps": request.rate,
        "width": width,
        "height": height,
        "reused_segments": len(cuts) - drawn,
        "rendered_segments": drawn,
    }
