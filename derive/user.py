"""A user's own file of derivations: read, run, and every mistake in it found by its line.

The file is compiled from its text each time, so that nothing is written beside it and an edit is
never missed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from types import ModuleType, TracebackType

from derive.console import UsageError
from derive.derivation import Derivation, collecting
from derive.errors import DeriveError


class FileError(DeriveError):
    """A mistake in a user's file outside any derivation: where it is, what and why."""

    def __init__(self, file: str, line: int, rule: str, got: str, expected: str, fix: str) -> None:
        self.file, self.line, self.rule, self.got = file, line, rule, got
        super().__init__(f"{file}:{line}: {rule}: {got}", expected, fix)


def load_file(path: str) -> tuple[Derivation, ...]:
    """The derivations of a file, in its order.

    Raises
    ------
    UsageError
        If there is no such file, or no derivation in it.
    FileError
        If it does not compile or run; it says in which line.
    """
    source = _source(path)
    with collecting() as made:
        _run(path, source)
    own = [x for x in made if x.build.__code__.co_filename == path]
    if not own:
        raise UsageError(
            f"{path}, in which nothing is proved",
            "functions decorated with @theorem(…)",
            "see: qkv prove --help",
        )
    _no_duplicates(path, own)
    return tuple(own)


def _source(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        reason = error.strerror or str(error)
        raise UsageError(f"{path}: {reason}", "a readable Python file", "check the path") from error


def _run(path: str, source: bytes) -> None:
    module = ModuleType(Path(path).stem)
    module.__file__ = path
    try:
        with _importable(str(Path(path).resolve().parent)), redirect_stdout(sys.stderr):
            exec(compile(source, path, "exec"), vars(module))  # noqa: S102 - the file is the user's own
    except SyntaxError as error:
        where = error.filename or path
        raise FileError(
            where, error.lineno or 1, "syntax", error.msg, "a Python file", "correct this line"
        ) from error
    except (Exception, SystemExit) as error:
        raise mistake(error, path) from error


@contextmanager
def _importable(folder: str) -> Iterator[None]:
    """Let the file import its neighbours, as a script does."""
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        sys.path.remove(folder)


def _no_duplicates(path: str, derivations: list[Derivation]) -> None:
    seen: dict[str, Derivation] = {}
    for derivation in derivations:
        if derivation.name in seen:
            line = derivation.build.__code__.co_firstlineno
            raise FileError(
                path, line, "name", f"a second {derivation.name!r}", "one derivation for each name",
                "give it another name",
            )  # fmt: skip
        seen[derivation.name] = derivation


def mistake(error: BaseException, file: str) -> DeriveError:
    """The error with the file and the line that it comes from, whatever its type."""
    if all(hasattr(error, part) for part in ("file", "line", "rule", "got")):
        return error
    line = line_in(error.__traceback__, file)
    if isinstance(error, DeriveError):
        return FileError(file, line, type(error).__name__, error.given, error.expected, error.fix)
    name = type(error).__name__
    return FileError(file, line, name, str(error), "Python that runs", "correct this line")


def line_in(traceback: TracebackType | None, file: str) -> int:
    """The innermost line of the file that a traceback passes through."""
    line = 1
    while traceback:
        if traceback.tb_frame.f_code.co_filename == file:
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return line
