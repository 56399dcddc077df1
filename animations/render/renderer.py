"""Manim's Cairo renderer, drawing only rows that changed and nothing while it skips.

The renderer and its writer know frames; what a section means (a segment to reuse, a worker to
fork) is decided by the `Sections` they report to.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from manim import Mobject
from manim.renderer.cairo_renderer import CairoRenderer
from manim.scene.scene_file_writer import SceneFileWriter
from manim.utils.iterables import list_update

from .camera import FastCamera, Rows
from .encoder import Band

if TYPE_CHECKING:
    from manim import Scene

__all__ = ["SectionRenderer", "SectionWriter", "Sections"]


class Sections(Protocol):
    """What happens at the boundaries of a film that is being played."""

    def begin(self, name: str, skipped: bool) -> None:
        """Begin a section, which may be one that nobody is to draw."""

    def attach(self, scene: Scene) -> None:
        """Learn which scene is played."""

    def cut(self, *played: Any) -> bool:
        """Cut before the next play or not; return whether this process is to draw it.

        Parameters
        ----------
        played
            What is about to be played, and how.
        """

    def play(self, frames: int) -> None:
        """Take note of a play of so many frames."""

    def write(self, band: Band | None, repeat: int) -> None:
        """Take the next frame."""

    def end(self) -> None:
        """End the last section."""


class SectionWriter(SceneFileWriter):
    """Passes frames and sections on instead of writing a file for each play.

    The autocreated section that Manim opens in the constructor is begun by the first play in
    it, so that a film which opens its own sections first has no empty one.
    """

    sections_of: Sections | None = None

    def next_section(self, name: str, type_: str, skip_animations: bool) -> None:
        """Open a section, skipped until this process is to draw a play of it."""
        super().next_section(name, type_, skip_animations=True)
        if self.sections_of is not None:
            self.sections_of.begin(name, skip_animations)

    def begin_animation(self, allow_write: bool = False, **options: Any) -> None:
        """Do nothing: a segment spans plays."""

    def end_animation(self, allow_write: bool = False) -> None:
        """Do nothing: a segment spans plays."""

    def write_frame(self, pixels: np.ndarray | Band, *, repeat: int = 1) -> None:
        """Pass a whole frame or a band of one on."""
        band = pixels if isinstance(pixels, Band) else Band(0, pixels)
        self.sections_of.write(band, repeat)

    def finish(self) -> None:
        """Do nothing: segments are joined elsewhere."""


class SectionRenderer(CairoRenderer):
    """Draws the rows that moving mobjects touched or left.

    Parameters
    ----------
    sections
        What to report sections, plays and frames to.
    """

    def __init__(self, sections: Sections) -> None:
        super().__init__(file_writer_class=SectionWriter, camera_class=FastCamera)
        self._sections = sections
        self._drawn: Rows | None = None

    def init_scene(self, scene: Scene, *settings: Any) -> None:
        """Make the writer and connect it."""
        super().init_scene(scene, *settings)
        self._sections.attach(scene)
        self.file_writer.sections_of = self._sections

    def play(self, scene: Scene, *animations: Any, **options: Any) -> None:
        """Play animations; count their frames even while skipping."""
        if not self.num_plays and self.file_writer.sections[-1].name == "autocreated":
            self.file_writer.next_section("autocreated", "default.normal", False)
        self.file_writer.sections[-1].skip_animations = not self._sections.cut(animations, options)
        self._drawn = None
        super().play(scene, *animations, **options)
        still = scene.is_current_animation_frozen_frame()
        self._sections.play(self._frames(scene.duration, still))

    def scene_finished(self, scene: Scene) -> None:
        """End the last section."""
        self._sections.end()

    def update_frame(self, scene: Scene, *arguments: Any, **options: Any) -> None:
        """Draw the frame, unless this part is skipped."""
        if not self.skip_animations:
            super().update_frame(scene, *arguments, **options)

    def save_static_frame_data(self, scene: Scene, static_mobjects: Iterable[Mobject]) -> Any:
        """Draw what does not move once, unless this part is skipped."""
        if self.skip_animations:
            return None
        return super().save_static_frame_data(scene, static_mobjects)

    def get_frame(self) -> np.ndarray:
        """Return a copy of the frame, or the frame itself where nobody will see it."""
        return self.camera.pixel_array if self.skip_animations else super().get_frame()

    def render(
        self, scene: Scene, time: float, moving_mobjects: Iterable[Mobject] | None = None
    ) -> None:
        """Draw and pass on one frame."""
        if self.skip_animations:
            return
        band = self._first(scene, moving_mobjects) or self._next(scene, moving_mobjects)
        self.time += 1 / self.camera.frame_rate
        self.file_writer.write_frame(band)

    def _first(self, scene: Scene, moving: Iterable[Mobject] | None) -> Band | None:
        """Draw the whole of a play's first frame."""
        if self._drawn is not None:
            return None
        self.camera.touched.clear()
        self.update_frame(scene, moving)
        self._drawn = _span(self.camera.touched)
        return Band(0, self.camera.pixel_array.copy())

    def _next(self, scene: Scene, moving: Iterable[Mobject] | None) -> Band:
        """Wipe the rows that the last frame touched and draw again."""
        camera = self.camera
        base = camera.background if self.static_image is None else self.static_image
        wiped = slice(*self._drawn)
        camera.pixel_array[wiped] = base[wiped]
        camera.touched.clear()
        camera.capture_mobjects(moving or list_update(scene.mobjects, scene.foreground_mobjects))
        drawn = _span(camera.touched)
        top, bottom = _span([rows for rows in (self._drawn, drawn) if rows[0] < rows[1]])
        self._drawn = drawn
        return Band(top, camera.pixel_array[top:bottom].copy())

    def _frames(self, seconds: float, still: bool) -> int:
        """Return how many frames Manim makes of a play: it rounds stills down, others up."""
        step = 1 / self.camera.frame_rate
        return int(seconds / step) if still else len(np.arange(0, seconds, step))


def _span(rows: list[Rows]) -> Rows:
    """Return the smallest range that holds all of `rows`."""
    return (min(top for top, _ in rows), max(bottom for _, bottom in rows)) if rows else (0, 0)
