"""The frame in which a source's own words stand in place of a claim: it adds nothing to what they say."""

from __future__ import annotations

_OPENING, _CLOSING = 'The source says: "', '"'


def framed(words: str) -> str:
    """A sentence that says no more than that the source has these words."""
    return f"{_OPENING}{words}{_CLOSING}"


def framed_words(text: str) -> str | None:
    """The words in a frame; None for any other text."""
    is_framed = text.startswith(_OPENING) and text.endswith(_CLOSING) and len(text) > len(_OPENING) + len(_CLOSING)
    return text[len(_OPENING) : -len(_CLOSING)] if is_framed else None
