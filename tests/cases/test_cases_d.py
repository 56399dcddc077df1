"""What people stumble over with Manim, text and formulas: rows D of the field's cases.

Only what no other test holds: parts of real terms, every character that the films use, frames
that a hash seed must not change, every film in both themes.
"""

import io
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import cairo
import numpy as np
import pytest
from PIL import Image

from animations import typeset
from animations.check.inspect import inspect
from animations.films import FILMS
from animations.formula import Formula
from animations.render.captions import Caption, lines, split, srt
from animations.theme import DARK, Setting
from animations.words import TABLE
from derive import definitions as words
from derive.notation.typst import typst
from derive.syntax import Symbol, exp, sqrt
from vocabulary import i, x

ROOT = Path(__file__).parents[2]


def coloured(term, path, variance=False):
    """Return what is drawn of a node, and what is not, as the glyphs' names."""
    typed = typst(term, variance=variance)
    shown = Formula(typed, DARK, roles={path: "Q"})
    painted = [g.fill_color.to_hex().lower() == DARK.role("Q") for g in shown]
    names = [glyph.symbol for glyph in shown]
    return (
        [name for name, mine in zip(names, painted, strict=True) if mine],
        [name for name, mine in zip(names, painted, strict=True) if not mine],
    )


def symbols(source):
    return [ink.symbol for ink in typeset.draw(source).inks]


SQUARED, ROOTED = x[i] ** 2, sqrt(words.d_k.size)
PARTS = {
    "D6-d_k-under-its-root": (ROOTED, (0,), "sqrt(tag(#1, d_k))"),
    "D6-q-in-a-dot-product": (words.dot, (0,), "tag(#1, q) dot.op k"),
    "D6-k-in-a-dot-product": (words.dot, (1,), "q dot.op tag(#1, k)"),
    "D7-an-entry-not-its-power": (SQUARED, (0,), "tag(#1, x_i)^2"),
    "D7-an-index-not-its-power": (SQUARED, (0, 0), "x_tag(#1, i)^2"),
    "D8-the-root-with-what-is-in-it": (2 * ROOTED, (1,), "2 tag(#1, sqrt(d_k))"),
    "D9-one-of-two-equal-letters": (x[i] + x[i], (1,), "x_i + tag(#1, x_i)"),
}


@pytest.mark.parametrize("name", PARTS)
def test_a_part_is_coloured_and_nothing_else(name):
    term, path, picture = PARTS[name]
    inks = typeset.draw(picture).inks
    got = coloured(term, path)
    assert sorted(got[0]) == sorted(ink.symbol for ink in inks if ink.tag)
    assert sorted(got[1]) == sorted(ink.symbol for ink in inks if not ink.tag)
    assert got[0]


def test_d6_a_letter_inside_a_word_keeps_its_colour():
    """V is a part elsewhere; in Var(q·k) only q is asked for."""
    path = next(p for p in typst(words.variance(words.dot), variance=True).paths if len(p) == 4)
    part, rest = coloured(words.variance(words.dot), path, variance=True)
    assert part == symbols("q")
    assert [s for s in symbols('op("Var")') if s in rest] == symbols('op("Var")')


@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param("A^n_1", "A_1^n", id="D7-scripts-in-both-orders"),
        pytest.param("x_i^k", "x^k_i", id="D7-letters-in-both-orders"),
    ],
)
def test_scripts_stand_where_they_are_written(one, other):
    for first, second in zip(typeset.draw(one).inks, typeset.draw(other).inks, strict=True):
        assert first.symbol == second.symbol
        np.testing.assert_array_equal(first.points, second.points)


@pytest.mark.parametrize(
    ("name", "glyphs"),
    [
        pytest.param("苹果", 2, id="D1-a-chinese-symbol"),
        pytest.param("d_苹果", 3, id="D1-a-chinese-subscript"),
        pytest.param("α_查询", 3, id="D1-greek-and-chinese"),
    ],
)
def test_chinese_in_a_formula_is_drawn_whole(name, glyphs):
    alone = Formula(typst(Symbol(name)), DARK)
    assert len(alone) == glyphs
    inside = Formula(typst(exp(Symbol(name) / sqrt(words.d_k.size))), DARK)
    assert len([g for g in inside if g.symbol]) >= glyphs + 3


# --- every character -------------------------------------------------------------------------


def used_characters():
    """Every character beyond ASCII in the words of films, their code and the worked examples."""
    sources = [
        TABLE,
        *(ROOT / "animations").rglob("*.py"),
        *(ROOT / "derive/examples").glob("*.py"),
    ]
    texts = "".join(source.read_text(encoding="utf-8") for source in sources)
    return sorted({c for c in texts if "\u4e00" <= c <= "\u9fff"})


def test_d4_every_chinese_character_is_inked_as_typst_inks_it():
    """By the rasteriser of the films and by another: wrong winding fills counters or hollows."""
    characters, size, columns = used_characters(), 40, 20
    assert len(characters) > 200
    places = [
        (2 * size * (k % columns + 0.25), 2 * size * (k // columns + 0.25))
        for k in range(len(characters))
    ]
    rows = -(-len(characters) // columns)
    cells = "".join(
        f"#place(dx: {x}pt, dy: {y}pt)[{c}]" for (x, y), c in zip(places, characters, strict=True)
    )
    page = f"#set page(width: {2 * size * columns}pt, height: {2 * size * rows}pt, margin: 0pt)\n"
    document = typeset._preamble(None) + page + f"#set text(size: {size}pt)\n" + cells
    png = typeset._compiler().compile(input=document.encode(), format="png", ppi=72)
    alpha = np.asarray(Image.open(io.BytesIO(png)).convert("RGBA"))[..., 3] / 255
    theirs = alpha.reshape(rows, 2 * size, columns, 2 * size).sum((1, 3)).ravel()
    for character, ink in zip(characters, theirs[: len(characters)], strict=True):
        mine = inked(typeset.draw(character, math=False).inks[0].points, size)
        assert abs(ink - mine) < 0.02 * mine + 4, character


def inked(points, size):
    """Fill an outline as Manim's camera does, and return how much of it is covered, in pixels."""
    low = points.min(axis=0)
    surface = cairo.ImageSurface(cairo.FORMAT_A8, 2 * size, 2 * size)
    pen = cairo.Context(surface)
    here = None
    for start, *rest in ((points - low)[:, :2] * size + 2).reshape(-1, 4, 2):
        if here is None or not np.allclose(here, start):
            pen.new_sub_path()
            pen.move_to(*start)
        pen.curve_to(*np.ravel(rest))
        here = rest[-1]
    pen.fill()
    return np.frombuffer(surface.get_data(), np.uint8).sum() / 255


# --- captions --------------------------------------------------------------------------------

SIXTY = "注意力机制会把每个词的查询和所有词的标签逐一比较再按匹配程度混合它们的内容最后得到一个包含了上下文信息的崭新向量表示"


@pytest.mark.parametrize("text", [SIXTY, SIXTY[::-1], "的" * 60], ids=["words", "nonsense", "的"])
def test_d14_a_chinese_sentence_without_a_space_is_broken(text):
    assert 55 <= len(text) <= 60
    assert " " not in text
    broken = lines(text, "zh")
    assert "".join(broken) == text
    if text == SIXTY:
        assert all(len(line) <= 16 for line in broken)
    parts = split(Caption(1.0, 11.0, text), "zh")
    assert (parts[0].start, parts[-1].end) == (1.0, pytest.approx(11.0))
    assert all(part.text.count("\n") <= 1 for part in parts)
    assert srt(parts).startswith("1\n00:00:01,000 --> ")


# --- whole films -----------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", FILMS)
def test_d18_every_film_stands_out_on_a_light_ground(name):
    module, _, kind = FILMS[name].partition(":")
    report = inspect(getattr(import_module(module), kind), Setting(theme="light"))
    assert report.findings == ()


STATES = """
import hashlib
from importlib import import_module
from manim import tempconfig
from animations.check.inspect import DryRenderer
from animations.films import FILMS
module, _, kind = FILMS["library-lookup"].partition(":")
seen = hashlib.sha256()
def watch(film):
    for shape in film.get_mobject_family_members():
        seen.update(shape.points.tobytes())
        seen.update(getattr(shape, "fill_rgbas", shape.points).tobytes())
watch.stumble = None
with tempconfig({"dry_run": True, "progress_bar": "none", "verbosity": "ERROR"}):
    film = getattr(import_module(module), kind)(renderer=DryRenderer())
    film.watchers.append(watch)
    film.render()
print(seen.hexdigest())
"""


@pytest.mark.slow
def test_d15_frames_do_not_depend_on_the_hash_seed():
    digests = {
        subprocess.run(
            [sys.executable, "-c", STATES],
            env={**os.environ, "PYTHONHASHSEED": seed},
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1
