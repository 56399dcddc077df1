"""Rows converted one band at a time are those of the whole frame, and files hold every frame."""

from fractions import Fraction

import av
import numpy as np
import pytest

from animations.render.again import PERIODS, again
from animations.render.encoder import STILL, Band, Encoder, EncoderThread, Picture, Video
from animations.render.join import join
from animations.render.make import ENCODING
from animations.render.request import QUALITIES

pytestmark = pytest.mark.render
LOSSLESS = (("qp", "0"), ("preset", "ultrafast"))


def video(width=214, height=120):
    return Video(width, height, Fraction(10), LOSSLESS)


def noise(rng, video):
    return rng.integers(0, 256, (video.height, video.width, 4), dtype=np.uint8)


def planes(frame):
    return [np.frombuffer(p, np.uint8).reshape(-1, p.line_size)[:, : p.width] for p in frame.planes]


@pytest.mark.parametrize("size", [(214, 120), (854, 480), (136, 242)])
def test_bands_are_converted_as_the_whole_frame_is(size):
    rng, form = np.random.default_rng(0), video(*size)
    frame, picture = noise(rng, form), Picture(form)
    picture.update(picture.changed(Band(0, frame.copy())))
    for _ in range(25):
        top, bottom = sorted(rng.integers(0, form.height + 1, 2))
        frame[top:bottom] = noise(rng, form)[top:bottom]
        if changed := picture.changed(Band(int(top), frame[top:bottom].copy())):
            picture.update(changed)
        whole = av.VideoFrame.from_ndarray(frame, format="rgba").reformat(format="yuv420p")
        for mine, expected in zip(planes(picture.frame), planes(whole), strict=True):
            assert np.array_equal(mine, expected)


def test_the_first_band_must_be_a_whole_frame():
    form = video()
    with pytest.raises(ValueError, match="whole frame"):
        Picture(form).changed(Band(3, noise(np.random.default_rng(0), form)[3:9]))


def encode(path, form, frames, repeat=1):
    encoder = Encoder(path, form)
    for frame in frames:
        encoder.write(Band(0, frame), repeat)
    encoder.close()


def decoded(path):
    with av.open(str(path)) as file:
        return [frame.to_ndarray() for frame in file.decode(video=0)]


def test_joined_segments_are_their_frames_in_order_at_a_constant_rate(tmp_path):
    rng, form = np.random.default_rng(0), video()
    parts = [tmp_path / f"{number}.mp4" for number in range(3)]
    for length, part in zip((3, 1, 4), parts, strict=True):
        encode(part, form, [noise(rng, form) for _ in range(length)], repeat=2)
    target = tmp_path / "all.mp4"
    assert join(parts, target, form.rate, "标题") == 16
    expected = [frame for part in parts for frame in decoded(part)]
    assert all(np.array_equal(a, b) for a, b in zip(decoded(target), expected, strict=True))
    with av.open(str(target)) as file:
        assert file.metadata["title"] == "标题"
        stamps = [frame.pts * frame.time_base for frame in file.decode(video=0)]
    assert stamps == [Fraction(number, 10) for number in range(16)]


ENCODINGS = {"lossless": LOSSLESS, "films": ENCODING, "B-frames": (("x264-params", "bframes=6"),)}


@pytest.mark.parametrize("options", ENCODINGS.values(), ids=ENCODINGS)
@pytest.mark.parametrize("lengths", [(90, 1), (1, 90, 3, 33, 34, 1), (5, 200, 2, 47)])
def test_copies_show_what_they_copy(tmp_path, options, lengths):
    """A still is its own key frame again, and what follows it is not disturbed."""
    rng, form = np.random.default_rng(0), Video(214, 120, Fraction(10), options)
    frames = [noise(rng, form) for _ in lengths]
    encoder = Encoder(tmp_path / "a.mp4", form)
    for frame, length in zip(frames, lengths, strict=True):
        encoder.write(Band(0, frame))
        for _ in range(length - 1):
            encoder.write(Band(40, frame[40:60]))
    encoder.close()
    got = decoded(tmp_path / "a.mp4")
    assert len(got) == encoder.frames == sum(lengths)
    for start, length, frame in zip(np.cumsum([0, *lengths]), lengths, frames, strict=False):
        copied = (length - 1) // len(again(form)) * len(again(form)) + 1 if length >= STILL else 1
        assert all(np.array_equal(got[start], copy) for copy in got[start : start + copied])
        whole = av.VideoFrame.from_ndarray(frame, format="rgba").reformat(format="yuv420p")
        distance = np.abs(got[start + length - 1].astype(int) - whole.to_ndarray()).mean()
        assert distance <= (0 if options is LOSSLESS else 8)
    with av.open(str(tmp_path / "a.mp4")) as file:
        stamps = [frame.pts * frame.time_base for frame in file.decode(video=0)]
    assert stamps == [Fraction(number, 10) for number in range(sum(lengths))]


@pytest.mark.parametrize("aspect", ["16:9", "9:16"])
@pytest.mark.parametrize(
    "quality", [pytest.param(name, marks=[pytest.mark.slow] * (name in "hk")) for name in QUALITIES]
)
def test_films_of_every_quality_have_packets_to_copy(quality, aspect):
    form = QUALITIES[quality]
    packets = again(Video(*form.size(aspect), Fraction(form.rate), ENCODING))
    assert len(packets) in PERIODS


def test_where_no_period_is_found_stills_are_encoded(tmp_path, monkeypatch):
    monkeypatch.setattr("animations.render.again.PERIODS", (16,))
    rng, form = np.random.default_rng(0), Video(216, 122, Fraction(10), ENCODING)
    assert not again(form)
    encode(tmp_path / "a.mp4", form, [noise(rng, form), noise(rng, form)], repeat=50)
    assert len(decoded(tmp_path / "a.mp4")) == 100


def test_a_still_costs_no_more_than_its_key_frame(tmp_path):
    rng, form = np.random.default_rng(0), Video(214, 120, Fraction(10), ENCODING)
    frame, sizes = noise(rng, form), []
    for repeat in (40, 400):
        encode(tmp_path / f"{repeat}.mp4", form, [frame], repeat)
        sizes.append((tmp_path / f"{repeat}.mp4").stat().st_size)
    assert sizes[1] - sizes[0] < 360 * 50


def test_segments_of_other_encodings_are_not_joined(tmp_path):
    rng, one, other = np.random.default_rng(0), video(), video(428, 240)
    encode(tmp_path / "a.mp4", one, [noise(rng, one)])
    encode(tmp_path / "b.mp4", other, [noise(rng, other)])
    with pytest.raises(ValueError, match="not encoded like"):
        join([tmp_path / "a.mp4", tmp_path / "b.mp4"], tmp_path / "c.mp4", one.rate, "")


def test_what_fails_in_the_thread_is_raised_by_the_one_that_draws(tmp_path):
    encoder = EncoderThread(tmp_path / "a.mp4", video())
    encoder.write(Band(0, np.zeros((3, 3, 4), np.uint8)))
    with pytest.raises(ValueError, match="whole frame"):
        encoder.close()
