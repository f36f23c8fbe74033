"""Curation: words of a document are attached to facts, and what describes a version is changed, once it was seen what follows from it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from toulmin.application.curating import Curatable, Edited, Preview
from toulmin.application.describing import not_yours
from toulmin.domain.corpus.document import RevisionId, Span, Status
from toulmin.domain.corpus.metadata import CuratedQuote
from toulmin.domain.corpus.text import parts_a_character
from toulmin.domain.errors import Conflict, Forbidden, InputError, NotFound, ToulminError
from toulmin.domain.question.case import Principal
from toulmin.domain.question.contract import Contract
from toulmin.domain.question.rights import may_curate
from toulmin.surfaces.http.bodies import query
from toulmin.surfaces.http.problems import status_of
from toulmin.surfaces.http.service import Service, service_of
from toulmin.surfaces.http.telemetry import facts
from toulmin.surfaces.web.diff import Said, said
from toulmin.surfaces.web.draft import FORM, CurationForm, Draft, Offset, digest_of, stating
from toulmin.surfaces.web.forms import sent_form
from toulmin.surfaces.web.pages import PageRoute, page
from toulmin.surfaces.web.session import Keeper
from toulmin.surfaces.web.sources import LOOKERS, WINDOW, Window
from toulmin.wire.model import Strict, read
from toulmin.wire.node import Plain, node_of
from toulmin.wire.scalars import Identifier

_PLACE = re.compile(r"[0-9]{1,6}")

router = APIRouter(route_class=PageRoute, include_in_schema=False)

_REMOVED: Final = "remove."
_LINE_END: Final = re.compile("\r\n")
"""What a browser takes for one character."""
_SHOWN: Final = frozenset({"no_witness"})
"""Findings that the facts of a preview tell already."""


class CurationQuery(Strict):
    """A version, and the place from which its text is shown."""

    version: Identifier
    offset: Offset = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A stretch of a text that begins at `start`, in code points, and in which a browser counts like us: a line end of two characters ends it.

    `curated`: it is part of a span; `names` are those of the spans that end with it.
    """

    text: str
    start: int
    curated: bool
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown(Window):
    """The part of a text that a page shows, as stretches whose ends a browser finds again."""

    chunks: tuple[Chunk, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Attached:
    """Words that are attached to a fact. `states`: the contracts in which they are its proposition; `labels`: those that have the fact."""

    quote: CuratedQuote
    span: Span
    states: tuple[str, ...]
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Effects:
    """What a preview says, and the digest of what was previewed."""

    preview: Preview
    said: tuple[Said, ...]
    seen: str

    @property
    def findings(self) -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
        """New and mended findings of contracts that are not about missing witnesses alone, each with its contract."""
        told = (("New", self.preview.found), ("Mended", self.preview.mended))
        return tuple(
            (title, tuple((each.contract, each.message) for each in found if each.code.value not in _SHOWN))
            for title, found in told
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What a form came to: the draft as it is now, and its effects, or what became of it, or what is wrong with it.

    `attached`: the words of the form are part of the draft. `moved_on`: it was to be saved, and was not what had been previewed.
    """

    draft: Draft
    attached: bool = False
    effects: Effects | None = None
    moved_on: bool = False
    edited: Edited | None = None
    fault: ToulminError | None = None


@router.get("/curate/{document:path}")
async def form(
    request: Request, document: str, who: Keeper, wanted: Annotated[CurationQuery, Depends(query(CurationQuery))]
) -> Response:
    """A version's text with what is curated in it, and the form in which that is changed."""
    service = service_of(request)
    known = await service.run(_curatable, service, RevisionId(document, wanted.version), who)
    return await _page(request, who, known, Done(draft=Draft.of(known)), here=wanted.offset, entered={})


@router.post("/curate/{document:path}")
async def acted(request: Request, document: str, who: Keeper) -> Response:
    """Attaches words, shows what the draft would change, or saves it. What is wrong is told beside the form, in which everything is kept.

    A form that is saved again finds it saved already.
    """
    service = service_of(request)
    given = await sent_form(request)
    entered = {name: value for name, value in given.items() if not name.startswith(_REMOVED)}
    sent = read(CurationForm, node_of({name: Plain(value) for name, value in entered.items()}, FORM), FORM)
    known = await service.run(_curatable, service, RevisionId(document, sent.version), who)
    done = await service.run(_done, service, sent, Draft.sent(sent, _removed(given)), known, who)
    if done.edited is not None:
        readable = await service.run(service.workspace.documents, principal=who, document=document)
        return page(
            request,
            "curated.html",
            edited=done.edited,
            is_readable=any(each.id == known.standing.id for each in readable),
            may_see_impact=_may_see_impact(who),
        )
    here = sent.here if sent.offset is None else sent.offset
    return await _page(request, who, known, done, here=here, entered={} if done.attached else entered)


def _removed(given: Mapping[str, str]) -> frozenset[int]:
    """The places of the quotes that were ticked."""
    places = (name.removeprefix(_REMOVED) for name in given if name.startswith(_REMOVED))
    return frozenset(int(place) for place in places if _PLACE.fullmatch(place))


def _curatable(service: Service, wanted: RevisionId, who: Principal) -> Curatable:
    """A version that the visitor may edit, as far as they can tell: of versions that they may not read, saving knows."""
    known = service.workspace.curatable(wanted, principal=who)
    if known.standing.status is not Status.LIVE:
        raise NotFound("no_such_document", f"no document {wanted} that you may curate")
    versions = service.workspace.documents(principal=who, document=wanted.document)
    if not may_curate(who, [each.descriptor.readers for each in versions]):
        raise not_yours(str(wanted))
    return known


def _done(service: Service, sent: CurationForm, draft: Draft, known: Curatable, who: Principal) -> Done:
    if sent.act is None:  # to look at another part of the text
        return Done(draft=draft)
    try:
        more = draft.attached(sent, known, service.parts.contracts.all())
        if sent.act == "attach":
            return Done(draft=more, attached=True)
        edit = more.edit(known, service.zone)
        seen = digest_of(edit.metadata)
        if sent.act == "save" and sent.seen == seen:
            return Done(draft=more, edited=service.workspace.edit(edit, curator=who))
        preview = service.workspace.preview_edit(edit, curator=who)
    except (InputError, Conflict, Forbidden) as fault:
        return Done(draft=draft, fault=fault)
    what = said(known.standing, known.revision, preview.edited.standing, known.revision)
    return Done(
        draft=more,
        attached=True,
        effects=Effects(preview=preview, said=what, seen=seen),
        moved_on=sent.act == "save",
    )


async def _page(
    request: Request, who: Principal, known: Curatable, done: Done, *, here: int, entered: Mapping[str, str]
) -> Response:
    """The page of a draft; `entered` is what was entered about words that are not attached yet."""
    service = service_of(request)
    contracts: Sequence[Contract] = await service.run(service.parts.contracts.all)
    placed = done.draft.placed(known)
    if done.fault is not None:
        facts(request).code = done.fault.code
    return page(
        request,
        "curation.html",
        status=200 if done.fault is None else status_of(done.fault),
        standing=known.standing,
        done=done,
        draft=done.draft,
        entered=entered,
        attached=tuple(_attached(quote, span, contracts) for quote, span in placed),
        places={quote.id: place for place, quote in enumerate(done.draft.quotes)},
        contracts=contracts,
        text=_shown(known.revision.text, [span for _, span in placed], here),
        may_see_impact=_may_see_impact(who),
    )


def _may_see_impact(who: Principal) -> bool:
    return bool(LOOKERS & set(who.roles))


def _attached(quote: CuratedQuote, span: Span, contracts: Sequence[Contract]) -> Attached:
    return Attached(
        quote=quote,
        span=span,
        states=tuple(contract for contract, fact in stating(quote.quote, contracts) if fact == quote.fact),
        labels=tuple(contract.id for contract in contracts for fact in contract.facts if fact.id == quote.fact),
    )


def _shown(text: str, spans: Iterable[Span], here: int) -> Shown:
    """The part of a text from a place on; no character, and no line end, is cut in two."""
    start, end = _whole(text, here), _whole(text, here + WINDOW)
    inside = [span for span in spans if span.start < end and start < span.end]
    return Shown(chunks=tuple(_chunks(text, start, end, inside)), start=start, end=end, length=len(text))


def _whole(text: str, at: int) -> int:
    at = min(at, len(text))
    while parts_a_character(text, at):
        at -= 1
    return at


def _chunks(text: str, start: int, end: int, spans: Sequence[Span]) -> Iterator[Chunk]:
    lines = (found.end() for found in _LINE_END.finditer(text, start, end))
    inside = [(max(span.start, start), min(span.end, end)) for span in spans]
    begun = Counter(first for first, _ in inside)
    begun.subtract(last for _, last in inside)
    names: defaultdict[int, list[str]] = defaultdict(list)
    for span in spans:
        names[span.end].append(span.id)
    under_way = 0
    for first, last in pairwise(sorted({start, end, *lines, *begun})):
        under_way += begun[first]
        yield Chunk(text=text[first:last], start=first, curated=under_way > 0, names=tuple(names.get(last, ())))
