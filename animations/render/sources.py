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
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from importlib import metadata
from pathlib import Path
from typing import Any

__all__ = [
    "beat_code",
    "digest_of",
    "drawing_code",
    "film_code",
    "fonts",
    "project_code",
    "versions",
]

ROOT = Path(__file__).parents[2]
PACKAGES = ("derive", "numeric", "animations")
DRAWN = "animations/"
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


def drawing_code() -> dict[str, str]:
    """Return the digest of every file whose code says how things look and move, by its path."""
    return {path: digest for path, digest in project_code().items() if path.startswith(DRAWN)}


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
    common, own = _split(module.read_text(encoding="utf-8"), frozenset(beats))
    if beat not in own:
        return film_code(module)
    others = [_digest_of_file(path) for path in _with_films(module)[1:]]
    return digest_of(project_code(), others, common, own[beat])


@lru_cache(maxsize=8)
def _split(source: str, names: frozenset[str]) -> tuple[str, dict[str, str]]:
    """Return what the functions called `names` have in common, and each one's own code."""
    tree = ast.parse(source)
    found = [node for node in _functions(tree) if node.name in names]
    counts = Counter(node.name for node in found)
    own = {node.name: ast.dump(node) for node in found if counts[node.name] == 1}
    for node in found:
        node.body = []
    return ast.dump(tree), own


def _with_films(module: Path, before: tuple[Path, ...] = ()) -> list[Path]:
    """Return the file of a film, and those of other films that it imports from."""
    found = [module]
    for name in _imported(module.read_text(encoding="utf-8")):
        path = FILMS / f"{name}.py"
        if path.exists() and path not in (*before, *found):
            found += _with_films(path, (*before, *found))
    return found


@lru_cache(maxsize=64)
def _imported(source: str) -> tuple[str, ...]:
    """Return every name in the imports of a module: of packages, modules and what is in them."""
    names: list[str] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            names += [*(node.module or "").split("."), *(alias.name for alias in node.names)]
        elif isinstance(node, ast.Import):
            names += [part for alias in node.names for part in alias.name.split(".")]
    return tuple(names)


def _functions(tree: ast.AST) -> Iterator[ast.FunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def _walk(folder: Path) -> Iterator[Path]:
    """Yield every file below `folder`; a folder that is not there has none."""
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        yield from (Path(place, name) for name in sorted(files))


def _digest_of_file(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
