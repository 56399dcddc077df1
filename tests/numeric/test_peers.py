"""Differences from peers: JAX's attention, torch's (where installed), mpmath's arithmetic."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from numeric import attention, attention_backward, multi_head_attention, softmax
from numeric.compare import max_error, tolerance
from numeric.heads import merge_heads, split_heads

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


@pytest.fixture(scope="module")
def torch():
    return pytest.importorskip("torch", reason="torch is not installed")


def sdpa(torch, q, k, v, **options):
    """torch's attention on NumPy arrays; two masks become one bias."""
    mask, bias = options.pop("mask", None), options.pop("bias", None)
    if mask is not None and bias is not None:
        mask, bias = None, np.where(mask, bias, np.asarray(-np.inf, bias.dtype))
    added = bias if mask is None else mask
    options["attn_mask"] = None if added is None else torch.from_numpy(added)
    options["is_causal"] = options.pop("causal", None) is not None
    arrays = map(torch.from_numpy, (q, k, v))
    return torch.nn.functional.scaled_dot_product_attention(*arrays, **options).numpy()


@settings(max_examples=60, deadline=None, derandomize=True)
@given(problem=problems(), dtype=st.sampled_from(["float64", "float32", "float16"]), data=st.data())
def test_torch(torch, problem, dtype, data):
    """All that both offer, rows with nothing to attend to included."""
    q, k, v, options = problem
    if dtype == "float16":  # larger ones overflow when torch's scores do
        q, k, v = (x / max(1.0, np.abs(x).max()) for x in (q, k, v))
    q, k, v = (x.astype(dtype) for x in (q, k, v))
    if "bias" in options:
        options["bias"] = options["bias"].astype(dtype)
    if "mask" in options and data.draw(st.booleans()):
        options["mask"][:, :, data.draw(st.integers(0, q.shape[2] - 1))] = False
    if not {"mask", "bias"} & set(options) and data.draw(st.booleans()):
        options["causal"] = "upper-left"
    ours = attention(q, k, v, **options)
    assert ours.dtype == dtype
    assert max_error(ours, sdpa(torch, q, k, v, **options)) <= slack(q, k, v, options, dtype)


@settings(max_examples=30, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**16), groups=st.integers(1, 3), kv_heads=st.integers(1, 3))
def test_torch_with_shared_key_heads(torch, seed, groups, kv_heads):
    rng = np.random.default_rng(seed)
    q = rng.standard_normal((2, 4, groups * kv_heads * 5))
    k, v = (rng.standard_normal((2, 6, kv_heads * 5)) for _ in range(2))
    heads = groups * kv_heads
    ours = multi_head_attention(q, k, v, heads=heads, kv_heads=kv_heads)
    parts = split_heads(q, heads), split_heads(k, kv_heads), split_heads(v, kv_heads)
    theirs = sdpa(torch, *map(np.ascontiguousarray, parts), enable_gqa=True)
    wide = parts[0], *(np.repeat(x, groups, axis=1) for x in parts[1:])
    assert max_error(ours, merge_heads(theirs)) <= slack(*wide, {"scale": None})


@settings(max_examples=30, deadline=None, derandomize=True)
@given(
    seed=st.integers(0, 2**16),
    heads=st.sampled_from([1, 2, 4]),
    dtype=st.sampled_from(["float64", "float32"]),
    masked=st.booleans(),
    padded=st.booleans(),
)
def test_torch_multi_head(torch, seed, heads, dtype, masked, padded):
    """The same layer in a known library: d_model 8, 6 tokens, weights averaged over heads."""
    torch.manual_seed(seed)
    layer = torch.nn.MultiheadAttention(8, heads, batch_first=True, dtype=getattr(torch, dtype))
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((2, 6, 8)).astype(dtype)
    hidden = rng.random((6, 6)) < 0.4  # theirs: True means may not attend
    hidden[:, 0] = False
    absent = np.arange(6) >= np.asarray([[6], [4]])
    theirs, averaged = layer(
        *[torch.from_numpy(x)] * 3,
        attn_mask=torch.from_numpy(hidden) if masked else None,
        key_padding_mask=torch.from_numpy(absent) if padded else None,
    )
    mask = ~(masked & hidden) & ~(padded & absent)[:, None, None, :]
    into, back = layer.in_proj_weight.detach().numpy(), layer.out_proj
    shifts = np.split(layer.in_proj_bias.detach().numpy(), 3)
    q, k, v = (x @ w.T + b for w, b in zip(np.split(into, 3), shifts, strict=True))
    ours, weights = multi_head_attention(q, k, v, heads=heads, mask=mask, return_weights=True)
    ours = ours @ back.weight.detach().numpy().T + back.bias.detach().numpy()
    assert ours.dtype == weights.dtype == dtype
    assert max_error(ours, theirs.detach().numpy()) <= tolerance(dtype, 30, 10)
    assert max_error(weights.mean(1), averaged.detach().numpy()) <= tolerance(dtype, 30, 2)


@settings(max_examples=30, deadline=None, derandomize=True)
@given(problem=problems())
def test_torch_gradients(torch, problem):
    """Also where a row may attend to nothing."""
    q, k, v, options = problem
    if "mask" in options:
        options["mask"][:, :, 0] = False
    upstream = np.random.default_rng(1).standard_normal((*q.shape[:-1], v.shape[-1]))
    leaves = [torch.from_numpy(x).requires_grad_() for x in (q, k, v)]
    bias = options.get("bias", np.zeros((1, 1)))
    bias = np.where(options.get("mask", True), bias, -np.inf)
    out = torch.nn.functional.scaled_dot_product_attention(
        *leaves, attn_mask=torch.from_numpy(bias), scale=options["scale"]
    )
    theirs = torch.autograd.grad(out, leaves, torch.from_numpy(upstream))
    ours = attention_backward(upstream, q, k, v, **options)
    bound = slack(q, k, v, options) * np.abs(upstream).max() * q.shape[-1]
    bound *= 4 * max(1.0, np.abs(q).max(), np.abs(k).max()) * q.shape[-2]
    for mine, other in zip(ours, theirs, strict=True):
        assert max_error(mine, other.numpy()) <= bound


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


ADVERSARIAL = {  # sizes of queries and keys, of values
    "ordinary": (1.0, 1.0),
    "uneven scores": (3.0, 1.0),
    "large scores": (30.0, 1.0),
    "tiny scores": (1e-3, 1.0),
    "large values": (1.0, 1e6),
    "one enormous key": (1.0, 1.0),
    "cancelling values": (0.1, 1.0),
}
QUERIES = 16


def adversarial(name):
    size, values = ADVERSARIAL[name]
    rng = np.random.default_rng(7)
    q = (rng.standard_normal((QUERIES, 16)) * size).astype(np.float32)
    k = (rng.standard_normal((32, 16)) * size).astype(np.float32)
    v = (rng.standard_normal((32, 3)) * values).astype(np.float32)
    if name == "one enormous key":
        k[5] *= 1e4
    if name == "cancelling values":
        v[16:] = -v[:16]
    return q, k, v


@pytest.mark.parametrize("name", ADVERSARIAL)
def test_float32_against_fifty_digits(name):
    """Within what rounding of the scores and of the sum explains, on unpleasant inputs too."""
    q, k, v = adversarial(name)
    for one in q[:2]:
        scores = (np.abs(one) @ np.abs(k).T).max() / 4
        bound = tolerance("float32", 16, 2 * scores) + tolerance("float32", 32)
        got = attention(one[None], k, v)[0]
        assert max_error(got, exact_attention(one, k, v)) <= bound * np.abs(v).max()


@pytest.mark.parametrize("name", ADVERSARIAL)
def test_float32_is_no_worse_than_torch(torch, name):
    """Against fifty digits: the root mean square of the errors, up to the chance of the draw."""
    q, k, v = adversarial(name)
    exact = np.stack([exact_attention(one, k, v) for one in q])
    theirs = sdpa(torch, q[None, None], k[None, None], v[None, None])[0, 0]
    ours, theirs = (
        np.sqrt(np.mean((x.astype(np.float64) - exact) ** 2)) for x in (attention(q, k, v), theirs)
    )
    assert ours <= 1.05 * theirs


def test_error_of_softmax_in_units_of_the_last_place():
    x = np.random.default_rng(0).standard_normal((50, 40)).astype(np.float32) * 5
    exact = softmax(x.astype(np.float64))
    ulps = np.abs(softmax(x) - exact) / np.spacing(exact.astype(np.float32))
    # Half a unit of a difference d moves exp(d) by |d| / 2 units, doubled where the weight lies
    # just above a power of 2; exponential, sum and division add a few.
    assert (ulps <= 8 + np.abs(x - x.max(-1, keepdims=True))).all()


WITHOUT_TORCH = """
import importlib, pkgutil, sys

class Blocked:
    asked = []

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "torch":
            self.asked.append(name)
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Blocked())
import derive, numeric, numpy as np
for package in (derive, numeric):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        importlib.import_module(module.name)
x = np.random.default_rng(0).standard_normal((2, 4, 6))
numeric.attention(x, x, x, causal="upper-left")
numeric.multi_head_attention(x, x, x, heads=2)
numeric.attention_backward(x, x, x, x)
numeric.AttentionLayer.seeded(6, 3, seed=0)(x)
assert numeric.conformance(numeric.attention).agrees
import qkv
for call in CALLS:
    assert qkv.main(call.split()) == 0, call
print(Blocked.asked, file=sys.stderr)
"""
CALLS = [
    "list",
    "prove softmax-positive",
    "show softmax-positive --format text",
    "verify softmax-positive --backend strict",
    "claims S1",
    "example apple",
    "heatmap tokens",
]


@pytest.mark.slow
def test_everything_works_where_torch_cannot_be_imported():
    """Nor does anything ask for it."""
    code = WITHOUT_TORCH.replace("CALLS", repr(CALLS))
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines()[-1] == "[]"
    assert all(word in done.stdout for word in ("proved", "passed", "苹果", "tokens"))


# --- shapes ----------------------------------------------------------------------------------


def checked(function):
    """Return the function with its declared shapes and dtypes checked at each call."""
    from beartype import beartype
    from jaxtyping import jaxtyped

    return jaxtyped(typechecker=beartype)(function)


def test_declared_shapes_hold(arrays):
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
