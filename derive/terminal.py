"""Reports on a terminal: readable lines, coloured where a person is looking."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator

from derive.report import PROVED, REFUTED, UNKNOWN, Report, StepReport
from derive.witness import in_lines

SIGNS = {PROVED: "✓", REFUTED: "✗", UNKNOWN: "?"}
COLOURS = {PROVED: "32", REFUTED: "31", UNKNOWN: "33"}
DIM, BOLD, RED = "2", "1", "31"


def painted(words: str, code: str) -> str:
    """The words in a colour, on a terminal that shows colours."""
    wanted = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    return f"\033[{code}m{words}\033[0m" if wanted and words else words


def summary(report: Report, width: int) -> str:
    """One line for one derivation."""
    verdict = painted(f"{SIGNS[report.verdict]} {report.verdict:7}", COLOURS[report.verdict])
    doubts = "" if report.as_expected else painted(f"  {_doubt(report)}", RED)
    timing = painted(f"{report.seconds:6.3f} s", DIM)
    return f"{verdict}  {report.name:{width}}  {timing}  {_fitted(report.statement, 20)}{doubts}"


def _doubt(report: Report) -> str:
    if report.error:
        return f"{report.error.file}:{report.error.line}"
    if report.verdict == PROVED:
        return "but a check speaks against it"
    return ""


def account(report: Report) -> str:
    """Everything about one derivation, as a page."""
    return "\n".join(_account(report))


def _account(report: Report) -> Iterator[str]:
    verdict = painted(f"{SIGNS[report.verdict]} {report.verdict}", COLOURS[report.verdict])
    titles = " · ".join(dict.fromkeys(report.title.values()))
    title = f"  {titles}" if titles not in ("", report.name) else ""
    yield f"{verdict}  {painted(report.name, BOLD)}{title}"
    if report.statement:
        yield from ("", f"    {report.statement}")
    if report.assumptions:
        yield from ("", "assuming")
        yield from (f"    ({k}) {p}" for k, p in enumerate(report.assumptions, 1))
    if report.steps:
        yield from ("", "proof")
        yield from _proof(report)
    if report.meanings:
        yield from ("", "where", *(f"    {meaning}" for meaning in report.meanings))
    if report.error:
        yield from ("", painted(report.error.message, RED))
    if report.witness and report.verdict == REFUTED and report.error:
        yield from ("", *_refutation(report.witness, report.error.message))
    yield from ("", *_checks(report))


def _proof(report: Report) -> Iterator[str]:
    """The lines as chains; under each, what SymPy derived by itself."""
    numbers = {assumption: k for k, assumption in enumerate(report.assumptions, 1)}
    last = None
    for step in report.steps:
        if step.relation and step.left != last:
            yield f"      {step.left}"
        uses = ", ".join(map(str, sorted(numbers[use] for use in step.uses if use in numbers)))
        reason = f"{step.rule} ({uses})" if uses else step.rule
        yield f"    {step.relation or ' '} {step.right}    {painted(f'[{reason}]', DIM)}"
        yield painted(f"          {_fitted(_sympy(step), 10)}", DIM)
        last = step.right if step.relation else None


def _sympy(step: StepReport) -> str:
    if not step.derived[0]:
        return f"SymPy: {step.second_opinion}" + (f": {step.reason}" if step.reason else "")
    sizes = ", ".join(f"{name} = {size}" for name, size in step.sizes.items())
    left, right = step.derived
    derived = left if left == right else f"{left} {step.relation or '='} {right}"
    return f"SymPy {step.second_opinion}, at {sizes}: {derived}"


def _fitted(line: str, used: int) -> str:
    """The line, cut to what the terminal has left; whole where nobody looks."""
    room = max(shutil.get_terminal_size((100, 24)).columns - used, 40)
    return line if len(line) <= room or not sys.stdout.isatty() else line[: room - 1] + "…"


def _refutation(witness: dict, said: str) -> Iterator[str]:
    """What refutes the statement, unless the mistake has `said` it already."""
    lines = [f"    {line}" for line in in_lines(witness)]
    if "\n".join(lines) in said:
        yield "The statement itself is false, with the same numbers."
    else:
        yield from ("The statement itself is false, for example with", *lines)


def _checks(report: Report) -> Iterator[str]:
    agreeing = sum(step.second_opinion == "agrees" for step in report.steps)
    silent = sum(step.second_opinion == "not evaluable" for step in report.steps)
    against = len(report.steps) - agreeing - silent
    exact, lines = report.exact_check, len(report.steps)
    if report.verdict == PROVED:
        yield f"kernel       {lines} line{'s' * (lines != 1)}, each made by its rules, in {report.seconds:.3f} s"
    if lines:
        yield f"SymPy        {agreeing} agree, {against} disagree, {silent} not evaluable"
    if report.verdict == PROVED:
        yield (
            f"exact check  {exact['instances']} small models, {exact['failures']} failures,"
            f" {exact['not_evaluable']} not evaluable"
        )
    if report.assumptions:
        doubt = painted("no model of them was found: they may contradict each other", RED)
        yield f"assumptions  {'hold together in a model' if report.model_found else doubt}"
    if report.tried:
        yield f"tried        {'; '.join(report.tried)}"
