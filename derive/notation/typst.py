"""Terms as Typst formulas in which every node keeps its identity.

In the source, node number k is written ``tag(#k, …)``. Whoever compiles it defines ``tag``: as
nothing (`PLAIN`), or as a colour that each glyph then carries. The layout is the same either way.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType

from derive.notation.fold import Fold, Path, Target, digits
from derive.notation.names import Names, parted
from derive.terms import Term

PLAIN = "#let tag(i, body) = body\n"
_SIGNS = " +−⊙⊕×∘∥=≤<≠∈:¬∧⇒∀→↦ℝ⫫*"


@dataclass(frozen=True)
class Typeset:
    """A formula's source, and for each tag, from 1 on, the path of the node that it marks.

    A path is the child positions from the root down. A node that writes several things, as a sum
    writes its sign, its index and its range, may bear several tags.
    """

    source: str
    paths: tuple[Path, ...]


class Typst(Target):
    """What stands between ``$`` and ``$``."""

    marks = MappingProxyType(
        dict(zip(_SIGNS, _SIGNS, strict=True))
        | {
            "thin": " thin ",
            "-": "−",
            "·": "dot.op",
            "E": "bb(E)",
            "e": "upright(e)",
            "oo": "∞",
            "0": "0",
            "ᵀ": "⊤",
        }
    )

    def name(self, spelling: str) -> tuple[str, str]:
        head, tail = parted(spelling.rstrip("′"))
        primes = "'" * spelling.count("′")
        return _letters(head) + primes, _letters(tail)

    def word(self, word: str) -> str:
        quoted = json.dumps(word, ensure_ascii=False)
        return f"op({quoted}) #h(0pt) "  # or a gap would open where its arguments bear scripts

    def fence(self, opening: str, body: str, closing: str) -> str:
        fenced = f"{opening}{body}{closing}"  # ( ) and [ ] grow with what they enclose
        return fenced if opening in "([" else f"lr({fenced})"

    def script(self, base: str, sub: str, sup: str) -> str:
        return base + (f"_({sub})" if sub else "") + (f"^({sup})" if sup else "")

    def fraction(self, above: str, below: str) -> str:
        return f"frac({above}, {below})"

    def exponent(self, value: Fraction) -> str:
        return digits(value).replace("/", "\\/").replace("-", "−")

    def root(self, body: str) -> str:
        return f"sqrt({body})"

    def big(self, sign: str, below: str, above: str) -> str:
        sign = "sum" if sign == "Σ" else sign
        return self.script(sign, below, above)

    def partial(self, variable: str) -> str:
        return f"frac(∂, ∂ {variable})"

    def evaluated(self, body: str, where: str) -> str:
        return f"lr({body} |)_({where})"

    def tag(self, number: int, body: str) -> str:
        return f"tag(#{number}, {body})"


def _letters(word: str) -> str:
    return word if len(word) <= 1 else json.dumps(word, ensure_ascii=False)


TYPST = Typst()


def typst(term: Term, *, names: Names | None = None, variance: bool = False) -> Typeset:
    """The term as a Typst formula whose every node is tagged.

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
    >>> from derive.syntax import Symbol
    >>> x = Symbol("x")
    >>> typst(x / 2)
    Typeset(source='tag(#1, frac(tag(#2, x), tag(#3, 2)))', paths=((), (0,), (1,)))
    """
    fold = Fold(TYPST, variance)
    source = fold.whole(term, names)
    return Typeset(source, tuple(fold.paths))
