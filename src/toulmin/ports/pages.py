"""The port of page images: from a file's bytes to pictures of its pages, and where on them each character stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol

from toulmin.domain.corpus.printed import PrintedPage
from toulmin.domain.errors import InputError

WIDEST: Final = 1000
"""Pixels of an image's width."""
HIGHEST: Final = 3000
"""Pixels of an image's height: that of a page which is longer than three times its width is narrower."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawingLimits:
    """What drawing one page may take: seconds, address space in MiB, and the bytes of the image."""

    timeout_s: float = 10.0
    memory_mb: int = 1024
    max_image_bytes: int = 16_000_000


class PageImages(Protocol):
    """Draws pages of the formats that it names; the same bytes and page always give the same image and the same places.

    Pages are counted from 0, and shown as they are read: rotated and cropped as the file says. What asks for a page raises `InputError`
    (`page_not_drawn`) for a file that cannot be read, has no such page, or takes more than it may.
    """

    @property
    def suffixes(self) -> frozenset[str]:
        """The file name endings that it draws, in lower case and with their dot."""
        ...

    @property
    def media_types(self) -> frozenset[str]:
        """The media types of these files, as parsers state them."""
        ...

    def image(self, data: bytes, index: int) -> bytes:
        """A page as a PNG."""
        ...

    def printed(self, data: bytes, index: int) -> PrintedPage:
        """Where its characters stand, in pixels of that image."""
        ...

    def close(self) -> None:
        """Releases what it holds."""


def not_drawn(why: str) -> InputError:
    """The fault of a page that cannot be shown."""
    return InputError(
        "page_not_drawn", f"the page cannot be drawn: {why}", remedy="read its text, or open the file itself"
    )
