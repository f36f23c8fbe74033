"""Two versions of a document beside each other: what is said of them, and what they say."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Final

from fastapi import APIRouter, Depends, Request
from starlette.datastructures import URL
from starlette.responses import Response

from toulmin.domain.corpus.document import Revision, Standing
from toulmin.domain.question.case import Principal
from toulmin.surfaces.http.bodies import query
from toulmin.surfaces.http.service import Service, service_of
from toulmin.surfaces.web import wording
from toulmin.surfaces.web.aligning import Work
from toulmin.surfaces.web.comparing import Changed, Same, Words, compared, compared_words
from toulmin.surfaces.web.listing import Part, address_from
from toulmin.surfaces.web.pages import PageRoute, page
from toulmin.surfaces.web.session import Browser
from toulmin.surfaces.web.sources import readable
from toulmin.wire.model import Strict
from toulmin.wire.scalars import Count, Identifier

PAGE_SIZE: Final = 60_000
"""Code points of both texts that stand on a page, unless there is one stretch with more."""

router = APIRouter(route_class=PageRoute, include_in_schema=False)


class DiffQuery(Strict):
    """The versions that are compared, and the number of the first stretch that is shown."""

    old: Identifier
    new: Identifier
    first: Count = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A thing that is said of a version beside its text, as it is said of the one and of the other."""

    name: str
    old: str
    new: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """How two versions differ. `stretches` is None where they say the same to the letter, and `other_ends` where lines end otherwise."""

    old: Standing
    new: Standing
    said: tuple[Said, ...]
    stretches: Part[Same | Words] | None
    other_ends: bool


@router.get("/diff/{document:path}")
async def shown(
    request: Request, document: str, who: Browser, wanted: Annotated[DiffQuery, Depends(query(DiffQuery))]
) -> Response:
    """What has changed from one version to another, as far as the visitor may read both."""
    service = service_of(request)
    difference = await service.run(_difference, service, document, wanted, who, request.url)
    return page(request, "diff.html", difference=difference)


def _difference(service: Service, document: str, wanted: DiffQuery, who: Principal, here: URL) -> Difference:
    old, before = readable(service, document, wanted.old, who)
    new, after = readable(service, document, wanted.new, who)
    stretches = compared(before.text, after.text) if before.text != after.text else ()
    return Difference(
        old=old,
        new=new,
        said=said(old, before, new, after),
        stretches=_shown(stretches, wanted.first, here) if stretches else None,
        other_ends=any(isinstance(each, Same) and not each.exact for each in stretches),
    )


def _shown(stretches: Sequence[Same | Changed], first: int, here: URL) -> Part[Same | Words]:
    """The stretches of the page that the one with this number stands on, which are compared word by word."""
    starts = [*_starts(stretches), len(stretches) + 1]
    place = bisect_right(starts, min(first, len(stretches))) - 1
    shown, work = stretches[starts[place] - 1 : starts[place + 1] - 1], Work()
    return Part(
        items=[each if isinstance(each, Same) else compared_words(each.old, each.new, work) for each in shown],
        first=starts[place],
        total=len(stretches),
        earlier=address_from(here, starts[place - 1]) if place else None,
        later=address_from(here, starts[place + 1]) if starts[place + 1] <= len(stretches) else None,
    )


def _starts(stretches: Sequence[Same | Changed]) -> Iterator[int]:
    """The numbers of the stretches that a page begins with: as many stand on one as fit, and at least one."""
    size = 0
    for number, stretch in enumerate(stretches, start=1):
        if number == 1 or size + stretch.size > PAGE_SIZE:
            yield number
            size = 0
        size += stretch.size


def said(old: Standing, before: Revision, new: Standing, after: Revision) -> tuple[Said, ...]:
    """What is said of one and otherwise, or not at all, of the other."""
    one, other = _descriptor(old, before), _descriptor(new, after)
    names = [name for name in one | other if one.get(name, "") != other.get(name, "")]
    return tuple(Said(name=name, old=one.get(name, ""), new=other.get(name, "")) for name in names)


def _descriptor(standing: Standing, revision: Revision) -> dict[str, str]:
    says = standing.descriptor
    spans = sorted(says.spans, key=lambda span: (span.start, span.id))
    return {
        "Title": says.title or "",
        "Author": says.author or "",
        "Language": says.language or "",
        "Type": says.source_type or "",
        **{
            f"Applies to {name}": value if isinstance(value, str) else ", ".join(value)
            for name, value in says.scope.attributes
        },
        "Readers": ", ".join(says.readers),
        "In force": wording.validity(standing.validity),
        "Leaves this host": "never" if says.egress.value == "local" else "may",
        **{f"Span {span.id} ({span.fact or 'no fact'})": revision.text[span.start : span.end] for span in spans},
    }
