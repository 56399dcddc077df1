"""Every check of the trusted files, met by something that it must refuse or accept."""

from __future__ import annotations

import copy
from fractions import Fraction

import pytest

from derive import kernel, normal
from derive.binding import open_
from derive.errors import DeriveError, TermError
from derive.facts import Facts, RuleError, inhabited
from derive.kernel import infer
from derive.rules import Sequent, calculus, limits, rewriting
from derive.rules.calculus import derivative as differentiate
from derive.rules.functions import angle_addition, logarithm
from derive.signature import Array, Definition, Range
from derive.syntax import (
    E,
    Index,
    Lambda,
    Sum,
    absolute,
    bijection,
    conjoin,
    cos,
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
    neg,
    negate,
    sin,
    sqrt,
    tends,
)
from derive.terms import Term, number
from derive.witness import refute
from vocabulary import a, both, d, i, j, k, l, n, p, q, r, s, u, v, w, x, y, z, β, σ, τ

HALF = Fraction(1, 2)
A, B = eq(u, v), le(v, w)
SIX = Array("six", (n,) * 6)
MEAN = Definition("mean", (x,), (), Sum(k, x[k]) / n.size)


def assumed(proposition):
    return infer("assume", proposition=proposition)


def same(term):
    return infer("reflexivity", term=term)


def law(name, term, *given, path=()):
    return infer("rewrite", term=term, law=name, path=path, given=given)


def alike(left, right, *given):
    return infer("algebra", left=left, right=right, given=given)


FALLING = exp(-(β * 1))
GONE = infer("limit", variable=β, term=FALLING, to="oo")  # e^(−β) → 0
NEAR, FAR = assumed(tends(β, β * u, v, to="0")), assumed(tends(β, β * u, v))

REFUSED = {
    # structure
    "a chain that breaks": lambda: infer("transitivity", same(u), same(v)),
    "a chain of propositions": lambda: infer("transitivity", assumed(bijection(σ)), same(v)),
    "a lemma for nothing": lambda: infer("cut", same(u), same(v)),
    "a hypothesis that is no proposition": lambda: infer("discharge", same(u), hypothesis=u),
    "two conclusions": lambda: infer("cases", same(u), same(v), on=eq(u, v)),
    "a case that is no proposition": lambda: infer("cases", same(u), same(u), on=u),
    "nothing absurd": lambda: infer("absurd", same(number(1)), proposition=eq(u, v)),
    "absurd, on the left": lambda: infer("absurd", assumed(eq(number(0), u)), proposition=A),
    "absurd, on the right": lambda: infer("absurd", assumed(eq(u, 1)), proposition=A),
    "absurd variables": lambda: infer("absurd", assumed(eq(u, v)), proposition=eq(u, 0)),
    "a term from the absurd": lambda: infer("absurd", assumed(eq(number(0), 1)), proposition=u),
    "another condition": lambda: infer(
        "modus ponens", assumed(implies(eq(u, v), eq(v, u))), same(u)
    ),
    "no implication": lambda: infer("modus ponens", same(u), same(u)),
    "∀ bound in an assumption": lambda: infer("generalize", assumed(eq(x[i], 0)), variable=i),
    "∀ over an array": lambda: infer("generalize", same(u), variable=x[i]),
    "no ∀": lambda: infer("instantiate", same(u), value=u),
    "∀ of another kind": lambda: infer("instantiate", assumed(forall(u, eq(u, v))), value=i),
    "∀ over another range, of nothing": lambda: infer(
        "instantiate", assumed(forall(k, A)), value=a
    ),
    "∀ at a random number": lambda: infer("instantiate", assumed(forall(u, eq(u, v))), value=q[a]),
    "an array over numbers": lambda: infer("extensionality", same(u), index=u),
    "an array of what is no equation": lambda: infer("extensionality", assumed(le(u, v)), index=k),
    "an entry of a number": lambda: infer("entry", same(u), index=i),
    "an entry of another range": lambda: infer("entry", same(Lambda(k, x[k])), index=a),
    "an index that is not there": lambda: infer("exists", same(x[i]), index=j),
    "an index that is a number": lambda: infer("exists", same(u), index=u),
    "a range that has parts": lambda: infer("specialize", same(s[p]), ranges=((both, n),)),
    "a random array replaced": lambda: infer(
        "specialize", same(q[a]), values=((q, Lambda(a, number(0))),)
    ),
    "a bijection replaced": lambda: infer(
        "specialize", assumed(bijection(σ)), values=((σ, Lambda(k, i)),)
    ),
    "an array replaced by a random one": lambda: infer("specialize", same(x[i]), values=((x, q),)),
    "a compound replaced": lambda: infer("specialize", same(x[i]), values=((x[i], u),)),
    "a value of another kind": lambda: infer("specialize", same(u), values=((u, i),)),
    "an index of another range": lambda: infer("specialize", same(x[i]), values=((i, a),)),
    # order
    "not less, of an equation": lambda: infer("not less", assumed(negate(eq(u, v)))),
    "≤ both ways of others": lambda: infer("antisymmetry", assumed(le(u, v)), assumed(le(u, v))),
    "an unsigned factor": lambda: infer("scale monotone", assumed(le(u, v)), factor=w),
    "a factor that may vanish": lambda: infer("scale monotone", assumed(lt(u, v)), factor=w**2),
    "a product of unsigned factors": lambda: infer("product monotone", *[assumed(le(u, v))] * 2),
    "an inverse of the unsigned": lambda: infer("reciprocal antitone", assumed(le(u, v))),
    "another function": lambda: infer("function monotone", assumed(le(u, v)), function="sin"),
    "a logarithm of the unsigned": lambda: infer(
        "function monotone", assumed(le(u, v)), function="log"
    ),
    "|a| bounded by two": lambda: infer("absolute bound", assumed(le(u, v)), assumed(le(-u, w))),
    "|a| bounded once": lambda: infer("absolute bound", *[assumed(le(u, v))] * 2),
    "log x ≤ x − 1, unsigned": lambda: infer("log bound", term=u),
    "a bracket of numbers": lambda: infer("iverson bound", proposition=lt(u, v)),
    "< summed": lambda: infer("sum monotone", assumed(lt(x[i], y[i])), index=i),
    # algebra and signs
    "unequal": lambda: alike(u, v),
    "unequal arrays": lambda: alike(Lambda(k, x[k]), Lambda(k, y[k])),
    "six sums tied together": lambda: alike(
        Sum(indices("a b c e f g", n), SIX[indices("a b c e f g", n)]), number(0)
    ),
    "|u + v| for one": lambda: alike(absolute(u + v), number(1)),
    "a root of what may vanish over itself": lambda: alike(
        (u**2 + v**2) ** HALF * (u**2 + v**2) ** -HALF, number(1)
    ),
    "a root of what may vanish below, squared": lambda: alike(
        ((u**2 + v**2) ** -HALF) ** 2 * (u**2 + v**2), number(1)
    ),
    "an inverse of an inverse square for one": lambda: alike(1 / u**-2, number(1)),
    "a delta in a denominator, upside down": lambda: alike(
        Sum(k, iverson(eq(k, j)) / (x[k] + x[j])), 2 / x[j]
    ),
    "a factor of an absolute value, upside down": lambda: alike(absolute(2 * v), absolute(v) / 2),
    "a root lost when a sum is cleared": lambda: alike(
        (u + v) ** Fraction(3, 2), u + v, lt(0, u), lt(0, v)
    ),
    "no sign": lambda: infer("positive", term=u),
    "no sign of a sum": lambda: infer("positive", term=Sum(k, exp(x[k]))),
    "no sign of a mean": lambda: infer("positive", term=E(q[a] ** 2)),
    "no sign of a cube": lambda: infer("nonnegative", term=u**3),
    "no sign of a root of a square": lambda: infer(
        "positive", term=u ** Fraction(2, 3), given=(negate(eq(u, 0)),)
    ),
    "a root that may be of something negative, over itself": lambda: alike(
        sqrt(u) / sqrt(u), number(1), negate(eq(u, 0))
    ),
    "no sign of an entry": lambda: infer("nonnegative", term=x[i], given=(le(0, y[i]),)),
    # rewriting
    "an unknown law": lambda: law("nonsense", u),
    "a place that is not there": lambda: law("multiply out", u + v, path=(2,)),
    "a place below a variable": lambda: law("multiply out", u, path=(0,)),
    "a negative place": lambda: law("multiply out", u + v, path=(-1,)),
    "a law elsewhere": lambda: law("linearity", u),
    "a lemma too many": lambda: infer("rewrite", same(u), term=u, law="linearity"),
    "a lemma too few": lambda: infer("rewrite", term=u, law="lemma"),
    "a lemma about constants, at a random number": lambda: infer(
        "rewrite", law("linearity", E(u)), term=E(q[a]), law="lemma"
    ),
    "a lemma about constants, at a bound index": lambda: infer(
        "rewrite",
        alike(Sum(k, v * x[k]), Sum(l, v * Sum(k, x[k]) / n.size), inhabited(n)),
        term=Sum(k, y[k] * x[k]),
        law="lemma",
    ),
    "a lemma about a range of one element, at another range": lambda: infer(
        "rewrite",
        alike(iverson(eq(i, j)), number(1), forall(i, forall(j, eq(i, j)))),
        term=iverson(eq(a, Index("b", d))),
        law="lemma",
    ),
    "another left side": lambda: infer("rewrite", assumed(eq(u, v)), term=w, law="lemma"),
    "an assumption for nothing": lambda: law("assumption", u, eq(v, w)),
    "no definition": lambda: law("definition", u),
    "an unknown law everywhere": lambda: infer(
        "rewrite everywhere", term=MEAN(x), laws=("nonsense",)
    ),
    "an equation that turns in circles": lambda: infer(
        "rewrite everywhere",
        term=u,
        laws=("assumption",),
        given=(eq(u, v), eq(v, u)),
        equations=(eq(u, v), eq(v, u)),
    ),
    "an assumption about a bound index": lambda: law(
        "assumption", Sum(k, x[k]), eq(x[k], 0), path=(0,)
    ),
    # sums
    "reindexing a number": lambda: law("reindex", u),
    "splitting a plain range": lambda: law("split", Sum(k, x[k])),
    "a product of one sum": lambda: law("product of sums", Sum(k, x[k]) * u),
    "a product of three sums": lambda: law(
        "product of sums", Sum(k, x[k]) * Sum(k, x[k]) * Sum(k, x[k])
    ),
    "a quotient of sums": lambda: law("product of sums", Sum(k, x[k]) / Sum(k, y[k])),
    "a product of a sum alone": lambda: law("product of sums", Term("mul", (Sum(k, x[k]),))),
    "a product of a variable and a sum": lambda: law("product of sums", u * Sum(k, x[k])),
    "a cube of a sum": lambda: law("product of sums", Sum(k, x[k]) ** 3),
    "a root of a sum ": lambda: law("product of sums", sqrt(Sum(k, x[k]))),
    "two bijections": lambda: law("injective", iverson(eq(σ[i], τ[j])), bijection(σ), bijection(τ)),
    "a bijection in an order": lambda: law("injective", iverson(le(σ[i], σ[j])), bijection(σ)),
    "one of a range of many": lambda: law("single", Sum(k, x[k])),
    "one that depends on itself": lambda: law("single", Sum(k, x[k]), forall(k, eq(k, σ[k]))),
    "a range not known to be empty": lambda: law("empty", Sum(k, x[k])),
    "a map that is not injective": lambda: law("injective", iverson(eq(σ[i], σ[j]))),
    "an equation of plain indices": lambda: law("injective", iverson(eq(i, j)), bijection(σ)),
    # functions
    "a logarithm of a sum": lambda: law("logarithm", log(u + v)),
    "a logarithm of the unsigned ": lambda: law("logarithm", log(u * v), lt(0, u)),
    "a logarithm of a cosine": lambda: law("logarithm", cos(exp(u))),
    "an angle of an exponential": lambda: law("angle addition", exp(u + v)),
    "an angle alone": lambda: law("angle addition", cos(u)),
    # expectation
    "the mean of a function": lambda: law("linearity", E(exp(q[a]))),
    "an unknown moment": lambda: law("linearity", E(q[a] + r[a])),
    "means of a product of arrays not known to be independent": lambda: law(
        "linearity",
        E(q[a] * r[a] + 1),
        *(moments(q, 1), moments(r, 1), independent(q, Array("t", (d,), random=True))),
    ),
    "a moment too low": lambda: law("linearity", E(q[a] ** 3 + 1), moments(q, 2)),
    "a second moment that may be 0": lambda: law(
        "linearity", E(q[a] + 1), forall(a, eq(E(q[a] ** 2), u))
    ),
    "a third moment, the second being known": lambda: law(
        "linearity", E(q[a] ** 3 + 1), forall(a, eq(E(q[a] ** 2), 1))
    ),
    "a mean below a fraction": lambda: law("linearity", E(1 / q[a] + q[a]), moments(q, 9)),
    "a mean of a root": lambda: law("linearity", E(sqrt(q[a]) + q[a]), moments(q, 9)),
    "means of dependent factors": lambda: law("independence", E(q[a] * r[a]), moments(q, 2)),
    "means of one array": lambda: law("independence", E(q[a] * q[a]), independent(q, r)),
    "means of a product with a constant": lambda: law(
        "independence", E(u * q[a] * r[a]), independent(q, r)
    ),
    "an assumption about outcomes": lambda: assumed(eq(q[a], 0)),
    # derivatives
    "a derivative of |x|": lambda: law("derivative", derivative(absolute(u), u)),
    "a derivative of 1/x": lambda: law("derivative", derivative(1 / u, u)),
    "a derivative of −1/x": lambda: law("derivative", derivative(1 / -u, u)),
    "a derivative of 1/x²": lambda: law("derivative", derivative(1 / u**2, u)),
    "a derivative of x⁻¹ + x": lambda: law("derivative", derivative(u**-1 + u, u)),
    "a derivative of √x": lambda: law("derivative", derivative(sqrt(u), u)),
    "a derivative of log x": lambda: law("derivative", derivative(log(u), u)),
    "a derivative of a mean": lambda: law("derivative", derivative(E(u * q[a]), u)),
    "a derivative of a derivative": lambda: law(
        "derivative", derivative(derivative(v * u, v, at=u), u)
    ),
    "a derivative under an assumption": lambda: law("derivative", derivative(1 / u, u), lt(0, u)),
    # limits
    "a limit of an index": lambda: infer("limit", variable=i, term=x[i], to="oo"),
    "a limit nowhere": lambda: infer("limit", variable=β, term=u, to="1"),
    "a limit with an assumption about what moves": lambda: infer(
        "limit", variable=β, term=β, to="0", given=(eq(β, 1),)
    ),
    "a limit of what grows": lambda: infer("limit", variable=β, term=β, to="oo"),
    "a limit over 0": lambda: infer("limit", variable=β, term=u / β, to="0"),
    "a limit of a logarithm at 0": lambda: infer("limit", variable=β, term=log(β), to="0"),
    "a limit of a root at 0": lambda: infer("limit", variable=β, term=β**-1, to="0"),
    "a limit of a mean": lambda: infer("limit", variable=β, term=E(β * q[a]), to="0"),
    "a rate that may vanish": lambda: infer(
        "limit", variable=β, term=exp(-(β * u)), to="oo", given=(le(0, u),)
    ),
    "a rate of 0": lambda: infer("limit", variable=β, term=exp(β * 0), to="oo"),
    "an oscillation": lambda: infer("limit", variable=β, term=cos(-(β * 1)), to="oo"),
    "a root near 0": lambda: infer("limit", variable=β, term=β**HALF, to="0"),
    "a rate of two": lambda: infer("limit", variable=β, term=exp(β * β * -1), to="oo"),
    "a rate that moves": lambda: infer("limit", variable=β, term=exp(β * -(exp(β))), to="oo"),
    "a rate that is positive": lambda: infer("limit", variable=β, term=exp(β * 2), to="oo"),
    "a premise that is no limit": lambda: infer("limit", same(u), variable=β, term=u, to="oo"),
    "no known limit": lambda: infer("limit", same(u), variable=β, term=β, to="oo"),
    "another limit": lambda: infer("equal limit", assumed(tends(β, β, u)), assumed(eq(v, w))),
    "another function's limit": lambda: infer(
        "equal limit", assumed(tends(β, β, u)), assumed(eq(v, w)), variable=β
    ),
    "a bound without | |": lambda: infer(
        "squeeze", assumed(le(u, v)), assumed(tends(β, β, 0)), variable=β
    ),
    "a bound by something else": lambda: infer(
        "squeeze", assumed(le(absolute(u), v)), assumed(tends(β, β, 0)), variable=β
    ),
    "a bound on an exponential": lambda: infer(
        "squeeze", infer("weaken", same(FALLING)), GONE, variable=β
    ),
    "a bound on a plain term": lambda: infer(
        "squeeze", infer("weaken", same(number(0))), GONE, variable=β
    ),
    "an equation between others, of what moves": lambda: infer(
        "equal limit", GONE, same(u), variable=β
    ),
    "a bound under an assumption": lambda: infer(
        "squeeze",
        assumed(le(absolute(β), exp(-(β * 1)))),
        infer("limit", variable=β, term=exp(-(β * 1)), to="oo"),
        variable=β,
    ),
    "a bound in an index": lambda: infer(
        "squeeze", assumed(le(absolute(u), v)), assumed(tends(β, β, 0)), variable=i
    ),
    "a limit whose value moves": lambda: infer(
        "limit", assumed(tends(β, β * u, v)), variable=v, term=v * u, to="oo"
    ),
    "an equation near 0, for a limit at ∞": lambda: infer(
        "equal limit", FAR, alike(β * u, β**2 * u / β, negate(eq(β, 0))), variable=β
    ),
    "an equation for positive β, for a limit at 0": lambda: infer(
        "equal limit", NEAR, alike(β * u, β**2 * u / β, lt(0, β)), variable=β
    ),
    "a limit known elsewhere": lambda: infer(
        "limit", assumed(tends(β, 1 / β, u, to="0")), variable=β, term=1 / β, to="oo"
    ),
}


@pytest.mark.parametrize("attempt", REFUSED.values(), ids=REFUSED)
def test_refused(attempt):
    with pytest.raises(DeriveError) as caught:
        attempt()
    assert caught.value.given


ACCEPTED = {
    "a definition in a product": lambda: alike(MEAN(x) * u, u * MEAN(x)),
    "a bracket twice": lambda: alike(iverson(le(i, j)) * iverson(le(i, j)), iverson(le(i, j))),
    "|xy|": lambda: alike(absolute(u * v), absolute(v) * absolute(u)),
    "a bracket given": lambda: alike(iverson(le(i, j)) * u, u, le(i, j)),
    "a derivative of a sum": lambda: law("derivative", derivative(Sum(k, u * x[k]), u)),
    "a definition opened": lambda: law("definition", MEAN(x)),
    "a fraction that does not vanish": lambda: infer(
        "limit",
        variable=β,
        term=1 / (u / v + β),
        to="0",
        given=(negate(eq(u, 0)), negate(eq(v, 0))),
    ),
    "a power that does not vanish": lambda: infer(
        "limit", variable=β, term=1 / (absolute(-(u**3)) + β), to="0", given=(lt(u, 0),)
    ),
    "equal masks": lambda: alike(Lambda(k, σ[k]), Lambda(l, σ[l])),
    "a negative inverse": lambda: alike(1 / (-u), -(1 / u)),
    "an inverse of an inverse": lambda: alike(1 / (1 / u), u),
    "a power of an inverse": lambda: alike((1 / u) ** -1, u),
    "roots of numbers": lambda: alike(sqrt(number(12)), 2 * sqrt(number(3))),
    "roots multiplied": lambda: alike(sqrt(number(2)) * sqrt(number(8)), number(4)),
    "a root below": lambda: alike(1 / sqrt(number(8)), sqrt(number(2)) / 4),
    "a root of a fraction": lambda: alike(sqrt(number(Fraction(4, 9))), number(Fraction(2, 3))),
    "a root of a large prime": lambda: alike(sqrt(number(1_000_003)) ** 2, number(1_000_003)),
    "a power of nothing": lambda: alike((u - u) ** -2, number(0)),
    "a sum to the power 0": lambda: alike((u + v) ** 0, number(1)),
    "a root of nothing": lambda: alike(sqrt(u - u), number(0)),
    "|0|": lambda: alike(absolute(u - u), number(0)),
    "a high power": lambda: alike((u + v) ** 9, (v + u) ** 9),
    "an inverse root of a sum": lambda: alike(
        (u + v) ** -HALF, 1 / sqrt(v + u), lt(0, u), lt(0, v)
    ),
    "an inverse root of what may vanish": lambda: alike(
        (u**2 + v**2) ** -HALF, (v**2 + u**2) ** -HALF
    ),
    "a root of a sum cleared": lambda: alike(
        (u + v) / sqrt(u + v), sqrt(u + v), lt(0, u), lt(0, v)
    ),
    "an inverse of a multiple": lambda: alike(1 / (2 * u + 4 * v), 1 / (u + 2 * v) / 2),
    "a root of an inverse": lambda: alike((u**2 + v**2) ** -HALF, sqrt(1 / (u**2 + v**2))),
    "a delta in a denominator": lambda: alike(
        Sum(k, iverson(eq(k, j)) / (x[k] + x[j])), 1 / (2 * x[j])
    ),
    "a common factor out": lambda: alike(1 / (u * v + u * w), 1 / u * (1 / (v + w))),
    "parts of a union apart": lambda: alike(
        iverson(eq(inject(both, 0, i), inject(both, 1, a))), number(0)
    ),
    "one part of a union": lambda: alike(
        iverson(eq(inject(both, 0, i), inject(both, 0, j))), iverson(eq(i, j))
    ),
    "lt of the same": lambda: alike(iverson(lt(i, i)), number(0)),
    "¬ of a bracket": lambda: alike(iverson(negate(le(i, j))), 1 - iverson(le(i, j))),
    "∧ of brackets": lambda: alike(
        iverson(conjoin(le(i, j), le(j, k))), iverson(le(j, k)) * iverson(le(i, j))
    ),
    "a decided bracket": lambda: alike(iverson(le(i, j)), number(0), negate(le(i, j))),
    "a free delta": lambda: alike(iverson(eq(i, j)) * x[i], iverson(eq(i, j)) * x[j]),
    "a sum over itself": lambda: alike(
        Sum(l, Sum(k, exp(z[l, k]) / Sum(j, exp(z[l, j])))), n.size, inhabited(n)
    ),
    "log of an inverse": lambda: law("logarithm", log(u**-1), lt(0, u)),
    "log of a fraction": lambda: law("logarithm", log(u / v), lt(0, u), lt(0, v)),
    "log of exp": lambda: law("logarithm", log(exp(u))),
    "sin −u": lambda: law("angle addition", sin(-u)),
    "cos −u": lambda: law("angle addition", cos(-u)),
    "cos 0": lambda: law("angle addition", cos(number(0))),
    "sin 0": lambda: law("angle addition", sin(number(0))),
    "sin of three": lambda: law("angle addition", sin(u + v + w)),
    "a derivative that is 0": lambda: law("derivative", derivative(v, u)),
    "a derivative through a definition": lambda: law(
        "derivative", derivative(MEAN(Lambda(k, u * x[k])), u)
    ),
    "a derivative of a fraction": lambda: law("derivative", derivative(u / (1 + u**2), u)),
    "a derivative over a constant": lambda: law("derivative", derivative(u / v, u)),
    "a derivative of a power": lambda: law("derivative", derivative((1 + u**2) ** -HALF, u)),
    "a derivative of a power 0": lambda: law("derivative", derivative(u**0, u)),
    "a derivative of a sine": lambda: law("derivative", derivative(sin(2 * u), u)),
    "a derivative of a cosine": lambda: law("derivative", derivative(cos(2 * u), u)),
    "a derivative of a logarithm": lambda: law("derivative", derivative(log(1 + u**2), u)),
    "a mean of a quotient": lambda: law("linearity", E(q[a] / u + 1), moments(q, 1)),
    "a mean through a definition": lambda: law(
        "linearity", E(MEAN(Lambda(k, u * q[a])) + 1), moments(q, 1)
    ),
    "a mean of a multiple": lambda: law("linearity", E(u * q[a] * v)),
    "a mean of a minus": lambda: law("linearity", E(-q[a])),
    "a mean over a constant": lambda: law("linearity", E(q[a] / u)),
    "a mean of a power 0": lambda: law(
        "linearity", E(q[a] ** 0 + r[a]), moments(q, 1), moments(r, 1)
    ),
    "a mean of a square, known": lambda: law(
        "linearity", E(q[a] ** 2 + 1), forall(a, eq(E(q[a] ** 2), 1))
    ),
    "a second moment known": lambda: law("linearity", E(q[a] + 1), forall(a, eq(E(q[a] ** 2), 1))),
    "a second moment known otherwise": lambda: law(
        "linearity", E(q[a] + 1), forall(a, eq(E(q[a] * q[a]), 1))
    ),
    "a bound near ∞": lambda: infer(
        "squeeze",
        infer("weaken", alike(absolute(β * exp(-(β * 1))), β * exp(-(β * 1)), lt(0, β))),
        infer("limit", variable=β, term=β * exp(-(β * 1)), to="oo"),
        variable=β,
    ),
    "not less": lambda: infer("not less", assumed(negate(lt(u, v)))),
    "≤ both ways": lambda: infer("antisymmetry", assumed(le(u, v)), assumed(le(v, u))),
    "products in order": lambda: infer(
        "product monotone", assumed(le(u, v)), assumed(le(w, v)), given=(le(0, u), le(0, w))
    ),
    "inverses in order": lambda: infer("reciprocal antitone", assumed(le(u, v)), given=(lt(0, u),)),
    "logarithms in order": lambda: infer(
        "function monotone", assumed(le(u, v)), function="log", given=(lt(0, u),)
    ),
    "roots in order": lambda: infer("function monotone", assumed(le(u, v)), function="sqrt"),
    "exponentials in order": lambda: infer("function monotone", assumed(le(u, v)), function="exp"),
    "strictly scaled": lambda: infer(
        "scale monotone", assumed(lt(u, v)), factor=w, given=(lt(0, w),)
    ),
    "scaled": lambda: infer("scale monotone", assumed(le(u, v)), factor=w, given=(le(0, w),)),
    "added": lambda: infer("add monotone", assumed(le(u, v)), assumed(lt(v, w)), same(u)),
    "added, not strictly": lambda: infer("add monotone", assumed(le(u, v)), same(w)),
    "summed": lambda: infer(
        "sum monotone", infer("nonnegative", term=x[k] ** 2, given=()), index=k
    ),
    "bounded both ways": lambda: infer("absolute bound", assumed(le(u, v)), assumed(le(-u, v))),
    "a bracket": lambda: infer("iverson bound", proposition=le(i, j)),
    "a logarithm bounded": lambda: infer("log bound", term=exp(u)),
    "|x|": lambda: infer("absolute value", term=u),
    "a limit divided by a product": lambda: infer(
        "limit", variable=β, term=(1 + β) / (u * v + β), to="0", given=(lt(0, u), lt(0, v))
    ),
    "injective": lambda: law("injective", iverson(eq(σ[i], σ[j])), bijection(σ)),
    "reindexed": lambda: law("reindex", Sum(k, x[σ[k]] * y[i]), bijection(σ)),
    "split": lambda: law("split", Sum(p, s[p])),
    "one element": lambda: law("single", Sum(k, x[k]), forall(k, eq(k, i))),
    "an empty size": lambda: law("empty", n.size, negate(inhabited(n))),
    "a product of sums over two ranges": lambda: law(
        "product of sums", Sum(k, x[k]) * Sum(a, E(q[a]))
    ),
    "a square of a sum": lambda: law("product of sums", Sum(k, x[k]) ** 2),
    "a limit of a power 0": lambda: infer("limit", variable=β, term=(u + β) ** 0, to="0"),
    "a limit of a power": lambda: infer(
        "limit", variable=β, term=(2 + β) ** -HALF * absolute(β) * log(1 + β), to="0"
    ),
    "a decaying power": lambda: infer("limit", variable=β, term=β**3 * exp(-(β * 2)), to="oo"),
    "a decaying power 0": lambda: infer("limit", variable=β, term=β**0 * exp(-(β * 2)), to="oo"),
    "a decaying number": lambda: infer("limit", variable=β, term=exp(β * -1), to="oo"),
    "a decaying assumption": lambda: infer(
        "limit", variable=β, term=exp(β * u), to="oo", given=(lt(u, 0),)
    ),
    "a limit in a fraction": lambda: infer("limit", variable=β, term=β / (u - u + 1 + β), to="0"),
    "a sign with ∧": lambda: alike(
        x[i] / x[i],
        number(1),
        forall(k, implies(conjoin(le(k, k), le(k, j)), lt(0, x[k]))),
        le(i, j),
    ),
    "a sign of a power": lambda: infer("positive", term=u**3 * HALF, given=(lt(0, u),)),
    "a sign by ≠": lambda: infer("positive", term=u**2, given=(negate(eq(u, 0)),)),
    "a sign by <": lambda: infer("positive", term=(-u) ** 2 / 4, given=(lt(u, 0),)),
    "a sign of a bracket": lambda: infer("positive", term=iverson(le(i, i))),
    "a sign of a union": lambda: infer("positive", term=Sum(p, exp(s[p])), given=(inhabited(n),)),
    "a sign of a definition": lambda: infer(
        "positive", term=MEAN(Lambda(k, exp(x[k]))), given=(inhabited(n),)
    ),
}


@pytest.mark.parametrize("attempt", ACCEPTED.values(), ids=ACCEPTED)
def test_accepted(attempt):
    theorem = attempt()
    assert refute(tuple(theorem.hypotheses), theorem.conclusion, budget=12) is None


def test_laws_called_at_another_node():
    for apply in (differentiate, logarithm, angle_addition):
        with pytest.raises(RuleError):
            apply(u, Facts())


def test_a_sequent_is_checked_before_it_is_a_theorem():
    bound = Term("bv", (), (0, n))
    for conclusion in (
        u,
        eq(x[bound], 0),
        eq(x[Term("fv", (), (3, n))], 0),
        eq(x[i], Array("x", (d,))[a]),
    ):
        with pytest.raises(RuleError):
            kernel._well_formed(Sequent(frozenset(), conclusion))


def test_a_theorem_in_words():
    assert repr(assumed(lt(0, u))) == "0 < u ⊢ 0 < u"
    assert str(RuleError("this", "that", "so")) == "this\nexpected: that\nto mend it: so"


def test_nothing_consumed_may_mention_a_bound_variable():
    """No rule can do so, for its variables are private; a rule that did would be refused."""
    facts = Facts()
    with pytest.raises(RuleError), facts.inside(Sum(k, x[k])) as (variable, _):
        facts.use(eq(x[variable], 0))


def test_what_an_abandoned_attempt_consumed_is_forgotten():
    given = (lt(0, u), le(0, v))
    theorem = alike(sqrt(u * v * w), sqrt(w * v * u), *given)
    assert not theorem.hypotheses
    facts = Facts(given)
    assert not facts.sign(u * w, strict=True)
    assert not facts.is_nonzero(u * w)
    assert not facts.used


def test_an_assumption_given_outside_and_used_inside_is_consumed():
    facts = Facts((lt(0, u),))
    with facts.assuming(lt(0, v)):
        assert facts.sign(u * v, strict=True)
        assert facts.used == {lt(0, u), lt(0, v)}
    assert facts.used == {lt(0, u)}
    with facts.assuming(lt(0, u)):
        assert facts.sign(u, strict=True)
    assert facts.used == {lt(0, u)}


def test_denominators_are_cleared_a_bounded_number_of_times(monkeypatch):
    monkeypatch.setattr(normal, "range", lambda _: (), raising=False)
    with pytest.raises(RuleError):
        alike(u / (1 + v**2) + w, (u + w * (1 + v**2)) / (1 + v**2))


def test_terms_in_words_and_pieces():
    assert neg(u) == -u
    assert 1 + u == number(1) + u
    assert (1 - u, 2 * u, 1 / u) == (number(1) - u, number(2) * u, number(1) / u)
    assert copy.copy(MEAN) == MEAN
    assert hash(copy.copy(x)) == hash(x)
    assert x != y
    assert Range("n") != Array("n", ())
    assert number(Array("c", ())) == Array("c", ())[()]
    assert open_(u, i) == u
    with pytest.raises(TermError):
        list(x)
    with pytest.raises(TermError):
        MEAN(z)
    with pytest.raises(TermError):
        MEAN()
    with pytest.raises(TermError):
        Term("def", (u,), MEAN)
    with pytest.raises(TermError):
        Term("entry", (i,), n)
    with pytest.raises(TermError):
        u[i]
    with pytest.raises(TermError):
        u ** "2"
    with pytest.raises(TermError):
        Index("i", "n")


def test_definitions_of_unions_and_of_definitions():
    whole = Definition("whole", (s,), (), Sum(p, s[p]))
    other = Range("m+m", (Range("m"), Range("m")))
    t = Array("t", (other,))
    assert whole(t) == Term("def", (Lambda(Index("e", other), t[Index("e", other)]),), whole)
    twice = Definition("twice", (s,), (), 2 * whole(s))
    assert whole in twice(t).names
    with pytest.raises(TermError):
        whole(x)
    moved = infer(
        "specialize", same(Sum(p, s[p]) + x[i]), ranges=((n, Range("m")),)
    ).conclusion.args[0]
    assert {over.name for over in moved.names if type(over) is Range} == {"m", "d", "n+d"}


@pytest.mark.parametrize("name", rewriting.LAW_NAMES)
def test_a_law_called_at_another_node(name):
    if name not in rewriting.LAWS or name == "multiply out":
        return
    with pytest.raises(RuleError):
        rewriting.LAWS[name](u, Facts())


def test_a_subclass_that_slipped_in_is_refused():
    with pytest.raises(TermError):
        Term.__new__(tuple, "num", (), (1, 1))


@pytest.mark.parametrize(
    ("theorem", "hypotheses", "conclusion"),
    [
        (lambda: assumed(A), {A}, A),
        (lambda: infer("symmetry", assumed(A)), {A}, eq(v, u)),
        (lambda: infer("transitivity", assumed(A), assumed(B)), {A, B}, le(u, w)),
        (lambda: infer("transitivity", assumed(A), assumed(eq(v, w))), {A, eq(v, w)}, eq(u, w)),
        (lambda: infer("transitivity", assumed(B), assumed(lt(w, u))), {B, lt(w, u)}, lt(v, u)),
        (lambda: infer("transitivity", assumed(lt(w, v)), assumed(B)), {B, lt(w, v)}, lt(w, w)),
        (lambda: infer("conjunction", assumed(A), assumed(B)), {A, B}, conjoin(A, B)),
        (lambda: infer("cut", assumed(A), infer("symmetry", assumed(eq(v, u)))), {eq(v, u)}, A),
        (lambda: infer("discharge", assumed(A), hypothesis=A), set(), implies(A, A)),
        (lambda: infer("discharge", assumed(A), hypothesis=B), {A}, implies(B, A)),
        (
            lambda: infer("modus ponens", assumed(implies(A, B)), assumed(A)),
            {A, implies(A, B)},
            B,
        ),
        (lambda: infer("cases", same(u), same(u), on=A), set(), eq(u, u)),
        (
            lambda: infer(
                "cases",
                infer("weaken", infer("transitivity", assumed(A), assumed(eq(v, u)))),
                infer("weaken", same(u)),
                on=A,
            ),
            {eq(v, u)},
            le(u, u),
        ),
        (
            lambda: infer(
                "cases",
                infer("weaken", assumed(lt(u, v))),
                infer("weaken", assumed(lt(u, v))),
                on=negate(A),
            ),
            {lt(u, v)},
            le(u, v),
        ),
        (
            lambda: infer(
                "cases",
                infer("weaken", same(u)),
                infer("not less", assumed(negate(lt(u, u)))),
                on=lt(u, u),
            ),
            set(),
            le(u, u),
        ),
        (lambda: infer("generalize", same(u), variable=u), set(), forall(u, eq(u, u))),
        (
            lambda: infer("instantiate", assumed(forall(u, le(u, v))), value=w),
            {forall(u, le(u, v))},
            le(w, v),
        ),
        (
            lambda: infer("extensionality", alike(x[i] + x[i], 2 * x[i]), index=i),
            set(),
            eq(Lambda(k, x[k] + x[k]), Lambda(k, 2 * x[k])),
        ),
        (
            lambda: infer("entry", assumed(eq(Lambda(k, x[k]), Lambda(k, y[k]))), index=i),
            {eq(Lambda(k, x[k]), Lambda(k, y[k]))},
            eq(x[i], y[i]),
        ),
        (
            lambda: infer("exists", alike(n.size * x[i] / n.size, x[i], inhabited(n)), index=i),
            set(),
            eq(n.size * x[i] / n.size, x[i]),
        ),
        (
            lambda: infer(
                "specialize",
                infer("conjunction", assumed(bijection(τ)), same(x[σ[i]])),
                values=((σ, Lambda(k, j)),),
            ),
            {bijection(τ)},
            conjoin(bijection(τ), eq(x[j], x[j])),
        ),
        (
            lambda: infer(
                "specialize", infer("transitivity", assumed(A), assumed(B)), values=((u, w),)
            ),
            {eq(w, v), B},
            le(w, w),
        ),
        (lambda: infer("weaken", assumed(A)), {A}, le(u, v)),
        (lambda: infer("not less", assumed(negate(lt(u, v)))), {negate(lt(u, v))}, le(v, u)),
        (
            lambda: infer("antisymmetry", assumed(B), assumed(le(w, v))),
            {B, le(w, v)},
            eq(v, w),
        ),
        (
            lambda: infer("add monotone", assumed(B), assumed(lt(u, v)), assumed(A)),
            {B, lt(u, v), A},
            lt(Term("add", (v, u, u)), Term("add", (w, v, v))),
        ),
        (lambda: infer("add monotone", assumed(B), assumed(A)), {A, B}, le(v + u, w + v)),
        (
            lambda: infer("sum monotone", infer("nonnegative", term=x[i] ** 2), index=i),
            set(),
            le(Sum(k, 0), Sum(k, x[k] ** 2)),
        ),
        (
            lambda: infer("scale monotone", assumed(B), factor=u, given=(le(0, u),)),
            {B, le(0, u)},
            le(u * v, u * w),
        ),
        (
            lambda: infer("scale monotone", assumed(lt(v, w)), factor=u, given=(lt(0, u),)),
            {lt(v, w), lt(0, u)},
            lt(u * v, u * w),
        ),
        (
            lambda: infer("product monotone", assumed(B), assumed(B), given=(le(0, v), le(0, w))),
            {B, le(0, v)},
            le(v * v, w * w),
        ),
        (
            lambda: infer("reciprocal antitone", assumed(B), given=(lt(0, v),)),
            {B, lt(0, v)},
            le(1 / w, 1 / v),
        ),
        (lambda: infer("function monotone", assumed(B), function="exp"), {B}, le(exp(v), exp(w))),
        (
            lambda: infer("function monotone", assumed(B), function="sqrt"),
            {B},
            le(sqrt(v), sqrt(w)),
        ),
        (
            lambda: infer("function monotone", assumed(B), function="log", given=(lt(0, v),)),
            {B, lt(0, v)},
            le(log(v), log(w)),
        ),
        (lambda: infer("absolute value", term=u), set(), eq(absolute(u), sqrt(u**2))),
        (
            lambda: infer("absolute bound", assumed(B), assumed(le(-v, w))),
            {B, le(-v, w)},
            le(absolute(v), w),
        ),
        (lambda: infer("iverson bound", proposition=le(i, j)), set(), le(iverson(le(i, j)), 1)),
        (
            lambda: infer("limit", variable=β, term=u * FALLING + w, to="oo"),
            set(),
            tends(β, u * FALLING + w, u * 0 + w),
        ),
        (
            lambda: infer("limit", variable=β, term=exp(β * u), to="oo", given=(lt(u, 0),)),
            {lt(u, 0)},
            tends(β, exp(β * u), 0),
        ),
        (
            lambda: infer("limit", FAR, variable=β, term=β * u + 1, to="oo"),
            {tends(β, β * u, v)},
            tends(β, β * u + 1, v + 1),
        ),
        (
            lambda: infer("limit", variable=β, term=(1 + β) ** 0, to="0"),
            set(),
            tends(β, (1 + β) ** 0, number(1 + number(0)) ** 0, to="0"),
        ),
        (
            lambda: infer("equal limit", FAR, assumed(eq(v, w))),
            {tends(β, β * u, v), eq(v, w)},
            tends(β, β * u, w),
        ),
        (
            lambda: infer("equal limit", FAR, alike(β * u, u * β), variable=β),
            {tends(β, β * u, v)},
            tends(β, u * β, v),
        ),
        (
            lambda: infer("equal limit", FAR, alike(β * u, β**2 * u / β, lt(0, β)), variable=β),
            {tends(β, β * u, v)},
            tends(β, β**2 * u / β, v),
        ),
        (
            lambda: infer(
                "equal limit", NEAR, alike(β * u, β**2 * u / β, negate(eq(β, 0))), variable=β
            ),
            {tends(β, β * u, v, to="0")},
            tends(β, β**2 * u / β, v, to="0"),
        ),
        (
            lambda: infer(
                "equal limit", FAR, infer("transitivity", same(β * u), same(β * u)), variable=β
            ),
            {tends(β, β * u, v)},
            tends(β, β * u, v),
        ),
        (
            lambda: infer(
                "squeeze", assumed(le(absolute(u), v)), assumed(tends(β, v, 0)), variable=β
            ),
            {le(absolute(u), v), tends(β, v, 0)},
            tends(β, u, 0),
        ),
        (lambda: law("multiply out", v * u * v), set(), eq(v * u * v, u * v**2)),
        (lambda: law("multiply out", u + u), set(), eq(u + u, 2 * u)),
        (lambda: law("linearity", E(u * q[a])), set(), eq(E(u * q[a]), u * E(q[a]))),
        (
            lambda: law("independence", E(q[a] * r[a]), independent(q, r)),
            {independent(q, r)},
            eq(E(q[a] * r[a]), E(q[a]) * E(r[a])),
        ),
        (
            lambda: infer("log bound", term=u, given=(lt(0, u),)),
            {lt(0, u)},
            le(log(u), u - 1),
        ),
        (
            lambda: infer("specialize", assumed(A), values=((u, w), (v, u))),
            {eq(w, u)},
            eq(w, u),
        ),
        (
            lambda: infer("specialize", assumed(eq(x[i], n.size)), ranges=((n, d),)),
            {eq(Array("x", (d,))[Index("i", d)], d.size)},
            eq(Array("x", (d,))[Index("i", d)], d.size),
        ),
        (
            lambda: infer(
                "specialize", assumed(eq(x[i], u)), values=((x, Lambda(k, x[k] * y[i])), (i, j))
            ),
            {eq(x[j] * y[i], u)},
            eq(x[j] * y[i], u),
        ),
    ],
)
def test_what_comes_of_a_rule(theorem, hypotheses, conclusion):
    made = theorem()
    assert made.hypotheses == hypotheses
    assert made.conclusion == conclusion


# ------------------------------------------------------------------ last checks, asked directly


def test_a_limit_may_not_mention_the_variable_that_moves(monkeypatch):
    """No part of a limit lets the variable through; were one to, the rule would still refuse."""
    monkeypatch.setattr(limits._Limits, "of", lambda self, term: term)
    assert infer("limit", variable=β, term=u, to="oo").conclusion == tends(β, u, u)
    with pytest.raises(RuleError, match="a limit that mentions"):
        infer("limit", variable=β, term=exp(β), to="oo")


def test_a_limit_may_not_rest_on_the_variable_that_moves(monkeypatch):
    def cheat(self, term):
        self.facts.use(lt(0, β))
        return u

    monkeypatch.setattr(limits._Limits, "of", cheat)
    with pytest.raises(RuleError, match="a limit that mentions"):
        infer("limit", variable=β, term=exp(β), to="oo")


def test_a_law_may_not_change_the_kind_of_a_node():
    assert rewriting._at(u + v, (1,), Facts(), lambda term: w) == u + w
    with pytest.raises(RuleError, match="in place of"):
        rewriting._at(u + v, (1,), Facts(), lambda term: i)
    everywhere = rewriting._Everywhere(Facts(), [lambda term: i if term == u else term])
    assert everywhere.of(u + v) == u + v


def test_a_function_without_a_derivative_is_refused():
    with pytest.raises(RuleError, match="the derivative of abs"):
        calculus._outer("abs", u)


def test_the_laws_that_were_used_are_named():
    assert alike(exp(u + v), exp(v) * exp(u)).laws == ("e^(x+y) = e^x e^y",)
    assert alike(exp(u) * v, v * exp(u)).laws == ()
    assert GONE.laws == ("limits, part by part",)


def test_an_element_named_by_maps_shows_that_its_range_has_one():
    """So an index of that range may be lost, and leaves no hypothesis."""
    m = Range("m")
    e, b = Index("e", m), Array("b", (m,))
    named = b[Array("ρ", (n,), m)[Array("τ", (d,), n)[a]]]
    there = alike(named, named + b[e] - b[e])
    assert not infer("transitivity", there, infer("symmetry", there)).hypotheses
    lost = infer("transitivity", alike(u, u + b[e] - b[e]), alike(u + b[e] - b[e], u))
    assert lost.hypotheses == {inhabited(m)}
