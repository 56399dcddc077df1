"""Attention a few rows at a time on JAX, and the rules for its fused kernel."""

import numpy as np
import pytest

from numeric import attention, cudnn, rows
from numeric.compare import max_error, tolerance


@pytest.fixture
def jax(load_library):
    load_library("jax")
    import jax

    return jax


def qkv(n_q=7, n_k=5, batch=(2,), seed=0, d_v=3):
    rng = np.random.default_rng(seed)
    shapes = (n_q, 4), (n_k, 4), (n_k, d_v)
    return [rng.standard_normal((*batch, *shape)) for shape in shapes]


@pytest.mark.slow
@pytest.mark.parametrize("causal", [None, "upper-left", "lower-right"])
@pytest.mark.parametrize("compiled", [False, True])
def test_jax_takes_few_rows_at_a_time(jax, monkeypatch, causal, compiled):
    q, k, v = qkv()
    mask = np.random.default_rng(1).random((7, 5)) > 0.3
    bias = np.where(mask[:1], 0.5, -np.inf)
    v[0, 4] = np.nan
    want = attention(q, k, v, mask=mask, bias=bias, causal=causal)
    monkeypatch.setattr(rows, "SCORES", 2 * 5 * 3)  # 3, 3 and 1 rows
    call = lambda q, k, v: attention(
        q, k, v, mask=jax.numpy.asarray(mask), bias=jax.numpy.asarray(bias), causal=causal
    )
    got = (jax.jit(call) if compiled else call)(*map(jax.numpy.asarray, (q, k, v)))
    assert max_error(got, want) <= tolerance("float64", 9, 8)


@pytest.mark.slow
def test_gradients_are_the_same(jax, monkeypatch):
    q, k, v = map(jax.numpy.asarray, qkv(n_k=8))
    dead = jax.numpy.arange(8) < jax.numpy.arange(7)[:, None]  # the first row sees nothing
    loss = lambda q, k, v: (attention(q, k, v, mask=dead) ** 2).sum()
    want = jax.grad(loss, (0, 1, 2))(q, k, v)
    monkeypatch.setattr(rows, "SCORES", 2 * 8 * 2)
    got = jax.grad(loss, (0, 1, 2))(q, k, v)
    for ours, theirs in zip(got, want, strict=True):
        assert max_error(ours, theirs) <= tolerance("float64", 20, 10)


@pytest.mark.slow
def test_the_matrix_of_scores_is_never_there(jax):
    n = 2**15
    shape = jax.ShapeDtypeStruct((n, 8), jax.numpy.float32)
    for options in ({}, {"causal": "upper-left"}):
        call = jax.jit(lambda q, k, v, options=options: attention(q, k, v, **options))
        memory = call.lower(shape, shape, shape).compile().memory_analysis()
        assert memory.temp_size_in_bytes < n * n  # a quarter of the scores


def test_any_library_takes_few_rows_at_a_time(load_library, monkeypatch):
    strict, (q, k, v) = load_library("strict"), qkv()
    want = attention(q, k, v, causal="lower-right")
    sizes = []
    monkeypatch.setattr(rows, "SCORES", 2 * 5 * 3)
    inner = rows.attend
    monkeypatch.setattr(rows, "attend", lambda *x, **o: sizes.append(o["shape"]) or inner(*x, **o))
    got = attention(*map(strict.asarray, (q, k, v)), causal="lower-right")
    assert max_error(got, want) <= tolerance("float64", 9, 8)
    assert sizes == [(2, 7, 5)]


def test_one_row_is_never_split():
    assert not rows.applies((1, rows.SCORES + 1))
    assert rows.applies((2, rows.SCORES))
    assert not rows.applies((1, rows.SCORES // 2, 2))


# --- the fused kernel ------------------------------------------------------------------------------


class OnGpu:
    platform = "gpu"


@pytest.fixture
def half(jax, monkeypatch):
    """Arrays that the kernel is for, but that they are not on a GPU."""
    monkeypatch.setattr(cudnn, "device", lambda _: OnGpu)
    return [jax.numpy.asarray(x, jax.numpy.bfloat16) for x in np.ones((3, 2, 8, 16))]


def test_the_kernel_is_taken_only_where_it_means_the_same(half):
    q, k, v = half
    assert cudnn.applies(q, k, v, mask=None, bias=None, causal=None, softcap=None)
    for option in ("mask", "bias", "causal", "softcap"):
        assert not cudnn.applies(q, k, v, **{option: 1.0})
    single = [x.astype("float32") for x in half]
    narrow = [x[..., :12] for x in half]
    for arrays in (single, narrow, (q[0], k, v), (q, k, v[..., :8]), (q, k[:, :0], v[:, :0])):
        assert not cudnn.applies(*arrays)
    assert not cudnn.applies(*np.ones((3, 2, 8, 16), np.float16))


def test_the_kernel_is_not_taken_on_a_cpu(jax):
    assert not cudnn.applies(*jax.numpy.ones((3, 8, 16), jax.numpy.bfloat16))


@pytest.mark.slow
def test_the_kernel_is_called_as_it_wants_to_be(half, monkeypatch):
    """By the implementation that a CPU has; the arguments are the same."""
    arrays = [np.asarray(x, np.float32) * np.linspace(-1, 1, 16, dtype=np.float32) for x in half]
    q, k, v = (x + np.arange(8, dtype=np.float32)[:, None] / 8 for x in arrays)
    got = cudnn.attend(
        *(half[0].astype("float32") * 0 + x for x in (q, k, v)), scale=0.3, implementation="xla"
    )
    assert got.shape == q.shape
    assert max_error(got, attention(q, k, v, scale=0.3)) <= tolerance("float32", 24, 8)
    taken = []
    monkeypatch.setattr(cudnn, "attend", lambda *_, scale: taken.append(scale) or "theirs")
    assert attention(*half) == "theirs"
    assert taken == [0.25]
