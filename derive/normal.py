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

from fractions import Fraction

from derive.binding import close, fresh, open_, substitute
from derive.facts import ONE, Facts, RuleError
from derive.kinds import BINDERS
from derive.polynomials import (
    UNIT,
    Monomial,
    Polynomial,
    Product,
    add_into,
    bare,
    components,
    content_of,
    divided,
    factor_term,
    join,
    monomial_key,
    multiplied,
    number_power,
    orders,
    raised_number,
    times,
    to_term,
)
from derive.signature import REAL
from derive.syntax import absolute, exp, power
from derive.terms import Term, key

MOST_TIED = 5  # summation indices of one product that are permuted for a canonical order
MOST_POWER = 8  # powers of sums that are multiplied out
MOST_READ = 50_000  # nodes read for one normal form


def equal(left: Term, right: Term, facts: Facts) -> bool:
    """Do the normal forms agree? Consumed assumptions and laws are recorded in the facts."""
    if left == right:
        return True
    normal = _Normal(facts)
    if left.kind != REAL:
        return normal.atom(left) == normal.atom(right)
    difference = normal.polynomial(left)
    add_into(difference, normal.polynomial(right), -1)
    return normal.vanishes(difference)


def normal_form(term: Term, facts: Facts) -> Term:
    """The canonical term equal to this one."""
    normal = _Normal(facts)
    return to_term(normal.polynomial(term)) if term.kind == REAL else normal.atom(term)


class _Normal:
    def __init__(self, facts: Facts) -> None:
        self.facts, self.left = facts, MOST_READ

    def polynomial(self, term: Term) -> Polynomial:
        out: Polynomial = {}
        for product in self.products(term):
            add_into(out, self.settle(*product))
        return out

    # ---------------------------------------------------------------- multiplying out

    def products(self, term: Term) -> list[Product]:
        """The term as a sum of products of atoms under summation signs."""
        self.left -= 1
        if self.left < 0:
            raise RuleError(
                "a normal form without end", f"{MOST_READ} nodes at most", "smaller steps"
            )
        op, args = term.op, term.args
        if op == "add":
            return [product for arg in args for product in self.products(arg)]
        if op == "neg":
            return [(-c, indices, m) for c, indices, m in self.products(args[0])]
        if op == "mul":
            return multiplied(self.products(arg) for arg in args)
        if op == "div":
            return multiplied((self.products(args[0]), self.reciprocal(args[1])))
        if op == "pow" and term.data[1] == 1 and 0 <= term.data[0] <= MOST_POWER:
            return multiplied(self.products(args[0]) for _ in range(term.data[0]))
        if op == "sum":
            index = fresh(term.data)
            inner = self.products(open_(args[0], index))
            self.facts.law("finite sums are linear")
            return [(c, (index, *indices), m) for c, indices, m in inner]
        if op == "iv":
            return self.iverson(args[0])
        return bare(self.power(term))

    def reciprocal(self, term: Term) -> list[Product]:
        """``1/term``, factor by factor: with total division this needs no side condition."""
        op, args = term.op, term.args
        if op == "mul":
            return multiplied(map(self.reciprocal, args))
        if op == "neg":
            return [(-c, indices, m) for c, indices, m in self.reciprocal(args[0])]
        if op == "div":
            return multiplied((self.products(args[1]), self.reciprocal(args[0])))
        if op == "pow" and term.data[1] == 1 and 0 < term.data[0] <= MOST_POWER:
            return multiplied(self.reciprocal(args[0]) for _ in range(term.data[0]))
        return bare(self.raised(term, Fraction(-1)))

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
        out = UNIT  # joined, for two monomials may be the same term: √(a²) and (a²)^(1/2)
        for m, c in exponent.items():
            _, out = join(out, frozenset([(exp(to_term({m: Fraction(1)})), c)]))
        return {out: Fraction(1)}

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
        scale, factors = number_power(coefficient, exponent)
        for atom, e in monomial:
            extra, one = join(frozenset(factors.items()), self._atom_power(atom, e * exponent))
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
            _, out = join(out, frozenset([(atom, e)]))
        return out

    def absolute(self, argument: Term) -> Polynomial:
        """``|xy| = |x| |y|``, ``|x/y| = |x| / |y|``, and ``|x| = x`` where x is not negative."""
        if self.facts.sign(argument, strict=False):
            return self.polynomial(argument)
        if argument.op == "mul":
            out: Polynomial = {UNIT: Fraction(1)}
            for factor in argument.args:
                out = times(out, self.absolute(factor))
            return out
        inner = self.polynomial(argument)
        if not inner:
            return {}
        content = content_of(inner)
        rest = {divided(m, content): c for m, c in inner.items()}
        lead = rest[min(rest, key=monomial_key)]
        parts = list(content.items())
        if len(rest) > 1:
            parts.append((to_term({m: c / lead for m, c in rest.items()}), Fraction(1)))
        out = {UNIT: abs(lead)}
        for atom, e in parts:
            size = atom if self.facts.sign(atom, strict=False) else absolute(atom)
            out = times(out, {frozenset([(size, e)]): Fraction(1)})
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
            whole = to_term(polynomial)
            if not (facts.sign(base, strict=False) or facts.sign(whole, strict=False)):
                return {frozenset([(power(whole, exponent), Fraction(1))]): Fraction(1)}
            if exponent < 0 and not (facts.is_nonzero(base) or facts.is_nonzero(whole)):
                return {frozenset([(ONE / whole, -exponent)]): Fraction(1)}
            return {frozenset([(whole, exponent)]): Fraction(1)}
        content = content_of(polynomial)
        rest = {divided(m, content): c for m, c in polynomial.items()}
        lead = rest[min(rest, key=monomial_key)]
        atom = to_term({m: c / lead for m, c in rest.items()})
        known = facts.is_nonzero(base) or facts.is_nonzero(atom)
        sum_power = (atom, exponent) if exponent > 0 or known else (ONE / atom, -exponent)
        out: Polynomial = {frozenset([sum_power]): raised_number(lead, int(exponent))}
        for common, e in content.items():
            factor = self._atom_power(common, e * exponent)
            out = times(out, {factor: Fraction(1)})
        return out

    def iverson(self, p: Term) -> list[Product]:
        """``[p]`` with connectives resolved and plain cases decided."""
        one: list[Product] = [(Fraction(1), (), UNIT)]
        nothing: list[Product] = []
        if p.op == "not":
            return one + [(-c, indices, m) for c, indices, m in self.iverson(p.args[0])]
        if p.op == "and":
            return multiplied(map(self.iverson, p.args))
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
                out = times(out, self.polynomial(index.kind.size))
        constant = {(a, e) for a, e in monomial if not any(i in a.names for i in tied)}
        out = times(out, {frozenset(constant): Fraction(1)})
        for group, factors in components(tied, monomial - constant):
            out = times(out, {frozenset([(self.total(group, factors), Fraction(1))]): Fraction(1)})
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
            moved = [substitute(factor_term(a, e), {index: later}) for a, e in own]
            body = to_term(self._collect(multiplied(map(self.products, moved))))
            total = Term("sum", (close(body, later),), index.kind)
            if total in below:
                _, rest = join(monomial - own, frozenset([(total, Fraction(1))]))
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
        factors = [substitute(factor_term(a, e), {variable: by}) for a, e in rest]
        if variable not in indices:
            factors.append(atom)
        out: Polynomial = {}
        for k, more, m in multiplied(map(self.products, factors)):
            add_into(out, self.settle(c * k, (*left, *more), m))
        return out

    def total(self, indices: list[Term], monomial: Monomial) -> Term:
        """``Σ indices monomial`` as an atom, the indices in the order that gives the least term."""
        if len(indices) > MOST_TIED:
            raise RuleError(
                f"{len(indices)} summation indices tied together", f"{MOST_TIED} at most"
            )
        return min((self._nested(order, monomial) for order in orders(indices)), key=key)

    def _nested(self, order: tuple[Term, ...], monomial: Monomial) -> Term:
        if len(order) == 1:
            body = to_term({monomial: Fraction(1)})
            return Term("sum", (close(body, order[0]),), order[0].kind)
        labels = {index: fresh(index.kind) for index in order}
        factors = [substitute(factor_term(a, e), labels) for a, e in monomial]
        body = to_term(self._collect(multiplied(map(self.products, factors))))
        for index in reversed(order):
            body = Term("sum", (close(body, labels[index]),), index.kind)
        return body

    def _collect(self, products: list[Product]) -> Polynomial:
        """The products of factors that were settled before; a sum among them is closed again."""
        out: Polynomial = {}
        for c, indices, monomial in products:
            add_into(out, self.settle(c, indices, monomial) if indices else {monomial: c})
        return out

    # ---------------------------------------------------------------- atoms and equality

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
        return to_term(self.polynomial(term)) if term.kind == REAL else self.atom(term)

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
                part = times(part, expanded)
            add_into(out, part)
        return out
