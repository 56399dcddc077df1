"""Laws of log, cos and sin. *Trusted file.*"""

from __future__ import annotations

from derive.binding import rebuild
from derive.facts import Facts, RuleError
from derive.syntax import cos, log, sin
from derive.terms import Term, number


def logarithm(term: Term, facts: Facts) -> Term:
    """``log e^x = x``; ``log`` of a product, quotient or power of positive terms."""
    if term.op != "fn" or term.data != "log":
        raise RuleError(term, "a logarithm")
    inner = term.args[0]
    if inner.op == "fn" and inner.data == "exp":
        facts.law("log e^x = x")
        return inner.args[0]
    if inner.op not in ("mul", "div", "pow"):
        raise RuleError(term, "the logarithm of a product, a quotient or a power")
    for factor in inner.args:
        facts.positive(factor)
    facts.law("log xy = log x + log y")
    if inner.op == "pow":
        return Term("num", (), inner.data) * log(inner.args[0])
    if inner.op == "div":
        return log(inner.args[0]) - log(inner.args[1])
    return Term("add", map(log, inner.args))


def angle_addition(term: Term, facts: Facts) -> Term:
    """``cos(a+b)``, ``sin(a+b)``, ``cos(-a)``, ``sin(-a)``."""
    if term.op != "fn" or term.data not in ("cos", "sin"):
        raise RuleError(term, "a cosine or a sine")
    angle = term.args[0]
    if angle == number(0):
        facts.law("cos 0 = 1, sin 0 = 0")
        return number(1) if term.data == "cos" else number(0)
    if angle.op == "neg":
        facts.law("cos is even, sin is odd")
        return cos(angle.args[0]) if term.data == "cos" else -sin(angle.args[0])
    if angle.op != "add" or len(angle.args) < 2:
        raise RuleError(term, "the cosine or sine of a sum")
    facts.law("angle addition")
    a = angle.args[0]
    b = angle.args[1] if len(angle.args) == 2 else rebuild(angle, angle.args[1:])
    if term.data == "cos":
        return cos(a) * cos(b) - sin(a) * sin(b)
    return sin(a) * cos(b) + cos(a) * sin(b)


LAWS = {"logarithm": logarithm, "angle addition": angle_addition}
