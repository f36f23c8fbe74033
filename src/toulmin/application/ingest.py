"""Ingest: documents, from bytes and metadata to revisions in the corpus; each whole or not at all, and durable when it is reported."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from enum import StrEnum
from hashlib import sha256
from pathlib import PurePath

from toulmin.application.describing import described, not_yours, settle, superseding, warnings
from toulmin.application.entries import ingested
from toulmin.application.impact import make_stale
from toulmin.application.inputs import input_digest
from toulmin.domain.canonical import text_digest
from toulmin.domain.corpus.curation import Accepted, Incoming, Refused, Unchanged, decide
from toulmin.domain.corpus.document import Descriptor, Revision, RevisionId, Standing, Status
from toulmin.domain.corpus.metadata import Metadata, merged
from toulmin.domain.corpus.passages import Section, cut
from toulmin.domain.errors import Conflict, Forbidden, InputError, ToulminError
from toulmin.domain.proof.identity import principal_digest
from toulmin.domain.question.case import Principal
from toulmin.domain.question.rights import may_curate
from toulmin.ports.clock import Clock
from toulmin.ports.parser import Parsed, Parser
from toulmin.ports.source import Entry, Submitted
from toulmin.ports.store import CurationSession, Store

_DEFAULT_VERSION_LENGTH = 12
_BATCH = 16
_BATCH_BYTES = 4_000_000
"""Documents, and bytes of files, that share a transaction: to make it durable costs as much for one document as for all of them."""


class FileOutcome(StrEnum):
    """What became of one file. Superseded: it is in the corpus, and closed an older revision."""

    INGESTED = "ingested"
    UNCHANGED = "unchanged"
    SUPERSEDED = "superseded"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReport:
    """What became of one file, and why.

    `fault` is None unless it was refused. `described`: it was in the corpus, and its descriptor changed; `reread`: its text was read again.
    `stale` are the approvals that the change ended, since they rest on what the document was.
    """

    name: str
    outcome: FileOutcome
    revision: RevisionId | None = None
    passages: int = 0
    supersedes: tuple[str, ...] = ()
    described: bool = False
    reread: bool = False
    warnings: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    fault: ToulminError | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptOriginals:
    """Which files are kept as they are, beside what is read from them: those with such an ending, of at most `max_bytes`."""

    suffixes: frozenset[str]
    max_bytes: int

    def concern(self, name: str) -> bool:
        """Whether a file is to be kept, unless it is too large."""
        return _suffix(name) in self.suffixes

    def hold(self, name: str, data: bytes) -> bool:
        """Whether a file is kept."""
        return self.concern(name) and len(data) <= self.max_bytes

    def warning(self, name: str, data: bytes) -> tuple[str, ...]:
        """That it is too large, where it is."""
        if not self.concern(name) or self.hold(name, data):
            return ()
        limit = f"originals.max_bytes is {self.max_bytes}"
        return (f"the file itself is not kept, and its pages cannot be shown: it has {len(data)} bytes, and {limit}",)


NO_ORIGINALS = KeptOriginals(suffixes=frozenset(), max_bytes=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    """A document as a parser read it, with everything that is decided from it; passages are cut only when it is accepted.

    `original` is the file itself, None where it is not to be kept.
    """

    name: str
    uncut: Revision
    sections: Sequence[Section]
    descriptor: Descriptor
    version_is_stated: bool
    input: str
    original: bytes | None
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Loaded:
    """An entry with its bytes, and the name of all that its result depends on."""

    name: str
    submitted: Submitted
    digest: str


@dataclass(frozen=True, slots=True)
class _Reading:
    """A document that is being read."""

    name: str
    future: Future[_Read]


@dataclass(frozen=True, slots=True)
class Ingest:
    """The use case with its ports. `zone` is the one in which source and parsers begin dates: what an ingest comes to depends on it.

    `readers` documents are read at once, and no more than a batch of small ones is held in memory besides. `reparse`: what is in the corpus already is read again, as
    another version of a parser may read it otherwise. `curator` is who ingests, and may do so only to what is theirs (see
    `domain.question.rights`); None: whoever holds the workspace's files, whom nothing here could keep from it. What would be read only after
    `until` is refused; None: anything is waited for. `originals` are the files that are kept; one that is known, but was not kept, is read again for it.
    """

    store: Store
    parsers: Sequence[Parser]
    clock: Clock
    zone: tzinfo
    readers: int = 2
    reparse: bool = False
    curator: Principal | None = None
    until: datetime | None = None
    originals: KeptOriginals = NO_ORIGINALS

    @property
    def suffixes(self) -> frozenset[str]:
        """The file name endings that some parser reads."""
        return frozenset(suffix for parser in self.parsers for suffix in parser.suffixes)

    def one(self, entry: Entry) -> FileReport:
        """Ingests one document, or refuses it; a refusal changes nothing and concerns no other document."""
        (report,) = self.all([entry])
        return report

    def all(self, entries: Iterable[Entry]) -> Iterator[FileReport]:
        """Ingests documents in their order, while the next ones are being read; reports each, once it is durable.

        Those that have been read by then share a transaction, in which each is a step of its own.
        """
        waiting: deque[FileReport | _Reading] = deque()
        with ThreadPoolExecutor(self.readers) as pool:
            for batch in self._batches(entries):
                waiting.extend(self._begin(batch, pool))
                while len(waiting) > 2 * self.readers:
                    yield from self._finish(_ready(waiting))
            while waiting:
                yield from self._finish(_ready(waiting))

    def _batches(self, entries: Iterable[Entry]) -> Iterator[Sequence[FileReport | _Loaded]]:
        """Loads entries, as many at a time as may be held."""
        batch: list[FileReport | _Loaded] = []
        size = 0
        for entry in entries:
            loaded = self._load(entry)
            batch.append(loaded)
            size += len(loaded.submitted.data) if isinstance(loaded, _Loaded) else 0
            if len(batch) == _BATCH or size >= _BATCH_BYTES:
                yield batch
                batch, size = [], 0
        yield batch

    def _load(self, entry: Entry) -> FileReport | _Loaded:
        try:
            submitted = entry.load()
            return _Loaded(entry.name, submitted, input_digest(entry.name, submitted, self.zone))
        except InputError as fault:
            return _refused(entry.name, fault)

    def _begin(
        self, batch: Sequence[FileReport | _Loaded], pool: ThreadPoolExecutor
    ) -> Iterator[FileReport | _Reading]:
        """What is known is reported at once, what is not is given to a reader."""
        try:
            known = self._recall([item for item in batch if isinstance(item, _Loaded)])
        except Conflict as fault:
            yield from (_refused(item.name, fault) if isinstance(item, _Loaded) else item for item in batch)
            return
        for item in batch:
            if isinstance(item, FileReport):
                yield item
            elif (standing := known.get(item.digest)) is not None:
                yield _unchanged(item.name, standing)
            else:
                yield _Reading(item.name, pool.submit(self._read, item.name, item.submitted, item.digest))

    def _may_curate(self, document: str, session: CurationSession, *coming: Descriptor) -> bool:
        """Whether a document is the curator's: as it is, and with what is to come."""
        if self.curator is None:
            return True
        present = (standing.descriptor.readers for standing in session.history(document))
        return may_curate(self.curator, [*present, *(descriptor.readers for descriptor in coming)])

    def _recall(self, loaded: Sequence[_Loaded]) -> Mapping[str, Standing]:
        """What inputs last came to, as far as it is the curator's; of anything else, nobody tells that it is known.

        One whose file is to be kept, and is not, has to be read again.
        """
        if self.reparse or not loaded:
            return {}
        with self.store.curate() as session:
            known = {item.digest: session.inputs.recall(item.digest) for item in loaded}
            lacking = {
                item.digest
                for item in loaded
                if (standing := known[item.digest])
                and self.originals.hold(item.name, item.submitted.data)
                and not session.originals.has(standing.key)
            }
            return {
                digest: standing
                for digest, standing in known.items()
                if standing and digest not in lacking and self._may_curate(standing.id.document, session)
            }

    def _finish(self, ready: Sequence[FileReport | _Reading]) -> Sequence[FileReport]:
        """Keeps what was read, in one transaction."""
        read = [item if isinstance(item, FileReport) else _result(item) for item in ready]
        if not any(isinstance(item, _Read) for item in read):
            return [item for item in read if isinstance(item, FileReport)]
        try:
            with self.store.curate() as session:
                return [item if isinstance(item, FileReport) else self._keep(item, session) for item in read]
        except Conflict as fault:
            return [item if isinstance(item, FileReport) else _refused(item.name, fault) for item in read]

    def _keep(self, read: _Read, session: CurationSession) -> FileReport:
        try:
            with session.step():
                report = self._decide_and_write(read, session)
        except (InputError, Conflict, Forbidden) as fault:
            return _refused(read.name, fault)
        return replace(report, warnings=(*read.warnings, *report.warnings))

    def _read(self, name: str, submitted: Submitted, digest: str) -> _Read:
        if self.until is not None and self.clock.now() > self.until:
            raise _too_late(name)
        parser = self._parser(name)
        parsed = parser.parse(submitted.data, name=name)
        _check_blocks(parsed, name)
        metadata = merged((*submitted.before, parsed.stated, *submitted.after))
        _check_id(metadata, submitted, name)
        return _Read(
            name=name,
            uncut=_uncut_revision(submitted, parsed, metadata, parser),
            sections=parsed.sections,
            descriptor=_descriptor(metadata, parsed, name),
            version_is_stated=metadata.version is not None,
            input=digest,
            original=submitted.data if self.originals.hold(name, submitted.data) else None,
            warnings=(*parsed.warnings, *self.originals.warning(name, submitted.data)),
        )

    def _decide_and_write(self, read: _Read, session: CurationSession) -> FileReport:
        at = self.clock.now()
        if not self._may_curate(read.uncut.id.document, session, read.descriptor):
            raise not_yours(read.name)  # before anything is said of what is there
        actor = "" if self.curator is None else principal_digest(self.curator)
        history = session.history(read.uncut.id.document)
        uncut = replace(read.uncut, id=_id_of(read, history))
        known = next((s for s in history if s.id == uncut.id and s.bytes_sha256 == uncut.bytes_sha256), None)
        if known is not None and known.text_sha256 != uncut.text_sha256 and not self.reparse:
            raise _read_otherwise(uncut, read.name)
        incoming = Incoming(id=uncut.id, bytes_sha256=uncut.bytes_sha256, descriptor=read.descriptor, at=at)
        decision = decide(incoming, history)
        if isinstance(decision, Refused):
            raise InputError(decision.code, decision.message, where=read.name, remedy=decision.remedy)
        again = self.reparse and known is not None
        if isinstance(decision, Unchanged) and not again:
            assert known is not None
            _remember(read, known.key, session)
            return _unchanged(read.name, known)
        revision = replace(uncut, passages=cut(uncut.text, read.sections))
        if isinstance(decision, Unchanged):
            assert known is not None
            session.replace(known.key, read.descriptor, known.validity, superseded=known.superseded, content=revision)
        else:
            settle(session, revision, read.descriptor, at, decision, again=again)
        _remember(read, _key_of(uncut.id, session), session)
        session.ledger.append(ingested(revision, read.descriptor, at, actor, known=known is not None))
        if isinstance(decision, Accepted):
            for event in superseding(revision, decision, history, at, actor):
                session.ledger.append(event)
        stale = make_stale(session, [uncut.id.document], at) if history else ()
        return replace(_report(read, revision, decision, again=again), stale=stale)

    def _parser(self, name: str) -> Parser:
        suffix = _suffix(name)
        for parser in self.parsers:
            if suffix in parser.suffixes:
                return parser
        raise InputError(
            "unsupported_format",
            f"no parser reads {suffix or 'files without an ending'}",
            where=name,
            remedy=f"convert it to one of {' '.join(sorted(self.suffixes))}",
        )


def _suffix(name: str) -> str:
    return PurePath(name).suffix.lower()


def _remember(read: _Read, key: int, session: CurationSession) -> None:
    """Notes what was read for a revision, and keeps the file where it is to be kept."""
    session.inputs.remember(read.input, key)
    if read.original is not None:
        session.originals.keep(key, read.original)


def _ready(waiting: deque[FileReport | _Reading]) -> list[FileReport | _Reading]:
    """Takes the first, and those behind it that need not be waited for."""
    ready = [waiting.popleft()]
    while waiting and len(ready) < _BATCH and (isinstance(waiting[0], FileReport) or waiting[0].future.done()):
        ready.append(waiting.popleft())
    return ready


def _result(reading: _Reading) -> FileReport | _Read:
    try:
        return reading.future.result()
    except (InputError, Conflict) as fault:
        return _refused(reading.name, fault)


def _refused(name: str, fault: ToulminError) -> FileReport:
    return FileReport(name=name, outcome=FileOutcome.REFUSED, fault=fault)


def _id_of(read: _Read, history: Sequence[Standing]) -> RevisionId:
    """The revision's id. A version that is only the text's digest is that of the same bytes in the corpus, however they were read."""
    same = (s.id for s in history if s.status is Status.LIVE and s.bytes_sha256 == read.uncut.bytes_sha256)
    return read.uncut.id if read.version_is_stated else next(same, read.uncut.id)


def _unchanged(name: str, known: Standing) -> FileReport:
    warning = f"{known.id} is superseded: to serve these words again, ingest them under a new version"
    return FileReport(
        name=name,
        outcome=FileOutcome.UNCHANGED,
        revision=known.id,
        warnings=(warning,) if known.superseded else (),
    )


def _key_of(wanted: RevisionId, session: CurationSession) -> int:
    return next(standing.key for standing in session.history(wanted.document) if standing.id == wanted)


def _too_late(name: str) -> InputError:
    return InputError(
        "overdue",
        "reading the files before it took all the time that there was",
        where=name,
        remedy="send it again, with fewer files",
    )


def _read_otherwise(revision: Revision, name: str) -> InputError:
    return InputError(
        "other_reading",
        f"{revision.id} is in the corpus as another version of the parser read it, and {revision.parser} reads another text",
        where=name,
        remedy="leave its metadata as it is, or have whoever holds the workspace read it again (--reparse): answers that rest on it then count as changed",
    )


def _report(read: _Read, revision: Revision, decision: Accepted | Unchanged, *, again: bool) -> FileReport:
    accepted = decision if isinstance(decision, Accepted) else None
    supersedes = accepted.supersedes if accepted else ()
    return FileReport(
        name=read.name,
        outcome=FileOutcome.SUPERSEDED if supersedes else FileOutcome.INGESTED,
        revision=revision.id,
        passages=len(revision.passages),
        supersedes=supersedes,
        described=accepted is not None and accepted.redescribed is not None,
        reread=again,
        warnings=warnings(accepted, read.descriptor) if accepted else (),
    )


def _check_blocks(parsed: Parsed, name: str) -> None:
    """Refuse a file of which no passage could be cut: it would be in the corpus, and never be found."""
    if not any(section.blocks for section in parsed.sections):
        raise InputError(
            "no_text",
            "the file holds nothing but headings",
            where=name,
            remedy="leave it out, or give a file with text below its headings",
        )


def _check_id(metadata: Metadata, submitted: Submitted, name: str) -> None:
    """Refuse a document that would silently supersede another one of the same run, only since their paths are alike."""
    if submitted.namesake is not None and metadata.id is None:
        raise InputError(
            "shared_id",
            f"its default id is {submitted.default_id}, and so is that of {submitted.namesake}",
            where=name,
            remedy="state an id in the metadata of one of the two, or ingest the folder above both",
        )


def _uncut_revision(submitted: Submitted, parsed: Parsed, metadata: Metadata, parser: Parser) -> Revision:
    version = metadata.version or text_digest(parsed.text)[:_DEFAULT_VERSION_LENGTH]
    return Revision(
        id=RevisionId(metadata.id or submitted.default_id, version),
        text=parsed.text,
        bytes_sha256=sha256(submitted.data).hexdigest(),
        encoding=parsed.encoding,
        media_type=parsed.media_type,
        parser=parser.name,
        passages=(),
        pages=parsed.pages,
    )


def _descriptor(metadata: Metadata, parsed: Parsed, name: str) -> Descriptor:
    """What metadata state, and the file itself where they do not."""
    complete = replace(
        metadata,
        title=metadata.title or parsed.title,
        author=metadata.author or parsed.author,
        language=metadata.language or parsed.language,
    )
    return described(complete, parsed.text, body=parsed.body, where=name)
