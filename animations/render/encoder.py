"""One video segment, encoded beside the drawing that feeds it.

One picture in the encoder's own colours is kept, and only rows that changed are converted into
it. Frames are constant in rate: a still is the same picture again and again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from queue import Queue
from threading import Thread

import av
import numpy as np
from av.video.frame import PictureType
from av.video.reformatter import VideoReformatter

from .again import KEY, again, stream

__all__ = ["Band", "Encoder", "EncoderThread", "Video"]

MARGIN = 16  # rows converted beyond a band, so that chroma is filtered as in the whole frame
STILL = 32  # frames; below that a still is smaller without a key frame of its own
QUEUED = 3  # bands that may wait for the encoder: drawing never runs far ahead


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

    def changed(self, band: Band) -> Band | None:
        """Return the rows of `band` that differ from those at hand, if any do."""
        band = Band(0, self._whole(band)) if self._blank else self._trimmed(band)
        return band if len(band.pixels) else None

    def update(self, band: Band) -> None:
        """Take over the rows of `band`."""
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
    """Encodes bands into one file of constant frame rate.

    A long still is a key frame and copies of it, which need not be encoded. As there are whole
    periods of them, the encoder need not even know: it numbers the next frame as if none were
    there, and rightly so.
    """

    def __init__(self, target: Path, video: Video) -> None:
        self.frames = 0
        self._video = video
        self._picture = Picture(video)
        self._container = av.open(str(target), mode="w", format="mp4")
        self._stream = stream(self._container, video)
        self._due = 0  # how often the picture is still to be sent
        self._encoded = self._copied = self._delay = 0
        self._copies: dict[int, int] = {}  # how many follow each key frame of a still

    def write(self, band: Band | None, repeat: int = 1) -> None:
        """Add the frame that `band` changes the last one into, `repeat` times."""
        changed = None if band is None else self._picture.changed(band)
        if changed is not None:
            self._send()
            self._picture.update(changed)
        self._due += repeat
        self.frames += repeat

    def close(self) -> None:
        """Write what the encoder still holds and close the file."""
        self._send()
        self._store(self._stream.encode(None))
        self._container.close()

    def _send(self) -> None:
        """Send the picture as often as it is due, but for copies."""
        copies = self._count_copies()
        if copies:
            self._copies[self._encoded] = copies
        for number in range(self._due - copies):
            frame = self._picture.frame
            frame.pict_type = KEY if copies and number == 0 else PictureType.NONE
            frame.pts = self._encoded
            self._encoded += 1
            self._store(self._stream.encode(frame))
        self._due = 0

    def _count_copies(self) -> int:
        """Return how many of the frames that are due need not be encoded: whole periods."""
        period = len(again(self._video))
        return (self._due - 1) // period * period if period and self._due >= STILL else 0

    def _store(self, packets: Iterable[av.Packet]) -> None:
        """Put packets into the file, each key frame of a still with its copies."""
        for packet in packets:
            copies, moment = self._copies.pop(packet.pts, 0), packet.pts + self._copied
            if packet.pts == 0:
                self._delay = packet.dts  # how far decoding is ahead
            self._mux(packet, moment, packet.dts + self._copied)
            for number in range(1, copies + 1):
                same = again(self._video)[number % len(again(self._video))]
                self._mux(av.Packet(same), moment + number, moment + number + self._delay)
            self._copied += copies

    def _mux(self, packet: av.Packet, shown: int, decoded: int) -> None:
        packet.stream, packet.time_base = self._stream, 1 / self._video.rate
        packet.pts, packet.dts = shown, decoded
        self._container.mux(packet)


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
