"""The curation session: the one writer of the corpus."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from secrets import randbits
from typing import Final

from toulmin.adapters.sql.codec import array, read_standing, write_descriptor, write_end, write_pages
from toulmin.adapters.sql.erasure import SqlDependents, SqlErasures
from toulmin.adapters.sql.ledger import SqlLedger
from toulmin.adapters.sql.service import SqlApiKeys
from toulmin.adapters.sql.transaction import Transaction
from toulmin.domain.corpus.document import WITHOUT_TEXT, Descriptor, Revision, Standing, Status, may_become
from toulmin.domain.corpus.readers import Readers
from toulmin.domain.corpus.scope import Scope
from toulmin.domain.corpus.validity import Validity, microseconds
from toulmin.domain.errors import Conflict, NotFound
from toulmin.domain.proof.fingerprint import EMPTY, bucket, bucket_of, counts, leaf, path_up, siblings

_MARK_BITS: Final = 62
"""Of a change's mark: fits signed integers of 64 bits."""


class SqlInputs:
    """`Inputs` over one writing transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    def recall(self, digest: str) -> Standing | None:
        row = self._transaction.row("input", digest=digest)
        return None if row is None else read_standing(row)

    def remember(self, digest: str, key: int) -> None:
        self._transaction.run("put_input", digest=digest, revision=key)


class SqlOriginals:
    """`Originals` over one writing transaction."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    def has(self, key: int) -> bool:
        return self._transaction.row("has_original", revision=key) is not None

    def keep(self, key: int, data: bytes) -> None:
        self._transaction.run("add_original", revision=key, bytes=data)


class SqlCuration:
    """`CurationSession` over one writing transaction: its changes carry the number after the present one.

    The fingerprint is kept up by `finish`, once for all that was changed.
    """

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction
        self._asked_number: int | None = None
        self._buckets: set[int] = set()

    @contextmanager
    def step(self) -> Iterator[None]:
        self._asked_number = None
        with self._transaction.step():
            yield

    def finish(self) -> None:
        """Recomputes the buckets of the changed revisions, and the nodes above them."""
        nodes = self._nodes({node for place in self._buckets for node in siblings(place)})
        changed: set[tuple[int, int]] = set()

        def present(level: int, where: int) -> bytes:
            return nodes.get((level, where), EMPTY)

        for place in self._buckets:
            path = path_up(place, self._bucket(place), present)
            nodes |= {(level, where): digest for level, where, digest in path}
            changed |= {(level, where) for level, where, _ in path}
        self._transaction.run_each(
            "put_node", ({"level": level, "place": where, "digest": nodes[level, where]} for level, where in changed)
        )

    @property
    def _number(self) -> int:
        """The number of this change: first asked for before there is one."""
        if self._asked_number is None:
            self._asked_number = self._transaction.present_sequence() + 1
        return self._asked_number

    @property
    def inputs(self) -> SqlInputs:
        return SqlInputs(self._transaction)

    @property
    def originals(self) -> SqlOriginals:
        return SqlOriginals(self._transaction)

    @property
    def ledger(self) -> SqlLedger:
        return SqlLedger(self._transaction)

    @property
    def dependents(self) -> SqlDependents:
        return SqlDependents(self._transaction)

    @property
    def erasures(self) -> SqlErasures:
        return SqlErasures(self._transaction)

    @property
    def api_keys(self) -> SqlApiKeys:
        return SqlApiKeys(self._transaction)

    def history(self, document: str) -> Sequence[Standing]:
        return [read_standing(row) for row in self._transaction.rows("history", document=document)]

    def add(
        self, revision: Revision, descriptor: Descriptor, validity: Validity, at: datetime, *, superseded: bool = False
    ) -> Standing:
        key = self._add_revision(revision, at)
        return self._put(
            Standing(
                key=key,
                id=revision.id,
                text_sha256=revision.text_sha256,
                bytes_sha256=revision.bytes_sha256,
                descriptor=descriptor,
                validity=validity,
                superseded=superseded,
                status=Status.LIVE,
                since=self._number,
                ingested_at=at,
            )
        )

    def replace(
        self,
        key: int,
        descriptor: Descriptor,
        validity: Validity,
        *,
        superseded: bool,
        content: Revision | None = None,
    ) -> Standing:
        now = self._current(key)
        if now.status is not Status.LIVE:
            raise _not_live(now)
        if content is not None:
            self._renew(key, content)
            now = replace(now, text_sha256=content.text_sha256)
        return self._put(
            replace(now, descriptor=descriptor, validity=validity, superseded=superseded, since=self._number)
        )

    def retire(self, key: int, status: Status) -> None:
        now = self._current(key)
        if status is now.status:
            return
        if not may_become(now.status, status):
            raise _not_live(now)
        if status in WITHOUT_TEXT:
            self._delete_content(key)
            self._transaction.run("delete_original", revision=key)
        if status is Status.ERASED:
            self._transaction.run("forget_description", revision=key)
            self._transaction.run("add_unfinished_erasure", revision=key)
            now = replace(now, descriptor=replace(now.descriptor, title=None, author=None))
        self._put(replace(now, status=status, since=self._number))

    def _current(self, key: int) -> Standing:
        row = self._transaction.row("current", key=key)
        if row is None:
            raise NotFound(
                "no_such_revision", f"the store has no revision with key {key}", remedy="look its key up again"
            )
        return read_standing(row)

    def _add_revision(self, revision: Revision, at: datetime) -> int:
        """Stores what never changes, and gives its key."""
        added = self._transaction.row(
            "add_revision",
            document=revision.id.document,
            version=revision.id.version,
            text_sha256=revision.text_sha256,
            bytes_sha256=revision.bytes_sha256,
            encoding=revision.encoding,
            media_type=revision.media_type,
            parser=revision.parser,
            ingested_at=microseconds(at),
            bucket=bucket_of(revision.id),
        )
        if added is None:
            raise Conflict(
                "revision_exists", f"{revision.id} is already in the store", remedy="give the document another version"
            )
        key = int(added["key"])
        self._add_content(key, revision)
        return key

    def _renew(self, key: int, content: Revision) -> None:
        """Replaces a revision's content by what another parser reads in the same bytes."""
        self._delete_content(key)
        self._transaction.run(
            "renew_revision",
            key=key,
            text_sha256=content.text_sha256,
            encoding=content.encoding,
            media_type=content.media_type,
            parser=content.parser,
            sequence=self._number,
        )
        self._add_content(key, content)

    def _delete_content(self, key: int) -> None:
        self._transaction.run("delete_passages", revision=key)
        self._transaction.run("delete_text", revision=key)

    def _add_content(self, key: int, revision: Revision) -> None:
        self._transaction.run("add_text", revision=key, text=revision.text, pages=write_pages(revision.pages))
        self._transaction.run_each(
            "add_passage",
            (
                {
                    "revision": key,
                    "ordinal": ordinal,
                    "span_start": passage.start,
                    "span_end": passage.end,
                    "heading": array(passage.heading),
                }
                for ordinal, passage in enumerate(revision.passages)
            ),
        )

    def _put(self, standing: Standing) -> Standing:
        """Makes a standing the current one; one made earlier in this session was never seen by anybody, and is gone."""
        self._transaction.run("add_change", sequence=self._number, mark=randbits(_MARK_BITS))
        self._transaction.run("drop_unseen_standing", revision=standing.key, sequence=self._number)
        self._transaction.run("close_standing", revision=standing.key, sequence=self._number)
        self._transaction.run(
            "add_standing",
            revision=standing.key,
            sequence=self._number,
            descriptor=write_descriptor(standing.descriptor),
            scope=self._scope_key(standing.descriptor.scope),
            reader_set=self._reader_set_key(standing.descriptor.readers),
            valid_from=microseconds(standing.validity.start),
            valid_to=write_end(standing.validity),
            superseded=standing.superseded,
            status=standing.status,
        )
        self._buckets.add(bucket_of(standing.id))
        return standing

    def _scope_key(self, scope: Scope) -> int:
        self._transaction.run("add_scope", canonical=scope.canonical)
        (row,) = self._transaction.rows("scope_key", canonical=scope.canonical)
        return int(row["key"])

    def _reader_set_key(self, readers: Readers) -> int:
        canonical = array(readers)
        added = self._transaction.row("add_reader_set", canonical=canonical)
        if added is None:
            (row,) = self._transaction.rows("reader_set_key", canonical=canonical)
            return int(row["key"])
        key = int(added["key"])
        self._transaction.run_each("add_reader_token", ({"token": token, "reader_set": key} for token in readers))
        return key

    def _bucket(self, place: int) -> bytes:
        standings = map(read_standing, self._transaction.rows("bucket", bucket=place))
        return bucket(leaf(s.id, s.text_sha256, s.descriptor.digest) for s in standings if counts(s))

    def _nodes(self, wanted: Iterable[tuple[int, int]]) -> dict[tuple[int, int], bytes]:
        rows = self._transaction.rows("nodes", wanted=array(wanted))
        return {(row["level"], row["place"]): bytes(row["digest"]) for row in rows}


def _not_live(standing: Standing) -> Conflict:
    return Conflict(
        "not_live", f"{standing.id} is {standing.status}", remedy="ingest the document again under another version"
    )
