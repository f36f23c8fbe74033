"""Why not another document: those that the visitor may see, each with the rules that exclude it, or with what became of it where none does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from toulmin.application.packets import PacketView
from toulmin.domain.corpus.document import WITHOUT_TEXT, RevisionId, Standing
from toulmin.domain.errors import NotFound
from toulmin.domain.outcome import SearchResult
from toulmin.domain.proof.recorded import Recorded, WordsErased, revision
from toulmin.domain.question.case import Principal
from toulmin.domain.question.eligibility import Reason, judge_standing
from toulmin.ports.store import Store
from toulmin.surfaces.http.service import service_of
from toulmin.surfaces.web.forms import fields
from toulmin.surfaces.web.listing import part
from toulmin.surfaces.web.pages import PageRoute, page, source_address
from toulmin.surfaces.web.session import Explorer
from toulmin.wire.model import Strict, read
from toulmin.wire.node import Plain, node_of
from toulmin.wire.scalars import Count, Identifier

SELECTED, NOT_FOUND = "selected", "not_found"
"""What became of a document that no rule excludes, beside the reasons for which a passage is left out; see `wording.FATES`."""

router = APIRouter(route_class=PageRoute, include_in_schema=False)


class WhyNotQuery(Strict):
    """One document; all that are excluded, without one, from some number on."""

    document: Identifier | None = None
    first: Count = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """A version of a document with the reasons for which the rules exclude it; without any, with what became of it."""

    standing: Standing
    reasons: tuple[Reason, ...]
    fate: str | None = None

    @property
    def address(self) -> str | None:
        """Its page, as long as it has a text."""
        known = self.standing.id
        return None if self.standing.status in WITHOUT_TEXT else source_address(known.document, known.version)


@router.get("/packets/{packet}/why-not")
async def why_not(request: Request, packet: str, who: Explorer) -> Response:
    """The documents that the visitor may see and that the question's rules exclude; or what became of one of them."""
    service = service_of(request)
    stated = {name: Plain(value) for name, value in fields(request.query_params.multi_items()).items()}
    wanted = read(WhyNotQuery, node_of(stated, "query"), "query")
    view = await service.run(service.workspace.packet, packet, principal=who)
    found = await service.run(lambda: list(_explained(service.parts.store, view, who, wanted.document)))
    return page(
        request,
        "why_not.html",
        view=view,
        document=wanted.document,
        explained=part(found, wanted.first, request.url),
    )


def of_search(result: SearchResult, known: Iterable[Standing] | None) -> list[Explained]:
    """What a search excludes; where some versions are asked about, what became of these."""
    excluded = {each.standing.id: each.reasons for each in result.excluded}
    if known is None:
        return [Explained(standing=each.standing, reasons=each.reasons) for each in result.excluded]
    found = {item.found.id for item in result.items}
    return [
        _told(standing, excluded.get(standing.id, ()), SELECTED if standing.id in found else NOT_FOUND)
        for standing in known
    ]


def _explained(store: Store, view: PacketView, who: Principal, document: str | None) -> Iterator[Explained]:
    """What the contract of then excludes, for the case and the instant of the question, among the documents as they stand now; or one of these.

    Raises `NotFound` where the contract is no longer kept, or cannot be read by this version of the program.
    """
    recorded, at = Recorded.of(view.packet), datetime.fromisoformat(view.body["request"]["as_of"])
    try:
        rules, case = recorded.contract.rules, recorded.case
    except (WordsErased, ValueError):
        raise NotFound("no_such_contract", "the rules of this question are no longer kept") from None
    with store.begin(who) as session:
        for standing in session.catalogue.standings(document):
            reasons = judge_standing(rules, case, standing, at)
            if reasons or document is not None:
                yield _told(standing, reasons, _fate(view.body, standing.id))


def _told(standing: Standing, reasons: tuple[Reason, ...], fate: str) -> Explained:
    return Explained(standing=standing, reasons=reasons, fate=None if reasons else fate)


def _fate(body: Mapping[str, Any], source: RevisionId) -> str:
    """What became of a source in a decision: it was selected, found and left out for a reason, or not found."""
    if any(revision(item) == source for item in body["documents"]):
        return SELECTED
    return next((item["reason"] for item in body["left_out"] if revision(item) == source), NOT_FOUND)
