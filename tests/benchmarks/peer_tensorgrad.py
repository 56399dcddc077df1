"""What tensorgrad derives of the same statements. Run by the Python of its own environment.

It is a peer and no part of this project: nothing of it is copied. Prints one JSON document:
for each statement whether the result is the expected one, and the median of its processor time.
"""

import json
import statistics
import sys
import time

import tensorgrad.functions as F  # noqa: N812
from sympy import symbols
from tensorgrad import Delta, Derivative, Expectation, Ones, Variable

n, d = symbols("n d")


def moment(power):
    """E[(q·k)^power] for standard normal q and k, in the order of steps that gets furthest."""
    q, k = Variable("q", i=d), Variable("k", i=d)
    dot = F.dot(q, k, ("i", "i"))
    product = dot
    for _ in range(power - 1):
        product = product * dot
    inner = Expectation(product, q).full_simplify(expand=False)
    return Expectation(inner, k).full_simplify()


def jacobian():
    x = Variable("x", i=n)
    return Derivative(F.softmax(x, "i"), x, {"i": "j"})


def is_jacobian(derived):
    p = F.softmax(Variable("x", i=n), "i")
    expected = p * Delta(n, "i", "j") - p * p.rename(i="j")
    return derived == expected.full_simplify()


def shifted():
    x, b = Variable("x", i=n), Variable("b")
    return F.softmax(x + b * Ones(i=n), "i").full_simplify()


def arrays():
    return Variable("Q", i=n, t=d), Variable("K", j=n, t=d), Variable("V", j=n, c=d)


def linear_in_values():
    Q, K, V = arrays()
    U = Variable("U", j=n, c=d)
    weights = F.softmax(F.dot(Q, K, ("t", "t")), "j")
    left = F.dot(weights, V + U, ("j", "j"))
    right = F.dot(weights, V, ("j", "j")) + F.dot(weights, U, ("j", "j"))
    return left.full_simplify() == right.full_simplify()


def regrouping():
    Q, K, V = arrays()
    left = F.dot(F.dot(Q, K, ("t", "t")), V, ("j", "j"))
    right = F.dot(Q, F.dot(K, V, ("j", "j")), ("t", "t"))
    return left.full_simplify() == right.full_simplify()


STATEMENTS = {  # what is derived, and whether that is it; only the first is timed
    "second moment of q·k": (lambda: moment(2), lambda x: x == Delta(d)),
    "fourth moment of q·k": (
        lambda: moment(4),
        lambda x: x == (3 * F.pow(Delta(d), 2) + 6 * Delta(d)).full_simplify(),
    ),
    "softmax-jacobian": (lambda: jacobian().full_simplify(), is_jacobian),
    "softmax-jacobian-rows-sum-to-zero": (
        lambda: [F.sum(jacobian(), [edge]).full_simplify() for edge in "ji"],
        lambda sums: all(type(x).__name__ == "Zero" for x in sums),
    ),
    "softmax-rows-sum-to-one": (
        lambda: F.sum(F.softmax(Variable("x", i=n), "i"), ["i"]).full_simplify(),
        lambda x: str(x) == "Product([])",  # the empty product
    ),
    "softmax-shift-invariance": (
        shifted,
        lambda x: x == F.softmax(Variable("x", i=n), "i").full_simplify(),
    ),
    "linear-in-values": (linear_in_values, bool),
    "regrouping": (regrouping, bool),
}


def timed(derive, holds, runs):
    seconds, right = [], True
    for _ in range(runs):
        start = time.process_time()
        derived = derive()
        seconds.append(time.process_time() - start)
        right = bool(holds(derived)) and right
    return {"holds": right, "median": statistics.median(seconds)}


if __name__ == "__main__":
    runs = int(sys.argv[1])
    json.dump({name: timed(*both, runs) for name, both in STATEMENTS.items()}, sys.stdout)
