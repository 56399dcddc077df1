"""Terms as LaTeX that needs amsmath and nothing else; KaTeX and MathJax read it as well."""

from __future__ import annotations

from fractions import Fraction
from types import MappingProxyType

from derive.notation.fold import Fold, Target, digits
from derive.notation.names import GREEK, Names, parted
from derive.terms import Term

_COMMANDS = {letter: rf"\{name}" for name, letter in GREEK.items()} | {"⊎": r"\uplus", "∪": r"\cup"}
_ESCAPED = {letter: rf"\{letter}" for letter in "_#$%&{}"} | {
    "\\": r"\backslash ", "^": r"\text{\textasciicircum}", "~": r"\text{\textasciitilde}"
}  # fmt: skip
_FENCES = {"‖": (r"\lVert ", r"\rVert "), "|": (r"\lvert ", r"\rvert ")}
_FENCES |= {"⟨": (r"\langle ", r"\rangle ")}
_TALL = (r"\frac", r"\sum", r"\lim")


class Latex(Target):
    r"""What stands between ``\(`` and ``\)``."""

    marks = MappingProxyType({
        " ": " ", "thin": r"\,", "+": "+", "−": "-", "-": "-", "=": "=", "<": "<", ":": r"\colon", "*": "*",
        "·": r"\cdot", "⊙": r"\odot", "⊕": r"\oplus", "×": r"\times", "∘": r"\circ",
        "∥": r"\parallel", "≤": r"\le", "≠": r"\ne", "∈": r"\in", "¬": r"\neg ", "∧": r"\land",
        "⇒": r"\Rightarrow", "∀": r"\forall ", "→": r"\to ", "↦": r"\mapsto",
        "ℝ": r"\mathbf{R}", "⫫": r"\perp\!\!\!\perp", "E": r"\operatorname{E}",
        "e": r"\mathrm{e}", "oo": r"\infty", "0": "0", "ᵀ": r"\top",
    })  # fmt: skip

    def name(self, spelling: str) -> tuple[str, str]:
        head, tail = parted(spelling.rstrip("′"))
        primes = "'" * spelling.count("′")
        base = self.word(head) if len(head) > 1 else _letters(head)  # spaced from its neighbours
        return base + primes, _letters(tail)

    def word(self, word: str) -> str:
        return rf"\operatorname{{{_escaped(word)}}}"

    def fence(self, opening: str, body: str, closing: str) -> str:
        left, right = _FENCES.get(opening, (opening, closing))
        if any(command in body for command in _TALL):
            return rf"\left{left}{body}\right{right}"
        return f"{left}{body}{right}"

    def script(self, base: str, sub: str, sup: str) -> str:
        base = f"{{{base}}}" if "'" in base else base
        return base + (f"_{{{sub}}}" if sub else "") + (f"^{{{sup}}}" if sup else "")

    def fraction(self, above: str, below: str) -> str:
        return rf"\frac{{{above}}}{{{below}}}"

    def exponent(self, value: Fraction) -> str:
        return digits(value)

    def root(self, body: str) -> str:
        return rf"\sqrt{{{body}}}"

    def big(self, sign: str, below: str, above: str) -> str:
        return self.script(r"\sum" if sign == "Σ" else r"\lim", below, above)

    def partial(self, variable: str) -> str:
        return rf"\frac{{\partial}}{{\partial {variable}}}"

    def evaluated(self, body: str, where: str) -> str:
        return rf"\left.{body}\right|_{{{where}}}"


def _letters(word: str) -> str:
    if len(word) == 1:
        return _COMMANDS.get(word, word if word.isascii() else rf"\text{{{word}}}")
    return rf"\mathrm{{{_escaped(word)}}}" if word else ""


def _escaped(word: str) -> str:
    """A word's letters as they are, Greek ones as commands."""
    return "".join(map(_escape, word))


def _escape(letter: str) -> str:
    if letter in _COMMANDS:
        return _COMMANDS[letter] + " "
    if letter in _ESCAPED:
        return _ESCAPED[letter]
    return letter if letter.isascii() else rf"\text{{{letter}}}"


LATEX = Latex()


def latex(term: Term, *, names: Names | None = None, variance: bool = False) -> str:
    r"""The term as LaTeX.

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
    >>> x = Symbol("x_i")
    >>> latex(x**2 / 2)
    '\\frac{x_{i}^{2}}{2}'
    """
    fold = Fold(LATEX, variance)
    return fold.whole(term, names)
