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
RESERVED = FUNCTIONS | {"E", "Var", "Sym", "Bij", "lim"}  # words that mean something already
_INDEX_LETTERS = "ijlmkrstuvwpq"
_REAL_LETTERS = "xyzuvw"
_PRECEDENCE = (Range, Array, "sym", "ix", "fv")  # who keeps its spelling when two clash


# Letters of which no two look alike: Latin (with accents), Greek as far as it differs, Chinese.
_LETTERS = f"A-Za-zÀ-ÖØ-öø-ÿ{_GREEK_LETTERS}一-鿿"
_PLAIN_NAME = re.compile(rf"[{_LETTERS}][{_LETTERS}0-9_⊎′]*|")
_INJECTION = re.compile(r"ι_[0-9]+")  # drawn before an element of a part of a union


def spell(name: str) -> str:
    """The spelling of a name, Greek letters by their names.

    >>> spell("sigma_q")
    'σ_q'
    >>> spell("x+y")
    '‹x+y›'
    >>> spell("а")
    '‹U+0430›'
    """
    if not _PLAIN_NAME.fullmatch(name):  # a symbol called x+y would look like a sum
        return f"‹{''.join(x if _is_known(x) else f'U+{ord(x):04X}' for x in name)}›"
    head, _, tail = name.partition("_")
    return GREEK.get(head, head) + (f"_{GREEK.get(tail, tail)}" if tail else "")


def parted(spelling: str) -> tuple[str, str]:
    """A spelling's letter and its subscript; what stands between ‹ › is one word."""
    head, _, tail = (spelling, "", "") if spelling.startswith("‹") else spelling.partition("_")
    return head, tail


def _is_known(letter: str) -> bool:
    """Whether a letter looks like no other; the rest, a Cyrillic а say, is written by number."""
    return letter.isascii() or _PLAIN_NAME.fullmatch(letter) is not None


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
        return replace(names, marks=_marks(definitions, RESERVED.union(names.spellings.values())))

    def within(self, term: Term) -> Names:
        """These names for one term: what does not occur in it does not restrain its binders."""
        inside = term.names
        return replace(
            self,
            spellings={x: y for x, y in self.spellings.items() if x in inside},
            marks={x: y for x, y in self.marks.items() if x in inside},
        )

    def apart(self, term: Term) -> Names:
        """Names of its own for a term that stands apart; its definitions are marked as here."""
        own = Names.of(term)
        return replace(own, marks=own.marks | self.marks)

    def __getitem__(self, thing: Any) -> str:
        return self.spellings[thing]

    def bind(self, thing: Any, wanted: str) -> Names:
        """These names and one more, spelled as wanted or, where that is taken, in another way."""
        taken = {*self.spellings.values(), *self._words(), *self._subscript_clashes(), *RESERVED}
        if type(thing) is Term and thing.op == "fv":
            taken.update(self._subscripts())
        spellings = (x for x in _alternatives(thing, wanted) if not _INJECTION.fullmatch(x))
        spelling = next(x for x in spellings if x not in taken)
        return replace(self, spellings={**self.spellings, thing: spelling})

    def primes(self, definition: Definition) -> str:
        """What tells this definition from another that would be drawn alike."""
        return self.marks.get(definition, "")

    def hide(self, variables: tuple[Term, ...]) -> Names:
        return replace(self, hidden=self.hidden.union(variables))

    def _words(self, *, bare: bool = False) -> Iterator[str]:
        """The words in the notations of definitions; only of those that are a bare name."""
        for definition, primes in self.marks.items():
            form = forms.form(definition)
            if type(form) is forms.Name or not bare:
                yield from (spell(word) + primes for word in forms.words(form))

    def _subscripts(self) -> Iterator[str]:
        """Subscripts of names: Σ_k x_k would sum the x_k of an array, were x_k not one symbol."""
        named = (y for x, y in self.spellings.items() if type(x) is not Range)  # d_h is a size
        return (parted(spelling)[1] for spelling in named)

    def _subscript_clashes(self) -> Iterator[str]:
        """Subscripts that would make an entry look like a name: x_k beside an array x."""
        arrays = {y for x, y in self.spellings.items() if type(x) is Array and x.axes}
        arrays.update(self._words(bare=True))
        for spelling in self.spellings.values():
            head, _, tail = spelling.partition("_")
            if tail and head in arrays:
                yield tail


def _marks(definitions: list[Definition], taken: set[str]) -> dict[Definition, str]:
    """Primes for definitions that would be drawn like something else."""
    marks: dict[Definition, str] = {}
    drawn: set[tuple] = set()
    for definition in definitions:
        form, call = forms.form(definition), forms.call(definition)
        words = {spell(word) for word in (*forms.words(form), definition.name)}
        shapes = {_shape(form, definition), _shape(call, definition)}
        marks[definition] = next(
            primes
            for primes in map("′".__mul__, count())
            if taken.isdisjoint(word + primes for word in words)
            and drawn.isdisjoint((shape, primes) for shape in shapes)
        )
        drawn.update((shape, marks[definition]) for shape in shapes)
    return marks


def _shape(form: forms.Form, definition: Definition) -> tuple:
    """What of a drawn definition can be told from others: its form, and a vector from a matrix."""
    axes = (len(definition.parameters[k].axes) for k in sorted(forms.fields(form)))
    return form, tuple(axes)


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
