"""All parts on one page of stills: ``python -m animations.parts.gallery [FILE]``.

Whoever makes a film looks here first for what there is.
"""

import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from manim import RIGHT, UP, Camera, ManimColor, Mobject, Square, VGroup, tempconfig
from PIL import Image, ImageDraw, ImageFont

from animations.formula import Phrase
from animations.parts.acting import ActingFormula, set_term
from animations.parts.bars import Bars
from animations.parts.blend import Blend
from animations.parts.bookshelf import Bookshelf
from animations.parts.connector import Connector
from animations.parts.dot_product import DotProduct
from animations.parts.grid import Grid
from animations.parts.legend import Legend, symbol_of
from animations.parts.plane import Plane
from animations.parts.product import Product
from animations.parts.spotlight import Spotlight
from animations.parts.table import Table
from animations.parts.terms import OUTPUT
from animations.parts.tokens import TokenRow
from animations.parts.worked import Worked
from animations.theme import DARK, FRAMES, TYPE, Box, Theme
from derive.examples import load

_PICTURE, _COLUMNS, _LABEL = (640, 360), 3, 34  # pixels; pictures side by side; pixels


def specimens(theme: Theme) -> Mapping[str, Mobject]:
    """Return one specimen of each part, fed with a worked example, by the name of its module."""
    numbers = Worked.of(load("apple").case("fruit"))
    formula = set_term(OUTPUT, theme)
    table = Table(Box(-5, -3, 5, 2), {"word": 0.1, "label": 0.5}, 3)
    labels = [Grid(numbers.K[j], theme, name=f"K[{j}]", places=None, role="K") for j in range(3)]
    tokens = TokenRow(numbers.tokens, theme, marked=2)
    return {
        "acting": formula.copy(),
        "bars": Bars(numbers.weights, 2, theme, heights=(1, 0, -1)),
        "blend": _poured(numbers, theme),
        "bookshelf": _shelf(theme),
        "connector": _joined(theme),
        "dot_product": DotProduct(numbers.Q[2], numbers.K[1], numbers.scores, (2, 1), theme),
        "grid": Grid(numbers.weights, theme, name="weights", places=3),
        "legend": _explained(theme),
        "plane": _pulled(numbers, theme),
        "product": _multiplied(numbers, theme),
        "spotlight": VGroup(Spotlight(formula[: len("softmax")], theme), formula),
        "table": VGroup(
            table.light(1, theme),
            *(table.put(label, "label", j) for j, label in enumerate(labels)),
            *(table.put(token, "word", j) for j, token in enumerate(tokens.copy())),
        ),
        "tokens": tokens,
    }


def page(target: Path, theme: Theme = DARK) -> None:
    """Draw every part and write them on one page, each under its name."""
    pictures = {name: _drawn(part, theme) for name, part in specimens(theme).items()}
    width, height = _PICTURE
    rows = -(-len(pictures) // _COLUMNS)
    sheet = Image.new("RGB", (_COLUMNS * width, rows * (height + _LABEL)), theme.background)
    pen, font = ImageDraw.Draw(sheet), ImageFont.load_default(22)
    for number, (name, picture) in enumerate(pictures.items()):
        row, column = divmod(number, _COLUMNS)
        corner = column * width, row * (height + _LABEL)
        pen.text((corner[0] + 16, corner[1] + 8), name, theme.muted, font)
        sheet.paste(picture, (corner[0], corner[1] + _LABEL))
    target.parent.mkdir(parents=True, exist_ok=True)
    sheet.save(target, optimize=True)


def _drawn(part: Mobject, theme: Theme) -> Image.Image:
    """Draw one part in the middle of a frame."""
    frame, (width, height) = FRAMES["16:9"], _PICTURE
    look = {"pixel_width": width, "pixel_height": height}
    look |= {"frame_width": frame.width, "frame_height": frame.height}
    with tempconfig(look):
        camera = Camera(background_color=ManimColor(theme.background))
        safe = frame.safe
        part.scale(min(1.0, safe.width / part.width, safe.height / part.height)).center()
        camera.capture_mobjects([part])
        return Image.fromarray(camera.pixel_array).convert("RGB")


def _explained(theme: Theme) -> Legend:
    acting = ActingFormula(OUTPUT, Box(-6, 0, 6, 3), theme)
    meanings = {"queries": "提问", "keys": "标签", "values": "内容", "scale": "标签长度的平方根"}
    return Legend(
        {part: symbol_of(acting, part, theme) for part in meanings},
        {part: Phrase(words, theme, em=TYPE["small"]) for part, words in meanings.items()},
        Box(-6, -3, 6, 0),
    )


def _shelf(theme: Theme) -> Bookshelf:
    shelf = Bookshelf(("家常菜", "丝绸之路"), ("[K|烹饪]", "[K|旅行\n历史]"), theme, height=4)
    return shelf.add(shelf.labels)


def _poured(numbers: Worked, theme: Theme) -> VGroup:
    sources = VGroup(*(Square(0.4, color=theme.muted) for _ in numbers.tokens))
    sources.arrange(RIGHT, buff=1.6)
    blend = Blend(numbers.weights[2], theme, width=6)
    sources.shift(2 * UP)
    return VGroup(sources, blend, blend.flows(sources))


def _joined(theme: Theme) -> VGroup:
    formula = set_term(OUTPUT, theme).shift(1.5 * UP)
    target = Grid(np.array([1.0, 0.0]), theme, name="v", places=None, role="V")
    target.shift([2.5, -1.8, 0.0])
    values = VGroup(*(glyph for glyph in formula if glyph.role == "V"))
    level = formula.get_bottom()[1]
    return VGroup(formula, target, Connector(values, target, theme, level=level))


def _pulled(numbers: Worked, theme: Theme) -> VGroup:
    plane = Plane(theme, side=4, across="食物", up="科技")
    place = numbers.output[2]
    pulls = plane.pulls(numbers.V, numbers.weights[2], place)
    return VGroup(plane, pulls, plane.ring(numbers.V[2]), plane.dot(place))


def _multiplied(numbers: Worked, theme: Theme) -> Product:
    return Product(
        numbers.given["X"][2],
        numbers.given["W_Q"],
        numbers.Q[2],
        theme,
        names=("X[2]", "W_Q", "Q[2]"),
        titles=("苹果", "[Q|$W_Q$]", "[Q|提问 q]"),
        role="Q",
        rows=("动词", "名词", "食物", "科技"),
        columns=("找动词", "找名词"),
    )


if __name__ == "__main__":
    page(Path(sys.argv[1] if len(sys.argv) > 1 else "renders/parts.png"))
