"""Theorems and examples show themselves in a notebook."""

from __future__ import annotations

import re

from derive.catalog import load as theorem
from derive.examples import load as example


def test_a_theorem_shows_its_derivation_and_its_statement():
    shown = theorem("dot-product-variance")._repr_mimebundle_()
    assert shown["text/latex"].startswith("$\\displaystyle ") and "d_{k}" in shown["text/latex"]
    assert "<html" in shown["text/html"].lower()
    assert "Var(q · k)" in shown["text/plain"]


def test_its_style_leaves_the_rest_of_the_notebook_alone():
    (style,) = re.findall(r"<style>(.*?)</style>", _shown("softmax-positive"), re.DOTALL)
    selectors = [s.strip() for rule in re.findall(r"([^{}]+)\{", style) for s in rule.split(",")]
    assert selectors and all(re.match(r"\.derivation\b", selector) for selector in selectors)
    assert '<main class="derivation">' in _shown("softmax-positive")


def _shown(name: str) -> str:
    return theorem(name)._repr_mimebundle_()["text/html"]


def test_an_example_shows_its_tables():
    shown = example("apple")._repr_mimebundle_()
    assert "苹果" in shown["text/html"] and shown["text/html"].startswith("<pre>")
    assert shown["text/plain"] in shown["text/html"].replace("&lt;", "<").replace("&gt;", ">")
