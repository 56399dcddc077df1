"""Partial derivatives by an entry, recognised.

The derivative of F by the entry s_j is the derivative, at x = 0, of F with x added to that one
entry: every s_l in it is written ``s[l] + x [l = j]``. Where a derivative has exactly this form
it may be drawn as ∂F/∂s_j, since that is what it means.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from derive.binding import rebuild
from derive.signature import Array
from derive.terms import Term, number

Path = tuple[int, ...]


class Slope(NamedTuple):
    """A derivative by an entry.

    Attributes
    ----------
    array
        Whose entry.
    indices
        Which entry: each index, and where in the body it stands.
    body
        What is derived, each ``s[l] + x [l = j]`` being a sum of one part, ``s[l]``.
    """

    array: Array
    indices: tuple[tuple[Term, Path], ...]
    body: Term


def entry_slope(variable: Term, body: Term, point: Term) -> Slope | None:
    """The derivative of the body by an entry, if it is one."""
    nudged = list(_nudges(variable, body, ()))
    if point != number(0) or not nudged:
        return None
    array, indices, path = nudged[0]
    if any((other, which) != (array, indices) for other, which, _ in nudged):
        return None
    settled = _settled(variable, body)
    entries = sum(1 for _ in _entries(array, settled))
    if variable in settled.names or entries != len(nudged) or any(i.loose for i in indices):
        return None
    return Slope(array, tuple(zip(indices, _index_paths(path, len(indices)), strict=True)), settled)


def _index_paths(path: Path, count: int) -> Iterator[Path]:
    """Where j stands in ``s[l] + x [l = j]``."""
    return ((*path, 1, k + 1, 0, 1) for k in range(count))


def _nudge(variable: Term, term: Term) -> tuple[Array, tuple[Term, ...]] | None:
    """The array and the indices j in ``s[l] + x [l = j]``; one bracket for each axis."""
    if term.op != "add" or len(term.args) != 2:
        return None
    entry, bump = term.args
    if entry.op != "entry" or bump.op != "mul" or bump.args[0] != variable:
        return None
    brackets = bump.args[1:]
    if len(brackets) != len(entry.args) or any(b.op != "iv" for b in brackets):
        return None
    pairs = [b.args[0].args for b in brackets if b.args[0].op == "eq"]
    if tuple(left for left, _ in pairs) != entry.args:
        return None
    return entry.data, tuple(right for _, right in pairs)


def _nudges(
    variable: Term, term: Term, path: Path
) -> Iterator[tuple[Array, tuple[Term, ...], Path]]:
    if found := _nudge(variable, term):
        yield *found, path
    for position, arg in enumerate(term.args):
        yield from _nudges(variable, arg, (*path, position))


def _settled(variable: Term, term: Term) -> Term:
    if _nudge(variable, term):
        return Term("add", (term.args[0],))
    return rebuild(term, (_settled(variable, arg) for arg in term.args))


def _entries(array: Array, term: Term) -> Iterator[Term]:
    if term.op == "entry" and term.data == array:
        yield term
    for arg in term.args:
        yield from _entries(array, arg)
