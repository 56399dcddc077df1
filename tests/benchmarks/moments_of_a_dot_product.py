"""E[(q·k)²] and E[(q·k)⁴]: what a peer can state too. `qkv prove` this file shows the proofs."""

from derive import *

(d,) = ranges("d")
a, b, c, e = places = indices("a b c e", d)
q, k = Array("q", (d,), random=True), Array("k", (d,), random=True)
apart = independent(q, k)
dot = Sum(a, q[a] * k[a])
pairings = delta(a, b) * delta(c, e) + delta(a, c) * delta(b, e) + delta(a, e) * delta(b, c)


def white(x: Array) -> Term:
    """Entries are uncorrelated, with second moment 1."""
    return forall((a, b), eq(E(x[a] * x[b]), delta(a, b)))


def normal(x: Array) -> Term:
    """Fourth moments as of independent standard normal entries."""
    return forall(places, eq(E(x[a] * x[b] * x[c] * x[e]), pairings))


second = (apart, white(q), white(k))


@theorem("second moment of q·k", states=eq(E(dot**2), d.size), assuming=second)
def second_moment() -> Proof:
    """E[(q·k)²] = d."""
    return (
        calc(E(dot**2), given=second)
        .eq(Sum((a, b), E(q[a] * q[b] * k[a] * k[b])), by=linearity)
        .eq(d.size, by=(independence, *second[1:]))
        .qed()
    )


fourth = (apart, normal(q), normal(k), moments(q, 4), moments(k, 4))
value = 3 * d.size**2 + 6 * d.size


@theorem("fourth moment of q·k", states=eq(E(dot**4), value), assuming=fourth)
def fourth_moment() -> Proof:
    """E[(q·k)⁴] = 3d² + 6d, so the kurtosis of q·k is 3 + 6/d."""
    products = q[a] * q[b] * q[c] * q[e], k[a] * k[b] * k[c] * k[e]
    return (
        calc(E(dot**4), given=fourth)
        .eq(E(dot**2 * dot**2))
        .eq(Sum(places, E(products[0] * products[1])), by=linearity)
        .eq(Sum(places, E(products[0]) * E(products[1])), by=independence)
        .eq(Sum(places, pairings * pairings), by=fourth[1:3])
        .eq(value)
        .qed()
    )
