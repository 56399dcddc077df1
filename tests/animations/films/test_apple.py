"""The film of 苹果: every number and symbol is what was computed and proved."""

from functools import reduce

import numpy as np
import pytest

from animations.films.apple import APPLE, PLACES, worked
from animations.parts.acting import set_term
from animations.parts.growth import follow
from animations.parts.terms import OUTPUT, K, Q, V
from animations.theme import DARK
from derive import definitions as words
from derive.catalog import load as theorem
from derive.examples import load as example
from derive.origins import compose, origins


@pytest.mark.parametrize("sentence", ["fruit", "company"])
def test_its_arrays_are_those_of_the_exact_example(sentence):
    numbers, case = worked(sentence), example("apple").case(sentence)
    for name in ("Q", "K", "V", "scores", "scaled", "exponentials", "weights", "output"):
        assert getattr(numbers, name) == pytest.approx(np.array(case.step(name).decimal)), name


def test_the_meanings_are_those_of_the_article():
    assert worked("fruit").output[2] == pytest.approx([0.855, 0.048], abs=5e-4)
    assert worked("company").output[0] == pytest.approx([0.048, 0.952], abs=5e-4)
    assert (worked("fruit").given["W_V"] == worked("company").given["W_V"]).all()


@pytest.mark.parametrize("sentence", ["fruit", "company"])
def test_the_weights_add_up_to_one_as_printed(sentence):
    """With three digits a viewer who adds them up would get 1.001."""
    weights = worked(sentence).weights[worked(sentence).tokens.index(APPLE)]
    assert sum(round(weight, PLACES) for weight in weights) == pytest.approx(1, abs=1e-12)


def test_its_formula_is_the_proved_one():
    steps = theorem("attention-formula").steps
    formula = words.attention(Q, K, V)
    assert formula == OUTPUT
    assert formula[words.i, words.c] == steps[-1].right


def test_its_proof_keeps_every_symbol_it_can():
    steps = theorem("attention-formula").steps
    made = reduce(compose, (origins(step.theorem) for step in steps[4:-1]))
    line, multiplied = steps[3].right, steps[-2].right
    old, new = (set_term(term, DARK) for term in (line, multiplied))
    links = follow(old, new, multiplied, made).links
    moved = {new[joint.new].symbol for joint in links if joint.kind in ("move", "copy")}
    assert len([joint for joint in links if joint.kind == "merge"]) >= 8
    assert len(moved) >= 5
