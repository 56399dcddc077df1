"""The verbs `render` and `check`, called as a person calls them."""

import json

import pytest

import qkv
from animations import films
from animations.check.inspect import Report
from animations.theme import Setting

pytestmark = pytest.mark.render
EMPTY = Report(0, 0, (), ())
FIELDS = {
    "film", "lang", "theme", "aspect", "file", "srt", "vtt", "chapters", "poster", "storyboard",
    "seconds", "frames", "fps", "width", "height", "checks", "wall_seconds", "reused_segments",
    "rendered_segments",
}  # fmt: skip


@pytest.fixture(autouse=True)
def only_film(film_file, monkeypatch):
    monkeypatch.setattr(films, "FILMS", {"short": "shortfilm:Short"})
    monkeypatch.setattr("animations.render.sources.project_code", dict)


def call(capsys, *argv):
    code = qkv.main([*map(str, argv)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_render_prints_one_document_and_keeps_progress_apart(capsys, tmp_path):
    out = tmp_path / "out"
    code, text, progress = call(
        capsys, "render", "short", "--quality", "l", "-o", out, "--jobs", 2, "--json"
    )
    (result,) = json.loads(text)
    assert set(result) == FIELDS
    assert result["file"] == str(out / "short" / "short.zh.mp4")
    # The caption of the film is shown too briefly, and told so: an outcome that differs.
    assert [finding["kind"] for finding in result["checks"]["findings"]] == ["too-fast"]
    assert code == 1
    assert progress.startswith("short.zh  ")
    assert "5 parts drawn" in progress
    assert "findings: 1, which `qkv check short` shows" in progress


WRONG = {
    "no film": (["render"], "no film"),
    "all and some": (["render", "short", "--all"], "together"),
    "unknown film": (["render", "shrt"], "did you mean short?"),
    "unknown film to check": (["check", "shrt"], "did you mean short?"),
    "no job": (["render", "short", "--jobs", "0"], "--jobs 0"),
    "quality": (["render", "short", "--quality", "z"], "invalid choice"),
    "folder": (["render", "short", "-o", "/dev/null/films"], "nothing can be written"),
}


@pytest.mark.parametrize(("argv", "says"), WRONG.values(), ids=WRONG)
def test_a_wrong_call_says_what_is_wrong(capsys, argv, says):
    code, out, err = call(capsys, *argv)
    assert (code, out) == (2, "")
    assert says in err


def test_a_wrong_call_says_so_in_json_too(capsys):
    code, out, _ = call(capsys, "render", "shrt", "--json")
    assert code == 2
    assert set(json.loads(out)["error"]) == {"given", "expected", "fix"}


def test_check_plays_every_language_of_the_film(capsys):
    code, out, _ = call(capsys, "check", "--json")
    reports = json.loads(out)
    assert [report["lang"] for report in reports] == ["zh", "en"]
    assert all(report["settled_frames"] == 3 for report in reports)
    assert code == (1 if any(report["findings"] for report in reports) else 0)


def test_check_plays_the_shape_and_the_theme_that_are_asked_for(capsys, monkeypatch):
    shown = []
    monkeypatch.setattr(
        "animations.check.inspect.inspect", lambda kind, setting: shown.append(setting) or EMPTY
    )
    code, out, _ = call(
        capsys, "check", "--lang", "zh", "--theme", "light", "--aspect", "9:16", "--json"
    )
    assert shown == [Setting("zh", "light", "9:16")]
    (report,) = json.loads(out)
    assert (report["theme"], report["aspect"]) == ("light", "9:16")
    assert code == 0


def test_check_tells_findings_in_words(capsys):
    code, out, _ = call(capsys, "check", "short", "--lang", "zh")
    assert code == 1
    assert out.startswith("short zh: 3 frames, 0 numbers checked\n  too-fast in opening at 0.0 s")
