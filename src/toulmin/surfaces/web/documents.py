"""Documents: what there is, and what each version of it applies to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Annotated, Final, Literal, get_args
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from starlette.responses import Response

from toulmin.application.packets import source_state
from toulmin.domain.claims.report import SourceState
from toulmin.domain.corpus.document import Standing
from toulmin.domain.errors import InputError
from toulmin.domain.question.case import Principal
from toulmin.surfaces.http.problems import status_of
from toulmin.surfaces.http.rights import CURATOR
from toulmin.surfaces.http.service import Service, service_of
from toulmin.surfaces.http.telemetry import facts
from toulmin.surfaces.web.forms import fields
from toulmin.surfaces.web.pages import PageRoute, page
from toulmin.surfaces.web.session import Browser
from toulmin.wire.model import Strict, read
from toulmin.wire.node import node_of
from toulmin.wire.scalars import Text, choice

LENGTH: Final = 50
"""Documents of one page."""

MOST_LOOKED_AT: Final = 2_000
"""Documents that are looked at for one page, whether the filter lets them through or not."""

MOST_VERSIONS: Final = 20
"""Versions of one document that the list shows; all of them are beside its text."""

router = APIRouter(route_class=PageRoute, include_in_schema=False)


ListedState = Literal["current", "superseded", "not_in_force", "withdrawn", "deleted", "erased"]
"""The states that versions can be listed by."""


class DocumentsFilter(Strict):
    """Words that stand in a document's id or in a title, the state of a version, words of its scope; and the document after which the page begins."""

    words: Text = ""
    state: Annotated[ListedState, choice(*get_args(ListedState))] | None = None
    scope: Text = ""
    after: Text = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A version of a document, and how it stands now."""

    standing: Standing
    state: SourceState

    @property
    def has_text(self) -> bool:
        return self.state not in (SourceState.DELETED, SourceState.ERASED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """A document with those of its versions that the filter lets through, the latest first, and how many `others` there are that the list does not show."""

    id: str
    title: str | None
    versions: tuple[Version, ...]
    others: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """Documents of a page; after `next_after`, where it is stated, there are more, of which none was looked at."""

    documents: tuple[Listed, ...]
    next_after: str | None


@router.get("/documents")
async def listed(request: Request, who: Browser) -> Response:
    """The documents that the visitor may see, by their ids. What is wrong in the filter is told beside it."""
    service = service_of(request)
    given = fields(request.query_params.multi_items())
    found, fault = None, None
    try:
        wanted = read(DocumentsFilter, node_of(given, "form"), "form")
        found = await service.run(_found, service, wanted, who)
    except InputError as wrong:
        facts(request).code, fault = wrong.code, wrong
    return page(
        request,
        "documents.html",
        status=status_of(fault) if fault else 200,
        found=found,
        fault=fault,
        given=given,
        states=get_args(ListedState),
        is_filtered=any(given.get(name) for name in ("words", "state", "scope")),
        more=_more(given, found),
        is_curator=CURATOR in who.roles,
    )


def _more(given: dict[str, str], found: Found | None) -> str | None:
    if found is None or found.next_after is None:
        return None
    return f"/documents?{urlencode({**given, 'after': found.next_after})}"


def _found(service: Service, wanted: DocumentsFilter, who: Principal) -> Found:
    """What the filter lets through. The store is asked for the documents in their order, as many at a time as fit on a page."""
    at = service.parts.clock.now()
    documents: list[Listed] = []
    last: str | None = wanted.after
    looked = 0
    while last is not None and looked < MOST_LOOKED_AT and len(documents) < LENGTH:
        known = service.workspace.page(last, LENGTH, principal=who)
        last = None
        for number, (document, standings) in enumerate(groupby(known, key=lambda each: each.id.document), start=1):
            looked += 1
            versions = [Version(standing=s, state=source_state(s, s.text_sha256, at)) for s in standings]
            documents += _let_through(document, versions, wanted)
            if number == LENGTH or len(documents) == LENGTH:
                last = document
                break
    is_more = last is not None and bool(service.workspace.page(last, 1, principal=who))
    return Found(documents=tuple(documents), next_after=last if is_more else None)


def _let_through(document: str, versions: list[Version], wanted: DocumentsFilter) -> Iterator[Listed]:
    shown = [each for each in versions if _fits(each, wanted)]
    titles = [each.standing.descriptor.title for each in shown if each.standing.descriptor.title]
    if shown:
        latest = sorted(shown, key=lambda each: (each.standing.ingested_at, each.standing.key), reverse=True)
        title, most = titles[-1] if titles else None, tuple(latest[:MOST_VERSIONS])
        yield Listed(id=document, title=title, versions=most, others=len(latest) - len(most))


def _fits(version: Version, wanted: DocumentsFilter) -> bool:
    standing = version.standing
    said = f"{standing.id.document} {standing.descriptor.title or ''}".casefold()
    scope = " ".join(f"{name}={_text_of(value)}" for name, value in standing.descriptor.scope.attributes).casefold()
    return (
        all(word in said for word in wanted.words.casefold().split())
        and all(word in scope for word in wanted.scope.casefold().split())
        and (wanted.state in (None, version.state.value))
    )


def _text_of(value: str | tuple[str, ...]) -> str:
    return value if isinstance(value, str) else ",".join(value)
