"""Attention on the CPU: ours beside torch's fused kernel, JAX, NumPy as one would first write it.

float32, 8 heads of width 64, as many threads each as BLAS has here. All run in turns in one
process; the ratios are medians of the ratios of runs of one round, with their range. Each round has
an order of its own, and each turn begins with calls that do not count: threads that have just
worked spin for a while, in the time of whoever comes next. The floor is the two matrix products
alone, in the same tiles. torch counts where it can be imported: install it elsewhere and put its
folder on PYTHONPATH.
"""

import random
import statistics
import subprocess
import sys
import time
from functools import partial

import numpy as np
import pytest

from numeric import attention, blocked, workers
from numeric.compare import max_error, tolerance

HEADS, WIDTH = 8, 64
SETTLE = 0.05  # seconds: as long as the threads of OpenBLAS and OpenMP spin
ROUNDS = {1024: 25, 4096: 5, 16384: 3}
BARS = {  # time relative to torch's kernel
    "pure": {1024: 1.6, 4096: 1.5, 16384: 1.5},
    "fused": {1024: 1.15, 4096: 1.1, 16384: 1.05},
    "pure, causal": {1024: 1.4, 4096: 1.4, 16384: 1.4},
    "fused, causal": {1024: 1.2, 4096: 1.1, 16384: 1.1},
}
LEADS = {  # time relative to pure NumPy in tiles; none fits in memory at 16384
    "naive": {1024: 1.8, 4096: 2.3},
    "JAX": {1024: 1.0, 4096: 2.5},
}


def qkv(n, heads=HEADS):
    rng = np.random.default_rng(0)
    return [rng.standard_normal((heads, n, WIDTH)).astype(np.float32) for _ in range(3)]


def pure(*arrays, **options):
    """Ours, without numba."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocked, "_fused", lambda: None)
        return attention(*arrays, **options)


def naive(q, k, v):
    scores = q @ k.swapaxes(-1, -2) / np.float32(np.sqrt(WIDTH))
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True) @ v


def floor(q, k, v):
    """The two matrix products, and nothing else."""
    output = np.zeros_like(q)

    height = blocked._height(HEADS * q.shape[1])

    def rows(head, first):
        these = slice(first, first + height)
        for key in range(0, k.shape[1], blocked.KEYS):
            keys = slice(key, key + blocked.KEYS)
            output[head, these] += (q[head, these] @ k[head, keys].T) @ v[head, keys]

    firsts = range(0, q.shape[1], height)
    workers.run(rows, [(head, first) for first in firsts for head in range(HEADS)])
    return output


def contestants(n):
    """Return the calls by name; those of the peers that are here."""
    arrays = qkv(n)
    ours = {"pure": pure, "fused": attention} if blocked._fused() else {"pure": pure}
    calls = {name: partial(call, *arrays) for name, call in ours.items()}
    calls |= {
        f"{name}, causal": partial(call, *arrays, causal="upper-left")
        for name, call in ours.items()
    }
    calls["floor"] = partial(floor, *arrays)
    calls |= torch_calls(arrays)
    if n in LEADS["naive"]:
        calls["naive"] = partial(naive, *arrays)
        calls |= jax_calls(arrays) | onnx_calls(arrays)
    return calls


def torch_calls(arrays):
    try:
        import torch
    except ImportError:
        print("\ntorch is not installed: no ratios to it")
        return {}
    torch.set_num_threads(threads())
    kernel = torch.nn.functional.scaled_dot_product_attention
    tensors = [torch.from_numpy(x)[None] for x in arrays]
    return {
        "torch": lambda: kernel(*tensors).numpy()[0],
        "torch, causal": lambda: kernel(*tensors, is_causal=True).numpy()[0],
    }


def jax_calls(arrays):
    try:
        import jax
    except ImportError:
        print("\nJAX is not installed: no ratio to it")
        return {}
    placed = [jax.numpy.asarray(np.swapaxes(x, 0, 1)[None]) for x in arrays]
    kernel = jax.jit(jax.nn.dot_product_attention)
    return {"JAX": lambda: np.swapaxes(np.asarray(kernel(*placed))[0], 0, 1)}


def onnx_calls(arrays):
    """ONNX Runtime's operator Attention, which makes the whole matrix of scores."""
    try:
        import onnxruntime
        from onnx import TensorProto, helper
    except ImportError:
        print("\nONNX Runtime and onnx are not installed: no ratio to it")
        return {}
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads()
    # Its threads would spin for as long as the others run.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    inputs = {name: x[None] for name, x in zip("QKV", arrays, strict=True)}
    tensor = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, inputs["Q"].shape)

    def call(causal):
        node = helper.make_node("Attention", list(inputs), ["Y"], is_causal=causal)
        graph = helper.make_graph([node], "attention", list(map(tensor, inputs)), [tensor("Y")])
        opset = helper.make_opsetid("", 23)
        model = helper.make_model(graph, opset_imports=[opset], ir_version=10)
        session = onnxruntime.InferenceSession(model.SerializeToString(), options)
        return lambda: session.run(None, inputs)[0][0]

    return {"ONNX Runtime": call(causal=0), "ONNX Runtime, causal": call(causal=1)}


def threads():
    return max(library["num_threads"] for library in workers._blas().info())


def in_turns(calls, rounds):
    """Return the seconds of each call in each round."""
    taken = {name: [] for name in calls}
    order, shuffle = list(calls), random.Random(0).shuffle
    for _ in range(rounds):
        shuffle(order)
        for name in order:
            end = time.perf_counter() + SETTLE
            while (start := time.perf_counter()) < end:
                calls[name]()
            calls[name]()
            taken[name].append(time.perf_counter() - start)
    return taken


def report(n, taken):
    """Print each contestant's time and ratios; return the ratios to torch and to ours, pure."""
    to = {"torch": {}, "pure": {}}
    print(
        f"\nn = {n}, {threads()} threads, BLAS kernels {workers._blas().info()[0]['architecture']}"
    )
    print(f"{'':20}{'median':>9}{'least':>9}   {'to torch':22}to ours, pure NumPy")
    for name, times in taken.items():
        line = f"{name:20}{statistics.median(times):8.4f}s{min(times):8.4f}s"
        for other, ratios in to.items():
            base = taken.get(f"{other}, causal" if "causal" in name else other)
            if base is None:
                continue
            each = [a / b for a, b in zip(times, base, strict=True)]
            ratios[name] = statistics.median(each)
            line += f"   {ratios[name]:5.2f} [{min(each):.2f}, {max(each):.2f}]"
        print(line)
    return to["torch"], to["pure"]


@pytest.mark.parametrize("n", ROUNDS)
def test_beside_the_peers(n):
    pytest.importorskip("threadpoolctl", reason="without it there are no workers to measure")
    calls = contestants(n)
    for causal, size in ((False, 1), (True, 4)):  # of an output: the first rows see few values
        kernels = [name for name in calls if ("causal" in name) == causal and name != "floor"]
        outputs = [calls[name]() for name in kernels]
        assert all(max_error(x, outputs[0]) <= tolerance("float32", n, size) for x in outputs)
    to_torch, to_pure = report(n, in_turns(calls, ROUNDS[n]))
    short = [
        f"{name}: {to_torch[name]:.2f}, wanted at most {bars[n]}"
        for name, bars in BARS.items()
        if to_torch.get(name, 0.0) > bars[n]
    ]
    short += [
        f"{name}: {to_pure[name]:.2f}, wanted at least {bars[n]}"
        for name, bars in LEADS.items()
        if n in bars and to_pure.get(name, np.inf) < bars[n]
    ]
    assert not short


def test_twice_the_tokens_take_four_times_as_long():
    calls = {n: partial(attention, *qkv(n, heads=1)) for n in (8192, 16384)}
    once, twice = (statistics.median(times) for times in in_turns(calls, 5).values())
    print(f"\none head, n = 8192: {once:.3f} s, n = 16384: {twice:.3f} s, ratio {twice / once:.2f}")
    assert twice / once <= 4.2


MEMORY = """
import resource, sys, time
import numpy as np
from numeric import attention
def now(): return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize()
def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
n = 65536
q, k, v = (np.random.default_rng(i).standard_normal((n, 64), np.float32) for i in range(3))
attention(q[:2048], k[:2048], v[:2048])  # loads what it needs
before, start = now(), time.perf_counter()
output = attention(q, k, v)
print(time.perf_counter() - start, peak() - before - output.nbytes)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is counted in other units")
def test_memory_at_65536_tokens():
    run = subprocess.run(
        [sys.executable, "-c", MEMORY], capture_output=True, text=True, check=True, timeout=600
    )
    seconds, extra = map(float, run.stdout.split())
    print(f"\none head, n = 65536: {seconds:.1f} s, {extra / 2**20:.0f} MiB beside the output")
    assert extra < 64 * 2**20
