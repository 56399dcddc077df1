"""Scenes, films and a way to play them with plain Manim or with the fast renderer."""

import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("manim")

from manim import Scene, tempconfig
from manim.renderer.cairo_renderer import CairoRenderer
from manim.scene.scene_file_writer import SceneFileWriter

from animations.render.encoder import Band
from animations.render.renderer import SectionRenderer

SMALL = {
    "pixel_width": 214,
    "pixel_height": 120,
    "frame_rate": 10,
    "disable_caching": True,
    "progress_bar": "none",
    "verbosity": "ERROR",
    "seed": 0,
}

FILM = """
from manim import BLUE, DOWN, LEFT, RED, UP, Create, FadeIn, Rotate, Square, VGroup

from pathlib import Path

from animations.film import Film, beat
from animations.words import load


class Short(Film):
    title = "short"
    table = load.__wrapped__(Path(__file__).with_name("words.toml"))

    @beat(title="first", draws=("apple",))
    def opening(self):
        self.word = self.label("苹果").shift(UP)
        self.say("said", hold=0.5)
        self.play(FadeIn(self.word), run_time=0.4)

    @beat(title="second")
    def middle(self):
        self.squares = VGroup(Square(0.5, color=RED), Square(color=BLUE)).arrange().shift(DOWN)
        self.play(Create(self.squares), self.word.animate.shift(LEFT), run_time=0.4)
        self.wait(0.4)

    @beat()
    def ending(self):
        self.hush()
        self.play(Rotate(self.squares, 1), run_time=0.4)
"""


WORDS = """
[short]
zh = "短片"
en = "A short"
[first]
zh = "第一章"
en = "Chapter one"
[second]
zh = "第二章"
en = "Chapter two"
[said]
zh = "同一个词，同样的矩阵，不同的上下文，意思就不一样了。"
en = "The same word, the same matrices, another context: another meaning."
"""


class Frames:
    """Keeps every frame that a renderer passes on, whole or in bands."""

    def __init__(self) -> None:
        self.frames: list[np.ndarray] = []
        self.sections: list[str] = []
        self.predicted = 0

    def attach(self, scene: Scene) -> None:
        pass

    def begin(self, name: str, skipped: bool) -> None:
        self.sections.append(name)

    def cut(self, *played: object) -> bool:
        return True

    def play(self, frames: int) -> None:
        self.predicted += frames

    def write(self, band: Band, repeat: int = 1) -> None:
        last = self.frames[-1] if self.frames else np.zeros_like(band.pixels)
        frame = last.copy()
        frame[band.top : band.bottom] = band.pixels
        self.frames += [frame] * repeat

    def end(self) -> None:
        pass


class PlainWriter(SceneFileWriter):
    """Manim's writer, keeping frames instead of encoding them."""

    def begin_animation(self, *arguments: object, **options: object) -> None:
        self.kept = getattr(self, "kept", [])

    def end_animation(self, *arguments: object) -> None:
        pass

    def write_frame(self, pixels: np.ndarray, *, repeat: int = 1) -> None:
        self.kept += [pixels] * repeat

    def finish(self) -> None:
        pass


@pytest.fixture
def small(tmp_path):
    """Set Manim to small pictures for a test."""
    with tempconfig({**SMALL, "media_dir": str(tmp_path)}):
        yield


@pytest.fixture
def plain_frames(small):
    """Return a function that plays a scene with plain Manim and returns its frames."""

    def play(kind: type[Scene]) -> list[np.ndarray]:
        scene = kind(renderer=CairoRenderer(file_writer_class=PlainWriter))
        scene.render()
        return scene.renderer.file_writer.kept

    return play


@pytest.fixture
def fast(small):
    """Return a function that plays a scene with the fast renderer and returns what it did."""

    def play(kind: type[Scene]) -> Frames:
        kept = Frames()
        kind(renderer=SectionRenderer(kept)).render()
        return kept

    return play


@pytest.fixture
def film_file(tmp_path, monkeypatch) -> Path:
    """Write the module of a short film, and make it the one that is imported."""
    folder = tmp_path / "films"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    path = folder / "shortfilm.py"
    path.write_text(FILM, encoding="utf-8")
    path.with_name("words.toml").write_text(WORDS, encoding="utf-8")
    yield path
    sys.modules.pop("shortfilm", None)
