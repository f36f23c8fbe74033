"""Ingest: one document at a time, from bytes and metadata to a revision in the corpus; one transaction each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from enum import StrEnum
from hashlib import sha256
from pathlib import PurePath

from toulmin.domain.canonical import text_digest
from toulmin.domain.corpus.curation import Accepted, Incoming, Refused, Unchanged, decide
from toulmin.domain.corpus.document import Descriptor, Egress, Revision, RevisionId, Span
from toulmin.domain.corpus.metadata import CuratedQuote, Metadata, merged
from toulmin.domain.corpus.passages import cut
from toulmin.domain.corpus.scope import Scope
from toulmin.domain.corpus.text import locate
from toulmin.domain.errors import InputError, ToulminError
from toulmin.ports.clock import Clock
from toulmin.ports.parser import Parsed, Parser
from toulmin.ports.source import Entry, Submitted
from toulmin.ports.store import CurationSession, Store
from toulmin.wire.metadata import front_matter, read_metadata

_DEFAULT_VERSION_LENGTH = 12


class FileOutcome(StrEnum):
    """What became of one file. Superseded: it is in the corpus, and closed an older revision."""

    INGESTED = "ingested"
    UNCHANGED = "unchanged"
    SUPERSEDED = "superseded"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReport:
    """What became of one file, and why. `fault` is None unless it was refused; `described`: only its descriptor changed."""

    name: str
    outcome: FileOutcome
    revision: RevisionId | None = None
    passages: int = 0
    supersedes: tuple[str, ...] = ()
    described: bool = False
    warnings: tuple[str, ...] = ()
    fault: ToulminError | None = None


@dataclass(frozen=True, slots=True)
class Ingest:
    """The use case with its ports."""

    store: Store
    parsers: Sequence[Parser]
    clock: Clock
    zone: tzinfo

    @property
    def suffixes(self) -> frozenset[str]:
        """The file name endings that some parser reads."""
        return frozenset(suffix for parser in self.parsers for suffix in parser.suffixes)

    def one(self, entry: Entry) -> FileReport:
        """Ingests one document, or refuses it; a refusal changes nothing and concerns no other document."""
        try:
            return self._ingest(entry.name, entry.load())
        except InputError as fault:
            return FileReport(name=entry.name, outcome=FileOutcome.REFUSED, fault=fault)

    def _ingest(self, name: str, submitted: Submitted) -> FileReport:
        parser = self._parser(name)
        parsed = parser.parse(submitted.data, name=name)
        own = front_matter(parsed.text, name) if parsed.verbatim else None
        layer = () if own is None else (read_metadata(own, name, self.zone),)
        metadata = merged((*submitted.before, *layer, *submitted.after))
        revision = _revision(submitted, parsed, metadata, parser)
        descriptor = _descriptor(metadata, parsed, name)
        report = self._keep(name, revision, descriptor)
        return replace(report, warnings=(*parsed.warnings, *report.warnings))

    def _keep(self, name: str, revision: Revision, descriptor: Descriptor) -> FileReport:
        """Decides and writes, in one transaction."""
        with self.store.curate() as session:
            at = self.clock.now()
            incoming = Incoming(id=revision.id, bytes_sha256=revision.bytes_sha256, descriptor=descriptor, at=at)
            decision = decide(incoming, session.history(revision.id.document))
            match decision:
                case Refused():
                    raise InputError(decision.code, decision.message, where=name, remedy=decision.remedy)
                case Unchanged():
                    return FileReport(name=name, outcome=FileOutcome.UNCHANGED, revision=revision.id)
                case Accepted():
                    _write(session, revision, descriptor, at, decision)
        return FileReport(
            name=name,
            outcome=FileOutcome.SUPERSEDED if decision.supersedes else FileOutcome.INGESTED,
            revision=revision.id,
            passages=len(revision.passages),
            supersedes=decision.supersedes,
            described=decision.redescribed is not None,
            warnings=decision.warnings,
        )

    def _parser(self, name: str) -> Parser:
        suffix = PurePath(name).suffix.lower()
        for parser in self.parsers:
            if suffix in parser.suffixes:
                return parser
        raise InputError(
            "unsupported_format",
            f"no parser reads {suffix or 'files without an ending'}",
            where=name,
            remedy=f"convert it to one of {' '.join(sorted(self.suffixes))}",
        )


def _revision(submitted: Submitted, parsed: Parsed, metadata: Metadata, parser: Parser) -> Revision:
    version = metadata.version or text_digest(parsed.text)[:_DEFAULT_VERSION_LENGTH]
    return Revision(
        id=RevisionId(metadata.id or submitted.default_id, version),
        text=parsed.text,
        bytes_sha256=sha256(submitted.data).hexdigest(),
        encoding=parsed.encoding,
        media_type=parsed.media_type,
        parser=parser.name,
        passages=cut(parsed.text, parsed.sections),
        pages=parsed.pages,
    )


def _descriptor(metadata: Metadata, parsed: Parsed, name: str) -> Descriptor:
    if metadata.valid_from and metadata.valid_to and metadata.valid_to <= metadata.valid_from:
        raise InputError(
            "bad_validity",
            "valid_to is not after valid_from, so that the document would never be in force",
            where=name,
            remedy="mend one of the two",
        )
    return Descriptor(
        title=metadata.title or parsed.title,
        author=metadata.author or parsed.author,
        language=metadata.language or parsed.language,
        source_type=metadata.source_type,
        egress=metadata.egress or Egress.ANY,
        scope=metadata.scope or Scope(),
        readers=metadata.readers or (),
        valid_from=metadata.valid_from,
        valid_to=metadata.valid_to,
        supersedes=metadata.supersedes,
        spans=tuple(sorted(_span(quote, parsed, name) for quote in metadata.spans or ())),
    )


def _span(curated: CuratedQuote, parsed: Parsed, name: str) -> Span:
    """The one place at which a curated quote occurs; front matter, where the quote itself may stand, is not looked at."""
    found = [
        match
        for match in locate(parsed.text, curated.quote, prefix=curated.prefix, suffix=curated.suffix)
        if match.start >= parsed.body
    ]
    where = f"{name}: spans.{curated.id}.quote"
    if not found:
        raise InputError(
            "quote_not_found",
            f"the quote of span {curated.id} does not occur in the text",
            where=where,
            remedy="copy the words from the document exactly (only white space may differ)",
        )
    if len(found) > 1:
        raise InputError(
            "quote_ambiguous",
            f"the quote of span {curated.id} occurs {len(found)} times",
            where=where,
            remedy="add prefix or suffix: the words just before or after the occurrence that is meant",
        )
    return Span(start=found[0].start, end=found[0].end, id=curated.id, fact=curated.fact)


def _write(
    session: CurationSession, revision: Revision, descriptor: Descriptor, at: datetime, decision: Accepted
) -> None:
    own = decision.own
    if decision.redescribed is None:
        session.add(revision, descriptor, own.validity, at, superseded=bool(own.superseded_by))
    else:
        session.replace(decision.redescribed, descriptor, own.validity, superseded=bool(own.superseded_by))
    others = {standing.key: standing.descriptor for standing in session.history(revision.id.document)}
    for key, now in decision.changed:
        session.replace(key, others[key], now.validity, superseded=bool(now.superseded_by))
