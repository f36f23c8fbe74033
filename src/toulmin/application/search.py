"""Search: eligible passages for a text, and why other documents are not among them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from toulmin.application.retrieval import Reading, reading, this_many
from toulmin.application.scopes import EligibleScopes
from toulmin.domain.outcome import Excluded, SearchResult
from toulmin.domain.question.case import Case, Principal
from toulmin.domain.question.eligibility import Rules, judge_standing
from toulmin.ports.index import Searchable
from toulmin.ports.observer import NO_OBSERVER, Observer
from toulmin.ports.reranker import Reranker
from toulmin.ports.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchRequest:
    """What to look for, for which case, as whom, as of when; at most `limit` passages that score at least `min_score`."""

    text: str
    rules: Rules
    case: Case
    principal: Principal
    at: datetime
    limit: int
    min_score: float = 0.0
    explain: bool = False


def search(
    request: SearchRequest,
    store: Store,
    index: Searchable,
    scopes: EligibleScopes,
    reranker: Reranker | None = None,
    *,
    observer: Observer = NO_OBSERVER,
) -> SearchResult:
    """The best eligible passages; documents that the principal may not read show nowhere, not even in a count."""
    with reading(store, index, request.principal, scopes, reranker, observer=observer) as view:
        wanted = view.filter(request.rules, request.case, request.at)
        found = view.find(request.text, wanted, request.limit, this_many(request.limit))
        best = [p for p in found.passages[: request.limit] if p.score >= request.min_score]
        return SearchResult(
            items=view.items(best),
            eligible=found.eligible,
            excluded=_excluded(request, view) if request.explain else (),
            left_out=found.left_out,
        )


def _excluded(request: SearchRequest, view: Reading) -> tuple[Excluded, ...]:
    judged = (
        Excluded(standing=standing, reasons=judge_standing(request.rules, request.case, standing, request.at))
        for standing in view.session.catalogue.standings()
    )
    return tuple(excluded for excluded in judged if excluded.reasons)
