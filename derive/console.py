"""What the three packages' commands share: a verb, a usage error, one way to print.

A package offers verbs to the command line as ``VERBS: dict[str, Verb]`` in its ``commands``
module. That module is read to answer ``qkv --help``, so it imports nothing heavy; a verb's
``run`` imports what it needs.
"""

from __future__ import annotations

import sys
from collections import namedtuple

TYPE_CHECKING = False  # typing itself is not needed at run time
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any


class Verb(namedtuple("Verb", "help example options run")):
    """One verb of the command line.

    Attributes
    ----------
    help : str
        One line, shown by ``qkv --help``.
    example : str
        Calls worth copying, one a line, shown by ``qkv VERB --help``.
    options : Callable[[argparse.ArgumentParser], None]
        Adds the verb's own options; ``--json`` is there already.
    run : Callable[[argparse.Namespace], int]
        Does the work and returns the exit code: 0 when every outcome is the expected one,
        1 when one differs. ``args.json`` says whether to print one JSON document instead.
    """

    __slots__ = ()


class UsageError(Exception):
    """The call was wrong: says what was given, what was expected, and how to mend it."""

    def __init__(self, given: str, expected: str, fix: str) -> None:
        super().__init__(f"{given}; expected {expected}; {fix}")
        self.given, self.expected, self.fix = given, expected, fix


def choose(names: Sequence[str], known: Iterable[str], kind: str) -> list[str]:
    """Return `names`, or all that are `known` when none is named.

    Raises
    ------
    UsageError
        If a name is unknown; the nearest known names are offered.
    """
    known = list(known)
    for name in names:
        if name not in known:
            raise unknown(name, known, kind)
    return list(names) or known


def unknown(name: str, known: Iterable[str], kind: str) -> UsageError:
    """Return the error for a `name` that is not `known`, with the nearest ones."""
    from difflib import get_close_matches

    known = list(known)
    near = get_close_matches(name, known, n=3, cutoff=0.5)
    fix = f"did you mean {', '.join(near)}?" if near else f"known: {', '.join(known) or 'none'}"
    return UsageError(f"{kind} {name!r}", f"the name of a known {kind}", fix)


def emit(document: Any) -> None:
    """Print one JSON document on standard output; NaN and infinity become null."""
    import json

    json.dump(_finite(document), sys.stdout, ensure_ascii=False, indent=2, allow_nan=False)
    sys.stdout.write("\n")


def _finite(value: Any) -> Any:
    """Replace every float that JSON cannot write by None."""
    if isinstance(value, float):
        return value if abs(value) < float("inf") else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return value


class Need(namedtuple("Need", "name found needed_by fix required", defaults=(True,))):
    """One thing that a package needs of the machine.

    Attributes
    ----------
    name, needed_by : str
        What it is, and what cannot be done without it.
    found : str or None
        What was found (a version, a file, a device), or None.
    fix : str
        The command that mends its absence.
    required : bool
        Whether something installed already does not work without it.
    """

    __slots__ = ()

    def item(self) -> dict[str, str | None]:
        """Return the JSON form; `fix` is null when there is nothing to mend."""
        fix = None if self.found else self.fix
        return {"name": self.name, "found": self.found, "needed_by": self.needed_by, "fix": fix}

    def __str__(self) -> str:
        if self.found:
            return f"found    {self.name}: {self.found}"
        state = "missing " if self.required else "optional"
        return f"{state} {self.name}: needed by {self.needed_by}; {self.fix}"


def distribution(name: str, needed_by: str, fix: str, required: bool = True) -> Need:
    """Return the need for an installed distribution, without importing it."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        found = version(name)
    except PackageNotFoundError:
        found = None
    return Need(name, found, needed_by, fix, required)
