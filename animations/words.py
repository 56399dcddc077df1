"""The words of all films: one table, by key and language, and the little mark-up they use.

``[Q|text]`` is a named part, drawn in its role's colour; ``$x$`` is mathematics in Typst;
``{name}`` is filled in when the words are asked for.
"""

import difflib
import itertools
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from animations.errors import FilmError

TABLE = Path(__file__).with_name("words.toml")
READING_SPEED = {"zh": 6.0, "en": 15.0}  # characters a second

_PART = re.compile(r"\[(?P<part>\w+)\|(?P<body>[^\]]*)\]|(?P<rest>[^\[]+|\[)")
_MATH = re.compile(r"\$([^$]*)\$|([^$]+)")


@dataclass(frozen=True)
class Run:
    """A stretch of words set alike: its text, the part it belongs to, whether it is a formula."""

    text: str
    part: str = ""
    math: bool = False


def runs(marked: str) -> tuple[Run, ...]:
    """Split marked-up words into their runs.

    >>> [run.text for run in runs("由 [Q|提问 $q$] 决定")]
    ['由 ', '提问 ', 'q', ' 决定']
    """
    return tuple(
        Run(math or text, match["part"] or "", bool(math))
        for match in _PART.finditer(marked)
        for math, text in _MATH.findall(match["body"] if match["part"] else match["rest"])
    )


def plain(marked: str) -> str:
    """Return the words without their mark-up, as a subtitle shows them.

    >>> plain("由 [Q|提问 $q$] 决定")
    '由 提问 q 决定'
    """
    return "".join(run.text for run in runs(marked))


def broken(marked: str, lines: Sequence[str]) -> str:
    r"""Break marked-up words where their plain words are broken into lines.

    >>> broken("由 [Q|提问] 和 [K|标签] 决定", ["由 提问", "和 标签 决定"])
    '由 [Q|提问]\n和 [K|标签] 决定'
    """
    whole, at, cuts = plain(marked), 0, set()
    for line in lines[:-1]:
        at = whole.index(line, at) + len(line)
        cuts.add(at)
    places = itertools.count()

    def cut(body: str) -> str:
        return "".join("\n" + c.strip() if c != "$" and next(places) in cuts else c for c in body)

    return "".join(
        f"[{match['part']}|{cut(match['body'])}]" if match["part"] else cut(match["rest"])
        for match in _PART.finditer(marked)
    )


def reading_time(marked: str, lang: str) -> float:
    """Return how many seconds a viewer needs to read the words."""
    return sum(not c.isspace() for c in plain(marked)) / READING_SPEED.get(lang, 15.0)


class Words:
    """A table of words.

    Parameters
    ----------
    table
        For each key, the words by language.
    """

    def __init__(self, table: Mapping[str, Mapping[str, str]]) -> None:
        self._table = table

    def get(self, key: str, lang: str, **values: Any) -> str:
        """Return the words of a key in a language, its fields filled in.

        Raises
        ------
        FilmError
            If the key is unknown, or not translated (a finding ``untranslated``).
        """
        entry = self._table.get(key)
        if entry is None:
            near = difflib.get_close_matches(key, self._table, n=3)
            raise FilmError(
                given=f"the words {key!r}",
                expected="a key of the table of words",
                fix=f"did you mean {', '.join(near)}?" if near else f"add it to {TABLE.name}",
            )
        if lang not in entry:
            raise FilmError(
                given=f"the words {key!r} in {lang!r}",
                expected=f"a language they have: {', '.join(entry)}",
                fix=f"translate them in {TABLE.name}",
                kind="untranslated",
            )
        return entry[lang].format(**values) if values else entry[lang]

    def languages(self, prefix: str = "") -> tuple[str, ...]:
        """Return the languages that every key beginning so has."""
        found = [set(entry) for key, entry in self._table.items() if key.startswith(prefix)]
        return tuple(sorted(set.intersection(*found), reverse=True)) if found else ()


@cache
def load(path: Path = TABLE) -> Words:
    """Read a table of words from its TOML file."""
    return Words(dict(_entries(tomllib.loads(path.read_text(encoding="utf-8")))))


def _entries(tree: Mapping[str, Any], prefix: str = "") -> list[tuple[str, Mapping[str, str]]]:
    found = []
    for name, value in tree.items():
        key = f"{prefix}{name}"
        if all(isinstance(text, str) for text in value.values()):
            found.append((key, value))
        else:
            found += _entries(value, f"{key}.")
    return found
