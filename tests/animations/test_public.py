"""The package's public names."""

import subprocess
import sys

import pytest

import animations


@pytest.mark.parametrize("name", animations.__all__)
def test_every_public_name_is_there(name):
    assert getattr(animations, name).__module__ == animations._HOMES[name]


def test_public_names_are_told_and_others_refused():
    assert set(animations.__all__) <= set(dir(animations))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = animations.nothing


def test_the_package_itself_imports_nothing_heavy():
    code = "import animations, sys; print({'manim', 'numpy', 'typst'} & set(sys.modules))"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout.strip() == "set()"
