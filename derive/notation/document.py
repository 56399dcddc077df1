"""A derivation as a document, and its plain formats: text, Markdown, LaTeX, JSON.

What is shown is what was proved: every line is drawn from the term of its theorem, with one set of
names throughout, and whatever a notation leaves unwritten is spelled out under *where*.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial, reduce
from inspect import cleandoc
from itertools import count
from typing import Any

from derive.chain import LEMMA
from derive.notation.fold import is_variance
from derive.notation.latex import LATEX, latex
from derive.notation.meaning import definitions, equation
from derive.notation.names import GREEK, Names
from derive.notation.text import text
from derive.notation.typst import typst
from derive.syntax import conjoin, implies
from derive.terms import Term

RELATIONS = {"eq": "=", "le": "≤", "lt": "<"}
WORDS = {
    "en": {
        "assuming": "Assuming",
        "proof": "Proof",
        "citing": "Citing",
        "lemma": "lemma",
        "above": "the same, shown above",
        "where": "Where",
        "by": "by {}",
    },
    "zh": {
        "assuming": "假设",
        "proof": "证明",
        "citing": "引用",
        "lemma": "引理",
        "above": "同上",
        "where": "其中",
        "by": "{}",
    },
}
REASONS_ZH = {  # longer ones before their parts
    "algebra": "代数运算",
    "assumption": "假设",
    "linearity of expectation": "期望的线性",
    "independence": "独立性",
    "differentiation": "求导",
    "reindexing by a bijection": "按双射换下标",
    "a sum over a disjoint union": "对不相交的并求和",
    "laws of the logarithm": "对数法则",
    "angle addition": "和角公式",
    "equal entry by entry": "逐项相等",
    "an exponential is positive": "指数函数为正",
    "a bijection is injective": "双射是单射",
    "an empty sum is 0": "空和为 0",
    "a sum over a single element": "对单个元素求和",
    "limits, part by part": "逐项取极限",
    "squeezed": "夹逼",
    "shifted by the maximum": "减去最大值",
    "away from the maximum the exponential decays": "最大值之外，指数项趋于零",
    "a forbidden key's exponential decays": "被遮住的键，指数项趋于零",
}


@dataclass(frozen=True)
class Line:
    """One line of a chain: a relation to the line before, a term, and why."""

    relation: str
    term: Term
    reason: str = ""
    is_algebra: bool = False
    is_definition: bool = False

    @property
    def is_routine(self) -> bool:
        return self.is_algebra or self.is_definition


@dataclass(frozen=True)
class Lemma:
    """A theorem that the proof cites: what it is called there, and what it says."""

    label: str
    statement: Term


@dataclass(frozen=True)
class Document:
    """A derivation, ready to be drawn.

    Attributes
    ----------
    name, title, words
        The name on the command line, the title, and what the derivation says in words.
    statements, assumptions
        What is proved, a part of a conjunction each, and from what.
    chains
        The proof: chains of lines, each line related to the one before.
    lemmas
        The theorems that the proof cites and that are not shown in it.
    meanings
        The definitions behind the notation, as equations.
    names
        One spelling for each thing in all of it.
    language
        ``"en"`` or ``"zh"``.
    """

    name: str
    title: str
    words: str
    statements: tuple[Term, ...]
    assumptions: tuple[Term, ...]
    chains: tuple[tuple[Line, ...], ...]
    lemmas: tuple[Lemma, ...]
    meanings: tuple[Term, ...]
    names: Names
    language: str

    def draw(self, notation: Callable[..., Any], term: Term) -> Any:
        """A term of this document in a notation; a variance is drawn as such."""
        return notation(term, names=self.names, variance=True)

    def meaning(self, notation: Callable[..., Any], term: Term) -> Any:
        """A definition's equation, in names of its own."""
        return notation(term, names=self._own_names(term), variance=False)

    def citation(self, notation: Callable[..., Any], lemma: Lemma) -> Any:
        """What a lemma says, in names of its own."""
        term = lemma.statement
        return notation(term, names=self._own_names(term), variance=True)

    def _own_names(self, term: Term) -> Names:
        own = Names.of(term)
        return replace(own, marks=own.marks | self.names.marks)

    def word(self, key: str) -> str:
        return WORDS[self.language][key]

    @property
    def has_variance(self) -> bool:
        lines = (line.term for chain in self.chains for line in chain)
        cited = (lemma.statement for lemma in self.lemmas)
        return any(map(_has_variance, (*self.statements, *self.assumptions, *lines, *cited)))


def document(derivation: Any, *, language: str = "en") -> Document:
    """The document of a derivation.

    Parameters
    ----------
    derivation
        Anything with a ``name``, a ``title`` for each language, a ``doc``, a ``statement``,
        ``assumptions`` and ``steps``.
    language
        ``"en"`` or ``"zh"``.
    """
    assumptions = tuple(derivation.assumptions)
    steps = _chains(derivation.steps)
    labels = _labels(steps, WORDS[language])
    reason = partial(_reason, assumptions=assumptions, labels=labels, language=language)
    chains = tuple(_lines(chain, reason) for chain in steps)
    above = WORDS[language]["above"]
    lemmas = tuple(Lemma(label, says) for says, label in labels.items() if label != above)
    shown = (derivation.statement, *assumptions, *(l.term for chain in chains for l in chain))
    meanings = tuple(map(equation, definitions(*shown, *(lemma.statement for lemma in lemmas))))
    title = derivation.title.get(language, derivation.name)
    return Document(
        derivation.name,
        title,
        cleandoc(derivation.doc) if language == "en" else "",  # written in English only
        _conjuncts(derivation.statement),
        assumptions,
        chains,
        lemmas,
        meanings,
        Names.of(*shown),
        language,
    )


def _conjuncts(term: Term) -> tuple[Term, ...]:
    return tuple(p for arg in term.args for p in _conjuncts(arg)) if term.op == "and" else (term,)


def _chains(steps: Iterable[Any]) -> list[list[Any]]:
    """Steps in chains: a new one wherever a step does not start at the end of the last."""
    chains: list[list[Any]] = []
    for step in steps:
        if not chains or not _follows(step.theorem.conclusion, chains[-1][-1].theorem.conclusion):
            chains.append([])
        chains[-1].append(step)
    return chains


def _follows(conclusion: Term, before: Term) -> bool:
    related = conclusion.op in RELATIONS and before.op in RELATIONS
    return related and conclusion.args[0] == before.args[1]


def _labels(chains: list[list[Any]], words: Mapping[str, str]) -> dict[Term, str]:
    """What each cited theorem is called: by its name, shown above, or by a number."""
    labels: dict[Term, str] = {}
    shown: set[tuple[Term, ...]] = set()
    numbers = count(1)
    for chain in chains:
        first = chain[0].theorem.conclusion.args[:1]
        for step in chain:
            for name, theorem in step.lemmas:
                cited = _cited(theorem)
                if name == LEMMA and theorem.conclusion.args in shown:
                    labels.setdefault(cited, words["above"])
                elif cited not in labels:
                    labels[cited] = f"{words[LEMMA]} {next(numbers)}" if name == LEMMA else name
            ends = step.theorem.conclusion.args
            shown |= {ends, first + ends[1:]}
    return labels


def _cited(theorem: Any) -> Term:
    """What a theorem says, with what it assumes."""
    assumptions = sorted(theorem.hypotheses, key=repr)
    if not assumptions:
        return theorem.conclusion
    return implies(reduce(conjoin, assumptions), theorem.conclusion)


def _lines(chain: list[Any], reason: Callable[[Any], str]) -> tuple[Line, ...]:
    first = chain[0].theorem.conclusion
    if first.op not in RELATIONS:
        return (Line("", first, reason(chain[0])),)
    lines = [Line("", first.args[0])]
    for step in chain:
        conclusion, rules = step.theorem.conclusion, step.rule.split(", ")
        lines.append(
            Line(
                RELATIONS[conclusion.op],
                conclusion.args[1],
                reason(step),
                step.rule == "algebra",
                all(rule.startswith(_DEFINITION) for rule in rules),
            )
        )
    return tuple(lines)


def _reason(
    step: Any, assumptions: tuple[Term, ...], labels: Mapping[Term, str], language: str
) -> str:
    """The rule in words, with the numbers of the assumptions that it used."""
    numbers = [str(k) for k, a in enumerate(assumptions, 1) if a in step.uses]
    rules = step.rule.split(", ") if step.rule.startswith(_DEFINITION) else [step.rule]
    defined = [rule.removeprefix(_DEFINITION) for rule in rules if rule.startswith(_DEFINITION)]
    others = [rule for rule in rules if not rule.startswith(_DEFINITION)]
    if nameless := [labels[_cited(theorem)] for name, theorem in step.lemmas if name == LEMMA]:
        others = [rule.replace(LEMMA, ", ".join(nameless)) for rule in others]
    if language == "zh":
        parts = [f"{'、'.join(defined)} 的定义"] if defined else []
        words = "，".join([*parts, *map(_in_chinese, others)])
    else:
        plural = "definitions of " if len(defined) > 1 else _DEFINITION
        words = "; ".join([*([plural + ", ".join(defined)] if defined else []), *others])
    return f"{words} ({', '.join(numbers)})" if numbers else words


def _in_chinese(reason: str) -> str:
    for english, chinese in REASONS_ZH.items():
        reason = reason.replace(english, chinese)
    reason = re.sub(_DEFINITION + r"(\w+)", r"\1 的定义", reason)
    return reason.replace(", ", "，")


_DEFINITION = "definition of "


def _has_variance(term: Term) -> bool:
    return is_variance(term) or any(map(_has_variance, term.args))


# ------------------------------------------------------------------ plain formats


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
    return LATEX.script(*LATEX.name(spelling), "")


def prose(words: str) -> Iterator[tuple[str, bool]]:
    """Words in pieces; names with subscripts are told from the rest.

    >>> list(prose("d_k is 64"))
    [('d_k', True), (' is 64', False)]
    """
    for k, part in enumerate(_NAME.split(words)):
        if part:
            yield part, bool(k % 2)


_NAME = re.compile(r"(?<!\w)([A-Za-zα-ω]_[A-Za-z0-9α-ω]+)(?![A-Za-zα-ω_])")


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
