"""A derivation set by Typst: its source, and from it SVG, PDF, and a web page of one file."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from functools import cache
from html import escape
from typing import Any

from derive.notation.document import Document, Lemma, Line
from derive.notation.forms import NotationError
from derive.notation.plain import below, prose
from derive.notation.text import text
from derive.notation.typst import PLAIN, TYPST, typst
from derive.terms import Term

LATIN = "Libertinus Serif"  # this and the mathematical font come with typst
CHINESE = (
    "Noto Serif CJK SC",
    "Source Han Serif SC",
    "Noto Serif SC",
    "Songti SC",
    "SimSun",
    "Noto Sans CJK SC",
    "PingFang SC",
    "Microsoft YaHei",
    "WenQuanYi Micro Hei",
)
_STYLE = """\
#set document(title: {title}, date: none)
#set text(font: {fonts}, size: 11pt, lang: "{lang}")
#set par(leading: 0.7em)
#show heading: set block(below: 1em)
#show math.equation.where(block: true): set align(left)
#let fit(body) = layout(size => {{
  let wide = measure(body).width
  if wide > size.width {{ scale(size.width / wide * 100%, reflow: true, origin: left, body) }}
  else {{ body }}
}})
#let row(sign, formula, why) = block(breakable: false, grid(
  columns: (1.5em, 1fr), row-gutter: 0.5em,
  align(horizon, sign), fit(formula), [], if why != "" {{ text(size: 9pt, fill: luma(40%), why) }},
))
"""
_PAGE = {
    "pdf": '#set page(paper: "a4", margin: 2cm, numbering: "1")\n',
    "svg": "#set page(width: 21cm, height: auto, margin: 1cm, fill: none)\n",
}


def as_typst(doc: Document, page: str = "pdf") -> str:
    """The source of a page, whole."""
    fonts = json.dumps([LATIN, *([chinese_font()] if doc.language == "zh" else [])])
    style = _STYLE.format(fonts=f"({fonts[1:-1]},)", lang=doc.language, title=_string(doc.title))
    parts = [
        _PAGE[page] + style + PLAIN,
        f"= {_quoted(doc.title)}",
        *(_block(doc.draw(typst, term).source) for term in doc.statements),
    ]
    parts += [_quoted(paragraph) for paragraph in doc.words.split("\n\n") if paragraph]
    if doc.assumptions:
        drawn = (doc.draw(typst, term).source for term in doc.assumptions)
        parts += [_heading(doc, "assuming"), "\n".join(f"+ ${source}$" for source in drawn)]
    parts.append(_heading(doc, "proof"))
    parts += ["\n".join(_row(doc, line) for line in chain) for chain in doc.chains]
    if doc.lemmas:
        parts += [_heading(doc, "citing"), "\n".join(_citation(doc, x) for x in doc.lemmas)]
    if doc.meanings or doc.has_variance:
        drawn = [doc.meaning(typst, term).source for term in doc.meanings]
        drawn += [_VARIANCE] if doc.has_variance else []
        parts += [
            _heading(doc, "where"),
            "\n".join(f"- #fit[$display({source})$]" for source in drawn),
        ]
    return "\n\n".join(parts) + "\n"


_VARIANCE = 'op("Var") #h(0pt) (z) = bb(E)[z^(2)] − bb(E)[z]^(2)'


def _citation(doc: Document, lemma: Lemma) -> str:
    source = doc.citation(typst, lemma).source
    return f"- {_quoted(lemma.label)}: #fit[$display({source})$]"


def _heading(doc: Document, word: str) -> str:
    return f"== {_quoted(doc.word(word))}"


def _quoted(words: str) -> str:
    """Plain words as Typst markup; names with subscripts as formulas."""
    return "".join(
        _named(part) if is_name else f"#{_string(part)};" for part, is_name in prose(words)
    )


def _named(part: str) -> str:
    if part.startswith("_"):
        return f"#sub(emph({_string(below(part))}));"
    return f"${TYPST.script(*TYPST.name(part), '')}$"


def _string(words: str) -> str:
    return json.dumps(words, ensure_ascii=False)


def _block(source: str) -> str:
    return f"#fit[$ {source} $]"


def _row(doc: Document, line: Line) -> str:
    why = _string(line.reason and doc.word("by").format(line.reason))
    return f"#row([${line.relation}$], [$ {doc.draw(typst, line.term).source} $], {why})"


@cache
def _compiler() -> Any:
    import typst as package

    return package.Compiler()


@cache
def chinese_font() -> str:
    """The first Chinese font of the machine; a page without its characters is never drawn."""
    import typst as package

    families = set(package.Fonts().families())
    for family in CHINESE:
        if family in families:
            return family
    raise NotationError(
        "no font with Chinese characters",
        f"one of {', '.join(CHINESE)}",
        "apt install fonts-noto-cjk · dnf install google-noto-serif-cjk-fonts"
        " · brew install --cask font-noto-serif-cjk-sc",
    )


def as_svg(doc: Document) -> str:
    """The whole derivation as one picture."""
    return compiled(as_typst(doc, "svg"), "svg").decode()


def compiled(source: str, form: str) -> bytes:
    """A Typst page as ``svg``, ``png`` or ``pdf``."""
    return _compiler().compile(input=source.encode(), format=form)


def as_pdf(doc: Document) -> bytes:
    """Pages for paper."""
    return compiled(as_typst(doc), "pdf")


# ------------------------------------------------------------------ a web page

# A notebook puts it inside its own page: no rule may reach beyond the derivation.
_HTML = """\
<!doctype html>
<html lang="{language}" style="color-scheme: light dark">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
.derivation {{ max-width: 60rem; margin: 2rem auto; padding: 0 1rem;
  font: 1.05rem/1.6 Georgia, "Noto Serif CJK SC", "Songti SC", serif }}
.derivation .formula {{ overflow-x: auto; margin: .3rem 0 }}
.derivation svg {{ vertical-align: middle }}
.derivation table {{ border-spacing: .6rem .4rem; display: block; overflow-x: auto }}
.derivation .why, .derivation summary {{ color: GrayText; font-size: .9rem }}
.derivation summary {{ cursor: pointer }}
</style>
<main class="derivation">
<h1>{heading}</h1>
{statements}
{body}
</main>
</html>
"""


def as_html(doc: Document) -> str:
    """One file that needs no other: formulas are pictures with their text beside them."""
    parts = [f"<p>{_html(words)}</p>" for words in doc.words.split("\n\n") if words]
    if doc.assumptions:
        parts += [
            _title(doc, "assuming"),
            _listed("ol", (_picture(doc, a) for a in doc.assumptions)),
        ]
    parts += [_title(doc, "proof"), *(_table(doc, chain) for chain in doc.chains)]
    if doc.lemmas:
        cited = (f"{_html(x.label)}: {_aside(doc.citation, x)}" for x in doc.lemmas)
        parts += [_title(doc, "citing"), _listed("ul", cited)]
    drawn = [_aside(doc.meaning, term) for term in doc.meanings]
    drawn += [_svg(_VARIANCE, "Var(z) = E[z²] − E[z]²")] if doc.has_variance else []
    if drawn:
        parts += [_title(doc, "where"), _listed("ul", drawn)]
    return _HTML.format(
        language=doc.language,
        title=escape(doc.title),
        heading=_html(doc.title),
        statements="".join(
            f'<div class="formula">{_picture(doc, term)}</div>' for term in doc.statements
        ),
        body="\n".join(parts),
    )


def _title(doc: Document, word: str) -> str:
    return f"<h2>{doc.word(word)}</h2>"


def _html(words: str) -> str:
    """Plain words as HTML; names with subscripts as such."""
    return "".join(
        _sub(*part.split("_")) if is_name else escape(part) for part, is_name in prose(words)
    )


def _sub(base: str, sub: str) -> str:
    return (f"<i>{escape(base)}</i>" if base else "") + f"<sub>{escape(below(sub))}</sub>"


def _listed(tag: str, items: Iterable[str]) -> str:
    return f"<{tag}>{''.join(f'<li>{item}</li>' for item in items)}</{tag}>"


def _table(doc: Document, chain: tuple[Line, ...]) -> str:
    """A chain as rows, its trivial steps folded."""
    rows = []
    for line in chain:
        why = _html(line.reason and doc.word("by").format(line.reason))
        formula = _picture(doc, line.term)
        if _is_trivial(line, chain):
            formula = f"<details><summary>{why}</summary>{formula}</details>"
            why = ""
        rows.append(f'<tr><td>{escape(line.relation)}<td>{formula}<td class="why">{why}')
    return f"<table>{''.join(rows)}</table>"


def _is_trivial(line: Line, chain: tuple[Line, ...]) -> bool:
    """Algebra, and a definition where there is more to the chain; never where the chain ends."""
    more = any(other.reason and not other.is_routine for other in chain)
    return line is not chain[-1] and (line.is_algebra or (line.is_definition and more))


def _picture(doc: Document, term: Term) -> str:
    return _svg(doc.draw(typst, term).source, doc.draw(text, term))


def _aside(draw: Callable[..., Any], shown: Term | Lemma) -> str:
    return _svg(draw(typst, shown).source, draw(text, shown))


def _svg(source: str, words: str) -> str:
    """A formula as an inline picture in the colour and size of the text around it."""
    page = "#set page(width: auto, height: auto, margin: 2pt, fill: none)\n"
    drawing = compiled(f"{page}{PLAIN}$ {source} $", "svg").decode()
    drawing = re.sub(r'(width|height)="([\d.]+)pt"', _in_ems, drawing, count=2)
    drawing = drawing.replace("#000000", "currentColor")
    return drawing.replace("<svg ", f'<svg role="img" aria-label="{escape(words)}" ', 1)


def _in_ems(match: re.Match[str]) -> str:
    return f'{match[1]}="{float(match[2]) / 11:.3f}em"'
