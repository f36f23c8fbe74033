"""A principal's session: every statement that reads for it is bound to the reader tokens that it holds."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from toulmin.adapters.sql.approvals import SqlApprovals
from toulmin.adapters.sql.codec import (
    array,
    instant,
    read_pages,
    read_passage,
    read_readers,
    read_scope,
    read_standing,
)
from toulmin.adapters.sql.ledger import SqlLedger
from toulmin.adapters.sql.service import SqlReplies
from toulmin.adapters.sql.transaction import Row, Transaction
from toulmin.domain.corpus.document import Page, Revision, RevisionId, Standing, place_in
from toulmin.domain.corpus.scope import Scope
from toulmin.domain.corpus.validity import FOREVER, microseconds
from toulmin.domain.errors import StoreFault
from toulmin.domain.proof.fingerprint import EMPTY, fingerprint
from toulmin.domain.proof.identity import principal_digest
from toulmin.domain.proof.packet import Packet
from toulmin.domain.question.case import Principal
from toulmin.domain.question.eligibility import Filter
from toulmin.ports.store import Candidate, Eligible, PassageKey


class SqlCorpus:
    """`Corpus` over one transaction."""

    def __init__(self, transaction: Transaction, tokens: frozenset[str]) -> None:
        self._transaction = transaction
        self._tokens = tokens

    def sequence(self) -> int:
        return self._transaction.sequence

    def fingerprint(self) -> str:
        root = self._transaction.row("node", level=0, place=0)
        return fingerprint(root["digest"] if root else EMPTY)

    def scopes(self, after: int) -> Sequence[tuple[int, Scope]]:
        return [(row["key"], read_scope(row["canonical"])) for row in self._transaction.rows("scopes", after=after)]

    def candidates(self, keys: Collection[PassageKey], sequence: int) -> Mapping[PassageKey, Candidate]:
        wanted = array([key.revision, key.ordinal] for key in keys)
        known = self._transaction.rows("candidates", keys=wanted, sequence=sequence)
        rows = [row for row in known if not self._tokens.isdisjoint(read_readers(row["now_readers"]))]
        texts = self._transaction.rows("texts", revisions=array({row["key"] for row in rows}))
        contents = {row["revision"]: (row["text"], read_pages(row["pages"])) for row in texts}
        found = (_candidate(row, *contents[row["key"]]) for row in rows)
        return {candidate.key: candidate for candidate in found}

    def eligible(self, wanted: Filter) -> Eligible:
        at = microseconds(wanted.at)
        (row,) = self._transaction.rows(
            "eligible", scopes=array(wanted.scopes), readers=array(wanted.readers), at=at, tokens=array(self._tokens)
        )
        (turn,) = self._transaction.rows("next_turn", at=at, forever=FOREVER)
        until = turn["next_turn"]
        return Eligible(documents=row["eligible"], until=None if until is None else instant(until))


class SqlCatalogue:
    """`Catalogue` over one transaction."""

    def __init__(self, transaction: Transaction, tokens: frozenset[str]) -> None:
        self._transaction = transaction
        self._tokens = tokens

    def standings(self, document: str | None = None) -> Iterable[Standing]:
        if document is None:
            rows = self._transaction.rows("standings", tokens=array(self._tokens))
        else:
            rows = self._transaction.rows("standings_of_document", document=document, tokens=array(self._tokens))
        return tuple(map(read_standing, rows))

    def page(self, after: str, limit: int) -> Iterable[Standing]:
        rows = self._transaction.rows("standings_page", after=after, limit=limit, tokens=array(self._tokens))
        return tuple(map(read_standing, rows))

    def revision(self, key: int) -> Revision | None:
        row = self._transaction.row("readable_revision", key=key, tokens=array(self._tokens))
        if row is None:
            return None
        passages = self._transaction.rows("passages", revisions=array([key]))
        return Revision(
            id=RevisionId(row["document"], row["version"]),
            text=row["text"],
            bytes_sha256=row["bytes_sha256"],
            encoding=row["encoding"],
            media_type=row["media_type"],
            parser=row["parser"],
            passages=tuple(map(read_passage, passages)),
            pages=read_pages(row["pages"]),
        )

    def original(self, key: int) -> bytes | None:
        row = self._transaction.row("readable_original", key=key, tokens=array(self._tokens))
        return None if row is None else bytes(row["bytes"])


class SqlPackets:
    """`Packets` over one transaction."""

    def __init__(self, transaction: Transaction, principal: Principal, *, writable: bool) -> None:
        self._transaction = transaction
        self._principal = principal
        self._writable = writable

    def add(self, packet: Packet) -> None:
        if not self._writable:
            raise StoreFault("read_only_session", "this session keeps no packet", remedy="begin it with write=True")
        added = self._transaction.row(
            "add_packet",
            id=packet.id,
            body=packet.body,
            requester=packet.requester,
            evidence=packet.evidence,
            corpus=packet.corpus,
            made_at=microseconds(packet.made_at),
        )
        if added is None:
            return
        key = added["key"]
        self._transaction.run_each(
            "add_packet_text",
            ({"packet": key, "sha256": sha256, "text": text} for sha256, text in packet.texts.items()),
        )
        self._transaction.run_each(
            "add_packet_source",
            ({"packet": key, "document": rid.document, "version": rid.version} for rid in packet.sources),
        )

    def get(self, packet_id: str) -> Packet | None:
        row = self._transaction.row("packet", id=packet_id)
        if row is None:
            return None
        sources = self._transaction.rows("packet_sources", packet=row["key"], tokens=array(self._principal.tokens))
        if not (all(source["readable"] for source in sources) if sources else self._asked_by_me(row["requester"])):
            return None
        return read_packet(self._transaction, row, sources)

    def resting_on(self, document: str, version: str | None = None) -> Sequence[Packet]:
        rows = self._transaction.rows("packet_ids_on", document=document, version=version)
        return [packet for row in rows if (packet := self.get(row["id"])) is not None]

    def _asked_by_me(self, requester: str) -> bool:
        return self._principal.active and requester == principal_digest(self._principal)


def read_packet(transaction: Transaction, row: Row, sources: Sequence[Row]) -> Packet:
    """The packet of a row, with the texts that are left of it."""
    texts = transaction.rows("packet_texts", packet=row["key"])
    return Packet(
        id=row["id"],
        body=row["body"],
        texts={text["sha256"]: text["text"] for text in texts},
        sources=tuple(RevisionId(source["document"], source["version"]) for source in sources),
        requester=row["requester"],
        evidence=row["evidence"],
        corpus=row["corpus"],
        made_at=instant(row["made_at"]),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SqlSession:
    """`Session` over one transaction."""

    corpus: SqlCorpus
    catalogue: SqlCatalogue
    packets: SqlPackets
    approvals: SqlApprovals
    replies: SqlReplies
    ledger: SqlLedger

    @classmethod
    def of(cls, transaction: Transaction, principal: Principal, *, writable: bool) -> SqlSession:
        tokens = principal.tokens
        return cls(
            corpus=SqlCorpus(transaction, tokens),
            catalogue=SqlCatalogue(transaction, tokens),
            packets=SqlPackets(transaction, principal, writable=writable),
            approvals=SqlApprovals(transaction, tokens, writable=writable),
            replies=SqlReplies(transaction, principal, writable=writable),
            ledger=SqlLedger(transaction, writable=writable),
        )


def _candidate(row: Row, text: str, pages: Sequence[Page]) -> Candidate:
    passage = read_passage(row)
    return Candidate(
        key=PassageKey(row["key"], row["ordinal"]),
        passage=passage,
        place=place_in(text, pages, passage.start, passage.end),
        text=text[passage.start : passage.end],
        standing=read_standing(row),
        scope=row["scope"],
    )


def texts_of(transaction: Transaction, revisions: Iterable[int]) -> dict[int, str]:
    """The texts of revisions by key, each read once.

    Passages are cut from them in Python: SQLite's `substr` reads the whole text for every passage, and stops at a NUL.
    """
    return {row["revision"]: row["text"] for row in transaction.rows("texts", revisions=array(revisions))}
