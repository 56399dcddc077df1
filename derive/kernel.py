"""The only maker of theorems. *Trusted file.*

``infer(rule, *premises, **arguments)`` applies one rule of `derive.rules` and returns a `Theorem`,
or raises `RuleError` and returns nothing. A theorem carries its hypotheses (the assumptions that
were consumed, never more), its conclusion, and how it was made, so that a proof is data: the rule's
name, its arguments and its premises are enough to make it again.

Threat model: honest mistakes of every kind must be impossible, and the ordinary ways of forging a
theorem (constructing, copying, replacing, pickling, subclassing, overwriting) are refused. Code
that tampers with a running interpreter is out of scope.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from derive.facts import RuleError, no_longer_inhabited
from derive.kinds import FUNCTIONS
from derive.rules import RULES, Sequent
from derive.rules.parameters import Parameters, shown
from derive.signature import PROP, Definition
from derive.terms import Term


def _sealed() -> tuple[type, Callable[..., Any], Callable[[Any], Any]]:
    """The theorem type with its maker and its check, sharing state that nothing else can reach."""
    rules: Mapping[str, Callable[..., Sequent]] = MappingProxyType(dict(RULES))
    takes = MappingProxyType({name: Parameters.of(name, rule) for name, rule in rules.items()})
    made: dict[int, tuple[weakref.ref, tuple]] = {}
    lock = threading.Lock()

    class Theorem:
        """``hypotheses ⊢ conclusion``, made by a rule of the kernel."""

        __slots__ = (
            "__weakref__",
            "arguments",
            "conclusion",
            "hypotheses",
            "laws",
            "premises",
            "rule",
        )

        def __new__(cls, *_: object, **__: object) -> Any:
            raise RuleError("a theorem built by hand", "kernel.infer(rule, …)")

        def __init_subclass__(cls, **_: object) -> None:
            raise RuleError("a subclass of Theorem", "Theorem itself")

        def __setattr__(self, *_: object) -> None:
            raise RuleError("a change to a theorem", "a new one, by kernel.infer")

        __delattr__ = __setattr__

        def _no_travel(self, *_: object) -> Any:
            raise RuleError("a copy of a theorem", "its proof, replayed by the kernel")

        __copy__ = __deepcopy__ = __reduce__ = __reduce_ex__ = __getstate__ = _no_travel

        def __bool__(self) -> bool:
            raise RuleError("a theorem used as true or false", "the theorem itself")

        def __repr__(self) -> str:
            hypotheses = ", ".join(sorted(map(repr, self.hypotheses)))
            return f"{hypotheses} ⊢ {self.conclusion!r}".strip()

    fields = ("hypotheses", "conclusion", "rule", "arguments", "premises", "laws")

    def genuine(theorem: Any) -> Any:
        """The theorem itself, if this kernel made it and nobody has changed it since."""
        record = made.get(id(theorem)) if type(theorem) is Theorem else None
        if record is None or record[0]() is not theorem:
            raise RuleError(
                f"{type(theorem).__name__} offered as a theorem",
                "one that a rule made",
                "infer('assume', proposition=…) for what is only assumed",
            )
        if any(getattr(theorem, f) is not v for f, v in zip(fields, record[1], strict=True)):
            raise RuleError("a theorem that was tampered with")
        return theorem

    def infer(rule: str, /, *premises: Any, **arguments: Any) -> Any:
        """Apply a rule; the result is a theorem, or `RuleError` says why there is none."""
        if type(rule) is not str or rule not in rules:
            raise RuleError(f"the rule {shown(rule)}", f"one of {', '.join(sorted(rules))}")
        try:
            arguments = takes[rule].sealed(premises, arguments)
            sequent = rules[rule](*map(genuine, premises), **arguments)
            if rule not in INSTANTIATING:
                sequent = _still_inhabited(sequent, premises, arguments)
            _well_formed(sequent)
        except RecursionError:
            raise RuleError(
                f"a step by {rule} that nests too deeply",
                "terms of moderate depth, laws that do not go on for ever",
                "several smaller steps",
            ) from None
        values = (
            frozenset(sequent.hypotheses),
            sequent.conclusion,
            rule,
            MappingProxyType(arguments),
            premises,
            tuple(sorted(sequent.laws)),
        )
        theorem = object.__new__(Theorem)
        for field, value in zip(fields, values, strict=True):
            object.__setattr__(theorem, field, value)
        with lock:
            made[id(theorem)] = (weakref.ref(theorem), values)
        weakref.finalize(theorem, made.pop, id(theorem), None)
        return theorem

    return Theorem, infer, genuine


# Rules that bind a free index of a premise, or fill it with something of its range.
INSTANTIATING = frozenset(
    {
        "extensionality",
        "generalize",
        "limit",
        "rewrite",
        "rewrite everywhere",
        "specialize",
        "sum monotone",
    }
)


def _still_inhabited(
    sequent: Sequent, premises: Iterable[Any], arguments: Mapping[str, Any]
) -> Sequent:
    """A premise about an index says nothing of an empty range, so a lost index leaves ``0 < n``."""
    filled = (arguments[name] for name in ("index", "value") if name in arguments)
    before = _names(*filled, *(p for q in premises for p in (q.conclusion, *q.hypotheses)))
    after = _names(sequent.conclusion, *sequent.hypotheses)
    lost = no_longer_inhabited(before, after)
    return sequent._replace(hypotheses=sequent.hypotheses | lost)


def _names(*terms: Term) -> frozenset[Any]:
    return frozenset().union(*(term.names for term in terms))


def _about_outcomes(term: Term) -> bool:
    """Does a random entry stand outside every expectation?"""
    if term.op == "entry" and term.data.random:
        return True
    return term.op != "E" and any(map(_about_outcomes, term.args))


def _is_private(thing: Any) -> bool:
    return type(thing) is Term and thing.op == "fv"


def _well_formed(sequent: Sequent) -> None:
    """Propositions without loose or private variables, in which no two things look alike.

    Nothing is assumed of single outcomes: it would be used for all of them, inside expectations.
    """
    named: dict[str, Any] = dict.fromkeys(FUNCTIONS)  # nothing else may be called exp
    for assumption in sequent.hypotheses:
        if _about_outcomes(assumption):
            raise RuleError(
                f"the assumption {assumption!r} about a random number itself", "about E"
            )
    for proposition in (sequent.conclusion, *sequent.hypotheses):
        if type(proposition) is not Term or proposition.kind != PROP:
            raise RuleError(f"{proposition!r} in a theorem", "propositions")
        if proposition.loose:
            raise RuleError("a bound variable outside its binder")
        for thing in proposition.names:
            if _is_private(thing):
                raise RuleError("a private variable in a theorem")
            for name in _spellings(thing):
                if named.setdefault(name, thing) != thing:
                    raise RuleError(f"two different things called {name!r}", "one name for each")


def _spellings(thing: Any) -> tuple[str, ...]:
    if type(thing) is Definition:
        return tuple(filter(None, (thing.name, thing.notation)))
    if type(thing) is Term:
        return (thing.data if thing.op == "sym" else thing.data[0],)
    return (thing.name,)


Theorem, infer, genuine = _sealed()
