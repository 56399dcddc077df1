"""Position encodings, rotations in both layouts, linear biases."""

import math

import numpy as np
import pytest

from numeric import NumericError, attention
from numeric.compare import max_error, tolerance
from numeric.positions import alibi, learned, rotate, sinusoidal

LAYOUTS = ("interleaved", "half-split")


def normal(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape)


def test_the_first_positions_of_the_paper(arrays):
    got = sinusoidal(arrays.given(np.arange(2.0)), 4, layout="interleaved")
    want = [[0, 1, 0, 1], [math.sin(1), math.cos(1), math.sin(0.01), math.cos(0.01)]]
    assert max_error(got, want) <= tolerance("float64", 4)


def test_layouts_differ_by_a_permutation_of_channels():
    one, other = (sinusoidal(np.arange(50), 16, layout=layout) for layout in LAYOUTS)
    order = np.arange(16).reshape(8, 2).T.reshape(-1)
    np.testing.assert_array_equal(one[:, order], other)
    x = normal(5, 16)
    turned = rotate(x[:, order], layout="half-split")
    np.testing.assert_array_equal(rotate(x, layout="interleaved")[:, order], turned)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_products_of_encodings_depend_on_distance_only(layout):
    encoding = sinusoidal(np.arange(40), 32, layout=layout)
    gram = encoding @ encoding.T
    for offset in (0, 1, 7):
        diagonal = np.diag(gram, offset)
        assert np.ptp(diagonal) <= tolerance("float64", 32 + 40, 32)
    assert max_error(np.diag(gram), np.full(40, 16.0)) <= tolerance("float64", 32 + 40, 16)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("pair", [(2, 4, 5, 7), (3, 7, 13, 17)])
def test_rotated_scores_depend_on_distance_only(arrays, layout, pair):
    q, k = normal(8), normal(8, seed=1)
    turn = lambda x, p: np.asarray(
        rotate(arrays.given(x[None]), arrays.given(np.asarray([p])), layout=layout)
    )[0]
    one = turn(q, pair[0]) @ turn(k, pair[1])
    other = turn(q, pair[2]) @ turn(k, pair[3])
    assert abs(one - other) <= tolerance("float64", 8 + 20, np.abs(q) @ np.abs(k))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_rotation_keeps_lengths_and_position_zero(arrays, layout):
    x = normal(2, 3, 5, 6)
    turned = np.asarray(rotate(arrays.given(x), layout=layout))
    np.testing.assert_array_equal(turned[..., 0, :], x[..., 0, :])
    lengths = np.linalg.norm(x, axis=-1)
    assert max_error(np.linalg.norm(turned, axis=-1), lengths) <= tolerance("float64", 6, 5)
    back = rotate(arrays.given(turned), arrays.given(-np.arange(5)), layout=layout)
    assert max_error(back, x) <= tolerance("float64", 4, np.abs(x).max())


def test_only_some_channels_are_rotated():
    x = normal(4, 10)
    turned = rotate(x, layout="half-split", rotated=6)
    np.testing.assert_array_equal(turned[:, 6:], x[:, 6:])
    np.testing.assert_array_equal(turned[:, :6], rotate(x[:, :6], layout="half-split"))


def test_phases_of_half_precision_are_computed_wider():
    x = np.ones((2048, 32), np.float16)
    turned = rotate(x, layout="half-split")
    assert turned.dtype == np.float16
    got = turned.astype(np.float64)
    want = rotate(x.astype(np.float64), layout="half-split")
    # One rounding to half at the end, and a phase of up to 2048 rounded to float32.
    assert max_error(got, want) <= np.finfo("float16").eps + 2048 * np.finfo("float32").eps * 2


def test_positions_restart_after_left_padding():
    from numeric.masks import positions

    keep = np.asarray([[False, False, True, True, True], [True] * 5])
    np.testing.assert_array_equal(positions(keep), [[0, 0, 0, 1, 2], [0, 1, 2, 3, 4]])
    x = normal(2, 5, 4)
    padded = rotate(x, positions(keep), layout="interleaved")
    np.testing.assert_array_equal(padded[0, 2:], rotate(x[0, 2:], layout="interleaved"))


@pytest.mark.parametrize(
    "call",
    [
        lambda: rotate(normal(3, 5), layout="interleaved"),
        lambda: rotate(normal(3, 4), layout="neox"),
        lambda: rotate(normal(4), layout="interleaved"),
        lambda: rotate(normal(3, 4), layout="interleaved", rotated=6),
        lambda: rotate(np.ones((3, 4), int), layout="interleaved"),
        lambda: sinusoidal(np.arange(3), 5, layout="interleaved"),
        lambda: sinusoidal(np.arange(3), 4, layout="both"),
        lambda: sinusoidal([0, 1], 4, layout="interleaved"),
        lambda: alibi(0, 2, 2),
    ],
    ids=range(9),
)
def test_errors(call):
    with pytest.raises(NumericError):
        call()


@pytest.mark.parametrize(
    ("heads", "slopes"),
    [
        (1, [2**-8]),
        (8, [2.0**-h for h in range(1, 9)]),
        (3, [2**-4, 2**-8, 2**-2]),
    ],
)
def test_alibi_slopes(heads, slopes):
    assert (-alibi(heads, 2, 2)[:, 1, 0]).tolist() == slopes


def test_alibi_prefers_what_is_near(xp):
    bias = alibi(4, 5, 5, xp=xp)
    x = xp.zeros((4, 5, 2), dtype=xp.float64)
    _, weights = attention(x, x, x, bias=bias, return_weights=True)
    weights = np.asarray(weights)
    assert (np.diff(weights[:, 4, :], axis=-1) > 0).all()
    assert (weights.argmax(-1) == np.arange(5)).all()


def test_learned_tables_are_seeded():
    np.testing.assert_array_equal(learned(4, 6, seed=1), learned(4, 6, seed=1))
    assert abs(learned(400, 64, seed=0).std() - 0.02) < 5 * 0.02 / np.sqrt(2 * 400 * 64)


@pytest.mark.parametrize(("align", "want"), [("upper-left", 0), ("lower-right", 2)])
def test_masks(xp, align, want):
    from numeric.masks import causal, padding, sliding_window

    np.testing.assert_array_equal(
        np.asarray(causal(2, 4, align=align, xp=xp)), np.tril(np.ones((2, 4), bool), want)
    )
    window = np.asarray(sliding_window(3, 5, before=1, after=1, align=align, xp=xp))
    rows = np.arange(3)[:, None] + want
    np.testing.assert_array_equal(window, np.abs(np.arange(5) - rows) <= 1)
    keep = padding(xp.asarray([5, 4, 1, 0]), 5)
    np.testing.assert_array_equal(np.asarray(keep).sum(-1), [[5], [4], [1], [0]])


def test_mask_errors():
    from numeric.masks import causal, padding, sliding_window

    for call in (
        lambda: causal(2, 2, align="diagonal"),
        lambda: sliding_window(2, 2, before=-1, align="upper-left"),
        lambda: padding(np.asarray([1.5]), 3),
    ):
        with pytest.raises(NumericError):
            call()
