"""Gradients: the stated formulas, and JAX's own through our functions."""

import numpy as np
import pytest

from numeric import NumericError, attention, attention_backward, log_softmax, softmax
from numeric.compare import max_error, tolerance


def normal(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape)


def problem(batch=(), n_q=4, n_k=5, d_k=3, d_v=2, seed=0):
    shapes = (n_q, d_v), (n_q, d_k), (n_k, d_k), (n_k, d_v)
    return [normal(*batch, *shape, seed=seed + n) for n, shape in enumerate(shapes)]


def differences(g, q, k, v, **options):
    """Central differences in extended precision: exact to about step² and eps / step."""
    step = np.longdouble(2) ** -16
    wide = [x.astype(np.longdouble) for x in (g, q, k, v)]
    if "bias" in options:
        options = {**options, "bias": options["bias"].astype(np.longdouble)}

    def total(*inputs):
        return (wide[0] * attention(*inputs, **options)).sum()

    gradients = []
    for place in range(3):
        gradient = np.zeros_like(wide[place + 1])
        for cell in np.ndindex(gradient.shape):
            ends = []
            for sign in (1, -1):
                inputs = [x.copy() for x in wide[1:]]
                inputs[place][cell] += sign * step
                ends.append(total(*inputs))
            gradient[cell] = (ends[0] - ends[1]) / (2 * step)
        gradients.append(gradient)
    return gradients


OPTIONS = {
    "plain": {},
    "scaled": {"scale": 0.3},
    "causal": {"causal": "upper-left"},
    "masked": {"mask": normal(4, 5, seed=9) > 0},
    "biased": {"bias": normal(4, 5, seed=8)},
    "dead row": {"mask": np.arange(20).reshape(4, 5) >= 5},
}


@pytest.mark.parametrize("name", OPTIONS)
def test_formulas_against_differences(name):
    inputs = problem()
    got = attention_backward(*inputs, **OPTIONS[name])
    want = differences(*inputs, **OPTIONS[name])
    for mine, theirs in zip(got, want, strict=True):
        assert max_error(mine, theirs) <= 1e2 * 2.0**-32  # third derivative times step² / 6


@pytest.mark.parametrize("name", OPTIONS)
def test_formulas_on_every_library(arrays, name):
    inputs = problem(batch=(2,))
    options = {
        key: arrays.given(x) if isinstance(x, np.ndarray) else x for key, x in OPTIONS[name].items()
    }
    got = attention_backward(*arrays.given(*inputs), **options)
    want = attention_backward(*inputs, **OPTIONS[name])
    for mine, theirs in zip(got, want, strict=True):
        assert max_error(mine, theirs) <= tolerance("float64", 10, 40)


def test_dead_rows_give_and_get_no_gradient():
    g, q, k, v = problem()
    mask = np.zeros((4, 5), bool)
    mask[1, 2] = True
    dq, dk, dv = attention_backward(g, q, k, v, mask=mask)
    assert (dq == 0).all()
    assert (dk == 0).all()  # one key alone has weight 1 whatever its score
    assert (dv[2] == g[1]).all()
    assert (np.delete(dv, 2, axis=0) == 0).all()


@pytest.mark.parametrize("where", ["k", "v"])
@pytest.mark.parametrize("poison", [np.nan, np.inf, -np.inf])
def test_forbidden_entries_do_not_leak_into_gradients(where, poison):
    g, q, k, v = problem(n_k=4)
    clean = attention_backward(g, q, k, v, causal="upper-left")
    poisoned = {"k": k, "v": v}[where]
    poisoned[3] = poison
    dq, _, _ = attention_backward(g, q, k, v, causal="upper-left")
    assert max_error(dq[:3], clean[0][:3]) <= tolerance("float64", 4, 10)
    assert np.isnan(dq[3]).all()
    everyone = np.ones((4, 4), bool)
    everyone[:, 3] = False
    for gradient in attention_backward(g, q, k, v, mask=everyone):
        assert np.isfinite(gradient).all()


def test_shapes_must_agree():
    g, q, k, v = problem()
    with pytest.raises(NumericError, match="output's shape"):
        attention_backward(g[:3], q, k, v)
    with pytest.raises(NumericError, match="batch"):
        attention_backward(g[None], q, k, v)


# --- JAX -------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("name", OPTIONS)
def test_jax_differentiates_and_compiles(load_library, name, compiled):
    jnp = load_library("jax")
    import jax

    inputs = problem(batch=(2,))
    options = {
        key: jnp.asarray(x) if isinstance(x, np.ndarray) else x for key, x in OPTIONS[name].items()
    }
    total = lambda q, k, v: (inputs[0] * attention(q, k, v, **options)).sum()
    gradient = jax.grad(total, argnums=(0, 1, 2))
    got = (jax.jit(gradient) if compiled else gradient)(*map(jnp.asarray, inputs[1:]))
    for mine, theirs in zip(got, attention_backward(*inputs, **OPTIONS[name]), strict=True):
        assert max_error(mine, theirs) <= tolerance("float64", 10, 40)


@pytest.mark.slow
def test_jax_gradients_of_a_dead_row_and_a_poisoned_key_are_finite(load_library):
    jnp = load_library("jax")
    import jax

    _, q, k, v = map(jnp.asarray, problem())
    k, v = k.at[4].set(np.nan), v.at[4].set(np.inf)
    mask = jnp.asarray(np.arange(20).reshape(4, 5) % 5 < 4).at[1].set(False)
    total = lambda q, k, v: attention(q, k, v, mask=mask).sum()
    for compiled in (jax.grad(total, (0, 1, 2)), jax.jit(jax.grad(total, (0, 1, 2)))):
        for gradient in compiled(q, k, v):
            assert np.isfinite(np.asarray(gradient)).all()


@pytest.mark.slow
@pytest.mark.parametrize("function", [softmax, log_softmax])
def test_jax_softmax_jacobian(load_library, function):
    jnp = load_library("jax")
    import jax

    x = jnp.asarray([1.0, 2.0, 3.0])
    p = np.asarray(softmax(x))
    want = np.diag(p) - np.outer(p, p) if function is softmax else np.eye(3) - p[None, :]
    assert max_error(jax.jit(jax.jacobian(function))(x), want) <= tolerance("float64", 3)
