"""What the source articles assert, one claim an assertion, with a verdict computed when asked for.

Nothing is imported to read this package: `load` and `select` build what they are asked for.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from derive.claims.claim import Claim

ARTICLES = ("lesson", "sheet", "module")


@cache
def everything() -> tuple[Claim, ...]:
    """All claims, in the order of the articles."""
    modules = (import_module(f"derive.claims.{article}") for article in ARTICLES)
    return tuple(claim for module in modules for claim in module.CLAIMS)


def select(words: Sequence[str]) -> tuple[Claim, ...]:
    """The claims of these names (``S5c``) or rows of the sources (``S5``); none: all of them."""
    known: dict[str, list[Claim]] = {}
    for claim in everything():
        known.setdefault(claim.source, []).append(claim)
        known[claim.name] = [claim]
    from derive.console import choose

    chosen = choose(words, known, "claim") if words else list(known)
    return tuple({claim.name: claim for word in chosen for claim in known[word]}.values())
