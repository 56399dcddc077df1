"""All claims as one page in Markdown, corrections first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from derive.claims import everything
from derive.claims.claim import Claim
from derive.claims.evidence import REFUTED

ARTICLES = {  # the first row of the sources, and the article's name
    "S1": ("逐步讲解", "The step-by-step lesson"),
    "S23": ("参考手册", "The reference sheet"),
    "S34": ("从零实现", "The layer from scratch"),
}
HEAD = """\
# 文章说了什么 · What the articles say

每个断言都有结论，由 `qkv claims` 当场算出；`qkv claims S5g` 给出它的依据和反例。
Each assertion has a verdict, computed by `qkv claims`; `qkv claims S5g` shows what it rests on, with
the witness where it is refuted.

- *proved*：有定理，核已证明 · a theorem that the kernel proved
- *refuted*：有反例，精确或用不相交的区间算出 · a witness, exact or by intervals that do not meet
- *checked*：数值由代码算出，与所述一致 · numbers, computed and as stated
- *out of scope*：不是证明或计算能定的 · not for a proof or a computation to decide
"""


def page() -> str:
    """The whole page; every claim is examined."""
    wrong = [claim for claim in everything() if claim.finding.verdict == REFUTED]
    return "\n".join([HEAD, *_corrections(wrong), *_articles(everything())])


def _corrections(claims: Iterable[Claim]) -> Iterator[str]:
    yield from ("## 更正与易误读之处 · Corrections, and what is easily misread", "")
    for claim in claims:
        yield f"**{claim.name}** {claim.statement['zh']} · {claim.statement['en']}"
        yield from (f"- {line}" for line in claim.finding.evidence if not _is_formula(line))
        yield ""


def _is_formula(line: str) -> bool:
    return line.startswith("claimed: ")


def _articles(claims: Iterable[Claim]) -> Iterator[str]:
    for claim in claims:
        if title := ARTICLES.get(claim.source) if claim.name.endswith("a") else None:
            yield from ("", f"## {' · '.join(title)}", "")
            yield from ("| | | 断言 · assertion |", "|---|---|---|")
        words = " · ".join(dict.fromkeys(claim.statement.values()))
        yield f"| {claim.name} | {claim.finding.verdict} | {words.replace('|', chr(92) + '|')} |"
    yield ""
