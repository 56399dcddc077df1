"""From one term to the next on the stage, along the ancestry that `derive.origins` finds."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from animations.formula import Formula, Path
from animations.morph import Morph
from derive.origins import orphans, pair
from derive.terms import Term

Origins = Mapping[Path, Sequence[Path]]


def grow(old: Formula, new: Formula, terms: tuple[Term, Term], **options: Any) -> Morph:
    """Let a formula grow into a larger one: equal parts move, the rest appears.

    Parameters
    ----------
    old, new
        The formulas, each where it stands.
    terms
        What they show.
    options
        For the animation.
    """
    return follow(old, new, terms[1], pair(*terms), **options)


def follow(old: Formula, new: Formula, term: Term, found: Origins, **options: Any) -> Morph:
    """Morph along given origins; nodes of the new term without any are born.

    What stood inside a part that a short name was drawn for comes out of that name.
    """
    drawn = {glyph.owner for glyph in old}
    shown = {path: [_drawn(place, drawn) for place in places] for path, places in found.items()}
    kept = {path: [p for p in places if p is not None] for path, places in shown.items()}
    kept = {path: list(dict.fromkeys(places)) for path, places in kept.items() if places}
    return Morph(old, new, kept, born=orphans(term, kept), **options)


def rename(old: Formula, new: Formula, term: Term, root: Path, **options: Any) -> Morph:
    """Morph into the same formula with shorter names, which are what they stand for.

    Parameters
    ----------
    old, new
        The formulas, each where it stands.
    term
        What the new one shows.
    root
        Where in the new term the old one begins.
    options
        For the animation.
    """
    before = {glyph.owner for glyph in old}
    after = {glyph.owner for glyph in new}
    found = {path: _replaced(path[len(root) :], before, after, root) for path in after}
    found = {path: places for path, places in found.items() if places}
    return Morph(old, new, found, born=orphans(term, found), **options)


def _drawn(place: Path, drawn: Collection[Path]) -> Path | None:
    """Return the innermost node around a place that draws anything."""
    around = (place[:length] for length in range(len(place), -1, -1))
    return next((path for path in around if path in drawn), None)


def _replaced(
    place: Path, before: Collection[Path], after: Collection[Path], root: Path
) -> list[Path]:
    """Return a node's old self, and where it is a leaf all that it replaces."""
    is_leaf = not any(o != root + place and o[len(root) :][: len(place)] == place for o in after)
    if not is_leaf:
        return [place] if place in before else []
    return [path for path in sorted(before) if path[: len(place)] == place]
