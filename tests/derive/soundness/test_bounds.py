"""What shares itself, nests or grows without end is refused at once, and politely."""

from __future__ import annotations

import time
from fractions import Fraction

import pytest

from derive.errors import DeriveError, TermError
from derive.kernel import infer
from derive.notation.latex import latex
from derive.notation.typst import typst
from derive.rules import parameters, rewriting, structure
from derive.signature import Array, Definition, Range
from derive.syntax import Symbol, add, lt
from derive.terms import MOST_WEIGHT, Term, number

x, DEEP = Symbol("x"), 60


def doubled(times: int) -> Term:
    term = x
    for _ in range(times):
        term = add(term, term)
    return term


def doubled_range() -> Range:
    over = Range("r")
    for level in range(DEEP):
        over = Range(f"r{level}", (over, over))
    return over


def doubled_definition() -> Term:
    term = number(1)
    for level in range(DEEP):
        here = Term("def", (), Definition(f"f{level}", (), (), term))
        term = add(here, here)
    return term


def sign_of_a_definition_that_doubles() -> None:
    p = Array("p")
    double, term = Definition("double", (p,), (), p[()] + p[()]), number(1)
    for _ in range(DEEP):
        term = Term("def", (term,), double)
    infer("positive", term=term)


def power_of_powers() -> None:
    term = number(2)
    for _ in range(DEEP):
        term = term**8
    infer("algebra", left=term, right=term + 1)


@pytest.mark.parametrize(
    "build",
    [
        lambda: doubled(DEEP),
        doubled_range,
        doubled_definition,
        sign_of_a_definition_that_doubles,
        power_of_powers,
        lambda: infer("algebra", left=doubled(18), right=x),
        lambda: infer("positive", term=doubled(18), given=(lt(0, x),)),
        lambda: number(10**40_000),
        lambda: number(10**2000) ** 10**40_000,
        lambda: infer("algebra", left=x * 10**3000, right=x / 10**3000),
        lambda: infer("rewrite", term=number(10**20_000) * 10**20_000, law="multiply out", path=()),
    ],
    ids=range(11),
)
def test_what_grows_without_end_is_refused(build):
    start = time.process_time()
    with pytest.raises(DeriveError) as refusal:
        build()
    assert time.process_time() - start < 10
    assert len(str(refusal.value)) < 10_000


def test_a_large_term_is_one():
    assert MOST_WEIGHT / 4 < doubled(18).weight <= MOST_WEIGHT
    with pytest.raises(TermError, match="1000000 at most"):
        doubled(20)


def test_the_sign_of_squares_of_squares():
    """Each was asked three times for what is inside."""
    term, start = x, time.process_time()
    for _ in range(DEEP):
        term = term**2
    with pytest.raises(DeriveError, match="was not shown"):
        infer("positive", term=term)
    assert infer("nonnegative", term=term).hypotheses == frozenset()
    assert infer("positive", term=term, given=(lt(x, 0),)).hypotheses == {lt(x, 0)}
    assert infer("positive", term=term, given=(lt(0, x),)).hypotheses == {lt(0, x)}
    assert time.process_time() - start < 2


@pytest.mark.parametrize(
    "table", [structure.STRENGTH, rewriting.STARTS, rewriting.LAWS, parameters.TYPES], ids=range(4)
)
def test_no_table_of_the_rules_can_be_written(table):
    """With the strengths exchanged, ``a ≤ b`` and ``b = c`` gave ``a = c``."""
    with pytest.raises(TypeError):
        table["eq"] = table["eq" if "eq" in table else next(iter(table))]


@pytest.mark.parametrize("draw", [repr, latex, lambda term: typst(term).source])
def test_a_number_longer_than_python_prints_is_drawn(draw):
    """`str` refuses more than 4300 digits unless the whole process is told otherwise."""
    long = 10**5000 + 1
    for term in (number(long), number(Fraction(1, long)), x**long, x ** Fraction(1, long)):
        assert "0" * 4999 + "1" in draw(term).translate(str.maketrans("⁰¹", "01"))
