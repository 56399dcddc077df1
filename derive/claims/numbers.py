"""Where the figures of claims come from: worked examples, closed forms, counts, formats."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import reduce
from math import comb, exp, factorial
from typing import Any

from derive import catalog, examples
from derive.binding import unfold
from derive.definitions import W_K, W_Q, W_V, X, matmul, self_attention, softmax_rows
from derive.examples.worked import ExampleStep
from derive.model import Model
from derive.signature import Definition
from derive.syntax import sqrt
from derive.terms import Term


def step(example: str, case: str, name: str) -> ExampleStep:
    """One step of a worked example."""
    return examples.load(example).case(case).step(name)


def row(example: str, case: str, name: str, number: int = 1) -> tuple[float, ...]:
    """One row of a step in decimals, counted from 1."""
    return step(example, case, name).decimal[number - 1]


def exact(example: str, case: str, name: str, number: int = 1) -> tuple[Any, ...]:
    """One row of a step in closed forms, counted from 1."""
    return step(example, case, name).exact[number - 1]


def rows(example: str, case: str, name: str) -> Iterable[float]:
    """All entries of a step, row by row."""
    return (x for line in step(example, case, name).decimal for x in line)


def same(entry: Any, closed_form: Any) -> bool:
    """Whether an entry equals a closed form, for certain."""
    import sympy

    return bool(sympy.simplify(entry - closed_form) == 0)


def slopes(weights: Sequence[float]) -> list[float]:
    """All entries of the softmax Jacobian at these weights, by softmax-jacobian."""
    return [p * ((i == j) - q) for i, p in enumerate(weights) for j, q in enumerate(weights)]


# ------------------------------------------------------------------ the size of a dot product


def typical_size(size: int) -> Any:
    """The standard deviation of q·k at a d_k: the root of what dot-product-variance says."""
    from derive.definitions import d_k

    variance = catalog.load("dot-product-variance").theorem.conclusion.args[1]
    return Model(sizes={d_k: size}).value(sqrt(variance))


def tail(d_k: int, x: int) -> float:
    """P(|q·k| > x) for independent standard normal entries and an even d_k.

    Two products of standard normals sum to a Laplace variable, so q·k is the difference of two
    Gamma(d_k/2) variables. The probability is a rational number times e^−x.
    """
    shape = d_k // 2
    total = Fraction(0)
    for k in range(shape):
        for j in range(k + 1):
            moment = Fraction(factorial(shape + j - 1), factorial(shape - 1) * 2 ** (shape + j))
            total += comb(k, j) * x ** (k - j) * moment / factorial(k)
    return 2 * float(total) * exp(-x)


# ------------------------------------------------------------------ counts


def layer() -> Term:
    """One entry of self-attention, its definition written out."""
    from derive.definitions import c, i

    return unfold(self_attention(X, W_Q, W_K, W_V)[i, c])


def uses(definition: Definition) -> int:
    """How many different results of an operation one layer of self-attention asks for."""
    return len(
        {node.args for node in nodes(layer()) if node.op == "def" and node.data == definition}
    )


def nodes(term: Term) -> Iterable[Term]:
    """Every node of a term."""
    yield term
    for arg in term.args:
        yield from nodes(arg)


def matrix_products() -> int:
    """Matrix products in one layer."""
    return uses(matmul)


def softmaxes() -> int:
    """Softmaxes in one layer."""
    return uses(softmax_rows)


# ------------------------------------------------------------------ floating-point formats

HALF, SINGLE = "<e", "<f"


def largest_half() -> float:
    """The largest finite float16."""
    return struct.unpack(HALF, bytes([0xFF, 0x7B]))[0]


def overflows_half(x: float) -> bool:
    """Whether a float16 cannot hold the number."""
    try:
        struct.pack(HALF, x)
    except OverflowError:
        return True
    return False


def rounded_to_single(x: float) -> float:
    """The nearest float32."""
    return struct.unpack(SINGLE, struct.pack(SINGLE, x))[0]


# ------------------------------------------------------------------ shapes


def broadcast(*shapes: tuple[int, ...]) -> tuple[int, ...] | None:
    """The shape of arrays combined entry by entry, or None where they do not fit."""
    return reduce(_fitted, shapes)


def _fitted(one: tuple[int, ...] | None, other: tuple[int, ...]) -> tuple[int, ...] | None:
    if one is None:
        return None
    width = max(len(one), len(other))
    pairs = zip(
        (*(1,) * (width - len(one)), *one), (*(1,) * (width - len(other)), *other), strict=True
    )
    sizes = [max(pair) if 1 in pair or pair[0] == pair[1] else None for pair in pairs]
    return None if None in sizes else tuple(sizes)
