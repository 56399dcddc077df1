"""Worked examples, one file each, by name: exact data, every step of the procedure.

The table is static: nothing is imported to list it.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from derive.examples.worked import Example

_NAMES = ("address-book", "apple", "library", "softmax-rows", "cat-mat")


def names() -> tuple[str, ...]:
    """The names of all worked examples."""
    return _NAMES


@cache
def load(name: str) -> Example:
    """The worked example of that name, computed when it is first asked for."""
    if name not in _NAMES:
        from derive.console import unknown

        raise unknown(name, _NAMES, "example")
    return import_module(f"derive.examples.{name.replace('-', '_')}").example()
