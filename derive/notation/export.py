"""A derivation in any format."""

from __future__ import annotations

from typing import Any

from derive.notation import page, plain
from derive.notation.document import WORDS, document
from derive.notation.forms import NotationError

FORMATS = {
    "text": plain.as_text,
    "latex": plain.as_latex,
    "typst": page.as_typst,
    "markdown": plain.as_markdown,
    "html": page.as_html,
    "svg": page.as_svg,
    "pdf": page.as_pdf,
    "json": plain.as_json,
}


def export(derivation: Any, form: str = "text", *, language: str = "en") -> str | bytes:
    """A derivation in a format, as text or, for PDF, as bytes.

    Parameters
    ----------
    derivation
        See `derive.notation.document.document`.
    form
        One of `FORMATS`.
    language
        ``"en"`` or ``"zh"``.
    """
    if form not in FORMATS:
        raise NotationError(f"the format {form!r}", f"one of {', '.join(FORMATS)}")
    if language not in WORDS:
        raise NotationError(f"the language {language!r}", f"one of {', '.join(WORDS)}")
    return FORMATS[form](document(derivation, language=language))
