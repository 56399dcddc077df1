"""Files are written beside their place and then moved there: none is ever seen half-written."""

from __future__ import annotations

import os
import tempfile
from errno import EISDIR
from pathlib import Path

from derive.console import UsageError


def write_aside(path: str, data: bytes) -> None:
    """Put the data at the path, all at once; the folder must be there.

    Raises
    ------
    UsageError
        If that cannot be done; the file that was there, if any, is untouched.
    """
    target = Path(path)
    aside = None
    try:
        handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        aside = Path(name)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        aside.chmod(0o666 & ~_umask())  # as an ordinary new file; mkstemp makes private ones
        aside.replace(target)
    except OSError as error:
        raise _unwritable(path, error) from error
    finally:
        if aside:
            aside.unlink(missing_ok=True)


def check_writable(path: str) -> None:
    """Refuse now, before long work, what `write_aside` would refuse after it.

    Raises
    ------
    UsageError
        If nothing can be written in the path's folder, or the path is itself a folder.
    """
    target = Path(path)
    try:
        if target.is_dir():
            raise IsADirectoryError(EISDIR, os.strerror(EISDIR))
        with tempfile.TemporaryFile(dir=target.parent):
            pass
    except OSError as error:
        raise _unwritable(path, error) from error


def _unwritable(path: str, error: OSError) -> UsageError:
    return UsageError(
        f"{path}: {error.strerror}",
        "a file in a folder that can be written to",
        "make that folder, or choose another",
    )


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
