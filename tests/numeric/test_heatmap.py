"""Heat maps: whose weights they are, shades, and columns that line up."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from numeric.errors import NumericError
from numeric.heatmap import _cell, as_picture, as_text, caption, columns, heatmap, levels

ROOT = Path(__file__).parents[2]


def test_the_tokens_of_a_worked_example_get_its_weights():
    shown = heatmap("我 吃 苹果")
    z = 2 + np.exp(3 / np.sqrt(2))
    assert shown.seed is None
    assert "apple" in shown.source
    assert shown.weights[2] == pytest.approx([1 / z, 1 - 2 / z, 1 / z], rel=4e-16)


def test_an_example_of_random_numbers_is_said_to_be_one():
    assert "random" in caption(heatmap("The cat sat on the mat"))
    assert "random" not in caption(heatmap("我 吃 苹果"))


def test_other_tokens_get_seeded_weights_called_random():
    first, again, other = heatmap("a b c"), heatmap("a b c"), heatmap("a b c", seed=1)
    assert first == again
    assert first.weights != other.weights
    assert (first.source, first.seed) == ("random weights", 0)
    assert "untrained" in caption(first)
    assert "seed 1" in as_text(other)
    np.testing.assert_allclose(np.sum(first.weights, axis=1), 1, rtol=1e-15)


def test_equal_tokens_are_treated_alike():
    weights = np.asarray(heatmap("a b a").weights)
    np.testing.assert_allclose(weights[0], weights[2], rtol=1e-15)
    np.testing.assert_allclose(weights[:, 0], weights[:, 2], rtol=1e-15)


@pytest.mark.parametrize("text", ["", "   "])
def test_no_tokens(text):
    with pytest.raises(NumericError, match="at least one token"):
        heatmap(text)


def test_shades_are_the_floor_of_four_w_over_max():
    assert levels([[0.0, 0.24, 0.25], [0.5, 0.75, 1.0]]) == [[0, 0, 1], [2, 3, 4]]
    assert levels([[0.0, 0.0]]) == [[0, 0]]


@pytest.mark.parametrize(
    ("text", "wide"),
    [
        ("cat", 3),
        ("苹果", 4),
        ("ｆｕｌｌ", 8),
        ("e\u0301", 1),
        ("ก็", 1),
        ("😀", 2),
        ("👍🏽", 2),
        ("👩\u200d👩\u200d👧", 2),
        ("❤\ufe0f", 2),
        ("🇨🇳🇫🇷", 4),
        ("a\u200bb", 2),
        ("", 0),
    ],
)
def test_columns_of_a_terminal(text, wide):
    assert columns(text) == wide


@pytest.mark.parametrize("text", ["我 吃 苹果", "a bb ccc", "👩\u200d🔬 e\u0301t 苹果 🇨🇳 x"])
def test_columns_line_up(text):
    """Every row, padded, is as wide as the header, and cells start where their tokens do."""
    shown = heatmap(text)
    lines = as_text(shown).splitlines()[: len(shown.tokens) + 1]
    label = max(2, *map(columns, shown.tokens))
    starts = np.cumsum([label + 1, *(max(2, columns(t)) + 1 for t in shown.tokens[:-1])])
    for row, token, line in zip(levels(shown.weights), shown.tokens, lines[1:], strict=True):
        assert line.startswith(token)
        cells = line[len(token) :].ljust(400)
        for start, level in zip(starts, row, strict=True):
            assert cells[start - columns(token)] == " ░▒▓█"[level]


@pytest.mark.parametrize("form", ["svg", "png"])
@pytest.mark.parametrize("text", ['a " \\ #x $y$ <z>', "b c"])
def test_pictures(text, form):
    drawn = as_picture(heatmap(text), form)
    assert drawn.startswith({"svg": b"<svg", "png": b"\x89PNG"}[form])


@pytest.mark.parametrize("share", [k / 20 for k in range(21)])
def test_numbers_stand_out_from_their_shade(share):
    """WCAG asks for a contrast of 4.5."""
    cell = _cell(0.5, share)
    red, green, blue, percent = map(
        int, re.search(r"rgb\((\d+), (\d+), (\d+), (\d+)%\)", cell).groups()
    )
    shade = [1 + (c / 255 - 1) * percent / 100 for c in (red, green, blue)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in shade]
    behind = 0.05 + 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    assert (1.05 / behind if "fill: white" in cell else behind / 0.05) >= 4.5


def run(*words):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, str(ROOT / "qkv.py"), *words]
    return subprocess.run(
        command, capture_output=True, text=True, env=environment, check=False, cwd=ROOT
    )


def test_the_command_line(tmp_path):
    target = tmp_path / "map.svg"
    done = run("heatmap", "x y", "--json", "-o", str(target))
    assert done.returncode == 0
    assert json.loads(done.stdout).keys() == {"tokens", "weights", "source", "seed"}
    assert target.read_bytes().startswith(b"<svg")
    wrong = run("heatmap", "x y", "--json", "-o", "map.gif")
    assert wrong.returncode == 2
    assert json.loads(wrong.stdout)["error"].keys() == {"given", "expected", "fix"}


def test_verify_on_the_command_line():
    done = run("verify", "softmax-positive", "--json")
    assert done.returncode == 0, done.stderr
    (report,) = json.loads(done.stdout)
    assert report["verdict"] == "passed"
    assert report["max_error"] <= report["tolerance"]
    assert report["control_error"] >= 100 * report["tolerance"]
    assert report["mutants"]["tried"] == report["mutants"]["caught"] >= 3
    assert {"name", "backend", "device", "dtype", "instances", "seconds"} <= report.keys()
    wrong = run("verify", "softmax-positif")
    assert wrong.returncode == 2
    assert "softmax-positive" in wrong.stderr
