"""Ranges, arrays and definitions are names, not numbers, though they are kept as tuples."""

from __future__ import annotations

import operator
from fractions import Fraction

import pytest

from derive.errors import TermError
from derive.signature import Definition
from derive.syntax import Sum, eq
from derive.terms import Term
from vocabulary import i, n, x, y

f = Definition("f", (x,), (), Sum(i, x[i]))
OPERATORS = (
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.pow,
    operator.lt,
    operator.le,
    operator.gt,
    operator.ge,
)


@pytest.mark.parametrize("calculate", OPERATORS)
@pytest.mark.parametrize("record", [n, x, f])
@pytest.mark.parametrize("other", [2, Fraction(1, 2), n, y, f, (1, 2)])
def test_nothing_is_calculated_with_a_name(calculate, record, other):
    for operands in ((record, other), (other, record)):
        with pytest.raises(TermError, match="in arithmetic or a comparison") as refusal:
            calculate(*operands)
        assert "n.size" in refusal.value.fix


def test_a_name_has_no_negative():
    with pytest.raises(TermError, match="in arithmetic"):
        operator.neg(n)


def test_a_range_as_a_number_is_told_of_its_size():
    with pytest.raises(TermError) as refusal:
        eq(Sum(i, 1), n)
    assert refusal.value.fix == "its size: n.size"
    assert type(eq(Sum(i, 1), n.size)) is Term


@pytest.mark.parametrize("calculate", OPERATORS[:4])
def test_a_name_beside_a_term(calculate):
    for operands in ((x[i], n), (n, x[i])):
        with pytest.raises(TermError, match="the range n"):
            calculate(*operands)
