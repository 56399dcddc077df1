"""A play is named by what it can show, and by the film's own code only where that is at work."""

import pytest
from manim import RED, UP, Dot, FadeIn, Scene, Square

from animations.render import naming
from animations.render.fingerprint import play_state
from animations.render.naming import Namer
from animations.render.renderer import SectionRenderer

pytestmark = pytest.mark.render


@pytest.fixture
def scene(small):
    class Idle:
        attach = play = end = write = begin = lambda self, *_: None
        cut = lambda self, *_: False

    scene = Scene(renderer=SectionRenderer(Idle()))
    scene.add(Square())
    return scene


@pytest.fixture
def namer(monkeypatch):
    monkeypatch.setattr(naming, "film_code", lambda module: "code of the film")
    return Namer("small")


def name_with(namer, scene, change, *played):
    change(scene)
    return namer.play(scene, *played)


CHANGES = {
    "what stands on the stage": (lambda scene: scene.mobjects[0].set_color(RED), True),
    "where it stands": (lambda scene: scene.mobjects[0].shift(UP), True),
    "something more": (lambda scene: scene.add(Dot()), True),
    "what moves by itself": (lambda scene: scene.mobjects[0].add_updater(_still), True),
    "where it is seen from": (lambda scene: setattr(scene.camera, "frame_width", 9.0), True),
    "what is kept off the stage": (lambda scene: setattr(scene, "later", Dot()), False),
    "nothing": (lambda scene: None, False),
}


def _still(mobject):
    return mobject


@pytest.mark.parametrize(("change", "differs"), CHANGES.values(), ids=CHANGES)
def test_a_play_is_named_by_what_it_shows(namer, scene, change, differs):
    before = namer.play(scene, "wait", 1)
    assert (name_with(namer, scene, change, "wait", 1) != before) == differs


def test_a_play_is_named_by_what_it_does(namer, scene):
    dot = Dot()
    names = {namer.play(scene, FadeIn(dot, run_time=time), {}) for time in (1, 1, 2)}
    assert len(names) == 2


def test_what_the_scene_keeps_counts_if_it_can_be_reached(namer, scene):
    scene.later = Dot()
    scene.mobjects[0].add_updater(lambda square: square.move_to(scene.later))
    before = namer.play(scene)
    scene.later.shift(UP)
    assert namer.play(scene) != before


def test_code_of_the_film_counts_only_where_it_is_at_work(namer, scene, monkeypatch):
    quiet = namer.play(scene)
    monkeypatch.setattr(naming, "film_code", lambda module: "other code")
    assert namer.play(scene) == quiet
    scene.mobjects[0].add_updater(_still)
    moved = namer.play(scene)
    monkeypatch.setattr(naming, "film_code", lambda module: "yet other code")
    assert namer.play(scene) != moved


def test_what_cannot_be_read_is_never_found_again(namer, scene):
    scene.mobjects[0].held = (number for number in range(3))
    assert play_state(scene) is None
    assert namer.play(scene) != namer.play(scene)


def test_keys_tell_the_order_of_plays_and_the_setting(namer):
    keys = {namer.key(["a", "b"]), namer.key(["b", "a"]), Namer("large").key(["a", "b"])}
    assert len(keys) == 3
