"""Every theorem of the catalogue, cross-checked as the kernel proved it."""

import numpy as np
import pytest

from derive import catalog
from derive import definitions as words
from numeric import attention
from numeric.backends import backend
from numeric.compare import max_error, tolerance
from numeric.compile import compile_term
from numeric.verify import FAR, verify_theorem

QUICK = {"softmax-jacobian", "dot-product-mean", "online-softmax"}
THEOREMS = [
    pytest.param(name, marks=[pytest.mark.slow] * (name not in QUICK)) for name in catalog.names()
]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("name", THEOREMS)
def test_theorem_passes_with_its_controls(name, dtype):
    report = verify_theorem(name, on=backend(dtype=dtype))
    assert report.verdict == "passed", report.reason
    assert report.max_error <= report.tolerance
    assert report.control_error >= FAR * report.tolerance
    assert report.mutants.caught == report.mutants.tried >= 3


@pytest.mark.slow
@pytest.mark.parametrize(
    ("library", "name"),
    [
        ("strict", "permutation-equivariance"),
        ("strict", "dot-product-variance"),
        ("jax", "softmax-jacobian"),  # JAX compiles every operation for every size
    ],
)
def test_theorem_passes_on_other_libraries(load_library, library, name):
    load_library(library)
    assert verify_theorem(name, on=backend(library)).verdict == "passed"


def test_the_formula_of_the_proofs_is_the_function_of_this_package():
    """What `derive` calls self-attention, compiled, and `attention` are one thing."""
    rng = np.random.default_rng(0)
    shapes = {"X": (7, 6), "W_Q": (6, 4), "W_K": (6, 4), "W_V": (6, 5)}
    values = {name: rng.standard_normal(shape) / 2 for name, shape in shapes.items()}
    term = words.self_attention(words.X, words.W_Q, words.W_K, words.W_V)[words.i, words.c]
    x = values["X"]
    want = attention(x @ values["W_Q"], x @ values["W_K"], x @ values["W_V"])
    got = compile_term(term, (words.i, words.c))(values)
    assert max_error(got, want) <= tolerance("float64", 7 + 6 + 4, 20)
