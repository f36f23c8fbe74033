"""The OCR port: text for pages that are pictures."""

from __future__ import annotations

from typing import Protocol


class PageReader(Protocol):
    """Reads the picture of a page; the same bytes always give the same text.

    No adapter is shipped: without one, a file of pictures is refused (`no_text`), and empty pages of another are named in a warning.
    """

    def read(self, image: bytes, *, language: str | None) -> str:
        """The text of a page given as a PNG, in reading order; empty where it sees none. `language` is a hint, such as `de`."""
        ...
