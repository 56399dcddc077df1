"""The audit in docs/soundness.md speaks of the logic as it is."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path

import pytest

from derive.rules import RULES
from derive.rules.rewriting import LAW_NAMES

ROOT = Path(__file__).parents[3]
AUDIT = (ROOT / "docs" / "soundness.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"^\| `(derive/[\w/]+\.py)` \| (\d+) \|", AUDIT, re.MULTILINE))
NAMED = {
    name
    for row in re.findall(r"^\| (`[^|]*) \|", AUDIT, re.MULTILINE)
    for name in re.findall(r"`([^`]+)`", row)
}
DRAWING = {  # what is made before it is drawn, in an error or an account
    ("derive/terms.py", "derive.notation.text"),
}
TRUSTED = sorted(
    str(path.relative_to(ROOT))
    for path in (ROOT / "derive").rglob("*.py")
    if "*Trusted" in path.read_text(encoding="utf-8").split('"""')[1]
)


def test_every_trusted_file_is_listed_and_no_other():
    assert sorted(FILES) == sorted([*TRUSTED, "derive/certificate.py"])


@pytest.mark.parametrize("file", FILES)
def test_line_counts_are_fresh(file):
    lines = len((ROOT / file).read_text(encoding="utf-8").splitlines())
    assert abs(lines - int(FILES[file])) <= max(10, lines // 10), f"{file}: {lines} lines"


def test_every_rule_and_every_law_is_listed():
    assert set(RULES) | set(LAW_NAMES) == NAMED - set(FILES)


@pytest.mark.parametrize("file", FILES)
def test_a_trusted_file_imports_trusted_files_and_the_standard_library_only(file):
    """Drawing is no part of checking."""
    for node in ast.walk(ast.parse((ROOT / file).read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            modules = [node.module]
        elif isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        else:
            continue
        for module in modules:
            if (file, module) in DRAWING:
                continue
            path = module.replace(".", "/")
            known = {f"{path}.py", f"{path}/__init__.py"} & set(FILES)
            assert known or module.split(".")[0] in sys.stdlib_module_names, module


@pytest.mark.parametrize("file", FILES)
def test_no_check_is_an_assertion(file):
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    assert not [node.lineno for node in ast.walk(tree) if isinstance(node, ast.Assert)]


def test_the_holes_are_tested_where_it_says():
    for name in re.findall(r"`(test_\w+\.py)`", AUDIT):
        assert list((ROOT / "tests" / "derive").rglob(name)), name


def test_the_trusted_files_are_those_whose_coverage_is_measured_and_nothing_is_excepted():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert set(project["tool"]["coverage"]["run"]["include"]) == set(FILES)
    assert not [file for file in FILES if "pragma" in (ROOT / file).read_text(encoding="utf-8")]
