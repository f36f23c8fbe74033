"""Commit: what may have changed meanwhile is checked once more, and the packet is kept, in one write transaction."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from toulmin.application.deadline import overdue
from toulmin.application.drafting import Draft
from toulmin.application.gather import Gathered
from toulmin.application.ledger import record
from toulmin.application.parts import Parts
from toulmin.application.reviewing import Answer, Round
from toulmin.domain.canonical import Json
from toulmin.domain.claims.review import VERSION as ORACLES_VERSION
from toulmin.domain.corpus.document import Status
from toulmin.domain.errors import Conflict
from toulmin.domain.evidence import fusion
from toulmin.domain.evidence.ranking import Ranked
from toulmin.domain.outcome import NAMES, Answered, AskForEvidence, Receipt, Recorded, SearchOnly, Withheld
from toulmin.domain.proof.identity import principal_digest
from toulmin.domain.proof.ledger import Event, Kind
from toulmin.domain.proof.packet import Packet
from toulmin.domain.proof.record import Record, sealed
from toulmin.ports.drafter import NotDrafted, Usage
from toulmin.ports.store import Session


def commit(answer: Answer, parts: Parts, *, given_up: Callable[[], bool] = lambda: False) -> Recorded:
    """The outcome of an answer with its receipt.

    Raises `Conflict` (`evidence_changed`) when a selected source was withdrawn or deleted since it was gathered, or may not be read any
    longer; and `Overdue` when `given_up` says, with the right to write in hand, that nobody waits for the outcome any more.
    """
    gathered, outcome = answer.counted.gathered, answer.counted.outcome
    assert outcome is not None  # the round that counts is one that ended
    with parts.observer.step("commit"):
        packet = sealed(_record(outcome, answer, parts))
        with parts.store.begin(gathered.question.principal, write=True) as session:
            if given_up():
                raise overdue(parts.policy.request_deadline_s)
            _check_sources(session, gathered)
            session.packets.add(packet)
            record(session.ledger, _event(packet, outcome), parts.policy)
    return replace(outcome, receipt=Receipt(packet=packet.id, evidence=packet.evidence, corpus=packet.corpus))


def _event(packet: Packet, outcome: Recorded) -> Event:
    facts = {"packet": packet.id, "evidence": packet.evidence, "outcome": NAMES[type(outcome)]}
    return Event(at=packet.made_at, kind=Kind.PACKET, actor=packet.requester, facts=facts)


def _check_sources(session: Session, gathered: Gathered) -> None:
    for source in gathered.evidence.sources:
        standings = session.catalogue.standings(source.id.document)
        if not any(
            s.id == source.id and s.status is Status.LIVE and s.text_sha256 == source.text_sha256 for s in standings
        ):
            raise Conflict(
                "evidence_changed", "a source of this answer changed while it was being made", remedy="ask again"
            )


def _record(outcome: Recorded, answer: Answer, parts: Parts) -> Record:
    gathered, judged = answer.counted.gathered, answer.counted.judged
    question = gathered.question
    return Record(
        request_id=parts.clock.new_id(),
        made_at=parts.clock.now(),
        as_of=question.at,
        requester=principal_digest(question.principal),
        contract=question.contract,
        question=question.text,
        case=question.case,
        k=question.k,
        policy=parts.policy,
        corpus=gathered.corpus,
        sequence=gathered.sequence,
        evidence=gathered.evidence,
        selection=gathered.selection,
        candidates=gathered.found.passages,
        budget=gathered.budget,
        parsers=gathered.parsers,
        elsewhere=[item for each in answer.others for item in each.gathered.evidence.passages],
        outcome=_ending(outcome),
        missing=outcome.missing if isinstance(outcome, AskForEvidence | Withheld) else (),
        answer=outcome.text if isinstance(outcome, Answered) else None,
        claims=[item for item in judged if item.verdict.delivered and isinstance(outcome, Answered)],
        withheld=[item for item in judged if not (item.verdict.delivered and isinstance(outcome, Answered))],
        versions=_versions(answer, parts),
        trace=list(_trace(answer)),
    )


def _ending(outcome: Recorded) -> dict[str, Json]:
    reason = outcome.reason if isinstance(outcome, AskForEvidence | SearchOnly) else None
    return {
        "name": NAMES[type(outcome)],
        "assurance": outcome.assurance.value,
        "sufficient": outcome.sufficient,
        "reason": reason.value if reason else None,
        "detail": outcome.detail if isinstance(outcome, SearchOnly) else None,
    }


def _versions(answer: Answer, parts: Parts) -> dict[str, str]:
    """What worked on this answer: what ranked, the drafter where one wrote, the oracles and judge where they judged."""
    counted = answer.counted
    drafter = {"drafter": counted.drafted.profile} if isinstance(counted.drafted, Draft) else {}
    judged = {"oracles": ORACLES_VERSION} if counted.reviews else {}
    if parts.judge is not None and any(_asked(each) for each in answer.rounds):
        judged["judge"] = parts.judge.profile
    return {**parts.versions, **_ranking(parts), **drafter, **judged}


def _ranking(parts: Parts) -> dict[str, str]:
    """What found and ranked passages: the index by words, and where there is one that by meaning, with how both were fused."""
    ranking = {"index": parts.index.profile}
    if parts.meaning is not None:
        ranking |= {"meaning": parts.meaning.profile, "fusion": fusion.VERSION}
    if parts.reranker is not None:
        ranking["reranker"] = parts.reranker.profile
    return ranking


def _asked(current: Round) -> bool:
    """Whether the judge was asked anything in a round."""
    routed = current.routed is not None and current.routed.asked > 0
    return routed or any(review.asked for review in current.reviews)


def _trace(answer: Answer) -> Iterator[Mapping[str, Json]]:
    """The steps of all rounds in order. Where there are several, each begins with its number and passages, and says whether it counts."""
    for place, current in enumerate(answer.rounds):
        if len(answer.rounds) > 1:
            passages = [_named(item) for item in current.gathered.evidence.passages]
            yield {"step": "round", "number": place + 1, "counts": place == answer.counts, "passages": passages}
        yield from _steps(current)


def _steps(current: Round) -> Iterator[Mapping[str, Json]]:
    gathered = current.gathered
    found, selection = gathered.found, gathered.selection
    left_out: dict[str, Json] = {"left_out": found.left_out} if found.left_out else {}
    yield {"step": "search", "eligible": found.eligible, "found": len(found.passages), **left_out}
    yield {"step": "select", "taken": len(selection.taken), "left_out": len(selection.left_out)}
    if current.routed is not None and current.routed.asked:
        against = [_named(p) for p in gathered.evidence.passages if (p.id, p.passage.id) in gathered.conflicting]
        asked = current.routed.asked
        yield {"step": "route", "asked": asked, "conflicting": against, **_used(current.routed.usage)}
    if current.drafted is not None:
        yield _draft_step(current.drafted)
    for review in current.reviews:
        if review.asked:
            fault = review.fault.reason.value if review.fault else None
            yield {"step": "ask_judge", "asked": review.asked, "fault": fault, **_used(review.usage)}
    if current.judged:
        delivered = sum(item.verdict.delivered for item in current.judged)
        yield {"step": "judge", "claims": len(current.judged), "delivered": delivered}
    for step in current.steps:
        permitted = step.next.value if step.next else None
        yield {"step": "repair", "claim": step.claim, "reason": step.reason.value, "next": permitted}


def _named(item: Ranked) -> Json:
    return {"document": item.id.document, "version": item.id.version, "passage": item.passage.id}


def _draft_step(drafted: Draft | NotDrafted) -> Mapping[str, Json]:
    return {
        "step": "draft",
        "fault": drafted.reason.value if isinstance(drafted, NotDrafted) else None,
        **_used(drafted.usage),
        "kept": isinstance(drafted, Draft) and drafted.kept,
        "shared": isinstance(drafted, Draft) and drafted.shared,
    }


def _used(usage: Usage) -> dict[str, Json]:
    return {
        "calls": usage.calls,
        "seconds": round(usage.seconds, 3),
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
    }
