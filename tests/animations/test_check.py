"""Each kind of finding: a bad little film triggers it, and nothing else."""

import numpy as np
import pytest
from manim import DOWN, RIGHT, UP, Circle, Square

from animations.check.inspect import inspect
from animations.check.rules import FRAME_RULES
from animations.errors import FilmError
from animations.film import Film, Silence, beat
from animations.formula import Formula
from animations.motion import Appear
from animations.theme import DARK, Setting
from animations.words import Words

TABLE = Words(
    {
        "short": {"zh": "一句短短的话。", "en": "A short line."},
        "long": {"zh": "很长很长的话" * 20},
        "zh-only": {"zh": "只有中文"},
        "apple": {"zh": "\U0001f34e", "en": "\U0001f34e"},
    }
)


def film(action, *, quiet=()):
    """Make a film of one beat out of what it does."""

    class Little(Film):
        table = TABLE
        silences = quiet

        @beat()
        def only(self):
            action(self)

    return Little


def good(scene):
    number = scene.number(np.array([0.5]), (0,), name="a").shift(DOWN)
    title = scene.phrase("short", size="title").shift(UP)
    scene.play(Appear(title), Appear(number))
    scene.say("short")


def half_off_stage(scene):
    scene.add(Square(2).shift(7 * RIGHT))


def stroke_off_stage(scene):
    edge = scene.frame.safe.right
    scene.add(Circle(0.5, stroke_width=20).move_to([edge - 0.52, 0, 0]))


def stroke_off_the_corner(scene):
    safe = scene.frame.safe
    scene.add(Circle(0.5, stroke_width=20).move_to([safe.left + 0.52, 0, 0]))
    scene.add(Circle(0.5, stroke_width=20).move_to([0, safe.bottom + 0.52, 0]))


def last_letter_off_stage(scene):
    word = scene.label("苹果手机")
    scene.add(word.shift([scene.frame.safe.right - word.get_right()[0] + 0.1, 0, 0]))


def overlapping(scene):
    scene.add(scene.label("苹果"), scene.label("手机").shift(0.2 * RIGHT))


def small(scene):
    scene.add(scene.label("太小了").scale(0.7))


def small_script(scene, tagged):
    scene.add(Formula(tagged("tag(#1, x)_tag(#2, k)", (), (0,)), DARK, em=0.5))


def hasty(scene):
    scene.say("short", hold=0.1)


def faint(scene):
    scene.add(scene.label("看不清").set_opacity(0.3))


def faint_on_a_card(scene):
    scene.add(Square(4, fill_color="#e0e0e0", fill_opacity=1, stroke_width=0))
    scene.add(scene.label("看不清"))


def false_number(scene):
    cells = np.array([0.25])
    scene.add(scene.number(cells, (0,), name="a"))
    cells[0] = 0.5


def forged_number(scene):
    number = scene.number(np.array([0.125]), (0,), name="a")
    other = scene.number(np.array([0.521]), (0,), name="b")
    for glyph, foreign in zip(number, other, strict=True):
        glyph.become(foreign)
        glyph.symbol = foreign.symbol
    scene.add(number)


def role_in_another_colour(scene):
    phrase = scene.label("[Q|查询]")
    for glyph in phrase.part("Q"):
        glyph.set_fill(scene.theme.ink)
    scene.add(phrase)


def colour_without_the_role(scene):
    scene.add(scene.label("内容").set_fill(scene.theme.role("V")))


def unmet_symbol(scene, tagged):
    scene.add(scene.formula(tagged("tag(#1, d)", (0,)), symbols={(0,): "d_k"}))


def transparent(scene):
    scene.add(scene.label("透明").set_opacity(0))


def stray_glyph(scene):
    word = scene.label("苹果")
    scene.add(word, word[0].copy().shift(UP))


def hollow(scene):
    scene.add(scene.label("空心").set_fill(opacity=0).set_stroke(scene.theme.ink, 2, 1))


def thing_in_the_strip(scene):
    scene.say("short")
    left = scene.frame.strip.left
    scene.add(Square(0.4).move_to([left + 0.5, scene.frame.strip.centre[1], 0]))


def words_in_the_strip(scene):
    scene.say("short")
    scene.add(scene.label("苹果").move_to(scene.frame.strip.centre))


def long_caption(scene):
    scene.say("long")


def no_node(scene, tagged):
    scene.add(scene.formula(tagged("tag(#1, q) k", (0,))))


def no_glyph(scene):
    scene.say("apple")


def no_translation(scene):
    scene.say("zh-only")


BAD = {
    half_off_stage: "off-stage",
    stroke_off_stage: "off-stage",
    stroke_off_the_corner: "off-stage",
    last_letter_off_stage: "off-stage",
    overlapping: "overlap",
    small: "too-small",
    small_script: "too-small",
    hasty: "too-fast",
    faint: "low-contrast",
    faint_on_a_card: "low-contrast",
    false_number: "wrong-number",
    forged_number: "wrong-number",
    role_in_another_colour: "wrong-role-colour",
    colour_without_the_role: "wrong-role-colour",
    unmet_symbol: "symbol-before-introduction",
    transparent: "leftover",
    stray_glyph: "leftover",
    hollow: "hollow-glyph",
    thing_in_the_strip: "caption-collision",
    words_in_the_strip: "caption-collision",
    no_node: "orphan-glyph",
    no_glyph: "missing-glyph",
    no_translation: "untranslated",
}
NEEDS_A_TERM = {small_script, unmet_symbol, no_node}


@pytest.mark.parametrize("action", BAD, ids=lambda action: action.__name__)
def test_a_bad_film_triggers_its_kind_and_only_it(action, tagged):
    lang = "en" if action is no_translation else "zh"
    plays = (lambda scene: action(scene, tagged)) if action in NEEDS_A_TERM else action
    report = inspect(film(plays), Setting(lang=lang))
    assert [finding.kind for finding in report.findings] == [BAD[action]]
    assert report.findings[0].beat == "only"
    assert report.findings[0].objects


def test_every_kind_of_finding_has_a_bad_film():
    raised = {"too-fast", "untranslated", "missing-glyph"}  # by the timeline, or as errors
    assert set(BAD.values()) == {*FRAME_RULES, *raised}


def test_a_caption_that_overflows_its_strip_is_told():
    kinds = {finding.kind for finding in inspect(film(long_caption)).findings}
    assert "caption-collision" in kinds


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("aspect", ["16:9", "9:16"])
def test_a_good_film_has_no_findings(theme, aspect):
    report = inspect(film(good), Setting(theme=theme, aspect=aspect))
    assert report.findings == ()
    assert (report.settled_frames, report.quantities_checked) == (1, 1)


def test_numbers_are_checked_at_every_settled_frame():
    def twice(scene):
        good(scene)
        scene.settle()
        scene.wait(1)

    assert inspect(film(twice)).quantities_checked == 2


def test_a_silenced_finding_keeps_its_reason():
    report = inspect(film(small, quiet=(Silence("too-small", "only", "far away on purpose"),)))
    assert report.findings == ()
    assert report.as_dict()["silenced"][0]["why"] == "far away on purpose"


def test_a_silence_holds_for_its_beat_and_kind_only():
    elsewhere = (Silence("too-small", "other", ""), Silence("overlap", "only", ""))
    assert len(inspect(film(small, quiet=elsewhere)).findings) == 1


def test_a_finding_that_stays_is_told_once_a_beat():
    def stays(scene):
        small(scene)
        scene.settle()
        scene.wait(1)

    assert len(inspect(film(stays)).findings) == 1


def test_errors_that_are_no_findings_are_raised():
    with pytest.raises(FilmError, match="the words 'nothing'"):
        inspect(film(lambda scene: scene.say("nothing")))
