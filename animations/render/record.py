"""What was drawn from what: for the next call, and for readers of ``manifest.json``.

Nothing here imports Manim, so that a call that changes nothing is answered at once.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from animations import words
from animations.errors import FilmError

from .request import Request
from .sources import ROOT, digest_of, film_code, fonts, versions

if TYPE_CHECKING:
    from .take import Take

__all__ = ["recall", "remember"]


def recall(request: Request) -> dict[str, Any] | None:
    """Return the result of the last render if nothing that it depends on has changed."""
    started = time.perf_counter()
    try:
        record = json.loads(_path(request).read_text(encoding="utf-8"))
        same = (
            record["inputs"] == _inputs(request)
            and record["words"] == _words(record["words"], request.lang)
            and record["files"] == _digests(request)
        )
    except (OSError, ValueError, LookupError, FilmError):
        return None
    return _again(request, record["result"], started) if same else None


def _again(request: Request, result: dict[str, Any], started: float) -> dict[str, Any]:
    """Return `result` as that of a call which had nothing to draw."""
    return {
        **result,
        **request.paths,
        "reused_segments": result["reused_segments"] + result["rendered_segments"],
        "rendered_segments": 0,
        "wall_seconds": round(time.perf_counter() - started, 3),
    }


def remember(request: Request, result: Mapping[str, Any], take: Take) -> None:
    """Keep a result, and tell readers what the film was drawn from."""
    used = {*take.words, take.film.title} - {""}
    record = {
        "inputs": _inputs(request),
        "words": {key: take.film.text(key) for key in sorted(used)},
        "files": _digests(request),
        "result": dict(result),
    }
    _write(_path(request), record)
    draws = {name for beat in take.film.beats for name in beat.draws}
    entry = {
        "film": request.film,
        "lang": request.lang,
        "theme": request.theme,
        "aspect": request.aspect,
        "quality": request.quality,
        "file": str(request.files.video.relative_to(request.out)),
        "sha256": record["files"][request.files.video.name],
        "drawn_from": _statements(draws),
        "code": film_code(source_of(request))[:16],
        "versions": versions(),
    }
    _enter(request.out / "manifest.json", request.stem, entry)


def source_of(request: Request) -> Path:
    """Return the file of the film's module, without importing it."""
    return Path(find_spec(request.where.partition(":")[0]).origin)


def _path(request: Request) -> Path:
    return request.cache / f"{request.stem}.{request.quality}.json"


def _inputs(request: Request) -> str:
    return digest_of(film_code(source_of(request)), fonts(), versions(), request.shown)


def _words(keys: Mapping[str, str], lang: str) -> dict[str, str]:
    table = words.load()
    return {key: table.get(key, lang) for key in keys}


def _digests(request: Request) -> dict[str, str]:
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in request.files.all()
    }


def _statements(names: Iterable[str]) -> dict[str, str]:
    """Return, for each theorem or example, a version that changes with what it says."""
    index = json.loads((ROOT / "derive" / "index.json").read_text(encoding="utf-8"))
    entries = {entry.get("name"): entry for kind in index.values() for entry in kind}
    return {name: digest_of(entries.get(name, name))[:16] for name in sorted(names)}


def _enter(path: Path, name: str, entry: Mapping[str, Any]) -> None:
    """Put one entry into the manifest; renders that end together do not lose each other's."""
    with path.with_name(".cache").joinpath("manifest.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        entries = {}
        with suppress(FileNotFoundError):
            entries = json.loads(path.read_text(encoding="utf-8"))
        _write(path, dict(sorted({**entries, name: entry}.items())))


def _write(path: Path, document: Any) -> None:
    part = path.with_name(f".{path.name}.{os.getpid()}")
    part.write_text(json.dumps(document, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    part.replace(path)
