"""Attention in tiles: the gate's edges, the merge, memory, threads.

What attention means is tested in `test_dot_product`, on every path.
"""

import math
import threading
import tracemalloc

import numpy as np
import pytest

from numeric import attention, blocked, workers
from numeric.compare import max_error, tolerance
from numeric.gate import unshifted

DTYPES = ["float32", "float64"]


@pytest.fixture(params=["numpy", "fused"])
def exponentials(request, monkeypatch):
    """Both ways of exponentiating."""
    if request.param == "fused":
        pytest.importorskip("numba", reason="numba is not installed")
    else:
        monkeypatch.setattr(blocked, "_fused", lambda: None)


@pytest.fixture
def tiny_tiles(monkeypatch):
    monkeypatch.setattr(blocked, "ROWS", 2)
    monkeypatch.setattr(blocked, "KEYS", 2)


def dense(q, k, v, **options):
    """The same by one matrix of scores."""
    return attention(q, k, v, return_weights=True, **options)[0]


def exact(q, k, v, bias=0.0, scale=1.0):
    """The same in extended precision, which has exponents to spare."""
    q, k, v = (np.asarray(x, np.longdouble) for x in (q, k, v))
    scores = scale * (q @ k.T) + bias
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True) @ v


def normal(*shape, seed=0, dtype="float32"):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


# --- the gate ----------------------------------------------------------------------------------


def one_score(score, n=1, value=1.0, dtype="float32"):
    """A query whose scores with all of n keys are ±score, all values the same."""
    q, k = np.asarray([[score]], dtype), np.ones((n, 1), dtype)
    return q, k, np.full((n, 1), value, dtype)


def passes(*arrays, **options):
    return unshifted(*arrays, **{"scale": 1.0, **options}).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [1, 1000])
@pytest.mark.parametrize("value", [1.0, 1e6, 1e-6])
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.usefixtures("exponentials")
def test_the_gate_opens_as_far_as_it_is_proved_and_no_further(dtype, n, value, sign):
    info = np.finfo(dtype)
    top = math.log(info.max) - 2 - math.log(n) - math.log(max(1, value))
    bottom = math.log(info.tiny) + 2 - math.log(min(1, value))
    edge = min(top, -bottom)
    inside, outside = edge * 0.999, edge * 1.001
    assert passes(*one_score(inside, n, value, dtype))
    assert not passes(*one_score(outside, n, value, dtype))
    for score in (inside, outside):
        q, k, v = one_score(sign * score, n, value, dtype)
        got = blocked.attend(q, k, v, scale=1.0)
        assert max_error(got / value, np.ones((1, 1))) <= tolerance(dtype, 1 + n, 1)


@pytest.mark.parametrize(
    ("score", "n", "value", "bias"),
    [
        (60.0, 2, 1e30, 0.0),  # values are large
        (-60.0, 2, 1e-30, 0.0),  # values are small
        (79.0, 5000, 1e3, 0.0),  # there are many keys
        (40.0, 2, 1.0, 60.0),  # the bias is large
        (-40.0, 2, 1.0, -70.0),
        (100.0, 2, 1.0, 0.0),  # the scores are
        (-130.0, 2, 1.0, 0.0),
    ],
)
def test_each_condition_of_the_gate_is_needed(monkeypatch, score, n, value, bias):
    monkeypatch.setattr(blocked, "_fused", lambda: None)
    q, k, v = one_score(score, n, value)
    k[-1], v[-1] = 0.9, 2 * value
    bias = np.full(n, bias, np.float32)
    want = exact(q, k, v, bias)
    near = lambda got: max_error(got / want, [[1.0]]) <= tolerance("float32", n + 100, 1)
    assert not passes(q, k, v, bias=bias)
    assert near(blocked.attend(q, k, v, scale=1.0, bias=bias))
    monkeypatch.setattr(blocked, "unshifted", lambda q, *_, **__: np.ones(len(q), bool))
    with np.errstate(all="ignore"):
        assert not near(blocked.attend(q, k, v, scale=1.0, bias=bias))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.usefixtures("exponentials", "tiny_tiles")
def test_no_size_of_anything_costs_accuracy(dtype):
    """Positive values, so that every output has a relative error to speak of."""
    rng = np.random.default_rng(0)
    info, opened = np.finfo(dtype), 0
    reach = math.log(info.max)
    for _ in range(300):
        norm, spread = rng.uniform(0, math.sqrt(reach), 2)
        q, k = ((x * rng.standard_normal((6, 3))).astype(dtype) for x in (norm, spread))
        exponents = rng.uniform(-0.4, 0.4) + rng.uniform(-0.1, 0.1, (6, 2))
        v = np.exp(reach * exponents).astype(dtype)
        bias = (rng.uniform(-1, 1) * reach + rng.standard_normal(6)).astype(dtype)
        opened += passes(q, k, v, bias=bias)
        got, want = blocked.attend(q, k, v, scale=1.0, bias=bias), exact(q, k, v, bias)
        sizes = np.linalg.norm(q, axis=1).max() * np.linalg.norm(k, axis=1).max()
        room = 1 + sizes + np.abs(bias).max()  # a score's own rounding is relative to its size
        assert max_error(got / want, np.ones((6, 2))) <= tolerance(dtype, 9, room)
    assert 20 <= opened <= 280, opened


@pytest.mark.parametrize("odd", [math.nan, math.inf, 1e30])
@pytest.mark.parametrize("which", range(3))
def test_what_is_not_finite_or_enormous_closes_the_gate(odd, which):
    arrays = [normal(3, 2, seed=s) for s in range(3)]
    assert passes(*arrays)
    arrays[which][1, 1] = odd * (1e8 if which == 2 else 1)
    assert not passes(*arrays)


def test_a_bias_that_is_not_finite_closes_the_gate():
    arrays = [normal(3, 2, seed=s) for s in range(3)]
    for odd in (math.nan, math.inf, -math.inf):
        assert not passes(*arrays, bias=np.asarray([0, odd, 0], np.float32))
    keep = np.asarray([True, False, True])
    assert passes(*arrays, bias=np.asarray([0, -math.inf, 0], np.float32), allowed=keep)


def test_the_gate_is_decided_by_what_a_row_may_see():
    q, k, v = (normal(6, 4, seed=s) for s in range(3))
    k[3], v[4] = 1e20, 1e38
    visible = np.arange(6) + 1
    assert unshifted(q, k, v, scale=0.5, visible=visible).tolist() == [True] * 3 + [False] * 3
    keep = np.asarray([1, 1, 1, 0, 0, 1], bool)
    assert unshifted(q, k, v, scale=0.5, allowed=keep).all()
    assert not unshifted(q, k, v, scale=0.5).any()


def test_one_large_query_closes_the_gate_for_itself_alone():
    q, k, v = (normal(6, 4, seed=s) for s in range(3))
    q[2] *= 1e3
    for options in ({}, {"visible": np.arange(6) + 1}, {"allowed": np.arange(6) < 4}):
        got = unshifted(q, k, v, scale=0.5, **options)
        assert got.tolist() == [True, True, False, True, True, True]


def test_without_queries_or_keys_nothing_is_shifted():
    q, k, v = (normal(6, 4, seed=s) for s in range(3))
    assert unshifted(q, k[:0], v[:0], scale=0.5).tolist() == [True] * 6
    assert unshifted(q[:0], k, v, scale=0.5).tolist() == []


def test_norms_whose_squares_vanish_still_count():
    q, k = np.full((1, 4), 1e-23, np.float32), np.full((1, 4), 4e18, np.float32)
    assert (q * q == 0).all()
    assert np.isfinite(k * k).all()
    assert 1e6 * (q.astype(float) @ k[0]) > 100
    assert not passes(q, k, np.ones((1, 1), np.float32), scale=1e6)


def test_values_of_zero_do_not_close_the_gate():
    q, k, v = (normal(3, 2, seed=s) for s in range(3))
    v[1] = 0
    assert passes(q, k, v)


def test_what_a_row_may_not_see_does_not_change_a_bit_of_it():
    """Rows that pass the gate and rows that do not, in one tile."""
    q, k, v = (normal(64, 8, seed=s) for s in range(3))
    before = blocked.attend(q, k, v, scale=1.0, causal="upper-left")
    k[32:], v[32:] = 1e6, -1e30
    after = blocked.attend(q, k, v, scale=1.0, causal="upper-left")
    np.testing.assert_array_equal(before[:32], after[:32])
    assert (before[32:] != after[32:]).all()


def test_a_softcap_bounds_the_scores():
    q, k, v = one_score(1e4)
    assert passes(q, k, v, softcap=30.0)
    assert not passes(q, k, v, softcap=90.0)


# --- no shift by the bound, and the online maximum -----------------------------------------------


@pytest.mark.usefixtures("exponentials", "tiny_tiles")
def test_the_bound_is_never_the_shift():
    q, k = np.asarray([[100.0, 0]] * 2, np.float32), np.asarray([[0, 100.0]] * 3, np.float32)
    v = np.asarray([[1.0], [2], [6]], np.float32)
    got = blocked.attend(q, k, v, scale=1.0)
    assert max_error(got, [[3.0]] * 2) <= tolerance("float32", 5, 6)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("where", [0, 3, 6])
@pytest.mark.usefixtures("exponentials", "tiny_tiles")
def test_one_enormous_key(dtype, where):
    q, k, v = (normal(7, 3, seed=s, dtype=dtype) for s in range(3))
    k[where] *= 1e6
    got = blocked.attend(q, k, v, scale=1.0)
    assert max_error(got, exact(q, k, v)) <= tolerance(dtype, 10, 4)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.usefixtures("exponentials", "tiny_tiles")
def test_a_first_block_that_is_forbidden_is_not_a_maximum_of_zero(dtype):
    scores = np.asarray([[0, 0, -200, -201]], dtype)
    v = np.arange(8, dtype=dtype).reshape(4, 2)
    hidden = np.asarray([[-math.inf, -math.inf, 0, 0]], dtype)
    got = blocked.attend(np.ones((2, 1), dtype), scores.T, v, scale=1.0, bias=hidden)
    assert max_error(got, [[4.537882842739990, 5.537882842739990]] * 2) <= tolerance(dtype, 4, 8)


@pytest.mark.usefixtures("exponentials", "tiny_tiles")
def test_half_precision_at_its_limits(monkeypatch):
    monkeypatch.setattr(blocked, "SMALLEST", 0)
    monkeypatch.setattr(blocked, "SMALLEST_HEAD", 0)
    q = np.full((2, 64), 40, np.float16)
    k = np.concatenate([q, -q[:1]])
    v = np.asarray([[65504.0], [65504], [-65504]], np.float16)
    got = attention(q, k, v)
    assert got.dtype == np.float16
    np.testing.assert_array_equal(got, [[65504]] * 2)


@pytest.mark.usefixtures("exponentials")
@pytest.mark.parametrize("causal", [None, "upper-left", "lower-right"])
@pytest.mark.parametrize("size", [1.0, 40.0])
def test_tiles_of_the_usual_size(causal, size):
    q, k, v = normal(2, 700, 16), normal(1, 600, 16, seed=1), normal(2, 600, 8, seed=2)
    got = blocked.attend(q * np.float32(size), k, v, scale=0.25, causal=causal)
    want = dense(*(x.astype(float) for x in (q * np.float32(size), k, v)), causal=causal)
    assert max_error(got, want) <= tolerance("float32", 616, size * 4)


@pytest.mark.usefixtures("tiny_tiles")
@pytest.mark.parametrize("seed", range(20))
def test_every_combination_of_options(seed):
    rng = np.random.default_rng(seed)
    n_q, n_k = rng.integers(1, 12, 2)
    size = rng.choice([1.0, 30.0])
    q, k, v = (
        rng.standard_normal((*b, n, d))
        for b, n, d in [((2, 1), n_q, 3), ((3,), n_k, 3), ((), n_k, 2)]
    )
    mask, bias = rng.random((n_q, n_k)) > 0.3, rng.standard_normal((2, 3, n_q, n_k))
    bias[rng.random(bias.shape) > 0.8] = -math.inf
    k[..., rng.integers(n_k), 0] = rng.choice([1.0, math.nan, math.inf])
    v[rng.integers(n_k), 0] = rng.choice([1.0, math.nan, math.inf, -math.inf])
    rows = lambda x: x[..., :1, :] if rng.random() < 0.5 else x
    options = {
        "mask": rng.choice([0, 1]) and rows(mask),
        "bias": rng.choice([0, 1]) and rows(bias),
        "causal": rng.choice(["", "upper-left", "lower-right"]),
        "offset": int(rng.integers(3)),
        "softcap": rng.choice([0, 2.0]),
    }
    options = {name: x for name, x in options.items() if isinstance(x, np.ndarray) or x}
    if "causal" not in options:
        options.pop("offset", None)
    if not {"mask", "bias", "causal"} & set(options):
        options["mask"] = mask
    with np.errstate(invalid="ignore"):
        got = blocked.attend(size * q, k, v, scale=0.5, **options)
        want = dense(size * q, k, v, scale=0.5, **options)
    assert max_error(got, want) <= tolerance("float64", n_k + 3, 40 * size)


# --- memory and threads --------------------------------------------------------------------------


@pytest.mark.parametrize(("n_q", "n_k"), [(2**16, 256), (256, 2**16)])
def test_memory_does_not_grow_with_the_product(n_q, n_k):
    q, k, v = normal(n_q, 64), normal(n_k, 64), normal(n_k, 64)
    attention(q[:2048], k[:2048], v[:2048])  # loads what it needs
    tracemalloc.start()
    try:
        output = attention(q, k, v)
        peak = tracemalloc.get_traced_memory()[1] - output.nbytes
    finally:
        tracemalloc.stop()
    assert peak < 48 * 2**20 < n_q * n_k * 4


def test_attention_takes_tiles_for_large_numpy_arrays_alone(monkeypatch):
    taken = []
    monkeypatch.setattr(blocked, "attend", lambda q, *_, **__: taken.append(q.shape) or q)
    monkeypatch.setattr(blocked, "SMALLEST", 16)
    monkeypatch.setattr(blocked, "SMALLEST_HEAD", 16)
    large, small = np.ones((4, 4)), np.ones((3, 4))
    for x in (small, large, np.ones((8, 2, 4)), np.ma.masked_array(large)):
        attention(x, x, x)
    attention(large, large, large, return_weights=True)
    assert taken == [(4, 4)]


def test_results_do_not_depend_on_the_workers(monkeypatch):
    q, k, v = (normal(3, 1100, 8, seed=s) for s in range(3))
    many = blocked.attend(q, k, v, scale=1.0, causal="upper-left")
    monkeypatch.setattr(workers, "_blas", lambda: None)
    one = blocked.attend(q, k, v, scale=1.0, causal="upper-left")
    assert max_error(many, one) <= tolerance("float32", 1108, 4)


@pytest.mark.parametrize(
    ("rows", "many", "height"),
    [
        (8192, 2, 1024),
        (8192, 4, 1024),
        (8192, 8, 512),
        (8192, 64, 256),
        (2048, 2, 512),
        (1, 1, 256),
    ],
)
def test_tiles_are_lower_where_workers_would_be_idle(monkeypatch, rows, many, height):
    monkeypatch.setattr(workers, "count", lambda: many)
    assert blocked._height(rows) == height


def blas_threads():
    return [library["num_threads"] for library in workers._blas().info()]


@pytest.fixture
def blas():
    pytest.importorskip("threadpoolctl", reason="threadpoolctl is not installed")
    if not workers._blas():
        pytest.skip("threadpoolctl does not know this BLAS")


@pytest.mark.usefixtures("blas")
def test_blas_has_one_thread_inside_and_as_many_as_before_outside():
    before, inside = blas_threads(), []
    workers.run(lambda: inside.append(blas_threads()), [()] * 3)
    assert all(set(threads) == {1} for threads in inside)
    assert blas_threads() == before


@pytest.mark.usefixtures("blas")
def test_there_are_as_many_workers_as_blas_had_threads_the_caller_among_them(monkeypatch):
    monkeypatch.setattr(workers._ONE_THREAD, "_threads", 3)
    monkeypatch.setattr(workers._ONE_THREAD, "_inside", 1)  # as if another caller had come first
    together, idents = threading.Barrier(3), set()

    def meet():
        together.wait(10)
        idents.add(threading.get_ident())

    assert workers.count() == 3
    workers.run(meet, [()] * 3)
    assert len(idents) == 3
    assert threading.get_ident() in idents


@pytest.mark.usefixtures("blas")
def test_callers_at_once_leave_blas_as_it_was():
    """Whoever leaves last restores, whoever came first."""
    before, meanwhile = blas_threads(), []
    first_in, second_in, first_out = (threading.Event() for _ in range(3))

    def first():
        workers.run(lambda: (first_in.set(), second_in.wait(10)), [()] * 2)
        first_out.set()

    def second():
        first_in.wait(10)
        workers.run(wait, [()] * 2)

    def wait():
        second_in.set()
        first_out.wait(10)
        meanwhile.extend(blas_threads())

    threads = [threading.Thread(target=target) for target in (first, second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(meanwhile) == {1}
    assert blas_threads() == before


def test_an_error_in_a_task_is_raised_and_blas_restored():
    before = workers._blas() and blas_threads()

    def fail(number):
        if number == 1:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        workers.run(fail, [(0,), (1,), (2,)])
    assert (workers._blas() and blas_threads()) == before


def test_workers_heed_the_callers_error_state():
    def divide(_):
        np.ones(1) / np.zeros(1)

    with np.errstate(divide="ignore"):
        workers.run(divide, [(0,), (1,)])
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        workers.run(divide, [(0,), (1,)])


# --- the compiled exponential --------------------------------------------------------------------


def test_the_compiled_exponential():
    pytest.importorskip("numba", reason="numba is not installed")
    from numeric.fused import LOWEST, exp_sum

    x = np.append(np.linspace(LOWEST, 80, 10**5), [0, -0.0, 88]).astype(np.float32)[None, :]
    got, want = x.copy(), np.exp(x.astype(np.float64))
    sums = exp_sum(got)
    assert np.max(np.abs(got - want) / np.spacing(want.astype(np.float32))) <= 1.0
    assert (got[0, -3:-1] == 1).all()
    assert abs(sums[0] / want.sum() - 1) <= tolerance(
        "float32", 100, 1
    )  # not 10⁵: many sums at once
    odd = np.asarray([[-math.inf, -1e30, -1000, -88], [math.nan] * 4], np.float32)
    sums = exp_sum(odd)
    np.testing.assert_array_equal(odd, [[0] * 4, [math.nan] * 4])
    np.testing.assert_array_equal(sums, [0, math.nan])
