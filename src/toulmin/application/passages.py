"""Looking at a passage: the words that a search result or a citation names, as long as they may be read."""

from __future__ import annotations

import re
from dataclasses import dataclass

from toulmin.domain.corpus.document import Passage, Place, Revision, RevisionId, Standing, Status
from toulmin.domain.errors import NotFound
from toulmin.domain.question.case import Principal
from toulmin.ports.store import Catalogue, Store

_RANGE = re.compile(r"p([0-9]{1,15})-([0-9]{1,15})")


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageView:
    """Words of a revision with their name and place; `heading` is the path of headings above them."""

    standing: Standing
    id: str
    words: str
    place: Place
    heading: tuple[str, ...]


def show_passage(store: Store, source: RevisionId, name: str, principal: Principal) -> PassageView:
    """The words that a name stands for in a live revision: a curated span's id, or `p<start>-<end>`, all of a passage or a part of one.

    Raises `NotFound` where there are none, where the revision is withdrawn or gone, or where the principal may not read it now: told alike.
    """
    with store.begin(principal) as session:
        found = _live(session.catalogue, source)
    if found is not None and (place := _range(name, *found)) is not None:
        standing, revision = found
        (start, end), heading = place
        return PassageView(
            standing=standing,
            id=name,
            words=revision.text[start:end],
            place=revision.place(start, end),
            heading=heading,
        )
    raise NotFound(
        "no_such_passage",
        f"no passage {name} of {source} that you may read",
        remedy="take document, version and passage from a search result or a citation",
    )


def _live(catalogue: Catalogue, source: RevisionId) -> tuple[Standing, Revision] | None:
    standing = next((each for each in catalogue.standings(source.document) if each.id == source), None)
    if standing is None or standing.status is not Status.LIVE:
        return None
    revision = catalogue.revision(standing.key)
    return None if revision is None else (standing, revision)


def _range(name: str, standing: Standing, revision: Revision) -> tuple[tuple[int, int], tuple[str, ...]] | None:
    """Start and end of what is named, and the headings above; None where it is nothing, or more than one passage."""
    span = next((each for each in standing.descriptor.spans if each.id == name), None)
    if span is not None:
        over = next((each for each in revision.passages if _meets(each, span.start, span.end)), None)
        return (span.start, span.end), over.heading if over else ()
    if (stated := _RANGE.fullmatch(name)) is None:
        return None
    start, end = int(stated[1]), int(stated[2])
    around = next((each for each in revision.passages if each.start <= start < end <= each.end), None)
    return None if around is None else ((start, end), around.heading)


def _meets(passage: Passage, start: int, end: int) -> bool:
    return passage.start < end and start < passage.end
