"""A state has one name in every process, and another name once anything in it changes."""

import functools
import os
import subprocess
import sys
import threading

import numpy as np
import pytest
from manim import RED, Scene, Square, VGroup, Wait, tempconfig

from animations.render.fingerprint import OpaqueError, digest, scene_state

STATE = """
import numpy as np
from animations.render.fingerprint import digest
def shift(points, by={"x", "y", "zz"}):
    return points if {"a", "b", "c"} else by
print(digest([{"k": {"one", "two", "three"}}, shift, np.arange(5.0), frozenset({1, "a", (2, 3)})]))
"""


def name_in_another_process(seed):
    run = subprocess.run(
        [sys.executable, "-c", STATE],
        env={**os.environ, "PYTHONHASHSEED": str(seed)},
        capture_output=True,
        text=True,
        check=True,
    )
    return run.stdout


@pytest.mark.slow
def test_names_do_not_depend_on_the_hash_seed():
    assert name_in_another_process(1) == name_in_another_process(2)


class Thing:
    def __init__(self, **parts):
        self.__dict__.update(parts)


class Slotted:
    __slots__ = ("part",)

    def __init__(self, part):
        self.part = part


class Sealed(tuple):
    """Refuses to be pickled, as theorems do."""

    def __reduce_ex__(self, protocol):
        raise TypeError("sealed")


def adder(number):
    return lambda value: value + number


PAIRS = [
    (1, True),
    (1, 1.0),
    ("1", b"1"),
    (0.0, -0.0),
    ([1, 2], (1, 2)),
    ([[1, 2]], [[1], 2]),
    ({"a": 1, "b": 2}, {"a": 2, "b": 1}),
    ({1, 2}, {1, 3}),
    (np.zeros(4), np.zeros(4, np.float32)),
    (np.zeros((2, 2)), np.zeros(4)),
    (Thing(a=1), Thing(a=2)),
    (Slotted(1), Slotted(2)),
    (Sealed((1, 2)), Sealed((1, 3))),
    (adder(1), adder(2)),
    (lambda x: x + 1, lambda x: x + 2),
    (functools.partial(max, 1), functools.partial(max, 2)),
    (Thing(a=1).__str__, Thing(a=2).__str__),
    (np.random.default_rng(1), np.random.default_rng(2)),
    (["ab", "c"], ["a", "bc"]),
]


@pytest.mark.parametrize(("one", "other"), PAIRS, ids=range(len(PAIRS)))
def test_different_states_have_different_names(one, other):
    assert digest(one) != digest(other)


@pytest.mark.parametrize("value", [one for one, _ in PAIRS], ids=range(len(PAIRS)))
def test_a_state_keeps_its_name(value):
    assert digest(value) == digest(value)


def test_sharing_is_part_of_the_state():
    part = [1]
    assert digest([part, part]) != digest([[1], [1]])


def test_loops_end():
    loop = Thing(name="loop")
    loop.me, loop.set = loop, {adder(1)}
    assert digest(loop) == digest(loop)


def test_what_cannot_be_read_has_no_name():
    with pytest.raises(OpaqueError):
        digest([threading.Lock()])


@pytest.fixture
def scene(small):
    scene = Scene()
    scene.add(VGroup(Square(), Square(color=RED)))
    scene.kept = np.arange(3.0)
    return scene


CHANGES = {
    "a point": lambda scene: scene.mobjects[0][0].shift(np.array([1e-9, 0, 0])),
    "a colour": lambda scene: scene.mobjects[0][1].set_opacity(0.5),
    "an attribute": lambda scene: scene.kept.__setitem__(0, 7.0),
    "an updater": lambda scene: scene.mobjects[0].add_updater(lambda mobject: mobject),
    "the background": lambda scene: setattr(scene.camera, "background_color", RED),
    "chance": lambda scene: np.random.random(),  # noqa: NPY002
    "another mobject": lambda scene: scene.add(Square()),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_every_change_to_a_scene_changes_its_name(scene, change):
    before = scene_state(scene)
    assert scene_state(scene) == before
    change(scene)
    assert scene_state(scene) != before


def test_a_wait_leaves_no_trace(scene):
    before = scene_state(scene)
    scene.add(Wait().mobject)
    assert scene_state(scene) == before


def test_a_scene_that_cannot_be_read_has_no_name(scene):
    scene.lock = threading.Lock()
    assert scene_state(scene) is None


def test_copies_of_a_mobject_are_alike(small):
    with tempconfig({"dry_run": True}):
        first, second = Square(), Square()
        first, second = first.copy(), second.copy()
    assert digest(first) == digest(second)
