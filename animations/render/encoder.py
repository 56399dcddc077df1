"""One video segment, encoded beside the drawing that feeds it.

One picture in the encoder's own colours is kept, and only rows that changed are converted into
it. Frames are constant in rate: a still is the same picture sent again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from queue import Queue
from threading import Thread

import av
import numpy as np
from av.video.reformatter import VideoReformatter

__all__ = ["Band", "Encoder", "EncoderThread", "Video"]

MARGIN = 16  # rows converted beyond a band, so that chroma is filtered as in the whole frame
QUEUED = 8  # bands that may wait for the encoder: drawing never runs far ahead


@dataclass(frozen=True, slots=True)
class Video:
    """What every segment of a film has in common; its colours ask for even sizes."""

    width: int
    height: int
    rate: Fraction
    options: tuple[tuple[str, str], ...]
    codec: str = "libx264"
    pixel_format: str = "yuv420p"


@dataclass(frozen=True, slots=True)
class Band:
    """Rows of a frame that may differ from the frame before: RGBA, from row `top` down."""

    top: int
    pixels: np.ndarray

    @property
    def bottom(self) -> int:
        return self.top + len(self.pixels)


class Picture:
    """A frame in the encoder's colours, converted row by row as it changes."""

    def __init__(self, video: Video) -> None:
        self.height, self.width = video.height, video.width
        self.format = video.pixel_format
        self.rgba = np.zeros((video.height, video.width, 4), np.uint8)
        self.frame = av.VideoFrame(video.width, video.height, video.pixel_format)
        self.frame.time_base = 1 / video.rate
        self._planes = _planes(self.frame)
        self._reformatter = VideoReformatter()
        self._blank = True

    def update(self, band: Band) -> None:
        """Take over the rows of `band` that differ from those at hand."""
        band = Band(0, self._whole(band)) if self._blank else self._trimmed(band)
        if len(band.pixels):
            self.rgba[band.top : band.bottom] = band.pixels
            self._convert(band.top, band.bottom)
        self._blank = False

    def _whole(self, band: Band) -> np.ndarray:
        if band.pixels.shape != self.rgba.shape:
            raise ValueError(f"the first band must be a whole frame, got {band.pixels.shape}")
        return band.pixels

    def _trimmed(self, band: Band) -> Band:
        """Return the rows of `band` from the first that differs to the last."""
        if not len(band.pixels):
            return band
        old, new = self.rgba[band.top : band.bottom], band.pixels
        differs = (_words(old) != _words(new)).any(axis=1)
        rows = np.flatnonzero(differs)
        if len(rows) == 0:
            return Band(band.top, new[:0])
        return Band(band.top + int(rows[0]), new[rows[0] : rows[-1] + 1])

    def _convert(self, top: int, bottom: int) -> None:
        """Convert rows and their surroundings; keep those that the frame's edge did not touch."""
        first = max(0, top - MARGIN) & ~1
        last = min(self.height, (bottom + MARGIN + 1) & ~1)
        source = av.VideoFrame.from_numpy_buffer(self.rgba[first:last], format="rgba")
        planes = _planes(self._reformatter.reformat(source, format=self.format))
        keep = max(first, top - MARGIN // 2) & ~1 if first else 0
        until = min(last, (bottom + MARGIN // 2 + 1) & ~1)
        for number, (mine, fresh) in enumerate(zip(self._planes, planes, strict=True)):
            halved = int(number > 0)
            rows = slice(keep >> halved, until >> halved)
            offset = first >> halved
            width = self.width >> halved
            mine[rows, :width] = fresh[rows.start - offset : rows.stop - offset, :width]


class Encoder:
    """Encodes bands into one file of constant frame rate."""

    def __init__(self, target: Path, video: Video) -> None:
        self.frames = 0
        self._picture = Picture(video)
        self._container = av.open(str(target), mode="w", format="mp4")
        options: Mapping[str, str] = dict(video.options)
        self._stream = self._container.add_stream(video.codec, rate=video.rate, options=options)
        self._stream.pix_fmt = video.pixel_format
        self._stream.width, self._stream.height = video.width, video.height

    def write(self, band: Band | None, repeat: int = 1) -> None:
        """Add the frame that `band` changes the last one into, `repeat` times."""
        if band is not None:
            self._picture.update(band)
        for _ in range(repeat):
            self._picture.frame.pts = self.frames
            self.frames += 1
            self._container.mux(self._stream.encode(self._picture.frame))

    def close(self) -> None:
        """Write what the encoder still holds and close the file."""
        self._container.mux(self._stream.encode(None))
        self._container.close()


class EncoderThread:
    """An encoder that works while the next frame is drawn.

    Parameters
    ----------
    target, video
        As for `Encoder`.
    """

    def __init__(self, target: Path, video: Video) -> None:
        self.frames = 0
        self._encoder = Encoder(target, video)
        self._queue: Queue[tuple[Band | None, int] | None] = Queue(maxsize=QUEUED)
        self._failure: BaseException | None = None
        self._thread = Thread(target=self._work, name=f"encode {target.name}", daemon=True)
        self._thread.start()

    def write(self, band: Band | None, repeat: int = 1) -> None:
        """Queue a frame; `band` must not be changed afterwards."""
        if self._failure:
            raise self._failure
        self.frames += repeat
        self._queue.put((band, repeat))

    def close(self) -> None:
        """Wait until everything is written; raise what went wrong in the thread."""
        self._queue.put(None)
        self._thread.join()
        if self._failure:
            raise self._failure

    def _work(self) -> None:
        while (job := self._queue.get()) is not None:
            if self._failure is None:
                self._guard(self._encoder.write, *job)
        self._guard(self._encoder.close)

    def _guard(self, action: Callable[..., None], *arguments: object) -> None:
        """Do `action`; keep the first failure for the thread that draws."""
        try:
            action(*arguments)
        except BaseException as error:  # noqa: BLE001 (raised again in the thread that draws)
            self._failure = self._failure or error


def _planes(frame: av.VideoFrame) -> list[np.ndarray]:
    """Return writable views of a frame's planes, padding included."""
    return [np.frombuffer(plane, np.uint8).reshape(-1, plane.line_size) for plane in frame.planes]


def _words(pixels: np.ndarray) -> np.ndarray:
    """Return rows of pixels as rows of integers, one a pixel: four times fewer to compare."""
    return pixels.reshape(len(pixels), -1).view(np.uint32)
