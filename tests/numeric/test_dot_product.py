"""`softmax` and `attention`: what they mean, on every array library."""

import math

import numpy as np
import pytest

from numeric import NumericError, attention, blocked, log_softmax, rows, softmax
from numeric.compare import max_error, tolerance

F0_Q, F0_K = np.ones((2, 2)), np.ones((3, 2))
F0_V = np.asarray([[0.0, 1], [2, 3], [4, 5]])
F0_MASK = np.asarray([[True, True, False], [False, False, False]])


def reference(q, k, v, allowed=None, bias=0.0, scale=None):
    """Attention by plain loops in extended precision, entry by entry."""
    q, k, v = (np.asarray(x, dtype=np.longdouble) for x in (q, k, v))
    scale = 1 / np.sqrt(np.longdouble(q.shape[-1])) if scale is None else scale
    scores = np.einsum("...id,...jd->...ij", q, k) * scale + bias
    allowed = np.ones(scores.shape, bool) if allowed is None else allowed
    allowed = np.broadcast_to(allowed, scores.shape)
    weights = np.zeros(scores.shape, np.longdouble)
    for row in np.ndindex(scores.shape[:-1]):
        kept = scores[row][allowed[row]]
        if kept.size:
            exponentials = np.exp(kept - kept.max())
            weights[row][allowed[row]] = exponentials / exponentials.sum()
    return np.einsum("...ij,...jc->...ic", weights, v), weights


def normal(*shape, seed=0, dtype=np.float64):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def qkv(n_q=4, n_k=5, d_k=3, d_v=2, batch=(), seed=0, dtype=np.float64):
    rng = np.random.default_rng(seed)
    shapes = (n_q, d_k), (n_k, d_k), (n_k, d_v)
    return [rng.standard_normal((*batch, *shape)).astype(dtype) for shape in shapes]


# --- softmax ---------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    ("row", "weights"),
    [
        ([2.0, 1.0, 0.1], [0.6590011388859679, 0.2424329707047139, 0.0985658904093182]),
        ([1.0, 2.0, 3.0], [0.0900305731703805, 0.2447284710547976, 0.6652409557748219]),
        ([0.3, 2.0], [0.1544652650835347, 0.8455347349164653]),
        ([800.0, 1.0, 1.0], [1.0, 0.0, 0.0]),
        ([-800.0, -800.0], [0.5, 0.5]),
        ([0.0, -math.inf], [1.0, 0.0]),
        ([-math.inf, -math.inf], [0.0, 0.0]),
    ],
)
def test_softmax_of_a_row(arrays, row, weights, dtype):
    got = softmax(arrays.given(np.asarray(row, dtype)))
    assert got.dtype == getattr(arrays.xp, dtype)
    assert max_error(got, weights) <= tolerance(dtype, len(row))


def test_softmax_axis(arrays):
    x = normal(2, 3, 4)
    for axis in range(-3, 3):
        sums = np.asarray(softmax(arrays.given(x), axis=axis)).sum(axis)
        assert max_error(sums, np.ones_like(sums)) <= tolerance("float64", 4)


def test_softmax_of_a_batch_of_one_over_the_batch_axis_is_one(arrays):
    assert (np.asarray(softmax(arrays.given([[0.3, 2.0]]), axis=0)) == 1).all()


def test_masked_softmax_renormalises(arrays):
    x, keep = normal(6, 5), normal(6, 5, seed=1) > 0
    keep[2] = False
    x[~keep] = np.nan
    got = np.asarray(softmax(arrays.given(x), mask=arrays.given(keep)))
    assert (got[~keep] == 0).all()
    assert max_error(got.sum(-1), keep.any(-1).astype(float)) <= tolerance("float64", 5)


@pytest.mark.parametrize("x", [[0.0, math.nan], [math.inf, 0.0]])
def test_softmax_propagates_what_is_not_a_number(arrays, x):
    with np.errstate(invalid="ignore"):
        assert np.isnan(np.asarray(softmax(arrays.given(x)))).any()


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (2, 0, 4)])
def test_softmax_of_nothing(arrays, shape):
    for axis in range(len(shape)):
        assert softmax(arrays.given(np.zeros(shape)), axis=axis).shape == shape
        assert log_softmax(arrays.given(np.zeros(shape)), axis=axis).shape == shape


def test_log_softmax_where_weights_underflow(arrays):
    got = log_softmax(arrays.given([1000.0, 0.0, -math.inf]))
    np.testing.assert_array_equal(np.asarray(got), [0.0, -1000.0, -np.inf])


def test_log_softmax_is_the_logarithm_of_softmax(arrays):
    x, keep = normal(6, 5), normal(6, 5, seed=1) > 0
    keep[2] = False
    logs = log_softmax(arrays.given(x), mask=arrays.given(keep))
    weights = np.asarray(softmax(arrays.given(x), mask=arrays.given(keep)))
    assert (np.asarray(logs)[~keep] == -np.inf).all()
    assert max_error(np.exp(np.asarray(logs)), weights) <= tolerance("float64", 5, 4)


# --- attention: values -----------------------------------------------------------------------


@pytest.mark.parametrize("batch", [(), (2,), (2, 3)])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_attention_against_loops(arrays, batch, dtype):
    q, k, v = qkv(batch=batch, dtype=dtype)
    output, weights = attention(*arrays.given(q, k, v), return_weights=True)
    want_output, want_weights = reference(q, k, v)
    assert output.dtype == weights.dtype == getattr(arrays.xp, dtype)
    assert max_error(weights, want_weights) <= tolerance(dtype, 5, 4)
    assert max_error(output, want_output) <= tolerance(dtype, 5, 4 * np.abs(v).max())


def test_output_is_weights_times_values(arrays):
    q, k, v = qkv(batch=(2,))
    output, weights = attention(*arrays.given(q, k, v), return_weights=True)
    assert max_error(output, np.asarray(weights) @ v) <= tolerance("float64", 5, np.abs(v).max())
    in_order = blocked.SMALLEST > 0 and rows.SCORES > 7  # parts take the same sums in another order
    slack = 0.0 if in_order else tolerance("float64", 5, 4 * np.abs(v).max())
    assert max_error(output, attention(*arrays.given(q, k, v))) <= slack


def test_batch_axes_broadcast(arrays):
    q, k, v = qkv(batch=(2, 1))[0], *qkv(batch=(3,), seed=1)[1:]
    assert max_error(attention(*arrays.given(q, k, v)), reference(q, k, v)[0]) <= tolerance(
        "float64", 5, 10
    )


def test_worked_example_of_the_address_book(arrays):
    k = np.asarray([[1.0, 0, 1, 0], [1, 0, 0, 1], [0, 1, 1, 0]])
    q = np.asarray([[3.0, 0, 3, 0], [3, 0, 0, 3], [0, 3, 3, 0], [0, 3, 0, 3]])
    got = attention(*arrays.given(q, k, np.eye(3)))
    scaled = np.asarray([[3, 1.5, 1.5], [1.5, 3, 0], [1.5, 0, 3], [0, 1.5, 1.5]])
    want = np.exp(scaled) / np.exp(scaled).sum(-1, keepdims=True)
    assert max_error(got, want) <= tolerance("float64", 3)


def test_scale_is_one_over_the_root_of_d_k_not_of_d_model(arrays):
    q, k, v = qkv(d_k=64)
    assert (
        max_error(attention(*arrays.given(q, k, v)), attention(*arrays.given(q, k, v), scale=1 / 8))
        <= 0.0
    )


@pytest.mark.parametrize("scale", [0, 0.5, -1.0, np.float64(0.25), 2])
def test_scale_is_applied_before_softmax_and_keeps_the_dtype(arrays, scale):
    q, k, v = qkv(dtype="float32")
    got, weights = attention(*arrays.given(q, k, v), scale=scale, return_weights=True)
    assert got.dtype == arrays.xp.float32
    want = reference(q, k, v, scale=float(scale))
    assert max_error(weights, want[1]) <= tolerance("float32", 5, 8)
    assert max_error(np.asarray(weights).sum(-1), np.ones(4)) <= tolerance("float32", 5)


def test_softcap_bends_the_scores(arrays):
    q, k, v = qkv()
    cap = 0.7
    scores = cap * np.tanh(q @ k.T / math.sqrt(3) / cap)
    want = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True) @ v
    assert max_error(attention(*arrays.given(q, k, v), softcap=cap), want) <= tolerance(
        "float64", 5, 4
    )


def test_non_contiguous_views_are_the_same(arrays):
    q, k, v = (np.swapaxes(normal(2, 7, 3, 4, seed=s), 1, 2) for s in range(3))
    copies = [np.ascontiguousarray(x) for x in (q, k, v)]
    views = [x if arrays.xp is np else arrays.given(x) for x in (q, k, v)]
    np.testing.assert_array_equal(
        np.asarray(attention(*views)), np.asarray(attention(*arrays.given(*copies)))
    )


def test_inputs_are_never_written_to():
    q, k, v = qkv()
    bias, mask = normal(4, 5, seed=3), normal(4, 5, seed=4) > 0
    before = [x.copy() for x in (q, k, v, bias, mask)]
    attention(q, k, v, bias=bias, mask=mask, softcap=2.0, causal="lower-right")
    for x, old in zip((q, k, v, bias, mask), before, strict=True):
        np.testing.assert_array_equal(x, old)


# --- masks, biases, dead rows ----------------------------------------------------------------


@pytest.mark.parametrize("form", ["mask", "bias"])
def test_a_row_with_nothing_to_attend_to_is_zero(arrays, form):
    bias = np.where(F0_MASK, 0.0, -np.inf)
    options = {"mask": arrays.given(F0_MASK)} if form == "mask" else {"bias": arrays.given(bias)}
    output, weights = attention(*arrays.given(F0_Q, F0_K, F0_V), **options, return_weights=True)
    np.testing.assert_array_equal(np.asarray(output), [[1, 2], [0, 0]])
    np.testing.assert_array_equal(np.asarray(weights), [[0.5, 0.5, 0], [0, 0, 0]])


@pytest.mark.parametrize("seed", range(4))
def test_mask_and_bias_against_loops(arrays, seed):
    q, k, v = qkv(batch=(2, 3), seed=seed)
    mask = normal(2, 1, 4, 5, seed=seed + 10) > 0.2
    bias = np.where(normal(3, 4, 5, seed=seed + 20) > 1, -np.inf, normal(3, 4, 5, seed=seed + 30))
    got = attention(*arrays.given(q, k, v), mask=arrays.given(mask), bias=arrays.given(bias))
    allowed = mask & (bias > -np.inf)
    want, _ = reference(q, k, v, allowed, np.where(bias > -np.inf, bias, 0.0))
    assert max_error(got, want) <= tolerance("float64", 5, 8 * np.abs(v).max())


def test_a_large_finite_bias_stays_arithmetic(arrays):
    bias = np.where(F0_MASK, 0.0, -1e9)
    got = attention(*arrays.given(F0_Q, F0_K, F0_V), bias=arrays.given(bias))
    np.testing.assert_allclose(np.asarray(got), [[1, 2], [2, 3]], rtol=tolerance("float64", 3))


def test_a_constant_bias_per_row_changes_nothing(arrays):
    q, k, v = qkv()
    bias = np.broadcast_to(normal(4, 1, seed=5), (4, 5))
    assert max_error(
        attention(*arrays.given(q, k, v), bias=arrays.given(bias)),
        attention(*arrays.given(q, k, v)),
    ) <= tolerance("float64", 5, 8)


@pytest.mark.parametrize(
    ("shape", "align", "allowed"),
    [
        ((2, 5), "upper-left", [[1, 0, 0, 0, 0], [1, 1, 0, 0, 0]]),
        ((2, 5), "lower-right", [[1, 1, 1, 1, 0], [1, 1, 1, 1, 1]]),
        ((5, 2), "lower-right", [[0, 0], [0, 0], [0, 0], [1, 0], [1, 1]]),
        ((5, 2), "upper-left", [[1, 0], [1, 1], [1, 1], [1, 1], [1, 1]]),
        ((3, 3), "upper-left", [[1, 0, 0], [1, 1, 0], [1, 1, 1]]),
        ((3, 3), "lower-right", [[1, 0, 0], [1, 1, 0], [1, 1, 1]]),
    ],
)
def test_causal_alignment_by_name(arrays, shape, align, allowed):
    q, k, v = qkv(*shape)
    got = attention(*arrays.given(q, k, v), causal=align)
    assert max_error(got, reference(q, k, v, np.asarray(allowed, bool))[0]) <= tolerance(
        "float64", 5, 8
    )


@pytest.mark.parametrize("n_past", [0, 1, 3])
def test_offset_is_the_number_of_cached_keys(arrays, n_past):
    q, k, v = qkv(6, 6)
    whole = np.asarray(attention(*arrays.given(q, k, v), causal="upper-left"))
    block = attention(*arrays.given(q[n_past:], k, v), causal="upper-left", offset=n_past)
    assert max_error(block, whole[n_past:]) <= tolerance("float64", 6, 8)


def test_one_query_upper_left_sees_the_first_key_only(arrays):
    q, k, v = qkv(1, 4)
    got = attention(*arrays.given(q, k, v), causal="upper-left")
    np.testing.assert_array_equal(np.asarray(got), v[:1])
    last = attention(*arrays.given(q, k, v), causal="lower-right")
    assert max_error(last, attention(*arrays.given(q, k, v))) <= 0.0


@pytest.mark.parametrize("form", ["causal", "mask", "bias"])
def test_the_future_cannot_affect_the_past(arrays, form):
    q, k, v = qkv(6, 6)
    lower = np.tril(np.ones((6, 6), bool))
    options = {
        "causal": {"causal": "upper-left"},
        "mask": {"mask": arrays.given(lower)},
        "bias": {"bias": arrays.given(np.where(lower, 0.0, -np.inf))},
    }[form]
    before = np.asarray(attention(*arrays.given(q, k, v), **options))
    k, v = k.copy(), v.copy()
    k[3:], v[3:] = 1e6, -1e6
    after = np.asarray(attention(*arrays.given(q, k, v), **options))
    np.testing.assert_array_equal(before[:3], after[:3])
    assert (before[3:] != after[3:]).all()


@pytest.mark.parametrize("poison", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("where", ["k", "v"])
@pytest.mark.parametrize("form", ["mask", "bias", "causal"])
def test_a_forbidden_entry_never_leaks_and_an_allowed_one_does(arrays, poison, where, form):
    q, k, v = qkv(4, 4, seed=2)
    clean = np.asarray(attention(*arrays.given(q, k, v), causal="upper-left"))
    lower = np.tril(np.ones((4, 4), bool))
    {"k": k, "v": v}[where][2] = poison
    options = {
        "causal": {"causal": "upper-left"},
        "mask": {"mask": arrays.given(lower)},
        "bias": {"bias": arrays.given(np.where(lower, 0.0, -np.inf))},
    }[form]
    got = np.asarray(attention(*arrays.given(q, k, v), **options))
    assert max_error(got[:2], clean[:2]) <= tolerance("float64", 4, 8)
    assert not np.isfinite(got[2:]).any()


def test_infinity_in_an_allowed_value_stays_infinity(arrays):
    v = F0_V.copy()
    v[0, 0], v[1, 1], v[2] = np.inf, -np.inf, np.nan
    got = attention(*arrays.given(F0_Q, F0_K, v), mask=arrays.given(F0_MASK))
    np.testing.assert_array_equal(np.asarray(got), [[np.inf, -np.inf], [0, 0]])


def test_opposite_infinities_and_nan_in_allowed_values_give_nan(arrays):
    v = F0_V.copy()
    v[0, 0], v[1, 0], v[1, 1] = np.inf, -np.inf, np.nan
    got = attention(*arrays.given(F0_Q, F0_K, v), mask=arrays.given(F0_MASK))
    np.testing.assert_array_equal(np.asarray(got), [[np.nan, np.nan], [0, 0]])


@pytest.mark.parametrize(
    ("n_q", "n_k", "d_v", "batch"),
    [
        (2, 0, 2, ()),
        (0, 3, 2, ()),
        (0, 0, 2, ()),
        (2, 3, 0, ()),
        (2, 3, 2, (0,)),
        (0, 2, 0, (0, 2)),
    ],
)
@pytest.mark.parametrize("causal", [None, "upper-left", "lower-right"])
def test_empty_batches_and_sequences(arrays, n_q, n_k, d_v, batch, causal):
    q, k, v = qkv(n_q, n_k, 2, d_v, batch)
    output, weights = attention(*arrays.given(q, k, v), causal=causal, return_weights=True)
    assert output.shape == (*batch, n_q, d_v)
    assert weights.shape == (*batch, n_q, n_k)
    if n_k == 0:
        assert (np.asarray(output) == 0).all()


# --- half precision --------------------------------------------------------------------------


def test_float32_scales_before_the_product():
    """3e18² · 64 is out of range; an eighth of it is not."""
    q = np.full((1, 64), 3e18, np.float32)
    got = attention(q, np.concatenate([q, q / 2]), np.asarray([[1], [0]], np.float32))
    np.testing.assert_array_equal(got, [[1]])


@pytest.mark.parametrize("library", ["numpy", pytest.param("jax", marks=pytest.mark.slow)])
def test_half_precision_scales_before_the_product(load_library, library):
    xp = load_library(library)
    q = xp.asarray(np.full((1, 64), 40, np.float16))
    k = xp.asarray(np.stack([np.full(64, 40), np.full(64, 39)]).astype(np.float16))
    v = xp.asarray(np.asarray([[1.0], [0.0]], np.float16))
    got = attention(q, k, v)
    assert got.dtype == xp.float16
    assert np.asarray(got) == 1.0


@pytest.mark.parametrize("library", ["numpy", pytest.param("jax", marks=pytest.mark.slow)])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_accumulates_in_float32(load_library, library, dtype):
    xp = load_library(library)
    if not hasattr(xp, dtype):
        pytest.skip(f"{library} has no {dtype} of its own")
    q, k, v = (xp.astype(xp.asarray(x), getattr(xp, dtype)) for x in qkv(8, 4096, 64, 16))
    got = np.asarray(attention(q, k, v)).astype(np.float64)
    exact, _ = reference(*(np.asarray(x).astype(np.float64) for x in (q, k, v)))
    eps = float(xp.finfo(getattr(xp, dtype)).eps)
    # One rounding at the end; the float32 sum in between is far below it.
    assert max_error(got, exact) <= eps * np.abs(exact).max() + tolerance("float32", 4096, 4) / 64


def test_masked_half_precision_needs_no_sentinel():
    q, k, v = (x.astype(np.float16) for x in (F0_Q, F0_K, F0_V))
    np.testing.assert_array_equal(attention(q, k, v, mask=F0_MASK), [[1, 2], [0, 0]])


# --- calls without a right answer ------------------------------------------------------------


def error_of(call):
    with pytest.raises(NumericError) as info:
        call()
    error = info.value
    assert all((error.given, error.expected, error.fix))
    assert str(error) == f"given {error.given}; expected {error.expected}; {error.fix}"
    return error


@pytest.mark.parametrize("dtype", ["int64", "int32", "uint8", "bool", "complex64", "complex128"])
def test_only_real_floats(xp, dtype):
    q = xp.ones((2, 2), dtype=getattr(xp, dtype))
    assert dtype in error_of(lambda: attention(q, q, q)).given
    error_of(lambda: softmax(q))
    error_of(lambda: log_softmax(q))


def test_mixed_dtypes(arrays):
    q, k, v = qkv()
    error = error_of(lambda: attention(*arrays.given(q.astype("float32"), k, v)))
    assert "float32" in error.given
    assert "float64" in error.given
    bias = arrays.given(np.zeros((4, 5), "float32"))
    error_of(lambda: attention(*arrays.given(q, k, v), bias=bias))


def test_mixed_libraries(load_library):
    strict = load_library("strict")
    q, k, v = qkv()
    error = error_of(lambda: attention(strict.asarray(q), k, v))
    assert "one library" in error.expected
    error_of(lambda: attention(q, k, v, mask=strict.ones((4, 5), dtype=strict.bool)))


def test_mixed_devices(load_library):
    strict = load_library("strict")
    q, k, v = (strict.asarray(x) for x in qkv())
    error = error_of(lambda: attention(q, strict.asarray(k, device=strict.Device("device1")), v))
    assert "device1" in error.given


def test_lists_and_numbers_are_no_arrays():
    assert "list" in error_of(lambda: attention([[1.0]], [[1.0]], [[1.0]])).given
    assert "float" in error_of(lambda: softmax(1.0)).given


@pytest.mark.parametrize("kind", ["float64", "float32", "int64", "uint8"])
@pytest.mark.parametrize("values", [[[1, 1, 0], [0, 0, 0]], [[1, 1, 1], [1, 1, 1]]])
def test_a_mask_must_be_boolean(arrays, kind, values):
    mask = arrays.given(np.asarray(values, kind))
    error = error_of(lambda: attention(*arrays.given(F0_Q, F0_K, F0_V), mask=mask))
    assert kind in error.given
    assert "m != 0" in error.fix
    error_of(lambda: softmax(arrays.given(F0_V[:2]), mask=mask))


@pytest.mark.parametrize(
    "shapes",
    [
        [(2, 3), (4, 2), (4, 2)],
        [(2, 3), (4, 3), (5, 2)],
        [(3,), (4, 3), (4, 2)],
        [(2, 3), (3,), (4, 2)],
        [(), (), ()],
        [(2, 2, 3), (3, 4, 3), (3, 4, 2)],
        [(2, 3, 2, 3), (2, 4, 3), (2, 4, 2)],
        [(2, 0), (4, 0), (4, 2)],
    ],
)
def test_wrong_shapes(arrays, shapes):
    error = error_of(lambda: attention(*arrays.given(*map(np.zeros, shapes))))
    assert str(shapes[0]) in error.given


@pytest.mark.parametrize("name", ["mask", "bias"])
@pytest.mark.parametrize("shape", [(3, 2), (2, 2), (4, 2, 3), (2, 4), (1, 1, 2, 3)])
def test_masks_and_biases_must_fit_the_scores(arrays, name, shape):
    value = np.ones(shape, bool if name == "mask" else float)
    call = {name: arrays.given(value)}
    error = error_of(lambda: attention(*arrays.given(F0_Q, F0_K, F0_V), **call))
    assert str(shape) in error.given


@pytest.mark.parametrize("shape", [(), (1,), (3,), (1, 3), (2, 1), (2, 3)])
def test_masks_broadcast_to_the_scores(arrays, shape):
    got = attention(*arrays.given(F0_Q, F0_K, F0_V), mask=arrays.given(np.ones(shape, bool)))
    assert max_error(got, [[2, 3], [2, 3]]) <= tolerance("float64", 3, 5)


def test_key_padding_masks_columns(arrays):
    q, k, v = qkv(2, 3, batch=(4, 1))
    keep = np.asarray([[1, 1, 1], [1, 1, 0], [1, 0, 0], [0, 0, 0]], bool)[:, None, None, :]
    got = np.asarray(attention(*arrays.given(q, k, v), mask=arrays.given(keep)))
    assert max_error(got, reference(q, k, v, keep)[0]) <= tolerance("float64", 3, 8)
    assert (got[3] == 0).all()


@pytest.mark.parametrize("causal", [True, False, "upper_left", "top-left", 0, ""])
def test_causal_alignment_is_never_guessed(arrays, causal):
    error = error_of(lambda: attention(*arrays.given(F0_Q, F0_K, F0_V), causal=causal))
    assert repr(causal) in error.given
    assert "lower-right" in error.expected


@pytest.mark.parametrize("scale", [math.nan, math.inf, "8", True, [1.0], 1j, None])
@pytest.mark.parametrize("name", ["scale", "softcap"])
def test_factors_are_finite_numbers(arrays, name, scale):
    if scale is None:
        assert attention(*arrays.given(F0_Q, F0_K, F0_V), **{name: None}).shape == (2, 2)
        return
    error_of(lambda: attention(*arrays.given(F0_Q, F0_K, F0_V), **{name: scale}))


@pytest.mark.parametrize("cap", [0.0, -1.0])
def test_softcap_is_positive(arrays, cap):
    error_of(lambda: attention(*arrays.given(F0_Q, F0_K, F0_V), softcap=cap))


def test_offset_needs_causal(arrays):
    error_of(lambda: attention(*arrays.given(F0_Q, F0_K, F0_V), offset=1))


@pytest.mark.parametrize("axis", [1, -2, 5])
def test_softmax_axis_must_exist(arrays, axis):
    error_of(lambda: softmax(arrays.given([1.0, 2.0]), axis=axis))


def test_errors_survive_pickling():
    import pickle

    error = NumericError("a", "b", "c")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
