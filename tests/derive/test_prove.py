"""The pipeline from derivations to reports, and the verbs that show them."""

import json
import os
import signal
import stat
import subprocess
import sys
from dataclasses import replace

import pytest

import qkv
from derive import catalog, prove
from derive.opinion import Opinion
from derive.report import Report
from derive.terminal import account, painted, summary

QUICK = ["softmax-positive", "softmax-rows-sum-to-one", "dot-product-mean"]
ROW = {
    *("name", "verdict", "statement", "assumptions", "steps", "exact_check", "model_found"),
    *("witness", "tried", "error", "seconds", "check_seconds"),
}


def call(capsys, *argv):
    code = qkv.main(list(argv))
    return (code, *capsys.readouterr())


# ------------------------------------------------------------------ reports


def test_json_is_as_the_contract_says(capsys):
    code, out, err = call(capsys, "prove", "dot-product-mean", "--json")
    (row,) = json.loads(out)
    assert (code, err) == (0, "")
    assert set(row) == ROW
    assert (row["name"], row["verdict"]) == ("dot-product-mean", "proved")
    assert row["statement"] == "E[q · k] = 0"
    assert set(row["assumptions"]) == {
        "q ⫫ k",
        "∀t: E[q[t]] = 0",
        "E[|q|¹] < ∞",
        "E[|k|¹] < ∞",
    }
    for step in row["steps"]:
        assert set(step) == {"rule", "uses", "relation", "latex", "second_opinion"}
        assert step["relation"] == "="
        assert step["second_opinion"] == "agrees"
    assert row["steps"][1]["rule"] == "independence"
    assert row["steps"][1]["uses"] == ["q ⫫ k"]
    assert r"\operatorname{E}[q_{t}] \operatorname{E}[k_{t}]" in row["steps"][1]["latex"]
    assert row["exact_check"] == {"instances": 20, "failures": 0, "not_evaluable": 0}
    assert (row["model_found"], row["witness"], row["tried"]) == (True, None, [])
    assert row["error"] is None
    assert 0 < row["seconds"] < 60
    assert 0 < row["check_seconds"] < 60


def test_a_lemma_is_named_among_the_uses():
    steps = prove.examine(catalog.load("scaled-dot-product-variance")).steps
    (cited,) = (step for step in steps if step.rule == "dot-product-variance")
    assert "dot-product-variance" in cited.uses


def test_each_part_of_a_conjunction_is_checked_exactly():
    report = prove.examine(catalog.load("softmax-jacobian-rows-sum-to-zero"))
    assert report.exact_check == {"instances": 40, "failures": 0, "not_evaluable": 0}


def test_reports_come_in_order_from_fresh_processes(monkeypatch):
    monkeypatch.setattr(prove, "WORTH_A_POOL", 2)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    reports = list(prove.examine_all([("", name) for name in QUICK]))
    assert [report.name for report in reports] == QUICK
    here = [prove.examine(catalog.load(name)) for name in QUICK]
    untimed = [replace(r, seconds=0, check_seconds=0) for r in here]
    assert [replace(r, seconds=0, check_seconds=0) for r in reports] == untimed


@pytest.mark.slow
def test_an_interrupt_ends_it_at_once_and_quietly():
    script = "import sys, qkv; sys.exit(qkv.main(['prove']))"
    started = subprocess.Popen(
        [sys.executable, "-uc", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert "proved" in started.stdout.readline()
    os.killpg(started.pid, signal.SIGINT)
    _, err = started.communicate(timeout=20)
    assert (started.returncode, err) == (130, "qkv: interrupted\n")


def test_a_dissenting_opinion_makes_the_outcome_unexpected(monkeypatch, capsys):
    monkeypatch.setattr(prove, "second_opinion", lambda *_: Opinion("disagrees"))
    code, out, _ = call(capsys, "prove", "softmax-positive")
    assert code == 1
    assert "1 disagree" in out


def test_a_failed_exact_check_makes_the_outcome_unexpected(monkeypatch, capsys):
    found = {"instances": 1, "failures": 1, "not_evaluable": 0}
    monkeypatch.setattr(prove, "exact_check", lambda *_: found)
    code, out, _ = call(capsys, "prove", "softmax-positive", "--json")
    assert code == 1
    assert json.loads(out)[0]["verdict"] == "proved"  # the kernel alone decides that


def test_contradictory_assumptions_are_told(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(
        "from derive import *\n"
        "x = Symbol('x')\n"
        "zero, one = eq(x, 0), eq(x, 1)\n"
        "@theorem('absurd', states=eq(0, 1), assuming=[zero, one])\n"
        "def proof():\n"
        "    return calc(0, given=[zero, one]).eq(x, by=zero).eq(1, by=one).qed()\n",
        encoding="utf-8",
    )
    (report,) = prove.examine_file(str(file))
    assert (report.verdict, report.model_found) == ("proved", False)
    assert "no model of them was found" in account(report)


# ------------------------------------------------------------------ text


def test_the_account_shows_lines_reasons_and_what_sympy_derived(capsys):
    code, out, _ = call(capsys, "prove", "dot-product-mean")
    assert code == 0
    assert "✓ proved  dot-product-mean" in out
    assert "    = Σ_{t=1}^d_k E[q[t]] E[k[t]]    [independence (" in out
    assert "SymPy agrees, at d_k = 2: E(k[1])*E(q[1]) + E(k[2])*E(q[2])" in out
    assert "\033" not in out  # no colour away from a terminal


def test_all_theorems_are_summed_up(capsys, monkeypatch):
    monkeypatch.setattr("derive.catalog._NAMES", "softmax-positive dot-product-mean")
    code, out, _ = call(capsys, "prove")
    assert code == 0
    assert out.count("✓ proved") == 2
    assert "2 of 2 proved" in out


def test_colour_is_for_terminals(monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert painted("x", "32") == "\033[32mx\033[0m"
    monkeypatch.setenv("NO_COLOR", "1")
    assert painted("x", "32") == "x"


def test_a_long_statement_fits_a_terminal(monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "100")
    line = summary(Report("name", {}, "proved", "x" * 500), 10)
    assert len(line) <= 120
    assert line.endswith("…")


def test_unknown_theorems_are_a_wrong_call(capsys):
    code, out, _ = call(capsys, "prove", "softmax-positiv", "--json")
    assert code == 2
    assert "did you mean softmax-positive" in json.loads(out)["error"]["fix"]


# ------------------------------------------------------------------ show


@pytest.mark.parametrize("form", ["text", "latex", "typst", "markdown", "html", "svg", "json"])
def test_show_prints_every_format(form, capfdbinary):
    assert qkv.main(["show", "softmax-positive", "--format", form]) == 0
    out = capfdbinary.readouterr().out.decode()
    assert "softmax" in out or form == "svg"
    begins = {"html": "<!", "svg": "<svg", "json": "{", "latex": r"\documentclass"}
    assert out.startswith(begins.get(form, ""))


def test_show_writes_a_file_at_once(tmp_path, capsys):
    file = tmp_path / "proof.pdf"
    file.write_bytes(b"old")
    code, out, err = call(capsys, "show", "softmax-positive", "--format", "pdf", "-o", str(file))
    assert (code, out, err) == (0, "", f"{file}\n")
    assert file.read_bytes().startswith(b"%PDF")
    assert [entry.name for entry in tmp_path.iterdir()] == ["proof.pdf"]
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(file.stat().st_mode) == 0o666 & ~umask


@pytest.mark.parametrize("where", ["nowhere/proof.txt", "."])
def test_show_says_where_it_cannot_write(where, tmp_path, capsys):
    code, _, err = call(capsys, "show", "softmax-positive", "-o", str(tmp_path / where))
    assert code == 2
    assert "expected: a file in a folder that can be written to" in err
    assert not list(tmp_path.iterdir())


def test_show_in_chinese_and_with_the_house_option(capfd):
    assert qkv.main(["show", "softmax-positive", "--lang", "zh"]) == 0
    assert "权重都是正数" in capfd.readouterr().out
    assert qkv.main(["show", "softmax-positive", "--json"]) == 0
    assert json.loads(capfd.readouterr().out)["name"] == "softmax-positive"


@pytest.mark.parametrize(
    ("options", "start"),
    [([], b"{"), (["--format", "svg"], b"<svg"), (["--format", "pdf"], b"%PDF")],
)
def test_show_prints_json_whatever_it_writes(options, start, tmp_path, capfd):
    file = tmp_path / "proof"
    call = ["show", "softmax-positive", "--json", *options]
    assert qkv.main(call) == 0
    alone = json.loads(capfd.readouterr().out)
    assert alone["name"] == "softmax-positive"
    assert qkv.main([*call, "-o", str(file)]) == 0
    assert json.loads(capfd.readouterr().out) == alone
    assert file.read_bytes().startswith(start)


def test_a_notebook_shows_a_derivation():
    derivation = catalog.load("softmax-rows-sum-to-one")
    assert derivation._repr_svg_().startswith("<svg")
    assert derivation._repr_latex_().startswith(r"$\displaystyle \sum_{j=1}^{n}")


# ------------------------------------------------------------------ example


def test_example_as_json(capsys):
    code, out, _ = call(capsys, "example", "apple", "--json")
    document = json.loads(out)
    assert code == 0
    assert [case["tokens"] for case in document["cases"]] == [
        ["我", "吃", "苹果"],
        ["苹果", "发布", "手机"],
    ]


def test_example_as_text_lines_up(capsys):
    code, out, _ = call(capsys, "example", "apple")
    assert code == 0
    assert "      我     0     1     0     0\n" in out
    assert "    苹果     0     1   0.5   0.5\n" in out
    assert "    苹果 → 吃: exp(3*sqrt(2)/2)/(2 + exp(3*sqrt(2)/2))\n" in out


def test_an_unknown_example_is_a_wrong_call(capsys):
    code, _, err = call(capsys, "example", "aple")
    assert code == 2
    assert "did you mean apple" in err
