"""Derivatives of smooth expressions. *Trusted file.*

The derivative binds its variable. A law applies only where the whole body is smooth at every
point, shown from its shape; a derivative that does not exist counts as 0, and no law meets one.
"""

from __future__ import annotations

from derive.binding import rebind, rebuild, substitute, unbind, unfold
from derive.facts import Facts, RuleError
from derive.syntax import cos, power, sin
from derive.terms import Term, number


def derivative(term: Term, facts: Facts) -> Term:
    """One step of differentiation: sums, products, quotients, powers, e^f, log, cos, sin."""
    if term.op != "D":
        raise RuleError(term, "a derivative")
    function, point = term.args
    x, body = unbind(function)
    _smooth(body, x, facts)

    def d(f: Term) -> Term:
        return Term("D", (rebind(function, x, f), point))

    def at(f: Term) -> Term:
        return substitute(f, {x: point})

    facts.law("differentiation")
    op, args = body.op, body.args
    if x not in body.names:
        return number(0)
    if body == x:
        return number(1)
    if op in ("add", "neg"):
        return rebuild(body, map(d, args))
    if op == "sum":
        index, inner = unbind(body)
        return rebind(body, index, d(inner))
    if op == "mul":
        terms = [
            Term("mul", (d(f) if m == n else at(f) for m, f in enumerate(args)))
            for n in range(len(args))
            if x in args[n].names
        ]
        return terms[0] if len(terms) == 1 else Term("add", terms)
    if op == "div":
        f, g = args
        if x not in g.names:
            return d(f) / g
        return (d(f) * at(g) - at(f) * d(g)) / at(g) ** 2
    if op == "pow":
        return number(body.value) * power(at(args[0]), body.value - 1) * d(args[0])
    if op == "def":
        return d(unfold(body))
    return _outer(body.data, at(args[0])) * d(args[0])


def _outer(name: str, inner: Term) -> Term:
    """The derivative of a function at a point."""
    match name:
        case "exp":
            return Term("fn", (inner,), "exp")
        case "log":
            return number(1) / inner
        case "cos":
            return -sin(inner)
        case "sin":
            return cos(inner)
    raise RuleError(f"the derivative of {name}", "exp, log, cos or sin")


def _smooth(f: Term, x: Term, facts: Facts) -> None:
    """The expression is smooth in x at every point, or refuse."""
    if x not in f.names or f == x:
        return
    op, args = f.op, f.args
    if op == "sum":
        with facts.inside(f) as (_, body):
            _smooth(body, x, facts)
        return
    if op == "def":
        _smooth(unfold(f), x, facts)
        return
    if op == "div":
        if x in args[1].names:
            facts.nonzero(args[1])
    elif (op == "pow" and not (f.data[1] == 1 and f.data[0] >= 0)) or (
        op == "fn" and f.data == "log"
    ):
        facts.positive(args[0])
    elif not (op in ("add", "neg", "mul", "pow") or (op == "fn" and f.data != "abs")):
        raise RuleError(f"the derivative of {f!r}", "an expression of smooth parts")
    for arg in args:
        _smooth(arg, x, facts)


LAWS = {"derivative": derivative}
