"""How long films take to render, beside plain `manim render` of the same scenes.

One run, 1080p60, every render in a process of its own, turn about. Pictures are compared with a
lossless render by SSIM. The bars: 2.5 times faster cold at a constant rate, no larger a file, no
lower an SSIM; 15 % of the cold time after one beat changed; 3 s when nothing has.
"""

import json
import os
import re
import subprocess
import sys
import textwrap
import time
from dataclasses import dataclass
from math import log10
from pathlib import Path

import av
import pytest

from animations.films import FILMS

ROOT = Path(__file__).parents[2]
FILM = os.environ.get("QKV_BENCH_FILM", "apple")
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
    import json, sys
    from pathlib import Path
    from animations.render.progress import Bar
    from animations.render.record import recall
    from animations.render.request import Request
    from animations.render import sources
    edited = {edited!r}
    if edited:
        code = sources.beat_code
        sources.beat_code = lambda module, beats, beat: code(module, beats, beat) + (
            " edited" if beat == edited else ""
        )
        from animations.render import naming
        naming.beat_code = sources.beat_code
    request = Request({film!r}, {where!r}, quality="h", out=Path({out!r}))
    result = None if edited else recall(request)
    if result is None:
        from animations.render.make import make
        result = make(request, Bar(request.stem))
    print(json.dumps(result))
"""


@dataclass(frozen=True)
class Run:
    """One render in a process of its own."""

    seconds: float
    cpu: float
    peak: float
    answer: str


def run(code, **values):
    """Run a render, and measure it with everything that it starts."""
    text = textwrap.dedent(code).format(where=FILMS[FILM], film=FILM, **values)
    started, peak = time.perf_counter(), 0.0
    process = subprocess.Popen(
        [sys.executable, "-c", text], cwd=ROOT, stdout=subprocess.PIPE, text=True
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
    plain, cold = [], []
    for number in range(ROUNDS):
        plain.append(run(PLAIN, out=str(tmp_path / f"plain{number}"), options={}))
        cold.append(run(OURS, out=str(tmp_path / f"ours{number}"), edited=""))
    results = json.loads(cold[-1].answer)
    ours = tmp_path / f"ours{ROUNDS - 1}"
    nothing = run(OURS, out=str(ours), edited="")
    beat = _middle_beat()
    edited = run(OURS, out=str(ours), edited=beat)
    run(PLAIN, out=str(tmp_path / "exact"), options={"crf": "0", "preset": "ultrafast"})
    files = {
        "plain": next((tmp_path / "plain0").rglob(f"1080p60/{_class()}.mp4")),
        "ours": Path(results["file"]),
    }
    exact = next((tmp_path / "exact").rglob(f"1080p60/{_class()}.mp4"))
    sizes = {name: path.stat().st_size for name, path in files.items()}
    alike = {name: ssim(path, exact, tmp_path / name) for name, path in files.items()}

    a, b = median(plain), median(cold)
    print(f"\n{FILM}: {results['seconds']:.1f} s of film, {results['rendered_segments']} beats")
    print(f"{'':14}{'seconds':>9}{'CPU s':>8}{'peak MiB':>10}{'KiB':>8}{'SSIM dB':>9}")
    for name, one in (("plain", a), ("ours", b)):
        size = sizes[name] / 1024
        print(
            f"{name:14}{one.seconds:9.1f}{one.cpu:8.1f}{one.peak:10.0f}{size:8.0f}{alike[name]:9.2f}"
        )
    print(f"{'one beat':14}{edited.seconds:9.1f}{edited.cpu:8.1f}")
    print(f"{'nothing':14}{nothing.seconds:9.1f}{nothing.cpu:8.1f}")
    print(f"plain / ours {a.seconds / b.seconds:.2f} (bar 2.5)")
    print(f"one beat / cold {edited.seconds / b.seconds:.1%} (bar 15 %)")
    assert json.loads(nothing.answer)["rendered_segments"] == 0
    assert json.loads(edited.answer)["rendered_segments"] == 1
    assert a.seconds / b.seconds >= 2.5
    assert sizes["ours"] <= sizes["plain"]
    assert alike["ours"] >= alike["plain"]
    assert nothing.seconds <= 3
    assert edited.seconds / b.seconds <= 0.15


def _class():
    return FILMS[FILM].partition(":")[2]


def _middle_beat():
    from importlib import import_module

    beats = getattr(import_module(FILMS[FILM].partition(":")[0]), _class()).beats
    return beats[len(beats) // 2].name
