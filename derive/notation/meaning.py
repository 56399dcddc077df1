"""What the words of a drawn term mean: its definitions, drawn as equations; what is random."""

from __future__ import annotations

from collections.abc import Iterator

from derive.notation.fold import is_array
from derive.notation.names import Names
from derive.notation.text import text
from derive.signature import Array, Definition
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


def meanings(names: Names, *terms: Term) -> tuple[str, ...]:
    """What the words in some terms mean, line by line; `names` are those that they are drawn in."""
    equations = map(equation, definitions(*terms))
    drawn = (text(term, names=names.apart(term)) for term in equations)
    return (*drawn, *_averaging(names, *terms))


def _averaging(names: Names, *terms: Term) -> tuple[str, ...]:
    """What the expectations in some terms average over; nothing said where there is none.

    A constant is drawn like a random number, and its variance is 0.
    """
    if not any(map(_expects, terms)):
        return ()
    things = frozenset().union(*(term.names for term in terms))
    random = sorted(names[x] for x in things if type(x) is Array and x.random)
    return (f"E averages over {', '.join(random) or 'nothing: all is constant'}",)


def _expects(term: Term) -> bool:
    inside = (term.data.body, *term.args) if term.op == "def" else term.args
    return term.op == "E" or any(map(_expects, inside))
