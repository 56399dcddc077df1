"""The tutorial's file holds, and its slips are answered as it says.

After a deliberate change of an answer: ``QKV_WRITE_GOLDENS=1 pytest tests/derive/test_tutorial.py``.
"""

import os
import re
from pathlib import Path

import pytest

from derive.prove import examine_file

DOCS = Path(__file__).parents[2] / "docs"
TUTORIAL, FILE = DOCS / "tutorial.md", DOCS / "linear_attention.py"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def blocks(kind):
    return [body for found, body in BLOCK.findall(TUTORIAL.read_text("utf-8")) if found == kind]


def squeezed(text):
    """The text without its blank lines, which the page may set differently."""
    return [line for line in text.splitlines() if line.strip()]


def test_the_file_is_proved():
    reports = list(examine_file(str(FILE)))
    assert [report.name for report in reports] == ["regrouping", "weights-sum-to-one"]
    assert all(report.as_expected and report.model_found for report in reports)


def test_the_page_shows_the_whole_file():
    shown = [line for block in blocks("python") for line in squeezed(block)]
    _, source = FILE.read_text("utf-8").split("\n\n", 1)
    assert shown == squeezed(source)


def slips():
    """The edits that the page shows: what is removed, what takes its place."""
    for block in blocks("diff"):
        removed, added = block.splitlines()
        assert (removed[0], added[0]) == ("-", "+")
        yield removed[1:], added[1:]


@pytest.mark.parametrize("place", [0, 1])
def test_a_slip_is_answered_as_the_page_says(place, tmp_path, monkeypatch):
    removed, added = list(slips())[place]
    source = FILE.read_text("utf-8")
    assert source.count(removed + "\n") == 1
    monkeypatch.chdir(tmp_path)
    Path(FILE.name).write_text(source.replace(removed, added), "utf-8")
    report = next(r for r in examine_file(FILE.name) if r.error)
    if "QKV_WRITE_GOLDENS" in os.environ:
        rewrite(place, report.error.message)
    assert report.witness is not None or report.tried
    assert blocks("text")[place] == report.error.message + "\n"


def rewrite(place, message):
    """Put an answer into the page."""
    before = TUTORIAL.read_text("utf-8")
    answers = [found for found in BLOCK.finditer(before) if found[1] == "text"]
    start, end = answers[place].span(2)
    TUTORIAL.write_text(before[:start] + message + "\n" + before[end:], "utf-8")
