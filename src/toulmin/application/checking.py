"""Checking contracts against the corpus as a principal sees it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import datetime

from toulmin.application.parts import Parts
from toulmin.domain.claims.checks import Curated, Finding, findings
from toulmin.domain.corpus.document import RevisionId, Standing, Status
from toulmin.domain.evidence.selection import Quote
from toulmin.domain.question.case import Principal
from toulmin.ports.store import Session


def check_contracts(principal: Principal, at: datetime, parts: Parts) -> tuple[Finding, ...]:
    """The findings about every contract, in the contracts' order."""
    with parts.store.begin(principal) as session:
        corpus = in_force(session, session.catalogue.standings(), at)
    return tuple(finding for contract in parts.contracts.all() for finding in findings(contract, corpus, parts.policy))


def findings_without(
    revisions: Collection[RevisionId], principal: Principal, at: datetime, parts: Parts
) -> tuple[Finding, ...]:
    """What there would be to find about the contracts if some revisions were out of service, and is not to be found now."""
    with parts.store.begin(principal) as session:
        now = in_force(session, session.catalogue.standings(), at)
    then = [curated for curated in now if curated.standing.id not in revisions]
    contracts = parts.contracts.all()
    known = {finding for contract in contracts for finding in findings(contract, now, parts.policy)}
    found = (finding for contract in contracts for finding in findings(contract, then, parts.policy))
    return tuple(finding for finding in found if finding not in known)


def in_force(session: Session, standings: Iterable[Standing], at: datetime) -> list[Curated]:
    """Those of some standings that are in force at an instant, with their quotes."""
    return [
        _curated(session, standing)
        for standing in standings
        if standing.status is Status.LIVE and standing.validity.holds_at(at)
    ]


def _curated(session: Session, standing: Standing) -> Curated:
    spans = standing.descriptor.spans
    revision = session.catalogue.revision(standing.key) if spans else None
    text = revision.text if revision else ""
    return Curated(
        standing=standing, quotes=tuple(Quote(span=span, words=text[span.start : span.end]) for span in spans)
    )
