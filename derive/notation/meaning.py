"""What the words of a drawn term mean: its definitions, drawn as equations."""

from __future__ import annotations

from collections.abc import Iterator

from derive.notation.fold import is_array
from derive.signature import Definition
from derive.syntax import Lambda, eq
from derive.terms import Term


def definitions(*terms: Term) -> tuple[Definition, ...]:
    """All definitions in some terms and in their bodies; each after those that it rests on."""
    return tuple(dict.fromkeys(found for term in terms for found in _used(term)))


def _used(term: Term) -> Iterator[Definition]:
    for arg in term.args:
        yield from _used(arg)
    if term.op == "def":
        yield from _used(term.data.body)
        yield term.data


def equation(definition: Definition) -> Term:
    """The definition as a statement: ``Q = X W_Q`` if its body is a matrix expression.

    >>> from derive.syntax import Sum, indices, ranges
    >>> from derive.signature import Array
    >>> n, = ranges("n"); i, = indices("i", n)
    >>> x, y = Array("x", (n,)), Array("y", (n,))
    >>> dot = Definition("dot", (x, y), (), Sum(i, x[i] * y[i]), "{0} · {1}")
    >>> equation(dot)
    x · y = Σ_{i=1}^n x[i] y[i]
    >>> equation(Definition("double", (x,), (i,), 2 * x[i]))
    double(x) = 2 x
    """
    indices = definition.indices
    left = definition(*definition.parameters)
    if is_array(definition.body, indices):
        return eq(left, Lambda(indices, definition.body))
    return eq(left[indices] if indices else left, definition.body)
