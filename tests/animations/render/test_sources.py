"""What a film is drawn from changes its digest, and nothing else does."""

import pytest

from animations.render import sources

MODULE = """
from animations.films.helper import shade
SIZE = 3


class Film:
    def one(self):
        return SIZE

    def two(self):
        return 2

    def shared(self):
        return 5
"""


@pytest.fixture
def module(tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "FILMS", tmp_path)
    monkeypatch.setattr(sources, "project_code", dict)
    (tmp_path / "helper.py").write_text("shade = 1\n")
    path = tmp_path / "film.py"
    path.write_text(MODULE)
    return path


def code(module, beat="one"):
    return sources.beat_code(module, ["one", "two"], beat)


CHANGES = {
    "its own body": ("return SIZE", "return SIZE + 1", True),
    "another beat": ("return 2", "return 22", False),
    "shared code": ("return 5", "return 55", True),
    "a constant": ("SIZE = 3", "SIZE = 4", True),
    "a comment": ("return 5", "return 5  # five", False),
}


@pytest.mark.parametrize(("old", "new", "differs"), CHANGES.values(), ids=CHANGES)
def test_a_beat_depends_on_its_own_and_on_shared_code(module, old, new, differs):
    before = code(module)
    module.write_text(MODULE.replace(old, new))
    assert (code(module) != before) == differs


def test_a_beat_depends_on_films_that_its_module_imports_from(module):
    before, whole = code(module), sources.film_code(module)
    module.with_name("helper.py").write_text("shade = 2\n")
    assert code(module) != before
    assert sources.film_code(module) != whole


def test_beats_differ(module):
    assert code(module, "one") != code(module, "two")


def test_an_unknown_beat_depends_on_the_whole_module(module):
    assert code(module, "three") == sources.film_code(module)


def test_project_code_holds_what_draws_and_leaves_out_what_does_not():
    files = sources.project_code()
    assert "animations/film.py" in files
    assert "derive/terms.py" in files
    assert not any(name.endswith(("commands.py", "words.toml", "index.json")) for name in files)
    assert not any(name.startswith("animations/films/") for name in files)


def test_versions_name_every_package_that_draws():
    assert {"python", "manim", "av", "typst", "numpy"} <= set(sources.versions())
