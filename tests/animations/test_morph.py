"""Formulas become one another along the ancestry of their nodes."""

from collections import Counter

import numpy as np
import pytest
from manim import DOWN, RIGHT, UP, Scene

from animations.check.inspect import DryRenderer
from animations.errors import FilmError
from animations.morph import Morph, link, same_shape, subtree

SUM = "tag(#1, tag(#2, q)_tag(#3, 1) + tag(#4, q)_tag(#5, 2) + tag(#6, q)_tag(#7, 3))"
SUM_PATHS = ((), (0,), (0, 0), (1,), (1, 0), (2,), (2, 0))


@pytest.fixture
def terms(formula):
    """q1 + q2 + q3, and the same with the first and the last summand swapped."""
    swapped = SUM.replace("tag(#2, q)_tag(#3, 1)", "A").replace("tag(#6, q)_tag(#7, 3)", "B")
    swapped = swapped.replace("A", "tag(#6, q)_tag(#7, 3)").replace("B", "tag(#2, q)_tag(#3, 1)")
    return formula(SUM, *SUM_PATHS), formula(swapped, *SUM_PATHS)


def identity(term):
    return {path: path for path in {glyph.owner for glyph in term}}


def ways(morph):
    """Where each link's old and new glyph belong."""
    return [
        (
            joint.kind,
            None if joint.old is None else morph.old[joint.old].owner,
            None if joint.new is None else morph.new[joint.new].owner,
        )
        for joint in morph.links
    ]


def halfway(morph, alpha=0.5):
    morph.rate_func = lambda t: t
    morph.begin()
    morph.interpolate(alpha)
    return [glyph.points.copy() for glyph in morph.mobject]


def test_equal_signs_in_different_places_are_told_apart(terms):
    """The three q look alike; each goes to its own place, not to the nearest."""
    morph = Morph(*terms, identity(terms[0]))
    assert {(kind, old == new) for kind, old, new in ways(morph)} == {("move", True)}
    assert len(morph.links) == len(terms[0])


def test_two_equal_pluses_keep_their_order(terms):
    pluses = [i for i, g in enumerate(terms[0]) if g.owner == ()]
    links = [j for j in link(*terms, identity(terms[0])) if j.old in pluses]
    assert [j.old for j in links] == [j.new for j in sorted(links, key=lambda j: j.new)]
    assert len({j.new for j in links}) == 2


def test_within_a_node_glyphs_find_those_that_look_alike(formula):
    old, new = formula("tag(#1, a b)", ()), formula("tag(#1, b a)", ())
    assert {(j.old, j.new) for j in link(old, new, {(): ()})} == {(0, 1), (1, 0)}


def test_motion_begins_at_the_old_glyphs_and_ends_at_the_new(terms):
    old, new = terms
    morph = Morph(old.shift(UP), new.shift(DOWN), identity(old))
    for alpha, term, side in ((0.0, old, "old"), (1.0, new, "new")):
        now = halfway(morph, alpha)
        for joint, points in zip(morph.links, now, strict=True):
            np.testing.assert_allclose(points, term[getattr(joint, side)].points, atol=1e-9)


def test_no_glyph_teleports(terms):
    """Between neighbouring frames no outline moves further than a thirtieth of the frame."""
    morph = Morph(*terms, identity(terms[0]), run_time=1)
    morph.begin()
    frames = []
    for alpha in np.linspace(0, 1, 61):
        morph.interpolate(alpha)
        frames.append([glyph.get_center() for glyph in morph.mobject])
    assert np.linalg.norm(np.diff(frames, axis=0), axis=-1).max() < 14.2 / 30


def test_what_crosses_bows_apart_and_what_does_not_goes_straight(terms):
    crossing = Morph(*terms, identity(terms[0]))
    heights = [points[:, 1].mean() for points in halfway(crossing)]
    assert np.ptp(heights) > 0.7 * terms[0][0].em
    way = 2 * UP + 4 * RIGHT
    straight = Morph(terms[0], terms[0].copy().shift(way), identity(terms[0]))
    for joint, points in zip(straight.links, halfway(straight), strict=True):
        np.testing.assert_allclose(points, terms[0][joint.old].points + way / 2, atol=1e-9)


def test_a_glyph_without_an_ancestor_is_refused(formula):
    old, new = formula("tag(#1, q)", (0,)), formula("tag(#1, q) tag(#2, k)", (0,), (1,))
    with pytest.raises(FilmError, match=r"the node at \(1,\)") as caught:
        Morph(old, new, {(0,): (0,)})
    assert caught.value.kind == "orphan-glyph"


def test_a_glyph_that_no_node_drew_is_refused(formula):
    old, new = formula("tag(#1, q)", (0,)), formula("tag(#1, q) k", (0,))
    with pytest.raises(FilmError, match="no node"):
        Morph(old, new, {(0,): (0,)}, born=[(), (0,), (1,)])


def test_a_birth_is_allowed_when_the_step_says_so(formula):
    old = formula("tag(#1, q dot k)", ())
    new = formula(
        "tag(#1, tag(#2, q dot k) / tag(#3, sqrt(tag(#4, d)_tag(#5, k))))",
        (),
        (0,),
        (1,),
        (1, 0),
        (1, 0, 0),
    )
    morph = Morph(old, new, {(0,): ()}, born={(), *new.nodes((1,))})
    kinds = Counter(kind for kind, *_ in ways(morph))
    assert kinds == {"move": 3, "appear": 5}  # bar; radical, its bar, d, k
    assert {new for kind, _, new in ways(morph) if kind == "appear"} == {
        (),
        (1,),
        (1, 0),
        (1, 0, 0),
    }


def test_a_birth_does_not_extend_to_the_nodes_below(formula):
    old, new = (
        formula("tag(#1, q)", ()),
        formula("tag(#1, tag(#2, q) + tag(#3, k))", (), (0,), (1,)),
    )
    with pytest.raises(FilmError, match=r"the node at \(1,\)"):
        Morph(old, new, {(0,): ()}, born=[()])


def test_one_node_used_twice_is_copied(formula):
    old, new = formula("tag(#1, x)", (0,)), formula("tag(#1, x) tag(#2, x)", (0,), (1,))
    morph = Morph(old, new, {(0,): (0,), (1,): (0,)})
    assert ways(morph) == [("move", (0,), (0,)), ("copy", (0,), (1,))]


def test_two_nodes_become_one(formula):
    old, new = formula("tag(#1, x) tag(#2, x)", (0,), (1,)), formula("tag(#1, x)", (0,))
    morph = Morph(old, new, {(0,): [(0,), (1,)]})
    assert ways(morph) == [("move", (0,), (0,)), ("merge", (1,), (0,))]


def test_what_has_no_descendant_vanishes(formula):
    old, new = formula("tag(#1, x) tag(#2, y)", (0,), (1,)), formula("tag(#1, x)", (0,))
    assert ("vanish", (1,), None) in ways(Morph(old, new, {(0,): (0,)}))


def test_an_empty_list_of_ancestors_is_no_ancestor(formula):
    old, new = formula("tag(#1, x)", (0,)), formula("tag(#1, x)", (0,))
    with pytest.raises(FilmError):
        Morph(old, new, {(0,): []})


def test_a_letter_that_changes_size_is_still_one_letter(formula):
    big, small = formula("tag(#1, x)", (0,)), formula("a_tag(#1, x)", (0,))
    assert same_shape(formula("tag(#1, +)", (0,))[0], formula("a_tag(#1, +)", (0,))[-1])
    morph = Morph(big, small.at((0,)), {(0,): (0,)})
    assert ways(morph)[0][0] == "move"


def test_letters_that_differ_are_not_one_shape(formula):
    letters = formula("tag(#1, x y d k)", (0,))
    assert [same_shape(a, b) for a in letters for b in letters] == np.eye(
        4, dtype=bool
    ).ravel().tolist()


def test_a_step_whose_two_sides_look_alike_works(terms):
    morph = Morph(terms[0], terms[0].copy(), identity(terms[0]))
    assert {kind for kind, *_ in ways(morph)} == {"move"}
    halfway(morph)


def test_a_subtree_maps_node_by_node(terms):
    assert subtree(terms[0], (1,), (5, 1)) == {(1,): (5, 1), (1, 0): (5, 1, 0)}


@pytest.mark.usefixtures("dry")
def test_nothing_else_on_the_stage_is_touched(terms):
    scene = Scene(renderer=DryRenderer())
    bystander = terms[0].copy().shift(2 * UP)
    before = [glyph.points.copy() for glyph in bystander]
    scene.add(bystander, terms[0])
    scene.play(Morph(*terms, identity(terms[0])))
    assert bystander in scene.mobjects
    assert terms[1] in scene.mobjects
    assert terms[0] not in scene.mobjects
    staged = {id(m) for m in scene.get_mobject_family_members() if len(m.points)}
    assert staged == {id(g) for g in (*bystander, *terms[1])}
    for glyph, points in zip(bystander, before, strict=True):
        np.testing.assert_array_equal(glyph.points, points)


def test_the_formulas_themselves_are_not_changed(terms):
    old, new = terms
    before = [g.points.copy() for g in (*old, *new)]
    halfway(Morph(old, new, identity(old)))
    for glyph, points in zip((*old, *new), before, strict=True):
        np.testing.assert_array_equal(glyph.points, points)
