"""Somebody else's proofs, checked again: in a process of its own, within bounds of time and memory.

The kernel alone decides: :func:`derive.certificate.replay` makes every step again. What is said of
a theorem afterwards (its steps, what its definitions stand for, whether its assumptions hold
together in a model) is there to be read, and runs none of the author's code either.
"""

from __future__ import annotations

from collections.abc import Iterator
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from derive.certificate import MOST_BYTES, MOST_DEPTH, CertificateError, replay, said
from derive.errors import DeriveError
from derive.report import PROVED, Report, StepReport
from derive.terms import Term, key

MOST_SECONDS = 300
MOST_MEMORY = 2 << 30


def recheck(
    path: str | Path, *, seconds: float = MOST_SECONDS, memory: int = MOST_MEMORY
) -> tuple[Report, ...]:
    """Replay a certificate in a fresh process, within bounds of time and memory.

    Returns
    -------
    tuple of Report
        One for each theorem. SymPy is not asked, and no exact check is made.

    Raises
    ------
    CertificateError
        If the file certifies nothing: why, and at which node or step.
    """
    context = get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    worker = context.Process(target=_work, args=(sender, str(path), memory), daemon=True)
    worker.start()
    sender.close()
    try:
        if not receiver.poll(seconds):
            raise CertificateError(f"more than {seconds:g} seconds", "a proof that checks in less")
        result = receiver.recv()
    except EOFError:
        raise CertificateError("a check that broke off", f"{memory >> 20} MiB to suffice") from None
    finally:
        worker.kill()
        worker.join()
    if type(result) is list:
        raise CertificateError(*result)
    return result


def _work(sender: Any, path: str, memory: int) -> None:
    _bound_memory(memory)
    try:
        with Path(path).open("rb") as file:
            theorems = replay(file.read(MOST_BYTES + 1))
        result: Any = tuple(report(name, theorem) for name, theorem in theorems.items())
    except DeriveError as error:
        result = [said(error.given), said(error.expected) or "a certificate"]
    except OSError as error:
        result = [f"{path}: {error.strerror}", "a certificate that can be read"]
    except RecursionError:
        result = ["a term or a proof nested too deep", f"a depth of {MOST_DEPTH} at most"]
    except MemoryError:
        result = ["more memory than allowed", f"{memory >> 20} MiB at most"]
    sender.send(result)


def report(name: str, theorem: Any) -> Report:
    """What is said of a theorem that the kernel made again.

    A name proves nothing: the meanings say what each definition in it stands for in this file, and
    what is random.
    """
    from derive.notation.meaning import meanings
    from derive.notation.names import Names
    from derive.notation.text import text
    from derive.witness import satisfying_model

    assumptions = sorted(theorem.hypotheses, key=key)
    steps = list(_steps(theorem))
    propositions = (theorem.conclusion, *assumptions)
    names = Names.of(*propositions, *(step.conclusion for step in steps))
    statement, *drawn = (text(p, names=names, variance=True) for p in propositions)
    return Report(
        name,
        {},
        PROVED,
        statement,
        tuple(drawn),
        tuple(_step(step, names) for step in steps),
        meanings(names, *propositions),
        model_found=satisfying_model(assumptions, about=(theorem.conclusion,)) is not None,
    )


def _steps(theorem: Any) -> Iterator[Any]:
    """The theorems that lead to this one, each once, premises first; then itself."""
    seen: set[int] = set()
    ahead = [(theorem, False)]
    while ahead:
        step, ready = ahead.pop()
        if ready:
            yield step
        elif id(step) not in seen:
            seen.add(id(step))
            ahead.append((step, True))
            ahead.extend((premise, False) for premise in reversed(step.premises))


def _step(step: Any, names: Any) -> StepReport:
    from derive.chain import SYMBOLS
    from derive.notation.latex import latex
    from derive.notation.text import text

    draw = lambda term: text(term, names=names, variance=True)
    conclusion: Term = step.conclusion
    sides = conclusion.args if conclusion.op in SYMBOLS and conclusion.op != "tends" else ()
    consumed = step.hypotheses.difference(*(premise.hypotheses for premise in step.premises))
    return StepReport(
        left=draw(sides[0]) if sides else "",
        relation=SYMBOLS[conclusion.op] if sides else "",
        right=draw(sides[-1] if sides else conclusion),
        rule=step.rule,
        uses=tuple(draw(p) for p in sorted(consumed, key=key)),
        latex=latex(conclusion, names=names, variance=True),
        second_opinion="not evaluable",
        reason="the kernel alone was asked",
    )


def _bound_memory(limit: int) -> None:
    try:
        import resource
    except ImportError:  # only POSIX systems bound the memory of a process
        return
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
