"""Stages downstream of an answer: bounded calls of specialists, who are given an answer's evidence and nothing else, and may cite nothing else.

Only an answer has such stages. Whatever else a question ended in, nothing is made of it that could be sent to anybody.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from toulmin.application.approvals import Desk, check_answered, stale_fault
from toulmin.application.looking_again import look_again
from toulmin.application.packets import kept_packet
from toulmin.application.replay import standings_of
from toulmin.domain.claims.draft import Citation, Claim, Rejected, issue_ids, validate
from toulmin.domain.corpus.document import Egress
from toulmin.domain.errors import InputError, Refused
from toulmin.domain.policy import Policy
from toulmin.domain.proof.recorded import Recorded, revision
from toulmin.domain.question.case import Principal
from toulmin.ports.store import Session
from toulmin.wire.draft import parse_reply
from toulmin.wire.stage import PassageJson, StatementJson, stage_json


@dataclass(frozen=True, kw_only=True)
class Stage:
    """One call of a specialist: exactly what it is sent, and what may be taken of its reply.

    `request` is the text of a `toulmin.stage/1` object, to be sent as it is. `issued` maps its evidence ids to what they stand for.
    """

    packet: str
    request: str
    issued: Mapping[str, Citation]
    policy: Policy

    def accept(self, reply: str, *, finish_reason: str | None = None) -> tuple[Claim, ...] | Rejected:
        """The claims of a reply, `{"segments": [{"text": ..., "evidence_ids": [...], "quotes": [...]}]}`; or its first fault.

        A reply is taken whole or not at all, and by the same checks as a draft: what it cites was sent, once, in ids of this request. What
        its sentences mean is nobody's judgement yet: they are no part of the packet. `finish_reason` is the provider's word, if it has one.
        """
        segments = parse_reply(reply, finish_reason=finish_reason, licensed=False)
        return segments if isinstance(segments, Rejected) else validate(segments, self.issued, self.policy)


def stage(packet_id: str, task: str, principal: Principal, desk: Desk, *, external: bool = False) -> Stage:
    """The call of a specialist with the answer of a packet; nothing of it was sent yet.

    `task` says in your words what is to be done. `external`: the specialist is not on this host, and a person approved that it may receive
    documents labelled `egress: any`. Raises `Refused` for every outcome but an answer (`not_answered`), before anything is made of it, for an
    answer that would not be given any more (`stale`), and for evidence that may not leave this host (`egress_denied`); `InputError` for a task
    without words, and for one that is longer than a passage may be.
    """
    with desk.parts.store.begin(principal) as session:
        recorded = Recorded.of(kept_packet(session, packet_id))
        check_answered(recorded)
        if external:
            _check_egress(recorded, session)
    _check_task(task, desk.parts.policy)
    look = look_again(recorded, principal, desk.parts, desk.profiles)
    if look.changes:
        raise stale_fault(f"the answer of {packet_id} would not be given any more", look.changes)
    return _stage(recorded, task, desk.parts.policy)


def _check_task(task: str, policy: Policy) -> None:
    if not task.strip():
        raise InputError("empty_task", "the task has no words", remedy="say what the specialist is to do")
    if len(task.encode()) > policy.passage_bytes:
        raise InputError(
            "too_large",
            f"the task has {len(task.encode())} bytes",
            remedy=f"say it in {policy.passage_bytes} (the policy's passage_bytes)",
        )


def _check_egress(recorded: Recorded, session: Session) -> None:
    """By the labels as of now; a source that is gone or hidden stays here."""
    standings = standings_of(recorded, session)
    for source in recorded.sources:
        if source not in standings or standings[source].descriptor.egress is not Egress.ANY:
            raise Refused("egress_denied", f"{source} may not leave this host", remedy="ask a specialist on this host")


def _stage(recorded: Recorded, task: str, policy: Policy) -> Stage:
    quotes = [(source.id, quote) for source in recorded.evidence.sources for quote in source.quotes]
    if sum(len(quote.words.encode()) for _, quote in quotes) > policy.context_bytes:
        raise InputError(
            "too_large",
            f"the evidence of {recorded.packet.id} has more than {policy.context_bytes} bytes",
            remedy="ask with less evidence, or raise the policy's context_bytes",
        )
    citations = [Citation(source=source, span=quote.span.id) for source, quote in quotes]
    issued = dict(zip(issue_ids(len(citations)), citations, strict=True))
    ids = {citation: evidence_id for evidence_id, citation in issued.items()}
    evidence: list[PassageJson] = [
        {"evidence_id": evidence_id, "passage": quote.words, "version": source.version}
        for evidence_id, (source, quote) in zip(issued, quotes, strict=True)
    ]
    answer: list[StatementJson] = [
        {
            "text": recorded.words(claim["text"]),
            "evidence_ids": [ids[Citation(source=revision(c), span=c["span"])] for c in claim["citations"]],
        }
        for claim in recorded.body["claims"]
    ]
    case = {name: value.text for name, value in recorded.case.facts}
    request = stage_json(task=task, case=case, answer=answer, evidence=evidence)
    return Stage(packet=recorded.packet.id, request=request, issued=issued, policy=policy)
