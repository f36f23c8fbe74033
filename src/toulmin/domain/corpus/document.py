"""Documents: immutable revisions, and the descriptors that may change beside them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import cached_property

from toulmin.domain.canonical import canonical_json, digest, fields, text_digest
from toulmin.domain.corpus.readers import Readers
from toulmin.domain.corpus.scope import Scope
from toulmin.domain.corpus.text import utf16_range
from toulmin.domain.corpus.validity import Validity, instant_text
from toulmin.domain.errors import InputError

MAX_ID_LENGTH = 512


@dataclass(frozen=True, slots=True, order=True)
class RevisionId:
    """One immutable version of a document."""

    document: str
    version: str

    def __post_init__(self) -> None:
        for name, value in (("id", self.document), ("version", self.version)):
            if not value or len(value) > MAX_ID_LENGTH or value != value.strip() or not value.isprintable():
                raise InputError(
                    "bad_id",
                    f"document {name} {value[:80]!r} is not usable",
                    remedy=f"give 1 to {MAX_ID_LENGTH} printable characters without white space at either end",
                )

    def __str__(self) -> str:
        return f"{self.document} {self.version if self.version.startswith('v') else f'v{self.version}'}"


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Passage:
    """The unit of retrieval: `text[start:end]` of one revision, inside one section.

    `heading` is the path of headings above it, outermost first.
    """

    start: int
    end: int
    heading: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The passage's name inside its revision."""
        return f"p{self.start}-{self.end}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page of a file that has pages: `text[start:end]` stands on it.

    `index` counts from 0; `label` is what is printed on the page ("ii", "S-12"), None where the file does not say.
    """

    index: int
    start: int
    end: int
    label: str | None = None

    @property
    def number(self) -> int:
        """The place in the file, counted from 1."""
        return self.index + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where words stand in a revision's text: half-open, in code points; `utf16` the same in UTF-16 units; the pages they are on."""

    start: int
    end: int
    utf16: tuple[int, int]
    pages: tuple[Page, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Span:
    """A curated span of a revision's text: half-open, in Unicode code points; `fact` is the label it was put on for."""

    start: int
    end: int
    id: str
    fact: str | None = None


class Egress(StrEnum):
    """Whether a document may be sent to a drafter or judge outside this host."""

    ANY = "any"
    LOCAL = "local"


@dataclass(frozen=True, kw_only=True)
class Descriptor:
    """What may change beside a revision's text; replaced in one switch, and digested on its own.

    `valid_from` and `supersedes` are None where the metadata does not state them: their defaults depend on when the document is
    ingested, and a digest must not.
    """

    title: str | None
    author: str | None
    language: str | None
    source_type: str | None
    egress: Egress
    scope: Scope
    readers: Readers
    valid_from: datetime | None
    valid_to: datetime | None
    supersedes: tuple[str, ...] | None
    spans: tuple[Span, ...]

    @cached_property
    def digest(self) -> str:
        """Hex SHA-256: tag `toulmin.descriptor/1`, then the descriptor as canonical JSON (see `docs/reference/digests.md`)."""
        body = canonical_json(
            {
                "author": self.author,
                "egress": self.egress.value,
                "language": self.language,
                "readers": self.readers,
                "scope": dict(self.scope.attributes),
                "source_type": self.source_type,
                "spans": [{"end": s.end, "fact": s.fact, "id": s.id, "start": s.start} for s in sorted(self.spans)],
                "supersedes": self.supersedes,
                "title": self.title,
                "valid_from": instant_text(self.valid_from) if self.valid_from else None,
                "valid_to": instant_text(self.valid_to) if self.valid_to else None,
            }
        )
        return digest(fields("toulmin.descriptor/1", body))


@dataclass(frozen=True, kw_only=True)
class Revision:
    """The immutable part of a revision: its bytes' digest, its canonical text, and the passages cut from it.

    `encoding` is how the bytes were decoded (`utf-8-sig`, `utf-16-le`, ...), `parser` what read them (name and version). Pages
    are in order and do not overlap; a file without pages has none.
    """

    id: RevisionId
    text: str
    bytes_sha256: str
    encoding: str
    media_type: str
    parser: str
    passages: tuple[Passage, ...]
    pages: tuple[Page, ...] = ()

    @cached_property
    def text_sha256(self) -> str:
        return text_digest(self.text)

    def place(self, start: int, end: int) -> Place:
        """Where `text[start:end]` stands: its UTF-16 offsets, and the pages on which some of it is."""
        return place_in(self.text, self.pages, start, end)


class Status(StrEnum):
    """Whether a revision is served at all, in the order in which it may only go on.

    A withdrawn one keeps its text; of a deleted one, packets keep what they quote; of an erased one, nothing but ids and digests is left.
    Supersession is not a status: a superseded revision is served as of then.
    """

    LIVE = "live"
    WITHDRAWN = "withdrawn"
    DELETED = "deleted"
    ERASED = "erased"


WITHOUT_TEXT = frozenset((Status.DELETED, Status.ERASED))
"""The states in which the corpus holds no text of a revision."""


def may_become(now: Status, wanted: Status) -> bool:
    """Whether a revision in one state may be put into another: only on, never back."""
    order = list(Status)
    return order.index(now) < order.index(wanted)


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How a revision stands in the corpus: its descriptor, the time in which it is in force, and its status.

    `validity` is the effective one: closed at the start of whatever superseded the revision. `key` is the store's handle, `since` the
    sequence number of the change that made this standing.
    """

    key: int
    id: RevisionId
    text_sha256: str
    bytes_sha256: str
    descriptor: Descriptor
    validity: Validity
    superseded: bool
    status: Status
    since: int
    ingested_at: datetime


def place_in(text: str, pages: Iterable[Page], start: int, end: int) -> Place:
    """Where `text[start:end]` stands in a text with pages."""
    on = tuple(page for page in pages if page.start < end and start < page.end)
    return Place(start=start, end=end, utf16=utf16_range(text, start, end), pages=on)
