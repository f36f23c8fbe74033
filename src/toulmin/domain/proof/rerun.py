"""Replay as of then: the decision made again from what its packet recorded, without index, corpus, models or the clock.

Selection, coverage, identity and verdicts are functions of recorded values, so that each of them either comes out as recorded or does not. What
a judge said is taken as recorded: whether the verdict follows from it by the policy's thresholds is decided again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum

from toulmin.domain.canonical import text_digest
from toulmin.domain.claims.citing import cite_all
from toulmin.domain.claims.draft import Claim, answer_text
from toulmin.domain.claims.licence import judge_all
from toulmin.domain.claims.objection import Strength
from toulmin.domain.claims.review import VERBATIM
from toulmin.domain.claims.verdict import Judged, VerdictStatus
from toulmin.domain.corpus.document import RevisionId
from toulmin.domain.evidence.coverage import unwitnessed
from toulmin.domain.evidence.selection import LeftOut, choose
from toulmin.domain.policy import Policy, policy_digest
from toulmin.domain.proof.identity import recorded_identity
from toulmin.domain.proof.packet import packet_id
from toulmin.domain.proof.recorded import Candidate, Recorded, RecordedVerdict, WordsErased
from toulmin.domain.question.contract import Mode, contract_digest

_SET_ASIDE = (LeftOut.EARLIER_ROUND,)
"""Reasons that came before selection: an earlier round had the passage."""

ROUTED = (LeftOut.IRRELEVANT, LeftOut.NO_EVIDENCE, LeftOut.INSTRUCTIONS)
"""Reasons that came after it: a judge said so."""


class Result(StrEnum):
    """How one step of a replay ended. Erased: what it needs is gone, because a source was erased."""

    REPRODUCED = "reproduced"
    DIFFERS = "differs"
    ERASED = "erased"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step of the decision, made again; `says` is empty where it came out as recorded."""

    name: str
    result: Result
    says: str = ""


def rerun(recorded: Recorded, erased: Collection[RevisionId]) -> tuple[Step, ...]:
    """Every step of a decision, in the order in which they were made.

    `erased` are the sources that were erased since: words may be missing only if there are any.
    """
    steps: tuple[tuple[str, Callable[[Recorded], Iterator[str]]], ...] = (
        ("packet", _packet),
        ("contract", _contract),
        ("policy", _policy),
        ("selection", _selection),
        ("evidence", _evidence),
        ("coverage", _coverage),
        ("verdicts", _verdicts),
        ("answer", _answer),
    )
    return tuple(_step(name, check, recorded, erased) for name, check in steps)


def reproduces(steps: Collection[Step]) -> bool:
    """Whether nothing came out otherwise than recorded. Steps whose words were erased do not speak against it."""
    return all(step.result is not Result.DIFFERS for step in steps)


def _step(
    name: str, check: Callable[[Recorded], Iterator[str]], recorded: Recorded, erased: Collection[RevisionId]
) -> Step:
    try:
        says = next(check(recorded), None)
    except WordsErased as gone:
        if erased:
            return Step(name=name, result=Result.ERASED, says=f"needs words that were erased (sha256 {gone})")
        return Step(
            name=name, result=Result.DIFFERS, says=f"words are missing (sha256 {gone}), and no source was erased"
        )
    except (ValueError, KeyError, TypeError) as fault:
        return Step(name=name, result=Result.DIFFERS, says=f"cannot be read: {fault}")
    return Step(name=name, result=Result.DIFFERS if says else Result.REPRODUCED, says=says or "")


def _packet(recorded: Recorded) -> Iterator[str]:
    if packet_id(recorded.packet.body) != recorded.packet.id:
        yield "the body is not the one that the id is the digest of"
    for digest, text in sorted(recorded.packet.texts.items()):
        if text_digest(text) != digest:
            yield f"the words beside sha256 {digest} are others"


def _contract(recorded: Recorded) -> Iterator[str]:
    said = recorded.body["contract"]
    if contract_digest(recorded.words(said["snapshot"])) != said["digest"]:
        yield "the contract's snapshot does not have the recorded digest"
    if (recorded.contract.id, recorded.contract.mode) != (said["id"], recorded.mode):
        yield "the contract's snapshot is of another question or mode"


def _policy(recorded: Recorded) -> Iterator[str]:
    said = recorded.body["policy"]
    if policy_digest(recorded.words(said["snapshot"])) != said["digest"]:
        yield "the policy's snapshot does not have the recorded digest"


def _selection(recorded: Recorded) -> Iterator[str]:
    """From the candidates: what an earlier round had is set aside first, what a judge found useless is taken out last."""
    said = dict(recorded.left_out)
    offered = [item for item in recorded.candidates if said.get(item.name) not in _SET_ASIDE]
    curated = {item.id for item in offered if item.curated}
    taken, left_out = choose(offered, recorded.budget, curated=curated)
    routed = {item.name for item in taken if said.get(item.name) in ROUTED}
    names = tuple(item.name for item in taken if item.name not in routed)
    if names != recorded.taken:
        yield f"other passages are selected: {_named(names)}; recorded are {_named(recorded.taken)}"
    reasons = {item.name: reason for item, reason in left_out}
    expected = {name: reason for name, reason in said.items() if reason not in (*_SET_ASIDE, *ROUTED)}
    if reasons != expected:
        yield "passages are left out for other reasons"


def _evidence(recorded: Recorded) -> Iterator[str]:
    """The identity, and that the evidence it covers is what was selected."""
    body = recorded.body
    identity = recorded_identity(body, recorded.question)
    if not identity == body["evidence"] == recorded.packet.evidence:
        yield f"the evidence comes to {identity}; recorded is {body['evidence']}"
    if set(recorded.sources) != {source for source, _ in recorded.taken}:
        yield "the evidence has other sources than the selected passages"
    if recorded.mode is not Mode.LICENSED:
        found = {item.name: item for item in recorded.candidates}
        if _spans(recorded) != {_place(found[name]) for name in recorded.taken}:
            yield "the evidence has other spans than the selected passages"


def _spans(recorded: Recorded) -> set[tuple[RevisionId, int, int, str]]:
    return {
        (source, span["start"], span["end"], span["sha256"])
        for source, document in recorded.sources.items()
        for span in document["spans"]
    }


def _place(item: Candidate) -> tuple[RevisionId, int, int, str]:
    return item.id, item.start, item.end, item.sha256


def _coverage(recorded: Recorded) -> Iterator[str]:
    lacking = unwitnessed(recorded.witnesses, recorded.contract.applicable(recorded.case))
    asked = recorded.body["outcome"]["name"] == "AskForEvidence"
    said = tuple(recorded.body["missing"]) if asked else ()
    if lacking != said:
        yield f"facts without a witness: {', '.join(lacking) or 'none'}; recorded: {', '.join(said) or 'none'}"


def _verdicts(recorded: Recorded) -> Iterator[str]:
    if recorded.mode is Mode.REVIEWED:
        for place, (_, said) in enumerate(recorded.claims, start=1):
            if not follows(said, recorded.policy):
                yield f"claim {place}: {said.status} does not follow from what was held against it and the policy"
        return
    claims = [claim for claim, _ in recorded.claims]
    for place, (judged, (_, said)) in enumerate(zip(_judged(claims, recorded), recorded.claims, strict=True), start=1):
        verdict = judged.verdict
        if (verdict.status.value, verdict.reason, verdict.checks) != (said.status, said.reason, said.checks):
            yield f"claim {place} is {verdict.status.value}; recorded is {said.status}"


def _judged(claims: list[Claim], recorded: Recorded) -> tuple[Judged, ...]:
    if recorded.mode is Mode.LICENSED:
        return judge_all(claims, recorded.evidence, recorded.contract.facts, recorded.case)
    return cite_all(claims, recorded.evidence)


def follows(verdict: RecordedVerdict, policy: Policy) -> bool:
    """Whether a verdict of a review follows from its proof, the objections, the judge's probabilities and the policy's thresholds."""
    given = verdict.probabilities
    confirmed = given is not None and given.supported >= policy.supported and not verdict.strengths
    denied = given is not None and given.supported < policy.supported and given.contradicted >= policy.contradicted
    match verdict.status:
        case VerdictStatus.SUPPORTED.value:
            return confirmed or (given is None and VERBATIM in verdict.checks)
        case VerdictStatus.CONTRADICTED.value:
            return denied or Strength.CONTRADICTS.value in verdict.strengths
        case VerdictStatus.UNRESOLVED.value:
            return given is None or not (confirmed or denied)
    return False


def _answer(recorded: Recorded) -> Iterator[str]:
    answered, digest = recorded.body["outcome"]["name"] == "Answered", recorded.body["answer"]
    if not answered:
        if digest is not None or recorded.body["claims"]:
            yield "something is delivered by an outcome that delivers nothing"
        return
    if text_digest(answer_text(recorded.delivered)) != digest:
        yield "the answer is not made of the delivered claims"
    if not all(_delivers(item["verdict"]["status"]) for item in recorded.body["claims"]):
        yield "a claim is delivered whose verdict does not allow it"


def _delivers(status: str) -> bool:
    return status in (VerdictStatus.LICENSED.value, VerdictStatus.SUPPORTED.value, VerdictStatus.CITED.value)


def _named(names: Collection[tuple[RevisionId, str]]) -> str:
    return ", ".join(f"{source} {passage}" for source, passage in names) or "none"
