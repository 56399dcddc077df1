"""Drawing with Manim's own classes: slower, and right for any version of Manim.

The fast renderer leans on details of Manim that a test holds it to; a version which that test
has not seen is drawn this way.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import av
from manim.renderer.cairo_renderer import CairoRenderer

from .naming import WordsUsed
from .stills import Still
from .take import Take

if TYPE_CHECKING:
    from animations.film import Film

__all__ = ["draw_plainly"]


def draw_plainly(open_film: Callable[[CairoRenderer], Film], work: Path, rate: int) -> Take:
    """Draw a film as `manim render` does.

    Parameters
    ----------
    open_film
        Makes the film that a renderer is to draw.
    work
        A folder for unfinished files.
    rate
        Frames a second.
    """
    film = open_film(CairoRenderer())
    film.text = WordsUsed(film.text)
    film.render()
    video = film.renderer.file_writer.movie_file_path
    return Take(film, [video], _stills(video, film, work, rate), film.text.words, drawn=1)


def _stills(video: Path, film: Film, work: Path, rate: int) -> dict[str, Still]:
    """Save the last settled frame of each beat."""
    settled = {cue.name: cue.start for cue in film.timeline if cue.kind == "settled"}
    wanted = {round(moment * rate) - 1: beat for beat, moment in settled.items()}
    stills = {}
    with av.open(str(video)) as file:
        for number, frame in enumerate(file.decode(video=0)):
            if number in wanted:
                stills[wanted[number]] = still = Still.at(work / f"still-{number}")
                still.save(frame.to_ndarray(format="rgb24"))
    return stills
