"""From a request to files: play the film, draw what has changed, join, move into place."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import manim
from manim import tempconfig

from animations.check.inspect import Inspector
from animations.film import expect_film
from animations.theme import FRAMES, Setting

from . import captions, stills
from .aside import aside, writable
from .encoder import Video
from .join import join
from .naming import Namer
from .plain import draw_plainly
from .pool import Pool
from .progress import Bar, Counter
from .record import remember
from .request import Files, Request
from .sections import Cutter
from .store import Store
from .take import Take

if TYPE_CHECKING:
    from manim.renderer.cairo_renderer import CairoRenderer

    from animations.film import Film

__all__ = ["make"]

KNOWN = "0.22."  # what the comparison with Manim's own frames has been run with

# One encoder spans a part, so that few frames are costly key frames, and stills are all but free.
# What that saves pays for a faster preset at a finer quantizer: smaller files than Manim's,
# closer to the frames. Flat colours and type have no noise worth keeping, which is what the
# tuning says; threads would only compete with other workers.
ENCODING = (
    ("preset", "superfast"),
    ("tune", "ssim"),
    ("crf", "21"),
    ("threads", "1"),
    (
        "x264-params",
        "mbtree=1:rc-lookahead=10:b-adapt=0:bframes=3:b-pyramid=none:keyint=infinite",
    ),
)


def make(request: Request, bar: Bar) -> dict[str, Any]:
    """Render a film and return what `qkv render --json` says of it."""
    started = time.perf_counter()
    with aside(request.cache) as work, _settings(request, work):
        inspector = Inspector()
        take = _draw(request, work, bar, inspector)
        files = Files.at(work / request.stem)
        frames = _write(request, take, files)
        result = {
            **_result(request, frames, take),
            "checks": inspector.report(take.film).as_dict(),
            "wall_seconds": round(time.perf_counter() - started, 3),
        }
        _move(files, request.files)
    remember(request, result, take)
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


def _draw(request: Request, work: Path, bar: Bar, inspector: Inspector) -> Take:
    """Draw the film, the fast way if this version of Manim is known to allow it."""

    def open_film(renderer: CairoRenderer) -> Film:
        module, _, name = request.where.partition(":")
        kind = expect_film(getattr(import_module(module), name))
        setting = Setting(request.lang, request.theme, request.aspect)
        film = kind(renderer=renderer, setting=setting)
        film.watchers.append(inspector)
        return film

    if not manim.__version__.startswith(KNOWN):
        return draw_plainly(open_film, work, request.rate)
    bar.show(0, 0)
    video = Video(*request.size, Fraction(request.rate), ENCODING)
    store, counter = Store(request.cache / "segments"), Counter()
    namer = Namer((request.shown, ENCODING))
    # one more than cores: a worker's drawing and its encoding wait for each other now and then
    cutter = Cutter(video, store, work, Pool(request.jobs + 1), namer, counter)
    take = cutter.take(open_film, lambda: bar.show(counter.total, cutter.frames_to_draw))
    store.prune()
    return take


def _write(request: Request, take: Take, files: Files) -> int:
    """Write every file of the film aside, and return its number of frames."""
    film, timeline = take.film, take.film.timeline
    title = film.text(film.title) if film.title else request.film
    frames = join(take.videos, files.video, Fraction(request.rate), title)
    said = [
        part
        for cue in timeline
        if cue.kind == "caption"
        for part in captions.split(_caption(cue), request.lang)
    ]
    titled = [_caption(cue) for cue in timeline if cue.kind == "beat" and cue.text]
    files.srt.write_text(captions.srt(said), encoding="utf-8")
    files.vtt.write_text(captions.vtt(said), encoding="utf-8")
    files.chapters.write_text(captions.chapters(titled), encoding="utf-8")
    starts = {cue.name: cue.start for cue in timeline if cue.kind == "beat"}
    told = list(take.stills.items())
    stills.storyboard([(still.small, starts[beat]) for beat, still in told], files.storyboard)
    chosen = take.stills.get(getattr(film, "poster", ""), told[-1][1])
    stills.poster(chosen.whole, files.poster)
    return frames


def _caption(cue: Any) -> captions.Caption:
    return captions.Caption(cue.start, cue.end, cue.text)


def _move(made: Files, wanted: Files) -> None:
    """Move finished files into place, the video last: where it is, all of them are."""
    with writable(wanted.video.parent):
        wanted.video.parent.mkdir(parents=True, exist_ok=True)
        for source, target in reversed(list(zip(made.all(), wanted.all(), strict=True))):
            source.replace(target)


def _result(request: Request, frames: int, take: Take) -> dict[str, Any]:
    width, height = request.size
    return {
        "film": request.film,
        "lang": request.lang,
        "theme": request.theme,
        "aspect": request.aspect,
        **request.paths,
        "seconds": frames / request.rate,
        "frames": frames,
        "fps": request.rate,
        "width": width,
        "height": height,
        "reused_segments": take.reused,
        "rendered_segments": take.drawn,
    }
