"""Differences from peers: JAX's attention, torch's (where installed), mpmath's arithmetic."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from numeric import attention, multi_head_attention, softmax
from numeric.compare import max_error, tolerance

ROOT = Path(__file__).parents[2]


@st.composite
def problems(draw):
    """Random shapes, masks, biases, scales; batch and heads before tokens."""
    seed = draw(st.integers(0, 2**16))
    batch, heads, n_q, n_k, d = (draw(st.integers(1, top)) for top in (2, 3, 6, 6, 8))
    rng = np.random.default_rng(seed)
    size = draw(st.sampled_from([0.1, 1.0, 30.0]))
    q = rng.standard_normal((batch, heads, n_q, d)) * size
    k, v = (rng.standard_normal((batch, heads, n_k, d)) * size for _ in range(2))
    options = {"scale": draw(st.sampled_from([None, 0.3, 1.0]))}
    if draw(st.booleans()):
        options["mask"] = rng.random((batch, heads, n_q, n_k)) < 0.7
        options["mask"][..., 0] = True  # peers disagree about rows with nothing to attend to
    if draw(st.booleans()):
        options["bias"] = rng.standard_normal((batch, heads, n_q, n_k))
    return q, k, v, options


def slack(q, k, v, options, dtype="float64"):
    """Both sides' rounding: of the scores, which the exponential amplifies, and of the sums."""
    scale = options["scale"] or q.shape[-1] ** -0.5
    scores = scale * np.abs(q) @ np.swapaxes(np.abs(k), -1, -2)
    return tolerance(dtype, q.shape[-1] + k.shape[-2], (2 + 2 * scores.max()) * np.abs(v).max())


@pytest.mark.slow
@settings(max_examples=15, deadline=None, derandomize=True)
@given(problem=problems())
def test_jax(problem):
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    jax.config.update("jax_enable_x64", True)
    q, k, v, options = problem  # JAX takes exponentials in float32 whatever comes
    q, k, v = (x.astype(np.float32) for x in (q, k, v))
    if "bias" in options:
        options["bias"] = options["bias"].astype(np.float32)
    axes = [np.swapaxes(x, 1, 2) for x in (q, k, v)]  # JAX: tokens before heads
    theirs = jax.nn.dot_product_attention(*axes, **options)
    ours = np.swapaxes(attention(q, k, v, **options), 1, 2)
    assert max_error(ours, theirs) <= slack(q, k, v, options, "float32")


@settings(max_examples=40, deadline=None, derandomize=True)
@given(problem=problems())
def test_torch(problem):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    q, k, v, options = problem
    mask, bias = options.pop("mask", None), options.pop("bias", None)
    added = np.zeros((1, 1)) if bias is None else bias
    added = added if mask is None else np.where(mask, added, -np.inf)
    theirs = torch.nn.functional.scaled_dot_product_attention(
        *map(torch.from_numpy, (q, k, v)), attn_mask=torch.from_numpy(added), **options
    )
    ours = attention(q, k, v, mask=mask, bias=bias, **options)
    assert max_error(ours, theirs.numpy()) <= slack(q, k, v, options)


def test_torch_multi_head():
    """The same layer in a known library: d_model 8, 2 heads, 6 tokens, weights averaged."""
    torch = pytest.importorskip("torch", reason="torch is not installed")
    layer = torch.nn.MultiheadAttention(8, 2, batch_first=True, bias=False, dtype=torch.float64)
    x = np.random.default_rng(0).standard_normal((2, 6, 8))
    theirs, averaged = layer(*[torch.from_numpy(x)] * 3)
    w_q, w_k, w_v = (w.T for w in np.split(layer.in_proj_weight.detach().numpy(), 3))
    ours, weights = multi_head_attention(x @ w_q, x @ w_k, x @ w_v, heads=2, return_weights=True)
    ours = ours @ layer.out_proj.weight.detach().numpy().T
    assert max_error(ours, theirs.detach().numpy()) <= tolerance("float64", 30, 10)
    assert max_error(weights.mean(1), averaged.detach().numpy()) <= tolerance("float64", 30, 2)


def exact_attention(q, k, v):
    """One query in fifty digits."""
    from mpmath import mp

    with mp.workdps(50):
        q, k, v = (np.vectorize(mp.mpf)(x.astype(float)) for x in (q, k, v))
        scores = [mp.fdot(zip(q, key, strict=True)) / mp.sqrt(len(q)) for key in k]
        exponentials = [mp.exp(score - max(scores)) for score in scores]
        total = mp.fsum(exponentials)
        return np.asarray(
            [float(mp.fdot(zip(exponentials, column, strict=True)) / total) for column in v.T]
        )


ADVERSARIAL = {
    "ordinary": (1.0, 1.0),
    "large scores": (30.0, 1.0),
    "tiny scores": (1e-3, 1.0),
    "large values": (1.0, 1e6),
    "one enormous key": (1.0, 1.0),
    "cancelling values": (0.1, 1.0),
}


@pytest.mark.parametrize("name", ADVERSARIAL)
def test_float32_against_fifty_digits(name):
    """Within what rounding of the scores and of the sum explains, on unpleasant inputs too."""
    size, values = ADVERSARIAL[name]
    rng = np.random.default_rng(7)
    q = (rng.standard_normal(16) * size).astype(np.float32)
    k = (rng.standard_normal((32, 16)) * size).astype(np.float32)
    v = (rng.standard_normal((32, 3)) * values).astype(np.float32)
    if name == "one enormous key":
        k[5] *= 1e4
    if name == "cancelling values":
        v[16:] = -v[:16]
    got = attention(q[None], k, v)[0]
    scores = (np.abs(q) @ np.abs(k).T).max() / 4
    bound = tolerance("float32", 16, 2 * scores) + tolerance("float32", 32)
    assert max_error(got, exact_attention(q, k, v)) <= bound * np.abs(v).max()


def test_error_of_softmax_in_units_of_the_last_place():
    x = np.random.default_rng(0).standard_normal((50, 40)).astype(np.float32) * 5
    exact = softmax(x.astype(np.float64))
    ulps = np.abs(softmax(x) - exact) / np.spacing(exact.astype(np.float32))
    # Half a unit of a difference d moves exp(d) by |d| / 2 units, doubled where the weight lies
    # just above a power of 2; exponential, sum and division add a few.
    assert (ulps <= 8 + np.abs(x - x.max(-1, keepdims=True))).all()


def test_everything_works_where_torch_cannot_be_imported():
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "import numpy as np, pkgutil, importlib, numeric\n"
        "for m in pkgutil.iter_modules(numeric.__path__): "
        "importlib.import_module(f'numeric.{m.name}')\n"
        "x = np.ones((2, 3)); print(numeric.attention(x, x, x).shape)\n"
        "print(numeric.verify_theorem('softmax-positive').verdict)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert done.stdout.split("\n")[:2] == ["(2, 3)", "passed"], done.stderr


# --- shapes ----------------------------------------------------------------------------------


def checked(function):
    """Return the function with its declared shapes and dtypes checked at each call."""
    from beartype import beartype
    from jaxtyping import jaxtyped

    return jaxtyped(typechecker=beartype)(function)


def test_declared_shapes_hold(arrays):
    from numeric import attention_backward
    from numeric.heads import merge_heads, split_heads
    from numeric.positions import alibi, rotate, sinusoidal

    q, k, v = (np.random.default_rng(s).standard_normal((2, 3, 4, 6)) for s in range(3))
    q, k, v = arrays.given(q, k, v)
    checked(attention)(q, k, v, causal="upper-left")
    checked(softmax)(q, axis=1)
    checked(attention_backward)(v, q, k, v)
    checked(merge_heads)(checked(split_heads)(q[0, ...], 2))
    checked(rotate)(q, layout="interleaved")
    checked(sinusoidal)(np.arange(3), 4, layout="half-split")
    checked(alibi)(2, 3, 4)


def test_declared_shapes_can_be_violated():
    from jaxtyping import TypeCheckError

    q, k = np.zeros((4, 6)), np.zeros((5, 7))
    with pytest.raises(TypeCheckError):
        checked(attention)(q, k, k)
