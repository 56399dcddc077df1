"""Beats, captions and the clock."""

import json
from itertools import pairwise

import av
import numpy as np
import pytest
from manim import Dot, Scene, Square, tempconfig

from animations.check.inspect import DryRenderer, inspect
from animations.errors import FilmError
from animations.film import TICK, TRANSITION, Film, beat, expect_film
from animations.motion import Appear, Move
from animations.theme import DARK, LIGHT, Setting
from animations.words import Words, reading_time

TABLE = Words(
    {
        "chapter": {"zh": "开头", "en": "Opening"},
        "one": {"zh": "每个词发出一个[Q|提问]。", "en": "Every word asks a [Q|question]."},
        "two": {"zh": "权重是 {w}。", "en": "The weight is {w}."},
    }
)


class Two(Film):
    table = TABLE

    @beat(title="chapter", draws=("apple",))
    def opening(self):
        self.say("one")
        self.square = Square(2)
        self.play(Appear(self.square), run_time=0.53)
        self.settle()

    @beat()
    def ending(self):
        self.say("two", w=0.5)
        self.play(Move(self.square, [1, 0, 0]))
        self.hush()
        self.settle()


class Longer(Two):
    @beat()
    def coda(self):
        self.wait(0.2)


def played(film=Two, **setting):
    scene = film(renderer=DryRenderer(), setting=Setting(**setting))
    scene.render()
    return scene


def test_beats_are_data_in_the_order_of_the_source():
    assert [(b.name, b.title, b.draws) for b in Two.beats] == [
        ("opening", "chapter", ("apple",)),
        ("ending", "", ()),
    ]
    assert [b.name for b in Longer.beats] == ["opening", "ending", "coda"]


@pytest.mark.usefixtures("dry")
def test_beats_follow_each_other_without_a_gap():
    scene = played(Longer)
    beats = [cue for cue in scene.timeline if cue.kind == "beat"]
    assert beats[0].start == 0
    assert beats[-1].end == pytest.approx(scene.clock)
    assert all(a.end == b.start for a, b in pairwise(beats))
    assert beats[0].text == "开头"


@pytest.mark.usefixtures("dry")
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_caption_stands_until_it_can_be_read(lang):
    captions = [cue for cue in played(lang=lang).timeline if cue.kind == "caption"]
    assert [cue.text for cue in captions] == [
        {"zh": "每个词发出一个提问。", "en": "Every word asks a question."}[lang],
        {"zh": "权重是 0.5。", "en": "The weight is 0.5."}[lang],
    ]
    for cue in captions:
        assert cue.end - cue.start >= TRANSITION + reading_time(cue.text, lang) - 1e-6


@pytest.mark.usefixtures("dry")
def test_a_caption_that_was_read_during_the_action_is_not_waited_for():
    class Slow(Film):
        table = TABLE

        @beat()
        def only(self):
            self.say("one")
            self.wait(20)

    assert played(Slow).clock == pytest.approx(20 + TRANSITION)


@pytest.mark.usefixtures("dry")
def test_a_caption_is_read_before_the_next_one_comes():
    class Talk(Film):
        table = TABLE

        @beat()
        def only(self):
            self.say("one")
            self.say("two", w=1)

    first, second = (cue for cue in played(Talk).timeline if cue.kind == "caption")
    assert first.end == second.start
    for cue in (first, second):
        assert cue.end - cue.start >= TRANSITION + reading_time(cue.text, "zh") - 1e-6


@pytest.mark.usefixtures("dry")
def test_settled_moments_are_told_once_and_in_order():
    scene = Two(renderer=DryRenderer())
    seen = []
    scene.watchers.append(lambda film: seen.append((film.current_beat, film.clock)))
    scene.render()
    settled = [cue for cue in scene.timeline if cue.kind == "settled"]
    assert seen == [(cue.name, cue.start) for cue in settled]
    assert [name for name, _ in seen] == ["opening", "opening", "ending"]


@pytest.mark.usefixtures("dry")
def test_the_timeline_is_plain_data():
    data = [cue.as_dict() for cue in played().timeline]
    assert json.loads(json.dumps(data)) == data


@pytest.mark.usefixtures("dry")
def test_every_duration_is_a_whole_number_of_ticks():
    for cue in played(Longer).timeline:
        for moment in (cue.start, cue.end):
            assert moment / TICK == pytest.approx(round(moment / TICK), abs=1e-6)


@pytest.mark.render
@pytest.mark.parametrize("rate", [15, 30])
def test_the_film_has_exactly_the_frames_that_its_clock_says(tmp_path, rate):
    look = {"pixel_width": 128, "pixel_height": 72, "frame_rate": rate, "media_dir": str(tmp_path)}
    quiet = {"disable_caching": True, "verbosity": "ERROR", "progress_bar": "none"}
    with tempconfig(look | quiet):
        scene = Longer()
        scene.render()
        file = scene.renderer.file_writer.movie_file_path
    with av.open(str(file)) as container:
        frames = container.streams.video[0].frames
    assert frames == round(scene.clock * rate)


@pytest.mark.usefixtures("dry")
def test_the_theme_is_on_the_ground_too():
    for name, theme in (("dark", DARK), ("light", LIGHT)):
        red, green, blue, _ = played(theme=name).camera.background[0, 0]
        assert f"#{red:02x}{green:02x}{blue:02x}" == theme.background


@pytest.mark.usefixtures("dry")
def test_numbers_come_from_cells():
    scene = played()
    cells = np.array([[0.25, 0.75]])
    number = scene.number(cells, (0, 1), name="A", places=2)
    assert (number.shown, number.label) == ("0.75", "A[0, 1]")


@pytest.mark.usefixtures("dry")
def test_a_film_in_a_language_it_lacks_says_so():
    class Half(Film):
        table = Words({"one": {"zh": "只有中文"}})

        @beat()
        def only(self):
            self.say("one")

    with pytest.raises(FilmError, match="translate"):
        played(Half, lang="en")
    assert [f.kind for f in inspect(Half, Setting(lang="en")).findings] == ["untranslated"]


@pytest.mark.usefixtures("dry")
def test_two_changes_of_one_object_in_one_play_are_refused():
    class Torn(Film):
        @beat()
        def only(self):
            word = self.label("苹果")
            self.play(Move(word, [1, 0, 0]), word[0].animate.shift([0, 1, 0]))

    with pytest.raises(FilmError, match="one animation of each object"):
        played(Torn)


@pytest.mark.usefixtures("dry")
def test_updaters_keep_running_while_a_caption_is_read():
    class Moving(Film):
        table = TABLE

        @beat()
        def only(self):
            self.dot = Dot()
            self.dot.add_updater(lambda dot, dt: dot.shift([dt, 0, 0]))
            self.add(self.dot)
            self.wait(1)

    scene = played(Moving)
    assert scene.clock == pytest.approx(1)
    assert scene.dot.get_x() == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize("candidate", [Film, Scene, "apple"])
def test_what_is_no_film_is_refused(candidate):
    with pytest.raises(FilmError, match="at least one beat"):
        expect_film(candidate)


def test_a_caption_that_is_too_long_for_one_line_breaks_where_a_reader_pauses():
    said = "每个词既是[Q|读者]，也是[K|书]：会问，也被查。"
    table = Words({"long": {"zh": said}})

    class Narrow(Film):
        @beat()
        def only(self):
            self.say("long")

    Narrow.table = table
    film = Narrow(renderer=DryRenderer(), setting=Setting(aspect="9:16"))
    film.render()
    middle = film.caption.get_y()
    upper = [glyph for glyph in film.caption if glyph.get_y() > middle]
    assert len(upper) == len("每个词既是读者，也是书：会问，")
    assert film.caption.width <= film.frame.strip.width
