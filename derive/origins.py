"""Where the nodes of a term came from: the ancestry that an animation follows. *Not trusted.*

A rewriting step is run once more on a term whose nodes carry their own paths in a slot that
equality ignores; what comes out still carries them. Steps of algebra rebuild everything, so there
equal parts are paired in reading order. A chain of steps composes; a step read backwards inverts.

A map of origins takes the path of each new node to the paths of the old nodes that it came from.
Several new nodes with one ancestor are copies; several ancestors are merged into one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from derive.kinds import BINDERS
from derive.rules import RULES
from derive.terms import Term

Path = tuple[int, ...]
Origins = dict[Path, list[Path]]


def origins(theorem: Any) -> Origins:
    """Where each node of an equation's right side came from in its left side.

    Parameters
    ----------
    theorem
        A theorem of the kernel whose conclusion is an equation.
    """
    left, right = theorem.conclusion.args
    return pair(left, right, _traced(theorem))


def _traced(theorem: Any) -> Origins:
    """What the proof itself tells; nothing, where it rebuilt everything."""
    left, _ = theorem.conclusion.args
    premises = theorem.premises
    match theorem.rule:
        case "reflexivity":
            return {path: [path] for path, _ in nodes(left)}
        case "transitivity":
            return compose(*map(origins, premises))
        case "symmetry":
            return invert(origins(premises[0]))
        case "rewrite" | "rewrite everywhere":
            again = RULES[theorem.rule](*premises, **{**theorem.arguments, "term": mark(left)})
            return read(again.conclusion.args[1], left)
    if len(premises) == 1 and premises[0].conclusion == theorem.conclusion:
        return _traced(premises[0])
    return {}


def orphans(new: Term, found: Origins) -> list[Path]:
    """The nodes without an ancestor: what is truly new, or what a map has lost."""
    return [path for path, _ in nodes(new) if not found.get(path)]


def nodes(term: Term, path: Path = ()) -> Iterator[tuple[Path, Term]]:
    """Every node with its path, in reading order."""
    yield path, term
    for position, arg in enumerate(term.args):
        yield from nodes(arg, (*path, position))


# ------------------------------------------------------------------ marks


def mark(term: Term, path: Path = ()) -> Term:
    """The same term, each node of which knows its path.

    >>> from derive.syntax import Symbol
    >>> x = Symbol("x")
    >>> mark(x + 1).args[1].origin
    (1,)
    """
    args = (mark(arg, (*path, position)) for position, arg in enumerate(term.args))
    return Term(term.op, args, term.data, term.hint, path)


def read(new: Term, old: Term) -> Origins:
    """The marks in a term that was made from `mark(old)`.

    Where a step renewed a bound variable it lost its mark; the place under its parent tells.
    """
    known = dict(nodes(old))
    found: Origins = {}
    for path, node in nodes(new):
        origin = node.origin
        if origin is None and found.get(path[:-1]):
            place = (*found[path[:-1]][0], path[-1])
            origin = place if known.get(place, old).op == node.op in ("bv", "ix", "fv") else None
        if origin in known:
            found[path] = [origin]
    return found


# ------------------------------------------------------------------ pairs


def pair(old: Term, new: Term, known: Origins | None = None) -> Origins:
    """Equal parts, paired: in place first, then in reading order; then signs of one kind.

    What is `known` stays; only what it leaves without an ancestor is paired.
    """
    found = dict(known or {})
    places = dict(nodes(old))
    used = {place for ancestors in found.values() for place in ancestors}
    unused = {path: node for path, node in places.items() if path not in used}
    pairing = _Pairing(found, places, unused)
    for path, node in pairing.parts(new, ()):
        if not node.args:
            continue
        place = _first(path, pairing.unused, lambda other, node=node: _sign(other) == _sign(node))
        if place is not None:
            pairing.add(path, place)
    return found


@dataclass(frozen=True)
class _Pairing:
    """What has been paired, all old places, and those that nothing came from yet."""

    found: Origins
    places: dict[Path, Term]
    unused: dict[Path, Term]

    def add(self, path: Path, place: Path) -> None:
        self.found[path] = [place]
        self.unused.pop(place, None)

    def parts(self, new: Term, path: Path) -> list[tuple[Path, Term]]:
        """Pair the largest equal parts; what is left over is returned."""
        place = None if path in self.found else self._like(new, path)
        if place is not None:
            for below, _ in nodes(new):
                if path + below not in self.found:
                    self.add(path + below, place + below)
            return []
        left_over = [] if path in self.found else [(path, new)]
        for position, arg in enumerate(new.args):
            left_over += self.parts(arg, (*path, position))
        return left_over

    def _like(self, new: Term, path: Path) -> Path | None:
        """An equal part: rather one that nothing came from; a number is sooner born than copied."""
        alike = lambda other: _shape(other) == _shape(new)
        place = _first(path, self.unused, alike)
        return _first(path, self.places, alike) if place is None and new.op != "num" else place


def _first(path: Path, places: dict[Path, Term], wanted: Callable[[Term], bool]) -> Path | None:
    if path in places and wanted(places[path]):
        return path
    return next((place for place, node in places.items() if wanted(node)), None)


def _shape(term: Term) -> Any:
    """What a part is, wherever it stands: its bound variables count by their kind."""
    if not term.loose:
        return term
    data = term.data[1] if term.op == "bv" else term.data
    return (term.op, data, tuple(map(_shape, term.args)))


def _sign(term: Term) -> tuple:
    return term.op, term.data if term.op in BINDERS | {"fn", "def", "pow", "entry"} else None


# ------------------------------------------------------------------ maps


def compose(first: Origins, second: Origins) -> Origins:
    """Two steps as one."""
    chained = {
        path: list(dict.fromkeys(old for middle in places for old in first.get(middle, ())))
        for path, places in second.items()
    }
    return {path: places for path, places in chained.items() if places}


def invert(found: Origins) -> Origins:
    """A step read from right to left."""
    inverse: Origins = {}
    for path, places in found.items():
        for place in places:
            inverse.setdefault(place, []).append(path)
    return inverse
