"""ONNX's own conformance cases, run from the `onnx` package through our functions.

Not offered, and so not compared: the second output of cases that ask for raw scores
(`qk_matmul_output_mode` 0 to 2); their main output is. The cases in ``ROUNDED`` were computed in
half precision throughout and rounded at each step, which we do not imitate: there our result
must be nearer to the exact one than theirs.
"""

import numpy as np
import pytest

from numeric import attention, log_softmax, softmax
from numeric.awkward import conformance
from numeric.heads import merge_heads, split_heads
from numeric.onnx_cases import ROUNDED, as_call
from numeric.onnx_cases import cases as found
from numeric.positions import rotate_by

onnx = pytest.importorskip("onnx", reason="the onnx package is not installed")
AFTER_SOFTMAX = 3
pytestmark = pytest.mark.slow  # importing onnx's cases takes seconds


def cases(module, operator):
    return [pytest.param(case, id=case.name) for case in found(module, operator)]


def first(case):
    """The output that every case has."""
    return next(iter(case.outputs.values()))


def agree(got, want, case):
    got, want = np.asarray(got), np.asarray(want)
    assert got.shape == want.shape
    assert got.dtype == want.dtype
    got, want = got.astype(np.float64), want.astype(np.float64)
    np.testing.assert_allclose(got, want, rtol=case.rtol, atol=case.atol)


def library_for(dtype):
    """NumPy, except for the one dtype that it lacks."""
    if dtype.name != "bfloat16":
        return np
    pytest.importorskip("jax", reason="bfloat16 needs JAX")
    import jax.numpy as jnp

    return jnp


def onnx_attention(given, settings):
    call = as_call(given, settings)
    to = library_for(call.q.dtype).asarray
    options = {n: to(x) if isinstance(x, np.ndarray) else x for n, x in call.options.items()}
    output, weights = attention(to(call.q), to(call.k), to(call.v), **options, return_weights=True)
    return merge_heads(output) if call.flat else output, *call.present, weights


@pytest.mark.parametrize("case", cases("attention", "Attention"))
def test_attention(case):
    if case.name in ROUNDED:
        return nearer_to_the_exact(case)
    got, wanted = onnx_attention(case.inputs, case.settings), case.outputs
    agree(got[0], wanted["Y"], case)
    if "present_key" in wanted:
        agree(got[1], wanted["present_key"], case)
        agree(got[2], wanted["present_value"], case)
    if case.settings.get("qk_matmul_output_mode") == AFTER_SOFTMAX:
        agree(got[3], wanted["qk_matmul_output"], case)
    return None


def nearer_to_the_exact(case):
    wide = {
        name: x.astype(np.float64) if x.dtype.kind in "fV" or x.dtype.name == "bfloat16" else x
        for name, x in case.inputs.items()
    }
    theirs = case.outputs["Y"]
    exact = onnx_attention(wide, case.settings)[0]
    ours = np.asarray(onnx_attention(case.inputs, case.settings)[0])
    assert ours.dtype == theirs.dtype
    errors = [np.abs(x.astype(np.float64) - exact).max() for x in (ours, theirs)]
    assert errors[0] < errors[1]


@pytest.mark.parametrize("case", cases("softmax", "Softmax"))
def test_softmax(case):
    (x,) = case.inputs.values()
    agree(softmax(x, axis=case.settings.get("axis", -1)), first(case), case)


@pytest.mark.parametrize("case", cases("logsoftmax", "LogSoftmax"))
def test_log_softmax(case):
    (x,) = case.inputs.values()
    agree(log_softmax(x, axis=case.settings.get("axis", -1)), first(case), case)


@pytest.mark.parametrize("case", cases("rotaryembedding", "RotaryEmbedding"))
def test_rotary_embedding(case):
    settings, given = case.settings, case.inputs
    x, cos, sin = given["input"], given["cos_cache"], given["sin_cache"]
    flat = x.ndim == 3
    if flat:
        x = split_heads(x, settings["num_heads"])
    if "position_ids" in given:
        cos, sin = cos[given["position_ids"]], sin[given["position_ids"]]
    layout = "interleaved" if settings.get("interleaved") else "half-split"
    got = rotate_by(x, cos[:, None], sin[:, None], layout=layout)
    agree(merge_heads(got) if flat else got, first(case), case)


def test_any_function_runs_through_the_cases():
    ours = conformance(attention, onnx=True)
    theirs = [row for row in ours.rows if row.name.startswith("onnx ")]
    assert len(theirs) >= 50
    assert all(row.agrees for row in theirs)


def test_a_wrong_kernel_is_shown():
    unscaled = lambda q, k, v, **options: attention(q, k, v, **{"scale": 1.0, **options})
    rows = [r for r in conformance(unscaled, onnx=True).rows if r.name.startswith("onnx ")]
    assert sum(not row.agrees for row in rows) > len(rows) / 2


def test_there_are_cases():
    counts = [
        len(cases(*home))
        for home in (
            ("attention", "Attention"),
            ("softmax", "Softmax"),
            ("logsoftmax", "LogSoftmax"),
            ("rotaryembedding", "RotaryEmbedding"),
        )
    ]
    assert min(counts) >= 5
    assert counts[0] >= 60
