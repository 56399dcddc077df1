"""Files are written aside and moved into place whole."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from animations.errors import FilmError

__all__ = ["aside", "writable"]

PREFIX = "work-"


@contextmanager
def aside(parent: Path) -> Iterator[Path]:
    """Give a folder of one's own below `parent` for unfinished files, and remove it afterwards.

    Folders whose process is gone are what a killed render left; they are removed too.
    """
    owner = os.getpid()
    with writable(parent):
        parent.mkdir(parents=True, exist_ok=True)
        for left in parent.glob(f"{PREFIX}*-*"):
            if not _alive(int(left.name.split("-")[1])):
                shutil.rmtree(left, ignore_errors=True)
        folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{owner}-", dir=parent))
    try:
        yield folder
    finally:
        if os.getpid() == owner:  # a forked worker leaves its parent's folder alone
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def writable(folder: Path) -> Iterator[None]:
    """Turn the system's refusal to write below `folder` into a plain message."""
    try:
        yield
    except OSError as error:
        raise FilmError(
            f"the folder {folder}, where nothing can be written ({error.strerror})",
            "a folder that films can be written to",
            "choose another with -o DIR, or change its permissions",
        ) from error


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
