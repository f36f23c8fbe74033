"""What an effect says, made fit to be kept and shown."""

from __future__ import annotations

import unicodedata

MAX_OUTPUT_BYTES = 4_096
"""How much of what an effect says is kept."""


def kept(data: bytes) -> str:
    """What was said, at most `MAX_OUTPUT_BYTES` of it, as text without control and format characters other than line feeds."""
    text = data[:MAX_OUTPUT_BYTES].decode(errors="replace").expandtabs(4)
    return "".join(c for c in text if c == "\n" or unicodedata.category(c)[0] != "C").strip()
