"""A derivation as a document: chains of lines, what they cite, and what their notation means.

What is shown is what was proved: every line is drawn from the term of its theorem, with one set of
names throughout, and whatever a notation leaves unwritten is spelled out under *where*.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial, reduce
from inspect import cleandoc
from itertools import count
from typing import Any

from derive.chain import LEMMA
from derive.notation.fold import is_variance
from derive.notation.meaning import definitions, equation
from derive.notation.names import Names
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
        return notation(term, names=self.names.apart(term), variance=False)

    def citation(self, notation: Callable[..., Any], lemma: Lemma) -> Any:
        """What a lemma says, in names of its own."""
        term = lemma.statement
        return notation(term, names=self.names.apart(term), variance=True)

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
