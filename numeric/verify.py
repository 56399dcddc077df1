"""Floating-point cross-checks of theorems, each with what must fail.

A theorem is measured in random worlds that satisfy its hypotheses. Its mutants are measured in
the same worlds; each must be off by a hundred times what rounding explains, or be a theorem
itself, which only the kernel can say. A check that could not fail proves nothing and does not
pass.

Small worlds are many, for the mutants. Then ranges are made larger and larger, as far as memory
allows and rounding still tells a mutant from the truth.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any

from derive.syntax import le
from derive.terms import Term
from numeric.backends import Backend, backend
from numeric.equivalence import proved
from numeric.errors import NumericError
from numeric.sabotage import Mutant, mutants
from numeric.sampling import sample
from numeric.world import NONE, Gap, TooLargeError, World, measure

FAR = 100  # a mutant is caught when it is off by this many tolerances
WORLDS, MORE_WORLDS = 6, 30  # for every statement; for mutants that the first do not catch
ENOUGH = 3  # mutants without which a check counts for nothing
SWEEP = (8, 16, 64, 256)  # sizes of ranges, one world each, on top of the small worlds
MOST_ENTRIES = 2**22  # of one evaluation in those: 64 MiB with the bounds on rounding


@dataclass(frozen=True)
class Mutants:
    """How the sabotaged statements fared.

    Attributes
    ----------
    tried, caught
        Numbers; what is equivalent is in neither.
    equivalent
        Mutants that the kernel proved: slips that leave the statement true.
    looser
        Mutants of a bound that claim less than it does, in every world.
    survivors
        Mutants that were neither caught nor proved.
    """

    tried: int
    caught: int
    equivalent: tuple[str, ...] = ()
    looser: tuple[str, ...] = ()
    survivors: tuple[str, ...] = ()


@dataclass(frozen=True)
class Report:
    """The outcome of one cross-check; the fields are those of ``qkv verify --json``.

    Attributes
    ----------
    max_error, tolerance
        Of the entry, part and world where the theorem is off by most tolerances.
    control_error
        How far the mutant nearest to the truth is off, on the same scale: its error in its own
        tolerances, times ``tolerance``.
    largest
        The greatest size of a range in any of the worlds.
    """

    name: str
    backend: str
    device: str
    dtype: str
    instances: int
    max_error: float | None
    tolerance: float | None
    control_error: float | None
    mutants: Mutants
    verdict: str
    seconds: float
    reason: str = ""
    largest: int = 0

    def as_dict(self) -> dict[str, Any]:
        """Return what ``--json`` shows, as plain data."""
        fields = asdict(self)
        del fields["largest"]
        return fields


@dataclass(frozen=True)
class _Check:
    """A statement under hypotheses, and the worlds it is measured in."""

    hypotheses: tuple[Term, ...]
    conclusion: Term
    backend: Backend
    seed: int
    worlds: list[World] = field(default_factory=list)

    def world(self, number: int) -> World:
        """Return the world of that number, drawn when first asked for; odd ones are tight."""
        while len(self.worlds) <= number:
            n = len(self.worlds)
            sizes = (2, 5) if n < WORLDS else (1 + n % 3, 3 + n % 4)
            drawn = sample(
                self.hypotheses,
                self.conclusion,
                seed=1000 * self.seed + n,
                sizes=sizes,
                tight=n % 2 == 1,
                reach=1.0 if n < WORLDS else 2.5,
            )
            self.worlds.append(replace(drawn, backend=self.backend))
        return self.worlds[number]

    @cached_property
    def gap(self) -> Gap:
        """The worst gap of the conclusion itself."""
        gap = NONE
        for n in range(WORLDS):
            gap = gap | measure(self.conclusion, self.world(n))
        return gap

    def larger(self) -> Iterator[World]:
        """Return worlds of growing size, as long as the hypotheses can be met and matter there.

        Ranges of random arrays stay small, since all outcomes are listed. JAX, which compiles
        each call anew for each shape, gets every other size.
        """
        seen = _largest([self.world(n) for n in range(WORLDS)])
        for top in SWEEP[1::2] if self.backend.name == "jax" else SWEEP:
            try:
                world = sample(
                    self.hypotheses,
                    self.conclusion,
                    seed=1000 * self.seed + top,
                    sizes=(top // 2, top),
                    reach=top**-0.5,  # keeps scores, sums of products, from growing with them
                )
            except NumericError:
                return
            if _largest([world]) <= seen:
                continue
            yield replace(world, backend=self.backend, most=MOST_ENTRIES)

    def looser(self, mutant: Term, original: Term) -> bool:
        """Return whether a mutant of an inequality claims no more than it, in every world."""
        if mutant == original:
            return True
        if mutant.op != original.op or mutant.op not in ("and", "le", "lt"):
            return False
        if mutant.op == "and":
            return all(map(self.looser, mutant.args, original.args))
        wide, narrow = (above - below for below, above in (mutant.args, original.args))
        return all(measure(le(narrow, wide), self.world(n)).holds for n in range(MORE_WORLDS))

    def ratio(self, mutant: Term) -> float:
        """Return by how many tolerances a mutant is off, looking until that is far."""
        worst = 0.0
        for n in range(MORE_WORLDS):
            worst = max(worst, measure(mutant, self.world(n)).ratio)
            if worst >= FAR and n + 1 >= WORLDS:
                break
        return worst


def verify(
    name: str,
    hypotheses: Sequence[Term],
    conclusion: Term,
    *,
    on: Backend | None = None,
    seed: int = 0,
) -> Report:
    """Return the cross-check of ``hypotheses ⊢ conclusion`` on a back-end.

    Parameters
    ----------
    name
        What the report is called.
    hypotheses, conclusion
        Propositions.
    on
        Where to compute; NumPy in double precision by default.
    seed
        The same seed gives the same worlds and mutants.
    """
    start = time.perf_counter()
    on = on or backend()
    check = _Check(tuple(hypotheses), conclusion, on, seed)
    shown = name, on.name, on.device, on.dtype
    try:
        gap = check.gap
        caught, fared = _sabotaged(check)
        swept = list(_swept(check, [mutant for mutant, _ in caught]))
    except NumericError as error:
        seconds = time.perf_counter() - start
        empty = Mutants(0, 0)
        return Report(*shown, 0, None, None, None, empty, "not evaluable", seconds, str(error))
    gap = max([gap, *(at_size for _, at_size in swept)], key=lambda gap: gap.ratio)
    nearest = min((ratio for _, ratio in caught), default=float("inf"))
    control = gap.tolerance * nearest if nearest < float("inf") else None
    reason = _shortfall(gap, control, fared)
    return Report(
        *shown,
        WORLDS + len(swept),
        gap.error,
        gap.tolerance,
        control,
        fared,
        "failed" if reason else "passed",
        time.perf_counter() - start,
        reason,
        _largest([check.world(n) for n in range(WORLDS)] + [world for world, _ in swept]),
    )


def verify_theorem(name: str, *, on: Backend | None = None, seed: int = 0) -> Report:
    """Return the cross-check of a theorem of the catalogue, as the kernel proved it."""
    from derive.catalog import load

    theorem = load(name).theorem
    hypotheses = sorted(theorem.hypotheses, key=repr)
    return verify(name, hypotheses, theorem.conclusion, on=on, seed=seed)


def _shortfall(gap: Gap, control: float | None, fared: Mutants) -> str:
    """Return why a check does not pass; nothing if it does."""
    if not gap.holds:
        return f"off by {gap.error:.3g} where rounding explains {gap.tolerance:.3g}"
    if fared.survivors:
        return f"not told from the truth: {'; '.join(fared.survivors)}"
    if fared.tried < ENOUGH:
        return f"only {fared.tried} mutants that are not theorems themselves"
    return "no mutant has a finite error" if control is None else ""


def _largest(worlds: Sequence[World]) -> int:
    return max((size for world in worlds for size in world.sizes.values()), default=0)


def _swept(check: _Check, caught: Sequence[Term]) -> Iterator[tuple[World, Gap]]:
    """Measure the conclusion at growing sizes, as far as a caught mutant is far off there too."""
    for world in check.larger():
        try:
            gap = measure(check.conclusion, world)
            if gap.holds and not any(_far_off(mutant, world) for mutant in caught):
                return
        except TooLargeError:
            return
        if not gap.tolerance < float("inf"):
            return
        yield world, gap


def _far_off(mutant: Term, world: World) -> bool:
    """Return whether a mutant is caught in a world; one too large for it tells nothing."""
    try:
        gap = measure(mutant, world)
    except TooLargeError:
        return False
    return gap.tolerance < float("inf") and gap.ratio >= FAR


def _sabotaged(check: _Check) -> tuple[list[tuple[Term, float]], Mutants]:
    """Measure the mutants, return those caught and by how far; prove those that are not."""
    caught: list[tuple[Term, float]] = []
    uncaught: dict[str, list[str]] = {"equivalent": [], "looser": [], "survivors": []}
    for mutant in mutants(check.conclusion, seed=check.seed):
        ratio = check.ratio(mutant.statement)
        if ratio >= FAR:
            caught.append((mutant.statement, ratio))
        else:
            uncaught[_excuse(mutant, check)].append(f"{mutant.kind}: {mutant.statement!r}")
    tried = len(caught) + len(uncaught["survivors"])
    return caught, Mutants(tried, len(caught), **{k: tuple(v) for k, v in uncaught.items()})


def _excuse(mutant: Mutant, check: _Check) -> str:
    """Return why a mutant was not caught: the field of `Mutants` it belongs to."""
    if proved(mutant.statement, check.conclusion, check.hypotheses):
        return "equivalent"
    return "looser" if check.looser(mutant.statement, check.conclusion) else "survivors"


def verify_named(name: str, setting: tuple[str, str | None, str, int]) -> Report:
    """Return the cross-check of a theorem; the setting is back-end, device, dtype and seed.

    Everything is named, so that another process can do it.
    """
    library, device, dtype, seed = setting
    return verify_theorem(name, on=backend(library, device=device, dtype=dtype), seed=seed)
