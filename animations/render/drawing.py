"""One segment that is being drawn: its frames, and the still that tells it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .encoder import Band, EncoderThread, Video
from .stills import Still
from .store import Store

if TYPE_CHECKING:
    from manim import Scene

__all__ = ["Drawing", "count_settled"]


class Drawing:
    """Draws one segment of a scene from now on.

    Parameters
    ----------
    scene
        The scene that plays.
    video
        How the segment is encoded.
    stem
        Where its unfinished files are, without their endings.
    """

    def __init__(self, scene: Scene, video: Video, stem: Path) -> None:
        self.scene, self.video, self.stem = scene, video, stem
        self._encoder: EncoderThread | None = None
        self._settled = count_settled(self.scene)
        self._still: np.ndarray | None = None
        self._fullness = -1

    @property
    def frames(self) -> int:
        return self._encoder.frames if self._encoder else 0

    def write(self, band: Band | None, repeat: int) -> None:
        """Encode the next frame."""
        if self._encoder is None:
            self._encoder = EncoderThread(self.stem.with_suffix(".mp4"), self.video)
        self._encoder.write(band, repeat)

    def look(self) -> None:
        """Keep the frame if the film calls it settled and none was fuller."""
        settled = count_settled(self.scene)
        if settled > self._settled:
            frame = self.scene.renderer.camera.pixel_array
            fullness = _fullness(frame)
            if fullness >= self._fullness:
                self._still, self._fullness = frame[..., :3].copy(), fullness
        self._settled = settled

    def finish(self, key: str, store: Store, frames: int) -> None:
        """Close the files and hand them to the store.

        Raises
        ------
        RuntimeError
            If there are not as many frames as were counted while the film was skipped through.
        """
        self._encoder.close()
        if self.frames != frames:
            raise RuntimeError(
                f"counted {frames} frames and drew {self.frames}: "
                "what happens depends on how often it is drawn"
            )
        self.look()
        still = None
        if self._still is not None:
            still = Still.at(self.stem)
            still.save(self._still)
        store.take(key, self._fullness, self.stem.with_suffix(".mp4"), still)


def count_settled(scene: Scene) -> int:
    """Return how often a scene has said that all stands still; only films do."""
    return sum(cue.kind == "settled" for cue in getattr(scene, "timeline", ()))


def _fullness(frame: np.ndarray) -> int:
    """Return how many pixels differ from the corner's."""
    pixels = frame.view(np.uint32)
    return int(np.count_nonzero(pixels != pixels[0, 0]))
