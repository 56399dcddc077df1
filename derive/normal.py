"""Normal forms: when two terms are equal by algebra alone. *Trusted file.*

A term becomes a sum of products ``c · Σ… a₁^e₁ a₂^e₂ …`` of opaque atoms with exact coefficients,
sums pulled to the front with their indices in a canonical order. Exponents may be negative only on
atoms shown to be non-zero, and fractional only on atoms shown to be non-negative; otherwise a
reciprocal or a root is itself an atom, and nothing cancels. Two terms are equal when the
difference of their normal forms is empty, after clearing denominators shown to be non-zero.

Laws used: the commutative ring, ``1/(xy) = (1/x)(1/y)`` (total division), finite sums distribute,
swap and factor, ``Σ_k [k=j] f(k) = f(j)``, ``[p]² = [p]``, ``e^(x+y) = e^x e^y``,
``√(xy) = √x √y`` for x, y ≥ 0, and congruence.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from fractions import Fraction

from derive.facts import ONE, ZERO, Facts, RuleError
from derive.syntax import absolute, exp, power
from derive.terms import BINDERS, REAL, Range, Term, close, fresh, key, number, open_, substitute

Monomial = frozenset  # of (atom, exponent)
Polynomial = dict  # monomial -> coefficient
Product = tuple[Fraction, tuple[Term, ...], Monomial]  # coefficient, summed indices, monomial

UNIT: Monomial = frozenset()
MOST_TIED = 5  # summation indices of one product that are permuted for a canonical order
MOST_POWER = 8  # powers of sums that are multiplied out


def equal(left: Term, right: Term, facts: Facts) -> bool:
    """Do the normal forms agree? Consumed assumptions and laws are recorded in the facts."""
    if left == right:
        return True
    normal = _Normal(facts)
    if left.kind != REAL:
        return normal.atom(left) == normal.atom(right)
    difference = normal.polynomial(left)
    _add_into(difference, normal.polynomial(right), -1)
    return normal.vanishes(difference)


def normal_form(term: Term, facts: Facts) -> Term:
    """The canonical term equal to this one."""
    normal = _Normal(facts)
    return normal.term(normal.polynomial(term)) if term.kind == REAL else normal.atom(term)


class _Normal:
    def __init__(self, facts: Facts) -> None:
        self.facts = facts

    def polynomial(self, term: Term) -> Polynomial:
        out: Polynomial = {}
        for product in self.products(term):
            _add_into(out, self.settle(*product))
        return out

    # ---------------------------------------------------------------- multiplying out

    def products(self, term: Term) -> list[Product]:
        """The term as a sum of products of atoms under summation signs."""
        op, args = term.op, term.args
        if op == "add":
            return [product for arg in args for product in self.products(arg)]
        if op == "neg":
            return [(-c, indices, m) for c, indices, m in self.products(args[0])]
        if op == "mul":
            return self._times(self.products(arg) for arg in args)
        if op == "div":
            return self._times((self.products(args[0]), self.reciprocal(args[1])))
        if op == "pow" and term.data[1] == 1 and 0 <= term.data[0] <= MOST_POWER:
            return self._times(self.products(args[0]) for _ in range(term.data[0]))
        if op == "sum":
            index = fresh(term.data)
            inner = self.products(open_(args[0], index))
            self.facts.law("finite sums are linear")
            return [(c, (index, *indices), m) for c, indices, m in inner]
        if op == "iv":
            return self.iverson(args[0])
        return _bare(self.power(term))

    def _times(self, factors: Iterable[list[Product]]) -> list[Product]:
        out: list[Product] = [(Fraction(1), (), UNIT)]
        for factor in factors:
            out = [
                (c * k * extra, (*indices, *more), monomial)
                for c, indices, m in out
                for k, more, n in factor
                for extra, monomial in [self.join(m, n)]
            ]
        return out

    def join(self, m: Monomial, n: Monomial) -> tuple[Fraction, Monomial]:
        """The product of two monomials; roots of numbers give back their rational part."""
        exponents = dict(m)
        for atom, exponent in n:
            exponents[atom] = exponents.get(atom, 0) + exponent
        coefficient = Fraction(1)
        for atom in [a for a in exponents if a.op == "num"]:
            whole = exponents[atom] // 1
            coefficient *= atom.value**whole
            exponents[atom] -= whole
        for atom in [a for a in exponents if a.op == "iv" and exponents[a] > 1]:
            exponents[atom] = Fraction(1)
        return coefficient, frozenset((a, e) for a, e in exponents.items() if e)

    def reciprocal(self, term: Term) -> list[Product]:
        """``1/term``, factor by factor: with total division this needs no side condition."""
        op, args = term.op, term.args
        if op == "mul":
            return self._times(map(self.reciprocal, args))
        if op == "neg":
            return [(-c, indices, m) for c, indices, m in self.reciprocal(args[0])]
        if op == "div":
            return self._times((self.products(args[1]), self.reciprocal(args[0])))
        if op == "pow" and term.data[1] == 1 and 0 < term.data[0] <= MOST_POWER:
            return self._times(self.reciprocal(args[0]) for _ in range(term.data[0]))
        return _bare(self.raised(term, Fraction(-1)))

    def power(self, term: Term) -> Polynomial:
        """A node that is neither a sum, a product nor a quotient."""
        op = term.op
        if op == "num":
            return {UNIT: term.value} if term.data[0] else {}
        if op == "pow":
            return self.raised(term.args[0], term.value)
        if op == "fn" and term.data == "exp":
            return self.exponential(term.args[0])
        if op == "fn" and term.data == "abs":
            return self.absolute(term.args[0])
        return {frozenset([(self.atom(term), Fraction(1))]): Fraction(1)}

    def exponential(self, argument: Term) -> Polynomial:
        exponent = self.polynomial(argument)
        if len(exponent) > 1:
            self.facts.law("e^(x+y) = e^x e^y")
        atoms = ((exp(self.term({m: Fraction(1)})), c) for m, c in exponent.items())
        return {frozenset(atoms): Fraction(1)}

    def raised(self, base: Term, exponent: Fraction) -> Polynomial:
        """``base ** exponent`` for an exponent that is not multiplied out."""
        polynomial = self.polynomial(base)
        if not polynomial:
            return {} if exponent else {UNIT: Fraction(1)}
        if len(polynomial) == 1:
            ((monomial, coefficient),) = polynomial.items()
            out = self._raised_monomial(monomial, coefficient, exponent)
            if out is not None:
                return out
        return self._raised_sum(base, polynomial, exponent)

    def _raised_monomial(
        self, monomial: Monomial, coefficient: Fraction, exponent: Fraction
    ) -> Polynomial | None:
        if exponent.denominator != 1:
            rooted = self._rooted(monomial) if coefficient > 0 else None
            if rooted is None:
                return None
            monomial = rooted
        scale, factors = _number_power(coefficient, exponent)
        for atom, e in monomial:
            extra, one = self.join(frozenset(factors.items()), self._atom_power(atom, e * exponent))
            scale, factors = scale * extra, dict(one)
        return {frozenset(factors.items()): scale}

    def _rooted(self, monomial: Monomial) -> Monomial | None:
        """The same monomial over atoms that are not negative (``x² = |x|²``), if that can be."""
        out, before = UNIT, set(self.facts.used)
        for atom, e in monomial:
            if not self.facts.sign(atom, strict=False):
                if e.denominator != 1 or e % 2:
                    self.facts.used = before
                    return None
                atom = absolute(atom)
            _, out = self.join(out, frozenset([(atom, e)]))
        return out

    def absolute(self, argument: Term) -> Polynomial:
        """``|xy| = |x| |y|``, ``|x/y| = |x| / |y|``, and ``|x| = x`` where x is not negative."""
        if self.facts.sign(argument, strict=False):
            return self.polynomial(argument)
        if argument.op == "mul":
            out: Polynomial = {UNIT: Fraction(1)}
            for factor in argument.args:
                out = self.times(out, self.absolute(factor))
            return out
        inner = self.polynomial(argument)
        if not inner:
            return {}
        content = _content(inner)
        rest = {_divided(m, content): c for m, c in inner.items()}
        lead = rest[min(rest, key=_monomial_key)]
        parts = list(content.items())
        if len(rest) > 1:
            parts.append((self.term({m: c / lead for m, c in rest.items()}), Fraction(1)))
        out = {UNIT: abs(lead)}
        for atom, e in parts:
            size = atom if self.facts.sign(atom, strict=False) else absolute(atom)
            out = self.times(out, {frozenset([(size, e)]): Fraction(1)})
        return out

    def _atom_power(self, atom: Term, exponent: Fraction) -> Monomial:
        if exponent > 0 or self.facts.is_nonzero(atom):
            return frozenset([(atom, exponent)])
        if atom.op == "div":  # 1/(1/x) = x, also at 0
            return frozenset([(atom.args[1], -exponent)])
        return frozenset([(ONE / atom, -exponent)])

    def _raised_sum(self, base: Term, polynomial: Polynomial, exponent: Fraction) -> Polynomial:
        """A power of several terms: an atom, after what they have in common is taken out."""
        facts = self.facts
        if exponent.denominator != 1:
            whole = self.term(polynomial)
            if not (facts.sign(base, strict=False) or facts.sign(whole, strict=False)):
                return {frozenset([(power(whole, exponent), Fraction(1))]): Fraction(1)}
            if exponent < 0 and not (facts.is_nonzero(base) or facts.is_nonzero(whole)):
                return {frozenset([(ONE / whole, -exponent)]): Fraction(1)}
            return {frozenset([(whole, exponent)]): Fraction(1)}
        content = _content(polynomial)
        rest = {_divided(m, content): c for m, c in polynomial.items()}
        lead = rest[min(rest, key=_monomial_key)]
        atom = self.term({m: c / lead for m, c in rest.items()})
        known = facts.is_nonzero(base) or facts.is_nonzero(atom)
        sum_power = (atom, exponent) if exponent > 0 or known else (ONE / atom, -exponent)
        out: Polynomial = {frozenset([sum_power]): lead ** int(exponent)}
        for common, e in content.items():
            factor = self._atom_power(common, e * exponent)
            out = self.times(out, {factor: Fraction(1)})
        return out

    def iverson(self, p: Term) -> list[Product]:
        """``[p]`` with connectives resolved and plain cases decided."""
        one, nothing = [(Fraction(1), (), UNIT)], []
        if p.op == "not":
            return one + [(-c, indices, m) for c, indices, m in self.iverson(p.args[0])]
        if p.op == "and":
            return self._times(map(self.iverson, p.args))
        p = self.atom(p)
        if p.op in ("eq", "le", "lt"):
            left, right = p.args
            if left == right:
                return nothing if p.op == "lt" else one
            if p.op == "eq" and left.op == right.op == "inj":
                if left.data != right.data:
                    return nothing
                return self.iverson(Term("eq", (left.args[0], right.args[0])))
        for same in (p, Term("eq", p.args[::-1])) if p.op == "eq" else (p,):
            if self.facts.holds(same):
                return one
            if self.facts.holds(Term("not", (same,))):
                return nothing
        return [(Fraction(1), (), frozenset([(Term("iv", (p,)), Fraction(1))]))]

    # ---------------------------------------------------------------- summation signs

    def settle(self, c: Fraction, indices: tuple[Term, ...], monomial: Monomial) -> Polynomial:
        """One product: deltas collapsed, idle indices counted, sums in canonical order."""
        for atom, _ in sorted(monomial, key=lambda factor: key(factor[0])):
            if atom.op == "iv" and atom.args[0].op == "eq":
                step = self._equated(atom.args[0].args, indices)
                if step is not None:
                    rest = monomial - {(atom, Fraction(1))}
                    out = self._collapse(c, indices, atom, rest, *step)
                    if out is not None:
                        return out
        indices, monomial = self._cancelled(indices, monomial)
        tied = [i for i in indices if any(i in atom.names for atom, _ in monomial)]
        out = {UNIT: c}
        for index in indices:
            if index not in tied:
                self.facts.law("a constant summed n times")
                out = self.times(out, self.polynomial(index.kind.size))
        constant = {(a, e) for a, e in monomial if not any(i in a.names for i in tied)}
        out = self.times(out, {frozenset(constant): Fraction(1)})
        for group, factors in _components(tied, monomial - constant):
            out = self.times(
                out, {frozenset([(self.total(group, factors), Fraction(1))]): Fraction(1)}
            )
        return out

    def _cancelled(
        self, indices: tuple[Term, ...], monomial: Monomial
    ) -> tuple[tuple[Term, ...], Monomial]:
        """``Σ_k f(k) / Σ_k f(k) = 1``, the denominator being shown to be non-zero."""
        for index in indices:
            below = {a for a, e in monomial if e < 0 and a.op == "sum"}
            own = frozenset((a, e) for a, e in monomial if index in a.names)
            if not below or not own:
                continue
            later = fresh(index.kind)  # as if its sum were opened last, like those inside atoms
            moved = [substitute(_factor(a, e), {index: later}) for a, e in own]
            body = self.term(self._collect(self._times(map(self.products, moved))))
            total = Term("sum", (close(body, later),), index.kind)
            if total in below:
                _, rest = self.join(monomial - own, frozenset([(total, Fraction(1))]))
                return self._cancelled(tuple(i for i in indices if i != index), rest)
        return indices, monomial

    def _equated(
        self, sides: tuple[Term, Term], indices: tuple[Term, ...]
    ) -> tuple[Term, Term] | None:
        """Which variable an equation of indices decides, and by what: a summed one if it can."""
        pairs = [
            (v, w) for v, w in (sides, sides[::-1]) if v.op in ("ix", "fv") and v not in w.names
        ]
        summed = [(v, w) for v, w in pairs if v in indices]
        if summed:
            return summed[0]
        return max(pairs, key=lambda pair: key(pair[0])) if pairs else None

    def _collapse(
        self,
        c: Fraction,
        indices: tuple[Term, ...],
        atom: Term,
        rest: Monomial,
        variable: Term,
        by: Term,
    ) -> Polynomial | None:
        """``Σ_v [v = w] f(v) = f(w)``; for a free v, ``[v = w] f(v) = [v = w] f(w)``."""
        touched = any(variable in a.names for a, _ in rest)
        if variable not in indices and not touched:
            return None
        self.facts.law("Σ_k [k = j] f(k) = f(j)")
        left = tuple(i for i in indices if i != variable)
        factors = [substitute(_factor(a, e), {variable: by}) for a, e in rest]
        if variable not in indices:
            factors.append(atom)
        out: Polynomial = {}
        for k, more, m in self._times(map(self.products, factors)):
            _add_into(out, self.settle(c * k, (*left, *more), m))
        return out

    def total(self, indices: list[Term], monomial: Monomial) -> Term:
        """``Σ indices monomial`` as an atom, the indices in the order that gives the least term."""
        if len(indices) > MOST_TIED:
            raise RuleError(
                f"{len(indices)} summation indices tied together", f"{MOST_TIED} at most"
            )
        return min((self._nested(order, monomial) for order in _orders(indices)), key=key)

    def _nested(self, order: tuple[Term, ...], monomial: Monomial) -> Term:
        if len(order) == 1:
            body = self.term({monomial: Fraction(1)})
            return Term("sum", (close(body, order[0]),), order[0].kind)
        labels = {index: fresh(index.kind) for index in order}
        factors = [substitute(_factor(a, e), labels) for a, e in monomial]
        body = self.term(self._collect(self._times(map(self.products, factors))))
        for index in reversed(order):
            body = Term("sum", (close(body, labels[index]),), index.kind)
        return body

    def _collect(self, products: list[Product]) -> Polynomial:
        """The products of factors that were settled before; a sum among them is closed again."""
        out: Polynomial = {}
        for c, indices, monomial in products:
            _add_into(out, self.settle(c, indices, monomial) if indices else {monomial: c})
        return out

    # ---------------------------------------------------------------- back to terms

    def times(self, p: Polynomial, q: Polynomial) -> Polynomial:
        out: Polynomial = {}
        for m, c in p.items():
            for n, k in q.items():
                extra, monomial = self.join(m, n)
                _add_into(out, {monomial: c * k * extra})
        return out

    def atom(self, term: Term) -> Term:
        """An opaque node with canonical children (congruence)."""
        if not term.args:
            return Term(term.op, (), term.data)
        if term.op in BINDERS:
            variable = fresh(term.data)
            body = self.canonical(open_(term.args[0], variable))
            return Term(term.op, (close(body, variable),), term.data)
        args = map(self.canonical, term.args)
        if term.op == "eq":
            args = sorted(args, key=key)
        return Term(term.op, args, term.data)

    def canonical(self, term: Term) -> Term:
        return self.term(self.polynomial(term)) if term.kind == REAL else self.atom(term)

    def term(self, polynomial: Polynomial) -> Term:
        """The canonical term of a polynomial."""
        terms = []
        for monomial in sorted(polynomial, key=_monomial_key):
            c = polynomial[monomial]
            factors = [number(c)] if c != 1 or not monomial else []
            ordered = sorted(monomial, key=lambda factor: (key(factor[0]), factor[1]))
            factors += [_factor(atom, exponent) for atom, exponent in ordered]
            terms.append(factors[0] if len(factors) == 1 else Term("mul", factors))
        if not terms:
            return ZERO
        return terms[0] if len(terms) == 1 else Term("add", terms)

    def vanishes(self, polynomial: Polynomial) -> bool:
        """Is it zero, once denominators (shown to be non-zero) are cleared?"""
        for _ in range(20):
            sums = {
                (key(a), a) for m in polynomial for a, e in m if a.op == "add" and not 0 < e < 1
            }
            if not polynomial or not sums:
                return not polynomial
            polynomial = self._cleared(polynomial, min(sums, key=lambda d: d[0])[1])
        return False

    def _cleared(self, polynomial: Polynomial, atom: Term) -> Polynomial:
        """Times the least power of the atom that leaves no denominator, and multiplied out."""
        exponents = [dict(m).get(atom, Fraction(0)) for m in polynomial]
        shift = max(0, -(min(exponents) // 1))
        expanded, out = self.polynomial(atom), {}
        for (m, c), e in zip(polynomial.items(), exponents, strict=True):
            whole, root = divmod(e + shift, 1)
            rest = {f for f in m if f[0] != atom} | ({(atom, root)} if root else set())
            part: Polynomial = {frozenset(rest): c}
            for _ in range(int(whole)):
                part = self.times(part, expanded)
            _add_into(out, part)
        return out


# ------------------------------------------------------------------ plain helpers


def _add_into(out: Polynomial, p: Polynomial, sign: int = 1) -> None:
    for monomial, c in p.items():
        value = out.pop(monomial, 0) + sign * c
        if value:
            out[monomial] = value


def _bare(polynomial: Polynomial) -> list[Product]:
    return [(c, (), m) for m, c in polynomial.items()]


def _content(polynomial: Polynomial) -> dict[Term, Fraction]:
    """The greatest monomial that divides every monomial of the polynomial."""
    atoms = {atom for monomial in polynomial for atom, _ in monomial}
    least = {a: min(dict(m).get(a, Fraction(0)) for m in polynomial) for a in atoms}
    return {atom: e for atom, e in sorted(least.items(), key=lambda item: key(item[0])) if e}


def _divided(monomial: Monomial, by: dict[Term, Fraction]) -> Monomial:
    exponents = dict(monomial)
    for atom, e in by.items():
        exponents[atom] = exponents.get(atom, Fraction(0)) - e
    return frozenset((atom, e) for atom, e in exponents.items() if e)


def _factor(atom: Term, exponent: Fraction) -> Term:
    return atom if exponent == 1 else power(atom, exponent)


def _monomial_key(monomial: Monomial) -> tuple:
    return tuple(sorted((key(atom), exponent) for atom, exponent in monomial))


def _orders(indices: list[Term]) -> Iterator[tuple[Term, ...]]:
    """All orders of the indices that keep the ranges sorted by name."""
    by_range: dict[Range, list[Term]] = {}
    for index in sorted(indices, key=lambda i: i.kind.name):
        by_range.setdefault(index.kind, []).append(index)
    for orders in itertools.product(*(itertools.permutations(g) for g in by_range.values())):
        yield tuple(itertools.chain(*orders))


def _components(
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


def _number_power(c: Fraction, exponent: Fraction) -> tuple[Fraction, dict[Term, Fraction]]:
    """``c ** exponent`` as a rational times roots of primes."""
    if exponent.denominator == 1:
        return c ** int(exponent), {}
    scale, roots = Fraction(1), {}
    for value, sign in ((c.numerator, 1), (c.denominator, -1)):
        for prime, count in _primes(value):
            e = sign * count * exponent
            scale *= Fraction(prime) ** (e // 1)
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
