"""The command line ``qkv``: composes the commands of the three packages, nothing else.

A verb is a ``derive.console.Verb(help, example, options, run)``, found in the table ``VERBS``
of ``derive.commands``, ``numeric.commands`` or ``animations.commands``:

``options(parser)``
    adds the verb's arguments to an ``argparse`` parser that already has ``--json``;
``run(args) -> int``
    does the work and returns 0 when every outcome is the expected one, 1 when one differs.

With ``args.json`` a verb prints exactly one JSON document (``derive.console.emit``); progress
goes to standard error. A wrong call raises an exception that carries ``given``, ``expected``
and ``fix`` (``derive.console.UsageError`` or a package's own error) and ends with code 2.
Answers to ``--help`` and ``list`` import nothing heavy: commands modules stay light, and what
a verb needs is imported by its ``run``.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module

from derive.console import UsageError, Verb, emit, unknown

TYPE_CHECKING = False  # as in typing, which would cost a start more than all of this
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

PACKAGES = ("derive", "numeric", "animations")
EXTRAS = {
    "manim": "animations",
    "manimpango": "animations",
    "cairo": "animations",
    "fontTools": "animations",
    "jax": "jax",
    "cupy": "cupy",
    "numba": "fast",
}
INTERRUPTED, PIPE_CLOSED = 130, 141  # 128 + the signal's number, as shells count


def main(argv: list[str] | None = None) -> int:
    """Run one call of the command line and return its exit code."""
    argv = sys.argv[1:] if argv is None else argv
    try:
        code = call(argv)
        sys.stdout.flush()
    except KeyboardInterrupt:
        print("qkv: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    except ImportError as error:
        return refuse(unusable(error), argv)
    except Exception as error:
        if not all(hasattr(error, part) for part in ("given", "expected", "fix")):
            raise
        return refuse(error, argv)
    return code


def call(argv: list[str]) -> int:
    """Find the verb, read its options, run it."""
    if not argv or argv[0] in ("-h", "--help"):
        print(overview(all_verbs()))
        return 0
    if argv[0] == "--version":
        from importlib.metadata import version

        print(f"qkv {version('qkv')}")
        return 0
    name, *rest = argv
    if name == "list" and rest in ([], ["--json"]):  # argparse alone would cost a bare start
        return print_list(as_json=bool(rest))
    verb = HOUSE.get(name) or all_verbs().get(name)
    if verb is None:
        raise unknown(name, all_verbs(), "verb")
    return verb.run(parser_for(name, verb).parse_args(rest))


def all_verbs() -> dict[str, Verb]:
    """Return every verb by name, the house's own first."""
    verbs = dict(HOUSE)
    for package in PACKAGES:
        verbs |= import_module(f"{package}.commands").VERBS
    return verbs


def overview(verbs: dict[str, Verb]) -> str:
    """Return the text of ``qkv --help``."""
    width = max(map(len, verbs))
    lines = [f"  {name:{width}}  {verb.help}" for name, verb in verbs.items()]
    return "\n".join(
        [
            "usage: qkv VERB [options]",
            "",
            "Self-attention, proved, evaluated and drawn.",
            "",
            *lines,
            "",
            "example:",
            "  qkv list",
            "",
            "`qkv VERB --help` explains a verb, with an example. `--json` prints one JSON document.",
            "Exit codes: 0 as expected, 1 an outcome differs, 2 the call was wrong.",
        ]
    )


def parser_for(name: str, verb: Verb) -> ArgumentParser:
    """Return the parser of one verb; it raises where argparse would exit."""
    import argparse

    parser = argparse.ArgumentParser(
        prog=f"qkv {name}",
        description=verb.help,
        epilog="example:\n" + "\n".join(f"  {line}" for line in verb.example.splitlines()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )

    def error(message: str) -> None:
        usage = " ".join(parser.format_usage().split())
        raise UsageError(message, usage, f"see: qkv {name} --help")

    parser.error = error
    verb.options(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    return parser


def refuse(error: Exception, argv: list[str]) -> int:
    """Say what was wrong with the call, and return its exit code."""
    parts = {part: str(getattr(error, part)) for part in ("given", "expected", "fix")}
    if "--json" in argv:
        emit({"error": parts})
    else:
        for part, text in parts.items():
            print(f"{part + ':':10}{text}", file=sys.stderr)
    return 2


def unusable(error: ImportError) -> UsageError:
    """Return the usage error for an optional library that is absent or does not load."""
    module = (error.name or "").partition(".")[0]
    if isinstance(error, ModuleNotFoundError) and module in EXTRAS:
        extra = EXTRAS[module]
        return UsageError(
            f"a call that needs {module}, which is not installed",
            f"the extra [{extra}]",
            f"make setup, or: pip install '.[{extra}]' in the checkout",
        )
    if "shared object" in str(error) or "Library not loaded" in str(error):
        return UsageError(str(error), "the system library that it needs", "see: qkv doctor")
    raise error


def index() -> dict[str, list[dict]]:
    """Read the packages' static indexes: what there is, without building any of it."""
    import json

    kinds = {}
    for package in ("derive", "animations"):
        path = os.path.join(os.path.dirname(__file__), package, "index.json")
        with open(path, encoding="utf-8") as file:
            kinds |= json.load(file)
    return kinds


def run_list(args: Namespace) -> int:
    """Print every theorem, worked example, claim and film, one line each."""
    return print_list(as_json=args.json)


def print_list(*, as_json: bool) -> int:
    """Print the index."""
    kinds = index()
    if as_json:
        emit(kinds)
        return 0
    for kind, entries in kinds.items():
        print(kind)
        rows = [list(map(_words, entry.values())) for entry in entries]
        width = max((len(name) for name, *_ in rows), default=0)
        for name, *rest in rows:
            print(f"  {name:{width}}  " + "  ".join(rest))
    return 0


def _words(value: str | dict[str, str]) -> str:
    return " · ".join(dict.fromkeys(value.values())) if isinstance(value, dict) else value


def run_doctor(args: Namespace) -> int:
    """Report what the machine has, what it lacks, and the command that mends it."""
    needs = [need for package in PACKAGES for need in import_module(f"{package}.needs").needs()]
    ok = all(need.found or not need.required for need in needs)
    if args.json:
        emit({"ok": ok, "items": [need.item() for need in needs]})
    else:
        print("\n".join(map(str, needs)))
    return 0 if ok else 1


HOUSE = {
    "list": Verb(
        help="every theorem, worked example, claim and film, one line each",
        example="qkv list\nqkv list --json",
        options=lambda parser: None,
        run=run_list,
    ),
    "doctor": Verb(
        help="what this machine has and lacks, with the command that mends it",
        example="qkv doctor",
        options=lambda parser: None,
        run=run_doctor,
    ),
}

if __name__ == "__main__":
    sys.exit(main())
