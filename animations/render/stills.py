"""A film's poster and its storyboard, from the stills that the workers kept."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

__all__ = ["Still", "poster", "storyboard"]

POSTER = 1280  # pixels of the longer side, at most
SHEET, GAP = 1600, 16  # the storyboard's width, and what lies between its pictures
LABEL = 28
PAPER, INK = "#f4f3ef", "#3a3f47"


@dataclass(frozen=True, slots=True)
class Still:
    """One frame, kept whole and in the size that a storyboard has it."""

    whole: Path
    small: Path

    @classmethod
    def at(cls, stem: Path) -> Still:
        """Return the still whose files' names begin with `stem`."""
        return cls(stem.with_name(f"{stem.name}.png"), stem.with_name(f"{stem.name}.small.png"))

    @property
    def files(self) -> tuple[Path, Path]:
        return self.whole, self.small

    def save(self, frame: np.ndarray) -> None:
        """Write the files; they are large and short-lived, and little compressed."""
        picture = Image.fromarray(frame)
        picture.save(self.whole, compress_level=1)
        width = _across(picture.size)
        size = width, round(width * picture.height / picture.width)
        picture.resize(size, Image.Resampling.LANCZOS).save(self.small, compress_level=1)


def _columns(size: tuple[int, int]) -> int:
    """Return how many pictures of some shape stand side by side on a storyboard."""
    return 3 if size[0] > size[1] else 6


def _across(size: tuple[int, int]) -> int:
    """Return how wide each of them is."""
    return (SHEET - GAP) // _columns(size) - GAP


def poster(still: Path, target: Path) -> None:
    """Write one still as the film's poster."""
    with Image.open(still) as picture:
        picture.thumbnail((POSTER, POSTER), Image.Resampling.LANCZOS)
        picture.save(target, optimize=True)


def storyboard(stills: Sequence[tuple[Path, float]], target: Path) -> None:
    """Write all stills on one sheet, in order, each with its number and time.

    Parameters
    ----------
    stills
        Small pictures of one size, with the second at which their beat starts.
    target
        The PNG to write.
    """
    with Image.open(stills[0][0]) as first:
        (across, down), columns = first.size, _columns(first.size)
    rows = math.ceil(len(stills) / columns)
    sheet = Image.new("RGB", (SHEET, GAP + rows * (down + LABEL + GAP)), PAPER)
    pen, font = ImageDraw.Draw(sheet), ImageFont.load_default(LABEL * 0.6)
    for number, (path, start) in enumerate(stills):
        row, column = divmod(number, columns)
        corner = GAP + column * (across + GAP), GAP + row * (down + LABEL + GAP)
        with Image.open(path) as still:
            sheet.paste(still, corner)
        label = f"{number + 1}   {int(start) // 60:02}:{int(start) % 60:02}"
        pen.text((corner[0], corner[1] + down + 4), label, INK, font)
    # by octree: the median cut would give a role's colour away, since little of the sheet has it
    sheet.quantize(256, Image.Quantize.FASTOCTREE).save(target, optimize=True)
