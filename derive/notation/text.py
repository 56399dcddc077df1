"""Terms as plain text, on one line."""

from __future__ import annotations

from fractions import Fraction
from types import MappingProxyType

from derive.notation.fold import Fold, Target, digits
from derive.notation.names import Names
from derive.terms import Term

_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_SIGNS = " +−·⊙⊕×∘∥=≤<≠∈:¬∧⇒∀→↦ℝ⫫ᵀ*"


class Text(Target):
    """One line of Unicode: ``Σ_{j=1}^n softmax(s)[j]``."""

    flat = True
    marks = MappingProxyType(
        dict(zip(_SIGNS, _SIGNS, strict=True))
        | {"thin": " ", "-": "−", "E": "E", "oo": "∞", "0": "0", "2": "²", "3": "³", "-1": "⁻¹"}
    )

    def name(self, spelling: str) -> tuple[str, str]:
        return spelling, ""

    def word(self, word: str) -> str:
        return word

    def fence(self, opening: str, body: str, closing: str) -> str:
        return f"{opening}{body}{closing}"

    def script(self, base: str, sub: str, sup: str) -> str:
        return base + sup

    def fraction(self, above: str, below: str) -> str:
        return f"{above} / {below}"

    def ratio(self, above: str, below: str) -> str:
        return f"{above}/{below}"

    def exponent(self, value: Fraction) -> str:
        return digits(value).translate(_RAISED) if value.denominator == 1 else f"^({digits(value)})"

    def root(self, body: str) -> str:
        return f"√{body}"

    def big(self, sign: str, below: str, above: str) -> str:
        return f"{sign}_{{{below}}}" + (f"^{above}" if above else "")

    def partial(self, variable: str) -> str:
        return f"∂/∂{variable}"

    def evaluated(self, body: str, where: str) -> str:
        return f"({body})|_{{{where}}}"


TEXT = Text()


def text(term: Term, *, names: Names | None = None, variance: bool = False) -> str:
    """The term as one line of text.

    Parameters
    ----------
    term
        What is drawn.
    names
        The spellings to use where several terms are shown together; by default the term's own.
    variance
        Whether ``E[z²] − E[z]²`` is drawn as ``Var(z)``.

    Examples
    --------
    >>> from derive.syntax import Sum, indices, ranges, exp
    >>> from derive.signature import Array
    >>> n, = ranges("n")
    >>> i, j = indices("i j", n)
    >>> s = Array("s", (n,))
    >>> text(exp(s[i]) / Sum(j, exp(s[j])))
    'exp(s[i]) / (Σ_{j=1}^n exp(s[j]))'
    """
    fold = Fold(TEXT, variance)
    return fold.whole(term, names)
