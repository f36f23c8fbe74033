"""What is reviewed: one claim beside the exact words that it cites, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from toulmin.domain.corpus.document import Standing

_BEFORE, _AFTER = 100_000, 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Cited:
    """A cited passage as the store has it.

    `before` and `after` are the text just around it in its revision, `title`, `version` and `section` say where it stands; all of them may qualify the
    words, and none of them is evidence. `language` is the document's, None where it is not known.
    """

    words: str
    before: str = ""
    after: str = ""
    title: str | None = None
    version: str | None = None
    section: tuple[str, ...] = ()
    language: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewUnit:
    """A claim, the exact passages that it cites in the order of its citations, and the case that qualifies it.

    `quotes` are words of the passages that the claim says it rests on, where it says so.
    """

    claim: str
    passages: tuple[Cited, ...]
    quotes: tuple[str, ...] = ()
    case: Mapping[str, str] = field(default_factory=dict)


def cited(text: str, start: int, end: int, standing: Standing, section: tuple[str, ...]) -> Cited:
    """`text[start:end]` of a revision, with what stands around it there.

    A comment, list or table that it stands in may begin far before it; what takes it back stands close behind it.
    """
    described = standing.descriptor
    return Cited(
        words=text[start:end],
        before=text[max(0, start - _BEFORE) : start],
        after=text[end : end + _AFTER],
        title=described.title,
        version=standing.id.version,
        section=section,
        language=described.language,
    )
