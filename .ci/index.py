"""Write what `qkv list` reads and the table of theorems in the README; `--check` only compares.

The indexes are static so that `qkv list` answers at once; a test runs the comparison.
"""

from __future__ import annotations

import json
import re
import sys
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).parents[1]
TABLE = re.compile(
    r"(?<=<!-- theorems: written by `make index` -->\n).*?(?=<!-- end -->)", re.DOTALL
)


def theorems() -> list[dict]:
    """Return the entry of every theorem; its proof is not made."""
    from derive import catalog
    from derive.notation.text import text

    return [
        {
            "name": name,
            "title": found.title["en"],
            "statement": text(found.statement, variance=True),
        }
        for name, found in ((name, catalog.load(name)) for name in catalog.names())
    ]


def examples() -> list[dict]:
    """Return the entry of every worked example."""
    from derive import examples

    return [{"name": name, "title": examples.load(name).title} for name in examples.names()]


def claims() -> list[dict]:
    """Return the entry of every claim, with the verdict that it is recorded to have."""
    from derive.claims import everything

    return [
        {"id": c.name, "source": c.source, "statement": dict(c.statement), "verdict": c.recorded}
        for c in everything()
    ]


def films() -> list[dict]:
    """Return the entry of every film, its title in each language that it has."""
    from animations.films import FILMS
    from animations.words import load, plain

    entries = []
    for name, where in FILMS.items():
        module, _, kind = where.partition(":")
        film = getattr(import_module(module), kind)
        words = film.table or load()
        languages = words.languages(film.title)
        title = {lang: plain(words.get(film.title, lang)) for lang in languages}
        entries.append({"name": name, "title": title})
    return entries


def table() -> str:
    """Return the theorems' names and titles as a table in Markdown."""
    from derive import catalog

    titles = [(name, catalog.load(name).title) for name in catalog.names()]
    rows = [f"| `{name}` | {title['en']} | {title['zh']} |" for name, title in titles]
    return "\n".join(["| theorem | what it says | 内容 |", "|---|---|---|", *rows, ""])


def built() -> dict[Path, str]:
    """Return the text of every file that is written here."""
    derive = {"theorems": theorems(), "examples": examples(), "claims": claims()}
    readme = ROOT / "README.md"
    rows = table()
    return {
        ROOT / "derive" / "index.json": _json(derive),
        ROOT / "animations" / "index.json": _json({"films": films()}),
        readme: TABLE.sub(lambda _: rows, readme.read_text(encoding="utf-8")),
    }


def _json(document: dict) -> str:
    return json.dumps(document, ensure_ascii=False, indent=1) + "\n"


def stale() -> list[str]:
    """Return the names of the files that differ from what would be written."""
    return [
        str(file.relative_to(ROOT))
        for file, text in built().items()
        if file.read_text(encoding="utf-8") != text
    ]


if __name__ == "__main__":
    if sys.argv[1:] == ["--check"]:
        sys.exit(f"stale: {', '.join(found)}; run: make index" if (found := stale()) else 0)
    for file, text in built().items():
        file.write_text(text, encoding="utf-8")
