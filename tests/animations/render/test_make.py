"""Whole renders of a short film: what is written, what is reused, what is never left behind."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import av
import manim
import pytest
from PIL import Image

from animations.errors import FilmError
from animations.render import record
from animations.render.make import make
from animations.render.progress import Bar
from animations.render.request import Request

pytestmark = pytest.mark.render
ROOT = Path(__file__).parents[3]
PARTS = 5  # the caption's coming, what is under it, the second beat, its going, what comes after


@pytest.fixture(autouse=True)
def same_sources(monkeypatch):
    """Take the project's code as it was when the test began."""
    monkeypatch.setattr("animations.render.sources.project_code", dict)


@pytest.fixture
def request_(film_file, tmp_path) -> Request:
    return Request("short", "shortfilm:Short", quality="l", out=tmp_path / "out", jobs=2)


def render(request):
    sys.modules.pop("shortfilm", None)
    return make(request, Bar(request.stem))


def elsewhere(request, folder):
    fields = {name: getattr(request, name) for name in request.__slots__}
    return type(request)(**(fields | {"out": request.out.with_name(folder)}))


def edit(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def left_over(out):
    return [path for path in (out / ".cache").iterdir() if path.name.startswith("work-")]


def pictures(path):
    with av.open(str(path)) as file:
        return [frame.to_ndarray().tobytes() for frame in file.decode(video=0)]


def test_everything_is_written_and_told(request_):
    result = render(request_)
    stem = request_.out / "short" / "short.zh"
    endings = ("mp4", "srt", "vtt", "chapters.txt", "poster.png", "storyboard.png")
    assert sorted(path.name for path in stem.parent.iterdir()) == sorted(
        f"short.zh.{ending}" for ending in endings
    )
    assert result["file"] == f"{stem}.mp4"
    assert (result["width"], result["height"], result["fps"]) == (854, 480, 15)
    assert (result["reused_segments"], result["rendered_segments"]) == (0, PARTS)
    assert result["checks"]["settled_frames"] == 3
    with av.open(result["file"]) as file:
        video = file.streams.video[0]
        assert (video.width, video.height, video.average_rate) == (854, 480, 15)
        assert video.frames == result["frames"] == round(result["seconds"] * 15)
        assert file.metadata["title"] == "短片"
    assert "不同的上下文，" in Path(result["srt"]).read_text(encoding="utf-8")
    assert Path(result["vtt"]).read_text(encoding="utf-8").startswith("WEBVTT\n\n00:00:00.000 -->")
    assert Path(result["chapters"]).read_text(encoding="utf-8").startswith("00:00 第一章\n")
    with Image.open(result["poster"]) as poster, Image.open(result["storyboard"]) as sheet:
        assert (poster.size, sheet.width) == ((854, 480), 1600)
    assert left_over(request_.out) == []


def test_the_manifest_says_what_each_film_was_drawn_from(request_):
    render(request_)
    entry = json.loads((request_.out / "manifest.json").read_text(encoding="utf-8"))["short.zh"]
    assert entry["file"] == "short/short.zh.mp4"
    assert list(entry["drawn_from"]) == ["apple"]
    assert {"manim", "numpy", "sympy", "typst"} <= set(entry["versions"])


def test_a_second_render_reuses_every_part(request_):
    first = render(request_)
    before = pictures(first["file"])
    second = render(request_)
    assert (second["reused_segments"], second["rendered_segments"]) == (PARTS, 0)
    assert pictures(second["file"]) == before


EDITS = {
    "timing": ("shortfilm.py", "self.wait(0.4)", "self.wait(0.6)", 1),
    "a wait more": ("shortfilm.py", "self.wait(0.4)", "self.wait(1)\n        self.wait(1)", 1),
    "last beat": ("shortfilm.py", "Rotate(self.squares, 1)", "Rotate(self.squares, 2)", 1),
    "what stays": ("shortfilm.py", "Square(0.5, color=RED)", "Square(0.6, color=RED)", 3),
    "code that shows the same": ("shortfilm.py", "self.squares =", "self.squares = pair =", 0),
    "common code": ("shortfilm.py", "class Short(Film):", "import math\nclass Short(Film):", 0),
    "words": ("words.toml", "意思就不一样了", "意思也不一样了", 4),
    "words of another language": ("words.toml", "another meaning", "another sense", 0),
}


QUICK = ("a wait more", "words")


@pytest.mark.parametrize(
    ("name", "old", "new", "drawn"),
    [
        pytest.param(*edit, id=name, marks=() if name in QUICK else pytest.mark.slow)
        for name, edit in EDITS.items()
    ],
)
def test_only_what_has_changed_is_drawn_again(request_, film_file, name, old, new, drawn):
    """The files are, byte by byte, those of a render that has nothing to go by."""
    render(request_)
    edit(film_file.with_name(name), old, new)
    again = render(request_)
    assert again["rendered_segments"] == drawn
    cold = elsewhere(request_, "cold")
    assert render(cold)["rendered_segments"] == again["reused_segments"] + drawn
    for one, other in zip(request_.files.all(), cold.files.all(), strict=True):
        assert one.read_bytes() == other.read_bytes(), one.name


def test_an_edit_that_is_undone_finds_what_was_drawn_before(request_, film_file):
    render(request_)
    edit(film_file.with_name("words.toml"), "意思就不一样了", "意思也不一样了")
    render(request_)
    edit(film_file.with_name("words.toml"), "意思也不一样了", "意思就不一样了")
    assert render(request_)["rendered_segments"] == 0


@pytest.mark.slow
def test_code_that_runs_while_a_part_plays_counts(request_, film_file):
    """A function of the film that moves things at every frame may call any other of it."""
    edit(
        film_file,
        "self.squares = VGroup(",
        "self.word.add_updater(lambda word: word.set_x(self.place()))\n"
        "        self.squares = VGroup(",
    )
    edit(film_file, "    @beat()", "    def place(self):\n        return 1.0\n\n    @beat()")
    render(request_)
    edit(film_file, "return 1.0", "return 1.5")
    assert render(request_)["rendered_segments"] == 3


@pytest.mark.slow
@pytest.mark.parametrize("change", [{"theme": "light"}, {"aspect": "9:16"}, {"lang": "en"}])
def test_other_settings_have_files_of_their_own(request_, change):
    first = render(request_)
    kind = type(request_)
    fields = {name: getattr(request_, name) for name in request_.__slots__}
    second = render(kind(**(fields | change)))
    assert second["rendered_segments"] == PARTS
    assert Path(first["file"]).exists()
    if "lang" not in change:
        assert second["file"].endswith(f"short.zh.{next(iter(change.values()))}.mp4")
    if "aspect" in change:
        assert (second["width"], second["height"]) == (480, 854)


def test_nothing_changed_is_answered_from_the_record(request_, film_file, monkeypatch):
    monkeypatch.setattr(record, "_words", lambda keys, lang: dict(keys))
    assert record.recall(request_) is None
    first = render(request_)
    again = record.recall(request_)
    assert again["rendered_segments"] == 0
    assert again["reused_segments"] == PARTS
    assert {**again, "wall_seconds": 0} == {
        **first,
        "wall_seconds": 0,
        "rendered_segments": 0,
        "reused_segments": PARTS,
    }
    Path(first["srt"]).write_text("spoiled", encoding="utf-8")
    assert record.recall(request_) is None
    render(request_)
    edit(film_file, "self.wait(0.4)", "self.wait(0.6)")
    assert record.recall(request_) is None


def test_a_beat_that_cannot_be_drawn_is_named_and_nothing_is_left(request_, film_file):
    edit(film_file, "        self.hush()", "        raise ZeroDivisionError('here')")
    with pytest.raises(ZeroDivisionError, match="here"):
        render(request_)
    assert left_over(request_.out) == []
    assert not request_.files.video.exists()


def test_a_failure_of_a_worker_alone_names_the_beat(request_, film_file):
    edit(
        film_file,
        "        self.hush()",
        "        self.hush()\n        assert self.renderer.skip_animations, 'only while drawing'",
    )
    with pytest.raises(FilmError, match=r"(?s)'ending'.*only while drawing"):
        render(request_)
    assert left_over(request_.out) == []
    edit(film_file, "        assert self.renderer.skip_animations, 'only while drawing'\n", "")
    assert render(request_)["rendered_segments"] == 1


@pytest.mark.parametrize("broken", ["encoder.Encoder.close", "encoder.again", "sections.again"])
def test_a_failure_of_the_encoder_ends_the_render(request_, monkeypatch, broken):
    def fail(*_):
        raise av.ExternalError(1, "the encoder broke")

    monkeypatch.setattr(f"animations.render.{broken}", fail)
    with pytest.raises((FilmError, av.ExternalError), match="the encoder broke"):
        render(request_)
    assert left_over(request_.out) == []
    assert [path for path in request_.out.rglob("*.*") if path.is_file()] == []


def test_a_folder_that_cannot_be_written_is_named(request_, tmp_path):
    (tmp_path / "file").write_text("in the way")
    fields = {name: getattr(request_, name) for name in request_.__slots__}
    with pytest.raises(FilmError, match="nothing can be written"):
        render(Request(**(fields | {"out": tmp_path / "file" / "out"})))


def start(film_file, out, quality="l", **environment):
    """Start a render in a process of its own."""
    code = f"""
        import sys
        from pathlib import Path
        sys.path[:0] = [{str(ROOT)!r}, {str(film_file.parent)!r}]
        from animations.render import sources
        sources.project_code = dict
        from animations.render.make import make
        from animations.render.progress import Bar
        from animations.render.request import Request
        request = Request(
            "short", "shortfilm:Short", quality={quality!r}, out=Path({str(out)!r}), jobs=2
        )
        print(make(request, Bar("short"))["rendered_segments"])
    """
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code)],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.slow
def test_names_of_segments_do_not_depend_on_the_hash_seed(film_file, tmp_path):
    first, _ = start(film_file, tmp_path / "out", PYTHONHASHSEED="1").communicate(timeout=120)
    second, _ = start(film_file, tmp_path / "out", PYTHONHASHSEED="2").communicate(timeout=120)
    assert (first, second) == (f"{PARTS}\n", "0\n")


@pytest.mark.slow
def test_two_renders_at_once_do_not_disturb_each_other(film_file, tmp_path):
    out = tmp_path / "out"
    both = [start(film_file, out), start(film_file, out)]
    answers = [process.communicate(timeout=120) for process in both]
    assert [process.returncode for process in both] == [0, 0], answers
    assert left_over(out) == []
    assert len(pictures(out / "short" / "short.zh.mp4")) > 0


@pytest.mark.slow
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_render_leaves_nothing_half_written(film_file, tmp_path, sign):
    out = tmp_path / "out"
    edit(film_file, "self.wait(0.4)", "self.play(Rotate(self.squares, 9), run_time=40)")
    process = start(film_file, out, quality="h")
    deadline = time.time() + 60
    while not list(out.glob(".cache/segments/*.json")) and time.time() < deadline:
        time.sleep(0.05)  # until one beat is ready; the long one is being drawn
    process.send_signal(sign)
    process.communicate(timeout=60)
    assert not (out / "short").exists()
    if sign == signal.SIGINT:
        assert left_over(out) == []
    time.sleep(1)  # orphaned workers notice that nobody waits for them
    ready = len(list(out.glob(".cache/segments/*.json")))
    assert 1 <= ready < PARTS
    edit(film_file, "run_time=40", "run_time=0.2")
    answer, _ = start(film_file, out, quality="h").communicate(timeout=120)
    assert int(answer) <= PARTS - ready + 1
    assert left_over(out) == []


def test_an_unknown_version_of_manim_is_drawn_with_its_own_classes(request_, monkeypatch):
    monkeypatch.setattr("manim.__version__", "0.99.0")
    result = render(request_)
    assert (result["rendered_segments"], result["reused_segments"]) == (1, 0)
    assert result["frames"] == len(pictures(result["file"]))
    assert result["checks"]["settled_frames"] == 3
    assert all(path.exists() for path in request_.files.all())
    assert left_over(request_.out) == []


LOSSLESS = (("preset", "ultrafast"), ("crf", "0"))


@pytest.mark.slow
def test_the_file_holds_the_frames_of_plain_manim(request_, film_file, monkeypatch, tmp_path):
    """Skipping, forking, cutting within a beat, bands and joining change no pixel."""
    long = "self.wait(6)\n        self.play(Rotate(self.squares, 2), run_time=1)"
    edit(film_file, "self.wait(0.4)", long)
    monkeypatch.setattr("animations.render.make.ENCODING", LOSSLESS)
    fast = render(request_)
    assert fast["rendered_segments"] == PARTS + 1
    monkeypatch.setattr("manim.__version__", "0.99.0")
    with manim.tempconfig({"video_encoder_options": dict(LOSSLESS)}):
        plain = render(Request("short", "shortfilm:Short", quality="l", out=tmp_path / "plain"))
    mine, theirs = pictures(fast["file"]), pictures(plain["file"])
    assert len(mine) == len(theirs)
    assert mine == theirs
