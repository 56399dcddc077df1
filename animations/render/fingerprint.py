"""A name for the state of a scene, equal in every process that reaches the same state.

The state is walked as a graph of plain values; nothing depends on addresses, on the order of
sets or on the seed of `hash`. What cannot be walked has no name, and a segment that starts from
it is drawn again rather than guessed to be unchanged.
"""

from __future__ import annotations

import collections
import enum
import functools
import hashlib
import random
import re
import types
from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import Any

import numpy as np
from manim import Mobject, Scene

__all__ = ["OpaqueError", "digest", "play_state", "scene_state"]

# What a scene knows about being played and written, not about the picture.
UNSEEN = frozenset(
    (
        "renderer",
        "manager",
        "session_spec",
        "output_plan",
        "file_writer_settings",
        "camera_class",
        "queue",
        "widgets",
        "animations",
        "moving_mobjects",
        "static_mobjects",
        "time_progression",
        "duration",
        "last_t",
        "stop_condition",
        "key_to_function_map",
        "mouse_press_callbacks",
        "_log_file_path",
        "dearpygui_imported",
        "meshes",
        "skip_animations",
        "skip_animation_preview",
        "interactive_mode",
        "random_seed",
    )
)
# What a film records for captions and checks, and words, which are followed by use.
RECORDS = frozenset(
    ("watchers", "introduced", "text", "_words", "_cues", "_open", "_ticks", "_beat")
)
PLAIN = frozenset((type(None), bool, int, float, str, bytes, complex))
MAPPINGS = (dict, collections.OrderedDict, collections.defaultdict, types.MappingProxyType)
LITERAL = (type(None), bool, int, float, str, bytes, complex, range, slice, PurePath)
# Serial numbers of blocks of type, and the address that Manim writes into copies: names that
# only tell one from another.
SERIAL = frozenset({"number", "block", "original_id"})
CAMERA = ("frame_center", "frame_width", "frame_height", "background_color", "background_opacity")


class OpaqueError(Exception):
    """Something whose state cannot be read."""


def scene_state(scene: Scene) -> str | None:
    """Return the name of everything that the rest of `scene` can depend on.

    Returns
    -------
    str or None
        A hexadecimal digest; None when something in the scene cannot be read.
    """
    try:
        return digest((_own(scene), _surroundings(scene)), known=[scene])
    except OpaqueError:
        return None


def play_state(scene: Scene, *played: Any) -> tuple[str, frozenset[str]] | None:
    """Return the name of everything that a play which begins now can depend on.

    Parameters
    ----------
    scene
        The scene that plays. What it keeps but does not show counts only if it can be reached
        from what it shows.
    played
        What it plays, and how.

    Returns
    -------
    tuple or None
        A hexadecimal digest, and the names of the modules whose classes and functions are at
        work, that of `Scene` itself if the scene can be reached; None when something cannot be
        read.
    """
    shown = _shown(scene), scene.foreground_mobjects, scene.updaters
    modules: set[str] = set()
    try:
        name = _digest((shown, _surroundings(scene), played), [], modules).hex()
    except OpaqueError:
        return None
    return name, frozenset(modules)


def _own(scene: Scene) -> dict[str, Any]:
    """Return what a scene holds that a picture can depend on."""
    own = {name: value for name, value in vars(scene).items() if name not in UNSEEN | RECORDS}
    return own | {"mobjects": _shown(scene)}


def _shown(scene: Scene) -> list[Mobject]:
    return [mobject for mobject in scene.mobjects if not _is_left_by_a_wait(mobject)]


def _surroundings(scene: Scene) -> Any:
    """Return the camera, and the global generators, which Manim's animations draw from."""
    camera = {name: getattr(scene.camera, name) for name in CAMERA}
    return camera, random.getstate(), np.random.get_state()  # noqa: NPY002


def _is_left_by_a_wait(mobject: Mobject) -> bool:
    """Tell whether `mobject` is one of the empty ones that Manim's waits add to a scene."""
    return type(mobject) is Mobject and not mobject.submobjects and not mobject.updaters


def digest(value: Any, known: Iterable[Any] = ()) -> str:
    """Return a digest of `value` and of all that it refers to.

    Parameters
    ----------
    value
        The root of the graph.
    known
        Objects that are named by their position and not entered.

    Raises
    ------
    OpaqueError
        If something in it cannot be read.
    """
    return _digest(value, list(known), set()).hex()


def _digest(root: Any, seen: list[Any], modules: set[str]) -> bytes:
    """Walk the graph depth first; an object met again is named by its number."""
    hasher = hashlib.sha256()
    numbers = {id(thing): number for number, thing in enumerate(seen)}
    stack = [root]
    while stack:
        value = stack.pop()
        if type(value) not in PLAIN:
            if id(value) in numbers:
                hasher.update(b"@%d;" % numbers[id(value)])
                continue
            numbers[id(value)] = len(seen)
            seen.append(value)  # kept alive, or its address could name another object
        token, parts = _open(value, seen, modules)
        hasher.update(b"%d:%b%d;" % (len(token), token, len(parts)))
        stack.extend(reversed(parts))
    return hasher.digest()


def _open(value: Any, seen: list[Any], modules: set[str]) -> tuple[bytes, list[Any]]:
    """Return what `value` is in itself, and the things it is made of."""
    kind = type(value)
    if kind in PLAIN:
        return f"{kind.__name__} {value!r}".encode(), []
    if kind is np.ndarray and value.dtype != object:
        head = f"array {value.dtype.str} {value.shape} "
        return head.encode() + value.tobytes(), []
    if kind in (list, tuple):
        if _is_flat(value):
            return f"{kind.__name__} {value!r}".encode(), []
        return kind.__name__.encode(), list(value)
    if kind in MAPPINGS:
        return kind.__name__.encode(), [part for item in value.items() for part in item]
    if kind in (set, frozenset):
        members = sorted(_digest(member, [*seen], modules) for member in value)
        return kind.__name__.encode() + b"".join(members), []
    if isinstance(value, LITERAL) and not isinstance(value, enum.Enum):
        return f"{kind.__name__} {value!r}".encode(), []
    name = _name(value, modules)
    if isinstance(value, Mobject):
        return _open_mobject(name, value)
    return name, list(_parts(value))


def _open_mobject(name: bytes, mobject: Mobject) -> tuple[bytes, list[Any]]:
    """Open a mobject at one go: there are hundreds on a stage, each of dozens of plain values."""
    plain, parts = [], []
    for key, part in vars(mobject).items():
        if key in SERIAL:
            continue
        if type(part) in PLAIN:
            plain.append((key, part))
        else:
            plain.append(key)
            parts.append(part)
    return name + repr(plain).encode(), parts


def _is_flat(values: Iterable[Any]) -> bool:
    return all(type(value) in PLAIN for value in values)


def _name(value: Any, modules: set[str]) -> bytes:
    """Return the name of a class, function, module or code, or of an object's class.

    Its module is added to `modules`.
    """
    if isinstance(value, types.ModuleType):
        modules.add(value.__name__)
        return f"module {value.__name__}".encode()
    if isinstance(value, types.CodeType):
        return b"code " + value.co_code
    owner = value if hasattr(value, "__qualname__") else type(value)
    module = getattr(owner, "__module__", None)
    modules.add(module or "")
    return f"{type(value).__name__} {module} {owner.__qualname__}".encode()


def _parts(value: Any) -> Iterator[Any]:
    """Yield what an object is made of."""
    if isinstance(value, (type, types.ModuleType, np.ufunc)):
        return
    if isinstance(value, types.FunctionType):
        yield value.__code__
        yield value.__defaults__
        yield value.__kwdefaults__
        yield [_content(cell) for cell in value.__closure__ or ()]
    elif isinstance(value, types.CodeType):
        yield value.co_consts
        yield value.co_names
        yield value.co_varnames
        yield value.co_freevars
    elif isinstance(value, types.MethodType):
        yield value.__func__
        yield value.__self__
    elif isinstance(value, types.BuiltinFunctionType):
        if not isinstance(value.__self__, types.ModuleType):
            yield value.__self__
    elif isinstance(value, Scene):
        yield _own(value)
    elif isinstance(value, functools.partial):
        yield [value.func, value.args, value.keywords]
    elif isinstance(value, enum.Enum):
        yield value.name
    elif isinstance(value, re.Pattern):
        yield [value.pattern, value.flags]
    else:
        yield from _state(value)


def _content(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # a variable that is not bound yet
        return "unbound"


def _state(value: Any) -> Iterator[Any]:
    """Yield the state of an object: as it would be pickled, else what its attributes hold."""
    try:
        state = value.__reduce_ex__(4)
    except Exception:  # noqa: BLE001 (a class may refuse in any way it likes)
        # Things that refuse to be pickled, such as theorems, can still be read.
        yield from _attributes(value)
        return
    yield from (list(part) if isinstance(part, Iterator) else part for part in _listed(state))


def _listed(state: Any) -> Iterable[Any]:
    return state if isinstance(state, tuple) else [state]


def _attributes(value: Any) -> Iterator[Any]:
    slots = [
        (name, getattr(value, name))
        for kind in type(value).__mro__
        for name in _listed(vars(kind).get("__slots__", ()))
        if hasattr(value, name)
    ]
    held = getattr(value, "__dict__", None)
    if not slots and held is None and not isinstance(value, tuple):
        raise OpaqueError(f"{type(value).__qualname__} holds state that cannot be read")
    if isinstance(value, tuple):
        yield tuple(value)
    yield slots
    yield held
