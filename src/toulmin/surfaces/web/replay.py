"""Replay: a decision made again, as of then from its record and as of now from the corpus, with old and new side by side."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest

from fastapi import APIRouter, Request
from starlette.responses import Response

from toulmin.application.packets import PacketView
from toulmin.application.replay import Replay
from toulmin.domain.corpus.document import RevisionId
from toulmin.domain.corpus.validity import instant_text
from toulmin.domain.errors import InputError, NotFound, ToulminError
from toulmin.domain.proof.recorded import PassageName, revision
from toulmin.domain.proof.replay import OF_A_SOURCE
from toulmin.domain.question.case import Principal
from toulmin.surfaces.http.problems import status_of
from toulmin.surfaces.http.service import Service, service_of
from toulmin.surfaces.http.telemetry import facts
from toulmin.surfaces.web.comparing import Words, compared_words
from toulmin.surfaces.web.forms import sent_form
from toulmin.surfaces.web.marked import Piece
from toulmin.surfaces.web.pages import PageRoute, page
from toulmin.surfaces.web.record import Record, RecordedClaim
from toulmin.surfaces.web.session import Looker
from toulmin.wire.model import Strict, read
from toulmin.wire.node import node_of
from toulmin.wire.scalars import Instant

router = APIRouter(route_class=PageRoute, include_in_schema=False)


class ReplayForm(Strict):
    """As of when the decision is made again; now, without an instant."""

    as_of: Instant | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """A passage on one side, its words in pieces; those that the other side does not have are marked."""

    source: RevisionId
    passage: str
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """What was selected then beside what is selected now; None: nothing in its place."""

    then: Side | None
    now: Side | None

    @property
    def same(self) -> bool:
        """Whether it is the same passage with the same words."""
        return self.then == self.now


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimThen:
    """A claim of then, whether it was delivered, and what is otherwise now about the sources that it cites."""

    claim: RecordedClaim
    delivered: bool
    changes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Compared:
    """A replay beside the packet that it is of.

    `passages` are the selected ones: the same ones first, in the order of then; then the others, those of one document beside each other.
    """

    view: PacketView
    replayed: Replay
    passages: tuple[Pair, ...]

    @property
    def elements(self) -> list[tuple[str, str, str]]:
        """What the decision rests on, by a name in words: as it was, and as it is."""
        body, now = self.view.body, self.replayed.now
        contract, present = body["contract"], now.present
        return [
            (
                "Question type",
                _labelled(contract),
                "none any more"
                if present.contract is None
                else _label(present.contract.version, present.contract.digest),
            ),
            ("Policy", _labelled(body["policy"]), _label(present.policy.version, present.policy.digest)),
            ("Evidence", self.replayed.evidence, now.evidence or "nothing could be searched"),
            ("Facts that nothing states", ", ".join(body["missing"]) or "none", ", ".join(now.missing) or "none"),
        ]

    @property
    def claims(self) -> list[ClaimThen]:
        """The claims of then, the delivered ones first."""
        record = Record(view=self.view)
        delivered = [ClaimThen(claim=each, delivered=True, changes=self._changes(each)) for each in record.claims]
        withheld = [ClaimThen(claim=each, delivered=False, changes=self._changes(each)) for each in record.withheld]
        return delivered + withheld

    def _changes(self, claim: RecordedClaim) -> tuple[str, ...]:
        cited = {citation.source for citation in claim.citations}
        found = self.replayed.now.differences
        return tuple(each.says for each in found if each.kind in OF_A_SOURCE and each.source in cited)


@router.get("/packets/{packet}/replay")
async def form(request: Request, packet: str, who: Looker) -> Response:
    """Says what a replay is, and offers one."""
    return await _page(request, packet, who)


@router.post("/packets/{packet}/replay")
async def replayed(request: Request, packet: str, who: Looker) -> Response:
    """The decision made again, and what came of it."""
    sent = await sent_form(request)
    service = service_of(request)
    try:
        at = read(ReplayForm, node_of(sent, "form"), "form", zone=service.zone).as_of
        found = await service.run(service.workspace.replay, packet, principal=who, at=at)
    except InputError as fault:
        if isinstance(fault, NotFound):
            raise
        facts(request).code = fault.code
        return await _page(request, packet, who, as_of=sent.get("as_of", ""), fault=fault)
    return await _page(request, packet, who, as_of=sent.get("as_of", ""), found=found)


async def _page(
    request: Request,
    packet: str,
    who: Principal,
    *,
    as_of: str = "",
    found: Replay | None = None,
    fault: ToulminError | None = None,
) -> Response:
    service = service_of(request)
    view, compared = await service.run(_compared, service, packet, who, found)
    return page(
        request,
        "replay.html",
        status=status_of(fault) if fault else 200,
        view=view,
        record=Record(view=view),
        compared=compared,
        as_of=as_of,
        fault=fault,
        at=None if found is None else instant_text(found.now.present.at.replace(microsecond=0)),
    )


def _compared(
    service: Service, packet: str, who: Principal, found: Replay | None
) -> tuple[PacketView, Compared | None]:
    view = service.workspace.packet(packet, principal=who)
    if found is None:
        return view, None
    now = {(item.id, item.passage.id): item.text for item in found.now.present.evidence.passages}
    return view, Compared(view=view, replayed=found, passages=tuple(_beside(_words_then(view), now)))


def _words_then(view: PacketView) -> Mapping[PassageName, str]:
    passages = zip(view.body["passages"], Record(view=view).passages, strict=True)
    return {(revision(item), item["passage"]): passage.words for item, passage in passages}


def _beside(then: Mapping[PassageName, str], now: Mapping[PassageName, str]) -> Iterator[Pair]:
    both = [name for name in then if name in now]
    yield from (_pair(name, name, then, now) for name in both)
    old, new = (_by_document(name for name in side if name not in both) for side in (then, now))
    for document in dict.fromkeys((*old, *new)):
        for before, after in zip_longest(old[document], new[document]):
            yield _pair(before, after, then, now)


def _labelled(stated: Mapping[str, str]) -> str:
    return _label(stated["version"], stated["digest"])


def _label(version: str, digest: str) -> str:
    return f"version {version}, sha256 {digest}"


def _by_document(names: Iterator[PassageName]) -> dict[str, list[PassageName]]:
    found: dict[str, list[PassageName]] = defaultdict(list)
    for name in names:
        found[name[0].document].append(name)
    return found


def _pair(
    old: PassageName | None, new: PassageName | None, then: Mapping[PassageName, str], now: Mapping[PassageName, str]
) -> Pair:
    before, after = "" if old is None else then[old], "" if new is None else now[new]
    sides = compared_words(before, after) if old and new else Words((Piece(before),), (Piece(after),))
    return Pair(
        then=None if old is None else Side(source=old[0], passage=old[1], pieces=sides.old),
        now=None if new is None else Side(source=new[0], passage=new[1], pieces=sides.new),
    )
