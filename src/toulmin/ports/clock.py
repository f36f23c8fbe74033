"""Time and chance, as arguments."""

from __future__ import annotations

from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    """Where instants and request ids come from."""

    def now(self) -> datetime:
        """The present instant, with a zone."""

    def new_id(self) -> str:
        """An id that was never given before."""
