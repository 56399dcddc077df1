"""A document in the formats that are written directly: text, Markdown, LaTeX, JSON."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import Any

from derive.notation.document import Document, Lemma, Line
from derive.notation.latex import LATEX, latex
from derive.notation.names import GREEK
from derive.notation.text import text
from derive.notation.typst import typst
from derive.terms import Term


def as_text(doc: Document) -> str:
    """On a terminal."""
    draw, by = lambda term: doc.draw(text, term), doc.word("by")
    parts = [doc.title, "", *(f"    {draw(statement)}" for statement in doc.statements)]
    if doc.words:
        parts += ["", doc.words]
    if doc.assumptions:
        numbered = enumerate(map(draw, doc.assumptions), 1)
        parts += ["", doc.word("assuming"), *(f"({k}) {drawn}" for k, drawn in numbered)]
    parts += ["", doc.word("proof")]
    for chain in doc.chains:
        for line in chain:
            reason = f"    [{by.format(line.reason)}]" if line.reason else ""
            parts.append(f"  {line.relation or ' '} {draw(line.term)}{reason}")
        parts.append("")
    if doc.lemmas:
        cited = (f"  {lemma.label}: {doc.citation(text, lemma)}" for lemma in doc.lemmas)
        parts += [doc.word("citing"), *cited, ""]
    return "\n".join([*parts, *_meanings(doc, text, "  {}"), ""])


def _meanings(doc: Document, notation: Callable[..., str], form: str) -> list[str]:
    drawn = [form.format(doc.meaning(notation, term)) for term in doc.meanings]
    if doc.has_variance:
        var = {text: "Var(z) = E[z²] − E[z]²", latex: _LATEX_VARIANCE}[notation]
        drawn.append(form.format(var))
    return [doc.word("where"), *drawn] if drawn else []


_LATEX_VARIANCE = r"\operatorname{Var}(z) = \operatorname{E}[z^{2}] - \operatorname{E}[z]^{2}"


def as_markdown(doc: Document) -> str:
    """On a code host: formulas in fenced ``math`` blocks, which need no escaping."""
    parts = [f"## {doc.title}", *(_math(doc.draw(latex, term)) for term in doc.statements)]
    if doc.words:
        parts.append(doc.words)
    if doc.assumptions:
        drawn = (doc.draw(latex, term) for term in doc.assumptions)
        parts += [
            f"**{doc.word('assuming')}**",
            "\n".join(f"{k}. $`{a}`$" for k, a in enumerate(drawn, 1)),
        ]
    parts += [f"**{doc.word('proof')}**", *(_math(_aligned(doc, chain)) for chain in doc.chains)]
    if doc.lemmas:
        cited = (f"- {x.label}: $`{doc.citation(latex, x)}`$" for x in doc.lemmas)
        parts += [f"**{doc.word('citing')}**", "\n".join(cited)]
    if meanings := _meanings(doc, latex, "- $`{}`$"):
        parts += [f"**{meanings[0]}**", "\n".join(meanings[1:])]
    return "\n\n".join(parts) + "\n"


def _math(source: str) -> str:
    return f"```math\n{source}\n```"


def _aligned(doc: Document, chain: tuple[Line, ...]) -> str:
    return _rows(doc, chain, "aligned", r" && \text{{{}}}")


def _rows(doc: Document, chain: tuple[Line, ...], environment: str, reason: str) -> str:
    rows = []
    for line in chain:
        why = reason.format(_prose(doc.word("by").format(line.reason))) if line.reason else ""
        formula = doc.draw(latex, line.term)
        formula = _fitted(formula) if environment == "align*" else formula
        rows.append(f"&{LATEX.marks.get(line.relation, '')} {formula}{why}")
    body = " \\\\\n".join(rows)
    return f"\\begin{{{environment}}}\n{body}\n\\end{{{environment}}}"


def _prose(words: str) -> str:
    """Plain words as LaTeX prose; names, signs and Greek letters as formulas."""
    return "".join(
        rf"\({_latex_name(part)}\)" if is_name else "".join(map(_in_prose, part))
        for part, is_name in prose(words)
    )


def _in_prose(letter: str) -> str:
    """A letter of prose; a sign that LaTeX has no letter for is named."""
    if letter in _IN_PROSE:
        return _IN_PROSE[letter]
    symbol = unicodedata.category(letter) in ("Sm", "So")
    return unicodedata.name(letter, "?").lower() if symbol and not letter.isascii() else letter


def _latex_name(spelling: str) -> str:
    if spelling.startswith("_"):
        return rf"{{}}_{{{''.join(map(_in_formula, below(spelling)))}}}"
    return LATEX.script(*LATEX.name(spelling), "")


def prose(words: str) -> Iterator[tuple[str, bool]]:
    """Words in pieces; names with subscripts, and subscripts of more, are told from the rest.

    >>> list(prose("d_k is 64"))
    [('d_k', True), (' is 64', False)]
    >>> list(prose("softmax(s)_j"))
    [('softmax(s)', False), ('_j', True)]
    """
    for k, part in enumerate(_NAME.split(words)):
        if part:
            yield part, bool(k % 2)


def below(subscript: str) -> str:
    """What stands below, of a subscript that stands alone."""
    return subscript.removeprefix("_").strip("{}")


def _in_formula(letter: str) -> str:
    return _SIGNS.get(letter) or LATEX.name(letter)[0]


_NAME = re.compile(
    r"((?<![A-Za-zα-ω_\d])[A-Za-zα-ω]_[A-Za-z0-9α-ω]+(?![A-Za-zα-ω_])"  # d_k
    r"|(?<=[)\]Σ])_[A-Za-z0-9α-ω]+"  # softmax(s)_ij, Σ_tu
    r"|(?<=[A-Za-zα-ω])(?<!_[A-Za-zα-ω])_(?:\{[^}]+\}|[A-Za-zα-ω∞](?![A-Za-z0-9α-ω_])))"  # Attn_h, Attn_{PMPᵀ}
)


_SIGNS = {
    "√": r"\surd", "∞": r"\infty", "∂": r"\partial", "‖": r"\Vert", "≥": r"\ge", "Σ": r"\Sigma",
    "∑": r"\sum", "⊎": r"\uplus", "∪": r"\cup", "∅": r"\emptyset", "≈": r"\approx",
    "ᵀ": r"^{\top}", "²": "^{2}", "³": "^{3}", "⁻": "^{-}", "¹": "^{1}", "₁": "_{1}", "₂": "_{2}",
}  # fmt: skip
_IN_PROSE = (
    {x: rf"\{x}" for x in "_#$%&{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    | {x: rf"\({x}\)" for x in "<>|"}  # as text they would print as ¡ ¿ —
    | {"…": r"\dots{}", "–": "--", "—": "---"}
    | {x: rf"\({LATEX.marks[x].strip()}\)" for x in "−·⊙⊕×∘∥≤≠∈¬∧⇒∀→↦ℝ⫫"}
    | {letter: rf"\(\{name}\)" for name, letter in GREEK.items()}
    | {sign: rf"\({command}\)" for sign, command in _SIGNS.items()}
)


# What is too wide for the page is set smaller, and goes on over several lines where it may break.
_FIT = r"""
\newcommand{\fit}[1]{\setbox0=\hbox{$\displaystyle #1$}\ifdim\wd0<.92\linewidth \box0
\else\begin{minipage}{.92\linewidth}\raggedright
\ifdim\wd0<1.1\linewidth\footnotesize\else\scriptsize\fi$\displaystyle #1$\end{minipage}\fi}
""".strip()
_LONG = 200  # letters of LaTeX; what is shorter fits on a line


def _fitted(source: str) -> str:
    return rf"\fit{{{source}}}" if len(source) > _LONG else source


def as_latex(doc: Document) -> str:
    """A whole article that needs amsmath only (and ctex, with XeLaTeX, in Chinese)."""
    numbered = "\n".join(rf"\item \({doc.draw(latex, term)}\)" for term in doc.assumptions)
    meanings = [_fitted(meaning) for meaning in _meanings(doc, latex, "{}")]
    meanings[1:] = (rf"\item \(\displaystyle {meaning}\)" for meaning in meanings[1:])
    chains = (_rows(doc, chain, "align*", r" \tag*{{{}}}") for chain in doc.chains)
    cited = [
        rf"\item[{_prose(x.label)}] \(\displaystyle {_fitted(doc.citation(latex, x))}\)"
        for x in doc.lemmas
    ]
    parts = [
        rf"\documentclass{{{'ctexart' if doc.language == 'zh' else 'article'}}}",
        r"\usepackage[fleqn]{amsmath}",
        r"\addtolength{\oddsidemargin}{-3.15cm}\addtolength{\textwidth}{6.3cm}\allowdisplaybreaks",
        _FIT,
        r"\begin{document}",
        rf"\section*{{{_prose(doc.title)}}}",
        *(f"\\[\n{_fitted(doc.draw(latex, term))}\n\\]" for term in doc.statements),
        _prose(doc.words),
        numbered and rf"\paragraph{{{doc.word('assuming')}}}",
        numbered and f"\\begin{{enumerate}}\n{numbered}\n\\end{{enumerate}}",
        rf"\paragraph{{{doc.word('proof')}}}",
        *chains,
        rf"\paragraph{{{doc.word('citing')}}}" if cited else "",
        "\n".join([r"\begin{itemize}", *cited, r"\end{itemize}"]) if cited else "",
        rf"\paragraph{{{doc.word('where')}}}" if meanings else "",
        "\n".join([r"\begin{itemize}", *meanings[1:], r"\end{itemize}"]) if meanings else "",
        r"\end{document}",
    ]
    return "\n".join(filter(None, parts)) + "\n"


def as_json(doc: Document) -> str:
    """Everything, as data: each formula as text, LaTeX and Typst."""

    def formula(shown: Term | Lemma, draw: Callable[..., Any] = doc.draw) -> dict[str, str]:
        notations = {"text": text, "latex": latex, "typst": lambda *a, **k: typst(*a, **k).source}
        return {name: draw(notation, shown) for name, notation in notations.items()}

    def step(line: Line) -> dict[str, Any]:
        return {"relation": line.relation, "reason": line.reason, **formula(line.term)}

    data = {
        "name": doc.name,
        "title": doc.title,
        "words": doc.words,
        "language": doc.language,
        "statements": [formula(term) for term in doc.statements],
        "assumptions": [formula(term) for term in doc.assumptions],
        "chains": [[step(line) for line in chain] for chain in doc.chains],
        "citing": [{"label": x.label, **formula(x, doc.citation)} for x in doc.lemmas],
        "where": [formula(term, doc.meaning) for term in doc.meanings],
    }
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"
