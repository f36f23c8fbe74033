"""Builders of corpus values for tests: everything has a default, so that a test states only what it is about."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime

from toulmin.domain.canonical import Json, text_digest
from toulmin.domain.corpus.document import Descriptor, Egress, Page, Passage, Revision, RevisionId, Span
from toulmin.domain.corpus.readers import PUBLIC
from toulmin.domain.corpus.readers import readers as canonical_readers
from toulmin.domain.corpus.scope import Scope
from toulmin.domain.corpus.validity import Validity
from toulmin.domain.proof.identity import principal_digest
from toulmin.domain.proof.packet import Packet, seal
from toulmin.domain.question.case import ANONYMOUS, Principal

NOW = datetime(2026, 1, 1, tzinfo=UTC)
"""The instant at which built things are ingested and made, and from which they are valid."""

ALWAYS = Validity(start=NOW)
"""In force from `NOW` on."""


def descriptor(
    *,
    title: str | None = None,
    author: str | None = None,
    language: str | None = None,
    source_type: str | None = None,
    egress: Egress = Egress.ANY,
    scope: Mapping[str, str | Sequence[str]] | None = None,
    readers: Iterable[str] = (PUBLIC,),
    valid_from: datetime | None = None,
    valid_to: datetime | None = None,
    supersedes: tuple[str, ...] | None = None,
    spans: Iterable[Span] = (),
) -> Descriptor:
    """A descriptor; without arguments it states no scope and everybody may read it."""
    return Descriptor(
        title=title,
        author=author,
        language=language,
        source_type=source_type,
        egress=egress,
        scope=Scope.of(scope or {}),
        readers=canonical_readers(readers),
        valid_from=valid_from,
        valid_to=valid_to,
        supersedes=supersedes,
        spans=tuple(spans),
    )


def line_passages(text: str) -> tuple[Passage, ...]:
    """One passage a line, without its line break; empty lines have none."""
    passages, start = [], 0
    for line in text.split("\n"):
        if line:
            passages.append(Passage(start=start, end=start + len(line)))
        start += len(line) + 1
    return tuple(passages)


def revision(
    document: str = "DOC",
    version: str = "1",
    text: str = "First line.\nSecond line.\n",
    *,
    passages: Sequence[Passage] | None = None,
    encoding: str = "utf-8",
    media_type: str = "text/plain",
    parser: str = "test/1",
    pages: Sequence[Page] = (),
) -> Revision:
    """A revision of a text; without `passages`, every line is one."""
    return Revision(
        id=RevisionId(document, version),
        text=text,
        bytes_sha256=text_digest(text),
        encoding=encoding,
        media_type=media_type,
        parser=parser,
        passages=line_passages(text) if passages is None else tuple(passages),
        pages=tuple(pages),
    )


def packet(
    *sources: RevisionId,
    requester: Principal = ANONYMOUS,
    body: Mapping[str, Json] | None = None,
    texts: Iterable[str] = (),
    made_at: datetime = NOW,
) -> Packet:
    """A packet that names these sources; other sources, another requester or another body make another id."""
    asked_by = principal_digest(requester)
    named: list[Json] = [[source.document, source.version] for source in sources]
    return seal(
        {"requester": asked_by, "sources": named, **(body or {})},
        texts={text_digest(text): text for text in texts},
        sources=sources,
        requester=asked_by,
        evidence=f"ev-{text_digest(repr(sources))}",
        corpus=f"co-{text_digest('')}",
        made_at=made_at,
    )
