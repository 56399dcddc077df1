"""Attention on a GPU beside torch's kernels: half precision by flash, float32 memory-efficient."""

import statistics
import time

import numpy as np
import pytest

from numeric import gpu_report

PLAN = gpu_report.Plan(agreement=64, theorems=64)
BARS = {"bfloat16": 1.1, "float32": 1.1}


def torch_seconds(torch, n, dtype, causal):
    """Return the median time of torch's kernel for the same problem."""
    from torch.nn.attention import SDPBackend, sdpa_kernel

    half = dtype != "float32"
    backend = SDPBackend.FLASH_ATTENTION if half else SDPBackend.EFFICIENT_ATTENTION
    rng = np.random.default_rng(0)
    shape = 1, PLAN.heads, n, gpu_report.WIDTH
    q, k, v = (
        torch.tensor(rng.standard_normal(shape), dtype=getattr(torch, dtype), device="cuda")
        for _ in range(3)
    )
    taken = []
    with sdpa_kernel(backend):
        for _ in range(PLAN.rounds + 1):
            torch.cuda.synchronize()
            start = time.perf_counter()
            torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=bool(causal))
            torch.cuda.synchronize()
            taken.append(time.perf_counter() - start)
    return statistics.median(taken[1:])


def test_beside_torch():
    document = gpu_report.report(plan=PLAN)
    if not document["device_found"]:
        pytest.skip(f"no CUDA device: {document['missing']}")
    torch = pytest.importorskip("torch", reason="torch is not installed")
    if not torch.cuda.is_available():
        pytest.skip("torch finds no CUDA device")
    short = []
    for entry in document["libraries"]:
        for row in entry["attention"]:
            problem = row["n"], row["dtype"], row["causal"]
            ratio = row["seconds"] / torch_seconds(torch, *problem)
            print(f"{entry['library']:6} {problem} {row['seconds']:.5f} s, to torch {ratio:.2f}")
            if row["causal"] is None and ratio > BARS.get(row["dtype"], np.inf):
                short.append((entry["library"], *problem, ratio))
    assert not short
