"""What the catalogue costs: the kernel alone, then every check, then beside a peer.

The peer is tensorgrad, which simplifies tensor networks. It runs in an environment of its own:

    python -m venv /path/to/peer && /path/to/peer/bin/pip install tensorgrad   # several gigabytes
    QKV_TENSORGRAD=/path/to/peer/bin/python make bench
"""

import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import pytest

from derive import catalog
from derive.prove import examine_all
from derive.user import load_file

HERE = Path(__file__).parent
KERNEL, SLOWEST, CHECKS = 10.0, 1.0, 90.0  # seconds
RUNS = 5
TIMED = """
import json, time
import sympy.polys  # what the kernel's algebra needs
from derive import catalog

def seconds(derivation):
    start = time.process_time()
    derivation.theorem
    return time.process_time() - start

derivations = [catalog.load(name) for name in catalog.names()]
print(json.dumps({d.name: seconds(d) for d in derivations}))
"""


def test_the_kernel_proves_the_catalogue_in_seconds():
    """In a fresh process, after import, in its own processor time: nothing else counts."""
    done = subprocess.run([sys.executable, "-c", TIMED], capture_output=True, text=True, check=True)
    seconds = json.loads(done.stdout)
    assert set(seconds) == set(catalog.names())
    slowest = sorted(seconds, key=seconds.__getitem__, reverse=True)
    print(
        f"\nkernel: {len(seconds)} theorems in {sum(seconds.values()):.2f} s (bar {KERNEL:.0f} s)"
    )
    for name in slowest[:5]:
        print(f"    {seconds[name]:6.3f} s  {name}")
    assert sum(seconds.values()) <= KERNEL
    assert seconds[slowest[0]] <= SLOWEST


def test_every_check_of_the_catalogue_in_a_minute_and_a_half():
    """SymPy's second opinion, exact evaluation and the search for models, as `qkv prove` runs them."""
    start = time.perf_counter()
    reports = list(examine_all([("", name) for name in catalog.names()]))
    wall = time.perf_counter() - start
    steps = [step for report in reports for step in report.steps]
    opinions = [step.second_opinion for step in steps]
    print(f"\nchecks: {wall:.1f} s on {os.cpu_count()} cores (bar {CHECKS:.0f} s)")
    for verdict in sorted(set(opinions)):
        print(f"    {opinions.count(verdict):4} of {len(steps)} steps: SymPy {verdict}")
    for report in sorted(reports, key=lambda report: -report.check_seconds)[:5]:
        print(f"    {report.check_seconds:6.2f} s  {report.name}")
    assert all(report.as_expected for report in reports)
    assert wall <= CHECKS


# ------------------------------------------------------------------ beside tensorgrad


def ours():
    """What the peer is asked, as derivations of ours."""
    moments = load_file(str(HERE / "moments_of_a_dot_product.py"))
    tutorial = load_file(str(HERE.parents[1] / "docs" / "linear_attention.py"))
    named = ("softmax-jacobian", "softmax-jacobian-rows-sum-to-zero", "softmax-rows-sum-to-one")
    named = (*named, "softmax-shift-invariance", "linear-in-values")
    found = (*moments, *map(catalog.load, named), tutorial[0])
    return {derivation.name: derivation for derivation in found}


def median_seconds(build):
    """Processor time, as the peer measures its own."""
    seconds = []
    for _ in range(RUNS):
        start = time.process_time()
        build()
        seconds.append(time.process_time() - start)
    return statistics.median(seconds)


COMPARED = ("second moment of q·k", "fourth moment of q·k", "softmax-jacobian")


def test_beside_tensorgrad():
    mine = {name: median_seconds(derivation.build) for name, derivation in ours().items()}
    theirs = peer_says(os.environ.get("QKV_TENSORGRAD"))
    print(f"\n{'':34} {'qkv, kernel':>20} {'tensorgrad':>12}   ratio (medians of {RUNS})")
    for name, here in mine.items():
        there = theirs.get(name, {"holds": False})
        shown = f"{there['median']:10.4f} s" if there["holds"] else "not shown"
        ratio = f"{there['median'] / here:8.1f}" if there["holds"] else ""
        print(f"{name:34} {'proved':>8} {here:9.4f} s {shown:>12} {ratio}")
    others = sorted(set(catalog.names()) - set(mine))
    print(f"not asked of tensorgrad, proved here: {', '.join(others)}")
    if not theirs:
        pytest.skip("no peer to compare with: see the head of this file")
    assert mine.keys() == theirs.keys()
    for name in COMPARED:
        assert theirs[name]["holds"]
        assert mine[name] <= theirs[name]["median"]


def peer_says(python):
    """What the peer derives, in its own environment; nothing without one."""
    if not python:
        return {}
    call = [python, HERE / "peer_tensorgrad.py", str(RUNS)]
    done = subprocess.run(call, capture_output=True, text=True, check=True, timeout=600)
    return json.loads(done.stdout)
