"""What both readings of a PDF have in common: clean text, and the fault of a file that cannot be read."""

from __future__ import annotations

import re

from toulmin.domain.errors import InputError

_LINE_ENDS = re.compile(r"\r\n?|[\x85\u2028\u2029\v\f]")
_NOT_TEXT = re.compile(r"[\x00-\x08\x0e-\x1f\x7f\ufffe\uffff\ud800-\udfff]")
_HYPHENS = str.maketrans({"\x02": "-", "\ufffe": "-"})
"""How PDFium marks a hyphen at which a line was broken."""


def clean_text(text: str) -> str:
    """The text with lines ended by line feeds, hyphens for what PDFium marks them with, and spaces for what is no text."""
    return _NOT_TEXT.sub(" ", _LINE_ENDS.sub("\n", text).translate(_HYPHENS)).strip("\n")


def malformed_pdf(name: str, what: str) -> InputError:
    """The fault of a file that is no PDF, or a damaged one."""
    return InputError(
        "malformed_file",
        f"the file cannot be read: {what}",
        where=name,
        remedy="open it in a PDF program and save it anew, or name it by its real format",
    )
