"""Commit: what may have changed meanwhile is checked once more, and the packet is kept, in one write transaction."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from toulmin.application.deadline import overdue
from toulmin.application.drafting import Draft
from toulmin.application.gather import Gathered
from toulmin.application.parts import Parts
from toulmin.domain.canonical import Json
from toulmin.domain.claims.verdict import Judged
from toulmin.domain.corpus.document import Status
from toulmin.domain.errors import Conflict
from toulmin.domain.outcome import NAMES, Answered, AskForEvidence, Receipt, Recorded, SearchOnly, Withheld
from toulmin.domain.proof.identity import principal_digest
from toulmin.domain.proof.record import Record, sealed
from toulmin.ports.drafter import NotDrafted
from toulmin.ports.store import Session


def commit(
    outcome: Recorded,
    judged: Sequence[Judged],
    gathered: Gathered,
    drafted: Draft | NotDrafted | None,
    parts: Parts,
    *,
    given_up: Callable[[], bool] = lambda: False,
) -> Recorded:
    """The outcome with its receipt.

    Raises `Conflict` (`evidence_changed`) when a selected source was withdrawn or deleted since it was gathered, or may not be read any
    longer; and `Overdue` when `given_up` says, with the right to write in hand, that nobody waits for the outcome any more.
    """
    packet = sealed(_record(outcome, judged, gathered, drafted, parts))
    with parts.store.begin(gathered.question.principal, write=True) as session:
        if given_up():
            raise overdue(parts.policy.request_deadline_s)
        _check_sources(session, gathered)
        session.packets.add(packet)
    return replace(outcome, receipt=Receipt(packet=packet.id, evidence=packet.evidence, corpus=packet.corpus))


def _check_sources(session: Session, gathered: Gathered) -> None:
    for source in gathered.evidence.sources:
        standings = session.catalogue.standings(source.id.document)
        if not any(
            s.id == source.id and s.status is Status.LIVE and s.text_sha256 == source.text_sha256 for s in standings
        ):
            raise Conflict(
                "evidence_changed", "a source of this answer changed while it was being made", remedy="ask again"
            )


def _record(
    outcome: Recorded, judged: Sequence[Judged], gathered: Gathered, drafted: Draft | NotDrafted | None, parts: Parts
) -> Record:
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
        outcome=_ending(outcome),
        missing=outcome.missing if isinstance(outcome, AskForEvidence | Withheld) else (),
        answer=outcome.text if isinstance(outcome, Answered) else None,
        claims=[item for item in judged if item.verdict.delivered and isinstance(outcome, Answered)],
        withheld=[item for item in judged if not (item.verdict.delivered and isinstance(outcome, Answered))],
        versions=_versions(drafted, parts),
        trace=_trace(gathered, judged, drafted),
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


def _versions(drafted: Draft | NotDrafted | None, parts: Parts) -> dict[str, str]:
    """What worked on this answer: the product's parts, and the drafter where one wrote."""
    return {**parts.versions, **({"drafter": drafted.profile} if isinstance(drafted, Draft) else {})}


def _trace(
    gathered: Gathered, judged: Sequence[Judged], drafted: Draft | NotDrafted | None
) -> list[Mapping[str, Json]]:
    found, selection = gathered.found, gathered.selection
    steps: list[Mapping[str, Json]] = [
        {"step": "search", "eligible": found.eligible, "found": len(found.passages)},
        {"step": "select", "taken": len(selection.taken), "left_out": len(selection.left_out)},
    ]
    if drafted is not None:
        steps.append(_draft_step(drafted))
    if judged:
        delivered = sum(item.verdict.delivered for item in judged)
        steps.append({"step": "judge", "claims": len(judged), "delivered": delivered})
    return steps


def _draft_step(drafted: Draft | NotDrafted) -> Mapping[str, Json]:
    usage = drafted.usage
    return {
        "step": "draft",
        "calls": usage.calls,
        "seconds": round(usage.seconds, 3),
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
        "kept": isinstance(drafted, Draft) and drafted.kept,
        "shared": isinstance(drafted, Draft) and drafted.shared,
    }
