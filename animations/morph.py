"""From one drawn formula to the next, glyph by glyph, along the ancestry of their nodes.

A step says for each new node which old nodes it came from. What keeps its node moves, what is
used twice is copied, several that become one merge, the rest vanish. A new glyph without an
ancestor is refused unless the step says that its node is born here. Glyphs are never matched
by their look across nodes, so two equal signs in different places stay apart.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from manim import Scene, VGroup
from numpy.typing import NDArray

from animations.errors import FilmError
from animations.formula import Formula, Glyph, Path
from animations.motion import Motion, Pose

Origins = Mapping[Path, Path | list[Path]]

_CLEAR = np.array([1.0, 1.0, 1.0, 0.0])
_BOW = 0.6  # ems: what travels right passes this far above, what travels left below
_FAR = 2.5  # ems: what travels as far bows fully
_SAME_SHAPE = 0.05  # of the height: sizes of one letter differ less, two letters more


@dataclass(frozen=True)
class Link:
    """What becomes of one glyph: positions among the old and the new glyphs."""

    kind: Literal["move", "copy", "merge", "appear", "vanish"]
    old: int | None
    new: int | None


def link(
    old: Sequence[Glyph],
    new: Sequence[Glyph],
    origins: Origins,
    born: Collection[Path] = (),
) -> tuple[Link, ...]:
    """Find for each glyph where it goes and where it comes from.

    Parameters
    ----------
    old, new
        The glyphs before and after, in reading order.
    origins
        For each new node the old node, or the list of old nodes, that it came from.
    born
        The new nodes that have no ancestor.

    Raises
    ------
    FilmError
        If a new glyph has no ancestor and its node is not born (a finding ``orphan-glyph``).
    """
    before, after = _by_owner(old), _by_owner(new)
    links: list[Link] = []
    used: set[int] = set()
    for path, targets in after.items():
        ancestors = _ancestors(origins, path)
        if ancestors is None and path not in born:
            raise _orphan(path, [new[i] for i in targets])
        sources = [i for ancestor in ancestors or () for i in before.get(ancestor, ())]
        for source, target in _matched(old, new, sources, targets):
            links.append(_link(source, target, used))
            used.update(() if source is None else (source,))
        links += _merging(sources, targets, used, several=len(ancestors or ()) > 1)
        used.update(sources if len(ancestors or ()) > 1 else ())
    links += [Link("vanish", i, None) for i in range(len(old)) if i not in used]
    return tuple(links)


def subtree(formula: Formula, new: Path, old: Path) -> dict[Path, Path]:
    """Map every node of `formula` under the path `new` to the same place under `old`.

    For steps written by hand, where a whole part moves unchanged.
    """
    return {path: old + path[len(new) :] for path in formula.nodes(new)}


def _by_owner(glyphs: Sequence[Glyph]) -> dict[Path | None, list[int]]:
    found = defaultdict(list)
    for i, glyph in enumerate(glyphs):
        found[glyph.owner].append(i)
    return dict(found)


def _ancestors(origins: Origins, path: Path | None) -> list[Path] | None:
    given = None if path is None else origins.get(path)
    return [given] if isinstance(given, tuple) else given or None


def _orphan(path: Path | None, glyphs: Sequence[Glyph]) -> FilmError:
    node = "no node" if path is None else f"the node at {path}"
    return FilmError(
        given=f"{len(glyphs)} glyphs of {node} without an ancestor",
        expected="an origin for every node that draws something",
        fix="add the node to the step's origins, or name it in born=",
        kind="orphan-glyph",
    )


def _matched(
    old: Sequence[Glyph], new: Sequence[Glyph], sources: list[int], targets: list[int]
) -> list[tuple[int | None, int]]:
    """Pair the glyphs of a node with those of its ancestors: alike first, then in order."""
    free, pairs = list(sources), {}
    for target in targets:
        alike = next((s for s in free if same_shape(old[s], new[target])), None)
        if alike is not None:
            free.remove(alike)
            pairs[target] = alike
    for target in targets:
        if target not in pairs:
            pairs[target] = free.pop(0) if free else None
    return [(pairs[target], target) for target in targets]


def _link(source: int | None, target: int, used: set[int]) -> Link:
    if source is None:
        return Link("appear", None, target)
    return Link("copy" if source in used else "move", source, target)


def _merging(
    sources: list[int], targets: list[int], used: set[int], *, several: bool
) -> list[Link]:
    rest = [source for source in sources if source not in used] if several else []
    return [
        Link("merge", source, targets[min(i, len(targets) - 1)]) for i, source in enumerate(rest)
    ]


def same_shape(one: Glyph, other: Glyph) -> bool:
    """Tell whether two glyphs are one outline at two sizes."""
    if len(one.points) != len(other.points):
        return False
    if one.symbol == other.symbol:
        return True
    return bool(np.abs(_normal(one.points) - _normal(other.points)).max() < _SAME_SHAPE)


def _normal(points: NDArray) -> NDArray:
    low, high = points.min(axis=0), points.max(axis=0)
    return (points - low) / np.maximum(high - low, 1e-9)


@dataclass(frozen=True, eq=False)
class _Piece:
    """A stretch of one glyph's way: two outlines of equal length, two colours, and when."""

    glyph: Glyph
    start: NDArray
    end: NDArray
    colours: tuple[NDArray, NDArray]
    window: tuple[float, float] = (0.0, 1.0)


class Morph(Motion):
    """The old formula becomes the new one; at the end the new one alone is on the stage.

    Parameters
    ----------
    old, new
        The formulas, each where it stands.
    origins, born
        See `link`.

    Attributes
    ----------
    links : tuple of Link
        What becomes of each glyph.
    """

    def __init__(
        self,
        old: Formula,
        new: Formula,
        origins: Origins,
        *,
        born: Collection[Path] = (),
        **options: Any,
    ) -> None:
        self.old, self.new = old, new
        self.links = link(list(old), list(new), origins, born)
        self._pieces = [piece for joint in self.links for piece in self._travel(joint)]
        super().__init__(VGroup(*(piece.glyph for piece in self._pieces)), **options)

    def poses(self, now: Pose) -> tuple[Pose, Pose]:
        pieces = self._pieces
        start = np.concatenate([piece.start for piece in pieces])
        end = np.concatenate([piece.end for piece in pieces])
        self._bows = _bows(pieces)
        self._windows = np.array([piece.window for piece in pieces])
        fills = [np.concatenate([piece.colours[i] for piece in pieces]) for i in (0, 1)]
        return (
            Pose(start, fills[0], now.stroke_rgbas, now.stroke_width),
            Pose(end, fills[1], now.stroke_rgbas, now.stroke_width),
        )

    def _mix(self, channel: str, progress: NDArray) -> NDArray:
        if channel == "points":
            lift = self._bows * np.sin(np.pi * progress)
            points = super()._mix(channel, progress)
            points[:, 1] += np.repeat(lift, [b - a for a, b in self._slices[channel]])
            return points
        low, high = self._windows.T
        return super()._mix(channel, np.clip((progress - low) / (high - low), 0, 1))

    def _travel(self, joint: Link) -> list[_Piece]:
        old = None if joint.old is None else self.old[joint.old]
        new = None if joint.new is None else self.new[joint.new]
        if old is None:
            return [_fade(new, new.points, new.points, (0.5, 1.0), into=True)]
        if new is None:
            return [_fade(old, old.points, old.points, (0.0, 0.5), into=False)]
        if joint.kind == "merge":
            return [_fade(old, old.points, _fitted(old, new), (0.2, 0.7), into=False)]
        if same_shape(old, new):
            return [_Piece(new.copy(), old.points, new.points, (old.fill_rgbas, new.fill_rgbas))]
        return [
            _fade(old, old.points, _fitted(old, new), (0.2, 0.55), into=False),
            _fade(new, _fitted(new, old), new.points, (0.45, 0.8), into=True),
        ]

    def _setup_scene(self, scene: Scene) -> None:
        scene.remove(self.old)
        scene.add(self.mobject)

    def clean_up_from_scene(self, scene: Scene) -> None:
        super().clean_up_from_scene(scene)
        scene.remove(self.mobject)
        scene.add(self.new)


def _fade(
    glyph: Glyph, start: NDArray, end: NDArray, window: tuple[float, float], *, into: bool
) -> _Piece:
    seen, clear = glyph.fill_rgbas, glyph.fill_rgbas * _CLEAR
    return _Piece(glyph.copy(), start, end, (clear, seen) if into else (seen, clear), window)


def _fitted(glyph: Glyph, place: Glyph) -> NDArray:
    """Return a glyph's outline, scaled evenly to the height of another and laid over it."""
    low, high = place.points.min(axis=0), place.points.max(axis=0)
    mine = glyph.points.min(axis=0), glyph.points.max(axis=0)
    factor = (high - low).max() / max((mine[1] - mine[0]).max(), 1e-9)
    return (glyph.points - (mine[0] + mine[1]) / 2) * factor + (low + high) / 2


def _bows(pieces: Sequence[_Piece]) -> NDArray:
    """Return how far each piece bows out of its straight way: only if it crosses another's.

    What goes far makes way for what stays nearly where it was.
    """
    start, end = (_middles(pieces, side) for side in ("start", "end"))
    travels = np.array([piece.start is not piece.end for piece in pieces])
    swapped = (start[:, None] - start) * (end[:, None] - end) < 0
    crossing = (swapped & travels & travels[:, None]).any(axis=1)
    ems = np.array([piece.glyph.em for piece in pieces])
    reach = np.clip((end - start) / (_FAR * ems), -1, 1)
    return crossing * ems * _BOW * reach * np.abs(reach)


def _middles(pieces: Sequence[_Piece], side: str) -> NDArray:
    """Return how far right the middle of each piece is."""
    return np.array([np.mean(getattr(piece, side)[:, 0]) for piece in pieces])
