"""Derivations: a name, a statement, and a function that proves it. *Not trusted.*

A file with derivations needs nothing else:

    @theorem("my-theorem", title={"zh": "…", "en": "…"}, states=eq(a, b))
    def my_theorem():
        '''What it says, in words.'''
        return calc(a).eq(b, by=algebra).qed()
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from derive.chain import Proof, Step
from derive.diagnosis import no_proof, other_statement, undeclared
from derive.errors import DeriveError
from derive.kernel import genuine
from derive.signature import PROP
from derive.terms import Term


@dataclass(frozen=True)
class Derivation:
    """A statement with its proof, which is made when it is asked for.

    Attributes
    ----------
    name : str
        The name on the command line.
    title : Mapping[str, str]
        The name in words, by language.
    statement : Term
        What is to be proved; the proof must end in exactly this.
    build : Callable[[], Proof]
        Makes the proof.
    assuming : tuple[Term, ...]
        The assumptions it may consume; a proof that consumes others is refused.
    source : str
        Where the statement comes from.
    needs : Mapping[Term, str]
        For an assumption whose need no small finite model can show, the reason in words.
    """

    name: str
    title: Mapping[str, str]
    statement: Term
    build: Callable[[], Proof]
    assuming: tuple[Term, ...] = ()
    source: str = ""
    needs: Mapping[Term, str] = field(default_factory=dict)

    @property
    def doc(self) -> str:
        """The statement in words."""
        return (self.build.__doc__ or "").strip()

    @cached_property
    def _timed(self) -> tuple[Proof, float]:
        start = time.perf_counter()
        proof = self.build()
        if type(proof) is not Proof:
            raise no_proof(self, proof)
        _check(proof)
        seconds = time.perf_counter() - start
        if proof.statement != self.statement:
            raise other_statement(self, proof)
        if error := undeclared(self, proof):
            raise error
        proof = replace(
            proof, name=self.name, title=dict(self.title), source=self.source, doc=self.doc
        )
        return proof, seconds

    @property
    def proof(self) -> Proof:
        return self._timed[0]

    @property
    def seconds(self) -> float:
        """What the proof cost in the kernel."""
        return self._timed[1]

    def _repr_svg_(self) -> str:  # in a notebook: the derivation as it is printed
        from derive.notation.export import export

        return export(self, "svg")

    def _repr_latex_(self) -> str:
        from derive.notation.latex import latex

        return rf"$\displaystyle {latex(self.statement, variance=True)}$"

    @property
    def theorem(self) -> Any:
        return self.proof.theorem

    @property
    def steps(self) -> tuple:
        return self.proof.steps

    @property
    def assumptions(self) -> tuple[Term, ...]:
        """What the proof consumed."""
        return self.proof.assumptions

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """What a notebook shows: the whole derivation, or its statement as a formula."""
        from derive.notation.export import export
        from derive.notation.latex import latex

        return {
            "text/plain": export(self, "text"),
            "text/html": export(self, "html"),
            "text/latex": f"$\\displaystyle {latex(self.statement, variance=True)}$",
        }


def _check(proof: Proof) -> None:
    """The theorem and all that is shown as its proof come from the kernel."""
    genuine(proof.theorem)
    for step in proof.steps:
        if type(step) is not Step or set(step.uses) != genuine(step.theorem).hypotheses:
            raise DeriveError(f"{type(step).__name__} offered as a line", "one that a chain made")
        for _, lemma in step.lemmas:
            genuine(lemma)


_collected: ContextVar[list[Derivation] | None] = ContextVar("collected", default=None)


@contextmanager
def collecting() -> Iterator[list[Derivation]]:
    """Gather every derivation that is made meanwhile, even one whose name is then reused."""
    made: list[Derivation] = []
    token = _collected.set(made)
    try:
        yield made
    finally:
        _collected.reset(token)


def theorem(
    name: str,
    *,
    states: Term,
    assuming: Iterable[Term] = (),
    title: Mapping[str, str] | None = None,
    source: str = "",
    needs: Mapping[Term, str] | None = None,
) -> Callable[[Callable[[], Proof]], Derivation]:
    """Turn a function that proves something into a `Derivation`."""
    assuming = tuple(assuming)
    for proposition in (states, *assuming):
        if type(proposition) is not Term or proposition.kind != PROP:
            raise DeriveError(
                f"{proposition!r} in the theorem {name!r}",
                "a proposition",
                "write eq(a, b), le(a, b) or lt(a, b); Python's a == b compares at once",
            )
        repr(proposition)  # it must be possible to show it

    for words in (name, *(title or {}).values()):
        if not words.isprintable():
            raise DeriveError(f"{words!r} as a name or a title", "one line of plain words")

    def decorate(build: Callable[[], Proof]) -> Derivation:
        titles = dict(title) if title else {"en": name, "zh": name}
        needed = dict(needs or {})
        made = Derivation(name, titles, states, build, assuming, source, needed)
        if (collected := _collected.get()) is not None:
            collected.append(made)
        return made

    return decorate
