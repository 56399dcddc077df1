"""Ways in which parts come, change and go, beyond those of single blocks."""

from dataclasses import replace
from typing import Any

import numpy as np
from manim import Mobject

from animations.motion import Motion, Pose


class Arrive(Motion):
    """From where another thing stands, at its height, to its own place: how a copy travels."""

    def __init__(self, mobject: Mobject, source: Mobject, **options: Any) -> None:
        super().__init__(mobject, **options)
        self._from, self._height = source.get_center(), source.height

    def poses(self, now: Pose) -> tuple[Pose, Pose]:
        low, high = now.points.min(axis=0), now.points.max(axis=0)
        factor = self._height / max((high - low)[1], 1e-9)
        return replace(now, points=self._from + (now.points - (low + high) / 2) * factor), now


class Become(Motion):
    """To the look of another thing of the same make."""

    def __init__(self, mobject: Mobject, target: Mobject, **options: Any) -> None:
        super().__init__(mobject, **options)
        self._target = Pose.of(target.family_members_with_points())

    def poses(self, now: Pose) -> tuple[Pose, Pose]:
        return now, self._target


class Grow(Motion):
    """Out of one of its edges, along one direction."""

    def __init__(self, mobject: Mobject, edge: Any, **options: Any) -> None:
        super().__init__(mobject, **options)
        self._edge = np.asarray(edge, dtype=float)

    def poses(self, now: Pose) -> tuple[Pose, Pose]:
        anchor = self.mobject.get_critical_point(self._edge)
        along = np.abs(self._edge) > 0
        return replace(now, points=np.where(along, anchor, now.points)), now


class Fold(Motion):
    """Into another thing, shrinking if that is lower, and fading; afterwards it is off the stage."""

    def __init__(self, mobject: Mobject, target: Mobject, **options: Any) -> None:
        super().__init__(mobject, remover=True, **options)
        self._to, self._height = target.get_center(), target.height

    def poses(self, now: Pose) -> tuple[Pose, Pose]:
        low, high = now.points.min(axis=0), now.points.max(axis=0)
        factor = min(1.0, self._height / max((high - low)[1], 1e-9))
        points = self._to + (now.points - (low + high) / 2) * factor
        return now, replace(now.faded(), points=points)


class Depart(Motion):
    """To where another thing stands, fading on the way; afterwards it is off the stage."""

    def __init__(self, mobject: Mobject, target: Mobject, **options: Any) -> None:
        super().__init__(mobject, remover=True, **options)
        self._by = target.get_center() - mobject.get_center()

    def poses(self, now: Pose) -> tuple[Pose, Pose]:
        return now, replace(now.faded(), points=now.points + self._by)
