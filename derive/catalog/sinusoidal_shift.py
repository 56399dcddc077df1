"""Moving on by s positions is the same rotation everywhere."""

from derive.chain import Proof, angles, both, calc
from derive.derivation import theorem
from derive.signature import Array
from derive.syntax import Index, Symbol, conjoin, cos, eq, ranges, sin
from derive.terms import Term, number

(pairs,) = ranges("pairs")
p, omega = Index("p", pairs), Array("ω", (pairs,))
position, shift = Symbol("x"), Symbol("s")


def encoding(at: Term) -> tuple[Term, Term]:
    """The pair (sin, cos) of one frequency."""
    return sin(at * omega[p]), cos(at * omega[p])


turn_sin, turn_cos = encoding(shift)
(sin_here, cos_here), (sin_there, cos_there) = encoding(position), encoding(position + shift)
turned_sin = cos_here * turn_sin + sin_here * turn_cos
turned_cos = cos_here * turn_cos - sin_here * turn_sin


@theorem(
    "sinusoidal-shift",
    title={"zh": "平移就是旋转", "en": "A shift is a rotation"},
    states=conjoin(
        conjoin(eq(sin_there, turned_sin), eq(cos_there, turned_cos)),
        eq(turn_cos**2 + turn_sin**2, 1),
    ),
    source="S15",
)
def proof() -> Proof:
    """PE(x + s) is a rotation of PE(x) whose angles sω depend on s alone.

    Pair by pair: (sin, cos) at x + s is the rotation by sω of (sin, cos) at x; and it is a
    rotation, since cos² + sin² = 1. Any frequencies ω. No assumption.
    """
    here, moved = position * omega[p], shift * omega[p]
    nothing = moved + -moved
    return both(
        both(
            calc(sin_there).eq(sin(here + moved)).eq(turned_sin, by=angles).qed(),
            calc(cos_there).eq(cos(here + moved)).eq(turned_cos, by=angles).qed(),
        ),
        calc(turn_cos**2 + turn_sin**2)
        .eq(cos(nothing), by=angles)
        .eq(cos(number(0)))
        .eq(1, by=angles)
        .qed(),
    )
