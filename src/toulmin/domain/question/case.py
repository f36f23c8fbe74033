"""The case: typed facts of the matter at hand; and the principal who brings it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, tzinfo
from enum import StrEnum

from toulmin.domain.canonical import number_text
from toulmin.domain.corpus.readers import PUBLIC, group_token, tenant_token
from toulmin.domain.corpus.validity import instant_text, start_of
from toulmin.domain.errors import InputError


class Kind(StrEnum):
    """The types of case values."""

    STRING = "string"
    BOOLEAN = "boolean"
    NUMBER = "number"
    DATE = "date"
    INSTANT = "instant"
    VERSION = "version"


_LETTERS = {Kind.STRING: "s", Kind.BOOLEAN: "b", Kind.NUMBER: "n", Kind.DATE: "d", Kind.INSTANT: "d", Kind.VERSION: "v"}


@dataclass(frozen=True, slots=True)
class Value:
    """A typed value in its canonical text: two values are equal when their kinds and texts are."""

    kind: Kind
    text: str

    @property
    def lettered(self) -> str:
        """The form that digests cover: a type letter and the canonical text."""
        return _LETTERS[self.kind] + self.text


def unlettered(kind: Kind, lettered: str) -> Value:
    """The value of a kind in the form that digests cover. Raises `ValueError` where the letter is another kind's."""
    if not lettered.startswith(_LETTERS[kind]):
        raise ValueError(f"{lettered[:1]!r} is not the letter of a {kind}")
    return Value(kind, lettered[1:])


def read_value(kind: Kind, text: str, zone: tzinfo) -> Value:
    """The value that a text states in a kind; a date without a time begins in `zone`.

    Raises `InputError` (`wrong_type`) where the text is none of the kind.
    """
    stripped = text.strip()
    canonical = None if _SURROGATE.search(text) else _canonical_text(kind, stripped, zone)
    if canonical is None:
        raise InputError("wrong_type", f"{text!r} is not a value of type {kind}", remedy=_EXAMPLES[kind])
    return Value(kind, canonical)


_EXAMPLES = {
    Kind.STRING: "give some text",
    Kind.BOOLEAN: "write true or false",
    Kind.NUMBER: "write a number such as 12 or 0.5",
    Kind.DATE: "write a date such as 2026-01-31",
    Kind.INSTANT: "write an instant such as 2026-01-31T12:00:00Z",
    Kind.VERSION: "write one version such as 2.4.1, not a range",
}
_SURROGATE = re.compile("[\ud800-\udfff]")  # bytes that were no UTF-8 on the command line
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_NUMBER = re.compile(r"[+-]?(\d+(\.\d+)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_VERSION = re.compile(r"[0-9A-Za-z][0-9A-Za-z.+!_-]*")


def _canonical_text(kind: Kind, text: str, zone: tzinfo) -> str | None:
    match kind:
        case Kind.STRING:
            return text or None
        case Kind.BOOLEAN:
            return text if text in ("true", "false") else None
        case Kind.NUMBER:
            return _number(text)
        case Kind.DATE:
            return _date(text)
        case Kind.INSTANT:
            instant = read_instant(text, zone)
            return instant_text(instant) if instant else None
        case Kind.VERSION:
            return text if _VERSION.fullmatch(text) else None


def _number(text: str) -> str | None:
    try:
        return number_text(float(text)) if _NUMBER.fullmatch(text) else None
    except ValueError:  # beyond the range of a double: infinity has no canonical form
        return None


def _date(text: str) -> str | None:
    try:
        return date.fromisoformat(text).isoformat() if _DAY.fullmatch(text) else None
    except ValueError:
        return None


def read_instant(text: str, zone: tzinfo) -> datetime | None:
    """An instant from ISO 8601; a bare date is its first moment in `zone`, a time without an offset is in `zone`. None: unreadable."""
    day = _date(text)
    try:
        if day is not None:
            return start_of(date.fromisoformat(day), zone)
        instant = datetime.fromisoformat(text) if "T" in text or " " in text else None
        return instant and (instant if instant.tzinfo else instant.replace(tzinfo=zone)).astimezone(UTC)
    except (
        ValueError,
        OverflowError,
    ):  # the latter: the first or last day of all, in a zone that moves it out of range
        return None


@dataclass(frozen=True)
class Case:
    """Field names with their typed values, sorted by name; a field left out is absent."""

    facts: tuple[tuple[str, Value], ...] = ()

    @classmethod
    def of(cls, values: Mapping[str, Value]) -> Case:
        return cls(tuple(sorted(values.items(), key=lambda item: item[0].encode())))

    def get(self, name: str) -> Value | None:
        return next((value for field, value in self.facts if field == name), None)

    def only(self, names: Iterable[str]) -> Case:
        """The case without the fields that are not named."""
        wanted = frozenset(names)
        return Case(tuple(fact for fact in self.facts if fact[0] in wanted))


@dataclass(frozen=True, kw_only=True)
class Principal:
    """An authenticated caller. Rights to read come from the tenant and groups, rights to act from the roles."""

    id: str
    tenant: str | None = None
    groups: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    active: bool = True

    def __post_init__(self) -> None:
        if self.groups and self.tenant is None:
            raise InputError(
                "bare_group",
                f"principal {self.id} has groups and no tenant",
                remedy="state the tenant that they belong to",
            )

    @property
    def tokens(self) -> frozenset[str]:
        """The reader tokens that this principal holds; an inactive principal holds none, not even `public`."""
        if not self.active:
            return frozenset()
        own = (
            ()
            if self.tenant is None
            else (tenant_token(self.tenant), *(group_token(self.tenant, g) for g in self.groups))
        )
        return frozenset((PUBLIC, *own))


ANONYMOUS = Principal(id="anonymous")
"""The principal that reads only what is public."""
