"""How far information must travel: three architectures as graphs, and what is reachable in them.

Positions are 0, 1, 2, … and layers too. `reads` gives the positions of the layer before that one
position of a layer reads; `waits` those of the *same* layer that must be there first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Architecture:
    """A layer's wiring, for n positions.

    Attributes
    ----------
    reads : Callable[[int, int, int], Iterable[int]]
        From n, layer and position.
    waits : Callable[[int], Iterable[int]]
        From a position.
    """

    reads: Callable[[int, int, int], Iterable[int]]
    waits: Callable[[int], Iterable[int]] = lambda position: ()


def nowhere_before_the_first(positions: Iterable[int]) -> list[int]:
    """Only the positions that exist."""
    return [position for position in positions if position >= 0]


attention = Architecture(lambda n, layer, position: range(n))
recurrent = Architecture(
    lambda n, layer, position: nowhere_before_the_first([position, position - 1]),
    lambda position: nowhere_before_the_first([position - 1]),
)


def dilated(width: int, growth: int) -> Architecture:
    """A causal convolution of that width, whose dilation is growth^layer."""
    return Architecture(
        lambda n, layer, position: nowhere_before_the_first(
            position - tap * growth**layer for tap in range(width)
        )
    )


def path_length(network: Architecture, n: int) -> int | None:
    """The steps until the last position has heard of every one; None if it never does."""
    heard = {n - 1}
    for steps in range(2 * n + 1):
        if len(heard) == n:
            return steps
        wired = (network.reads(n, steps, position) for position in heard)
        heard = {source for sources in wired for source in sources}
    return None


def sequential_operations(network: Architecture, n: int) -> int:
    """The longest chain of positions in one layer that must be computed one after another."""
    ready: list[int] = []
    for position in range(n):
        ready.append(1 + max((ready[earlier] for earlier in network.waits(position)), default=0))
    return max(ready)


def logarithm(base: int, n: int) -> int:
    """⌈log_base n⌉, exactly."""
    power = 0
    while base**power < n:
        power += 1
    return power
