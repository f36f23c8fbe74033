"""Validity: the half-open time in which a revision is in force."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

FOREVER = 2**63 - 1
"""An open end in microseconds since the epoch: later than every instant."""


def start_of(day: date, zone: tzinfo) -> datetime:
    """The instant at which a calendar day begins in a zone: the meaning of every date without a time."""
    return datetime(day.year, day.month, day.day, tzinfo=zone).astimezone(UTC)


def microseconds(instant: datetime) -> int:
    """Whole microseconds since 1970-01-01T00:00Z; the instant must carry a zone."""
    return (instant - _EPOCH) // timedelta(microseconds=1)


def instant_text(instant: datetime) -> str:
    """An instant as ISO 8601 in UTC with a `Z`; fractions of a second only where there are any."""
    return instant.astimezone(UTC).isoformat().replace("+00:00", "Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Validity:
    """From `start` (included) to `end` (excluded; None: open). An end at or before the start is never in force."""

    start: datetime
    end: datetime | None = None

    def holds_at(self, instant: datetime) -> bool:
        return self.start <= instant and (self.end is None or instant < self.end)

    def overlaps(self, other: Validity) -> bool:
        return _before(self.start, other.end) and _before(other.start, self.end) and self._any and other._any

    def closed_at(self, instant: datetime) -> Validity:
        """The same validity, ended no later than the instant."""
        return self if self.end is not None and self.end <= instant else Validity(start=self.start, end=instant)

    @property
    def _any(self) -> bool:
        return self.end is None or self.start < self.end


def _before(start: datetime, end: datetime | None) -> bool:
    return end is None or start < end
