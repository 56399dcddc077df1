"""Many heads, grouped heads, and the seeded layers."""

import numpy as np
import pytest

from numeric import AttentionLayer, MultiHeadLayer, NumericError, attention, multi_head_attention
from numeric.compare import max_error, tolerance
from numeric.heads import merge_heads, split_heads
from numeric.layers import normal_matrix


def normal(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape)


def test_splitting_keeps_tokens_apart(arrays):
    x = arrays.given(np.arange(24.0).reshape(1, 4, 6))
    heads = split_heads(x, 3)
    np.testing.assert_array_equal(np.asarray(heads)[0, 0], [[0, 1], [6, 7], [12, 13], [18, 19]])
    np.testing.assert_array_equal(np.asarray(merge_heads(heads)), np.asarray(x))


@pytest.mark.parametrize("kv_heads", [1, 2, 4])
def test_each_head_attends_by_itself(arrays, kv_heads):
    heads, d = 4, 3
    q = normal(2, 5, heads * d)
    k, v = (normal(2, 6, kv_heads * d, seed=s) for s in (1, 2))
    mask = normal(2, 1, 5, 6, seed=3) > 0
    got, weights = multi_head_attention(
        *arrays.given(q, k, v),
        heads=heads,
        kv_heads=kv_heads,
        mask=arrays.given(mask),
        return_weights=True,
    )
    assert weights.shape == (2, heads, 5, 6)
    for head in range(heads):
        kv = head // (heads // kv_heads)
        part, of_kv = slice(head * d, head * d + d), slice(kv * d, kv * d + d)
        want, want_weights = attention(
            q[..., part], k[..., of_kv], v[..., of_kv], mask=mask[:, 0], return_weights=True
        )
        assert max_error(np.asarray(got)[..., part], want) <= tolerance("float64", 9, 8)
        assert max_error(np.asarray(weights)[:, head], want_weights) <= tolerance("float64", 9)


def test_concatenation_is_a_sum_over_heads():
    """concat(heads) W_O = Σ_h head_h W_O^(h)."""
    layer = MultiHeadLayer.seeded(8, 2, seed=0)
    x = normal(5, 8)
    outputs = [
        attention(*((x @ w)[:, 4 * h : 4 * h + 4] for w in (layer.W_Q, layer.W_K, layer.W_V)))
        @ layer.W_O[4 * h : 4 * h + 4]
        for h in range(2)
    ]
    assert max_error(layer(x), sum(outputs)) <= tolerance("float64", 16, 30)


@pytest.mark.parametrize(
    ("heads", "kv_heads"), [(5, None), (0, None), (-1, None), (True, None), (2.0, None), (4, 3)]
)
def test_heads_must_divide_the_channels(heads, kv_heads):
    x = normal(2, 12)
    with pytest.raises(NumericError):
        multi_head_attention(x, x, x, heads=heads, kv_heads=kv_heads)


def test_more_heads_than_channels_is_no_width_of_zero():
    with pytest.raises(NumericError, match="multiple"):
        split_heads(normal(3, 2), 8)
    with pytest.raises(NumericError, match="divides"):
        MultiHeadLayer.seeded(2, 8, seed=0)


def test_layers_are_seeded():
    first, again, other = (AttentionLayer.seeded(8, 4, 6, seed=s) for s in (1, 1, 2))
    np.testing.assert_array_equal(first.W_Q, again.W_Q)
    assert (first.W_Q != other.W_Q).all()
    assert first(normal(5, 8)).shape == (5, 6)


def test_cross_attention_takes_keys_and_values_elsewhere():
    layer = AttentionLayer.seeded(8, 4, seed=0)
    x, context = normal(3, 8), normal(7, 8, seed=1)
    output, weights = layer(x, context, return_weights=True)
    assert output.shape == (3, 4)
    assert weights.shape == (3, 7)
    want = attention(x @ layer.W_Q, context @ layer.W_K, context @ layer.W_V)
    np.testing.assert_array_equal(output, want)


def test_shapes_of_the_reference_sheet():
    output, weights = AttentionLayer.seeded(8, 4, 6, seed=0)(normal(2, 5, 8), return_weights=True)
    assert output.shape == (2, 5, 6)
    assert weights.shape == (2, 5, 5)


def test_weights_of_the_cat_on_the_mat():
    """The figures of the third article: tokens and matrices from generators of one seed."""
    x = np.random.default_rng(42).standard_normal((6, 8))
    output, weights = AttentionLayer.seeded(8, 4, seed=42)(x, return_weights=True)
    row = [0.0974, 0.1225, 0.2355, 0.4453, 0.0474, 0.0519]
    assert max_error(weights[0], row) <= 5e-5  # four printed digits
    assert max_error(output[0], [-0.2329, 0.4427, 1.0351, 0.5496]) <= 5e-5


def test_variance_of_the_matrices():
    matrix = normal_matrix(np.random.default_rng(0), 300, 500)
    standard_error = 2 / 800 * np.sqrt(2 / matrix.size)
    assert abs(matrix.var() - 2 / 800) < 5 * standard_error


def test_layers_on_any_library(arrays):
    layer = AttentionLayer.seeded(8, 4, seed=0)
    moved = AttentionLayer(*arrays.given(layer.W_Q, layer.W_K, layer.W_V))
    x = normal(5, 8)
    assert max_error(moved(arrays.given(x)), layer(x)) <= tolerance("float64", 16, 10)
