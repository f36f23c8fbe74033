"""Replay: a kept decision made again, as of then from its own record, and as of now from the present corpus, contract and policy."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from toulmin.application.delivery import shortfall, witnesses_of
from toulmin.application.gather import Gathered, gather
from toulmin.application.packets import kept_packet
from toulmin.application.parts import Parts
from toulmin.application.question import Question
from toulmin.domain.corpus.document import RevisionId, Standing, Status
from toulmin.domain.errors import InputError
from toulmin.domain.evidence.selection import LeftOut
from toulmin.domain.proof.identity import evidence_identity, principal_digest
from toulmin.domain.proof.recorded import PassageName, Recorded, WordsErased
from toulmin.domain.proof.replay import Difference, Present, differences
from toulmin.domain.proof.rerun import ROUTED, Step, reproduces, rerun
from toulmin.domain.question.case import Case, Principal
from toulmin.domain.question.contract import OPEN_QUESTION, Contract, Mode, under_rules
from toulmin.domain.question.eligibility import Rules
from toulmin.domain.question.reading import contract_case
from toulmin.ports.store import Session


@dataclass(frozen=True, slots=True, kw_only=True)
class Now:
    """The same question as of an instant: the identity of the evidence that is selected now, and what it lacks.

    `evidence` is None where nothing could be searched: there is no such contract any more, or the case does not fit it. `left_out`: why a
    part of the index was not asked, so that what is selected might be otherwise with it; None where all of it was.
    """

    present: Present
    evidence: str | None
    missing: tuple[str, ...]
    differences: tuple[Difference, ...]
    left_out: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """A packet's decision made again. `by_requester`: who replays it is who asked, so that both see the same corpus."""

    packet: str
    evidence: str
    by_requester: bool
    steps: tuple[Step, ...]
    now: Now

    @property
    def reproduces(self) -> bool:
        """Whether nothing came out otherwise than recorded."""
        return reproduces(self.steps)

    @property
    def unchanged(self) -> bool:
        """Whether the evidence is the same now."""
        return self.now.evidence == self.evidence


def replay(
    packet_id: str, principal: Principal, parts: Parts, *, at: datetime | None = None, profiles: Iterable[Rules] = ()
) -> Replay:
    """The replay of a packet for a principal; `at` is the instant of now.

    No model is asked: as of then, what a judge said is taken as recorded, and as of now nothing is drafted. `profiles` are the rules that
    open questions may be asked under. Raises `NotFound` as `show_packet` does, and `InputError` for a packet that this version cannot read.
    """
    with parts.store.begin(principal) as session:
        recorded = Recorded.of(kept_packet(session, packet_id))
        standings = standings_of(recorded, session)
    _check_readable(recorded)
    erased = {
        rid for rid, standing in standings.items() if standing.status is Status.ERASED and rid in recorded.sources
    }
    return Replay(
        packet=packet_id,
        evidence=recorded.packet.evidence,
        by_requester=principal_digest(principal) == recorded.packet.requester,
        steps=rerun(recorded, erased),
        now=as_of_now(recorded, standings, principal, parts, at=at or parts.clock.now(), profiles=profiles),
    )


def standings_of(recorded: Recorded, session: Session) -> dict[RevisionId, Standing]:
    """The present standings of every revision of a packet's documents that the session's principal may read."""
    documents = {source.document for source in recorded.sources}
    return {standing.id: standing for name in sorted(documents) for standing in session.catalogue.standings(name)}


def as_of_now(
    recorded: Recorded,
    standings: dict[RevisionId, Standing],
    principal: Principal,
    parts: Parts,
    *,
    at: datetime,
    profiles: Iterable[Rules] = (),
) -> Now:
    """The question of a packet asked anew, up to coverage: what it is answered from now, and how that differs from then."""
    contract = _contract(recorded, parts, profiles)
    case, refusal = _case(recorded, contract, parts)
    if contract is None or case is None:
        present = Present(
            at=at, policy=parts.policy, standings=standings, contract=contract, case=case, refusal=refusal
        )
        return Now(present=present, evidence=None, missing=(), differences=differences(recorded, present))
    question = _question(recorded, contract, case, principal, at)
    gathered = _gathered(recorded, question, parts)
    lacking = shortfall(gathered)
    present = Present(
        at=at,
        policy=parts.policy,
        standings=standings,
        contract=contract,
        case=case,
        evidence=gathered.evidence,
        taken=tuple((item.id, item.passage.id) for item in gathered.evidence.passages),
        witnesses=witnesses_of(gathered),
    )
    return Now(
        present=present,
        evidence=evidence_identity(contract, question.text, case, gathered.evidence),
        missing=lacking.missing if lacking else (),
        differences=differences(recorded, present),
        left_out=gathered.found.left_out,
    )


def _check_readable(recorded: Recorded) -> None:
    if "budget" not in recorded.body:
        raise InputError(
            "old_packet",
            f"packet {recorded.packet.id} was made by a version of the program whose packets cannot be replayed",
            remedy="ask the question again; the packet still shows what was answered",
        )


def _contract(recorded: Recorded, parts: Parts, profiles: Iterable[Rules]) -> Contract | None:
    """The contract of the same question now; of an open question, under the profile that it was asked under, where there is one like it."""
    name = recorded.body["contract"]["id"]
    if name != OPEN_QUESTION:
        return parts.contracts.find(name)
    known = parts.open_question
    if known is None:
        return None
    ways = [known, *(under_rules(known, rules) for rules in profiles)]
    same = (way for way in ways if way.digest == recorded.body["contract"]["digest"])
    return next(same, known)


def _case(recorded: Recorded, contract: Contract | None, parts: Parts) -> tuple[Case | None, str | None]:
    """The case as the contract reads it now, or why it does not."""
    if contract is None:
        return None, None
    texts = {fact["name"]: fact["value"][1:] for fact in recorded.body["case"]}
    try:
        return contract_case(contract, texts, parts.zone), None
    except InputError as fault:
        return None, fault.message


def _question(recorded: Recorded, contract: Contract, case: Case, principal: Principal, at: datetime) -> Question:
    """The question with what was asked for beside the contract: where `k` or the minimum score were the contract's, they are now."""
    k, min_score = recorded.body["k"], recorded.budget.min_score
    try:
        then = recorded.contract
    except (WordsErased, ValueError):
        then = None
    return Question(
        contract=contract,
        text=recorded.question,
        case=case,
        principal=principal,
        at=at,
        k=contract.k if then is not None and then.k == k else k,
        min_score=max(contract.min_score, 0.0 if then is not None and then.min_score == min_score else min_score),
    )


def _gathered(recorded: Recorded, question: Question, parts: Parts) -> Gathered:
    """The evidence now, less what a judge found useless then and what an earlier round had: neither is asked again."""
    earlier = _named(recorded, (LeftOut.EARLIER_ROUND,))
    room = 0 if question.contract.mode is Mode.LICENSED else max(0, recorded.budget.passages - recorded.body["k"])
    gathered = gather(question, parts, seen=earlier, kept=room)
    useless = _named(recorded, ROUTED)
    routed = {
        item: dict(recorded.left_out)[item.id, item.passage.id]
        for item in gathered.selection.taken
        if (item.id, item.passage.id) in useless
    }
    return gathered.without(routed) if routed else gathered


def _named(recorded: Recorded, reasons: Collection[LeftOut]) -> frozenset[PassageName]:
    return frozenset(name for name, reason in recorded.left_out if reason in reasons)
