"""Derivations as documents, in every format."""

import json
import re
from html.parser import HTMLParser
from types import SimpleNamespace

import pytest

from derive import catalog
from derive.notation.document import document
from derive.notation.export import FORMATS, export
from derive.notation.forms import NotationError
from derive.notation.plain import prose
from derive.signature import Array, Definition, Range
from derive.syntax import E, Index, Sum, conjoin, eq, exp, forall, le

n = Range("n")
i, j = Index("i", n), Index("j", n)
s = Array("s", (n,))
q = Array("q", (n,), random=True)
softmax = Definition("softmax", (s,), (i,), exp(s[i]) / Sum(j, exp(s[j])), "softmax({0})")
centred = forall(i, eq(E(q[i]), 0))


def step(conclusion, rule, *uses, lemmas=()):
    return SimpleNamespace(theorem=said(conclusion), rule=rule, uses=uses, lemmas=lemmas)


def said(conclusion, *hypotheses):
    return SimpleNamespace(conclusion=conclusion, hypotheses=frozenset(hypotheses))


square = E(q[i] ** 2)
DERIVATION = SimpleNamespace(
    name="an-example",
    title={"en": "An example with d_k & more", "zh": "一个例子"},
    doc="In words: E[q_i] = 0 ≤ √d_k.\n\n    And a second paragraph, 100%, if |n| > 0.",
    statement=conjoin(eq(square - E(q[i]) ** 2, square), le(softmax(s)[i], 1)),
    assumptions=(centred,),
    steps=(
        step(eq(square - E(q[i]) ** 2, square - 0), "assumption", centred),
        step(eq(square - 0, square), "algebra"),
        step(le(softmax(s)[i], 1), "definition of softmax, algebra"),
        step(centred, "assumption", centred),
    ),
)


def test_steps_that_follow_one_another_make_a_chain():
    doc = document(DERIVATION)
    assert [len(chain) for chain in doc.chains] == [3, 2, 1]
    assert [line.relation for chain in doc.chains for line in chain] == ["", "=", "=", "", "≤", ""]
    assert doc.chains[0][1].reason == "assumption (1)"
    assert doc.chains[1][1].reason == "definition of softmax; algebra"
    assert document(DERIVATION, language="zh").chains[1][1].reason == "softmax 的定义，代数运算"


def test_text():
    shown = export(DERIVATION, "text")
    assert "    Var(q[i]) = E[q[i]²]\n    softmax(s)[i] ≤ 1\n" in shown
    assert "(1) ∀i: E[q[i]] = 0" in shown
    assert "  = E[q[i]²]    [by algebra]" in shown
    assert "  softmax(s)[i] = exp(s[i]) / (Σ_{j=1}^n exp(s[j]))" in shown
    assert "  Var(z) = E[z²] − E[z]²" in shown


def test_latex_needs_amsmath_only():
    source = export(DERIVATION, "latex")
    assert re.findall(r"\\usepackage.*?\{(\w+)\}", source) == ["amsmath"]
    assert source.isascii()
    assert r"An example with \(d_{k}\) \& more" in source
    assert r"100\%, if \(|\)n\(|\) \(>\) 0" in source  # or it would print as —n— ¿ 0
    for environment in re.findall(r"\\begin\{([\w*]+)\}", source):
        assert source.count(rf"\begin{{{environment}}}") == source.count(rf"\end{{{environment}}}")
    balance = source.count("{") - source.count("}")
    assert balance == 0


def test_only_a_long_formula_of_latex_is_made_to_fit():
    source = export(DERIVATION, "latex")
    assert source.count(r"\fit") == 1  # its definition
    wide = sum(range(1, 60), q[i])
    longer = SimpleNamespace(**{**vars(DERIVATION), "statement": eq(wide, wide)})
    assert r"\fit{q_{i} + 1 + 2" in export(longer, "latex")


def test_markdown_keeps_formulas_in_fences():
    source = export(DERIVATION, "markdown")
    assert source.count("```") == 2 * source.count("```math")
    outside = re.sub(r"```math.*?```|\$`.*?`\$", "", source, flags=re.DOTALL)
    assert "\\" not in outside


def test_json():
    data = json.loads(export(DERIVATION, "json", language="zh"))
    assert data["title"] == "一个例子"
    assert data["statements"][1]["text"] == "softmax(s)[i] ≤ 1"
    assert set(data["chains"][0][1]) == {"relation", "reason", "text", "latex", "typst"}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_pictures_and_pages(language):
    assert export(DERIVATION, "svg", language=language).startswith("<svg")
    pages = export(DERIVATION, "pdf", language=language)
    assert pages.startswith(b"%PDF")
    assert pages == export(DERIVATION, "pdf", language=language)


class Page(HTMLParser):
    """Collects what a page refers to and what it says."""

    def __init__(self):
        super().__init__()
        self.links, self.labels, self.folded = [], [], 0

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        links = (attrs.get(name) for name in ("src", "href", "xlink:href"))
        self.links += [link for link in links if link]
        self.labels += [attrs["aria-label"]] if "aria-label" in attrs else []
        self.folded += tag == "details"


def test_html_is_one_self_contained_file():
    source = export(DERIVATION, "html")
    page = Page()
    page.feed(source)
    assert page.links
    assert all(link.startswith("#") for link in page.links)
    assert "softmax(s)[i] ≤ 1" in page.labels
    assert "<script" not in source
    assert "d</i><sub>k</sub> &amp; more" in source


def variant(*steps):
    return SimpleNamespace(**{**vars(DERIVATION), "steps": steps})


def folded(*steps):
    page = Page()
    page.feed(export(variant(*steps), "html"))
    return page.folded


def test_trivial_steps_are_folded_unless_they_are_the_last_or_all_that_there_is():
    by_algebra = step(eq(square - 0, square), "algebra")
    by_definition = step(eq(square - 0, square), "definition of f, definition of g")
    last = step(eq(square, square + 0), "independence")
    routine_last = step(eq(square, square + 0), "algebra")
    mixed = step(eq(square - 0, square), "definition of f, independence")
    assert folded(by_algebra, last) == folded(by_definition, last) == 1
    assert folded(by_algebra, routine_last) == 1
    assert folded(by_definition, routine_last) == 0  # here the definition is the argument
    assert folded(mixed, last) == folded(by_algebra) == folded(last) == 0


def test_lemmas_are_cited_by_name_or_number_with_what_they_say():
    shown = step(eq(square - 0, square), "algebra")
    named, nameless = said(le(softmax(s)[i], 1), centred), said(eq(q[i], q[i] + 0))
    steps = (
        shown,
        step(eq(square + 0, square), "softmax-bound", lemmas=[("softmax-bound", named)]),
        step(eq(square, square + 1), "lemma", lemmas=[("lemma", nameless)]),
        step(
            eq(square * 2, square * 3),
            "definition of softmax, lemma",
            lemmas=[("lemma", said(eq(square - 0, square)))],
        ),
    )
    doc = document(variant(*steps))
    reasons = [line.reason for chain in doc.chains for line in chain if line.reason]
    assert reasons[1:] == [
        "softmax-bound",
        "lemma 1",
        "definition of softmax; the same, shown above",
    ]
    assert [lemma.label for lemma in doc.lemmas] == ["softmax-bound", "lemma 1"]
    says = "softmax-bound: (∀j: E[q[j]] = 0) ⇒ softmax(s)[i] ≤ 1"
    assert f"Citing\n  {says}\n  lemma 1: q[i] = q[i] + 0\n" in export(variant(*steps), "text")
    assert [x["label"] for x in json.loads(export(variant(*steps), "json"))["citing"]] == [
        "softmax-bound",
        "lemma 1",
    ]
    for form in ("latex", "markdown", "html", "typst"):
        assert "softmax-bound" in export(variant(*steps), form).split("Citing")[1]
    assert "引理 1" in export(variant(*steps), "text", language="zh")


def test_a_cited_variance_is_drawn_and_explained_as_such():
    cited = said(eq(square - E(q[i]) ** 2, 1))
    lone = step(eq(square, 1), "unit", lemmas=[("unit", cited)])
    derivation = SimpleNamespace(**{**vars(variant(lone)), "statement": eq(square, 1)})
    shown = export(derivation, "text")
    assert "  unit: Var(q[i]) = 1\n" in shown
    assert "  Var(z) = E[z²] − E[z]²\n" in shown


def test_what_is_not_shown_above_is_never_said_to_be():
    late = step(eq(square - 0, square), "algebra")
    early = step(eq(square, square + 1), "lemma", lemmas=[("lemma", late.theorem)])
    assert document(variant(early, late)).chains[0][1].reason == "lemma 1"
    assert document(variant(late, early)).chains[0][2].reason == "the same, shown above"


@pytest.mark.parametrize("name", catalog.names())
def test_reasons_are_said_in_chinese(name):
    doc = document(catalog.load(name), language="zh")
    reasons = [line.reason for chain in doc.chains for line in chain]
    known = {definition.name for definition in doc.names.marks} | {x.label for x in doc.lemmas}
    words = {word for reason in reasons for word in re.findall(r"[A-Za-z][\w-]{3,}", reason)}
    assert words <= known


def test_typst_source_is_whole():
    import typst

    assert typst.compile(export(DERIVATION, "typst").encode(), format="pdf")


def test_names_in_prose_are_told_from_words():
    pieces = prose("d_k, E[q_t²], a_b_c, softmax_rows")
    assert [part for part, is_name in pieces if is_name] == ["d_k", "q_t"]


def test_subscripts_of_more_than_a_letter_are_told_too():
    pieces = prose("softmax(S)_ij, Σ_tu x, head_h, Attn_{PMPᵀ}(PX), o_∞, σ_q²σ_k², Attn(X)_σ(i)")
    assert [part for part, is_name in pieces if is_name] == [
        "_ij", "_tu", "_h", "_{PMPᵀ}", "_∞", "σ_q", "σ_k", "_σ"
    ]  # fmt: skip


def test_what_cannot_be_exported_is_refused():
    with pytest.raises(NotationError, match="docx"):
        export(DERIVATION, "docx")
    with pytest.raises(NotationError, match="fr"):
        export(DERIVATION, language="fr")
    assert set(FORMATS) >= {"text", "latex", "typst", "markdown", "html", "svg", "pdf", "json"}
