"""The command line keeps its contract."""

import json

import pytest

import qkv


def call(capsys, *argv):
    code = qkv.main(list(argv))
    out, err = capsys.readouterr()
    return code, out, err


def test_help_lists_every_verb(capsys):
    code, out, _ = call(capsys, "--help")
    assert code == 0
    assert all(f"  {verb} " in out for verb in qkv.all_verbs())


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
    assert f"example:\n  qkv {verb}" in capsys.readouterr().out
