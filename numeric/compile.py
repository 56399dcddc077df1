"""From a term to a program of whole-array calls: parse → recipe → apply.

Every index becomes an axis. A product under sums becomes pairwise contractions, each an axis
sooner gone than later; a power, a function or a quotient one call; an index map or a diagonal one
gather; an expectation a sum over outcomes; a derivative is taken on the term first. Equal
sub-terms, up to the names of bound indices, are computed once.
"""

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from derive.binding import bind, fresh, substitute, unbind, unfold
from derive.signature import Array, Range
from derive.syntax import E, Index, Sum, absolute, add, cos, exp, mul, neg, sin
from derive.terms import Term, number
from numeric.errors import NumericError
from numeric.program import Instruction, Program

_Named = tuple[int, tuple[Term, ...]]  # a slot, and the index variable of each of its axes


def compile_term(term: Term, axes: tuple[Term, ...] | None = None) -> Program:
    """Return the program that evaluates `term`; compiled once, however its indices are called.

    Parameters
    ----------
    term
        A number or an index statement, possibly with free indices; or an array, a λ.
    axes
        The free indices in the order of the result's axes; by default in order of appearance.
        The axes of a λ come last.

    Examples
    --------
    >>> import numpy as np
    >>> from derive.syntax import Sum, indices, ranges
    >>> from derive.signature import Array
    >>> n, d = ranges("n d")
    >>> (i, j), (t,) = indices("i j", n), indices("t", d)
    >>> q, k = Array("q", (n, d)), Array("k", (n, d))
    >>> scores = compile_term(Sum(t, q[i, t] * k[j, t]), (i, j))
    >>> scores.instructions[-2]
    contract [0, 1] ab,cb->ac
    >>> scores({"q": np.eye(2), "k": np.asarray([[1.0, 2.0], [3.0, 4.0]])})
    array([[1., 3.],
           [2., 4.]])
    """
    free = variables(term)
    axes = tuple(free) if axes is None else axes
    if any(v not in axes for v in free) or len(set(axes)) != len(axes):
        raise NumericError(f"axes {axes}", f"each of {tuple(free)} once", "list every index")
    names = [x.name if type(x) is Array else x.data for x in term.names if _is_input(x)]
    if len(set(names)) != len(names):
        raise NumericError(f"inputs {sorted(names)}", "one input of each name", "rename one")
    for axis in reversed(axes):
        term = bind("lam", axis, term)
    return _compiled(term)


def compile_expression(expression: Any, names: Any, axes: Iterable[Any] | None = None) -> Program:
    """Return the program that evaluates an index-level SymPy expression.

    Parameters
    ----------
    expression
        Written with ``Sum`` and ``Indexed``, as `derive.bridge.from_sympy` reads it.
    names
        What its symbols stand for: a `derive.bridge.Names`.
    axes
        The free index symbols in the order of the result's axes.

    Examples
    --------
    >>> import numpy as np, sympy
    >>> from derive.bridge import Names
    >>> n, i, j = sympy.symbols("n i j", integer=True)
    >>> x = sympy.IndexedBase("x", shape=(n,))
    >>> names = Names({n: Range("n")}, {i: Range("n")})
    >>> share = compile_expression(x[i] / sympy.Sum(x[j], (j, 1, n)), names)
    >>> share({"x": np.asarray([1.0, 3.0])})
    array([0.25, 0.75])
    """
    from derive.bridge import from_sympy

    order = None if axes is None else tuple(Index(str(x), names.indices[x]) for x in axes)
    return compile_term(from_sympy(expression, names), order)


@lru_cache(maxsize=4096)
def _compiled(term: Term) -> Program:
    """Compile a λ without free indices."""
    axes: list[Term] = []
    while term.op == "lam":
        variable, term = unbind(term)
        axes.append(variable)
    recipe = _Recipe(axes)
    recipe.spread(recipe.value(term, None), tuple(axes))
    return Program(tuple(recipe.instructions), tuple(axis.kind for axis in axes))


def _is_input(x: Any) -> bool:
    return type(x) is Array or (type(x) is Term and x.op == "sym")


def variables(term: Term) -> list[Term]:
    """Return the free indices of `term` in order of appearance."""
    if term.op in ("ix", "fv"):
        return [term]
    found: dict[Term, None] = {}
    for arg in term.args:
        found |= dict.fromkeys(variables(arg))
    return list(found)


class _Recipe:
    """The program being written; equal instructions are written once."""

    def __init__(self, axes: Iterable[Term]) -> None:
        self.rank = {axis: place for place, axis in enumerate(axes)}
        self.instructions: list[Instruction] = []
        self._slots: dict[Instruction, int] = {}

    def _write(
        self, op: str, operands: Iterable[_Named] = (), result: Any = (), data: Any = None
    ) -> _Named:
        """Write an instruction unless it is there; return its slot under the result's axes."""
        operands, result = tuple(operands), tuple(result)
        names: dict[Term, int] = {}
        for axis in [axis for _, axes in operands for axis in axes] + list(result):
            names.setdefault(axis, len(names))
        axes = [tuple(names[axis] for axis in axes) for _, axes in operands]
        step = Instruction(
            op,
            tuple(slot for slot, _ in operands),
            (*axes, tuple(names[axis] for axis in result)),
            data,
        )
        if step not in self._slots:
            self._slots[step] = len(self.instructions)
            self.instructions.append(step)
        return self._slots[step], result

    def spread(self, value: _Named, axes: tuple[Term, ...]) -> None:
        """Give the result its axes, in order."""
        self._write("spread", [value], axes, tuple(axis.kind for axis in axes))

    def value(self, term: Term, outcome: Term | None) -> _Named:
        """Write the instructions of a term; `outcome` is the axis that random arrays vary over."""
        match term.op:
            case "num":
                return self._write("number", data=term.value)
            case "size":
                return self._write("size", data=term.data)
            case "sym":
                return self._write("symbol", data=term.data)
            case "ix" | "fv":
                return self._write("range", (), (term,), term.data[1])
            case "entry":
                return self._entry(term, outcome)
            case "inj":
                return self._map("offset", term, outcome)
            case "mul" | "sum" | "E":
                return self._product(term, outcome)
            case "add":
                return self._joined("add", term, outcome)
            case "div" | "eq" | "le" | "lt" | "and":
                return self._joined(term.op, term, outcome)
            case "neg" | "not" | "fn":
                return self._map(term.op, term, outcome)
            case "pow":
                return self._map("pow", term, outcome, term.value)
            case "iv":
                return self._map("real", term, outcome)
            case "def":
                return self.value(unfold(term), outcome)
            case "D":
                return self.value(derivative(term), outcome)
        raise NumericError(
            f"a term with {term.op!r}",
            "a number or a statement about indices",
            "evaluate its parts",
        )

    def _map(self, op: str, term: Term, outcome: Term | None, data: Any = None) -> _Named:
        slot, axes = self.value(term.args[0], outcome)
        return self._write(op, [(slot, axes)], axes, term.data if data is None else data)

    def _joined(self, op: str, term: Term, outcome: Term | None) -> _Named:
        values = [self.value(arg, outcome) for arg in term.args]
        return self._write(op, values, dict.fromkeys(a for _, axes in values for a in axes))

    def _entry(self, term: Term, outcome: Term | None) -> _Named:
        array, indices = term.data, term.args
        axes = (outcome, *indices) if array.random else indices
        if array.random and outcome is None:
            raise NumericError(f"{array.name} outside an expectation", "E(…)", "take its mean")
        if not array.axes and not array.random:
            return self._write("array", data=array)
        if all(axis.op in ("ix", "fv") for axis in axes) and len(set(axes)) == len(axes):
            return self._write("array", (), axes, array)
        whole = self._write("array", (), tuple(fresh(axis.kind) for axis in axes), array)
        return self._mapped(whole, axes, outcome)

    def _mapped(self, whole: _Named, terms: tuple[Term, ...], outcome: Term | None) -> _Named:
        """One `take` where a single axis is mapped and all others are plain; else a gather."""
        mapped = [n for n, term in enumerate(terms) if term.op not in ("ix", "fv")]
        if len(mapped) == 1:
            (place,) = mapped
            index = self.value(terms[place], outcome)
            axes = (*terms[:place], *index[1], *terms[place + 1 :])
            if len(index[1]) == 1 and len(set(axes)) == len(axes):
                return self._write("take", [whole, index], axes, place)
        places = [self.value(term, outcome) for term in terms]
        return self._write(
            "gather", [whole, *places], dict.fromkeys(a for p in places for a in p[1])
        )

    def _product(self, term: Term, outcome: Term | None) -> _Named:
        """A product under sums: contract pair by pair, the smallest result first."""
        factors, summed = self._factors(term, outcome)
        present = {axis for _, axes in factors for axis in axes}
        factors += [self._write("size", data=v.kind) for v in summed if v not in present]
        while len(factors) > 1:
            pair = min(_pairs(len(factors)), key=lambda p: _cost(factors, p, summed))
            rest = [f for n, f in enumerate(factors) if n not in pair]
            chosen = [factors[n] for n in pair]
            factors = [*rest, self._contract(chosen, rest, summed)]
        if set(factors[0][1]) & set(summed):
            return self._contract(factors, [], summed)
        return factors[0]

    def _contract(self, chosen: list[_Named], rest: list[_Named], summed: list[Term]) -> _Named:
        """Contract one or two factors, the one with the earlier axis of the result first.

        Rows then stay rows: a transposed product is twice as slow to read.
        """
        last = len(self.rank)
        chosen = sorted(
            chosen, key=lambda f: min((self.rank.get(a, last) for a in f[1]), default=last)
        )
        return self._write("contract", chosen, _kept(chosen, rest, summed))

    def _factors(self, term: Term, outcome: Term | None) -> tuple[list[_Named], list[Term]]:
        """Return the factors under all sums, products and expectations, and what is summed."""
        if term.op == "sum":
            variable, body = unbind(term)
            factors, summed = self._factors(body, outcome)
            return factors, [variable, *summed]
        if term.op == "E":
            variable = fresh(_OUTCOMES)
            factors, summed = self._factors(term.args[0], variable)
            return [*factors, self._write("probability", (), (variable,))], [variable, *summed]
        if term.op == "mul":
            parts = [self._factors(arg, outcome) for arg in term.args]
            return [f for fs, _ in parts for f in fs], [v for _, vs in parts for v in vs]
        return [self.value(term, outcome)], []


_OUTCOMES = Range("outcomes")


def _pairs(count: int) -> Iterable[tuple[int, int]]:
    return ((a, b) for b in range(count) for a in range(b))


def _kept(chosen: list[_Named], rest: list[_Named], summed: list[Term]) -> list[Term]:
    """Return the axes of `chosen` that are not summed yet, or that `rest` still needs."""
    needed = {axis for _, axes in rest for axis in axes}
    axes = dict.fromkeys(axis for _, of_factor in chosen for axis in of_factor)
    return [axis for axis in axes if axis not in summed or axis in needed]


def _cost(factors: list[_Named], pair: tuple[int, int], summed: list[Term]) -> tuple[int, int, int]:
    """Prefer pairs whose result is small, then those that sum something away, then early ones."""
    rest = [f for n, f in enumerate(factors) if n not in pair]
    chosen = [factors[n] for n in pair]
    kept = _kept(chosen, rest, summed)
    largest = max(len(axes) for _, axes in chosen)
    return len(kept) - largest, len(kept), pair[1]


# ------------------------------------------------------------------ derivatives


def derivative(term: Term) -> Term:
    """Return the value of a ``D`` node as a term without it: differentiate, then put the point in."""
    function, point = term.args
    variable, body = unbind(function)
    return substitute(_differentiate(body, variable), {variable: point})


def _differentiate(term: Term, x: Term) -> Term:
    """Return d term / dx by the rules of calculus, one node at a time."""
    if term == x:
        return number(1)
    if x not in term.names:
        return number(0)
    match term.op:
        case "add":
            return add(*(_differentiate(arg, x) for arg in term.args if x in arg.names))
        case "neg":
            return neg(_differentiate(term.args[0], x))
        case "mul":
            return add(*_product_rule(term.args, x))
        case "div":
            top, bottom = term.args
            first = _differentiate(top, x) / bottom
            return first - top * _differentiate(bottom, x) / bottom**2
        case "pow":
            base = term.args[0]
            return mul(number(term.value), base ** (term.value - 1), _differentiate(base, x))
        case "fn":
            inner = term.args[0]
            return _SLOPES[term.data](inner) * _differentiate(inner, x)
        case "sum":
            variable, body = unbind(term)
            return Sum(variable, _differentiate(body, x))
        case "E":
            return E(_differentiate(term.args[0], x))
        case "def":
            return _differentiate(unfold(term), x)
        case "D":
            return _differentiate(derivative(term), x)
    raise NumericError(f"d/dx of {term.op!r}", "a differentiable number", "differentiate its parts")


def _product_rule(factors: tuple[Term, ...], x: Term) -> list[Term]:
    return [
        mul(*factors[:n], _differentiate(factor, x), *factors[n + 1 :])
        for n, factor in enumerate(factors)
        if x in factor.names
    ]


_SLOPES = {
    "exp": exp,
    "log": lambda inner: 1 / inner,
    "cos": lambda inner: neg(sin(inner)),
    "sin": cos,
    "abs": lambda inner: inner / absolute(inner),
}
