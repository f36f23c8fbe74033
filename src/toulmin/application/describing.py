"""Describing: from metadata to a revision's descriptor and back, and what the corpus becomes with a new one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime

from toulmin.application.entries import superseded
from toulmin.domain.corpus.curation import Accepted
from toulmin.domain.corpus.document import Descriptor, Egress, Revision, Span, Standing
from toulmin.domain.corpus.metadata import CuratedQuote, Metadata, stated_metadata
from toulmin.domain.corpus.scope import Scope
from toulmin.domain.corpus.selector import selector
from toulmin.domain.corpus.text import Searched
from toulmin.domain.corpus.validity import Validity, instant_text
from toulmin.domain.corpus.versions import is_specifier
from toulmin.domain.errors import Forbidden, InputError
from toulmin.domain.proof.ledger import Event
from toulmin.ports.store import CurationSession

_VERSION_LIKE = re.compile(r"[<>=!~]*\s*\d[\w.]*")


def described(metadata: Metadata, text: str, *, body: int, where: str) -> Descriptor:
    """The descriptor that metadata state for a text, whose own words begin at `body`.

    Raises `InputError`: `bad_validity`, and `quote_not_found` or `quote_ambiguous` for a span that has not one place in the text. `where` is
    the place of what names none itself.
    """
    if metadata.valid_from and metadata.valid_to and metadata.valid_to <= metadata.valid_from:
        raise InputError(
            "bad_validity",
            "valid_to is not after valid_from, so that the document would never be in force",
            where=where,
            remedy="mend one of the two",
        )
    return Descriptor(
        title=metadata.title,
        author=metadata.author,
        language=metadata.language,
        source_type=metadata.source_type,
        egress=metadata.egress or Egress.ANY,
        scope=metadata.scope or Scope(),
        readers=metadata.readers or (),
        valid_from=metadata.valid_from,
        valid_to=metadata.valid_to,
        supersedes=metadata.supersedes,
        spans=tuple(sorted(_spans(metadata.spans or (), text, body, where))),
    )


def stated_by(descriptor: Descriptor, text: str, *, body: int) -> Metadata:
    """The metadata that state a descriptor, every key of it: `described` makes the same descriptor of them."""
    stated = {
        "title": descriptor.title,
        "author": descriptor.author,
        "language": descriptor.language,
        "source_type": descriptor.source_type,
        "egress": descriptor.egress,
        "scope": descriptor.scope,
        "readers": descriptor.readers,
        "valid_from": descriptor.valid_from,
        "valid_to": descriptor.valid_to,
        "supersedes": descriptor.supersedes,
        "spans": tuple(quoted(span, text, body=body) for span in sorted(descriptor.spans)),
    }
    return stated_metadata(stated)


def quoted(span: Span, text: str, *, body: int) -> CuratedQuote:
    """A span by its words, with those around it where they occur elsewhere too."""
    found = selector(text, span.start, span.end, body=body)
    assert found is not None  # a span has words
    return CuratedQuote(id=span.id, fact=span.fact or "", quote=found.quote, prefix=found.prefix, suffix=found.suffix)


def _spans(quotes: Sequence[CuratedQuote], text: str, body: int, where: str) -> Iterator[Span]:
    searched = Searched.of(text) if quotes else None
    for quote in quotes:
        assert searched is not None
        yield _span(quote, searched, body, where)


def _span(curated: CuratedQuote, searched: Searched, body: int, where: str) -> Span:
    """The one place at which a curated quote occurs; front matter, where the quote itself may stand, is not looked at."""
    found = [
        match
        for match in searched.locate(curated.quote, prefix=curated.prefix, suffix=curated.suffix)
        if match.start >= body
    ]
    place = curated.where or f"{where}: spans.{curated.id}.quote"
    if not found:
        raise InputError(
            "quote_not_found",
            f"the quote of span {curated.id} does not occur in the text",
            where=place,
            remedy="copy the words from the document exactly (only white space may differ)",
        )
    if len(found) > 1:
        raise InputError(
            "quote_ambiguous",
            f"the quote of span {curated.id} occurs {len(found)} times",
            where=place,
            remedy="add prefix or suffix: the words just before or after the occurrence that is meant",
        )
    return Span(start=found[0].start, end=found[0].end, id=curated.id, fact=curated.fact)


def settle(
    session: CurationSession,
    revision: Revision,
    descriptor: Descriptor,
    at: datetime,
    decision: Accepted,
    *,
    again: bool = False,
) -> None:
    """Makes the changes that were decided on; `again`: the revision's text is replaced too."""
    own, closed = decision.own, bool(decision.own.superseded_by)
    if decision.redescribed is None:
        session.add(revision, descriptor, own.validity, at, superseded=closed)
    else:
        content = revision if again else None
        session.replace(decision.redescribed, descriptor, own.validity, superseded=closed, content=content)
    others = {standing.key: standing.descriptor for standing in session.history(revision.id.document)}
    for key, now in decision.changed:
        session.replace(key, others[key], now.validity, superseded=bool(now.superseded_by))


def superseding(
    revision: Revision, decision: Accepted, history: Sequence[Standing], at: datetime, actor: str
) -> Iterator[Event]:
    """What is recorded of the revisions that are in force at other times because of this one."""
    ids = {standing.key: standing.id for standing in history}
    return (superseded(ids[key], revision.id, now, at, actor) for key, now in decision.changed)


def warnings(decision: Accepted, descriptor: Descriptor) -> tuple[str, ...]:
    """What may not be meant, in words."""
    return (*decision.warnings, *_never_in_force(decision.own.validity), *_odd_scope(descriptor.scope))


def not_yours(name: str) -> Forbidden:
    """One message, whether the readers are not the curator's to give or the id is another document's."""
    return Forbidden(
        "not_your_document",
        "you may not curate it",
        where=name,
        remedy="state readers, all of them of your tenant, and an id that is no other document's",
    )


def _never_in_force(validity: Validity) -> tuple[str, ...]:
    if validity.end is None or validity.start < validity.end:
        return ()
    start, end = instant_text(validity.start), instant_text(validity.end)
    return (f"never in force: it ends at {end}, and begins only at {start} (state an earlier valid_from)",)


def _odd_scope(scope: Scope) -> tuple[str, ...]:
    """Values that look like lists of versions and are texts: no version is ever in them."""
    odd = (name for name, value in scope.attributes if isinstance(value, str) and _lists_versions(value))
    return tuple(f"scope.{name} is one text with commas, which no version equals: write a YAML list" for name in odd)


def _lists_versions(value: str) -> bool:
    parts = [part.strip() for part in value.split(",")]
    return len(parts) > 1 and not is_specifier(value) and all(map(_VERSION_LIKE.fullmatch, parts))
