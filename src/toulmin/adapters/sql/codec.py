"""Rows and JSON texts to values and back.

What is written here is read back equal, whatever order a descriptor's spans came in.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from operator import itemgetter
from typing import Any

from toulmin.adapters.sql.transaction import Row
from toulmin.domain.canonical import canonical_json
from toulmin.domain.corpus.document import Descriptor, Egress, Page, Passage, RevisionId, Span, Standing, Status
from toulmin.domain.corpus.scope import Scope
from toulmin.domain.corpus.validity import FOREVER, Validity, microseconds
from toulmin.domain.question.case import Principal

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_written = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_CACHED = 4096
"""How many values of a kind are kept by their stored form: searches meet the same ones again and again."""


@lru_cache(maxsize=_CACHED)
def instant(stored: int) -> datetime:
    """The instant of so many microseconds since 1970-01-01T00:00Z."""
    return _EPOCH + timedelta(microseconds=stored)


def array(items: Iterable[object]) -> str:
    """Values as a JSON array, the form in which a statement takes a list."""
    return _written(list(items))


def write_end(validity: Validity) -> int:
    """A validity's end in microseconds; `FOREVER` where it is open."""
    return FOREVER if validity.end is None else microseconds(validity.end)


def read_scope(canonical: str) -> Scope:
    """The scope of a canonical JSON text."""
    stated = json.loads(canonical)
    return Scope(tuple((name, tuple(value) if isinstance(value, list) else value) for name, value in stated.items()))


def write_principal(principal: Principal) -> str:
    """An active principal as canonical JSON."""
    who = {"id": principal.id, "tenant": principal.tenant, "groups": principal.groups, "roles": principal.roles}
    return canonical_json(who)


def read_principal(written: str) -> Principal:
    """The principal of a JSON text."""
    stored = json.loads(written)
    return Principal(
        id=stored["id"], tenant=stored["tenant"], groups=tuple(stored["groups"]), roles=tuple(stored["roles"])
    )


def write_descriptor(descriptor: Descriptor) -> str:
    """A descriptor as JSON text."""
    return _written(
        {
            "title": descriptor.title,
            "author": descriptor.author,
            "language": descriptor.language,
            "source_type": descriptor.source_type,
            "egress": descriptor.egress,
            "scope": descriptor.scope.canonical,
            "readers": descriptor.readers,
            "valid_from": descriptor.valid_from and microseconds(descriptor.valid_from),
            "valid_to": descriptor.valid_to and microseconds(descriptor.valid_to),
            "supersedes": descriptor.supersedes,
            "spans": [[span.start, span.end, span.id, span.fact] for span in descriptor.spans],
        }
    )


@lru_cache(maxsize=_CACHED)
def read_descriptor(written: str) -> Descriptor:
    """The descriptor of a JSON text."""
    stored = json.loads(written)
    valid_from, valid_to, supersedes = stored["valid_from"], stored["valid_to"], stored["supersedes"]
    return Descriptor(
        title=stored["title"],
        author=stored["author"],
        language=stored["language"],
        source_type=stored["source_type"],
        egress=Egress(stored["egress"]),
        scope=read_scope(stored["scope"]),
        readers=tuple(stored["readers"]),
        valid_from=None if valid_from is None else instant(valid_from),
        valid_to=None if valid_to is None else instant(valid_to),
        supersedes=None if supersedes is None else tuple(supersedes),
        spans=tuple(Span(start=start, end=end, id=name, fact=fact) for start, end, name, fact in stored["spans"]),
    )


def read_passage(row: Row) -> Passage:
    """The passage of a row with `span_start`, `span_end` and `heading`."""
    return Passage(start=row["span_start"], end=row["span_end"], heading=_read_texts(row["heading"]))


def write_pages(pages: Iterable[Page]) -> str:
    """Pages as JSON text."""
    return array([page.index, page.start, page.end, page.label] for page in pages)


@lru_cache(maxsize=_CACHED)
def read_pages(written: str) -> tuple[Page, ...]:
    """The pages of a JSON text."""
    return tuple(
        Page(index=index, start=start, end=end, label=label) for index, start, end, label in json.loads(written)
    )


@lru_cache(maxsize=_CACHED)
def _read_texts(written: str) -> tuple[str, ...]:
    return tuple(json.loads(written))


def read_standing(row: Row) -> Standing:
    """The standing of a row of `full_standing`."""
    return _standing(_standing_columns(row))


@lru_cache(maxsize=_CACHED)
def read_readers(canonical: str) -> frozenset[str]:
    """The tokens of a reader set."""
    return frozenset(json.loads(canonical))


_standing_columns = itemgetter(
    *"key document version text_sha256 bytes_sha256 descriptor valid_from valid_to superseded status seq_from ingested_at".split()
)


@lru_cache(maxsize=_CACHED)
def _standing(columns: tuple[Any, ...]) -> Standing:
    key, document, version, text, data, descriptor, valid_from, valid_to, superseded, status, since, ingested_at = (
        columns
    )
    return Standing(
        key=key,
        id=RevisionId(document, version),
        text_sha256=text,
        bytes_sha256=data,
        descriptor=read_descriptor(descriptor),
        validity=_validity(valid_from, valid_to),
        superseded=bool(superseded),
        status=Status(status),
        since=since,
        ingested_at=instant(ingested_at),
    )


@lru_cache(maxsize=_CACHED)
def _validity(start: int, end: int) -> Validity:
    return Validity(start=instant(start), end=None if end == FOREVER else instant(end))
