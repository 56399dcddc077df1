"""Small makers that the picture's tests share."""

from dataclasses import dataclass

import pytest
from manim import tempconfig

from animations.formula import Formula
from animations.theme import DARK


@dataclass(frozen=True)
class Tagged:
    """A typeset term, as `derive.notation` hands it over."""

    source: str
    paths: tuple


@pytest.fixture
def tagged():
    """Make a typeset term from its source and the paths of its tags."""
    return lambda source, *paths: Tagged(source, paths)


@pytest.fixture
def formula(tagged):
    """Make a formula from its source and the paths of its tags."""
    return lambda source, *paths, **options: Formula(tagged(source, *paths), DARK, **options)


@pytest.fixture
def dry():
    """Play scenes without writing anything."""
    with tempconfig({"dry_run": True, "progress_bar": "none", "verbosity": "ERROR"}):
        yield
