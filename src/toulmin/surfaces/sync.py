"""The blocking facade: a workspace as an object. One thin layer over the use cases, and no second copy of any."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from toulmin.application.ask import Event, Finished, ask
from toulmin.application.catchup import CaughtUp, Tell, catch_up, rebuild
from toulmin.application.checking import check_contracts
from toulmin.application.documents import retire
from toulmin.application.ingest import FileReport, Ingest
from toulmin.application.packets import PacketView, show_packet
from toulmin.application.parts import Parts
from toulmin.application.question import AskRequest
from toulmin.application.reviews import ClaimPair, review_pairs, review_text
from toulmin.application.search import SearchRequest, search
from toulmin.domain.claims.checks import Finding
from toulmin.domain.claims.report import ReviewReport
from toulmin.domain.corpus.document import Revision, Standing, Status
from toulmin.domain.corpus.metadata import Metadata
from toulmin.domain.errors import InputError
from toulmin.domain.evidence.ranking import bounded_results
from toulmin.domain.outcome import Outcome, SearchResult
from toulmin.domain.question.case import ANONYMOUS, Principal
from toulmin.domain.question.contract import OPEN_QUESTION
from toulmin.domain.question.eligibility import Rules
from toulmin.domain.question.reading import profile_case
from toulmin.ports.source import Entry, Skipped
from toulmin.surfaces import wiring
from toulmin.surfaces.settings import Settings, find_workspace, load

_NO_CASE: Mapping[str, str] = {}


class Workspace:
    """A corpus with its contracts: ingest, search, ask, look at packets. Use it in a `with` block, or `close` it.

    Every reading method takes the principal on whose behalf it reads; the default reads only what is public. Who may write the workspace's
    files may change its corpus: locally there is no other check. All methods raise the faults of `toulmin.domain.errors`.
    """

    def __init__(self, settings: Settings, parts: Parts) -> None:
        self.settings = settings
        self.parts = parts

    @classmethod
    def open(cls, folder: Path | str | None = None) -> Self:
        """Opens the workspace in a folder; without one, that of the current folder or its nearest parent with a `toulmin.toml`."""
        settings = load(find_workspace(Path()) if folder is None else Path(folder))
        return cls(settings, wiring.parts(settings))

    def close(self) -> None:
        """Releases store and index."""
        self.parts.index.close()
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

    def ingest(self, entries: Iterable[Entry], *, reparse: bool = False) -> Iterator[FileReport]:
        """Ingests entries in their order, each whole or not at all, and reports each; the index is caught up at the end.

        `reparse` reads again what is in the corpus already, where the parser's version has changed.
        """
        with wiring.parsers(self.settings) as parsers:
            use_case = Ingest(
                store=self.parts.store,
                parsers=parsers,
                clock=self.parts.clock,
                zone=self.settings.zone,
                reparse=reparse,
            )
            yield from use_case.all(entries)
        self.catch_up()

    def catch_up(self, tell: Tell | None = None) -> CaughtUp:
        """Brings the derived index up with the corpus, or builds it anew where it is of no use; says how far it still lags."""
        return catch_up(self.parts.store, self.parts.index, tell)

    def rebuild(self, tell: Tell | None = None) -> CaughtUp:
        """Builds the derived index anew beside the present one, which serves until the new one takes its place."""
        return rebuild(self.parts.store, self.parts.index, "it was asked for", tell)

    def retire(self, document: str, status: Status, *, version: str | None = None) -> tuple[Standing, ...]:
        """Withdraws or deletes a document, or one version of it."""
        concerned = retire(self.parts.store, document, version, status)
        self.catch_up()
        return concerned

    def documents(self, *, principal: Principal = ANONYMOUS, document: str | None = None) -> tuple[Standing, ...]:
        """The revisions that the principal may read, by document and version."""
        with self.parts.store.begin(principal) as session:
            return tuple(session.catalogue.standings(document))

    def revision(self, key: int, *, principal: Principal = ANONYMOUS) -> Revision | None:
        """A revision's text and passages; None where it was deleted or may not be read."""
        with self.parts.store.begin(principal) as session:
            return session.catalogue.revision(key)

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
        return search(request, self.parts.store, self.parts.index, self.parts.scopes)

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


async def _outcome(request: AskRequest, parts: Parts) -> Outcome:
    last: Event | None = None
    async for event in ask(request, parts):
        last = event
    assert isinstance(last, Finished)
    return last.outcome


def _score(least: float) -> float:
    """A minimum score; NaN is none: every comparison with it is false, which would let everything through."""
    if not 0 <= least < math.inf:
        raise InputError("usage", f"the minimum score is {least}", remedy="give a number from 0 upwards")
    return least
