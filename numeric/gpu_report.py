"""What a GPU makes of the functions here: ``python -m numeric.gpu_report``.

Prints one JSON document. For each array library that finds a CUDA device: every function against
NumPy in double precision, the awkward cases of attention, two theorems at size, and attention's
time and memory. Where none finds one, the document says so and says why.
"""

import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from numeric.awkward import conformance
from numeric.backends import Backend, backend
from numeric.backward import attention_backward
from numeric.compare import max_error, tolerance
from numeric.dot_product import attention, log_softmax, softmax
from numeric.errors import NumericError
from numeric.heads import multi_head_attention
from numeric.positions import rotate

LIBRARIES = ("jax", "cupy")
WIDTH = 64


@dataclass(frozen=True)
class Plan:
    """How large everything is."""

    agreement: int = 512
    theorems: int = 4096
    times: tuple[int, ...] = (4096, 16384)
    heads: int = 8
    rounds: int = 7


def main() -> int:
    """Print the report of this machine; return 0 unless something in it disagrees."""
    document = report()
    print(json.dumps(document, indent=2))
    return 0 if all(entry["agrees"] for entry in document["libraries"]) else 1


def report(device: str = "gpu", plan: Plan | None = None) -> dict[str, Any]:
    """Return the report as plain data; another device than a GPU serves to test it."""
    entries, missing = [], {}
    for name in LIBRARIES:
        try:
            on = backend(name, device=device)
            _ready(on)
        except (NumericError, RuntimeError) as error:
            missing[name] = f"{type(error).__name__}: {error}"
            continue
        entries.append(_library(on, device, plan or Plan()))
    return {"device_found": bool(entries), "libraries": entries, "missing": missing}


def _ready(on: Backend) -> None:
    """Compute something, which is what shows that a device is there."""
    x = on.put(np.ones(2))
    if not np.array_equal(on.get(x + x), [2.0, 2.0]):
        raise NumericError(f"{on.name} on {on.device}", "1 + 1 = 2", "check the installation")


def _library(on: Backend, device: str, plan: Plan) -> dict[str, Any]:
    checks = list(_checks(on, device, plan))
    return {
        "library": on.name,
        "device": _device_name(on),
        "agrees": all(check["agrees"] for check in checks),
        "checks": checks,
        "attention": list(_times(on, plan)),
    }


def _device_name(on: Backend) -> str:
    if on.name == "cupy":
        return on.xp.cuda.runtime.getDeviceProperties(0)["name"].decode()
    return getattr(on.place, "device_kind", on.device)


# --- what is right -------------------------------------------------------------------------------


def _checks(on: Backend, device: str, plan: Plan) -> Iterator[dict[str, Any]]:
    """Yield each comparison: its error, and the error that rounding explains."""
    for dtype in ("float64", "float32"):
        here = backend(on.name, device=device, dtype=dtype)
        for name, call, arrays in _calls(plan.agreement):
            arrays = [x.astype(dtype) for x in arrays]
            wanted = _tuple(call(*(x.astype(np.float64) for x in arrays)))
            got = _tuple(call(*map(here.put, arrays)))
            error = max(max_error(here.get(a), b) for a, b in zip(got, wanted, strict=True))
            size = max(float(np.abs(x).max()) for x in wanted)
            yield _check(f"{name}, {dtype}", error, tolerance(dtype, plan.agreement, 16 + size))
        yield _equivariance(here, plan.theorems)
        yield _variance(here, plan.theorems)
    yield _awkward(on)


def _calls(n: int) -> Iterator[tuple[str, Callable[..., Any], list[np.ndarray]]]:
    rng = np.random.default_rng(0)
    q, k, v, g = (rng.standard_normal((2, n, WIDTH)) for _ in range(4))
    yield "softmax", softmax, [q]
    yield "log_softmax", log_softmax, [q]
    for causal in (None, "upper-left", "lower-right"):
        yield (
            f"attention, causal={causal}",
            partial(attention, causal=causal),
            [q, k[:, 1:], v[:, 1:]],
        )
    weights = lambda *x: attention(*x, return_weights=True)
    yield "attention with weights", weights, [q, k, v]
    yield "attention_backward", partial(attention_backward, causal="upper-left"), [g, q, k, v]
    yield "multi_head_attention", partial(multi_head_attention, heads=4), [q, k, v]
    yield "rotate", partial(rotate, layout="half-split"), [q]


def _tuple(x: Any) -> tuple:
    return x if isinstance(x, tuple) else (x,)


def _check(name: str, error: float, allowed: float) -> dict[str, Any]:
    finite = error if error < float("inf") else None
    return {"name": name, "error": finite, "tolerance": allowed, "agrees": error <= allowed}


def _equivariance(on: Backend, n: int) -> dict[str, Any]:
    """Theorem ``permutation-equivariance``: reordered tokens give reordered outputs."""
    rng = np.random.default_rng(1)
    x, order = rng.standard_normal((n, WIDTH)), rng.permutation(n)
    plain, moved = (on.get(attention(*[on.put(y)] * 3)) for y in (x, x[order]))
    size = 4 * float(np.abs(x).max())
    return _check(
        f"permutation-equivariance, {on.dtype}, n={n}",
        max_error(moved, plain[order]),
        tolerance(on.dtype, n + WIDTH, size),
    )


def _variance(on: Backend, n: int) -> dict[str, Any]:
    """Theorem ``scaled-dot-product-variance``: Var(q·k/√d) = 1.

    The variance over all pairs is that of mean ‖q‖² times mean ‖k‖², relative error √(2/(d n))
    each; five standard deviations of both together are allowed.
    """
    rng = np.random.default_rng(2)
    q, k = (on.put(rng.standard_normal((n, WIDTH))) for _ in range(2))
    scores = q @ k.T / WIDTH**0.5
    variance = float(on.xp.mean(scores * scores) - on.xp.mean(scores) ** 2)
    spread = 5 * (4 / (WIDTH * n)) ** 0.5
    return _check(f"scaled-dot-product-variance, {on.dtype}, n={n}", abs(variance - 1), spread)


def _awkward(on: Backend) -> dict[str, Any]:
    """The awkward cases, each in the dtype that it is about."""
    place = {} if on.place is None else {"device": on.place}
    put = lambda x: on.xp.asarray(x, **place) if isinstance(x, np.ndarray) else x

    def theirs(*arrays: np.ndarray, **options: Any) -> np.ndarray:
        options = {name: put(x) for name, x in options.items()}
        return on.get(attention(*map(put, arrays), **options))

    rows = conformance(theirs).rows
    differ = [row.name for row in rows if not row.agrees]
    return {"name": "awkward cases", "cases": len(rows), "differ": differ, "agrees": not differ}


# --- how fast ------------------------------------------------------------------------------------


def _times(on: Backend, plan: Plan) -> Iterator[dict[str, Any]]:
    """Yield attention's time and memory for each dtype, length, and causal or not."""
    half = "bfloat16" if on.name == "jax" else "float16"
    for n in plan.times:
        arrays = [
            np.random.default_rng(i).standard_normal((plan.heads, n, WIDTH)) for i in range(3)
        ]
        for dtype in (half, "float32"):
            placed = [on.put(x).astype(getattr(on.xp, dtype)) for x in arrays]
            for causal in (None, "upper-left"):
                measured = _measure(on, partial(attention, causal=causal), placed, plan.rounds)
                yield {"n": n, "heads": plan.heads, "dtype": dtype, "causal": causal, **measured}


def _measure(on: Backend, call: Callable, arrays: list[Any], rounds: int) -> dict[str, Any]:
    """Return the median seconds of a call, and the bytes that it needs beside its output."""
    if on.name == "jax":
        import jax

        compiled = jax.jit(call).lower(*arrays).compile()
        memory = compiled.memory_analysis().temp_size_in_bytes
        run = lambda: compiled(*arrays).block_until_ready()
        run()
    else:
        pool = on.xp.get_default_memory_pool()
        run = lambda: (call(*arrays), on.xp.cuda.Device().synchronize())
        pool.free_all_blocks()
        before = pool.total_bytes()
        output, _ = run()
        memory = pool.total_bytes() - before - output.nbytes
    taken = []
    for _ in range(rounds):
        start = time.perf_counter()
        run()
        taken.append(time.perf_counter() - start)
    return {"seconds": statistics.median(taken), "extra_bytes": int(memory)}


if __name__ == "__main__":
    sys.exit(main())
