"""The verbs that ``numeric`` offers to the command line."""

from __future__ import annotations

from derive.console import Verb

VERBS: dict[str, Verb] = {}
