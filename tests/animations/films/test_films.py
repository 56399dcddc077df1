"""Every film, in every language that it has: nothing to complain about, and well paced."""

from importlib import import_module

import pytest
from manim import tempconfig

from animations.check.inspect import DryRenderer, Inspector, inspect
from animations.film import expect_film
from animations.films import FILMS
from animations.theme import FRAMES, THEMES, Setting
from derive import catalog, examples


def film_class(name):
    module, _, attribute = FILMS[name].partition(":")
    return expect_film(getattr(import_module(module), attribute))


SHOWN = [(name, "zh") for name in FILMS]
SHOWN += [pytest.param((name, "en"), marks=pytest.mark.slow) for name in FILMS]


@pytest.fixture(scope="module", params=SHOWN)
def played(request):
    """Play a film once, watched by the inspector."""
    name, lang = request.param
    with tempconfig({"dry_run": True, "progress_bar": "none", "verbosity": "ERROR"}):
        film = film_class(name)(renderer=DryRenderer(), setting=Setting(lang=lang))
        inspector = Inspector()
        film.watchers.append(inspector)
        film.render()
    return film, inspector.report(film)


def test_it_has_no_findings_and_binds_its_numbers(played):
    _, report = played
    assert report.findings == ()
    assert report.silenced == ()
    assert report.quantities_checked > 100


def test_it_takes_one_to_three_minutes_and_has_chapters(played):
    film, _ = played
    assert 60 <= film.clock <= 180
    beats = [cue for cue in film.timeline if cue.kind == "beat"]
    assert len([cue for cue in beats if cue.text]) >= 5
    assert beats[0].text


@pytest.mark.slow
@pytest.mark.parametrize("aspect", FRAMES)
@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("lang", ["zh", "en"])
@pytest.mark.parametrize("name", FILMS)
def test_it_has_no_findings_in_any_shape_or_theme(name, lang, theme, aspect):
    report = inspect(film_class(name), Setting(lang, theme, aspect))
    assert report.findings == ()
    assert report.silenced == ()


@pytest.mark.parametrize("name", FILMS)
def test_it_says_what_it_is_drawn_from(name):
    kind = film_class(name)
    assert all(beat.draws for beat in kind.beats)
    known = {*catalog.names(), *examples.names()}
    assert {source for beat in kind.beats for source in beat.draws} <= known
    assert kind.poster in {beat.name for beat in kind.beats}
