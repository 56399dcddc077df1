"""Small copies of finished films, to be kept beside their posters.

``python -m animations.render.previews FILM.mp4 …`` writes ``FILM.preview.mp4`` next to each.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import av

from animations.errors import FilmError

from .aside import aside

__all__ = ["preview"]

HEIGHT, RATE = 480, 15  # as quality l
LARGEST = 3_000_000  # bytes
OPTIONS = {"preset": "slow", "tune": "animation", "crf": "28", "threads": "1"}


def preview(film: Path) -> Path:
    """Write a film's preview and return where it is.

    Parameters
    ----------
    film
        A finished film, ``NAME.mp4``.

    Raises
    ------
    FilmError
        If there is no such film, or its preview would be too large to be kept.
    """
    if not film.is_file():
        raise FilmError(f"the film {film}, which is not there", "a film", "render it first")
    target = film.with_name(f"{film.stem}.preview.mp4")
    with aside(film.parent) as work:
        made = work / target.name
        _encode(film, made)
        if (size := made.stat().st_size) > LARGEST:
            raise FilmError(
                f"{target.name} of {size} bytes", f"at most {LARGEST}", "raise crf in previews.py"
            )
        made.replace(target)
    return target


def _encode(film: Path, target: Path) -> None:
    """Encode a film again: smaller, and with fewer frames a second."""
    options = {"movflags": "+faststart"}
    with av.open(str(film)) as source, av.open(str(target), "w", options=options) as output:
        shown = source.streams.video[0]
        kept = output.add_stream("libx264", rate=RATE, options=OPTIONS)
        kept.height, kept.pix_fmt = HEIGHT, "yuv420p"
        kept.width = round(shown.width * HEIGHT / shown.height / 2) * 2
        output.metadata.update(source.metadata)
        step = max(1, round(shown.average_rate / RATE))
        for number, frame in enumerate(source.decode(shown)):
            if number % step == 0:
                small = frame.reformat(kept.width, kept.height, kept.pix_fmt)
                small.pts, small.time_base = number // step, Fraction(1, RATE)
                output.mux(kept.encode(small))
        output.mux(kept.encode(None))


def main(films: Sequence[str]) -> int:
    """Write previews, and print where they are."""
    for film in films:
        print(preview(Path(film)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
