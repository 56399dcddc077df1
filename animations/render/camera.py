"""A camera that hands Cairo the paths of many mobjects at once.

Manim emits each cubic with a Python call. Here NumPy lays out the path data of a whole batch and
Cairo reads it straight from memory, which gives the same pixels in a third of the time. What
this camera cannot draw that way is left to the stock one.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import cairo
import numpy as np
from manim import Camera, VMobject
from manim.camera.camera import CAP_STYLE_MAP, LINE_JOIN_MAP

__all__ = ["FastCamera", "Rows", "path_data"]

CLOSE = 1e-5  # relative; the absolute tolerance is Manim's own, both as in numpy.isclose
MOVE_TO, CURVE_TO, CLOSE_PATH = (0, 2), (2, 4), (3, 1)  # Cairo's element: its kind, its length
MITER_LIMIT = 10  # Cairo's default: how far a sharp corner may reach, in half line widths
SOFT_EDGE = 2  # pixels that antialiasing may touch beyond the outline

Rows = tuple[int, int]
"""Pixel rows from the first to just before the second."""


@dataclass(frozen=True, slots=True)
class _Drawing:
    """One mobject with the paints that show."""

    mobject: VMobject
    points: np.ndarray
    fill: np.ndarray | None
    stroke: tuple[float, np.ndarray] | None
    background: tuple[float, np.ndarray] | None

    @property
    def width(self) -> float:
        return max(paint[0] if paint else 0.0 for paint in (self.stroke, self.background))


class FastCamera(Camera):
    """Draws what Manim's camera draws, pixel for pixel, and tells which rows were touched.

    Attributes
    ----------
    touched
        Row ranges drawn since the list was last emptied.
    """

    def __init__(self, **options: Any) -> None:
        self.touched: list[Rows] = []
        super().__init__(**options)

    @property
    def all_rows(self) -> Rows:
        return 0, self.pixel_height

    def display_multiple_vectorized_mobjects(
        self, vmobjects: list[VMobject], pixel_array: np.ndarray
    ) -> None:
        """Draw `vmobjects`; those painted with an image are left to the stock camera."""
        if any(mobject.get_background_image() for mobject in vmobjects):
            self.touched.append(self.all_rows)
        super().display_multiple_vectorized_mobjects(vmobjects, pixel_array)

    def display_multiple_point_cloud_mobjects(self, pmobjects: Any, pixel_array: Any) -> None:
        """Draw a point cloud with the stock camera."""
        self.touched.append(self.all_rows)
        super().display_multiple_point_cloud_mobjects(pmobjects, pixel_array)

    def display_multiple_image_mobjects(self, image_mobjects: Any, pixel_array: Any) -> None:
        """Draw pictures with the stock camera."""
        self.touched.append(self.all_rows)
        super().display_multiple_image_mobjects(image_mobjects, pixel_array)

    def display_multiple_non_background_colored_vmobjects(
        self, vmobjects: Iterable[VMobject], pixel_array: np.ndarray
    ) -> None:
        """Draw `vmobjects` from one block of path data."""
        vmobjects = list(vmobjects)
        drawings = [drawing for mobject in vmobjects if (drawing := self._drawing(mobject))]
        if not drawings:
            return
        if not all(map(_is_ordinary, map(type, vmobjects))):
            self.touched.append(self.all_rows)
            super().display_multiple_non_background_colored_vmobjects(vmobjects, pixel_array)
            return
        points = np.concatenate([drawing.points for drawing in drawings])
        self.touched.append(self._rows(points, max(drawing.width for drawing in drawings)))
        counts = [len(drawing.points) // 4 for drawing in drawings]
        data, starts = path_data(points, np.cumsum([0, *counts[:-1]]))
        context = self.get_cairo_context(pixel_array)
        append = _appender(context, data)
        for drawing, (start, end) in zip(drawings, pairwise(starts), strict=True):
            context.new_path()
            append(start, end)
            self._paint(context, drawing)

    def _drawing(self, mobject: VMobject) -> _Drawing | None:
        """Return what of `mobject` shows, or None."""
        points = self.transform_points_pre_display(mobject, mobject.points)
        whole = len(points) // 4 * 4
        if whole == 0:
            return None
        fill = _seen(self.get_fill_rgbas(mobject))
        stroke, background = self._line(mobject, False), self._line(mobject, True)
        if fill is None and stroke is None and background is None:
            return None
        return _Drawing(mobject, points[:whole, :2], fill, stroke, background)

    def _line(self, mobject: VMobject, background: bool) -> tuple[float, np.ndarray] | None:
        width = mobject.get_stroke_width(background)
        if width == 0:
            return None
        colors = _seen(self.get_stroke_rgbas(mobject, background=background))
        return None if colors is None else (width, colors)

    def _paint(self, context: cairo.Context, drawing: _Drawing) -> None:
        """Paint the context's path in Manim's order: background line, fill, line."""
        if drawing.background:
            self._stroke(context, drawing.mobject, *drawing.background)
        if drawing.fill is not None:
            self.set_cairo_context_color(context, drawing.fill, drawing.mobject)
            context.fill_preserve()
        if drawing.stroke:
            self._stroke(context, drawing.mobject, *drawing.stroke)

    def _stroke(
        self, context: cairo.Context, mobject: VMobject, width: float, colors: np.ndarray
    ) -> None:
        self.set_cairo_context_color(context, colors, mobject)
        context.set_line_width(width * self.cairo_line_width_multiple)
        context.set_line_join(LINE_JOIN_MAP[mobject.joint_type])
        context.set_line_cap(CAP_STYLE_MAP[mobject.cap_style])
        context.stroke_preserve()

    def _rows(self, points: np.ndarray, width: float) -> Rows:
        """Return the rows that curves through `points` can touch: they lie within their hull."""
        scale = self.pixel_height / self.frame_height
        reach = width * self.cairo_line_width_multiple / 2 * MITER_LIMIT
        top, bottom = points[:, 1].max() + reach, points[:, 1].min() - reach
        middle = self.pixel_height / 2 + self.frame_center[1] * scale
        first = int(np.floor(middle - top * scale)) - SOFT_EDGE
        last = int(np.ceil(middle - bottom * scale)) + SOFT_EDGE
        limit = self.pixel_height
        return min(max(first, 0), limit), min(max(last, 0), limit)


def path_data(points: np.ndarray, firsts: Sequence[int]) -> tuple[np.ndarray, list[int]]:
    """Lay out cubic curves as Cairo's path data.

    Parameters
    ----------
    points
        Control points, four rows of (x, y) for each curve.
    firsts
        The number of the curve at which each mobject begins, in order.

    Returns
    -------
    data
        Rows of 16 bytes: element headers and points, as ``cairo_path_t`` holds them.
    starts
        The row at which each mobject begins, and the end.
    """
    curves = points.reshape(-1, 4, 2)
    count = len(curves)
    opens = np.ones(count, bool)
    opens[1:] = ~_meet(curves[:-1, 3], curves[1:, 0])
    opens[firsts] = True
    begins = np.flatnonzero(opens)
    ends = np.r_[begins[1:], count] - 1
    closed = _meet(curves[begins, 0], curves[ends, 3])

    # A subpath takes two rows to move to its start, four a curve, and one to close.
    subpath = np.cumsum(opens)
    closes_before = np.r_[0, np.cumsum(closed)][subpath - 1]
    row = 4 * np.arange(count) + 2 * subpath + closes_before
    data = np.empty((4 * count + 2 * len(begins) + int(closed.sum()), 2))
    header = data.view(np.int32)
    header[row, :2] = CURVE_TO
    for step in (1, 2, 3):
        data[row + step] = curves[:, step]
    header[row[begins] - 2, :2] = MOVE_TO
    data[row[begins] - 1] = curves[begins, 0]
    header[row[ends[closed]] + 4, :2] = CLOSE_PATH
    return data, [*(row[firsts] - 2).tolist(), len(data)]


def _meet(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Tell, pair by pair, whether points coincide, by Manim's own tolerance."""
    return (np.abs(a - b) <= _tolerance() + CLOSE * np.abs(b)).all(axis=1)


@cache
def _tolerance() -> float:
    return VMobject().tolerance_for_point_equality


def _seen(colors: np.ndarray) -> np.ndarray | None:
    """Return `colors` unless they are one that is wholly transparent."""
    return colors if len(colors) > 1 or colors[0, 3] > 0 else None


@cache
def _is_ordinary(kind: type[VMobject]) -> bool:
    """Tell whether mobjects of `kind` cut their points into subpaths as `VMobject` does."""
    own = ("consider_points_equals_2d", "get_subpath_split_indices_from_points")
    return all(getattr(kind, name) is getattr(VMobject, name) for name in own)


class _Path(ctypes.Structure):
    """The head of ``cairo_path_t``."""

    _fields_ = (("status", ctypes.c_int), ("data", ctypes.c_void_p), ("rows", ctypes.c_int))


@cache
def _append_path() -> Any:
    """Return Cairo's own function, from the library that pycairo has loaded."""
    function = ctypes.CDLL(cairo._cairo.__file__).cairo_append_path
    function.argtypes = [ctypes.c_void_p, ctypes.POINTER(_Path)]
    function.restype = None
    return function


def _appender(context: cairo.Context, data: np.ndarray) -> Any:
    """Return a function that appends rows of `data` to the path of `context`."""
    # A pycairo context holds its cairo_t* right after the object's header.
    pointer = ctypes.c_void_p.from_address(id(context) + object.__basicsize__)
    base, append, path = data.ctypes.data, _append_path(), _Path(status=0)

    def rows(start: int, end: int) -> None:
        path.data, path.rows = base + start * data.strides[0], end - start
        append(pointer, ctypes.byref(path))

    return rows
