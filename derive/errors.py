"""The one shape of every refusal: what was given, what was expected, how to mend it. *Trusted file.*"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class DeriveError(Exception):
    """What was given, what was expected, and how to mend it."""

    def __init__(self, given: object, expected: str = "", fix: str = "") -> None:
        super().__init__(given, expected, fix)
        self._given, self.expected, self.fix = given, expected, fix

    @property
    def given(self) -> str:
        """What was given; a term is only drawn when somebody asks."""
        return self._given if type(self._given) is str else repr(self._given)

    def __str__(self) -> str:
        expected = self.expected and f"expected: {self.expected}"
        return "\n".join(
            filter(None, (self.given, expected, self.fix and f"to mend it: {self.fix}"))
        )


class TermError(DeriveError):
    """A term that would not be well-formed."""


def require(condition: bool, given: str, expected: str = "") -> None:
    """Refuse a term unless the condition holds."""
    if not condition:
        raise TermError(given, expected)


def several(things: Iterable[Any], what: str) -> tuple[Any, ...]:
    """The things as a tuple, also where they come one by one."""
    if type(things) is tuple:
        return things
    if not hasattr(things, "__iter__"):
        raise TermError(f"{what}: {things!r}", "a tuple")
    return tuple(things)
