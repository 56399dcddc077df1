"""Segments put end to end without being encoded again."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import av

__all__ = ["join"]

OPTIONS = {"movflags": "+faststart"}  # a browser can start before it has the whole file


def join(segments: Sequence[Path], target: Path, rate: Fraction, title: str) -> int:
    """Join `segments` into `target` and return the number of frames.

    Parameters
    ----------
    segments
        Files of one video stream each, all encoded alike, in order.
    target
        The file to write.
    rate
        Frames a second.
    title
        The title to write into the file.
    """
    frames = 0
    with av.open(str(target), mode="w", format="mp4", options=OPTIONS) as output:
        output.metadata["title"] = title
        stream = None
        for path in segments:
            with av.open(str(path)) as source:
                video = source.streams.video[0]
                if stream is None:
                    header = video.codec_context.extradata
                    stream = output.add_stream_from_template(video)
                if video.codec_context.extradata != header:
                    raise ValueError(f"{path} is not encoded like the segments before it")
                tick = 1 / (rate * video.time_base)
                shift = int(frames * tick)
                for packet in source.demux(video):
                    if packet.dts is None:
                        continue  # the empty packet that ends a stream
                    packet.pts += shift
                    packet.dts += shift
                    packet.stream = stream
                    output.mux(packet)
                frames += video.frames
    return frames
