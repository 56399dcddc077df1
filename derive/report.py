"""What is said of a derivation after it was examined: plain data, as the command line gives it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

PROVED, REFUTED, UNKNOWN = "proved", "refuted", "unknown"


@dataclass(frozen=True)
class StepReport:
    """One line of a proof, and what SymPy derived for it by itself.

    Attributes
    ----------
    left, relation, right : str
        The line as text; all but `right` are empty for a line that is no relation.
    rule, uses : str, tuple[str, ...]
        Why it holds, and the assumptions and theorems that it consumes.
    latex : str
        The line in LaTeX.
    second_opinion, reason : str
        SymPy's verdict, and why it has none if it has none.
    derived : tuple[str, str]
        Both sides as SymPy derived them.
    sizes : dict
        The sizes at which it did.
    """

    left: str
    relation: str
    right: str
    rule: str
    uses: tuple[str, ...]
    latex: str
    second_opinion: str
    reason: str = ""
    derived: tuple[str, str] = ("", "")
    sizes: dict[str, int] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The line as ``qkv prove --json`` prints it."""
        return {
            "rule": self.rule,
            "uses": list(self.uses),
            "relation": self.relation,
            "latex": self.latex,
            "second_opinion": self.second_opinion,
        }


@dataclass(frozen=True)
class Mistake:
    """Where a derivation fails: the line, its rule, what that gives, what was expected."""

    file: str
    line: int
    rule: str
    got: str
    expected: str
    message: str = ""

    def to_json(self) -> dict[str, Any]:
        """The mistake as ``qkv prove --json`` prints it."""
        return {
            "file": self.file,
            "line": self.line,
            "rule": self.rule,
            "got": self.got,
            "expected": self.expected,
        }


@dataclass(frozen=True)
class Report:
    """The outcome for one derivation.

    Attributes
    ----------
    name, title : str, dict
        The name on the command line, and the name in words by language.
    verdict : str
        ``proved``, ``refuted`` or ``unknown``.
    statement, assumptions : str, tuple[str, ...]
        What was proved and what it consumed; what was to be proved and may be assumed, otherwise.
    steps : tuple[StepReport, ...]
        The lines that hold.
    meanings : tuple[str, ...]
        The definitions that the statement and the lines rest on.
    exact_check : dict
        Small models in which both sides were compared exactly: instances, failures, not_evaluable.
    model_found : bool
        Whether a model of the assumptions was found, so that they do not contradict each other.
    witness : dict or None
        A model in which the statement is false; if only a line is known to be false, one for that.
    tried : tuple[str, ...]
        What was tried in vain.
    error : Mistake or None
        What went wrong.
    seconds, check_seconds : float
        What the kernel took, and what all checks took.
    """

    name: str
    title: dict[str, str]
    verdict: str
    statement: str
    assumptions: tuple[str, ...] = ()
    steps: tuple[StepReport, ...] = ()
    meanings: tuple[str, ...] = ()
    exact_check: dict[str, int] = field(
        default_factory=lambda: {"instances": 0, "failures": 0, "not_evaluable": 0}
    )
    model_found: bool = False
    witness: dict[str, Any] | None = None
    tried: tuple[str, ...] = ()
    error: Mistake | None = None
    seconds: float = 0.0
    check_seconds: float = 0.0

    @property
    def as_expected(self) -> bool:
        """Proved, and nothing speaks against it."""
        against = [step for step in self.steps if step.second_opinion == "disagrees"]
        return self.verdict == PROVED and not against and not self.exact_check["failures"]

    def to_json(self) -> dict[str, Any]:
        """The report as ``qkv prove --json`` prints it."""
        return {
            "name": self.name,
            "verdict": self.verdict,
            "statement": self.statement,
            "assumptions": list(self.assumptions),
            "steps": [step.to_json() for step in self.steps],
            "exact_check": dict(self.exact_check),
            "model_found": self.model_found,
            "witness": self.witness,
            "tried": list(self.tried),
            "error": self.error.to_json() if self.error else None,
            "seconds": self.seconds,
            "check_seconds": self.check_seconds,
        }
