"""The report on a GPU: its logic on a CPU; itself where there is a device."""

import json
import subprocess
import sys

import numpy as np
import pytest

from numeric import gpu_report
from numeric.backends import backend

SMALL = gpu_report.Plan(agreement=16, theorems=32, times=(16, 32), heads=2, rounds=1)


def test_where_there_is_no_device_it_says_so(monkeypatch):
    def refuse(name, **_):
        raise RuntimeError(f"no device for {name}")

    monkeypatch.setattr(gpu_report, "backend", refuse)
    document = gpu_report.report()
    assert not document["device_found"]
    assert document["libraries"] == []
    assert document["missing"]["jax"] == "RuntimeError: no device for jax"
    assert set(document["missing"]) == set(gpu_report.LIBRARIES)


@pytest.mark.slow
def test_the_report_of_a_cpu(load_library):
    load_library("jax")
    document = json.loads(json.dumps(gpu_report.report("cpu", SMALL), allow_nan=False))
    (entry,) = document["libraries"]
    assert entry["library"] == "jax"
    assert entry["agrees"], [check for check in entry["checks"] if not check["agrees"]]
    names = " ".join(check["name"] for check in entry["checks"])
    for wanted in ("softmax, float64", "backward, float32", "equivariance", "variance", "awkward"):
        assert wanted in names
    assert len(entry["attention"]) == 8
    assert all(row["seconds"] > 0 and row["extra_bytes"] >= 0 for row in entry["attention"])


def test_a_wrong_function_is_reported(monkeypatch):
    """A sign, a missing scale, an unequal treatment of the rows: each check can fail."""
    wrong = lambda q, k, v, **_: q + np.arange(len(q), dtype=q.dtype)[:, None]
    monkeypatch.setattr(gpu_report, "attention", wrong)
    on = backend("numpy")
    assert not gpu_report._equivariance(on, 16)["agrees"]
    assert not gpu_report._awkward(on)["agrees"]
    monkeypatch.setattr(gpu_report, "WIDTH", 4)
    unscaled = lambda x: 3 * np.asarray(x)
    monkeypatch.setattr(type(on), "put", lambda _, x: unscaled(x))
    assert not gpu_report._variance(on, 64)["agrees"]
    assert not gpu_report._check("", float("nan"), 1.0)["agrees"]


@pytest.mark.parametrize(("agrees", "code"), [(True, 0), (False, 1)])
def test_the_command_prints_json_and_tells_by_its_exit_code(monkeypatch, capsys, agrees, code):
    document = {"device_found": True, "libraries": [{"agrees": agrees}], "missing": {}}
    monkeypatch.setattr(gpu_report, "report", lambda: document)
    assert gpu_report.main() == code
    assert json.loads(capsys.readouterr().out) == document


@pytest.mark.gpu
def test_the_report_of_a_gpu():
    if not gpu_report.report(plan=SMALL)["device_found"]:
        pytest.skip("no CUDA device")
    command = [sys.executable, "-m", "numeric.gpu_report"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert run.returncode == 0, run.stdout
