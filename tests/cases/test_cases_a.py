"""What people stumble over when they compute attention: rows A of the field's cases.

Only what no other test holds; the smallest input that shows each fault, and its right value.
"""

import math
import warnings

import numpy as np
import pytest

from derive.catalog import load
from numeric import (
    AttentionLayer,
    MultiHeadLayer,
    NumericError,
    attention,
    attention_backward,
    blocked,
    log_softmax,
    masks,
    multi_head_attention,
    softmax,
)
from numeric.compare import max_error, tolerance
from numeric.compile import compile_term
from numeric.monte_carlo import simulate
from numeric.positions import rotate

F0_Q, F0_K = np.ones((2, 2)), np.ones((3, 2))
F0_V = np.asarray([[0.0, 1], [2, 3], [4, 5]])
F0_MASK = np.asarray([[True, True, False], [False, False, False]])
INF = math.inf


@pytest.fixture(params=["whole", "tiles", "small tiles"])
def way(request, monkeypatch):
    """How attention is computed: all scores at once, or tile by tile whatever the size."""
    if request.param != "whole":
        monkeypatch.setattr(blocked, "SMALLEST", 0)
    if request.param == "small tiles":
        monkeypatch.setattr(blocked, "ROWS", 3)
        monkeypatch.setattr(blocked, "KEYS", 2)
    return request.param


def normal(*shape, seed=0, dtype=np.float64):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def slack(q, k, v, *, scale=None):
    """How far apart rounding may bring two computations of one attention."""
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    scores = abs(scale) * np.abs(q) @ np.swapaxes(np.abs(k), -1, -2)
    length = q.shape[-1] + k.shape[-2]
    return tolerance(q.dtype, length, (2 + 2 * scores.max()) * np.abs(v).max())


# --- dead rows and sentinels -----------------------------------------------------------------


def banded():
    """Four tokens, a band, and padding that leaves the third query of the second row nothing."""
    band = np.tril(np.ones((4, 4), bool)) & ~np.tril(np.ones((4, 4), bool), -2)
    keep = np.asarray([[True] * 4, [True, True, False, False]])
    return band & keep[:, None, :]


@pytest.mark.usefixtures("way")
def test_a01_a_dead_row_spoils_no_projection():
    mask, x = banded(), normal(2, 4, 1)
    assert (mask.any(-1) == [[True] * 4, [True, True, True, False]]).all()
    layer = AttentionLayer.seeded(1, 1, seed=1)
    q, k, v = x @ layer.W_Q, x @ layer.W_K, x @ layer.W_V
    g = np.ones_like(v)
    g[:, 2:] = 0  # the loss drops the last two tokens
    assert (layer(x, mask=mask)[1, 3] == 0).all()
    for gradient in attention_backward(g, q, k, v, mask=mask):
        by_weights = np.swapaxes(x, -1, -2) @ gradient
        assert np.isfinite(by_weights).all()
        assert (gradient[1, 2:] == 0).all()


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("n", [4, 40])
def test_a07_a_dead_row_is_zero_with_and_without_the_weights(n):
    q, k, v = (normal(n, 4, seed=s) for s in range(3))
    mask = np.ones((n, n), bool)
    mask[1] = False
    alone = attention(q, k, v, mask=mask, scale=1.0)
    beside, weights = attention(q, k, v, mask=mask, scale=1.0, return_weights=True)
    assert (alone[1] == 0).all() and (beside[1] == 0).all() and (weights[1] == 0).all()
    assert max_error(alone, beside) <= slack(q, k, v, scale=1.0)


@pytest.mark.parametrize(
    ("bias", "row"),
    [
        pytest.param(-10.0, [1, math.exp(-10)], id="A29-minus-ten-leaks"),
        pytest.param(-1e9, [1, 0], id="A04-large-and-finite"),
        pytest.param(-INF, [1, 0], id="A19-infinite-before-softmax"),
        pytest.param(INF, [math.nan, math.nan], id="A19-plus-infinity"),
    ],
)
def test_what_a_bias_does_to_two_equal_scores(bias, row):
    one, v = np.ones((1, 1)), np.eye(2)
    with np.errstate(invalid="ignore"):
        got = attention(one, np.ones((2, 1)), v, bias=np.asarray([[0.0, bias]]))
    assert max_error(got, [np.asarray(row) / sum(row)]) <= tolerance("float64", 2)


def test_a13_a_triangle_of_ones_that_is_added_is_no_mask():
    ones, triangle = np.ones((3, 4)), np.tril(np.ones((3, 3)))
    _, added = attention(ones, ones, np.eye(3), bias=triangle, return_weights=True)
    e = math.e
    want = [[e, 1, 1], [e, e, 1], [e, e, e]]
    assert max_error(added, np.asarray(want) / np.sum(want, -1, keepdims=True)) <= 1e-15
    assert added[0].round(6).tolist() == [0.576117, 0.211942, 0.211942]
    with pytest.raises(NumericError, match="bias"):
        attention(ones, ones, np.eye(3), mask=triangle)
    causal = attention(ones, ones, np.eye(3), mask=triangle != 0)
    np.testing.assert_array_equal(causal, np.tril(np.ones((3, 3))) / [[1], [2], [3]])


def test_a16_the_advice_for_an_additive_mask_is_right():
    additive = np.where(F0_MASK, 0.0, -INF)
    with pytest.raises(NumericError) as info:
        attention(F0_Q, F0_K, F0_V, mask=additive)
    assert "mask=m == 0 or bias=m" in info.value.fix
    for options in ({"mask": additive == 0}, {"bias": additive}):
        np.testing.assert_array_equal(attention(F0_Q, F0_K, F0_V, **options), [[1, 2], [0, 0]])


@pytest.mark.parametrize("n", [1, 5])
def test_a17_causal_is_the_lower_triangle(n):
    keep = masks.causal(n, n, align="upper-left")
    np.testing.assert_array_equal(keep, np.tril(np.ones((n, n), bool)))
    np.testing.assert_array_equal(~keep, np.triu(np.ones((n, n), bool), 1))
    assert keep.sum() == n * (n + 1) // 2  # A96: pairs that a causal kernel must compute


def test_a21_masking_after_softmax_needs_renormalising():
    q, k, v = (normal(4, 3, seed=s) for s in range(3))
    keep = masks.causal(4, 4, align="upper-left")
    _, before = attention(q, k, v, mask=keep, return_weights=True)
    after = attention(q, k, v, return_weights=True)[1] * keep
    assert max_error(after.sum(-1), np.ones(4)) > 0.1
    assert max_error(after / after.sum(-1, keepdims=True), before) <= slack(q, k, v)


def test_a22_a_causal_bias_of_one_on_kept_cells_is_harmless():
    ones, v = np.ones((4, 4)), normal(4, 4)
    keep = masks.causal(4, 4, align="upper-left")
    shifted, usual = (
        attention(ones, ones, v, bias=np.where(keep, kept, -INF)) for kept in (1.0, 0.0)
    )
    assert max_error(shifted, usual) <= slack(ones, ones, v)


@pytest.mark.parametrize(
    ("fill", "dead"),
    [
        pytest.param(-1e9, [0, 0], id="A23-is-minus-infinity-in-half"),
        pytest.param(-65504, [2, 3], id="A26-largest-of-half-is-arithmetic"),
        pytest.param(-2 * 65504, [0, 0], id="A25-two-sentinels-added"),
    ],
)
def test_sentinels_in_half_precision(fill, dead):
    q, k, v = (x.astype(np.float16) for x in (F0_Q, F0_K, F0_V))
    with np.errstate(over="ignore"):
        bias = np.where(F0_MASK, 0.0, fill).astype(np.float16)
    np.testing.assert_array_equal(attention(q, k, v, bias=bias), [[1, 2], dead])


def test_a25_padding_and_causal_masks_are_combined_as_booleans():
    x = np.ones((1, 4, 2), np.float16)
    keep = masks.padding(np.asarray([2]), 4) & masks.causal(4, 4, align="upper-left")
    keep = keep & ~masks.padding(np.asarray([1]), 4)  # and no first token either
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        got = attention(x, x, x, mask=keep)
    np.testing.assert_array_equal(got[0, :, 0], [0, 1, 1, 1])


@pytest.mark.usefixtures("way")
def test_a30_when_a_finite_sentinel_is_as_good_as_infinity():
    q, k, v = (normal(2, 3, 71, 16, seed=s, dtype=np.float32) for s in range(3))
    keep = normal(71, 71) > 0
    keep[:, 0] = True
    weights = [
        attention(q, k, v, bias=np.where(keep, 0, fill).astype(np.float32), return_weights=True)[1]
        for fill in (-INF, -1e4, -20)
    ]
    np.testing.assert_array_equal(weights[0], weights[1])  # float32 underflows below exp(−104)
    assert (weights[2][..., ~keep] > 0).all()


# --- alignment, caches, every path -----------------------------------------------------------


@pytest.mark.usefixtures("way")
def test_a35_no_past_and_one_query_is_the_first_value():
    q, k, v = normal(1, 4), normal(3, 4, seed=1), normal(3, 4, seed=2)
    for past in range(3):
        got = attention(q, k, v, causal="upper-left", offset=past)
        seen = attention(q, k[: past + 1], v[: past + 1])
        assert max_error(got, seen) <= slack(q, k, v)
    np.testing.assert_array_equal(attention(q, k, v, causal="upper-left"), v[:1])


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("offset", [1.5, np.float64(1)])
def test_a35_an_offset_is_a_whole_number(offset):
    x = np.ones((3, 2))
    with pytest.raises(NumericError, match="offset"):
        attention(x, x, x, causal="upper-left", offset=offset)
    with pytest.raises(NumericError, match="offset"):
        masks.causal(3, 3, align="lower-right", offset=offset)


LAYER, HEADS = AttentionLayer.seeded(6, 6, seed=0), MultiHeadLayer.seeded(6, 2, seed=0)
PATHS = {
    "output": lambda x, **o: attention(x, x, x, **o),
    "weights": lambda x, **o: attention(x, x, x, return_weights=True, **o)[0],
    "softcap": lambda x, **o: attention(x, x, x, softcap=3.0, **o),
    "bias": lambda x, **o: attention(x, x, x, bias=np.zeros((len(x), len(x))), **o),
    "half": lambda x, **o: attention(*[x.astype(np.float16)] * 3, **o),
    "heads": lambda x, **o: multi_head_attention(x, x, x, heads=3, **o),
    "layer": lambda x, **o: LAYER(x, **o),
    "multi-head layer": lambda x, **o: HEADS(x, **o),
}


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("n", [6, 30])
@pytest.mark.parametrize("flag", ["causal", "window"])
@pytest.mark.parametrize("path", PATHS)
def test_a36_a_flag_works_on_every_path(path, flag, n):
    x = normal(n, 6)
    changed = x.copy()
    changed[-2:] = 50
    options = {"causal": "upper-left"}
    if flag == "window":
        options = {"mask": masks.sliding_window(n, n, before=1, align="upper-left")}
    before, after = PATHS[path](x, **options), PATHS[path](changed, **options)
    np.testing.assert_array_equal(before[:-2], after[:-2])
    assert (PATHS[path](x)[:-2] != before[:-2]).any(-1).all()


def test_a36_gradients_know_of_the_flag():
    g, q, k, v = (normal(5, 3, seed=s) for s in range(4))
    dq, dk, dv = attention_backward(g, q, k, v, causal="upper-left")
    assert (dq[0] == 0).all()  # the first query has one key, whose weight is 1 whatever it asks
    alone = attention_backward(g[4:], q[4:], k, v)
    np.testing.assert_allclose(dv[4], alone[2][4], rtol=1e-12)
    np.testing.assert_allclose(dk[4], alone[1][4], rtol=1e-12)


def test_a36_a_window_of_one_is_the_value_itself():
    v = normal(5, 3)
    window = masks.sliding_window(5, 5, before=0, align="upper-left")
    np.testing.assert_array_equal(attention(v, v, v, mask=window), v)


# --- scale -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("d_model", "heads"), [(512, 8), (64, 16)])
def test_a38_each_head_divides_by_the_root_of_its_own_width(d_model, heads):
    x = normal(3, d_model)
    divide_by = lambda d: multi_head_attention(x, x, x, heads=heads, scale=d**-0.5)
    usual = multi_head_attention(x, x, x, heads=heads)
    assert max_error(usual, divide_by(d_model // heads)) == 0
    assert max_error(usual, divide_by(d_model)) > 0.1


def test_a39_the_fourth_root_goes_on_both_sides():
    q, k, v = (normal(4, 16, seed=s) for s in range(3))
    root = 16**-0.25
    got = attention(q * root, k * root, v, scale=1.0)
    assert max_error(got, attention(q, k, v)) <= slack(q, k, v)
    assert max_error(attention(q * root, k, v, scale=1.0), attention(q, k, v)) > 0.1


def test_a40_scaling_after_softmax_does_not_sum_to_one():
    q, k, v = (normal(4, 64, seed=s) for s in range(3))
    _, weights = attention(q, k, v, scale=1.0, return_weights=True)
    assert max_error((weights / 8).sum(-1), np.full(4, 0.125)) <= 1e-15
    assert max_error(attention(q, k, v), weights / 8 @ v) > 0.1


@pytest.mark.parametrize("d", [16, 64, 256, 1024])
def test_a42_a44_the_variance_is_d_so_the_divisor_is_its_root(d):
    estimate = simulate("independent", d=d, products=2 * 10**6)
    for power, want in ((0, d), (1, 1), (2, 1 / d)):
        shift = estimate.variance / d**power - want
        assert abs(shift) <= 5 * estimate.standard_error / d**power


@pytest.mark.parametrize(
    ("mean", "variance", "want"),
    [
        pytest.param(0.0, 1.0, 64.0, id="A46-standard"),
        pytest.param(1.0, 1.0, 192.0, id="A46-means-of-one"),
        pytest.param(0.0, 1 / 3, 64 / 9, id="A46-uniform"),
    ],
)
def test_the_variance_for_other_laws_is_that_of_the_general_theorem(mean, variance, want):
    values = {"μ": np.asarray(mean), "σ": np.asarray(math.sqrt(variance))}
    given = {f"{letter}_{of}": value for letter, value in values.items() for of in "qk"}
    stated = load("dot-product-variance-general").statement.args[1]
    assert compile_term(stated)(given, sizes={"d_k": 64}) == pytest.approx(want, rel=1e-14)
    half = math.sqrt(3 * variance)
    q, k = np.random.default_rng(0).uniform(mean - half, mean + half, (2, 50_000, 64))
    dots = np.einsum("it,it->i", q, k)
    error = math.sqrt((np.mean((dots - dots.mean()) ** 4) - dots.var() ** 2) / len(dots))
    assert abs(dots.var() - want) <= 5 * error


@pytest.mark.parametrize(("d", "sharp"), [(16, 0.747), (64, 0.878), (256, 0.940), (1024, 0.967)])
def test_a44_unscaled_weights_saturate_with_the_dimension(d, sharp):
    queries = 1000
    q = normal(queries, 1, d, dtype=np.float32)
    k = normal(queries, 8, d, seed=1, dtype=np.float32)
    mean = {}
    for scale in (1.0, None):
        _, weights = attention(q, k, k, scale=scale, return_weights=True)
        largest = weights.max(-1)
        mean[scale] = largest.mean()
        error = largest.std() / math.sqrt(queries)
        assert abs(mean[scale] - (sharp if scale else 0.36)) <= 5 * error + 0.005  # as printed


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("number", [int, float, np.float32, np.float64, np.asarray])
def test_a49_no_scale_changes_the_dtype(dtype, number):
    x = F0_K.astype(dtype)
    output, weights = attention(x, x, x, scale=number(2), return_weights=True)
    assert output.dtype == weights.dtype == dtype


@pytest.mark.parametrize(
    ("name", "value"),
    [
        pytest.param("scale", 1e200, id="A50-beyond-float32"),
        pytest.param("softcap", 1e200, id="A50-cap-beyond-float32"),
        pytest.param("softcap", 1e-200, id="A50-cap-below-float32"),
        pytest.param("scale", np.asarray([2.0]), id="A50-an-array"),
        pytest.param("scale", np.asarray([1.0, 2.0]), id="A50-several"),
        pytest.param("mask", np.zeros((2, 3), np.int8), id="A50-int8-mask"),
        pytest.param("bias", np.zeros((2, 3), np.int8), id="A50-int8-bias"),
        pytest.param("bias", np.zeros((2, 3), np.complex64), id="A51-complex-bias"),
    ],
)
def test_no_scalar_or_dtype_is_bent_to_fit(name, value):
    q, k, v = (x.astype(np.float32) for x in (F0_Q, F0_K, F0_V))
    with pytest.raises(NumericError, match=name):
        attention(q, k, v, **{name: value})


# --- shapes ----------------------------------------------------------------------------------


def test_a48_keys_of_no_width_are_refused_and_divide_nothing():
    with pytest.raises(NumericError, match="d_k of at least 1"):
        attention(np.ones((2, 0)), np.ones((3, 0)), F0_V)


@pytest.mark.parametrize("shape", [(0, 8), (2, 0, 8), (0, 3, 8)])
def test_a60_heads_of_empty_batches(shape):
    x = np.zeros(shape)
    output, weights = multi_head_attention(x, x, x, heads=2, return_weights=True)
    assert output.shape == shape
    assert weights.shape == (*shape[:-2], 2, shape[-2], shape[-2])
    assert MultiHeadLayer.seeded(8, 2, seed=0)(x).shape == shape


@pytest.mark.parametrize("n", [0, 3])
def test_a60_padding_of_nothing(n):
    assert masks.padding(np.asarray([n]), n).shape == (1, 1, n)
    assert masks.padding(np.asarray([n]), n).all()


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("where", ["k", "v"])
def test_a61_a_masked_entry_may_be_anything(where):
    q, k, v = (np.arange(8.0).reshape(1, 2, 4) for _ in range(3))
    {"k": k, "v": v}[where][0, 1, 0] = np.nan
    got = attention(q, k, v, mask=np.asarray([True, False]))
    np.testing.assert_array_equal(got, [[[0, 1, 2, 3]] * 2])


# --- softmax ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dtype", "top"), [("float16", 11.09), ("float32", 88.72), ("float64", 709.78)]
)
def test_a63_scores_beyond_the_range_of_the_exponential(dtype, top):
    assert np.exp(np.asarray(top - 0.01, dtype)) < INF
    with np.errstate(over="ignore"):
        assert np.exp(np.asarray(top + 0.1, dtype)) == INF
    for shift in (top + 0.1, 2 * top, -2 * top):
        row = np.asarray([shift, shift], dtype)
        np.testing.assert_array_equal(softmax(row), [0.5, 0.5])


@pytest.mark.parametrize("n", [1, 2, 5])
def test_a64_the_logarithm_of_nothing_is_minus_infinity(n):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(log_softmax(np.full(n, -INF)), np.full(n, -INF))


def jacobian(scores):
    """∂ softmax(s)_i / ∂ s_j, from the gradients of attention: one query 1, keys s, values I."""
    keys = np.asarray(scores)[:, None]
    one, eye = np.ones((1, 1)), np.eye(len(keys))
    return np.stack([attention_backward(g[None], one, keys, eye, scale=1.0)[1][:, 0] for g in eye])


def test_a87_the_jacobian_is_not_diagonal():
    got = jacobian([1.0, 2.0, 3.0])
    want = [
        [0.081925, -0.022033, -0.059892],
        [-0.022033, 0.184836, -0.162803],
        [-0.059892, -0.162803, 0.222695],
    ]
    assert max_error(got, want) <= 5e-7  # as printed
    assert max_error(got.sum(-1), np.zeros(3)) <= tolerance("float64", 3)
    assert np.linalg.matrix_rank(got) == 2
    assert np.linalg.norm(got, 2) <= 0.5


@pytest.mark.parametrize(
    ("sharpness", "largest"), [(1, 0.2227), (10, 4.54e-5), (100, 3.7e-44), (1000, 0.0)]
)
def test_a89_how_fast_the_gradient_vanishes(sharpness, largest):
    got = np.abs(jacobian(sharpness * np.asarray([1.0, 2.0, 3.0]))).max()
    assert got == pytest.approx(largest, rel=6e-3)  # as printed; the last one underflows


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("masked", [2, 5])
@pytest.mark.parametrize(("dtype", "low"), [("float32", -200.0), ("float64", -800.0)])
def test_a90_a_start_that_is_masked_is_forgotten(dtype, low, masked):
    scores = np.asarray([-INF] * masked + [low, low - 1], dtype)
    v = np.concatenate([np.zeros((masked - 2, 2)), np.arange(8.0).reshape(4, 2)]).astype(dtype)
    q, k = np.ones((1, 1), dtype), np.zeros((masked + 2, 1), dtype)
    want = [[4.537882842739990, 5.537882842739990]]  # 4 + 2 e⁻¹ / (1 + e⁻¹)
    bound = tolerance(dtype, masked + 2, 8)
    assert max_error(attention(q, k, v, bias=scores[None], scale=1.0), want) <= bound
    mask = np.isfinite(scores)
    k[mask, 0] = scores[mask]
    assert max_error(attention(q, k, v, scale=1.0, mask=mask[None]), want) <= bound


# --- rounding --------------------------------------------------------------------------------


@pytest.mark.parametrize("bad", [math.nan, INF, -INF])
@pytest.mark.parametrize("place", [0, 2])
def test_a92_a_comparison_fails_on_what_is_not_finite(bad, place):
    right = np.asarray([1.0, 2.0, 3.0])
    wrong = right.copy()
    wrong[place] = bad
    assert max_error(wrong, right) == max_error(right, wrong) == INF
    assert max_error(wrong, wrong) == 0
    assert max_error(right[:2], right) == INF


@pytest.mark.usefixtures("way")
def test_a93_long_rows_keep_their_accuracy():
    q, k = (normal(n, 16, seed=n, dtype=np.float32) for n in (8, 4096))
    v = normal(4096, 16, seed=1, dtype=np.float32)
    exact, _ = attention(*(x.astype(np.float64) for x in (q, k, v)), return_weights=True)
    error = max_error(attention(q, k, v), exact)
    assert 0 < error <= slack(q, k, v)
    assert error < 5e-6


@pytest.mark.usefixtures("way")
def test_a78_a_slice_of_the_batch_rounds_differently_at_most():
    x = normal(3, 2, 128, seed=42, dtype=np.float32) * np.float32(math.sqrt(128))
    whole = multi_head_attention(x, x, x, heads=8)
    for row in range(3):
        one = x[row : row + 1]
        parts = one.reshape(2, 8, 16).swapaxes(0, 1)
        got = multi_head_attention(one, one, one, heads=8)
        assert max_error(got, whole[row : row + 1]) <= slack(parts, parts, parts)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("padding", [1, 7, 60])
def test_a79_padding_changes_rounding_at_most(padding):
    q, k, v = normal(4, 8), normal(5, 8, seed=1), normal(5, 8, seed=2)
    longer = [np.concatenate([x, 1e6 + normal(padding, 8, seed=3)]) for x in (k, v)]
    mask = masks.padding(np.asarray(5), 5 + padding)
    got = attention(q, *longer, mask=mask)
    assert max_error(got, attention(q, k, v)) <= slack(q, k, v)


# --- positions and layers --------------------------------------------------------------------


@pytest.mark.parametrize("d", [8, 64])
def test_a73_mixed_layouts_lose_the_distance(d):
    q, k = normal(1, d), normal(1, d, seed=1)

    def score(m, n, layouts):
        one, other = (
            rotate(x, np.asarray([p]), layout=layout)
            for x, p, layout in zip((q, k), (m, n), layouts, strict=True)
        )
        return (one @ other.T).item()

    pure = ("half-split", "half-split")
    bound = tolerance("float64", d + 20, (np.abs(q) @ np.abs(k).T).item())
    assert abs(score(3, 7, pure) - score(13, 17, pure)) <= bound
    mixed = ("interleaved", "half-split")
    assert abs(score(3, 7, mixed) - score(13, 17, mixed)) > 0.1


def test_a85_a86_matrices_of_heads_count_all_their_columns():
    layer = MultiHeadLayer.seeded(512, 8, seed=0)
    error = 1 / 512 * math.sqrt(2 / 512**2)
    assert abs(layer.W_Q.var() - 1 / 512) <= 5 * error
    assert abs(layer.W_Q.var() - 2 / (512 + 64)) > 100 * error
