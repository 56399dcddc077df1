"""Which thing is written how: one spelling for one thing, wherever it is drawn.

Two different things of one spelling (a symbol ``n`` beside a size ``n``) are told apart by primes.
A bound variable keeps its author's name unless something else in view bears it already.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain, count
from typing import Any

from derive.kinds import FUNCTIONS
from derive.notation import forms
from derive.signature import REAL, Array, Definition, Range
from derive.terms import Term, key

_GREEK_LETTERS = "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΦΨΩ"
_GREEK_NAMES = """
    alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau
    upsilon phi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega
"""
GREEK = dict(zip(_GREEK_NAMES.split(), _GREEK_LETTERS, strict=True))
RESERVED = FUNCTIONS | {"E", "Var", "Sym", "lim"}  # words that mean something already
_INDEX_LETTERS = "ijlmkrstuvwpq"
_REAL_LETTERS = "xyzuvw"
_PRECEDENCE = (Range, Array, "sym", "ix", "fv")  # who keeps its spelling when two clash


_PLAIN_NAME = re.compile(r"[^\W\d_][\w⊎′]*|")


def spell(name: str) -> str:
    """The spelling of a name, Greek letters by their names.

    >>> spell("sigma_q")
    'σ_q'
    >>> spell("x+y")
    '‹x+y›'
    """
    if not _PLAIN_NAME.fullmatch(name):
        return f"‹{name}›"  # or a symbol called x+y would look like a sum
    head, _, tail = name.partition("_")
    return GREEK.get(head, head) + (f"_{GREEK.get(tail, tail)}" if tail else "")


def is_set(over: Range) -> bool:
    """Whether a range is drawn as a set (``j ∈ A``) rather than counted (``j = 1 … n``)."""
    return bool(over.parts) or over.name[0].isupper()


@dataclass(frozen=True)
class Names:
    """The spelling of everything in view, and which bound indices are left unwritten."""

    spellings: Mapping[Any, str]
    hidden: frozenset[Term] = frozenset()
    marks: dict[Definition, str] = field(default_factory=dict)

    @classmethod
    def of(cls, *terms: Term) -> Names:
        """Spellings for all that is free in some terms that are shown together."""
        things = set(chain.from_iterable(term.names for term in terms))
        names = cls({})
        for thing in sorted((x for x in things if type(x) is not Definition), key=_order):
            names = names.bind(thing, _wanted(thing))
        definitions = sorted((x for x in things if type(x) is Definition), key=_definition_order)
        return replace(names, marks=_marks(definitions, set(names.spellings.values())))

    def within(self, term: Term) -> Names:
        """These names for one term: what does not occur in it does not restrain its binders."""
        inside = term.names
        return replace(
            self,
            spellings={x: y for x, y in self.spellings.items() if x in inside},
            marks={x: y for x, y in self.marks.items() if x in inside},
        )

    def __getitem__(self, thing: Any) -> str:
        return self.spellings[thing]

    def bind(self, thing: Any, wanted: str) -> Names:
        """These names and one more, spelled as wanted or, where that is taken, in another way."""
        taken = {*self.spellings.values(), *self._bare(), *self._subscript_clashes(), *RESERVED}
        spelling = next(x for x in _alternatives(thing, wanted) if x not in taken)
        return replace(self, spellings={**self.spellings, thing: spelling})

    def primes(self, definition: Definition) -> str:
        """What tells this definition from another that would be drawn alike."""
        return self.marks.get(definition, "")

    def hide(self, variables: tuple[Term, ...]) -> Names:
        return replace(self, hidden=self.hidden.union(variables))

    def _bare(self) -> Iterator[str]:
        """What definitions are called that are drawn by a bare name."""
        for definition, primes in self.marks.items():
            form = forms.form(definition)
            if type(form) is forms.Name:
                yield spell(form.spelling) + primes

    def _subscript_clashes(self) -> Iterator[str]:
        """Subscripts that would make an entry look like a name: x_k beside an array x."""
        arrays = {y for x, y in self.spellings.items() if type(x) is Array and x.axes}
        arrays.update(self._bare())
        for spelling in self.spellings.values():
            head, _, tail = spelling.partition("_")
            if tail and head in arrays:
                yield tail


def _marks(definitions: list[Definition], spellings: set[str]) -> dict[Definition, str]:
    """Primes for definitions that would be drawn like something else."""
    marks, taken = {}, {f"{word}()" for word in RESERVED}
    for definition in definitions:
        form = forms.form(definition)
        shape = form.spelling if type(form) is forms.Name else definition.notation
        alternatives = (f"{shape or definition.name + '()'}{'′' * primes}" for primes in count())
        shape = next(x for x in alternatives if x not in taken and x not in spellings)
        taken.add(shape)
        marks[definition] = "′" * (shape.count("′") - definition.notation.count("′"))
    return marks


def _definition_order(definition: Definition) -> tuple:
    return definition.name, definition.notation, key(definition.body)


def _order(thing: Any) -> tuple:
    kind = thing.op if type(thing) is Term else type(thing)
    content = thing.data if type(thing) is Term else thing.__reduce__()[1]
    return _PRECEDENCE.index(kind), _wanted(thing), str(content)


def _wanted(thing: Any) -> str:
    if type(thing) is not Term:
        return spell(thing.name)
    if thing.op == "fv":
        return ""
    return spell(thing.data if thing.op == "sym" else thing.data[0])


def _alternatives(thing: Any, wanted: str) -> Iterator[str]:
    """The wanted spelling, a fellow letter if it was a bound index's, then primes without end."""
    letters = ""
    if type(thing) is Term and thing.op == "fv":
        letters = _REAL_LETTERS if thing.kind == REAL else _INDEX_LETTERS
    if wanted:
        yield wanted
    if not wanted or wanted in letters:
        yield from letters
    for primes in count(1):
        yield (wanted or letters[0]) + "′" * primes
