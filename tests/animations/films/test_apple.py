"""The film of 苹果: nothing to complain about, and every number and symbol what was computed."""

import numpy as np
import pytest
from manim import tempconfig

from animations.check.inspect import DryRenderer, Inspector
from animations.films import apple
from animations.films.apple import OUTPUT, Apple, worked
from animations.theme import Setting
from derive import definitions as words
from derive.catalog import load as theorem
from derive.examples import load as example


@pytest.fixture(scope="module", params=["zh", "en"])
def played(request):
    """Play the film once in each language, watched by the inspector."""
    with tempconfig({"dry_run": True, "progress_bar": "none", "verbosity": "ERROR"}):
        film = Apple(renderer=DryRenderer(), setting=Setting(lang=request.param))
        inspector = Inspector()
        film.watchers.append(inspector)
        film.render()
    return film, inspector.report(film)


def test_it_has_no_findings_and_binds_its_numbers(played):
    _, report = played
    assert report.findings == ()
    assert report.silenced == ()
    assert report.quantities_checked > 400


def test_it_takes_two_to_three_minutes_and_has_chapters(played):
    film, _ = played
    assert 120 <= film.clock <= 180
    beats = [cue for cue in film.timeline if cue.kind == "beat"]
    assert len([cue for cue in beats if cue.text]) >= 8


def test_it_says_what_it_is_drawn_from():
    assert {name for beat in Apple.beats for name in beat.draws} == {"apple", "attention-formula"}


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
