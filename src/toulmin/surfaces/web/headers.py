"""What every page tells the browser: what it may load, who may frame it, and that nobody keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

POLICY: Final[Mapping[str, str]] = {
    "Content-Security-Policy": "; ".join(
        (
            "default-src 'none'",
            "style-src 'self'",
            "script-src 'self'",
            "img-src 'self'",
            "connect-src 'self'",  # the events of a question
            "form-action 'self'",
            "frame-ancestors 'none'",
            "base-uri 'none'",
        )
    )
}
"""Whatever stands in a document, nothing of it runs, and nothing is asked of another host."""

NOSNIFF: Final[Mapping[str, str]] = {"X-Content-Type-Options": "nosniff"}

PAGE: Final[Mapping[str, str]] = {
    **POLICY,
    **NOSNIFF,
    "Referrer-Policy": "same-origin",  # tells nobody else; with no-referrer, browsers send `Origin: null` with our own forms
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""Of pages."""
