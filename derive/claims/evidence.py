"""What speaks for or against a claim: computed when it is asked for, never typed in.

Each kind of evidence has the verdict that is recorded for its claim, and finds one by itself when
it is examined; where the two differ, something is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Protocol

from derive import catalog
from derive.derivation import Derivation
from derive.errors import DeriveError
from derive.model import Model
from derive.notation.names import Names
from derive.notation.text import text
from derive.signature import Array, Range
from derive.terms import Term
from derive.witness import refuted_in

PROVED, REFUTED, CHECKED = "proved", "refuted", "checked"
UNKNOWN, OUT_OF_SCOPE = "unknown", "out of scope"
Words = str | Callable[[], str]  # a function where the words hold computed numbers


def _words(words: Words) -> str:
    return words if type(words) is str else words()


def _right(support: Refuted | Contradicted) -> tuple[str, str]:
    """What is right instead, in both languages."""
    return f"right: {_words(support.right)}", f"更正：{_words(support.zh)}"


@dataclass(frozen=True)
class Finding:
    """What came of examining a claim.

    Attributes
    ----------
    verdict : str
        ``proved``, ``refuted``, ``checked``, ``unknown`` or ``out of scope``.
    evidence : tuple[str, ...]
        What it rests on, a line each.
    witness : dict or None
        What refutes the claim, ready for JSON.
    """

    verdict: str
    evidence: tuple[str, ...]
    witness: dict[str, Any] | None = None


class Evidence(Protocol):
    """Something that can be examined."""

    @property
    def verdict(self) -> str:
        """The recorded verdict."""
        ...

    def examine(self) -> Finding:
        """Compute what can be said now."""
        ...


# ------------------------------------------------------------------ proved


@dataclass(frozen=True)
class Proved:
    """Theorems that say it: of the catalogue, by name, or small ones of our own."""

    theorems: tuple[str | Derivation, ...]
    note: str = ""
    verdict: ClassVar[str] = PROVED

    def examine(self) -> Finding:
        """Prove them all."""
        lines = [self.note] if self.note else []
        for theorem in self.theorems:
            derivation = catalog.load(theorem) if type(theorem) is str else theorem
            try:
                lines.extend(_said(derivation))
            except DeriveError as error:
                return Finding(UNKNOWN, (f"{derivation.name} is not proved: {error.given}",))
        return Finding(PROVED, tuple(lines))


def _said(derivation: Derivation) -> Iterator[str]:
    """A theorem, part by part, with what its proof consumed."""
    proved = derivation.theorem
    names = Names.of(proved.conclusion, *proved.hypotheses)

    def shown(proposition: Term) -> str:
        return text(proposition, names=names, variance=True)

    first, *others = map(shown, _parts(proved.conclusion))
    yield f"{derivation.name}: {first}"
    yield from (f"and {part}" for part in others)
    if derivation.assumptions:
        yield f"assuming {', '.join(map(shown, derivation.assumptions))}"


def _parts(statement: Term) -> Iterator[Term]:
    if statement.op != "and":
        yield statement
        return
    for part in statement.args:
        yield from _parts(part)


# ------------------------------------------------------------------ refuted


@dataclass(frozen=True)
class Refuted:
    """A false statement, a small world in which it fails, and what is right instead.

    Attributes
    ----------
    claim : Term
        What is claimed.
    model : Model
        Where it fails: found exactly, or by intervals that do not meet.
    right, zh : Words
        What is right, in English and in Chinese.
    given : tuple[Term, ...]
        What may be assumed; it must hold in the model.
    """

    claim: Term
    model: Model
    right: Words
    zh: Words
    given: tuple[Term, ...] = ()
    verdict: ClassVar[str] = REFUTED

    def examine(self) -> Finding:
        """Evaluate the statement in its model."""
        claimed = f"claimed: {text(self.claim, variance=True)}"
        witness = refuted_in(self.model, self.given, self.claim)
        if witness is None:
            return Finding(UNKNOWN, (claimed, "the model does not refute it"))
        return Finding(REFUTED, (claimed, *_right(self)), witness.to_json())


Nested = Sequence[Any]


def world(
    tables: Mapping[Array, Nested],
    values: Mapping[Term, Any] | None = None,
    sizes: Mapping[Range, int] | None = None,
) -> Model:
    """A small world; the entries also say how large ranges are, and indices count from 1.

    >>> from derive.syntax import ranges
    >>> n, = ranges("n"); x = Array("x", (n,))
    >>> world({x: [0, 2]}).sizes
    {n: 2}
    """
    found = dict(sizes or {})
    for array, entries in tables.items():
        for axis in array.axes:
            found[axis] = len(entries)
            entries = entries[0]
    cells = {array: dict(_cells(entries, array)) for array, entries in tables.items()}
    given = {v: _element(x, v.kind) for v, x in (values or {}).items()}
    return Model(sizes=found, tables=cells, values=given)


def _cells(entries: Any, array: Array, at: tuple[int, ...] = ()) -> Iterable[tuple]:
    if len(at) == len(array.axes):
        yield at, _element(entries, array.out)
        return
    for place, inner in enumerate(entries):
        yield from _cells(inner, array, (*at, place))


def _element(x: Any, kind: Any) -> Any:
    return x - 1 if type(kind) is Range else Fraction(str(x))


# ------------------------------------------------------------------ checked


@dataclass(frozen=True)
class Figures:
    """Numbers that an article states, beside those computed now.

    Attributes
    ----------
    label : str
        What they are.
    stated : str
        As the article prints them, separated by spaces: so many digits are compared. A number
        without a decimal point is meant exactly.
    computed : Callable[[], Iterable]
        Computes them.
    """

    label: str
    stated: str
    computed: Callable[[], Iterable[Any]]
    verdict: ClassVar[str] = CHECKED

    def examine(self) -> Finding:
        """Compute the numbers and compare them."""
        stated, computed = self.stated.split(), list(self.computed())
        agree = len(stated) == len(computed) and all(map(says, stated, computed))
        found = ", ".join(map(_shown, computed))
        lines = (f"{self.label}: stated {', '.join(stated)}; computed {found}",)
        if agree:
            return Finding(CHECKED, lines)
        return Finding(REFUTED, lines, {"stated": stated, "computed": list(map(_shown, computed))})


def says(stated: str, computed: Any) -> bool:
    """Whether a printed number is the computed one, to all the digits that are printed.

    >>> says("0.0900", 0.09003), says("0.09", 0.0849), says("8", 8), says("2.06e-9", 2.0612e-9)
    (True, False, True, True)
    """
    if "." not in stated:
        return Fraction(stated) == Fraction(str(computed))
    mantissa, mark, _ = stated.partition("e")
    digits = len(mantissa.partition(".")[2])
    return float(f"{float(computed):.{digits}{mark or 'f'}}") == float(stated)


def _shown(x: Any) -> str:
    return f"{x:.9g}" if type(x) is float else str(x)


@dataclass(frozen=True)
class Facts:
    """Facts about a computed thing, each of which is true or false."""

    facts: Callable[[], Mapping[str, bool]]
    verdict: ClassVar[str] = CHECKED

    def examine(self) -> Finding:
        """Look at each fact."""
        found = self.facts()
        failing = {words: False for words, holds in found.items() if not holds}
        if failing or not found:
            return Finding(REFUTED, tuple(f"not so: {words}" for words in failing), failing)
        return Finding(CHECKED, tuple(found))


@dataclass(frozen=True)
class Contradicted:
    """A claim that computed facts contradict; what is right instead.

    Attributes
    ----------
    claimed : str
        What is claimed, in short.
    found : Callable[[], Mapping]
        The facts that contradict it, with what shows them; nothing if there are none.
    right, zh : Words
        What is right, in English and in Chinese.
    """

    claimed: str
    found: Callable[[], Mapping[str, Any]]
    right: Words
    zh: Words
    verdict: ClassVar[str] = REFUTED

    def examine(self) -> Finding:
        """Look for the contradiction."""
        witness = dict(self.found())
        if not witness:
            return Finding(UNKNOWN, (f"claimed: {self.claimed}", "nothing contradicts it"))
        lines = (f"claimed: {self.claimed}", *_right(self))
        return Finding(REFUTED, lines, witness)


# ------------------------------------------------------------------ together, or not at all


@dataclass(frozen=True)
class Together:
    """Several kinds of evidence for one verdict; each must come to it."""

    parts: tuple[Evidence, ...]

    @property
    def verdict(self) -> str:
        return self.parts[0].verdict

    def examine(self) -> Finding:
        """Examine each part; one that comes to another verdict decides."""
        findings = [part.examine() for part in self.parts]
        other = next((f for f in findings if f.verdict != self.verdict), None)
        if other:
            return other
        witnesses = [f.witness for f in findings if f.witness]
        lines = (line for finding in findings for line in finding.evidence)
        return Finding(self.verdict, tuple(lines), witnesses[0] if witnesses else None)


@dataclass(frozen=True)
class OutOfScope:
    """Nothing that a proof or a computation here could decide, and why."""

    why: Words
    verdict: ClassVar[str] = OUT_OF_SCOPE

    def examine(self) -> Finding:
        """Say why."""
        return Finding(OUT_OF_SCOPE, (_words(self.why),))
