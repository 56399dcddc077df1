"""The command line keeps its contract."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import qkv
from derive.console import Verb, choose, emit

QKV = str(Path(sys.executable).with_name("qkv"))


def call(capsys, *argv):
    code = qkv.main(list(argv))
    out, err = capsys.readouterr()
    return code, out, err


def test_help_lists_every_verb(capsys):
    code, out, _ = call(capsys, "--help")
    assert code == 0
    assert all(f"  {verb} " in out for verb in qkv.all_verbs())
    assert all(verb.help[0].islower() and verb.help[-1] != "." for verb in qkv.all_verbs().values())


def test_unknown_verb_names_the_nearest(capsys):
    code, out, err = call(capsys, "lst")
    assert (code, out) == (2, "")
    assert "did you mean list?" in err


def test_usage_error_as_json(capsys):
    code, out, _ = call(capsys, "lst", "--json")
    assert code == 2
    assert set(json.loads(out)["error"]) == {"given", "expected", "fix"}


def test_list_as_json(capsys):
    code, out, _ = call(capsys, "list", "--json")
    assert code == 0
    assert set(json.loads(out)) == {"theorems", "examples", "claims", "films"}


@pytest.mark.parametrize("verb", qkv.all_verbs())
def test_every_verb_explains_itself_with_an_example(verb, capsys):
    with pytest.raises(SystemExit) as stop:
        qkv.main([verb, "--help"])
    assert stop.value.code == 0
    example = capsys.readouterr().out.partition("\nexample:\n")[2]
    assert f"  qkv {verb}" in example


def raising(error):
    def run(args):
        raise error

    return Verb("fails", "qkv fails", lambda parser: None, run)


def test_a_missing_extra_names_the_command_that_mends_it(capsys, monkeypatch):
    error = ModuleNotFoundError("No module named 'manim'", name="manim")
    monkeypatch.setitem(qkv.HOUSE, "fails", raising(error))
    code, out, err = call(capsys, "fails")
    assert (code, out) == (2, "")
    assert "pip install '.[animations]'" in err


def test_a_system_library_that_does_not_load_points_to_doctor(capsys, monkeypatch):
    error = ImportError("libcairo.so.2: cannot open shared object file", name="cairo._cairo")
    monkeypatch.setitem(qkv.HOUSE, "fails", raising(error))
    code, _, err = call(capsys, "fails")
    assert code == 2
    assert "qkv doctor" in err


@pytest.mark.parametrize(
    "error", [ModuleNotFoundError(name="colour"), ImportError("x"), ValueError()]
)
def test_a_fault_of_our_own_is_not_blamed_on_the_call(error, monkeypatch):
    monkeypatch.setitem(qkv.HOUSE, "fails", raising(error))
    with pytest.raises(type(error)):
        qkv.main(["fails"])


def test_an_interrupt_ends_with_its_code_and_a_line(capsys, monkeypatch):
    monkeypatch.setitem(qkv.HOUSE, "fails", raising(KeyboardInterrupt()))
    assert call(capsys, "fails") == (130, "", "qkv: interrupted\n")


def test_a_closed_pipe_leaves_no_traceback():
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([QKV, "list"], stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (qkv.PIPE_CLOSED, b"")


def test_unknown_option_is_a_usage_error(capsys):
    code, _, err = call(capsys, "list", "--colour")
    assert code == 2
    assert "unrecognized arguments: --colour" in err
    assert "qkv list --help" in err


def test_choose_takes_all_when_none_is_named():
    assert choose([], ["a", "b"], "film") == ["a", "b"]
    assert choose(["b"], ["a", "b"], "film") == ["b"]


def test_emit_writes_nan_and_infinity_as_null(capsys):
    emit({"values": [1.5, float("nan"), (float("inf"), True)]})
    assert json.loads(capsys.readouterr().out) == {"values": [1.5, None, [None, True]]}


def test_doctor_as_json(capsys):
    code, out, _ = call(capsys, "doctor", "--json")
    report = json.loads(out)
    assert code == (0 if report["ok"] else 1)
    for item in report["items"]:
        assert set(item) == {"name", "found", "needed_by", "fix"}
        assert (item["fix"] is None) == bool(item["found"])


def test_doctor_is_not_ok_without_what_is_installed_for(capsys, monkeypatch):
    monkeypatch.setattr("animations.needs.find_library", lambda name: None)
    monkeypatch.setattr("animations.needs.find_spec", lambda name: True)
    code, out, _ = call(capsys, "doctor")
    assert code == 1
    assert "missing  cairo: needed by render; sudo apt-get install libcairo2-dev" in out


def test_version(capsys):
    assert call(capsys, "--version")[:2] == (0, "qkv 0.1.0\n")
