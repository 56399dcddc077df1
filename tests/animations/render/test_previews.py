"""A preview is the film again: smaller, at fewer frames a second, as long as before."""

from fractions import Fraction

import av
import numpy as np
import pytest

from animations.errors import FilmError
from animations.render import previews
from animations.render.encoder import Band, Encoder, Video

pytestmark = pytest.mark.render


@pytest.fixture
def film(tmp_path):
    path = tmp_path / "short.zh.mp4"
    encoder = Encoder(path, Video(1280, 720, Fraction(30), (("preset", "ultrafast"),)))
    for shade in np.linspace(0, 255, 60):
        encoder.write(Band(0, np.full((720, 1280, 4), int(shade), np.uint8)))
    encoder.close()
    return path


def test_a_preview_is_small_and_as_long(film):
    made = previews.preview(film)
    assert made.name == "short.zh.preview.mp4"
    with av.open(str(made)) as container:
        video = container.streams.video[0]
        assert (video.width, video.height, video.average_rate) == (854, 480, 15)
        shades = [frame.to_ndarray(format="gray").mean() for frame in container.decode(video)]
    assert len(shades) == 30
    assert shades == sorted(shades)


def test_what_is_too_large_is_not_kept(film, monkeypatch):
    monkeypatch.setattr(previews, "LARGEST", 100)
    with pytest.raises(FilmError, match="at most 100"):
        previews.preview(film)
    assert [path.name for path in film.parent.iterdir()] == [film.name]


def test_a_film_must_be_there(tmp_path):
    with pytest.raises(FilmError, match="render it first"):
        previews.preview(tmp_path / "none.mp4")
