"""Sources: the text of a version, with the words that somebody cites marked in their place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from toulmin.application.packets import source_state
from toulmin.domain.claims.report import SourceState
from toulmin.domain.corpus.document import Page, Passage, Revision, Span, Standing
from toulmin.domain.errors import InputError, NotFound
from toulmin.domain.question.case import Principal
from toulmin.surfaces.http.bodies import query
from toulmin.surfaces.http.rights import AUDITOR, CURATOR, OPERATOR, READER, REVIEWER
from toulmin.surfaces.http.service import Service, service_of
from toulmin.surfaces.web.listing import LENGTH
from toulmin.surfaces.web.marked import Piece, Range, disputed_pieces
from toulmin.surfaces.web.pages import PageRoute, page
from toulmin.surfaces.web.session import Browser
from toulmin.wire.model import Strict
from toulmin.wire.scalars import Identifier, Whole, not_below

WINDOW = 12_000
"""Code points of a text that a page has from its first marked word on, and as many before it."""

_BEGINNING = 80
"""Characters by which a passage is named."""

router = APIRouter(route_class=PageRoute, include_in_schema=False)

LOOKERS = frozenset({READER, REVIEWER, OPERATOR, AUDITOR})
"""The roles in which somebody may see what rests on a document."""

_Offset = Annotated[Whole, not_below(0)]


class SourceQuery(Strict):
    """A version, the words of it that are marked, and where the page begins if nothing is; in code points."""

    version: Identifier
    start: _Offset | None = None
    end: _Offset | None = None
    offset: _Offset = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """The part `text[start:end]` of a text of `length` code points that a page shows."""

    start: int
    end: int
    length: int

    @property
    def earlier(self) -> int | None:
        """Where the page before this one begins; None: this is the beginning of the text."""
        return max(0, self.start - WINDOW) if self.start else None

    @property
    def later(self) -> int | None:
        """Where the next one begins; None: this is the end."""
        return self.end if self.end < self.length else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Extract(Window):
    """A part of a text, `text[start:end]` of `length` code points, with the pages and the headings that the marked words, or else it all, stand under.

    Of its pieces, the cited words are disputed, and the curated ones marked. `passages` are those that begin in the part.
    """

    pieces: tuple[Piece, ...]
    passages: tuple[tuple[Passage, str], ...]
    pages: tuple[Page, ...]
    heading: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A heading of a text, how deep it stands (0: outermost), and where what stands under it begins."""

    words: str
    depth: int
    start: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Attached:
    """A span, and its words."""

    span: Span
    words: str

    @property
    def start(self) -> int:
        return self.span.start


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A version with its text, all versions of its document that the visitor may see, and how each of these stands, the latest first."""

    standing: Standing
    revision: Revision
    versions: tuple[tuple[Standing, SourceState], ...]

    @property
    def state(self) -> SourceState:
        return next(state for standing, state in self.versions if standing.key == self.standing.key)

    @property
    def others(self) -> tuple[tuple[Standing, SourceState], ...]:
        return tuple(each for each in self.versions if each[0].key != self.standing.key)

    @property
    def spans(self) -> tuple[Attached, ...]:
        """What is curated, in the order of the text."""
        spans = sorted(self.standing.descriptor.spans, key=lambda span: (span.start, span.end, span.id))
        return tuple(Attached(span=span, words=self.revision.text[span.start : span.end]) for span in spans)

    @property
    def places(self) -> tuple[Heading | Attached, ...]:
        """The headings, and what is curated below them, in the order of the text."""
        return tuple(sorted((*self.contents, *self.spans), key=lambda place: place.start))

    @property
    def contents(self) -> tuple[Heading, ...]:
        """The headings, in the order of the text."""
        found: list[Heading] = []
        above: tuple[str, ...] = ()
        for passage in self.revision.passages:
            kept = next(
                (depth for depth, (one, other) in enumerate(zip(above, passage.heading, strict=False)) if one != other),
                min(len(above), len(passage.heading)),
            )
            found += [
                Heading(words=words, depth=depth, start=passage.start)
                for depth, words in enumerate(passage.heading)
                if depth >= kept
            ]
            above = passage.heading
        return tuple(found)


@router.get("/sources/{document:path}")
async def shown(
    request: Request, document: str, who: Browser, wanted: Annotated[SourceQuery, Depends(query(SourceQuery))]
) -> Response:
    """A version's text around what is marked, as far as the visitor may read it now."""
    service = service_of(request)
    source = await service.run(opened, service, document, wanted.version, who)
    mark = marked_range(wanted.start, wanted.end, source.revision)
    extract = await service.run(_extract, source, mark, wanted.offset)
    return page(
        request,
        "source.html",
        source=source,
        standing=source.standing,
        state=source.state,
        extract=extract,
        mark=mark or (None, None),
        is_marked=mark is not None,
        is_drawn=service.workspace.draws(source.revision),
        is_curator=CURATOR in who.roles,
        most_places=LENGTH,
        may_see_impact=bool(LOOKERS & set(who.roles)),
    )


def opened(service: Service, document: str, version: str, who: Principal) -> Source:
    """A version with what is beside it. Raises `NotFound` where there is none that the principal may read."""
    standing, revision = readable(service, document, version, who)
    at = service.parts.clock.now()
    known = service.workspace.documents(principal=who, document=document)
    latest = sorted(known, key=lambda each: (each.ingested_at, each.key), reverse=True)
    versions = tuple((each, source_state(each, each.text_sha256, at)) for each in latest)
    return Source(standing=standing, revision=revision, versions=versions)


def readable(service: Service, document: str, version: str, who: Principal) -> tuple[Standing, Revision]:
    """A version of a document with its text. Raises `NotFound` where there is none that the principal may read."""
    known = service.workspace.documents(principal=who, document=document)
    standing = next((each for each in known if each.id.version == version), None)
    revision = None if standing is None else service.workspace.revision(standing.key, principal=who)
    if standing is None or revision is None:
        raise NotFound("no_such_document", f"no document {document} v{version} that you may read")
    return standing, revision


def marked_range(start: int | None, end: int | None, revision: Revision) -> tuple[int, int] | None:
    """The range to be marked; None for no range. Raises `InputError` for one that does not lie in the text."""
    if start is None and end is None:
        return None
    if start is None or end is None or not start < end <= len(revision.text):
        message = f"no words from {start} to {end} in a text of {len(revision.text)} code points"
        raise InputError("bad_range", message, where="query", remedy="follow a citation of this version")
    return start, end


def _extract(source: Source, mark: Range | None, offset: int) -> Extract:
    """The part of a text around the marked words; that from an offset on, where nothing is marked."""
    revision, text = source.revision, source.revision.text
    first, last = mark or (min(offset, len(text)), min(offset, len(text)))
    start = max(0, first - WINDOW) if mark else first
    end = min(len(text), first + WINDOW)
    told = mark or (start, end)
    cited = [(1, (first - start, min(last, end) - start))] if mark else []
    curated = [
        (max(span.start, start) - start, min(span.end, end) - start)
        for span in source.standing.descriptor.spans
        if span.start < end and start < span.end
    ]
    return Extract(
        pieces=disputed_pieces(text[start:end], cited, curated),
        passages=tuple((each, _beginning(text, each)) for each in revision.passages if start <= each.start < end),
        start=start,
        end=end,
        length=len(text),
        pages=revision.place(*told).pages,
        heading=_heading(revision, told[0]),
    )


def _beginning(text: str, passage: Passage) -> str:
    words = " ".join(text[passage.start : min(passage.end, passage.start + 2 * _BEGINNING)].split())
    return words if len(words) <= _BEGINNING else f"{words[:_BEGINNING]} …"


def _heading(revision: Revision, at: int) -> tuple[str, ...]:
    """The headings above a place."""
    return next((each.heading for each in revision.passages if each.start <= at < each.end), ())
