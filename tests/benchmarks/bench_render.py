"""How long films take to render, beside plain `manim render` of the same scenes.

One run, 1080p60, every render in a process of its own, turn about. Pictures are compared with a
lossless render by SSIM. The bars: 2.5 times faster cold at a constant rate, no larger a file, no
lower an SSIM; 15 % of the cold time after one beat changed; 3 s when nothing has. Edits are made in
a copy of the sources.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
import time
from contextlib import contextmanager
from dataclasses import dataclass
from math import log10
from pathlib import Path

import av
import pytest

from animations import words
from animations.films import FILMS

ROOT = Path(__file__).parents[2]
FILM = os.environ.get("QKV_BENCH_FILM", "apple")
CLASS = FILMS[FILM].partition(":")[2]
ROUNDS = int(os.environ.get("QKV_BENCH_ROUNDS", "1"))

PLAIN = """
    from importlib import import_module
    from manim import tempconfig
    module, _, name = {where!r}.partition(":")
    with tempconfig({{
        "quality": "high_quality", "media_dir": {out!r}, "disable_caching": True, "seed": 0,
        "verbosity": "ERROR", "progress_bar": "none", "video_encoder_options": {options!r},
    }}):
        getattr(import_module(module), name)().render()
"""
OURS = """
    import json
    from pathlib import Path
    from animations.render.progress import Bar
    from animations.render.record import recall
    from animations.render.request import Request
    request = Request({film!r}, {where!r}, quality="h", out=Path({out!r}))
    result = recall(request)
    if result is None:
        from animations.render.make import make
        result = make(request, Bar(request.stem))
    print(json.dumps(result))
"""
PACKAGES = ("derive", "numeric", "animations")
FINE = ("other words in a caption", "a play that takes longer")  # which the bar is about


@dataclass(frozen=True)
class Run:
    """One render in a process of its own."""

    seconds: float
    cpu: float
    peak: float
    answer: str


def run(code, tree, **values):
    """Run a render of the sources in `tree`, and measure it with everything that it starts."""
    text = textwrap.dedent(code).format(where=FILMS[FILM], film=FILM, **values)
    started, peak = time.perf_counter(), 0.0
    process = subprocess.Popen(
        [sys.executable, "-c", text],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": ""},
        stdout=subprocess.PIPE,
        text=True,
    )
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            break
        peak = max(peak, memory(process.pid))
        time.sleep(0.5)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    seconds = time.perf_counter() - started
    answer = process.communicate()[0]
    return Run(seconds, usage.ru_utime + usage.ru_stime, peak, answer)


def memory(pid):
    """Return the MiB that a process and its descendants hold, what they share counted once."""
    try:
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:  # it has just ended
        return 0.0
    own = sum(int(size) for size in re.findall(r"^Pss:\s+(\d+)", rollup, re.MULTILINE)) / 1024
    return own + sum(map(memory, children))


def ssim(video, reference, log):
    """Return the mean similarity of two videos, frame by frame, in decibels."""
    with av.open(str(video)) as one, av.open(str(reference)) as other:
        streams = one.streams.video[0], other.streams.video[0]
        graph = av.filter.Graph()
        ways_in = [graph.add_buffer(template=stream) for stream in streams]
        compare = graph.add("ssim", f"stats_file={log}")
        way_out = graph.add("buffersink")
        for number, way_in in enumerate(ways_in):
            way_in.link_to(compare, 0, number)
        compare.link_to(way_out)
        graph.configure()
        decoded = [file.decode(video=0) for file in (one, other)]
        for frames in zip(*decoded, strict=True):
            for way_in, frame in zip(ways_in, frames, strict=True):
                way_in.push(frame)
            graph.pull()
        del graph, compare, way_out, ways_in  # which closes the log
    values = [float(found) for found in re.findall(r"All:([\d.]+)", log.read_text())]
    return -10 * log10(1 - sum(values) / len(values))


def median(runs):
    return sorted(runs, key=lambda one: one.seconds)[len(runs) // 2]


@pytest.mark.render
def test_render_beside_plain_manim(tmp_path):
    tree = tmp_path / "tree"
    for package in PACKAGES:
        shutil.copytree(ROOT / package, tree / package)
    plain, cold = [], []
    for number in range(ROUNDS):
        plain.append(run(PLAIN, tree, out=str(tmp_path / f"plain{number}"), options={}))
        cold.append(run(OURS, tree, out=str(tmp_path / f"ours{number}")))
    results = json.loads(cold[-1].answer)
    ours = str(tmp_path / f"ours{ROUNDS - 1}")
    files = {
        "plain": next((tmp_path / "plain0").rglob(f"1080p60/{CLASS}.mp4")),
        "ours": tmp_path / "cold.mp4",
    }
    shutil.copy(results["file"], files["ours"])
    again = {"nothing": run(OURS, tree, out=ours)}
    for name, change in edits(tree).items():
        with change():
            again[name] = run(OURS, tree, out=ours)
    run(PLAIN, tree, out=str(tmp_path / "exact"), options={"crf": "0", "preset": "ultrafast"})
    exact = next((tmp_path / "exact").rglob(f"1080p60/{CLASS}.mp4"))
    sizes = {name: path.stat().st_size for name, path in files.items()}
    alike = {name: ssim(path, exact, tmp_path / name) for name, path in files.items()}

    a, b = median(plain), median(cold)
    print(f"\n{FILM}: {results['seconds']:.1f} s of film, {results['rendered_segments']} parts")
    print(f"{'':28}{'seconds':>9}{'CPU s':>8}{'peak MiB':>10}{'KiB':>8}{'SSIM dB':>9}")
    for name, one in (("plain", a), ("ours", b)):
        size = f"{sizes[name] / 1024:8.0f}{alike[name]:9.2f}"
        print(f"{name:28}{one.seconds:9.1f}{one.cpu:8.1f}{one.peak:10.0f}{size}")
    for name, one in again.items():
        drawn = json.loads(one.answer)["rendered_segments"]
        share = f"{one.seconds / b.seconds:8.1%} of cold, {drawn} parts drawn"
        print(f"{name:28}{one.seconds:9.1f}{one.cpu:8.1f}{share}")
    print(f"plain / ours {a.seconds / b.seconds:.2f} (bar 2.5)")
    assert json.loads(again["nothing"].answer)["rendered_segments"] == 0
    assert all(
        json.loads(again[name].answer)["rendered_segments"] > 0
        for name in again
        if name != "nothing"
    )
    assert a.seconds / b.seconds >= 2.5
    assert sizes["ours"] <= sizes["plain"]
    assert alike["ours"] >= alike["plain"]
    assert again["nothing"].seconds <= 3
    assert all(again[name].seconds / b.seconds <= 0.15 for name in FINE)


def edits(tree):
    """Return changes to the film's middle beat, each to be made and undone."""
    film = tree.joinpath(*FILMS[FILM].partition(":")[0].split(".")).with_suffix(".py")
    table, source = tree / "animations" / "words.toml", film.read_text(encoding="utf-8")
    keys = re.findall(r'self\.say\(\s*"([^"]+)"', source)
    said = words.load().get(keys[len(keys) // 2], "zh")
    told = table.read_text(encoding="utf-8")
    assert told.count(f'"{said}"') == 1
    other = told.replace(f'"{said}"', f'"{said[:-1]}呢{said[-1]}"')
    times = list(re.finditer(r"run_time=(\d+\.\d+)", source))
    time_ = times[len(times) // 2]
    longer = f"run_time={float(time_[1]) + 0.4:.1f}"
    beats = list(re.finditer(r"@beat\(.*\)\n    def \w+\(self\) -> None:\n", source))
    body = beats[len(beats) // 2].end()
    mark = "        self.add(self.label('.').to_corner())\n"
    return {
        FINE[0]: lambda: written(table, other),
        FINE[1]: lambda: written(film, source[: time_.start()] + longer + source[time_.end() :]),
        "all of a beat, and what follows": lambda: written(
            film, source[:body] + mark + source[body:]
        ),
    }


@contextmanager
def written(path, text):
    """Let a file say something else for a while."""
    before = path.read_text(encoding="utf-8")
    path.write_text(text, encoding="utf-8")
    try:
        yield
    finally:
        path.write_text(before, encoding="utf-8")
