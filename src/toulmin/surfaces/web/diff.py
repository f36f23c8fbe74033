"""Two versions of a document beside each other: what is said of them, and what they say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from toulmin.domain.corpus.document import Revision, Standing
from toulmin.domain.question.case import Principal
from toulmin.surfaces.http.bodies import query
from toulmin.surfaces.http.service import Service, service_of
from toulmin.surfaces.web import wording
from toulmin.surfaces.web.comparing import Changed, Same, compared
from toulmin.surfaces.web.pages import PageRoute, page
from toulmin.surfaces.web.session import Browser
from toulmin.surfaces.web.sources import readable
from toulmin.wire.model import Strict
from toulmin.wire.scalars import Identifier

router = APIRouter(route_class=PageRoute, include_in_schema=False)


class DiffQuery(Strict):
    """The versions that are compared."""

    old: Identifier
    new: Identifier


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A thing that is said of a version beside its text, as it is said of the one and of the other."""

    name: str
    old: str
    new: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """How two versions differ. `stretches` is None where they say the same to the letter."""

    old: Standing
    new: Standing
    said: tuple[Said, ...]
    stretches: tuple[Same | Changed, ...] | None


@router.get("/diff/{document:path}")
async def shown(
    request: Request, document: str, who: Browser, wanted: Annotated[DiffQuery, Depends(query(DiffQuery))]
) -> Response:
    """What has changed from one version to another, as far as the visitor may read both."""
    service = service_of(request)
    return page(request, "diff.html", difference=await service.run(_difference, service, document, wanted, who))


def _difference(service: Service, document: str, wanted: DiffQuery, who: Principal) -> Difference:
    old, before = readable(service, document, wanted.old, who)
    new, after = readable(service, document, wanted.new, who)
    return Difference(
        old=old,
        new=new,
        said=tuple(each for each in _said(old, before, new, after) if each.old != each.new),
        stretches=None if before.text == after.text else compared(before.text, after.text),
    )


def _said(old: Standing, before: Revision, new: Standing, after: Revision) -> Iterator[Said]:
    """What is said of both, whether it differs or not."""
    sides = [_descriptor(old, before), _descriptor(new, after)]
    for name in dict.fromkeys(name for side in sides for name in side):
        yield Said(name=name, old=sides[0].get(name, ""), new=sides[1].get(name, ""))


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
