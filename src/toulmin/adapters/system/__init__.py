"""The machine's own clock and source of ids."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime


class SystemClock:
    """The clock of this machine, in UTC, and random ids (UUID version 4)."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def new_id(self) -> str:
        return uuid.uuid4().hex
