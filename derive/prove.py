"""From derivations to reports: build each through the kernel, then let the other minds look.

The kernel alone decides whether something is proved. SymPy's second opinion, the exact check in
small models and the search for a model of the assumptions are reported beside it, each as what
it is.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import redirect_stdout
from functools import partial
from multiprocessing import get_context
from typing import Any

from derive import catalog
from derive.derivation import Derivation
from derive.errors import DeriveError
from derive.notation.forms import NotationError
from derive.notation.latex import latex
from derive.notation.meaning import meanings
from derive.notation.names import Names
from derive.notation.text import text
from derive.opinion import second_opinion
from derive.report import PROVED, REFUTED, UNKNOWN, Mistake, Report, StepReport
from derive.terms import Term
from derive.user import FileError, load_file, mistake
from derive.witness import exact_check, refute, satisfying_model

sys.set_int_max_str_digits(0)  # exact numbers may be longer than Python prints by default

Task = tuple[str, str]  # a file, or "" for the catalogue; a name
WORTH_A_POOL = 4  # so many derivations take longer than starting processes does


def examine_all(tasks: Sequence[Task]) -> Iterator[Report]:
    """A report for each task, in their order; many are examined by fresh processes."""
    workers = min(os.cpu_count() or 1, len(tasks))
    if len(tasks) < WORTH_A_POOL or workers == 1:
        yield from map(_examine_task, tasks)
        return
    pool = ProcessPoolExecutor(workers, get_context("spawn"), _die_quietly)
    futures = [pool.submit(_examine_task, task) for task in tasks]
    try:
        for future in futures:
            yield future.result()
    except GeneratorExit:  # nobody wants the rest
        pool.shutdown(wait=False, cancel_futures=True)
        raise


def _die_quietly() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # the parent tells of an interrupt


def _examine_task(task: Task) -> Report:
    file, name = task
    if not file:
        return examine(catalog.load(name))
    return next(examine(d) for d in load_file(file) if d.name == name)


def examine_file(file: str) -> Iterator[Report]:
    """The reports of a user's file; one that does not run gives a single report that says so."""
    try:
        derivations = load_file(file)
    except FileError as error:
        yield Report(file, {}, UNKNOWN, "", error=_mistake(error), tried=("running the file",))
        return
    yield from examine_all([(file, derivation.name) for derivation in derivations])


def examine(derivation: Derivation) -> Report:
    """Build one derivation and check it in every way there is."""
    start = time.perf_counter()
    file = derivation.build.__code__.co_filename
    try:
        with redirect_stdout(sys.stderr):  # whatever an author prints is no part of the report
            seconds = derivation.seconds
    except (Exception, SystemExit) as error:  # noqa: BLE001 - an author may make any mistake
        seconds = time.perf_counter() - start
        report = _failed(derivation, mistake(error, file))
    else:
        try:
            report = _proved(derivation)
        except NotationError as error:
            line = derivation.build.__code__.co_firstlineno
            undrawn = FileError(file, line, "notation", error.given, error.expected, error.fix)
            report = _failed(derivation, undrawn)
    checks = time.perf_counter() - start - seconds
    return report(seconds=seconds, check_seconds=max(checks, 0.0))


def _proved(derivation: Derivation) -> partial[Report]:
    statement, assumptions = derivation.statement, derivation.assumptions
    lines = [step.theorem.conclusion for step in derivation.steps]
    names = Names.of(statement, *assumptions, *lines)
    return partial(
        Report,
        **_about(derivation, statement, assumptions, names),
        verdict=PROVED,
        steps=tuple(_step(step, names) for step in derivation.steps),
        meanings=meanings(names, statement, *assumptions, *lines),
        exact_check=_checked(assumptions, statement),
    )


def _failed(derivation: Derivation, error: DeriveError) -> partial[Report]:
    statement, assumptions = derivation.statement, derivation.assuming
    steps = getattr(error, "steps", ())
    names = Names.of(statement, *assumptions, *(step.theorem.conclusion for step in steps))
    refutation = refute(assumptions, statement)
    witness = refutation or getattr(error, "witness", None)
    return partial(
        Report,
        **_about(derivation, statement, assumptions, names),
        verdict=REFUTED if refutation else UNKNOWN,
        steps=tuple(_step(step, names) for step in steps),
        witness=witness and witness.to_json(),
        tried=getattr(error, "tried", ("running the proof",)),
        error=_mistake(error),
    )


def _about(
    derivation: Derivation, statement: Term, assumptions: Iterable[Term], names: Names
) -> dict[str, Any]:
    assumptions = tuple(assumptions)
    return {
        "name": derivation.name,
        "title": dict(derivation.title),
        "statement": text(statement, names=names, variance=True),
        "assumptions": tuple(text(a, names=names, variance=True) for a in assumptions),
        "model_found": satisfying_model(assumptions, about=(statement,)) is not None,
    }


def _step(step: Any, names: Names) -> StepReport:
    conclusion = step.theorem.conclusion
    opinion = second_opinion(tuple(step.theorem.hypotheses), conclusion)
    sides = conclusion.args if step.relation and conclusion.op != "tends" else ()
    left, right = (text(side, names=names, variance=True) for side in sides or (conclusion,) * 2)
    derived = () if opinion.left is None else (str(opinion.left), str(opinion.right))
    return StepReport(
        left=left if sides else "",
        relation=step.relation if sides else "",
        right=right,
        rule=step.rule,
        uses=(
            *(text(p, names=names, variance=True) for p in step.uses),
            *(name for name, _ in step.lemmas),
        ),
        latex=latex(conclusion, names=names, variance=True),
        second_opinion=opinion.verdict,
        reason=opinion.reason,
        derived=derived or ("", ""),
        sizes=opinion.sizes,
    )


def _checked(assumptions: Sequence[Term], statement: Term) -> dict[str, int]:
    """Each part of a conjunction by itself: one that cannot be evaluated hides no other."""
    total: Counter[str] = Counter({"instances": 0, "failures": 0, "not_evaluable": 0})
    for part in _conjuncts(statement):
        total.update(exact_check(assumptions, part))
    return dict(total)


def _conjuncts(statement: Term) -> Iterator[Term]:
    if statement.op == "and":
        for part in statement.args:
            yield from _conjuncts(part)
    else:
        yield statement


def _mistake(error: DeriveError) -> Mistake:
    return Mistake(error.file, error.line, error.rule, error.got, error.expected, str(error))
