"""Random worlds that satisfy given hypotheses, at any size, without a loop over entries.

A world is drawn blindly, then each hypothesis that fails is repaired by one whole-array change:
an entry is set to the other side of an equation, moved to the right side of an inequality, or
scaled to a prescribed sum. A world is handed out only if every hypothesis holds in it.

Random arrays get a finite distribution, the product of independent skewed two-point ones, with
all its outcomes listed: expectations are then sums without sampling error.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import islice, product
from typing import Any

import numpy as np

from derive.binding import rebind, rebuild, unbind
from derive.signature import PROP, REAL, Array, Range
from derive.terms import Term
from numeric.errors import NumericError
from numeric.world import Opened, World, guarded, measure, opened, size

ATTEMPTS = 60
PASSES = 4
MARGIN = Fraction(
    3, 5
)  # inequalities are met with room to spare, so that limits are reached in finite range
OUTCOME_BITS = 8
MOST_UNKNOWNS = 64
MOST_LAWS = 200
# Mean 0, variance 1, third moment 3/2: what assumes symmetry or a normal law shows.
SKEWED = np.asarray([-0.5, 2.0]), np.asarray([0.8, 0.2])


@dataclass(frozen=True)
class Vocabulary:
    """What some statements speak of, in a fixed order."""

    arrays: tuple[Array, ...]
    symbols: tuple[str, ...]
    indices: tuple[Term, ...]
    ranges: tuple[Range, ...]

    @classmethod
    def of(cls, statements: Sequence[Term]) -> "Vocabulary":
        """Collect the names in the statements."""
        names = frozenset().union(*(s.names for s in statements))
        terms = [x for x in names if type(x) is Term]
        ranges = {part for x in names if type(x) is Range for part in _atoms(x)}
        return cls(
            _sorted(x for x in names if type(x) is Array),
            tuple(sorted(x.data for x in terms if x.op == "sym")),
            _sorted(x for x in terms if x.op == "ix"),
            _sorted(ranges),
        )


def _sorted(items: Any) -> tuple:
    return tuple(sorted(items, key=lambda x: str(x.data) if type(x) is Term else x.name))


def _atoms(over: Range) -> Iterator[Range]:
    if over.parts:
        for part in over.parts:
            yield from _atoms(part)
    else:
        yield over


def sample(
    hypotheses: Sequence[Term],
    conclusion: Term,
    *,
    seed: int = 0,
    sizes: tuple[int, int] = (2, 6),
    tight: bool = False,
    reach: float = 1.0,
) -> World:
    """Return a world in which every hypothesis holds.

    Parameters
    ----------
    hypotheses, conclusion
        Propositions; the conclusion only says what must be given a meaning.
    seed
        The same seed gives the same world.
    sizes
        The least and the greatest size of a range.
    tight
        Meet ``≤`` hypotheses with equality where one change can, so that a bound that follows
        from them is nearly reached.
    reach
        How far symbols and entries spread.

    Raises
    ------
    NumericError
        If no such world was found.
    """
    words = Vocabulary.of([*hypotheses, conclusion])
    pointed = Vocabulary.of(hypotheses).indices if hypotheses else ()
    failing: list[Term] = []
    for attempt in range(ATTEMPTS):
        rng = np.random.default_rng((seed, attempt))
        bounds = sizes if attempt % 2 == 0 else (1, 2)
        world = _draw(words, pointed, hypotheses, bounds, reach, rng)
        if world is None:
            continue
        world = _repaired(world, hypotheses, rng)
        if tight:
            world = _tightened(world, hypotheses)
        failing = [h for h in hypotheses if not measure(h, world).holds]
        if not failing:
            return world
    raise NumericError(
        f"hypotheses {', '.join(map(repr, failing or hypotheses))}",
        "hypotheses that a random world can be made to satisfy",
        "give the check a world of your own",
    )


# ------------------------------------------------------------------ drawing


def _draw(
    words: Vocabulary,
    pointed: tuple[Term, ...],
    hypotheses: Sequence[Term],
    bounds: tuple[int, int],
    reach: float,
    rng: np.random.Generator,
) -> World | None:
    """Draw blindly; None where the sizes already contradict a hypothesis."""
    sizes = {over.name: int(rng.integers(bounds[0], bounds[1] + 1)) for over in words.ranges}
    _shrink(sizes, [array for array in words.arrays if array.random])
    about_sizes = [h for h in hypotheses if all(type(x) is Range for x in h.names)]
    bijections = {node.data for h in hypotheses for node in _nodes(h) if node.op == "bij"}
    _settle(sizes, about_sizes, bijections)
    if any(not measure(h, World({}, sizes)).holds for h in about_sizes):
        return None
    values: dict[str, np.ndarray] = {
        name: np.asarray(np.exp(reach * rng.uniform(-0.8, 0.5))) for name in words.symbols
    }
    for array in words.arrays:
        if not array.random:
            values[array.name] = _entries(array, array in bijections, sizes, reach, rng)
    points = {point: int(rng.integers(size(point.kind, sizes))) for point in pointed}
    world = World(values, sizes, points)
    return _with_chances(world, [array for array in words.arrays if array.random])


def _nodes(term: Term) -> Iterator[Term]:
    yield term
    for arg in term.args:
        yield from _nodes(arg)


def _entries(
    array: Array, bijective: bool, sizes: Mapping[str, int], reach: float, rng: np.random.Generator
) -> np.ndarray:
    shape = tuple(size(axis, sizes) for axis in array.axes)
    if array.out == REAL:
        return reach**0.5 * (rng.uniform(-0.5, 0.5) + rng.uniform(-0.9, 0.9, shape))
    if array.out == PROP:
        return rng.random(shape) < 0.6
    target = size(array.out, sizes)
    return rng.permutation(target) if bijective else rng.integers(target, size=shape)


def _settle(
    sizes: dict[str, int], about_sizes: Sequence[Term], bijections: Iterable[Array]
) -> None:
    """Give ranges whose size an equation or a bijection states that size."""
    for array in bijections:
        sizes[array.out.name] = size(array.axes[0], sizes)
    for _ in about_sizes:
        for equation in (h for h in about_sizes if h.op == "eq"):
            for side, other in (equation.args, reversed(equation.args)):
                if side.op == "size":
                    sizes[side.data.name] = round(float(World({}, sizes).evaluate(other, ())[0]))
                    break


def _shrink(sizes: dict[str, int], random: Sequence[Array]) -> None:
    """Make ranges smaller until the outcomes of all random entries together can be listed."""
    while sum(_cells(array, sizes) for array in random) > OUTCOME_BITS:
        axes = {atom.name for array in random for axis in array.axes for atom in _atoms(axis)}
        widest = max(sorted(axes), key=sizes.__getitem__)
        if sizes[widest] == 1:
            return
        sizes[widest] -= 1


def _cells(array: Array, sizes: Mapping[str, int]) -> int:
    return int(np.prod([size(axis, sizes) for axis in array.axes], dtype=int))


def _with_chances(world: World, random: Sequence[Array]) -> World:
    """Give the random arrays independent entries of mean 0 and variance 1."""
    if not random:
        return world
    bits = sum(_cells(array, world.sizes) for array in random)
    outcomes = (np.arange(2**bits)[:, None] >> np.arange(bits)) & 1  # (outcomes, cells)
    values, chances = SKEWED
    entries = dict(world.values)
    start = 0
    for array in random:
        stop = start + _cells(array, world.sizes)
        shape = tuple(size(axis, world.sizes) for axis in array.axes)
        entries[array.name] = values[outcomes[:, start:stop]].reshape(-1, *shape)
        start = stop
    return replace(world, values=entries, probability=np.prod(chances[outcomes], axis=1))


# ------------------------------------------------------------------ repairing


def _repaired(world: World, hypotheses: Sequence[Term], rng: np.random.Generator) -> World:
    """Repair the failing hypotheses one after another, a few times over."""
    world = _shifted_chances(world, hypotheses)
    for _ in range(PASSES):
        failing = [h for h in hypotheses if not measure(h, world).holds]
        if not failing:
            break
        for hypothesis in failing:
            world = _repair(world, hypothesis, rng)
    return _roomy(world, hypotheses, rng)


def _roomy(world: World, hypotheses: Sequence[Term], rng: np.random.Generator) -> World:
    """Meet strict inequalities with a margin where that breaks no hypothesis."""
    for hypothesis in (h for h in hypotheses if h.op == "all"):
        core = opened(hypothesis, world).core
        if core.op != "lt" or core.args[0].kind != REAL:
            continue
        wide = _by_margin(hypothesis)
        moved = world if measure(wide, world).holds else _repair(world, wide, rng)
        world = moved if all(measure(h, moved).holds for h in hypotheses) else world
    return world


def _by_margin(statement: Term) -> Term:
    """Return the statement with its strict inequality sharpened by the margin."""
    if statement.op == "all":
        variable, body = unbind(statement)
        return rebind(statement, variable, _by_margin(body))
    if statement.op == "imp":
        return rebuild(statement, (statement.args[0], _by_margin(statement.args[1])))
    below, above = statement.args
    return rebuild(statement, (below + MARGIN, above))


def _tightened(world: World, hypotheses: Sequence[Term]) -> World:
    """Turn ``≤`` hypotheses into equations where that breaks no other hypothesis."""
    for hypothesis in hypotheses:
        parts = opened(hypothesis, world)
        if parts.core.op != "le" or parts.core.args[0].kind != REAL:
            continue
        equation = replace(parts, core=Term("eq", parts.core.args))
        targets = sorted(
            _targets(parts.core, parts.axes, world), key=lambda target: -len(target.cells)
        )
        moves = (change(world, equation, t) for t in targets for change in _CHANGES["eq"])
        fitting = (m for m in moves if m and all(measure(h, m).holds for h in hypotheses))
        world = next(fitting, world)
    return world


def _shifted_chances(world: World, hypotheses: Sequence[Term]) -> World:
    """Give the random arrays the first means and spreads that the hypotheses accept.

    First come those that assume least: an uncentred law with second moment 1, then a wide one.
    """
    arrays = _sorted({a for h in hypotheses for a in h.arrays if a.random})
    moved = [_own_laws(array, world, hypotheses) for array in arrays]
    for values in islice(product(*moved), MOST_LAWS):
        shifted = dict(zip((a.name for a in arrays), values, strict=True))
        candidate = replace(world, values={**world.values, **shifted})
        about = (h for h in hypotheses if any(a.random for a in h.arrays))
        if all(measure(h, candidate).holds for h in about):
            return candidate
    return world


def _own_laws(array: Array, world: World, hypotheses: Sequence[Term]) -> list[np.ndarray]:
    """Return the array under each law that the hypotheses about it alone accept."""
    own = [h for h in hypotheses if {a for a in h.arrays if a.random} == {array}]
    symbols = [world.values[name] for name in Vocabulary.of(own).symbols]
    roots = [np.sqrt(np.abs(x)) for x in symbols]
    laws = [(0.6, 0.8), (0.0, 1.3), *product([0.0, 1.0, *symbols], [1.0, *symbols, *roots])]
    moved = [mean + spread * world.values[array.name] for mean, spread in laws]
    worlds = [replace(world, values={**world.values, array.name: x}) for x in moved]
    return [x for x, w in zip(moved, worlds, strict=True) if all(measure(h, w).holds for h in own)]


@dataclass(frozen=True)
class _Target:
    """An array entry (or a symbol) that a repair may change, and which of its cells."""

    name: str
    cells: tuple[Term | int | None, ...]  # by axis: one of the statement's, an element, or all


def _repair(world: World, hypothesis: Term, rng: np.random.Generator) -> World:
    """Return a world where the hypothesis holds, if one whole-array change brings that about."""
    parts = opened(hypothesis, world)
    if parts.core.op == "and":
        for arg in parts.core.args:
            world = _repair(world, parts.closed(arg), rng)
        return world
    if parts.core.op in ("entry", "not"):
        return _decided(world, parts)
    if parts.core.op not in ("eq", "le", "lt") or parts.core.args[0].kind != REAL:
        return _redrawn(world, parts, rng)
    targets = list(dict.fromkeys(_targets(parts.core, parts.axes, world)))
    targets = [targets[n] for n in rng.permutation(len(targets))]
    for change in _CHANGES[parts.core.op]:
        for target in targets:
            moved = change(world, parts, target)
            if moved is not None and measure(hypothesis, moved).holds:
                return moved
    return _redrawn(world, parts, rng)


def _decided(world: World, parts: Opened) -> World:
    """Give the cells of a mask the truth that the hypothesis wants."""
    wanted, entry = parts.core.op == "entry", parts.core
    if not wanted:
        (entry,) = entry.args
    if entry.op != "entry":
        return world
    allowed = guarded(parts, world)
    places = [np.broadcast_to(world.evaluate(i, parts.axes)[0], allowed.shape) for i in entry.args]
    values = world.values[entry.data.name].copy()
    values[tuple(place[allowed] for place in places)] = wanted
    return replace(world, values={**world.values, entry.data.name: values})


def _redrawn(world: World, parts: Opened, rng: np.random.Generator) -> World:
    """Draw the masks of a hypothesis anew, mostly true."""
    masks = [array for array in parts.core.arrays if array.out == PROP]
    fresh = {a.name: rng.random(world.values[a.name].shape) < 0.8 for a in masks}
    return replace(world, values={**world.values, **fresh})


def _targets(term: Term, axes: tuple[Term, ...], world: World) -> Iterator[_Target]:
    """Return the entries in a statement that are plain enough to be changed as a whole."""
    if term.op == "sym":
        yield _Target(term.data, ())
    if term.op == "entry" and term.kind == REAL and not term.data.random and _plain(term.args):
        yield _Target(term.data.name, tuple(_cell(i, axes, world) for i in term.args))
    inner = (unbind(term)[1],) if term.op in ("sum", "lam") else term.args
    for arg in inner:
        yield from _targets(arg, axes, world)


def _plain(indices: tuple[Term, ...]) -> bool:
    return all(i.op in ("ix", "fv") for i in indices) and len(set(indices)) == len(indices)


def _cell(index: Term, axes: tuple[Term, ...], world: World) -> Any:
    if index in world.points:
        return world.points[index]
    return index if index in axes else None


def _sides(world: World, parts: Opened) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return both sides over the axes, and where the guards hold."""
    left, right = (world.evaluate(arg, parts.axes)[0] for arg in parts.core.args)
    return left, right, guarded(parts, world)


def _assigned(world: World, parts: Opened, target: _Target) -> World | None:
    """Set one side, an entry by itself, to the other side."""
    for side, other in ((0, 1), (1, 0)):
        entry = parts.core.args[side]
        if entry.op not in ("entry", "sym") or target not in _targets(entry, parts.axes, world):
            continue
        sides = _sides(world, parts)
        return _changed(world, parts, target, lambda old, new: new, sides[other], sides[2])
    return None


def _scaled(world: World, parts: Opened, target: _Target) -> World | None:
    """Multiply the entries of one side so that it equals the other."""
    left, right, allowed = _sides(world, parts)
    if np.any(left == 0) or np.any(right == 0):
        return None
    for factor in (right / left, left / right):
        moved = _changed(world, parts, target, lambda old, new: old * new, factor, allowed)
        if moved is not None and measure(parts.closed(parts.core), moved).holds:
            return moved
    return None


def _solved(world: World, parts: Opened, target: _Target) -> World | None:
    """Solve an equation that is affine in a whole array: one evaluation for each of its cells."""
    start = np.zeros_like(world.values[target.name], dtype=np.float64)
    if not 1 <= start.size <= MOST_UNKNOWNS:
        return None

    def residual(values: np.ndarray) -> np.ndarray:
        moved = replace(world, values={**world.values, target.name: values})
        left, right, allowed = _sides(moved, parts)
        return (left - right)[allowed]

    offset = residual(start)
    units = np.eye(start.size).reshape(-1, *start.shape)
    slopes = np.stack([residual(unit) - offset for unit in units], axis=-1)
    solution, *_ = np.linalg.lstsq(slopes, -offset, rcond=None)
    return replace(world, values={**world.values, target.name: solution.reshape(start.shape)})


def _raised(world: World, parts: Opened, target: _Target) -> World | None:
    """Add what is missing, and more, to the entries."""
    return _shifted(world, parts, target, 1.0)


def _lowered(world: World, parts: Opened, target: _Target) -> World | None:
    """Take off what is too much, and more."""
    return _shifted(world, parts, target, -1.0)


def _shifted(world: World, parts: Opened, target: _Target, sign: float) -> World | None:
    left, right, allowed = _sides(world, parts)
    excess = left - right
    mirrored = excess + np.abs(excess)  # as far on the right side as it was on the wrong one
    needed = {
        "eq": excess,
        "le": mirrored,
        "lt": np.where(excess > -float(MARGIN), mirrored + float(MARGIN), 0.0),
    }[parts.core.op]
    return _changed(world, parts, target, lambda old, new: old + sign * new, needed, allowed)


def _changed(
    world: World, parts: Opened, target: _Target, combine: Any, by: np.ndarray, allowed: np.ndarray
) -> World | None:
    """Return the world with the target's cells combined with `by` where the guards hold.

    Axes of the statement that the target lacks are collapsed to the largest change.
    """
    named = [cell for cell in target.cells if isinstance(cell, Term)]
    order = [parts.axes.index(cell) for cell in named]
    rest = [n for n in range(len(parts.axes)) if n not in order]
    by, allowed = (
        np.transpose(x, [*order, *rest]).reshape(*(x.shape[n] for n in order), -1)
        for x in (by, allowed)
    )
    if not by.size:
        return None
    by = np.where(allowed, by, -np.inf).max(axis=-1)
    allowed = allowed.any(axis=-1)
    where = tuple(cell if isinstance(cell, int) else slice(None) for cell in target.cells)
    spread = (
        None if cell is None else slice(None) for cell in target.cells if not isinstance(cell, int)
    )
    spread = tuple(spread)
    by, allowed = by[spread], allowed[spread]
    values = np.array(world.values[target.name], dtype=np.float64)
    old = values[where]
    values[where] = np.where(allowed, combine(old, np.where(allowed, by, 0.0)), old)
    return replace(world, values={**world.values, target.name: values})


_CHANGES = {
    "eq": (_assigned, _scaled, _lowered, _raised, _solved),
    "le": (_raised, _lowered),
    "lt": (_raised, _lowered),
}
