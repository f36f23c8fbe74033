"""Probe: small drafts over made-up evidence, which tell what works with a model. No document goes out with them."""

from __future__ import annotations

from dataclasses import dataclass, replace

from toulmin.domain.claims.draft import (
    Citation,
    DraftRequest,
    EvidenceItem,
    LicensedClause,
    Rejected,
    validate,
)
from toulmin.domain.corpus.document import RevisionId
from toulmin.domain.outcome import SearchOnlyReason
from toulmin.domain.policy import Policy
from toulmin.ports.drafter import Drafted, Drafter, NotDrafted

_CLAUSE = "The valve opens at 3 bar."
_ID = "e1"
_LICENSED = DraftRequest(
    question="At what pressure does the valve open?",
    case={},
    evidence=(EvidenceItem(id=_ID, passage=_CLAUSE, title="Valves", author=None, section=(), pages=(), version="1"),),
    licensed=(LicensedClause(fact="pressure", clause=_CLAUSE, evidence_id=_ID),),
)
_OPEN = replace(_LICENSED, licensed=None)
_ISSUED = {_ID: Citation(source=RevisionId("VALVES", "1"), span="s1")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Probed:
    """What small drafts came to: the reason of the one that settled it, None where they were sound, and the seconds of all.

    `licensed`: the model wrote the published JSON, and copied a licensed sentence with its fact and evidence id; `open`: it wrote a sound
    draft of some form for an open question.
    """

    licensed: bool
    open: bool
    seconds: float
    cause: NotDrafted | None = None


async def probe(drafter: Drafter, policy: Policy) -> Probed:
    """Asks for a licensed draft, and for an open one only where that fails, since then the two-line form may still work."""
    first = await _tried(drafter, _LICENSED, policy)
    if not isinstance(first, NotDrafted):
        copied = [(s.text, s.fact, s.evidence_ids) for s in first.segments] == [(_CLAUSE, "pressure", (_ID,))]
        return Probed(licensed=copied, open=True, seconds=first.usage.seconds)
    if first.reason in _NOT_ABOUT_FORM:
        return Probed(licensed=False, open=False, seconds=first.usage.seconds, cause=first)
    second = await _tried(drafter, _OPEN, policy)
    cause = second if isinstance(second, NotDrafted) else None
    seconds = first.usage.seconds + second.usage.seconds
    return Probed(licensed=False, open=cause is None, seconds=seconds, cause=cause)


_NOT_ABOUT_FORM = frozenset({SearchOnlyReason.TIMEOUT, SearchOnlyReason.RATE_LIMITED})
"""After these a second draft would only wait again."""


async def _tried(drafter: Drafter, request: DraftRequest, policy: Policy) -> Drafted | NotDrafted:
    drafted = await drafter.draft(replace(request, output_tokens=policy.output_tokens))
    if isinstance(drafted, NotDrafted):
        return drafted
    claims = validate(drafted.segments, _ISSUED, policy)
    if isinstance(claims, Rejected):
        return NotDrafted(reason=SearchOnlyReason.INVALID_OUTPUT, detail=claims.code, usage=drafted.usage)
    return drafted
