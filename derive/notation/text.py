"""Terms as plain text."""

from __future__ import annotations

from derive.terms import Term


def text(term: Term) -> str:
    data = "" if term.data is None else str(term.data)
    return f"{term.op}{data}({', '.join(map(text, term.args))})" if term.args else f"{data}"
