"""The blocking facade: a workspace as an object. One thin layer over the use cases, and no second copy of any."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from toulmin.application import approvals
from toulmin.application.api_keys import IssuedKey, new_key, revoke_key
from toulmin.application.approvals import OperationRequest
from toulmin.application.ask import Event, Finished, ask
from toulmin.application.catchup import EMBEDDED, CaughtUp, Tell, catch_up, embed, embed_anew, rebuild
from toulmin.application.checking import check_contracts, findings_without
from toulmin.application.curating import Curatable, Edit, Edited, Preview, curatable, edit, preview
from toulmin.application.documents import Retired, retire
from toulmin.application.erasure import Choose, Erased, erase, expired, named, nothing_more, of_document, plan
from toulmin.application.execution import execute
from toulmin.application.impact import Resting, impact
from toulmin.application.ingest import FileReport, Ingest
from toulmin.application.ledger import LedgerRow, check_ledger, ledger_rows, seal
from toulmin.application.packets import PacketView, show_packet
from toulmin.application.parts import Parts
from toulmin.application.printed import page_image, printed_page
from toulmin.application.proving import export_packet, verify_file
from toulmin.application.question import AskRequest
from toulmin.application.queue import Act, Listed, choices, queue
from toulmin.application.replay import Replay, replay
from toulmin.application.reviews import ClaimPair, review_pairs, review_text
from toulmin.application.search import SearchRequest, search
from toulmin.application.stages import Stage, stage
from toulmin.domain.claims.checks import Finding
from toulmin.domain.claims.report import ReviewReport
from toulmin.domain.corpus.document import Revision, RevisionId, Standing, Status
from toulmin.domain.corpus.metadata import Metadata
from toulmin.domain.corpus.printed import PrintedPage
from toulmin.domain.errors import Conflict, InputError, Refused, StoreFault
from toulmin.domain.evidence.ranking import bounded_results
from toulmin.domain.outcome import Outcome, SearchResult
from toulmin.domain.proof.approval import Approval, state_of
from toulmin.domain.proof.audit import Audit
from toulmin.domain.proof.envelope import Exported
from toulmin.domain.proof.ledger import Checkpoint
from toulmin.domain.proof.verification import Verification
from toulmin.domain.question.api_key import ApiKey
from toulmin.domain.question.case import ANONYMOUS, Principal
from toulmin.domain.question.contract import OPEN_QUESTION
from toulmin.domain.question.eligibility import Rules
from toulmin.domain.question.reading import profile_case
from toulmin.ports.approvals import Wanted
from toulmin.ports.source import Entry, Skipped, Upload
from toulmin.surfaces import wiring
from toulmin.surfaces.settings import Settings, settings_of

_NO_CASE: Mapping[str, str] = {}
_NO_PARAMS: Mapping[str, str] = {}

_FOUND_WITHIN_S = 5.0
_LOOK_AGAIN_S = 0.05


class Workspace:
    """A corpus with its contracts: ingest, search, ask, look at packets. Use it in a `with` block, or `close` it.

    Every reading method takes the principal on whose behalf it reads; the default reads only what is public. Who may write the workspace's
    files may change its corpus: locally there is no other check. All methods raise the faults of `toulmin.domain.errors`.
    """

    def __init__(self, settings: Settings, parts: Parts) -> None:
        self.settings = settings
        self.parts = parts
        self.desk = wiring.desk(settings, parts)

    @classmethod
    def open(cls, folder: Path | str | None = None) -> Self:
        """Opens the workspace in a folder; without one, that of the current folder or its nearest parent with a `toulmin.toml`."""
        settings = settings_of(folder)
        return cls(settings, wiring.parts(settings))

    @staticmethod
    def migrate(folder: Path | str | None = None) -> int:
        """Brings the corpus database of the workspace that `open` would open to the present schema; the schema's number."""
        return wiring.migrate_store(settings_of(folder))

    def close(self) -> None:
        """Releases store and index, and ends the processes that draw pages."""
        if self.parts.pages is not None:
            self.parts.pages.close()
        self.parts.index.close()
        if self.parts.meaning is not None:
            self.parts.meaning.close()
        self.parts.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def entries(
        self, paths: Sequence[Path], *, manifest: Path | None = None, options: Metadata | None = None
    ) -> Iterable[Entry | Skipped]:
        """The documents of files and folders; `options` are defaults for what no metadata states."""
        return wiring.folder(paths, self.settings, manifest, options or Metadata()).entries()

    def ingest(
        self, entries: Iterable[Entry], *, reparse: bool = False, tell: Tell | None = None
    ) -> Iterator[FileReport]:
        """Ingests entries in their order, each whole or not at all, and reports each; the indexes are caught up at the end.

        `reparse` reads again what is in the corpus already, where the parser's version has changed; `tell` is told about the indexes.
        """
        yield from self._ingested(entries, reparse=reparse)
        self.catch_up(tell)
        self.embed(tell)

    def uploads(self, files: Sequence[Upload], *, options: Metadata | None = None) -> Sequence[Entry]:
        """The documents among files that somebody sends, sidecars among them; `options` are defaults for what no metadata states.

        Raises `InputError` where the files cannot go together.
        """
        return tuple(wiring.uploads(files, self.settings, options or Metadata()).entries())

    def take(
        self, entries: Iterable[Entry], *, curator: Principal, until: datetime | None = None
    ) -> tuple[FileReport, ...]:
        """The same as `ingest`, for a caller from elsewhere, who may curate only what is theirs, and whose files are read apart, text as well.

        What would be read only after `until` is refused: files that take long are not to keep everybody else waiting.

        From then on searches by words find the documents, unless others are long at work on the index, or it is broken: what was kept is
        kept all the same, and whoever follows the corpus brings the indexes up. That is also who embeds more than a few passages.
        """
        reports = tuple(self._ingested(entries, curator=curator, until=until))
        self._follow()
        return reports

    def _ingested(
        self,
        entries: Iterable[Entry],
        *,
        reparse: bool = False,
        curator: Principal | None = None,
        until: datetime | None = None,
    ) -> Iterator[FileReport]:
        with wiring.parsers(self.settings, text_apart=curator is not None) as parsers:
            use_case = Ingest(
                store=self.parts.store,
                parsers=parsers,
                clock=self.parts.clock,
                zone=self.settings.zone,
                reparse=reparse,
                curator=curator,
                until=until,
                originals=wiring.originals(self.settings),
            )
            yield from use_case.all(entries)

    def curatable(self, revision: RevisionId, *, principal: Principal = ANONYMOUS) -> Curatable:
        """A version of a document with its text and the metadata that describe it, as an edit begins from it."""
        return curatable(self.parts.store, revision, principal)

    def preview_edit(self, wanted: Edit, *, curator: Principal) -> Preview:
        """What an edit of a descriptor would change, without changing anything."""
        return preview(wanted, curator, self.parts, self.parts.clock.now())

    def edit(self, wanted: Edit, *, curator: Principal) -> Edited:
        """Describes a version of a document anew, in one switch; searches find it as it is described then, as after `take`."""
        edited = edit(wanted, curator, self.parts.store, self.parts.clock.now())
        if edited.changed:
            self._follow()
        return edited

    def _follow(self) -> None:
        """Brings the indexes up with what was kept, as far as nothing keeps them from it."""
        with suppress(Conflict, StoreFault):
            self._wait_for_words()
            self.embed(most=EMBEDDED)

    def _wait_for_words(self) -> None:
        """Brings the index by words up; where another thread or process is doing that, waits for it a while."""
        end = time.monotonic() + _FOUND_WITHIN_S
        while self.catch_up().lag and time.monotonic() < end:
            time.sleep(_LOOK_AGAIN_S)

    def catch_up(self, tell: Tell | None = None) -> CaughtUp:
        """Brings the index by words up with the corpus, or builds it anew where it is of no use; says how far it still lags."""
        return catch_up(self.parts.store, self.parts.index, tell, observer=self.parts.observer)

    def embed(self, tell: Tell | None = None, *, most: int | None = None) -> CaughtUp | None:
        """Brings the index by meaning up, unless more than `most` passages are missing; says how far it lags. None: no embedder is configured."""
        meaning = self.parts.meaning
        if meaning is None:
            return None
        return embed(self.parts.store, meaning, tell, most=most, observer=self.parts.observer)

    def embed_anew(self, tell: Tell | None = None) -> CaughtUp:
        """The same, all of it, and from the beginning where the index is of another embedder. Raises what keeps it from being brought up."""
        if self.parts.meaning is None:
            advice = 'write kind = "onnx" or "openai" under [embedder] in toulmin.toml'
            raise InputError("no_embedder", "no embedder is configured", remedy=advice)
        return embed_anew(self.parts.store, self.parts.meaning, tell)

    def rebuild(self, tell: Tell | None = None) -> CaughtUp:
        """Builds the indexes anew beside the present ones, which serve until the new ones take their places.

        Says how far that by words is; vectors of texts that have not changed are taken over.
        """
        reached = rebuild(self.parts.store, self.parts.index, "it was asked for", tell)
        if self.parts.meaning is not None:
            rebuild(self.parts.store, self.parts.meaning, "it was asked for", tell, batch=EMBEDDED)
        return reached

    def retire(
        self, document: str, status: Status, *, version: str | None = None, curator: Principal | None = None
    ) -> Retired:
        """Withdraws or deletes a document, or one version of it; `erase` goes further. A `curator` may do so to what is theirs."""
        at = self.parts.clock.now()
        concerned = retire(self.parts.store, document, version, status, at=at, curator=curator)
        self.catch_up()
        self.embed(most=EMBEDDED)
        return concerned

    def erase(
        self, document: str, *, version: str | None = None, dry_run: bool = False, tell: Tell | None = None
    ) -> Erased:
        """Erases the words of a document, or of one version of it, wherever the workspace holds them; `dry_run` only says what that would do.

        Raises `NotFound` where there is nothing to erase, and `Conflict` (`erasure_unfinished`) where other processes keep files in use.
        """
        return named(self._erase(of_document(document, version), tell, dry_run=dry_run), document, version)

    def erase_expired(self, *, dry_run: bool = False, tell: Tell | None = None) -> Erased:
        """Erases the revisions that the policy's `retention_days` do not keep any longer."""
        return self._erase(expired(self.parts.policy, self.parts.clock.now()), tell, dry_run=dry_run)

    def finish_erasures(self, *, dry_run: bool = False, tell: Tell | None = None) -> Erased:
        """Finishes what an earlier erasure left undone in the workspace's files."""
        return self._erase(nothing_more, tell, dry_run=dry_run)

    def _erase(self, choose: Choose, tell: Tell | None, *, dry_run: bool) -> Erased:
        if dry_run:
            return plan(choose, self.parts)
        wiring.drop_unused_vectors(self.settings)
        return erase(choose, self.parts, tell=tell)

    def impact(
        self, document: str, *, version: str | None = None, principal: Principal = ANONYMOUS
    ) -> tuple[Resting, ...]:
        """The packets that rest on a document, with their approvals, as far as the principal may see them."""
        return impact(self.parts.store, document, version, principal)

    def findings_without(
        self, revisions: Collection[RevisionId], *, principal: Principal = ANONYMOUS
    ) -> tuple[Finding, ...]:
        """What `check_contracts` would find besides if some revisions were out of service."""
        return findings_without(revisions, principal, self.parts.clock.now(), self.parts)

    def documents(self, *, principal: Principal = ANONYMOUS, document: str | None = None) -> tuple[Standing, ...]:
        """The revisions that the principal may read, by document and version."""
        with self.parts.store.begin(principal) as session:
            return tuple(session.catalogue.standings(document))

    def page(self, after: str, limit: int, *, principal: Principal = ANONYMOUS) -> tuple[Standing, ...]:
        """The revisions that the principal may read of the first `limit` documents after an id; "": from the first document on."""
        with self.parts.store.begin(principal) as session:
            return tuple(session.catalogue.page(after, limit))

    def revision(self, key: int, *, principal: Principal = ANONYMOUS) -> Revision | None:
        """A revision's text and passages; None where it was deleted or may not be read."""
        with self.parts.store.begin(principal) as session:
            return session.catalogue.revision(key)

    def draws(self, revision: Revision) -> bool:
        """Whether pages of such a file can be shown, if it is kept."""
        pages = self.parts.pages
        return pages is not None and revision.media_type in pages.media_types

    def page_image(self, standing: Standing, index: int, *, principal: Principal = ANONYMOUS) -> bytes:
        """A page of a revision as it is printed, as a PNG; pages count from 0."""
        return page_image(standing, index, principal, self.parts)

    def printed_page(self, standing: Standing, index: int, *, principal: Principal = ANONYMOUS) -> PrintedPage:
        """Where the page's characters stand on that image."""
        return printed_page(standing, index, principal, self.parts)

    def search(
        self,
        text: str,
        *,
        case: Mapping[str, str] = _NO_CASE,
        profile: str = "default",
        principal: Principal = ANONYMOUS,
        as_of: datetime | None = None,
        k: int | None = None,
        min_score: float = 0.0,
        explain: bool = False,
    ) -> SearchResult:
        """The best passages for a text, among those eligible for the case under a profile."""
        if not text.strip():
            raise InputError("empty_question", "there is nothing to search for", remedy="give some words")
        rules = self.profile(profile)
        request = SearchRequest(
            text=text,
            rules=rules,
            case=profile_case(profile, rules, case, self.settings.zone),
            principal=principal,
            at=as_of or self.parts.clock.now(),
            limit=bounded_results(k, self.parts.policy),
            min_score=_score(min_score),
            explain=explain,
        )
        parts = self.parts
        return search(request, parts.store, parts.searched, parts.scopes, parts.reranker, observer=parts.observer)

    def ask(
        self,
        question: str,
        *,
        case: Mapping[str, str] = _NO_CASE,
        principal: Principal = ANONYMOUS,
        as_of: datetime | None = None,
        k: int | None = None,
        min_score: float = 0.0,
    ) -> Outcome:
        """The outcome of a contract's question."""
        return self._ask(
            AskRequest(
                question=question,
                case=case,
                principal=principal,
                as_of=as_of,
                k=k,
                min_score=_score(min_score),
            )
        )

    def ask_text(
        self,
        text: str,
        *,
        case: Mapping[str, str] = _NO_CASE,
        profile: str | None = None,
        principal: Principal = ANONYMOUS,
        as_of: datetime | None = None,
        k: int | None = None,
        min_score: float = 0.0,
    ) -> Outcome:
        """The outcome of an open question, under the workspace's open-question settings, or another profile of its own."""
        return self._ask(
            AskRequest(
                question=OPEN_QUESTION,
                text=text,
                rules=None if profile is None else self.profile(profile),
                case=case,
                principal=principal,
                as_of=as_of,
                k=k,
                min_score=_score(min_score),
            )
        )

    def review_pairs(self, pairs: Sequence[ClaimPair], *, principal: Principal = ANONYMOUS) -> ReviewReport:
        """The verdict on each claim beside the text that it comes with, or beside what it cites of the corpus."""
        return asyncio.run(review_pairs(pairs, principal, self.parts))

    def review_text(self, text: str, packet_id: str, *, principal: Principal = ANONYMOUS) -> ReviewReport:
        """The verdict on each claim of a text with citation markers, against the evidence of a packet."""
        return asyncio.run(review_text(text, packet_id, principal, self.parts))

    def packet(self, packet_id: str, *, principal: Principal = ANONYMOUS) -> PacketView:
        """A packet, with what has become of its sources."""
        return show_packet(self.parts.store, packet_id, principal, self.parts.clock.now())

    def replay(self, packet_id: str, *, principal: Principal = ANONYMOUS, at: datetime | None = None) -> Replay:
        """A packet's decision made again: as of then from its record, and as of an instant (now, without one) from the corpus."""
        return replay(packet_id, principal, self.parts, at=at, profiles=tuple(self.settings.profiles.values()))

    def request_approval(
        self,
        packet_id: str,
        operation: str,
        *,
        params: Mapping[str, str] = _NO_PARAMS,
        instance: str | None = None,
        comment: str | None = None,
        principal: Principal = ANONYMOUS,
    ) -> Approval:
        """The approval that an operation on a packet's answer waits in; the present one, where it was requested before."""
        wanted = OperationRequest(
            packet=packet_id, operation=operation, params=params, instance=instance, comment=comment
        )
        return approvals.request(wanted, principal, self.desk)

    def approve(self, approval_id: str, *, principal: Principal, comment: str | None = None) -> Approval:
        """Lets an operation be carried out: a reviewer's decision."""
        return approvals.approve(approval_id, principal, self.desk, comment=comment)

    def reject(self, approval_id: str, *, principal: Principal, comment: str | None = None) -> Approval:
        """Refuses an operation: a reviewer's decision."""
        return approvals.reject(approval_id, principal, self.desk, comment=comment)

    def revoke(self, approval_id: str, *, principal: Principal, comment: str | None = None) -> Approval:
        """Takes back what is not yet carried out: by who requested it, or a reviewer."""
        return approvals.revoke(approval_id, principal, self.desk, comment=comment)

    def execute(self, approval_id: str, *, principal: Principal, comment: str | None = None) -> Approval:
        """Carries an approved operation out, at most once: by an operator. The approval says what came of it, or that it is stale."""
        return execute(approval_id, principal, self.desk, comment=comment)

    def resolve(self, approval_id: str, outcome: str, *, principal: Principal, comment: str) -> Approval:
        """Says what came of an operation in doubt, `executed` or `failed`: by an operator who found out."""
        return approvals.resolve(approval_id, state_of(outcome), principal, self.desk, comment=comment)

    def approval(self, approval_id: str, *, principal: Principal = ANONYMOUS) -> Approval:
        """An approval as it stands."""
        return approvals.show(approval_id, principal, self.desk)

    def approvals(self, *, state: str | None = None, principal: Principal = ANONYMOUS) -> tuple[Approval, ...]:
        """The approvals that the principal may see, in the order of their requests; only those in a state, where one is given."""
        return approvals.listed(principal, self.desk, state=None if state is None else state_of(state))

    def approval_queue(self, wanted: Wanted, *, principal: Principal = ANONYMOUS) -> Listed:
        """A part of the approvals that the principal may see, with their packets, and how many there are in each state."""
        return queue(wanted, principal, self.desk)

    def choices(self, known: Approval, *, principal: Principal) -> Mapping[Act, Refused | InputError | None]:
        """What people may make of an approval as it stands, each with what keeps the principal from it; None: nothing does."""
        return choices(known, principal, self.desk)

    def stage(self, packet_id: str, task: str, *, principal: Principal = ANONYMOUS, external: bool = False) -> Stage:
        """The bounded call of a specialist with a packet's answer: what to send, and what its reply may be.

        `external`: the specialist is not on this host, and a person approved that it may receive documents labelled `egress: any`.
        """
        return stage(packet_id, task, principal, self.desk, external=external)

    def export_packet(self, packet_id: str, *, principal: Principal = ANONYMOUS, sign: bool = True) -> Exported:
        """A packet to keep elsewhere: its `file` is the text to write. It is signed where a key is configured, unless it shall not."""
        signer = self.parts.signer if sign else None
        return export_packet(self.parts.store, packet_id, principal, self.parts.clock.now(), signer)

    def new_api_key(
        self, principal: Principal, *, label: str | None = None, expires_at: datetime | None = None
    ) -> IssuedKey:
        """A key by which the service knows a caller as the principal. Its `token` is told here, and never again."""
        return new_key(principal, self.parts.store, self.parts.clock, label=label, expires_at=expires_at)

    def api_keys(self) -> Sequence[ApiKey]:
        """All keys, in the order in which they were made."""
        return self.parts.store.api_keys()

    def revoke_api_key(self, key_id: str) -> ApiKey:
        """Makes a key worthless from the next request on, in every process and on every host."""
        return revoke_key(key_id, self.parts.store, self.parts.clock)

    def recorded(self) -> int:
        """The number of the ledger's last entry; 0 without any."""
        with self.parts.store.keep_ledger() as keeping:
            return keeping.tail().end

    def seal_ledger(self) -> Checkpoint | None:
        """Seals what the ledger has recorded; returns its last checkpoint, None while there are no entries."""
        return seal(self.parts.store, self.parts.clock, self.parts.signer)

    def check_ledger(self, *, kept: Sequence[Checkpoint] = (), keys: Sequence[Path] = ()) -> Audit:
        """What is wrong with the ledger, by checkpoints kept elsewhere, and by public keys."""
        return check_ledger(self.parts.store, kept=kept, keyring=wiring.keyring(keys))

    def ledger(self) -> Iterator[LedgerRow]:
        """All of the ledger by number: entries, each with its link if it is sealed, and checkpoints."""
        return ledger_rows(self.parts.store)

    def check_contracts(self, *, principal: Principal = ANONYMOUS) -> tuple[Finding, ...]:
        """What the contracts would find in the corpus, as the principal sees it."""
        return check_contracts(principal, self.parts.clock.now(), self.parts)

    def profile(self, name: str) -> Rules:
        """A named eligibility profile; raises `InputError` where there is none."""
        known = self.settings.profiles.get(name)
        if known is None:
            raise InputError(
                "unknown_profile",
                f"there is no profile {name!r}",
                remedy=f"add [eligibility.{name}] to toulmin.toml, or use one of {', '.join(sorted(self.settings.profiles))}",
            )
        return known

    def _ask(self, request: AskRequest) -> Outcome:
        return asyncio.run(_outcome(request, self.parts))


def verify_packet(data: bytes, *, keys: Sequence[Path] = (), expected: str | None = None) -> Verification:
    """Verifies a packet file, wherever it comes from; no workspace is needed.

    With `keys`, files of public keys, it must be signed by them; `expected` is the id that it must have.
    """
    return verify_file(data, keyring=wiring.keyring(keys), expected=expected)


async def _outcome(request: AskRequest, parts: Parts) -> Outcome:
    last: Event | None = None
    async for event in ask(request, parts):
        last = event
    assert isinstance(last, Finished)
    return last.outcome


def _score(least: float) -> float:
    """A minimum score; NaN is none: every comparison with it is false, which would let everything through."""
    if not 0 <= least <= 1:
        raise InputError("usage", f"the minimum score is {least}", remedy="give a number from 0 to 1")
    return least
