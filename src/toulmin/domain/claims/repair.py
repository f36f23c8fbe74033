"""Repair: what may be done after a claim was not accepted, and how often. A citation never changes under an unchanged claim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from toulmin.domain.canonical import text_digest
from toulmin.domain.claims.draft import Claim, answer_text, text_fault
from toulmin.domain.claims.frame import framed
from toulmin.domain.claims.oracles.statement import Pair
from toulmin.domain.claims.unit import ReviewUnit
from toulmin.domain.claims.verbatim import proof
from toulmin.domain.claims.verdict import Judged, VerdictStatus
from toulmin.domain.corpus.folds import WHITE_SPACE
from toulmin.domain.policy import Policy, Repair


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One decision: the claim by its digest, why it was not accepted, and what is done next; None: nothing is permitted."""

    claim: str
    reason: VerdictStatus
    next: Repair | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What becomes of a draft: `claims` stand in the answer, in their order, unless `retrieve` asks for another round."""

    claims: tuple[Claim, ...]
    steps: tuple[Step, ...]
    retrieve: bool = False

    @property
    def permitted(self) -> bool:
        """Whether something was permitted for every claim; if not, the answer may not be delivered without it."""
        return all(step.next is not None for step in self.steps)


def plan(judged: Sequence[Judged], units: Sequence[ReviewUnit], policy: Policy, *, may_retrieve: bool) -> Plan:
    """The first of the policy's repairs that is possible for each claim which was not accepted; accepted ones stay as they are.

    `units` are what was reviewed, one for each claim. `may_retrieve`: there is a round left, and evidence that was not seen yet.
    """
    claims: list[Claim] = []
    steps: list[Step] = []
    said = {framed(item.claim.text) for item in judged if item.verdict.delivered}
    for item, unit in zip(judged, units, strict=True):
        if item.verdict.delivered:
            claims.append(item.claim)
            continue
        quote = quoted(item.claim, unit)
        is_said = quote is None or quote.text in said or quote in claims
        possible = {
            Repair.QUOTE: not is_said and _fits(claims, quote, policy),
            Repair.RETRIEVE: may_retrieve,
            Repair.REMOVE: True,
        }
        chosen = next((repair for repair in policy.repairs if possible[repair]), None)
        steps.append(Step(claim=text_digest(item.claim.text), reason=item.verdict.status, next=chosen))
        if chosen is Repair.QUOTE and quote is not None:
            claims.append(quote)
    return Plan(claims=tuple(claims), steps=tuple(steps), retrieve=any(step.next is Repair.RETRIEVE for step in steps))


def quoted(claim: Claim, unit: ReviewUnit) -> Claim | None:
    """The claim with its words replaced by the sentence of its cited evidence that speaks about the same thing.

    It cites the passage that has the sentence. None where no sentence does, or none that can stand alone.
    """
    for statement in Pair.of(unit).aligned:
        words = _one_line(statement.content)
        text = framed(words)
        if text_fault(text) is None and proof(words, (unit.passages[statement.passage],)) is not None:
            return Claim(text=text, citations=(claim.citations[statement.passage],))
    return None


def unreviewed(claims: Sequence[Claim], judged: Sequence[Judged]) -> tuple[Claim, ...]:
    """Of the claims about to be delivered, those that were not judged as they stand: other bytes, or other citations."""
    known = {item.claim for item in judged}
    return tuple(claim for claim in claims if claim not in known)


def _fits(claims: Sequence[Claim], quote: Claim | None, policy: Policy) -> bool:
    if quote is None:
        return False
    return len(answer_text([claim.text for claim in (*claims, quote)]).encode()) <= policy.answer_bytes


def _one_line(words: str) -> str:
    return " ".join(part for part in words.translate(_BREAKS).split(" ") if part)


_BREAKS = {ord(character): " " for character in WHITE_SPACE}
