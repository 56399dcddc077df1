"""The LaTeX of the whole catalogue, read by KaTeX, by MathJax, and by pdfLaTeX with amsmath.

KaTeX and MathJax are found where Node finds packages: in ``NODE_PATH``, or where ``.ci/run`` puts
them.
"""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from derive import catalog
from derive.notation.export import export

HERE = Path(__file__).parent
MODULES = HERE.parents[2] / ".cache" / "node" / "node_modules"
ENVIRONMENT = {"NODE_PATH": str(MODULES)} | os.environ
FIND = "for (const name of ['katex', 'mathjax']) require.resolve(name)"
FENCED = re.compile(r"```math\n(.*?)\n```|\$`(.*?)`\$", re.DOTALL)


def run(*command, **options):
    given = {"env": ENVIRONMENT, "capture_output": True, "timeout": 60} | options
    return subprocess.run(command, check=False, encoding="utf-8", errors="replace", **given)


@pytest.fixture(scope="module")
def refusals():
    if not shutil.which("node"):
        pytest.skip("needs Node")
    if run("node", "-e", FIND).returncode:
        pytest.skip("needs the npm packages katex and mathjax: npm ci, as in .ci/run")

    def refusals(formulas):
        done = run("node", str(HERE / "render.js"), input=json.dumps(formulas))
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return refusals


def test_what_is_not_latex_is_refused_by_both(refusals):
    found = refusals([[r"\frac{1}{2}", True], [r"\frac{1", False], [r"\nonsense", False]])
    assert [finding.split(":")[0] for finding in found] == ["KaTeX"] * 2 + ["MathJax"] * 2


@pytest.mark.slow
def test_katex_and_mathjax_render_the_catalogue(refusals):
    pages = [
        export(catalog.load(name), "markdown", language=language)
        for name in catalog.names()
        for language in ("en", "zh")
    ]
    formulas = [
        [block or inline, bool(block)] for page in pages for block, inline in FENCED.findall(page)
    ]
    assert len(formulas) > 3 * len(pages)
    assert refusals(formulas) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", catalog.names())
def test_pdflatex_compiles_with_amsmath_and_fits_the_page(name, tmp_path):
    if not shutil.which("pdflatex"):
        pytest.skip("needs pdflatex")
    source = export(catalog.load(name), "latex")
    (tmp_path / "it.tex").write_text(source, encoding="ascii")
    done = run("pdflatex", "-interaction=nonstopmode", "-halt-on-error", "it.tex", cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    assert "Overfull" not in done.stdout
