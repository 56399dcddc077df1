"""What a film is drawn from: code, words, fonts and packages, each by its digest.

Nothing here imports Manim: the answer "nothing has changed" is to be given at once.
"""

from __future__ import annotations

import ast
import hashlib
import json
import os
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

__all__ = ["beat_code", "digest_of", "film_code", "fonts", "project_code", "versions"]

ROOT = Path(__file__).parents[2]
PACKAGES = ("derive", "numeric", "animations")
FILMS = ROOT / "animations" / "films"
KINDS = (".py", ".toml", ".json", ".typ", ".svg")
# What writes about films or asks for them without drawing any; and words, which are followed
# one by one as they are used.
UNDRAWN = ("commands.py", "index.json", "explorer", "words.toml")
DISTRIBUTIONS = ("manim", "numpy", "pycairo", "av", "typst", "fonttools", "sympy", "Pillow")
FONTS = (
    "~/.fonts",
    "~/.local/share/fonts",
    "/usr/share/fonts",
    "/usr/local/share/fonts",
    "~/Library/Fonts",
    "/Library/Fonts",
    "/System/Library/Fonts",
)


def digest_of(*parts: Any) -> str:
    """Return one digest for values that JSON can write."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


@cache
def versions() -> dict[str, str]:
    """Return the versions of Python, the machine and every package that draws."""
    found = {"python": sys.version, "platform": sysconfig.get_platform()}
    for name in DISTRIBUTIONS:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "absent"
    return found


@cache
def fonts() -> str:
    """Return a digest of the font files that are installed, by name, size and time."""
    files = (path for folder in FONTS for path in _walk(Path(folder).expanduser()))
    stamps = ((str(path), (stat := path.stat()).st_size, stat.st_mtime_ns) for path in files)
    return digest_of(sorted(stamps))


@cache
def project_code() -> dict[str, str]:
    """Return the digest of every file that films may be drawn from, by its path.

    The modules of films are left out, for `film_code` to add the one that is meant.
    """
    files = (path for package in PACKAGES for path in _walk(ROOT / package))
    return {
        str(path.relative_to(ROOT)): _digest_of_file(path)
        for path in sorted(files)
        if path.suffix in KINDS
        and not any(part in UNDRAWN for part in path.parts)
        and path.parent != FILMS
    }


def film_code(module: Path) -> str:
    """Return a digest of all code that the film in `module` may be drawn from."""
    return digest_of(project_code(), [_digest_of_file(path) for path in _with_films(module)])


def beat_code(module: Path, beats: Iterable[str], beat: str) -> str:
    """Return a digest of the code of one beat and of all that beats have in common.

    Parameters
    ----------
    module
        The file of the film.
    beats
        The names of the functions or methods that play a beat.
    beat
        The one that is meant. If it is unknown, the whole module counts.
    """
    tree, names = _tree(module), set(beats)
    own = [node for node in _functions(tree) if node.name == beat and beat in names]
    if len(own) != 1:
        return film_code(module)
    text = ast.dump(own[0])
    for node in list(_functions(tree)):
        if node.name in names:
            node.body = []
    others = [_digest_of_file(path) for path in _with_films(module)[1:]]
    return digest_of(project_code(), others, ast.dump(tree), text)


def _with_films(module: Path, before: tuple[Path, ...] = ()) -> list[Path]:
    """Return the file of a film, and those of other films that it imports from."""
    found = [module]
    for node in ast.walk(_tree(module)):
        for path in _films_named(node):
            if path.exists() and path not in (*before, *found):
                found += _with_films(path, (*before, *found))
    return found


def _films_named(node: ast.AST) -> list[Path]:
    """Return the files of films that an import names."""
    if isinstance(node, ast.ImportFrom):
        parts = (node.module or "").split(".")
        names = [*parts, *(alias.name for alias in node.names)]
    elif isinstance(node, ast.Import):
        names = [part for alias in node.names for part in alias.name.split(".")]
    else:
        return []
    return [FILMS / f"{name}.py" for name in names]


def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _functions(tree: ast.AST) -> Iterator[ast.FunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def _walk(folder: Path) -> Iterator[Path]:
    """Yield every file below `folder`; a folder that is not there has none."""
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        yield from (Path(place, name) for name in sorted(files))


def _digest_of_file(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
