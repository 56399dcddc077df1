"""A worked example on a terminal or in a notebook: matrices with their labels."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from html import escape
from typing import Any
from unicodedata import combining, east_asian_width

from derive.examples.worked import Case, Example, ExampleStep


def page(example: Example) -> str:
    """The whole example."""
    title = " · ".join(example.title.values())
    return "\n\n".join([f"{example.name}: {title}", *map(_case, example.cases)])


def _case(case: Case) -> str:
    title = " · ".join(dict.fromkeys(case.title.values()))
    return "\n\n".join([f"── {title}", *("\n".join(_step(step)) for step in case.steps)])


def _step(step: ExampleStep) -> Iterator[str]:
    cells = [["", *step.columns]]
    below = []
    for row, label in enumerate(step.rows):
        cells.append([label])
        for column, decimal in enumerate(step.decimal[row]):
            cells[-1].append(brief(decimal))
            if step.exact and not _says_all(cells[-1][-1], step.exact[row][column]):
                below.append(f"    {label} → {step.columns[column]}: {step.exact[row][column]}")
    widths = [max(map(wide, column)) for column in zip(*cells, strict=True)]
    yield step.name
    for row in cells:
        yield "    " + "  ".join(_padded(c, w) for c, w in zip(row, widths, strict=True)).rstrip()
    yield from below


# ------------------------------------------------------------------ in a notebook


def html(example: Example) -> str:
    """The whole example as tables; a closed form shows when one points at its decimal."""
    cases = "".join(
        f"<h4>{_titles(case.title)}</h4>{''.join(map(_table, case.steps))}"
        for case in example.cases
    )
    return f"<h3>{_titles(example.title)}</h3>{cases}"


def _titles(title: dict[str, str]) -> str:
    return escape(" · ".join(dict.fromkeys(title.values())))


def _table(step: ExampleStep) -> str:
    head = "".join(f"<th>{escape(column)}</th>" for column in step.columns)
    exact = step.exact or [[""] * len(step.columns)] * len(step.rows)
    body = "".join(
        f"<tr><th>{escape(label)}</th>{''.join(map(_cell, forms, decimals))}</tr>"
        for label, forms, decimals in zip(step.rows, exact, step.decimal, strict=True)
    )
    return f"<table><caption>{escape(step.name)}</caption><tr><th></th>{head}</tr>{body}</table>"


def _cell(exact: Any, decimal: float) -> str:
    return f'<td title="{escape(str(exact))}">{brief(decimal)}</td>'


# ------------------------------------------------------------------ numbers and widths


def brief(x: float) -> str:
    """Four decimals, or more where those would show a whole number that it is not."""
    if 0 < abs(x) < 0.00005:
        return f"{x:.1e}"
    shown = f"{x:.4f}".rstrip("0").rstrip(".")
    return shown if "." in shown or x == int(x) else f"{x:.6g}"


def _says_all(decimal: str, exact: Any) -> bool:
    return exact.is_Rational and Fraction(decimal) == Fraction(int(exact.p), int(exact.q))


def _padded(cell: str, width: int) -> str:
    return " " * (width - wide(cell)) + cell


def wide(words: str) -> int:
    """How many columns of a terminal the words take."""
    return sum(0 if combining(x) else 2 if east_asian_width(x) in "WF" else 1 for x in words)
