"""Animations that move whole families of shapes at once, with arrays instead of loops.

Each is an ordinary Manim animation. None takes a group apart: animating a part of a formula
leaves the formula whole on the stage.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from manim import Animation, ManimColor, Mobject, Scene, VMobject, smooth
from numpy.typing import ArrayLike, NDArray


def early(time: float) -> float:
    """Pace what goes: done by half of the time, before what comes in its place."""
    return float(smooth(min(1.0, 2 * time)))


def late(time: float) -> float:
    """Pace what comes: begun at half of the time, after what was in its place."""
    return float(smooth(max(0.0, 2 * time - 1)))


_CHANNELS = ("points", "fill_rgbas", "stroke_rgbas", "stroke_width")


@dataclass(frozen=True, eq=False)
class Pose:
    """How a row of shapes looks: every channel of all of them, end to end."""

    points: NDArray
    fill_rgbas: NDArray
    stroke_rgbas: NDArray
    stroke_width: NDArray

    @classmethod
    def of(cls, shapes: Sequence[VMobject]) -> "Pose":
        """Read the pose of shapes as they stand."""
        return cls(
            np.concatenate([shape.points for shape in shapes]),
            np.concatenate([shape.fill_rgbas for shape in shapes]),
            np.concatenate([shape.stroke_rgbas for shape in shapes]),
            np.array([float(shape.stroke_width) for shape in shapes]),
        )

    def faded(self) -> "Pose":
        """Return the same pose, wholly transparent."""
        clear = np.array([1.0, 1.0, 1.0, 0.0])
        return replace(
            self, fill_rgbas=self.fill_rgbas * clear, stroke_rgbas=self.stroke_rgbas * clear
        )


class Motion(Animation, ABC):
    """From one pose of a family of shapes to another; subclasses say which."""

    def __init__(self, mobject: Mobject, **options: Any) -> None:
        # an introducer, so that Manim does not add parts of a group beside the group
        super().__init__(mobject, introducer=True, **options)

    @abstractmethod
    def poses(self, now: Pose) -> tuple[Pose, Pose]:
        """Return where the motion begins and ends, given how the shapes look now."""

    def create_starting_mobject(self) -> Mobject:
        return self.mobject

    def begin(self) -> None:
        self.shapes = self.mobject.family_members_with_points()
        self.starting_mobject = self.mobject
        self.start, self.end = self.poses(Pose.of(self.shapes))
        self._changing = [c for c in _CHANNELS if not _equal(self.start, self.end, c)]
        self._slices = {channel: self._spans(channel) for channel in _CHANNELS}
        if self.suspend_mobject_updating:
            self.mobject.suspend_updating()
        self._wear(self.start, _CHANNELS)
        self.interpolate(0)

    def interpolate_mobject(self, alpha: float) -> None:
        progress = self._progress(alpha)
        self._wear(self._between(progress), self._changing)

    def _setup_scene(self, scene: Scene) -> None:
        staged = set(scene.get_mobject_family_members())
        if not staged.issuperset(self.mobject.family_members_with_points()):
            scene.add(self.mobject)

    def _progress(self, alpha: float) -> NDArray:
        """Return each shape's own progress, as `lag_ratio` staggers it."""
        count = len(self.shapes)
        if not self.lag_ratio:
            return np.full(count, self.get_sub_alpha(alpha, 0, count))
        return np.array([self.get_sub_alpha(alpha, i, count) for i in range(count)])

    def _between(self, progress: NDArray) -> Pose:
        mixed = {channel: self._mix(channel, progress) for channel in self._changing}
        return replace(self.start, **mixed)

    def _mix(self, channel: str, progress: NDArray) -> NDArray:
        start, end = getattr(self.start, channel), getattr(self.end, channel)
        weight = np.repeat(progress, [b - a for a, b in self._slices[channel]])
        weight = weight if start.ndim == 1 else weight[:, None]
        return start + (end - start) * weight

    def _spans(self, channel: str) -> list[tuple[int, int]]:
        if channel == "stroke_width":
            return [(i, i + 1) for i in range(len(self.shapes))]
        ends = np.cumsum([len(getattr(shape, channel)) for shape in self.shapes]).tolist()
        return list(zip([0, *ends[:-1]], ends, strict=True))

    def _wear(self, pose: Pose, channels: Sequence[str]) -> None:
        for channel in channels:
            values = getattr(pose, channel)
            for shape, (a, b) in zip(self.shapes, self._slices[channel], strict=True):
                setattr(
                    shape, channel, float(values[a]) if channel == "stroke_width" else values[a:b]
                )


def _equal(one: Pose, other: Pose, channel: str) -> bool:
    return np.array_equal(getattr(one, channel), getattr(other, channel))


class Appear(Motion):
    """From transparent to what it is, rising a little if `rise` is given."""

    def __init__(self, mobject: Mobject, *, rise: float = 0.0, **options: Any) -> None:
        super().__init__(mobject, **options)
        self.rise = rise

    def poses(self, now: Pose) -> tuple[Pose, Pose]:
        return replace(now.faded(), points=now.points - [0.0, self.rise, 0.0]), now


class Vanish(Motion):
    """From what it is to transparent; afterwards it is off the stage, unchanged."""

    def __init__(self, mobject: Mobject, **options: Any) -> None:
        super().__init__(mobject, remover=True, **options)

    def poses(self, now: Pose) -> tuple[Pose, Pose]:
        return now, now.faded()

    def clean_up_from_scene(self, scene: Scene) -> None:
        super().clean_up_from_scene(scene)
        self._wear(self.start, _CHANNELS)


class Move(Motion):
    """Along a straight line by a vector, growing by a factor about the middle."""

    def __init__(
        self, mobject: Mobject, by: ArrayLike = (0, 0, 0), *, factor: float = 1.0, **options: Any
    ) -> None:
        super().__init__(mobject, **options)
        self.by, self.factor = np.asarray(by, dtype=float), factor

    def poses(self, now: Pose) -> tuple[Pose, Pose]:
        middle = (now.points.min(axis=0) + now.points.max(axis=0)) / 2
        return now, replace(now, points=middle + (now.points - middle) * self.factor + self.by)


class Tint(Motion):
    """To another colour, fill and stroke alike, each as opaque as before."""

    def __init__(self, mobject: Mobject, colour: str, **options: Any) -> None:
        super().__init__(mobject, **options)
        self.colour = ManimColor(colour).to_rgb()

    def poses(self, now: Pose) -> tuple[Pose, Pose]:
        dyed = {c: getattr(now, c).copy() for c in ("fill_rgbas", "stroke_rgbas")}
        for rgbas in dyed.values():
            rgbas[:, :3] = self.colour
        return now, replace(now, **dyed)
