"""What a rule takes, as its signature declares it, and whether that was given. *Trusted file.*

A rule's premises are its positional parameters, its arguments the others. An annotation is a word
of `TYPES`, looked up and never evaluated; a rule annotated with another word does not load.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import Parameter, signature
from reprlib import Repr
from types import MappingProxyType
from typing import Any, NamedTuple

from derive.facts import RuleError
from derive.signature import PROP, Array, Definition, Range
from derive.terms import Term

# What an annotation says beyond the type.
Proposition = FreeIndex = RealVariable = Term


def _is_term(value: Any) -> bool:
    """A term in which every variable is bound or free: none loose, none private."""
    if type(value) is not Term or value.loose:
        return False
    return not any(type(name) is Term and name.op == "fv" for name in value.names)


def _is_proposition(value: Any) -> bool:
    return _is_term(value) and value.kind == PROP


def _is_variable(op: str) -> Callable[[Any], bool]:
    return lambda value: type(value) is Term and value.op == op


def _is_a(*kinds: type) -> Callable[[Any], bool]:
    return lambda value: type(value) in kinds  # not isinstance: True is no integer here


def _all(each: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: type(value) is tuple and all(map(each, value))


def _pairs(each: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return _all(lambda pair: type(pair) is tuple and len(pair) == 2 and all(map(each, pair)))


TYPES: Mapping[str, tuple[str, Callable[[Any], bool]]] = MappingProxyType(
    {
        "Term": ("a term in which every variable is bound or free", _is_term),
        "Proposition": ("a proposition in which every variable is bound or free", _is_proposition),
        "FreeIndex": ("a free index", _is_variable("ix")),
        "RealVariable": ("a real variable", _is_variable("sym")),
        "RealVariable | None": ("a real variable", _is_variable("sym")),
        "str": ("a string", _is_a(str)),
        "tuple[int, ...]": ("a tuple of integers", _all(_is_a(int))),
        "tuple[str, ...]": ("a tuple of strings", _all(_is_a(str))),
        "tuple[Proposition, ...]": ("a tuple of propositions", _all(_is_proposition)),
        "tuple[Definition, ...]": ("a tuple of definitions", _all(_is_a(Definition))),
        "tuple[tuple[Range, Range], ...]": ("a tuple of pairs of ranges", _pairs(_is_a(Range))),
        "tuple[tuple[Term | Array, Term | Array], ...]": (
            "a tuple of pairs, each of terms or arrays",
            _pairs(lambda value: type(value) is Array or _is_term(value)),
        ),
    }
)


class Parameters(NamedTuple):
    """What one rule takes."""

    rule: str
    premises: int
    more: bool  # premises than that
    needed: tuple[str, ...]
    optional: tuple[str, ...]
    types: Mapping[str, str]

    @classmethod
    def of(cls, name: str, rule: Callable[..., Any]) -> Parameters:
        """Read a rule's signature."""
        by_kind: dict[Any, list[Parameter]] = {kind: [] for kind in type(Parameter.KEYWORD_ONLY)}
        for parameter in signature(rule).parameters.values():
            by_kind[parameter.kind].append(parameter)
        arguments = by_kind[Parameter.KEYWORD_ONLY]
        return cls(
            name,
            len(by_kind[Parameter.POSITIONAL_OR_KEYWORD]),
            bool(by_kind[Parameter.VAR_POSITIONAL]),
            tuple(p.name for p in arguments if p.default is p.empty),
            tuple(p.name for p in arguments if p.default is not p.empty),
            {p.name: _known(p.annotation) for p in arguments},
        )

    def sealed(self, premises: tuple, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments as immutable data of the declared types, lists as tuples; or refuse."""
        if len(premises) < self.premises or (len(premises) > self.premises and not self.more):
            least = f"{self.premises}{' or more' if self.more else ''}"
            raise RuleError(f"{len(premises)} premises of {self.rule}", least, self.usage)
        missing = set(self.needed) - set(arguments)
        unknown = set(arguments) - set(self.types)
        if missing or unknown:
            given = " and ".join(sorted(arguments)) or "no argument"
            raise RuleError(
                f"{given} for {self.rule}", " and ".join(self.needed) or "premises", self.usage
            )
        return {name: self._sealed(name, arguments[name]) for name in sorted(arguments)}

    def _sealed(self, name: str, value: Any) -> Any:
        expected, accepts = TYPES[self.types[name]]
        sealed = _tuples(value)
        if not accepts(sealed):
            raise RuleError(f"{name} = {shown(value)} in {self.rule}", expected, self.usage)
        return sealed

    @property
    def usage(self) -> str:
        """How the rule is called."""
        premises = [f"premise {n + 1}" for n in range(self.premises)] + ["…"] * self.more
        arguments = [f"{name}=…" for name in self.needed]
        arguments += [f"[{name}=…]" for name in self.optional]
        return f"infer({', '.join([repr(self.rule), *premises, *arguments])})"


def _known(annotation: str) -> str:
    if annotation not in TYPES:
        raise RuleError(f"a parameter of type {annotation!r}", " or ".join(TYPES))
    return annotation


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if type(value) in (list, tuple) else value


_repr = Repr()
_repr.maxother = _repr.maxstring = 100


def shown(value: Any) -> str:
    """Whatever was given, in a bounded number of words."""
    return _repr.repr(value)
