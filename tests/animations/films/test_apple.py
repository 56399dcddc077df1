"""The film of 苹果: every number and symbol is what was computed and proved."""

import numpy as np
import pytest

from animations.films import apple
from animations.films.apple import OUTPUT, worked
from derive import definitions as words
from derive.catalog import load as theorem
from derive.examples import load as example


@pytest.mark.parametrize("sentence", ["fruit", "company"])
def test_its_arrays_are_those_of_the_exact_example(sentence):
    numbers, case = worked(sentence), example("apple").case(sentence)
    for name in ("Q", "K", "V", "scores", "scaled", "exponentials", "weights", "output"):
        assert getattr(numbers, name) == pytest.approx(np.array(case.step(name).decimal)), name


def test_the_meanings_are_those_of_the_article():
    assert worked("fruit").output[2] == pytest.approx([0.855, 0.048], abs=5e-4)
    assert worked("company").output[0] == pytest.approx([0.048, 0.952], abs=5e-4)
    assert (worked("fruit").given["W_V"] == worked("company").given["W_V"]).all()


def test_its_formula_is_the_proved_one_with_short_names():
    Q, K, V = (words.matmul(words.X, W) for W in (words.W_Q, words.W_K, words.W_V))
    proved = theorem("attention-formula").steps[-1].right
    assert words.attention(Q, K, V)[words.i, words.c] == proved
    assert words.attention(apple.Q, apple.K, apple.V) == OUTPUT
