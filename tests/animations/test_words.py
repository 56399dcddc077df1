"""The table of words and its mark-up."""

import pytest

from animations.errors import FilmError
from animations.words import Run, Words, broken, load, plain, reading_time, runs

TABLE = Words({"a.b": {"zh": "权重 {w}", "en": "weight {w}"}, "a.c": {"zh": "只有中文"}})


def test_fields_are_filled_in():
    assert TABLE.get("a.b", "zh", w=0.5) == "权重 0.5"


def test_a_missing_translation_is_a_finding():
    with pytest.raises(FilmError) as caught:
        TABLE.get("a.c", "en")
    assert caught.value.kind == "untranslated"


def test_an_unknown_key_names_the_nearest():
    with pytest.raises(FilmError, match=r"did you mean a\.b"):
        TABLE.get("a.bb", "zh")


def test_the_languages_of_a_film_are_those_of_all_its_words():
    assert TABLE.languages() == ("zh",)
    assert set(TABLE.languages("a.b")) == {"zh", "en"}
    assert TABLE.languages("nothing") == ()


def test_marked_parts_and_formulas_become_runs():
    assert runs("每个[Q|提问 $q_i$]和 $k$") == (
        Run("每个"),
        Run("提问 ", "Q"),
        Run("q_i", "Q", math=True),
        Run("和 "),
        Run("k", math=True),
    )


def test_a_lone_bracket_is_text():
    assert plain("[0, 1]") == "[0, 1]"


def test_reading_time_ignores_spaces_and_mark_up():
    assert reading_time("[Q|一二三] 四五六", "zh") == pytest.approx(1.0)
    assert reading_time("fifteen letters!", "en") == pytest.approx(1.0)


def test_every_word_of_the_real_table_parses():
    words = load()
    for key, entry in words._table.items():
        for lang, text in entry.items():
            assert text.strip(), (key, lang)
            assert plain(text)


@pytest.mark.parametrize(
    ("marked", "lines", "expected"),
    [
        ("一句话。", ["一句话。"], "一句话。"),
        ("[Q|提问]，[K|标签]。", ["提问，", "标签。"], "[Q|提问]，[K|\n标签]。"),
        ("ask [Q|it all] now", ["ask it", "all now"], "ask [Q|it\nall] now"),
        ("由 $q$ 决定", ["由 q", "决定"], "由 $q$\n决定"),
    ],
)
def test_words_are_broken_where_their_plain_words_are(marked, lines, expected):
    assert broken(marked, lines) == expected
    assert plain(expected).split("\n") == lines
