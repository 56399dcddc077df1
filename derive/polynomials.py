"""Polynomials over opaque atoms, with exact coefficients and rational exponents. *Trusted file.*

A monomial is a set of atoms with their exponents; a polynomial gives each monomial its coefficient,
never 0. A product is a monomial with a coefficient under summation signs. Nothing is assumed here:
whether an atom may bear a negative or a fractional exponent was asked where the monomial was made.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from fractions import Fraction

from derive.errors import TermError
from derive.kinds import MOST_BITS
from derive.signature import Range
from derive.syntax import power
from derive.terms import Term, key, number

Monomial = frozenset[tuple[Term, Fraction]]  # atoms and their exponents
Polynomial = dict[Monomial, Fraction]  # the coefficient of each
Product = tuple[Fraction, tuple[Term, ...], Monomial]  # coefficient, summed indices, monomial

UNIT: Monomial = frozenset()
MOST_PRODUCTS = 10_000  # of one multiplying out


def add_into(out: Polynomial, p: Polynomial, sign: int = 1) -> None:
    """``out + sign · p``, in place; a coefficient that becomes 0 leaves."""
    for monomial, c in p.items():
        value = out.pop(monomial, 0) + sign * c
        if value:
            out[monomial] = value


def bare(polynomial: Polynomial) -> list[Product]:
    """Its monomials as products under no summation sign."""
    return [(c, (), m) for m, c in polynomial.items()]


def content_of(polynomial: Polynomial) -> dict[Term, Fraction]:
    """The greatest monomial that divides every monomial of the polynomial."""
    atoms = {atom for monomial in polynomial for atom, _ in monomial}
    least = {a: min(dict(m).get(a, Fraction(0)) for m in polynomial) for a in atoms}
    return {atom: e for atom, e in sorted(least.items(), key=lambda item: key(item[0])) if e}


def divided(monomial: Monomial, by: dict[Term, Fraction]) -> Monomial:
    """The monomial over a monomial that divides it."""
    exponents = dict(monomial)
    for atom, e in by.items():
        exponents[atom] = exponents.get(atom, Fraction(0)) - e
    return frozenset((atom, e) for atom, e in exponents.items() if e)


def factor_term(atom: Term, exponent: Fraction) -> Term:
    """``atom ** exponent``, written as a bare atom where the exponent is 1."""
    return atom if exponent == 1 else power(atom, exponent)


def monomial_key(monomial: Monomial) -> tuple:
    """A total order on monomials that does not depend on hashing."""
    return tuple(sorted((key(atom), exponent) for atom, exponent in monomial))


def join(m: Monomial, n: Monomial) -> tuple[Fraction, Monomial]:
    """The product of two monomials; roots of numbers give back their rational part."""
    exponents = dict(m)
    for atom, exponent in n:
        exponents[atom] = exponents.get(atom, 0) + exponent
    coefficient = Fraction(1)
    for atom in [a for a in exponents if a.op == "num"]:
        whole = exponents[atom] // 1
        coefficient *= raised_number(atom.value, whole)
        exponents[atom] -= whole
    for atom in [a for a in exponents if a.op == "iv" and exponents[a] > 1]:
        exponents[atom] = Fraction(1)
    return coefficient, frozenset((a, e) for a, e in exponents.items() if e)


def _affordable(products: int) -> None:
    if products > MOST_PRODUCTS:
        raise TermError(
            f"a product of {products} terms when multiplied out",
            f"{MOST_PRODUCTS} at most",
            "a name for one of its factors",
        )


def times(p: Polynomial, q: Polynomial) -> Polynomial:
    """The product of two polynomials."""
    _affordable(len(p) * len(q))
    out: Polynomial = {}
    for m, c in p.items():
        for n, k in q.items():
            extra, monomial = join(m, n)
            add_into(out, {monomial: c * k * extra})
    return out


def multiplied(factors: Iterable[list[Product]]) -> list[Product]:
    """The product of sums of products, multiplied out and not collected."""
    out: list[Product] = [(Fraction(1), (), UNIT)]
    for factor in factors:
        _affordable(len(out) * len(factor))
        out = [
            (c * k * extra, (*indices, *more), monomial)
            for c, indices, m in out
            for k, more, n in factor
            for extra, monomial in [join(m, n)]
        ]
    return out


def to_term(polynomial: Polynomial) -> Term:
    """The canonical term of a polynomial."""
    terms = []
    for monomial in sorted(polynomial, key=monomial_key):
        c = polynomial[monomial]
        factors = [number(c)] if c != 1 or not monomial else []
        ordered = sorted(monomial, key=lambda factor: (key(factor[0]), factor[1]))
        factors += [factor_term(atom, exponent) for atom, exponent in ordered]
        terms.append(factors[0] if len(factors) == 1 else Term("mul", factors))
    if not terms:
        return number(0)
    return terms[0] if len(terms) == 1 else Term("add", terms)


def raised_number(c: Fraction, exponent: int) -> Fraction:
    """``c ** exponent``, unless it would fill the memory."""
    bits = max(c.numerator.bit_length(), c.denominator.bit_length()) - 1  # 0 for 1 and -1
    if bits * abs(exponent) > MOST_BITS:
        raise TermError(
            f"the power {exponent} of a number", f"at most {MOST_BITS} bits", "a symbol for it"
        )
    return c**exponent


def number_power(c: Fraction, exponent: Fraction) -> tuple[Fraction, dict[Term, Fraction]]:
    """``c ** exponent`` as a rational times roots of primes."""
    if exponent.denominator == 1:
        return raised_number(c, int(exponent)), {}
    scale, roots = Fraction(1), {}
    for value, sign in ((c.numerator, 1), (c.denominator, -1)):
        for prime, count in _primes(value):
            e = sign * count * exponent
            scale *= raised_number(Fraction(prime), e // 1)
            if e % 1:
                roots[number(prime)] = e % 1
    return scale, roots


def _primes(value: int) -> list[tuple[int, int]]:
    """Prime factors with their powers; a large remainder stays whole."""
    out, prime = [], 2
    while prime * prime <= value and prime < 10_000:
        count = 0
        while value % prime == 0:
            value, count = value // prime, count + 1
        if count:
            out.append((prime, count))
        prime += 1
    return out + ([(value, 1)] if value > 1 else [])


def orders(indices: list[Term]) -> Iterator[tuple[Term, ...]]:
    """All orders of the indices that keep the ranges sorted by name."""
    by_range: dict[Range, list[Term]] = {}
    for index in sorted(indices, key=lambda i: i.kind.name):
        by_range.setdefault(index.kind, []).append(index)
    for orders in itertools.product(*(itertools.permutations(g) for g in by_range.values())):
        yield tuple(itertools.chain(*orders))


def components(
    indices: list[Term], monomial: Iterable[tuple[Term, Fraction]]
) -> list[tuple[list[Term], Monomial]]:
    """Summation indices that share a factor belong together; the others factor apart."""
    groups: list[set[Term]] = [{index} for index in indices]
    factors = list(monomial)
    for atom, _ in factors:
        touched = [g for g in groups if any(i in atom.names for i in g)]
        groups = [g for g in groups if g not in touched] + [set().union(*touched)]
    return [
        (
            [i for i in indices if i in group],
            frozenset((a, e) for a, e in factors if any(i in a.names for i in group)),
        )
        for group in groups
    ]
