"""The film of the address book: exact look-up, fuzzy look-up, and the way back."""

import numpy as np
import pytest

from animations.films.address_book import BETAS, RECORDS, sharpened, worked
from animations.words import load as load_words
from derive.catalog import load as theorem
from derive.examples import load as example
from numeric import softmax

QUESTIONS = (*RECORDS, "li-phone")


@pytest.mark.parametrize("question", QUESTIONS)
def test_its_arrays_are_those_of_the_exact_example(question):
    numbers, case = worked(question), example("address-book").case(question)
    for name in ("scores", "scaled", "exponentials", "weights", "output"):
        assert getattr(numbers, name) == pytest.approx(np.array(case.step(name).decimal)), name


def test_every_question_meets_the_same_book():
    books = [worked(question) for question in QUESTIONS]
    assert all((book.K == books[0].K).all() and (book.V == books[0].V).all() for book in books)


def test_its_weights_are_those_of_the_article():
    assert worked("zhang-address").weights[0] == pytest.approx([0.691, 0.154, 0.154], abs=5e-4)
    assert worked("li-phone").weights[0] == pytest.approx([0.1004, 0.4498, 0.4498], abs=5e-5)


def test_sharpening_starts_at_the_weights_and_nears_one_record():
    weights = sharpened()
    assert BETAS[0] == 1
    assert weights[0] == pytest.approx(worked(RECORDS[0]).weights[0])
    assert (np.diff(weights[:, 0]) > 0).all()
    assert weights[-1] == pytest.approx([1, 0, 0], abs=5e-3)
    assert softmax(8 * worked(RECORDS[0]).scaled[0]) == pytest.approx([1, 0, 0], abs=1e-4)


def test_what_is_printed_of_sharpened_weights_never_claims_the_limit():
    printed = sharpened().round(3)
    assert ((printed > 0) & (printed < 1)).all()


def test_its_limit_is_proved_and_its_best_match_is_unique():
    assert theorem("hard-lookup-limit").theorem is not None
    scores = worked(RECORDS[0]).scores[0]
    assert np.sum(scores == scores.max()) == 1


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_exact_look_up_finds_the_question_and_not_its_misspelling(lang):
    labels = [load_words().get(f"address.question.{record}", lang) for record in RECORDS]
    assert len(set(labels)) == 3
    assert load_words().get("address.question.typo", lang) not in labels
