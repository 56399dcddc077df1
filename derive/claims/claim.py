"""A claim: one assertion of a source article, in two languages, with what speaks for or against."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from derive.claims.evidence import Evidence, Finding


@dataclass(frozen=True)
class Claim:
    """One assertion.

    Attributes
    ----------
    name : str
        ``S5a``: the row of the sources, and a letter.
    statement : Mapping[str, str]
        What is asserted, by language.
    support : Evidence
        What speaks for it or against it.
    """

    name: str
    statement: Mapping[str, str]
    support: Evidence

    @property
    def source(self) -> str:
        """The row of the sources that it comes from; ``S33b`` is a row of its own."""
        return re.fullmatch(r"(S33b(?=.)|S\d+)[a-z]", self.name)[1]

    @property
    def recorded(self) -> str:
        """The verdict that it should come to."""
        return self.support.verdict

    @cached_property
    def finding(self) -> Finding:
        """What came of examining it, now."""
        return self.support.examine()

    @property
    def as_recorded(self) -> bool:
        return self.finding.verdict == self.recorded

    def to_json(self) -> dict:
        """The claim as ``qkv claims --json`` prints it."""
        return {
            "id": self.name,
            "source": self.source,
            "statement": dict(self.statement),
            "verdict": self.finding.verdict,
            "evidence": "\n".join(self.finding.evidence),
            "witness": self.finding.witness,
        }


def claim(name: str, zh: str, en: str, support: Evidence) -> Claim:
    """A claim from its parts, in the order in which tables of claims are read."""
    return Claim(name, {"zh": zh, "en": en}, support)
