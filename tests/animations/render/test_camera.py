"""Path data as Cairo reads it, and the rows that drawing can touch."""

from itertools import pairwise

import cairo
import numpy as np
import pytest
from manim import (
    Camera,
    Circle,
    CubicBezier,
    Line,
    RoundedRectangle,
    Square,
    Star,
    VGroup,
    VMobject,
    tempconfig,
)

from animations.render.camera import FastCamera, path_data

pytestmark = pytest.mark.render
SIZE = {"pixel_width": 320, "pixel_height": 180}


def picture(kind, *mobjects):
    camera = kind()
    camera.capture_mobjects(mobjects)
    return camera.pixel_array.copy(), camera


def outlines(seed):
    """Mobjects of all sorts: open, closed, of many subpaths, degenerate, unfinished."""
    rng = np.random.default_rng(seed)
    loose = VMobject(fill_opacity=0.6, stroke_width=3)
    loose.points = rng.normal(size=(4 * 9, 3)) * 2
    unfinished = VMobject(stroke_width=5)
    unfinished.points = rng.normal(size=(4 * 2 + 3, 3))
    point = VMobject(stroke_width=4)
    point.points = np.zeros((4, 3))
    ring = Circle(fill_opacity=1)
    ring.append_points(Circle(radius=0.4).points)
    shapes = [loose, unfinished, point, ring, Star(5), Line(), RoundedRectangle()]
    for shape in shapes:
        shape.points = shape.points + rng.normal(size=3) * 2
    return shapes


@pytest.mark.parametrize("seed", range(8))
def test_pixels_are_those_of_manims_camera(seed):
    with tempconfig(SIZE):
        mobjects = outlines(seed)
        assert np.array_equal(picture(FastCamera, *mobjects)[0], picture(Camera, *mobjects)[0])


def test_outlines_that_are_not_finite_are_dropped_as_manim_drops_them():
    with tempconfig(SIZE):
        broken = Square()
        broken.points[5, 0] = np.nan
        mine = picture(FastCamera, broken, Circle())[0]
        assert np.array_equal(mine, picture(Camera, broken, Circle())[0])


def test_mobjects_that_cut_their_points_their_own_way_are_left_to_manim():
    class Odd(Square):
        def consider_points_equals_2d(self, p0, p1):
            return False  # so that no outline is ever closed

    with tempconfig(SIZE):
        odd = Odd(stroke_width=20)
        mine = picture(FastCamera, odd)[0]
        assert np.array_equal(mine, picture(Camera, odd)[0])
        assert not np.array_equal(mine, picture(Camera, Square(stroke_width=20))[0])


@pytest.mark.parametrize("seed", range(8))
def test_nothing_is_drawn_outside_the_rows_named(seed):
    with tempconfig(SIZE):
        for mobject in outlines(seed):
            pixels, camera = picture(FastCamera, mobject)
            top, bottom = camera.touched[0]
            drawn = np.flatnonzero((pixels != camera.background).any(axis=(1, 2)))
            assert len(drawn) == 0 or (top <= drawn[0] and drawn[-1] < bottom)


def test_the_spikes_of_sharp_corners_are_within_the_rows():
    with tempconfig(SIZE):
        spike = VMobject(stroke_width=40).set_points_as_corners(
            [[-0.25, -1, 0], [0, 0, 0], [0.25, -1, 0]]
        )
        pixels, camera = picture(FastCamera, spike)
        top, bottom = camera.touched[0]
    drawn = np.flatnonzero((pixels != camera.background).any(axis=(1, 2)))
    assert top <= drawn[0] < 180 // 2 - 10
    assert drawn[-1] < bottom


def test_rows_are_a_narrow_band():
    with tempconfig(SIZE):
        _, camera = picture(FastCamera, Line(stroke_width=1))
        top, bottom = camera.touched[0]
    assert bottom - top < 20


def test_what_is_invisible_is_not_drawn():
    with tempconfig(SIZE):
        _, camera = picture(FastCamera, VGroup(Square(stroke_opacity=0), VMobject()))
    assert camera.touched == []


def test_path_data_is_what_cairo_would_have_built():
    curve = CubicBezier([0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0])
    # The last begins where the one before it ends, and is an outline of its own all the same.
    shapes = [Square(), curve, Circle(), Line([0, 0, 0], [1, 1, 0]), Line([1, 1, 0], [2, 0, 0])]
    points = np.concatenate([shape.points[:, :2] for shape in shapes])
    counts = [len(shape.points) // 4 for shape in shapes]
    data, starts = path_data(points, np.cumsum([0, *counts[:-1]]))
    assert starts[-1] == len(data)
    kinds = data.view(np.int32)
    for shape, (start, end) in zip(shapes, pairwise(starts), strict=True):
        row, found = start, []
        while row < end:
            kind, length = int(kinds[row, 0]), int(kinds[row, 1])
            found.append((kind, data[row + 1 : row + length].ravel().tolist()))
            row += length
        assert found == _built_by_hand(shape)


def _built_by_hand(shape):
    surface = cairo.ImageSurface(cairo.FORMAT_A8, 1, 1)
    context = cairo.Context(surface)
    expected = []
    for first, last in shape.get_subpath_split_indices_from_points(shape.points, n_dims=2):
        part = shape.points[first:last, :2]
        context.move_to(*part[0])
        expected.append((int(cairo.PATH_MOVE_TO), part[0].tolist()))
        for at in range(1, len(part), 4):
            expected.append((int(cairo.PATH_CURVE_TO), part[at : at + 3].ravel().tolist()))
        if shape.consider_points_equals_2d(part[0], part[-1]):
            expected.append((int(cairo.PATH_CLOSE_PATH), []))
    return expected
