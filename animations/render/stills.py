"""A film's poster and its storyboard, from the stills that the workers kept."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

__all__ = ["poster", "storyboard"]

POSTER = 1280  # pixels of the longer side, at most
SHEET, GAP = 1600, 16  # the storyboard's width, and what lies between its pictures
LABEL = 28
PAPER, INK = "#f4f3ef", "#3a3f47"


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
        Pictures of one size, with the second at which their beat starts.
    target
        The PNG to write.
    """
    with Image.open(stills[0][0]) as first:
        width, height = first.size
    columns = min(3 if width > height else 6, len(stills))
    across = (SHEET - GAP) // columns - GAP
    down = round(across * height / width)
    rows = math.ceil(len(stills) / columns)
    sheet = Image.new("RGB", (SHEET, GAP + rows * (down + LABEL + GAP)), PAPER)
    pen, font = ImageDraw.Draw(sheet), ImageFont.load_default(LABEL * 0.6)
    for number, (path, start) in enumerate(stills):
        row, column = divmod(number, columns)
        corner = GAP + column * (across + GAP), GAP + row * (down + LABEL + GAP)
        with Image.open(path) as still:
            sheet.paste(still.resize((across, down), Image.Resampling.LANCZOS), corner)
        label = f"{number + 1}   {int(start) // 60:02}:{int(start) % 60:02}"
        pen.text((corner[0], corner[1] + down + 4), label, INK, font)
    # by octree: the median cut would give a role's colour away, since little of the sheet has it
    sheet.quantize(256, Image.Quantize.FASTOCTREE).save(target, optimize=True)
