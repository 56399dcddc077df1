"""What a worked example is, and how its numbers come about: by the definitions of the proofs.

Nothing here knows a formula. Each step is one definition of `derive.definitions` at the arrays
of the steps before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from derive import definitions as words
from derive.concrete import FLOATING, Table, closed_forms, tabulate
from derive.errors import DeriveError
from derive.signature import Array
from derive.terms import Term

X, W_Q, W_K, W_V = words.X, words.W_Q, words.W_K, words.W_V
Q = Array("Q", (words.m, words.d_k))  # as many questions as there are, of n records
K = Array("K", (words.n, words.d_k))
V = Array("V", (words.n, words.d_v))
S = Array("S", (words.m, words.n))
SIGNIFICANT = 30  # digits of a closed form before it is rounded to a float


@dataclass(frozen=True)
class ExampleStep:
    """One matrix of a worked example.

    Attributes
    ----------
    name : str
        ``X``, ``W_Q``, ``W_K``, ``W_V``, ``Q``, ``K``, ``V``, ``scores``, ``scaled``,
        ``exponentials``, ``weights`` or ``output``.
    rows, columns : tuple[str, ...]
        What each row and each column is about.
    exact : tuple[tuple[sympy.Expr, ...], ...] or None
        Closed forms; None where the data themselves are floating-point numbers.
    decimal : tuple[tuple[float, ...], ...]
        The same in decimals, each correctly rounded where a closed form is known.
    """

    name: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    exact: Table | None
    decimal: Table

    def to_json(self) -> dict[str, Any]:
        """The step as the command line prints it."""
        rows = self.exact or [[None] * len(self.columns)] * len(self.rows)
        exact = [[None if x is None else str(x) for x in row] for row in rows]
        return {"name": self.name, "exact": exact, "decimal": [list(row) for row in self.decimal]}


@dataclass(frozen=True)
class Case:
    """One run through the procedure: a sentence, or a question put to some records."""

    name: str
    title: dict[str, str]
    tokens: tuple[str, ...]
    steps: tuple[ExampleStep, ...]

    def step(self, name: str) -> ExampleStep:
        """The step of that name."""
        found = next((step for step in self.steps if step.name == name), None)
        if found is None:
            raise DeriveError(f"step {name!r}", ", ".join(step.name for step in self.steps))
        return found

    def to_json(self) -> dict[str, Any]:
        """The case as the command line prints it."""
        steps = [step.to_json() for step in self.steps]
        return {"name": self.name, "tokens": list(self.tokens), "steps": steps}


@dataclass(frozen=True)
class Example:
    """A worked example: its name, its title by language, its cases."""

    name: str
    title: dict[str, str]
    cases: tuple[Case, ...]
    source: str = ""

    def case(self, name: str) -> Case:
        """The case of that name."""
        found = next((case for case in self.cases if case.name == name), None)
        if found is None:
            raise DeriveError(f"case {name!r}", ", ".join(case.name for case in self.cases))
        return found

    def _repr_html_(self) -> str:  # in a notebook
        from derive.examples.page import html

        return html(self)

    def to_json(self) -> dict[str, Any]:
        """The example as the command line prints it."""
        return {"name": self.name, "cases": [case.to_json() for case in self.cases]}

    # ------------------------------------------------------------------ making the steps

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """What a notebook shows."""
        from html import escape

        from derive.examples.page import page

        plain = page(self)
        return {"text/plain": plain, "text/html": f"<pre>{escape(plain)}</pre>"}


def rationals(rows: Iterable[Sequence[Any]]) -> Table:
    """Exact entries from ints, or strings such as ``"1/2"``."""
    import sympy

    return tuple(tuple(map(sympy.Rational, row)) for row in rows)


def self_attention(
    tokens: Sequence[str],
    x: Table,
    matrices: tuple[Table, Table, Table],
    *,
    features: Sequence[str],
    asks: Sequence[str],
    hands_over: Sequence[str],
    exact: bool = True,
) -> tuple[ExampleStep, ...]:
    """Every step from the tokens' vectors to the output, by the definitions.

    Parameters
    ----------
    tokens : sequence of str
        The rows of x.
    x, matrices : Table, (Table, Table, Table)
        X, and W_Q, W_K, W_V.
    features, asks, hands_over : sequence of str
        What the columns of X, of Q and K, and of V are about.
    exact : bool
        Whether the entries are SymPy's; else they are floats.
    """
    arithmetic = closed_forms() if exact else FLOATING
    given = dict(zip((X, W_Q, W_K, W_V), (x, *matrices), strict=True))
    labels = ((tokens, features), (features, asks), (features, asks), (features, hands_over))
    steps = [
        _step(array.name, *names, table)
        for (array, table), names in zip(given.items(), labels, strict=True)
    ]
    projections = (words.query(X, W_Q), words.key(X, W_K), words.value(X, W_V))
    q, k, v = (tabulate(term, given, arithmetic) for term in projections)
    return (
        *steps,
        *attend(tokens, tokens, q, k, v, asks=asks, hands_over=hands_over, exact=exact),
    )


def attend(
    askers: Sequence[str],
    records: Sequence[str],
    q: Table,
    k: Table,
    v: Table,
    *,
    asks: Sequence[str],
    hands_over: Sequence[str],
    exact: bool = True,
) -> tuple[ExampleStep, ...]:
    """The steps from queries, keys and values to the output."""
    arithmetic = closed_forms() if exact else FLOATING
    tables: dict[Array, Table] = {Q: q, K: k, V: v}

    def matrix(term: Term) -> Table:
        return tabulate(term, {a: t for a, t in tables.items() if a in term.arrays}, arithmetic)

    scores = matrix(words.matmul(Q, words.transpose(K)))
    tables[S] = matrix(words.score(Q, K))
    steps = [
        _step("Q", askers, asks, q),
        _step("K", records, asks, k),
        _step("V", records, hands_over, v),
        _step("scores", askers, records, scores),
        _step("scaled", askers, records, tables[S]),
        *weigh(askers, records, tables[S], exact=exact),
        _step("output", askers, hands_over, matrix(words.blend(S, V))),
    ]
    return tuple(steps)


def weigh(
    rows: Sequence[str], columns: Sequence[str], scaled: Table, *, exact: bool = True
) -> tuple[ExampleStep, ExampleStep]:
    """Exponentials and weights of scores that are scaled already."""
    arithmetic = closed_forms() if exact else FLOATING
    return (
        _step("exponentials", rows, columns, tabulate(words.strength(S), {S: scaled}, arithmetic)),
        _step("weights", rows, columns, tabulate(words.weight(S), {S: scaled}, arithmetic)),
    )


def _step(name: str, rows: Sequence[str], columns: Sequence[str], table: Table) -> ExampleStep:
    if type(table[0][0]) is float:
        return ExampleStep(name, tuple(rows), tuple(columns), None, table)
    table = tuple(tuple(map(_one_fraction, row)) for row in table)
    decimal = tuple(tuple(float(x.evalf(SIGNIFICANT)) for x in row) for row in table)
    return ExampleStep(name, tuple(rows), tuple(columns), table, decimal)


def _one_fraction(x: Any) -> Any:
    """A sum of fractions over one denominator."""
    import sympy

    return sympy.together(x) if x.is_Add else x


def scores_alone(label: str, columns: Sequence[str], row: Sequence[Any]) -> tuple[ExampleStep, ...]:
    """One row of scores that come from nowhere: scores, exponentials, weights."""
    table = rationals([row])
    return (_step("scores", (label,), columns, table), *weigh((label,), columns, table))
