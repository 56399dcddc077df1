"""Finite distributions with exact probabilities, from which small models draw.

Each law takes a number of cells and gives ``(probability, values)`` pairs, or nothing where it
does not exist at that size. Together they separate what is easily confused: uncorrelated from
independent, zero mean from none, second moment from variance, pairwise from mutual.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from random import Random

from derive.model import Outcome, Table
from derive.signature import Array

Law = list[tuple[Fraction, tuple[Fraction, ...]]]
Cells = dict[Array, list[tuple[int, ...]]]

LARGEST_LAW = 512  # outcomes of all random arrays together


def _each_alone(cases: Sequence[tuple[Fraction, Fraction]]) -> Callable[[int], Law]:
    """Cells that are independent and distributed alike."""

    def law(count: int) -> Law:
        if len(cases) ** count > LARGEST_LAW:
            return []
        return [
            (math.prod((p for p, _ in case), start=Fraction(1)), tuple(x for _, x in case))
            for case in product(cases, repeat=count)
        ]

    return law


def _cases(*pairs: tuple[str, str]) -> list[tuple[Fraction, Fraction]]:
    return [(Fraction(p), Fraction(x)) for p, x in pairs]


HALF = Fraction(1, 2)

signs = _each_alone(_cases(("1/2", "1"), ("1/2", "-1")))  # mean 0, variance 1
skew = _each_alone(_cases(("4/5", "-1/2"), ("1/5", "2")))  # mean 0, variance 1, third moment not 0
lifted = _each_alone(_cases(("1/2", "0"), ("1/2", "2")))  # mean 1, variance 1
wide = _each_alone(_cases(("1/2", "3"), ("1/2", "-1")))  # mean 1, variance 4
spiky = _each_alone(_cases(("1/8", "2"), ("3/4", "0"), ("1/8", "-2")))  # mean 0, variance 1
biased = _each_alone(_cases(("3/4", "1"), ("1/4", "-1")))  # mean 1/2, second moment 1
ones = _each_alone(_cases(("1", "1")))  # constant 1: second moment 1, mean not 0


def one_sign(count: int) -> Law:
    """±(1, 1, …): mean 0, second moments 1, fully correlated."""
    return [(HALF, (Fraction(s),) * count) for s in (1, -1)]


def axes(count: int) -> Law:
    """±√d·eᵢ: uncorrelated, mean 0, variance 1, not independent; d must be a square."""
    root = math.isqrt(count)
    if root * root != count or not count:
        return []
    return [
        (Fraction(1, 2 * count), tuple(Fraction(s * root * (at == i)) for at in range(count)))
        for i in range(count)
        for s in (1, -1)
    ]


def parity(count: int) -> Law:
    """(s, t, st, s, t, st, …): of three cells each pair is independent, all three are not."""
    return [
        (Fraction(1, 4), tuple(Fraction((s, t, s * t)[at % 3]) for at in range(count)))
        for s, t in product((1, -1), repeat=2)
    ]


LAWS: tuple[Callable[[int], Law], ...] = (
    signs,
    one_sign,
    skew,
    axes,
    ones,
    biased,
    lifted,
    parity,
    wide,
    spiky,
)


def draw_outcomes(
    cells: Cells, tied: bool, fits: Callable[[Array, Law], bool], rng: Random
) -> tuple[Outcome, ...] | None:
    """A joint law of random arrays; None where none fits or the one drawn is too large.

    Parameters
    ----------
    cells : dict
        The index of every cell of every random array.
    tied : bool
        Whether arrays may depend on each other; else they are independent.
    fits : callable
        Whether an array may have this law, as far as is known of the array alone.
    rng : random.Random
        Where choices come from.
    """
    joint: list[tuple[Fraction, dict[Array, tuple[Fraction, ...]]]] = [(Fraction(1), {})]
    for array, places in cells.items():
        twins = [other for other in joint[0][1] if len(cells[other]) == len(places)]
        if tied and twins and rng.random() < 0.6:
            twin, factor = rng.choice(twins), rng.choice((1, 1, -1))
            joint = [(p, {**seen, array: _times(factor, seen[twin])}) for p, seen in joint]
            continue
        laws = (law(len(places)) for law in rng.sample(LAWS, len(LAWS)))
        law = next((law for law in laws if law and fits(array, law)), None)
        if law is None or len(joint) * len(law) > LARGEST_LAW:
            return None
        joint = [(p * r, {**seen, array: x}) for p, seen in joint for r, x in law]
    merged: dict[tuple, Fraction] = {}
    for p, seen in joint:
        merged[tuple(seen.items())] = merged.get(tuple(seen.items()), 0) + p
    return tuple(
        Outcome(p, {array: place(cells[array], x) for array, x in seen})
        for seen, p in merged.items()
    )


def place(places: list[tuple[int, ...]], values: tuple[Fraction, ...]) -> Table:
    """The values as entries of an array."""
    return dict(zip(places, values, strict=True))


def _times(factor: int, values: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
    return tuple(factor * x for x in values)
