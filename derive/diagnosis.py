"""Why a line does not follow: where it is, what its rule gives, whether it is false, what mends it.

*Not trusted*: it only explains what the kernel has refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from derive.errors import DeriveError, TermError
from derive.facts import RuleError
from derive.notation.names import Names
from derive.notation.text import text
from derive.signature import Definition
from derive.terms import Term
from derive.witness import refute

SYMBOLS = {"eq": "=", "le": "≤", "lt": "<", "tends": "→"}


class StepError(DeriveError):
    """A line that does not follow.

    Attributes
    ----------
    file, line : str, int
        Where it stands.
    rule : str
        What was to justify it.
    got, expected : str
        What the rule gives, and what the line says.
    witness : derive.witness.Witness or None
        Values for which the line is false, where some were found: then it is refuted; otherwise
        it is unknown whether it is true.
    tried : tuple[str, ...]
        What was tried.
    steps : tuple
        The lines before it, which do follow.
    """

    def __init__(
        self,
        says: str,
        got: str,
        expected: str,
        fix: str,
        *,
        file: str,
        line: int,
        rule: str,
        witness: Any = None,
        tried: tuple[str, ...] = (),
        steps: tuple = (),
        but: str = "but the line says",
        refuted: str = "which is false",
    ) -> None:
        self.file, self.line, self.rule, self.got = file, line, rule, got
        self.witness, self.tried, self.steps = witness, tried, steps
        self._but, self._refuted = but, refuted
        if witness is not None:
            fix = "correct it, or assume what rules that out"
        super().__init__(f"{file}:{line}: {says}\n    {got}", expected, fix)

    def __str__(self) -> str:
        parts = [self.given, f"{self._but}\n    {self.expected}"]
        if self.witness is not None:
            parts.append(f"{self._refuted}, for example with\n{_indented(str(self.witness))}")
        return "\n".join([*parts, f"to mend it: {self.fix}"])

    @property
    def verdict(self) -> str:
        return "unknown" if self.witness is None else "refuted"


def _indented(lines: str) -> str:
    return "\n".join(f"    {line}" for line in lines.splitlines())


def wrong_line(
    chain: Any, op: str, right: Term, laws: tuple, error: DeriveError, file: str, line: int
) -> StepError:
    """The account of a line that a chain refused.

    Parameters
    ----------
    chain : Chain
        The lines so far.
    op, right : str, Term
        The relation and the right side of the refused line.
    laws : tuple[Law, ...]
        What it was to follow by.
    error : DeriveError
        What the kernel said.
    file, line : str, int
        Where it stands.
    """
    left, rule = chain.last, ", ".join(dict.fromkeys(law.reason for law in laws))
    lemmas = [lemma for law in laws for lemma in law.lemmas]
    given = (*chain.given, *(p for law in laws for p in law.given))
    given = tuple(dict.fromkeys((*given, *(p for lemma in lemmas for p in lemma.hypotheses))))
    names = Names.of(left, right, *given)
    comparable = left.kind == right.kind
    reached = _reached(left, laws, given)
    witness = refute(given, Term(op, (left, right))) if comparable else None
    if not comparable:
        fix = "make both sides numbers, or both arrays of the same shape"
    elif witness is None:
        fix = "\n".join(
            filter(None, (_remedy(op, left, right, laws, given), _halt(reached, laws, given)))
        )
    else:
        fix = ""
    return StepError(
        f"by {rule} the line before gives",
        text(reached, names=names),
        f"{SYMBOLS[op]} {text(right, names=names)}",
        fix,
        file=file,
        line=line,
        rule=rule,
        witness=witness,
        tried=(error.given, *([] if witness else ["small models, for a counterexample"])),
        steps=chain.steps,
    )


def _reached(left: Term, laws: tuple, given: Sequence[Term]) -> Term:
    """How far the laws take the line before."""
    from derive.chain import _exhaust

    try:
        return _exhaust(left, laws, tuple(given)).conclusion.args[1]
    except (RuleError, TermError):
        return left


def _remedy(op: str, left: Term, right: Term, laws: tuple, given: tuple[Term, ...]) -> str:
    """One more law that would do, if there is one."""
    from derive import chain

    known = {name: law for name, law in vars(chain).items() if type(law) is chain.Law}
    definitions = {d.name: d for d in (*left.names, *right.names) if type(d) is Definition}
    assumptions = {text(p): p for p in given}
    for name, extra in (known | definitions | assumptions).items():
        try:
            chain.prove_step(op, left, right, (*laws, *chain._laws(extra)), given)
        except (RuleError, TermError):
            continue
        return f"it does follow with one thing more in by=: {name}"
    return (
        "no counterexample was found, so the line may be true: name the law, the definition or"
        " the assumption that it rests on, or take a smaller step"
    )


def _halt(reached: Term, laws: tuple, given: tuple[Term, ...]) -> str:
    """Where a law goes no further, and why."""
    from derive import chain
    from derive.kernel import infer

    for law in laws:
        for name, lemmas in chain._attempts(law):
            for path, place in chain.places(reached):
                if not chain._may_apply(name, place, law):
                    continue
                try:
                    infer("rewrite", *lemmas, term=reached, law=name, path=path, given=given)
                except RuleError as error:
                    wanted = f"; it needs {error.expected}" if error.expected else ""
                    return f"{law.reason} stops at {error.given}{wanted}"
                except TermError:
                    continue
    return ""


# ------------------------------------------------------------------ whole derivations


def no_proof(derivation: Any, result: Any) -> StepError:
    """The account of a function that gives something else than a proof."""
    code = derivation.build.__code__
    return StepError(
        f"the function of {derivation.name} returns",
        f"{type(result).__name__}: {result!r}" if result is not None else "None",
        "a proof",
        "end the chain with .qed(), and return it",
        file=code.co_filename,
        line=code.co_firstlineno,
        rule="the proof",
        tried=("running the proof",),
        but="but what is wanted is",
    )


def other_statement(derivation: Any, proof: Any) -> StepError:
    """The account of a proof that ends in something else than was stated."""
    names = Names.of(proof.statement, derivation.statement)
    code = derivation.build.__code__
    return StepError(
        f"the proof of {derivation.name} ends in",
        text(proof.statement, names=names),
        text(derivation.statement, names=names),
        "let states= and the first and last lines of the proof agree",
        file=code.co_filename,
        line=code.co_firstlineno,
        rule="the statement",
        witness=_refutation(derivation),
        tried=("the proof as it stands",),
        steps=proof.steps,
        but="but it states",
    )


def undeclared(derivation: Any, proof: Any) -> StepError | None:
    """The account of a proof that consumes what was not assumed; None if there is none such."""
    extra = [p for p in proof.assumptions if p not in derivation.assuming]
    if not extra:
        return None
    code = derivation.build.__code__
    step = next((s for s in proof.steps if set(extra) & set(s.uses) and s.line), None)
    declared = ", ".join(map(text, derivation.assuming)) or "no assumption"
    return StepError(
        f"the proof of {derivation.name} consumes",
        ", ".join(map(text, extra)),
        declared,
        "add it to assuming= if it is meant, or do without it",
        file=step.file if step else code.co_filename,
        line=step.line if step else code.co_firstlineno,
        rule="what is assumed",
        witness=_refutation(derivation),
        tried=("the proof with what it assumes alone",),
        steps=proof.steps,
        but="but it assumes",
        refuted="and without that the statement is false",
    )


def _refutation(derivation: Any) -> Any:
    return refute(derivation.assuming, derivation.statement)
