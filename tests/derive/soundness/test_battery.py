"""False statements of every kind that people, computer algebra and kernels slip on.

Each is attacked: by algebra, by every law at every place on either side, by every law everywhere,
and by the rules that suit its shape. It must never be proved, neither under ``python -O`` nor by
two threads at once; most must be refuted by a small model. Run as a script, the file prints the
names of what was proved.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import vocabulary
from derive.binding import open_
from derive.errors import DeriveError
from derive.facts import inhabited
from derive.kernel import infer
from derive.rules.rewriting import LAW_NAMES
from derive.signature import REAL, Array, Range
from derive.syntax import (
    E,
    Lambda,
    Sum,
    Symbol,
    absolute,
    bijection,
    conjoin,
    cos,
    delta,
    derivative,
    eq,
    exp,
    forall,
    implies,
    independent,
    indices,
    inject,
    iverson,
    le,
    log,
    lt,
    moments,
    negate,
    sin,
    sqrt,
    tends,
)
from derive.terms import Term, number
from derive.witness import refute, satisfying_model
from vocabulary import a, b, both, d, i, j, k, l, mask, n, q, r, s, u, x, y, z, β, σ, τ
from vocabulary import p as both_of

twice = Range("n+n", (n, n))
(second,) = indices("h", twice)
v, t, ρ = Array("v", (d,)), Array("t", (twice,)), Array("ρ", (d,), n)
w = Array("w", (d,), random=True)
c, g = Symbol("c"), Symbol("g")
HALF, THIRD = Fraction(1, 2), Fraction(1, 3)


def softmax(score: Callable[[Term], Term], at: Term) -> Term:
    return exp(score(at)) / Sum(l, exp(score(l)))


MASKED = Sum(k, iverson(mask[i, k]) * exp(x[k]) / Sum(l, iverson(mask[i, l]) * exp(x[l])))
DOT = Sum(a, q[a] * r[a])
FINITE = (moments(q, 8), moments(r, 8), moments(w, 8))
PAIRWISE = (independent(q, r), independent(q, w), independent(r, w))
NEGATIVE = (lt(c, 0), lt(g, 0))
SQUARE, ROOT = c**2 - 2 * c * g + g**2, sqrt((c - g) ** 2)
ROW = Sum(k, softmax(lambda e: x[e], k))
UNCORRELATED = forall(a, eq(E(q[a] * r[a]), E(q[a]) * E(r[a])))


@dataclass(frozen=True)
class Falsehood:
    """A statement that does not follow from what is given; `more` tries to prove it by rules."""

    name: str
    goal: Term
    given: tuple[Term, ...] = ()
    more: Callable[[], Any] | None = None
    refuted: bool = True


def assumed(p: Term) -> Any:
    return infer("assume", proposition=p)


BATTERY = (
    # reindexing
    Falsehood("a map that is no bijection", eq(Sum(k, x[σ[k]]), Sum(k, x[k]))),
    Falsehood(
        "the index also bare", eq(Sum(k, x[σ[k]] * y[k]), Sum(k, x[k] * y[k])), (bijection(σ),)
    ),
    Falsehood("another map is the bijection", eq(Sum(k, x[τ[k]]), Sum(k, x[k])), (bijection(σ),)),
    Falsehood("a map from another range", eq(Sum(a, x[ρ[a]]), Sum(k, x[k]))),
    Falsehood("one of two maps", eq(Sum(k, x[τ[σ[k]]]), Sum(k, x[k])), (bijection(σ),)),
    Falsehood("fixed points of a bijection", eq(Sum(k, delta(σ[k], k)), n.size), (bijection(σ),)),
    Falsehood("one fixed point", eq(Sum(k, delta(τ[k], k)), 1), (bijection(τ),)),
    Falsehood(
        "rows moved, weights not",
        eq(Sum((j, k), z[σ[j], k] * y[j]), Sum((j, k), z[j, k] * y[j])),
        (bijection(σ),),
    ),
    Falsehood("injective without a bijection", eq(delta(σ[i], σ[j]), delta(i, j))),
    Falsehood(
        "two bijections for one",
        eq(delta(σ[i], τ[j]), delta(i, j)),
        (bijection(σ), bijection(τ)),
    ),
    Falsehood("a bijection is the identity", eq(x[σ[i]], x[i]), (bijection(σ),)),
    Falsehood("a bijection that is its own inverse", eq(x[σ[σ[i]]], x[i]), (bijection(σ),)),
    # sums
    Falsehood(
        "a swap of a dependent range",
        eq(
            Sum((i, j), iverson(le(j, i)) * z[i, j]),
            Sum((j, i), iverson(le(j, i)) * z[j, i]),
        ),
    ),
    Falsehood(
        "a triangle is a square", eq(Sum((i, j), iverson(lt(j, i)) * z[i, j]), Sum((i, j), z[i, j]))
    ),
    Falsehood("a product of sums is one sum", eq(Sum(k, x[k]) * Sum(k, y[k]), Sum(k, x[k] * y[k]))),
    Falsehood("the square of a sum", eq(Sum(k, x[k]) ** 2, Sum(k, x[k] ** 2))),
    Falsehood("a sum of quotients", eq(Sum(k, x[k] / y[k]), Sum(k, x[k]) / Sum(k, y[k]))),
    Falsehood("a quotient of sums", eq(Sum(k, x[k]) / Sum(k, y[k]), Sum((k, l), x[k] * y[l]))),
    Falsehood("a constant summed once", eq(Sum(k, c), c)),
    Falsehood("a sum over one element", eq(Sum(k, x[k]), x[i])),
    Falsehood("two elements are equal, so there is one", eq(Sum(k, x[k]), x[i]), (eq(j, i),)),
    Falsehood("a sum is empty", eq(Sum(k, x[k]), 0)),
    Falsehood("another range is empty", eq(Sum(k, x[k]), 0), (negate(inhabited(d)),)),
    Falsehood("half of a union", eq(Sum(both_of, s[both_of]), Sum(k, s[inject(both, 0, k)]))),
    Falsehood(
        "two parts of one name",
        eq(Sum(second, t[second]), 2 * Sum(k, t[inject(twice, 0, k)])),
    ),
    Falsehood("the trace of a transpose is the sum", eq(Sum(k, z[k, k]), Sum((k, l), z[k, l]))),
    Falsehood("a symmetric matrix", eq(Sum(k, z[i, k] * x[k]), Sum(k, z[k, i] * x[k]))),
    Falsehood("matrices commute", eq(Sum(k, z[i, k] * z[k, j]), Sum(k, z[j, k] * z[k, i]))),
    # deltas and brackets
    Falsehood("a delta gone", eq(delta(i, j) * x[i], x[j])),
    Falsehood("two deltas meet", eq(Sum(k, delta(k, i) * delta(k, j)), 1)),
    Falsehood("a delta in its own target", eq(Sum(k, delta(τ[k], k) * x[k]), Sum(k, x[k]))),
    Falsehood("either order", eq(iverson(le(i, j)) + iverson(le(j, i)), 1)),
    Falsehood("an allowed key", eq(iverson(mask[i, j]), 1)),
    Falsehood(
        "a symmetric mask", eq(iverson(mask[i, j]), iverson(mask[j, i])), (forall(i, mask[i, i]),)
    ),
    Falsehood(
        "a guarded fact outside its guard",
        eq(Sum(j, x[j]), Sum(j, y[j])),
        (forall(j, implies(le(j, i), eq(x[j], y[j]))),),
    ),
    Falsehood(
        "a guarded fact under another guard",
        eq(Sum(j, iverson(le(i, j)) * x[j]), Sum(j, iverson(le(i, j)) * y[j])),
        (forall(j, implies(le(j, i), eq(x[j], y[j]))),),
    ),
    Falsehood("a guard of a summand", eq(iverson(eq(i, j)) + x[i], iverson(eq(i, j)) + x[j])),
    Falsehood("a guard below a fraction", eq(x[i] / iverson(mask[i, j]), x[i])),
    # dividing by what may vanish
    Falsehood("x/x", eq(c / c, 1)),
    Falsehood("xy/y", eq(c * g / g, c)),
    Falsehood("x times its inverse", eq(c * c**-1, 1)),
    Falsehood("a sum over itself", eq((c + g) / (c + g), 1)),
    Falsehood("a sum cancelled in a fraction", eq((c + g) * u / (c + g), u)),
    Falsehood("n/n", eq(n.size / n.size, 1)),
    Falsehood("the mean of a constant", eq(Sum(k, c) / n.size, c)),
    Falsehood("the inverse of a sum", eq(1 / (c + g), 1 / c + 1 / g)),
    Falsehood("a cleared denominator", eq(c, g * u), (eq(c / u, g),)),
    Falsehood("a common denominator", eq(c / g + u, (c + u * g) / g)),
    Falsehood("a sum of weights over itself", eq(Sum(k, x[k] / Sum(l, x[l])), 1), (inhabited(n),)),
    Falsehood(
        "not zero but only where guarded",
        eq(x[i] / x[i], 1),
        (forall(k, implies(mask[k, k], negate(eq(x[k], 0)))),),
    ),
    Falsehood("a negative power of a product", eq((c * g) ** -1 * c, 1 / g)),
    # roots, logarithms, absolute values
    Falsehood("the root of a square", eq(sqrt(c**2), c)),
    Falsehood("the square of a root", eq(sqrt(c) ** 2, c)),
    Falsehood("a root of a product", eq(sqrt(c * g), sqrt(c) * sqrt(g))),
    Falsehood("roots multiplied", eq(sqrt(c) * sqrt(c), c)),
    Falsehood("a root of a fraction", eq(sqrt(c / g), sqrt(c) / sqrt(g))),
    Falsehood("the cube root of a cube", eq((c**3) ** THIRD, c)),
    Falsehood("a root of a sum", eq(sqrt(c + g), sqrt(c) + sqrt(g)), (lt(0, c), lt(0, g))),
    Falsehood("a root, negative", eq(sqrt(c**2), c), (lt(c, 0),)),
    Falsehood("d over its root, empty", eq(d.size / sqrt(d.size) * sqrt(d.size) / d.size, 1)),
    Falsehood("e^log x", eq(exp(log(c)), c)),
    Falsehood("the logarithm of a product", eq(log(c * g), log(c) + log(g))),
    Falsehood("the logarithm of a square", eq(log(c**2), 2 * log(c))),
    Falsehood("the logarithm of a sum", eq(log(c + g), log(c) + log(g)), (lt(0, c), lt(0, g))),
    Falsehood("the logarithm of a fraction", eq(log(c / g), log(c) - log(g))),
    Falsehood("|x| = x", eq(absolute(c), c)),
    Falsehood("|x + y|", eq(absolute(c + g), absolute(c) + absolute(g))),
    Falsehood("equal squares", eq(c, g), (eq(c**2, g**2),)),
    Falsehood("e^(xy)", eq(exp(c * g), exp(c) * exp(g))),
    Falsehood("e^(x²)", eq(exp(c**2), exp(c) ** 2)),
    Falsehood("e^x + e^y", eq(exp(c + g), exp(c) + exp(g))),
    Falsehood("the cosine of a sum", eq(cos(c + g), cos(c) + cos(g))),
    Falsehood("an odd cosine", eq(cos(-c), -cos(c))),
    Falsehood("an even sine", eq(sin(-c), sin(c))),
    Falsehood("a signed angle", eq(sin(c + g), sin(c) * cos(g) - cos(c) * sin(g))),
    # binders
    Falsehood(
        "captured by a sum",
        eq(Sum(k, x[k] * y[i]), Sum(k, x[k] * y[k])),
        more=lambda: infer(
            "specialize", infer("reflexivity", term=Sum(k, x[k] * y[i])), values=((i, k),)
        ),
    ),
    Falsehood(
        "captured by a λ",
        eq(Lambda(k, x[i]), Lambda(k, x[k])),
        more=lambda: infer("extensionality", infer("reflexivity", term=x[i]), index=i),
    ),
    Falsehood("captured by a derivative", eq(derivative(u * c, u), 2 * u)),
    Falsehood(
        "a derivative with its constant put in",
        eq(derivative(u * u, u), u),
        more=lambda: infer(
            "specialize",
            infer("rewrite", term=derivative(u * c, u), law="derivative"),
            values=((c, u),),
        ),
    ),
    Falsehood("captured by ∀", forall(k, eq(x[k], y[k])), (forall(k, eq(x[k], y[i])),)),
    Falsehood(
        "generalized over an assumption",
        forall(i, eq(x[i], 0)),
        (eq(x[i], 0),),
        more=lambda: infer("generalize", assumed(eq(x[i], 0)), variable=i),
    ),
    Falsehood(
        "extended over an assumption",
        eq(Lambda(i, x[i]), Lambda(i, y[i])),
        (eq(x[i], y[i]),),
        more=lambda: infer("extensionality", assumed(eq(x[i], y[i])), index=i),
    ),
    Falsehood(
        "summed over an assumption",
        le(Sum(k, x[k]), Sum(k, y[k])),
        (le(x[k], y[k]),),
        more=lambda: infer("sum monotone", assumed(le(x[k], y[k])), index=k),
    ),
    Falsehood("an assumption about one index under a sum", eq(Sum(k, x[k]), 0), (eq(x[k], 0),)),
    Falsehood("an assumption about x inside ∂/∂x", eq(derivative(u, u), 0), (eq(u, 3),)),
    Falsehood(
        "a derivative of what is equal at a point", eq(derivative(u**2, u), 1), (eq(u**2, u),)
    ),
    Falsehood("an assumed sign inside ∂/∂x", eq(derivative(absolute(u), u), 1)),
    Falsehood("a derivative of a root everywhere", eq(derivative(sqrt(u**2), u), 1)),
    Falsehood("the logarithm's derivative everywhere", eq(derivative(log(u), u), 1 / u)),
    Falsehood("a product of derivatives", eq(derivative(u**2 * u, u), 2 * u * 1)),
    Falsehood("a quotient of derivatives", eq(derivative(u / (1 + u**2), u), 1 / (2 * u))),
    Falsehood("an inner derivative forgotten", eq(derivative(exp(2 * u), u), exp(2 * u))),
    Falsehood(
        "a softmax that does not depend on its own score",
        eq(derivative(softmax(lambda e: x[e] + delta(e, i) * u, i), u, at=0), 0),
    ),
    # expectation
    Falsehood("independence not assumed", eq(E(q[a] * r[a]), E(q[a]) * E(r[a])), FINITE),
    Falsehood(
        "independence within one array",
        eq(E(q[a] * q[b]), E(q[a]) * E(q[b])),
        (independent(q, r), *FINITE),
    ),
    Falsehood(
        "pairwise for mutual",
        eq(E(q[a] * r[a] * w[a]), E(q[a]) * E(r[a]) * E(w[a])),
        (*PAIRWISE, *FINITE),
        refuted=False,
    ),
    Falsehood(
        "uncorrelated for independent",
        eq(E(q[a] ** 2 * r[a] ** 2), E(q[a] ** 2) * E(r[a] ** 2)),
        (UNCORRELATED, *FINITE),
        refuted=False,
    ),
    Falsehood("a squared mean", eq(E(q[a] ** 2), E(q[a]) ** 2), FINITE),
    Falsehood("the mean of an inverse", eq(E(1 / (1 + q[a] ** 2)), 1 / E(1 + q[a] ** 2)), FINITE),
    Falsehood("the mean of an absolute value", eq(E(absolute(q[a])), absolute(E(q[a]))), FINITE),
    Falsehood(
        "a mean of zero on one side", eq(E(q[a] * r[a]), 0), (forall(a, eq(E(q[a]), 0)), *FINITE)
    ),
    Falsehood(
        "variance through dependent terms",
        eq(E(Sum(a, q[a]) ** 2), Sum(a, E(q[a] ** 2))),
        (forall(a, eq(E(q[a]), 0)), *FINITE),
    ),
    Falsehood(
        "a variance without zero means",
        eq(E(DOT**2), d.size),
        (
            independent(q, r),
            forall(a, eq(E(q[a] ** 2), 1)),
            forall(a, eq(E(r[a] ** 2), 1)),
            *FINITE,
        ),
    ),
    Falsehood(
        "a variance without whiteness",
        eq(E(DOT**2), d.size),
        (
            independent(q, r),
            forall(a, eq(E(q[a]), 0)),
            forall(a, eq(E(q[a] ** 2), 1)),
            forall(a, eq(E(r[a] ** 2), 1)),
            *FINITE,
        ),
    ),
    Falsehood(
        "a random number in place of a constant",
        eq(E(q[a]), q[a]),
        more=lambda: infer(
            "specialize", infer("rewrite", term=E(c), law="linearity"), values=((c, q[a]),)
        ),
    ),
    Falsehood(
        "a random number in place of a bound constant",
        eq(E(q[a] * r[a]), q[a] * E(r[a])),
        FINITE,
        more=lambda: infer(
            "instantiate",
            infer("generalize", infer("rewrite", term=E(c * r[a]), law="linearity"), variable=c),
            value=q[a],
        ),
    ),
    Falsehood(
        "linearity without integrability", eq(E(q[a] + r[a]), E(q[a]) + E(r[a])), refuted=False
    ),
    Falsehood(
        "linearity with too few moments",
        eq(E(q[a] ** 3 + q[a]), E(q[a] ** 3) + E(q[a])),
        (moments(q, 2),),
        refuted=False,
    ),
    Falsehood(
        "linearity under an inverse",
        eq(E(1 / q[a] + q[a]), E(1 / q[a]) + E(q[a])),
        FINITE,
        refuted=False,
    ),
    Falsehood(
        "finite moments of a product of dependent arrays",
        eq(E(q[a] * r[a] + c), E(q[a] * r[a]) + c),
        (moments(q, 1), moments(r, 1)),
        refuted=False,
    ),
    # limits
    Falsehood(
        "a limit with two maxima",
        tends(β, softmax(lambda e: β * x[e], i), delta(i, j)),
        (forall(k, le(x[k], x[j])), inhabited(n)),
    ),
    Falsehood("e^β", tends(β, exp(β), 0)),
    Falsehood("a rate of no sign", tends(β, exp(-(β * c)), 0)),
    Falsehood("a rate that may vanish", tends(β, exp(-(β * c)), 0), (le(0, c),)),
    Falsehood("a rate that moves", tends(β, exp(-(β * exp(-(2 * β)))), 0), refuted=False),
    Falsehood("nothing over nothing", tends(β, exp(-(β * 1)) / exp(-(β * 1)), 0)),
    Falsehood("β/β near 0", tends(β, β / β, 0, to="0"), refuted=False),
    Falsehood("1/β near 0", tends(β, 1 / β, 0, to="0"), refuted=False),
    Falsehood("a factor that grows", tends(β, β * (1 / β), 0)),
    Falsehood("an oscillation", tends(β, cos(β), 1), refuted=False),
    Falsehood("an oscillation that decays", tends(β, cos(-(β * 1)), 0), refuted=False),
    Falsehood("a root near 0", tends(β, log(β), 0, to="0"), refuted=False),
    Falsehood(
        "an assumption about what moves",
        tends(β, β, 1),
        (eq(β, 1),),
        more=lambda: infer(
            "equal limit",
            infer("limit", variable=β, term=number(1), to="oo"),
            infer("symmetry", assumed(eq(β, 1))),
            variable=β,
        ),
    ),
    Falsehood(
        "a bound at one place only",
        tends(β, β, 0),
        (le(absolute(β), exp(-(β * 1))),),
        more=lambda: infer(
            "squeeze",
            assumed(le(absolute(β), exp(-(β * 1)))),
            infer("limit", variable=β, term=exp(-(β * 1)), to="oo"),
            variable=β,
        ),
    ),
    Falsehood(
        "a limit at ∞ for one at 0",
        tends(β, exp(-(β * 1)), 0, to="0"),
        more=lambda: infer(
            "limit",
            infer("limit", variable=β, term=exp(-(β * 1)), to="oo"),
            variable=β,
            term=exp(-(β * 1)),
            to="0",
        ),
    ),
    # sizes that may be zero
    Falsehood("softmax over an empty row", eq(Sum(k, softmax(lambda e: x[e], k)), 1)),
    Falsehood("softmax over a masked row", eq(MASKED, 1)),
    Falsehood("softmax over a masked row of allowed others", eq(MASKED, 1), (mask[j, k],)),
    Falsehood("a range with an element", inhabited(n)),
    Falsehood("a range with an element because another has one", inhabited(n), (inhabited(d),)),
    Falsehood("a positive sum", lt(0, Sum(k, exp(x[k])))),
    Falsehood("one element at least", le(1, n.size)),
    Falsehood("two ranges of one size", eq(n.size, d.size)),
    Falsehood(
        "a theorem about another range",
        eq(Sum(k, number(1)), d.size),
        more=lambda: infer(
            "specialize", infer("algebra", left=Sum(a, number(1)), right=d.size), ranges=((d, n),)
        ),
    ),
    Falsehood(
        "a part of a union with an element",
        inhabited(n),
        (lt(0, both.size),),
    ),
    # order
    Falsehood("< from ≤", lt(c, g), (le(c, g),)),
    Falsehood("a positive square", lt(0, c**2)),
    Falsehood("a positive absolute value", lt(0, absolute(c))),
    Falsehood("a positive product", lt(0, c * g), (lt(c, 0), lt(0, g))),
    Falsehood("a positive quotient", lt(0, 1 / c), (le(0, c),)),
    Falsehood("a sum with a negative part", le(0, c + g), (le(0, c),)),
    Falsehood("a difference of exponentials", lt(0, exp(c) - exp(g))),
    Falsehood("a fractional power of a negative", lt(0, c**HALF), (lt(c, 0),)),
    Falsehood(
        "a strict sum over nothing", lt(Sum(k, x[k]), Sum(k, y[k])), (forall(k, lt(x[k], y[k])),)
    ),
    Falsehood(
        "multiplied by what may be negative",
        le(c * u, c * g),
        (le(u, g),),
        more=lambda: infer("scale monotone", assumed(le(u, g)), factor=c),
    ),
    Falsehood(
        "strictly multiplied by what may vanish",
        lt(c**2 * u, c**2 * g),
        (lt(u, g),),
        more=lambda: infer("scale monotone", assumed(lt(u, g)), factor=c**2),
    ),
    Falsehood(
        "inverses of what may be negative",
        le(1 / g, 1 / c),
        (le(c, g),),
        more=lambda: infer("reciprocal antitone", assumed(le(c, g))),
    ),
    Falsehood(
        "inverses of what may vanish",
        le(1 / g, 1 / c),
        (le(c, g), le(0, c)),
        more=lambda: infer("reciprocal antitone", assumed(le(c, g)), given=(le(0, c),)),
    ),
    Falsehood(
        "products of what may be negative",
        le(c * c, g * g),
        (le(c, g),),
        more=lambda: infer("product monotone", *[assumed(le(c, g))] * 2),
    ),
    Falsehood(
        "logarithms of what may be negative",
        le(log(c), log(g)),
        (le(c, g),),
        more=lambda: infer("function monotone", assumed(le(c, g)), function="log"),
    ),
    Falsehood("log x ≤ x − 1 at 0", le(log(c), c - 1), more=lambda: infer("log bound", term=c)),
    Falsehood(
        "bounded above only",
        le(absolute(c), g),
        (le(c, g),),
        more=lambda: infer("absolute bound", *[assumed(le(c, g))] * 2),
    ),
    Falsehood(
        "cosines in order",
        le(cos(c), cos(g)),
        (le(c, g),),
        more=lambda: infer("function monotone", assumed(le(c, g)), function="cos"),
    ),
    Falsehood(
        "equal from ≤",
        eq(c, g),
        (le(c, g),),
        more=lambda: infer("antisymmetry", *[assumed(le(c, g))] * 2),
    ),
    Falsehood(
        "one case for both",
        eq(c, 0),
        (implies(eq(g, 0), eq(c, 0)),),
        more=lambda: infer("cases", *[assumed(eq(c, 0))] * 2, on=eq(g, 0)),
    ),
    Falsehood(
        "the consequence without the condition",
        eq(c, 0),
        (implies(eq(g, 0), eq(c, 0)),),
        more=lambda: infer("modus ponens", assumed(implies(eq(g, 0), eq(c, 0))), assumed(eq(u, 0))),
    ),
    Falsehood(
        "plainly",
        eq(number(0), 1),
        more=lambda: infer("absurd", infer("reflexivity", term=number(0)), proposition=eq(0, 1)),
    ),
    # powers, brackets and exponents in each other
    Falsehood(
        "two parts of an exponent that look alike",
        eq(exp(ROOT + sqrt(SQUARE)), exp(ROOT)),
        more=lambda: infer("algebra", left=exp(ROOT + sqrt(SQUARE)), right=exp(sqrt(SQUARE))),
    ),
    Falsehood("a root of two negatives", eq(sqrt(c * g), sqrt(c) * sqrt(g)), NEGATIVE),
    Falsehood("the cube root of a negative", eq((c**3) ** THIRD, c), NEGATIVE),
    Falsehood("a fractional power of a square", eq((c**2) ** THIRD, c ** (2 * THIRD))),
    Falsehood("a cube of an absolute value", eq(absolute(c) ** 3, c**3)),
    Falsehood("the absolute value of a sum", eq(absolute(c + g), absolute(c) + absolute(g))),
    Falsehood("e^x e^y = e^(xy)", eq(exp(c) * exp(g), exp(c * g))),
    Falsehood("e^(2x) = 2 e^x", eq(exp(2 * c), 2 * exp(c))),
    Falsehood(
        "a bracket out of an exponent",
        eq(exp(iverson(mask[i, j]) * c), iverson(mask[i, j]) * exp(c)),
    ),
    Falsehood("one over a bracket", eq(1 / iverson(mask[i, j]), 1)),
    Falsehood(
        "neither for not both",
        eq(
            iverson(negate(conjoin(mask[i, j], mask[j, i]))),
            iverson(negate(mask[i, j])) * iverson(negate(mask[j, i])),
        ),
    ),
    # parts of a union, and what lies between bijections
    Falsehood("a union for a product", eq(both.size, n.size * d.size)),
    Falsehood(
        "an element of one part in another",
        eq(delta(inject(twice, 0, i), inject(twice, 1, i)), 1),
    ),
    Falsehood(
        "bijections that agree everywhere",
        eq(Sum(k, delta(σ[k], τ[k])), n.size),
        (bijection(σ), bijection(τ)),
    ),
    Falsehood("bijections that commute", eq(x[σ[τ[i]]], x[τ[σ[i]]]), (bijection(σ), bijection(τ))),
    Falsehood(
        "a bijection that keeps the order",
        eq(iverson(le(σ[i], σ[j])), iverson(le(i, j))),
        (bijection(σ),),
    ),
    # what one theorem brings and another takes away
    Falsehood(
        "an index between two lemmas",
        eq(ROW, 1),
        more=lambda: infer(
            "rewrite everywhere",
            infer("algebra", left=ROW, right=ROW + x[i] - x[i]),
            infer(
                "exists",
                infer("algebra", left=ROW + x[i] - x[i], right=number(1), given=(inhabited(n),)),
                index=i,
            ),
            term=ROW,
            laws=("lemma", "lemma"),
        ),
    ),
    # more expectations
    Falsehood("the mean of an exponential", eq(E(exp(q[a])), exp(E(q[a]))), FINITE),
    Falsehood(
        "the variance of a difference",
        eq(E((q[a] - r[a]) ** 2), E(q[a] ** 2) - E(r[a] ** 2)),
        (independent(q, r), *FINITE),
    ),
    Falsehood("a mean inside a mean", eq(E(q[a] * E(r[a])), E(q[a] * r[a])), FINITE),
    Falsehood(
        "uncorrelated for mean zero",
        eq(E(q[a] * q[b]), 0),
        (forall(a, eq(E(q[a]), 0)), independent(q, r), *FINITE),
    ),
    Falsehood(
        "independence handed on",
        eq(E(q[a] * w[a]), E(q[a]) * E(w[a])),
        (independent(q, r), independent(r, w), *FINITE),
        refuted=False,
    ),
    Falsehood(
        "a second moment of 0, which may be none",
        eq(E(q[a] + q[b]), E(q[a]) + E(q[b])),
        (forall(a, eq(E(q[a] ** 2), 0)),),
        refuted=False,
    ),
    Falsehood(
        "a second moment of one entry",
        eq(E(q[a] + q[b]), E(q[a]) + E(q[b])),
        (eq(E(q[a] ** 2), 1),),
        refuted=False,
    ),
    # more limits and derivatives
    Falsehood("a limit of a quotient by its parts", tends(β, (β + 1) / β, 0)),
    Falsehood("the reciprocal of a reciprocal", tends(β, 1 / (1 / β), 0)),
    Falsehood("a rate with two signs", tends(β, exp(Term("neg", (-(β * 1),))), 0)),
    Falsehood(
        "a power against a rate that may vanish", tends(β, β * exp(-(β * c)), 0), (le(0, c),)
    ),
    Falsehood("a sign near 0", tends(β, absolute(β) / β, 1, to="0"), refuted=False),
    Falsehood("a root of what vanishes", tends(β, sqrt(β) / sqrt(β), 1, to="0"), refuted=False),
    Falsehood("a derivative at a constant of its own", eq(derivative(u**2 * c, u, at=c), 2 * c)),
    Falsehood("one derivative inside another", eq(derivative(derivative(c * u, c), u), 0)),
    Falsehood("a slope where there is none", eq(derivative(u**2 / u, u, at=0), 0), refuted=False),
    # more order
    Falsehood("squares in order", le(c**2, g**2), (le(c, g),)),
    Falsehood("inverses of negatives in order", le(1 / c, 1 / g), (le(c, g), lt(g, 0))),
    Falsehood("divided by what may be negative", le(c / u, g / u), (le(c, g),)),
    Falsehood("below the tangent", le(exp(c), 1 + c)),
    Falsehood("log x ≤ x − 1 for a negative", le(log(c), c - 1), NEGATIVE),
    Falsehood("the triangle turned round", le(absolute(c) + absolute(g), absolute(c + g))),
)


# ------------------------------------------------------------------ the attack


def proved(falsehood: Falsehood) -> bool:
    """Does any attack give the statement from what is given alone?"""
    given = frozenset(falsehood.given)
    return any(
        theorem.conclusion == falsehood.goal and theorem.hypotheses <= given
        for theorem in _attacks(falsehood)
    )


def _attacks(falsehood: Falsehood) -> Iterator[Any]:
    goal, given = falsehood.goal, falsehood.given
    attempts = [
        falsehood.more,
        lambda: infer("positive", term=goal.args[1], given=given),
        lambda: infer("weaken", infer("positive", term=goal.args[1], given=given)),
        lambda: infer("nonnegative", term=goal.args[1], given=given),
        lambda: infer("weaken", assumed(Term("lt", goal.args))),
        *(lambda p=p: assumed(p) for p in given),
        *(lambda p=p: infer("weaken", assumed(p)) for p in given),
    ]
    yield from _found(attempts)
    if goal.op == "eq" and goal.args[0].kind == REAL:
        yield from _equations(*goal.args, given)
    if goal.op == "tends":
        yield from _limits(goal, given)


def _equations(left: Term, right: Term, given: tuple[Term, ...]) -> Iterator[Any]:
    """``left = f``, ``f = g``, ``g = right``, each rewriting by one law at one place or by all."""
    for here in [None, *_rewritings(left, given)]:
        for there in [None, *_rewritings(right, given)]:
            f = left if here is None else here.conclusion.args[1]
            g = right if there is None else there.conclusion.args[1]
            middle = _tried(lambda f=f, g=g: infer("algebra", left=f, right=g, given=given))
            if middle is None:
                continue
            if here is not None:
                middle = infer("transitivity", here, middle)
            if there is not None:
                middle = infer("transitivity", middle, infer("symmetry", there))
            yield middle


@cache
def _rewritings(term: Term, given: tuple[Term, ...]) -> list[Any]:
    laws = tuple(law for law in LAW_NAMES if law not in ("lemma", "multiply out"))
    attempts = [
        lambda law=law, path=path: infer("rewrite", term=term, law=law, path=path, given=given)
        for law in laws
        for path in _places(term)
    ]
    attempts.append(
        lambda: infer(
            "rewrite everywhere", term=term, laws=laws, given=given, equations=_equational(given)
        )
    )
    return [theorem for theorem in _found(attempts) if theorem.conclusion.args[1] != term]


def _equational(given: tuple[Term, ...]) -> tuple[Term, ...]:
    return tuple(p for p in given if p.op in ("eq", "all"))


def _places(term: Term, path: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    yield path
    for position, arg in enumerate(term.args):
        yield from _places(arg, (*path, position))


def _limits(goal: Term, given: tuple[Term, ...]) -> Iterator[Any]:
    body = open_(goal.args[0].args[0], β)
    for to in ("oo", "0"):
        theorem = _tried(lambda to=to: infer("limit", variable=β, term=body, to=to, given=given))
        if theorem is None:
            continue
        value = theorem.conclusion.args[1]
        for equation in _equations(value, goal.args[1], given):
            found = _tried(lambda t=theorem, e=equation: infer("equal limit", t, e))
            if found is not None:
                yield found


def _found(attempts: Iterable[Callable[[], Any] | None]) -> Iterator[Any]:
    for attempt in attempts:
        theorem = _tried(attempt) if attempt is not None else None
        if theorem is not None:
            yield theorem


def _tried(attempt: Callable[[], Any]) -> Any:
    try:
        return attempt()
    except (DeriveError, IndexError):
        return None


# ------------------------------------------------------------------ the tests


def test_there_are_enough():
    assert len({f.name for f in BATTERY}) == len(BATTERY) >= 120


@pytest.mark.parametrize("falsehood", BATTERY, ids=lambda f: f.name)
def test_never_proved(falsehood):
    assert not proved(falsehood)


@pytest.mark.parametrize("falsehood", [f for f in BATTERY if f.refuted], ids=lambda f: f.name)
def test_refuted(falsehood):
    assert refute(falsehood.given, falsehood.goal) is not None


def test_what_is_true_is_proved_by_the_same_attack():
    """The attack is no straw man: with the missing assumption it succeeds."""
    truths = (
        Falsehood("a bijection", eq(Sum(k, x[σ[k]]), Sum(k, x[k])), (bijection(σ),)),
        Falsehood("x/x", eq(c / c, 1), (lt(0, c),)),
        Falsehood("a root", eq(sqrt(c**2), c), (le(0, c),)),
        Falsehood("logarithm", eq(log(c * g), log(c) + log(g)), (lt(0, c), lt(0, g))),
        Falsehood("a derivative", eq(derivative(u * c, u), c)),
        Falsehood(
            "independence", eq(E(q[a] * r[a]), E(q[a]) * E(r[a])), (independent(q, r), *FINITE)
        ),
        Falsehood("a row", eq(Sum(k, softmax(lambda e: x[e], k)), 1), (inhabited(n),)),
        Falsehood("a decay", tends(β, exp(-(β * c)), 0), (lt(0, c),)),
        Falsehood("a positive sum", lt(0, Sum(k, exp(x[k]))), (inhabited(n),)),
    )
    assert [f.name for f in truths if not proved(f)] == []


def test_contradictory_assumptions_prove_anything_and_have_no_model():
    contradiction = infer("transitivity", infer("symmetry", assumed(eq(c, 0))), assumed(eq(c, 1)))
    theorem = infer("absurd", contradiction, proposition=lt(g, u))
    assert theorem.hypotheses == {eq(c, 0), eq(c, 1)}
    assert satisfying_model(theorem.hypotheses) is None
    assert satisfying_model([eq(c, 0)]) is not None


def test_never_proved_under_two_threads():
    with ThreadPoolExecutor(2) as pool:
        assert not any(pool.map(proved, BATTERY[::3]))


def test_never_proved_without_assertions():
    """``python -O`` removes every assert; the checks are none."""
    run = subprocess.run(
        [sys.executable, "-O", __file__],
        env={**os.environ, "PYTHONPATH": str(Path(vocabulary.__file__).parent)},
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    assert run.stdout.split("\n") == ["optimised: True", "proved: []", ""]


if __name__ == "__main__":
    print("optimised:", not __debug__)
    print("proved:", [f.name for f in BATTERY if proved(f)])
