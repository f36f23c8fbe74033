"""Packets: one decision as a page to read and to print, with what it rests on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from toulmin.domain.corpus.validity import instant_text
from toulmin.domain.outcome import Outcome, SearchOnly
from toulmin.domain.proof.verification import Verification
from toulmin.domain.question.case import Principal
from toulmin.surfaces.http.bodies import query
from toulmin.surfaces.http.rights import OPERATOR, READER, REVIEWER
from toulmin.surfaces.http.service import Service, service_of
from toulmin.surfaces.sync import verify_packet
from toulmin.surfaces.web.pages import PageRoute, page
from toulmin.surfaces.web.record import Record, open_sources
from toulmin.surfaces.web.session import Looker
from toulmin.wire.model import Strict
from toulmin.wire.scalars import Count

_REQUESTERS = frozenset({READER, REVIEWER, OPERATOR})
"""Who may request an operation; the same as `session.Decider`."""

_LONGEST_WAIT_S = 366 * 24 * 3600
"""Whoever asks to wait for longer than a year has made a mistake."""

router = APIRouter(route_class=PageRoute, include_in_schema=False)


class PacketQuery(Strict):
    """After how many seconds, counted from the making of the packet, it is worth asking again: a record does not keep it."""

    again_after_s: Count | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """A packet as a visitor looks at it, and whether its record verifies."""

    record: Record
    verified: Verification


def packet_address(packet: str, after_s: int | None = None) -> str:
    """The page of a packet; with the seconds after which it is worth asking again."""
    return f"/packets/{packet}" if after_s is None else f"/packets/{packet}?again_after_s={after_s}"


def again_after_s(outcome: Outcome) -> int | None:
    """After how many whole seconds it is worth asking again, where whoever gave no answer has said so."""
    if not isinstance(outcome, SearchOnly) or outcome.retry_after_s is None:
        return None
    return max(1, ceil(outcome.retry_after_s))


@router.get("/packets/{packet}")
async def shown(
    request: Request, packet: str, who: Looker, wanted: Annotated[PacketQuery, Depends(query(PacketQuery))]
) -> Response:
    """One decision, what has become of its sources, and whether its record verifies."""
    service = service_of(request)
    looked = await service.run(_looked, service, packet, who)
    view = looked.record.view
    roles = set(who.roles)
    return page(
        request,
        "packet.html",
        record=looked.record,
        view=view,
        verified=looked.verified,
        may_ask=READER in roles,
        may_explore=bool({READER, REVIEWER} & roles),
        may_request=view.body["outcome"]["name"] == "Answered" and bool(_REQUESTERS & roles),
        again_at=_again_at(view.body, wanted.again_after_s),
    )


def _looked(service: Service, packet: str, who: Principal) -> Looked:
    view = service.workspace.packet(packet, principal=who)
    exported = service.workspace.export_packet(packet, principal=who, sign=False)
    with service.parts.store.begin(who) as session:
        opened = open_sources(view, session.catalogue, who)
    return Looked(
        record=Record(view=view, opened=opened), verified=verify_packet(exported.file.encode(), expected=packet)
    )


def _again_at(body: Mapping[str, Any], after_s: int | None) -> str | None:
    """The instant from which on it is worth asking again, where an answer may be there then."""
    if after_s is None or body["outcome"]["name"] != "SearchOnly":
        return None
    return instant_text(
        datetime.fromisoformat(body["request"]["made_at"]) + timedelta(seconds=min(after_s, _LONGEST_WAIT_S))
    )
