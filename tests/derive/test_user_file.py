"""A user's own file: what holds is proved; a slip is found by its line, with numbers if false."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from textwrap import dedent

import pytest

import derive
import qkv
from derive import chain, syntax
from derive.console import UsageError
from derive.prove import examine_file
from derive.terminal import account
from derive.user import load_file
from derive.witness import in_lines

HEADER = """\
from derive import *

n, d, d_k = ranges("n d d_k")
i, j, l = indices("i j l", n)
t, u = indices("t u", d_k)
X, W, s = Array("X", (n, d)), Array("W", (d, d_k)), Array("s", (n,))
Q, K = Array("Q", (n, d_k)), Array("K", (n, d_k))
q, k = Array("q", (d_k,), random=True), Array("k", (d_k,), random=True)
dot = Sum(t, q[t] * k[t])
white = forall((t, u), eq(E(q[t] * q[u]), delta(t, u)))
unit = forall(t, eq(E(k[t] ** 2), 1))
apart = independent(q, k)
softmax = Definition("softmax", (s,), (j,), exp(s[j]) / Sum(l, exp(s[l])))
"""

TEMPERATURE = """
T = Symbol("T")

@theorem("temperature", states=eq(Sum(j, softmax(Lambda(l, s[l] / T))[j]), 1),
         assuming=[inhabited(n)])
def temperature():
    '''Softmax with a temperature sums to one.'''
    return (
        calc(Sum(j, softmax(Lambda(l, s[l] / T))[j]), given=[inhabited(n)])
        .eq(Sum(j, exp(s[j] / T) / Sum(l, exp(s[l] / T))), by=softmax)
        .eq(Sum(j, exp(s[j] / T)) / Sum(l, exp(s[l] / T)))
        .eq(1)
        .qed()
    )
"""


@pytest.fixture
def write(tmp_path):
    def write(body, header=HEADER):
        file = tmp_path / "mine.py"
        file.write_text(header + dedent(body), encoding="utf-8")
        return str(file)

    return write


def line_of(file, mark="# slip"):
    lines = Path(file).read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if mark in line)


def test_derive_offers_every_word_of_a_derivation():
    words = {
        name
        for name, value in vars(syntax).items()
        if callable(value) and value.__module__ == "derive.syntax" and name[0] != "_"
    }
    assert {"Sum", "eq"} < words
    assert words | set(chain.__all__) <= set(derive.__all__)


def test_what_holds_is_proved(write):
    (report,) = examine_file(write(TEMPERATURE))
    assert (report.verdict, report.error) == ("proved", None)
    assert report.as_expected
    assert report.assumptions == ("0 < n",)
    assert [step.second_opinion for step in report.steps] == ["agrees"] * 3


# Each slip: its lines, what the verdict is, what the account must mention.
SLIPS = {
    "forgotten assumption": (
        """
        @theorem("second-moment", states=eq(E(q[t] * q[t] * k[t] ** 2), 1), assuming=[white, apart])
        def proof():
            return (
                calc(E(q[t] * q[t] * k[t] ** 2), given=[white, apart])
                .eq(E(q[t] * q[t]) * E(k[t] ** 2), by=independence)
                .eq(1, by=white)  # slip
                .qed()
            )
        """,
        "refuted",
        "assumption",
    ),
    "wrong index": (
        """
        @theorem("score", states=eq(Sum(t, Q[i, t] * K[j, t]), Sum(t, Q[j, t] * K[i, t])))
        def proof():
            return (
                calc(Sum(t, Q[i, t] * K[j, t]))
                .eq(Sum(t, Q[j, t] * K[i, t]))  # slip
                .qed()
            )
        """,
        "refuted",
        "algebra",
    ),
    "swapped factors": (
        """
        matmul = Definition("matmul", (X, W), (i, t), Sum(l, X[i, l] * W[l, t]))  # slip
        """,
        "unknown",
        "entry",
    ),
    "missing root": (
        """
        a, b = Lambda(j, Q[i, t] * Q[j, t]), Lambda(j, Q[i, t])
        @theorem("norm", states=eq(sqrt(d_k.size) * sqrt(d_k.size), d_k.size))
        def proof():
            return (
                calc(sqrt(d_k.size) * sqrt(d_k.size))
                .eq(d_k.size * sqrt(d_k.size))  # slip
                .eq(d_k.size)
                .qed()
            )
        """,
        "unknown",
        "algebra",
    ),
    "wrong bound": (
        """
        @theorem("count", states=eq(Sum((t, u), delta(t, u)), n.size))
        def proof():
            return (
                calc(Sum((t, u), delta(t, u)))
                .eq(Sum(t, 1))
                .eq(n.size)  # slip
                .qed()
            )
        """,
        "refuted",
        "algebra",
    ),
    "wrong sign": (
        """
        @theorem("difference", states=eq((s[i] - s[j]) ** 2, s[i] ** 2 - s[j] ** 2))
        def proof():
            return (
                calc((s[i] - s[j]) ** 2)
                .eq(s[i] ** 2 - 2 * s[i] * s[j] + s[j] ** 2)
                .eq(s[i] ** 2 - s[j] ** 2)  # slip
                .qed()
            )
        """,
        "refuted",
        "algebra",
    ),
    "dropped factor": (
        """
        @theorem("sum", states=eq(Sum(j, 2 * s[j]), Sum(j, s[j])))
        def proof():
            return calc(Sum(j, 2 * s[j])).eq(Sum(j, s[j])).qed()  # slip
        """,
        "refuted",
        "algebra",
    ),
    "wrong transpose": (
        """
        @theorem("transpose", states=eq(Sum(t, Q[i, t] * K[j, t]), 0))
        def proof():
            return calc(Sum(t, Q[i, t] * K[t, j])).eq(0).qed()  # slip
        """,
        "refuted",
        "entry K",
    ),
    "float constant": (
        """
        half = 0.5 * s[i]  # slip
        """,
        "unknown",
        "0.5",
    ),
    "undefined name": (
        """
        @theorem("undefined", states=eq(softmax(s)[j], softmax(s)[j]))
        def proof():
            return calc(softmax(s)[j]).eq(sofmax(s)[j]).qed()  # slip
        """,
        "unknown",
        "sofmax",
    ),
    "exponential of a sum": (
        """
        @theorem("exp", states=eq(exp(s[i] + s[j]), exp(s[i]) + exp(s[j])))
        def proof():
            return calc(exp(s[i] + s[j])).eq(exp(s[i]) + exp(s[j])).qed()  # slip
        """,
        "refuted",
        "algebra",
    ),
    "syntax": (
        """
        @theorem("syntax", states=eq(n.size, n.size)  # slip
        def proof():
            return calc(n.size).qed()
        """,
        "unknown",
        "syntax",
    ),
    "Python's own comparison": (
        """
        if s[i] < s[j]:  # slip
            pass
        """,
        "unknown",
        "lt(a, b)",
    ),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_is_found_by_its_line(write, slip):
    body, verdict, mention = SLIPS[slip]
    file = write(body)
    (report,) = examine_file(file)
    assert report.verdict == verdict, report.error.message
    assert (report.error.file, report.error.line) == (file, line_of(file))
    assert mention in report.error.message
    assert (report.witness is not None) == (verdict == "refuted" or slip == "missing root")
    assert not report.as_expected


def test_a_false_line_comes_with_numbers_that_refute_it(write):
    (report,) = examine_file(write(SLIPS["wrong sign"][0]))
    assert report.witness["claimed"] == "="
    assert report.witness["left"] != report.witness["right"]
    assert report.witness["left"] in report.error.message


def test_an_unproved_line_of_a_true_statement_is_unknown_and_says_what_would_do(write):
    body = """
    @theorem("product", states=eq(E(q[t] * k[u]), E(q[t]) * E(k[u])), assuming=[apart])
    def proof():
        return calc(E(q[t] * k[u]), given=[apart]).eq(E(q[t]) * E(k[u])).qed()  # slip
    """
    file = write(body)
    (report,) = examine_file(file)
    assert (report.verdict, report.witness) == ("unknown", None)
    assert report.error.line == line_of(file)
    assert "by=: independence" in report.error.message
    assert "small models, for a counterexample" in report.tried


def test_a_proof_of_another_statement_is_refused(write):
    body = """
    @theorem("other", states=eq(Sum(j, 1), n.size + 1))  # slip
    def proof():
        return calc(Sum(j, 1)).eq(n.size).qed()
    """
    file = write(body)
    (report,) = examine_file(file)
    assert (report.verdict, report.error.line) == ("refuted", line_of(file))
    assert report.error.got == "Σ_{j=1}^n 1 = n"
    assert report.error.expected == "Σ_{j=1}^n 1 = n + 1"


def test_a_true_statement_with_another_proof_is_unknown(write):
    body = """
    @theorem("other", states=eq(Sum(j, 2), 2 * n.size))  # slip
    def proof():
        return calc(Sum(j, 1)).eq(n.size).qed()
    """
    file = write(body)
    (report,) = examine_file(file)
    assert (report.verdict, report.error.line, report.witness) == ("unknown", line_of(file), None)


def test_an_undeclared_assumption_is_refused_where_it_is_used(write):
    body = """
    @theorem("unit", states=eq(E(k[t] ** 2), 1))
    def proof():
        return calc(E(k[t] ** 2)).eq(1, by=unit).qed()  # slip
    """
    file = write(body)
    (report,) = examine_file(file)
    assert (report.verdict, report.error.line) == ("refuted", line_of(file))
    assert report.error.got == "∀t: E[k[t]²] = 1"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            """
    @theorem("other", states=eq(Sum(j, s[j]), 0))
    def proof():
        return calc(Sum(j, s[j])).eq(Sum(j, 1)).eq(0).qed()
    """,
            "itself is false, for example with\n    n = 1\n    s = (1)\n    left: 1   right: 0",
        ),
        (
            """
    @theorem("same", states=eq(Sum(j, s[j]), 0))
    def proof():
        return calc(Sum(j, s[j])).eq(0).qed()
    """,
            "The statement itself is false, with the same numbers.\n",
        ),
    ],
    ids=["other-numbers", "same-numbers"],
)
def test_what_refutes_a_statement_is_shown_whole_but_not_twice(body, said, write):
    (report,) = examine_file(write(body))
    page = account(report)
    assert said in page
    assert page.count("\n".join(f"    {line}" for line in in_lines(report.witness))) == 1


def test_a_forgotten_qed_is_said(write):
    body = """
    @theorem("unfinished", states=eq(Sum(j, 1), n.size))  # slip
    def proof():
        return calc(Sum(j, 1)).eq(n.size)
    """
    file = write(body)
    (report,) = examine_file(file)
    assert (report.verdict, report.error.line) == ("unknown", line_of(file))
    assert "end the chain with .qed(), and return it" in report.error.message


@pytest.mark.parametrize("states", ["n.size == n.size", "n.size", "Sum(j, 1)"])
def test_a_statement_that_is_none_is_said(write, states):
    body = f"""
    @theorem("none", states={states})  # slip
    def proof():
        return calc(Sum(j, 1)).eq(n.size).qed()
    """
    file = write(body)
    (report,) = examine_file(file)
    assert report.error.line == line_of(file)
    assert "eq(a, b)" in report.error.message


def test_a_file_that_exits_is_reported_too(write):
    file = write("import sys\nsys.exit(0)  # slip\n" + TEMPERATURE)
    (report,) = examine_file(file)
    assert (report.verdict, report.error.line) == ("unknown", line_of(file))


def test_several_derivations_are_all_reported_and_one_mistake_hides_no_other(write):
    reports = list(examine_file(write(dedent(SLIPS["wrong sign"][0]) + TEMPERATURE)))
    assert [(r.name, r.verdict) for r in reports] == [
        ("difference", "refuted"),
        ("temperature", "proved"),
    ]


def test_two_of_one_name_are_refused(write):
    (report,) = examine_file(write(TEMPERATURE + TEMPERATURE))
    assert "a second 'temperature'" in report.error.message


def test_two_functions_of_one_name_are_both_reported(write):
    again = TEMPERATURE.replace('"temperature"', '"again"')
    assert [found.name for found in load_file(write(TEMPERATURE + again))] == [
        "temperature",
        "again",
    ]


def test_derivations_of_other_files_are_not_proved_again(write):
    body = "from derive.catalog.softmax_positive import proof as lemma\n" + TEMPERATURE
    assert [found.name for found in load_file(write(body))] == ["temperature"]


def test_a_file_may_import_its_neighbour(write, tmp_path):
    (tmp_path / "neighbour_of_mine.py").write_text("from derive import *\n", encoding="utf-8")
    assert load_file(write(TEMPERATURE, HEADER + "import neighbour_of_mine\n"))
    assert str(tmp_path) not in sys.path
    assert not list(tmp_path.glob("__pycache__/mine*"))


def test_an_error_in_an_imported_file_points_to_the_import(write, tmp_path):
    (tmp_path / "broken_neighbour.py").write_text("1 / 0\n", encoding="utf-8")
    file = write("import broken_neighbour  # slip\n")
    (report,) = examine_file(file)
    assert report.error.line == line_of(file)
    assert "ZeroDivisionError" in report.error.message


@pytest.mark.parametrize("body", ["", "x = 1\n"])
def test_a_file_that_proves_nothing_is_a_wrong_call(write, body):
    with pytest.raises(UsageError, match="nothing is proved"):
        load_file(write(body))


# ------------------------------------------------------------------ on the command line


def call(capsys, *argv):
    code = qkv.main(list(argv))
    return (code, *capsys.readouterr())


def test_the_command_proves_a_file(write, capsys):
    code, out, err = call(capsys, "prove", write(TEMPERATURE), "--json")
    (row,) = json.loads(out)
    assert (code, err) == (0, "")
    assert (row["name"], row["verdict"], row["error"]) == ("temperature", "proved", None)


def test_the_command_stops_at_a_wrong_line_without_a_traceback(write, capsys):
    file = write(SLIPS["wrong sign"][0])
    code, out, err = call(capsys, "prove", file)
    assert (code, err) == (1, "")
    assert "Traceback" not in out
    assert f"{file}:{line_of(file)}: by algebra the line before gives" in out
    assert re.search(r"left: \S+   right: \S+   claimed: =", out)


def test_the_error_as_json(write, capsys):
    file = write(SLIPS["wrong sign"][0])
    code, out, _ = call(capsys, "prove", file, "--json")
    (row,) = json.loads(out)
    assert code == 1
    assert row["error"] == {
        "file": file,
        "line": line_of(file),
        "rule": "algebra",
        "got": "s[i]² − 2 s[i] s[j] + s[j]²",
        "expected": "= s[i]² − s[j]²",
    }


def test_what_a_file_prints_does_not_disturb_the_json(write, capsys):
    noisy = TEMPERATURE.replace("    return (", "    print('in the proof')\n    return (")
    code, out, err = call(capsys, "prove", write("print('in the file')\n" + noisy), "--json")
    assert code == 0
    assert json.loads(out)[0]["verdict"] == "proved"
    assert "in the file" in err
    assert "in the proof" in err


def test_a_missing_file_is_a_wrong_call(capsys):
    code, out, _ = call(capsys, "prove", "no_such_file.py", "--json")
    assert code == 2
    assert "no_such_file.py" in json.loads(out)["error"]["given"]


@pytest.mark.parametrize(
    "argv", [["--watch"], ["--watch", "softmax-positive"], ["a.py", "--watch", "--json"]]
)
def test_watch_wants_one_file_and_a_reader(argv, capsys):
    code, out, err = call(capsys, "prove", *argv)
    assert code == 2
    assert "qkv prove --watch my_proofs.py" in out + err


def test_watch_wants_a_file_that_is_there(capsys):
    assert call(capsys, "prove", "--watch", "none.py")[0] == 2


def test_watch_proves_again_after_a_change(write):
    file = write(SLIPS["dropped factor"][0])
    script = "import sys, qkv; sys.exit(qkv.main(sys.argv[1:]))"
    watch = subprocess.Popen(
        [sys.executable, "-uc", script, "prove", "--watch", file],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "PYTHONUTF8": "1"},
    )
    try:
        seen = _until(watch, "watching")
        assert "✗ refuted  sum" in seen
        write("from derive import *\n")
        assert "nothing is proved" in _until(watch, "watching")
        write(TEMPERATURE)
        assert "✓ proved  temperature\n" in _until(watch, "watching")
        watch.send_signal(signal.SIGINT)
        assert watch.wait(timeout=20) == 130
    finally:
        watch.kill()
        watch.stdout.close()


def _until(process, mark, seconds=60):
    lines, end = [], time.monotonic() + seconds
    while time.monotonic() < end:
        lines.append(process.stdout.readline())
        if mark in lines[-1]:
            break
    return "".join(lines)
