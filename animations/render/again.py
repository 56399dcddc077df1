"""Packets that say "the same again", which are the same for every picture.

A frame that leaves out every block repeats the frame before it. What it says depends on nothing
but its distance from the last key frame, and on that only up to a period. So such packets are
taken once from a picture of no account, and a still costs no more than its key frame however long it is.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

import av
import numpy as np
from av.video.frame import PictureType

if TYPE_CHECKING:
    from .encoder import Video

__all__ = ["KEY", "again", "stream"]

KEY = PictureType.I
SETTLED, ENDING = 16, 16  # frames at either end that may be quantized otherwise than the rest
BLOCK, DARK, LIGHT = 16, 64, 128
PERIODS = (16, 32, 64, 128, 256)  # what frames are numbered by has 4 to 8 bits


@cache
def again(video: Video) -> Sequence[bytes]:
    """Return one period of packets that repeat the frame before them.

    The packet at position ``n % len(again(video))`` goes to a distance of n from the key frame.
    There are none where no period is found; stills are then encoded as anything else is.

    Parameters
    ----------
    video
        How the frames around them are encoded.
    """
    for period in PERIODS:
        packets = _packets(video, SETTLED + 2 * period + ENDING)[SETTLED:-ENDING]
        if packets[:period] == packets[period:]:
            first = -(1 + SETTLED) % period
            return [*packets[first:period], *packets[:first]]
    return ()


def stream(container: av.container.OutputContainer, video: Video) -> av.VideoStream:
    """Open the stream of `container` that takes the frames of `video`."""
    made = container.add_stream(video.codec, rate=video.rate, options=dict(video.options))
    made.width, made.height, made.pix_fmt = video.width, video.height, video.pixel_format
    return made


def _board(video: Video) -> av.VideoFrame:
    """Return a chequered picture: no block can be told from its neighbours, only repeated."""
    frame = av.VideoFrame(video.width, video.height, video.pixel_format)
    for plane in frame.planes:
        pixels = np.frombuffer(plane, np.uint8).reshape(-1, plane.line_size)
        side = BLOCK * plane.width // video.width
        row, column = np.indices(pixels.shape) // side
        pixels[:] = np.where((row + column) % 2, DARK, LIGHT)
    return frame


def _packets(video: Video, count: int) -> list[bytes]:
    """Encode a key frame and `count` frames that repeat it; return the latter."""
    frame, packets = _board(video), []
    with av.open(io.BytesIO(), "w", format="mp4") as nowhere:
        encoder = stream(nowhere, video)
        for number in range(count + 1):
            frame.pts = number
            frame.pict_type = PictureType.P if number else KEY
            packets += map(bytes, encoder.encode(frame))
        packets += map(bytes, encoder.encode(None))
    return packets[1:]
