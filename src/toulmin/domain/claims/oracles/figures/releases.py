"""Releases: the versions that a text names, of what, and what happened in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from packaging.version import InvalidVersion, Version

from toulmin.domain.claims.oracles.figures.measures import measure_at
from toulmin.domain.claims.oracles.figures.relations import Relation, after, before
from toulmin.domain.claims.oracles.words import FUNCTION_WORDS

_PRE = r"(?:[-.]?(?:alpha|beta|a|b|rc|dev|post)[-.]?\d{1,9})?"
_NUMBER = rf"\d{{1,9}}(?:\.\d{{1,9}})*(?:\.[x*])?{_PRE}"
_DOTTED = rf"\d{{1,9}}(?:\.\d{{1,9}})+(?:\.[x*])?{_PRE}"
_ENDS = r"(?![\w%°]|[.,:/-]\w|\s?[%°])"
_VERSION = re.compile(
    rf"""
    (?<![\w.]) (?=[\w.])
    (?:
      \.\.\s+(?P<directive>versionadded|versionchanged|deprecated|versionremoved)::\s*(?P<told>{_NUMBER})
    | (?P<name>[A-Za-z][\w-]*) \s? (?P<operator>[<>=~!]=|[<>]) \s? (?P<required>{_NUMBER}) (?![\w.]\w)
    | (?P<word>(?i:versions?|releases?|v\.?|ver\.?)) \s? (?P<said>{_NUMBER}) (?!\.?\w)
    | (?<![:/@$€£,-]) v(?P<short>{_DOTTED}) (?!\.?\w)
    | [A-Z][\w.+\#-]* \s (?P<whole>\d{{1,3}}) {_ENDS}
    | (?<![:/@$€£¥₹,+−-]) (?P<plain>{_DOTTED}) {_ENDS}
    )
    """,
    re.VERBOSE,
)
_MAY_BE = re.compile(
    r"\d\.\d|[=<>]\s?\d|::\s*\d|\b(?:[vV](?:er(?:sions?)?)?\.?|(?i:releases?))\s?\d|\b[A-Z][\w.+#-]*\s\d"
)
"""What any version has: most sentences with numbers have none of it."""
_NAME_BEFORE = re.compile(r"(?<![\w.])(?P<name>[A-Za-z][\w+#.-]*)(?:['’]s)?[\s`'*_]+\Z")
_LABELS = frozenset(
    "section chapter figure fig table schedule annex appendix article part rule clause equation page step item no number"
    " ci or rr hr sd se iqr mean median ph".split()
)
_EVENTS = re.compile(
    r"""\b(?:
      (?P<added>versionadded|add(?:ed|s)?|newly|new\s+in|introduc\w+|appear\w*|debut\w*|available|existed|exists)
    | (?P<deprecated>deprecat\w+)
    | (?P<removed>remov\w+|dropp?\w*|delet\w+|gone|discontinued)
    )\b""",
    re.IGNORECASE | re.VERBOSE,
)
_RANGE = re.compile(r"\s*(?:–|—|-|to|through|up to|until)\s*(?P<upper>\d{1,9}(?:\.\d{1,9})+)(?![\w])")
_CLAUSE = re.compile(r"[;.!?](?=\s)|,\s|\band\b|\bbut\b|\n\s*\n")
_OPERATORS = {
    ">=": Relation.AT_LEAST, "~=": Relation.AT_LEAST, "<=": Relation.AT_MOST, ">": Relation.MORE, "<": Relation.LESS,
    "==": Relation.EXACTLY, "!=": Relation.IS,
}  # fmt: skip
_IN_TIME = ("newer", "later", "older", "earlier", "onward", "onwards")
_SINCE_THEN = ("before", "prior to", "until", "through")
_DIRECTIVES = {"versionadded": "added", "deprecated": "deprecated", "versionremoved": "removed"}
_FUNCTION = re.compile(
    r"(?:a|an|the|in|of|to|is|are|was|were|be|and|or|by|at|on|for|with|from|since|until|till|before|after|than|least|most|only|exactly|up|over|under|"
    r"above|below|through|version|versions|release|releases|as|new|about|default|defaults|value|set|if|when|it|that|this|its|has|have)\Z",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """A version in its text: `text[start:end]`, with the words that bound it.

    `name` is the product's in small letters, None where it is not written. `event` is what the text says happened in it: added,
    deprecated or removed. `upper` is the last version of a range. `sure` is False for a number with one point that only looks like
    a version.
    """

    start: int
    end: int
    version: Version
    upper: Version | None = None
    relation: Relation = Relation.IS
    name: str | None = None
    event: str | None = None
    sure: bool = True

    @property
    def is_whole(self) -> bool:
        """Whether it is a whole number, which most whole numbers after a name are not."""
        return len(self.version.release) == 1


def releases(text: str, start: int, end: int) -> Iterator[Release]:
    """The versions that `text[start:end]` names, in their order. An address of four numbers is none."""
    if _MAY_BE.search(text, start, end) is None:
        return
    last = start
    for found in _VERSION.finditer(text, start, end):
        release = _release(text, start, end, last, found) if found.start() >= last else None
        if release is not None:
            last = release.end
            yield release


def _release(text: str, start: int, end: int, last: int, found: re.Match[str]) -> Release | None:
    """The version that the pattern found, after another one that ended at `last`; None where it is no version."""
    kind = next(name for name in ("told", "required", "said", "short", "whole", "plain") if found[name])
    version = _version(found[kind])
    if version is None:
        return None
    if kind == "told":
        event = _DIRECTIVES.get(found["directive"])
        return Release(
            start=found.start(kind), end=found.end(kind), version=version, relation=Relation.SINCE, event=event
        )
    if kind == "required":
        relation, name = _OPERATORS[found["operator"]], found["name"].lower()
        if len(name) == 1 or name in FUNCTION_WORDS:  # "p < 0.001"
            return None
        return Release(start=found.start(), end=found.end(), version=version, relation=relation, name=name)
    if kind in {"whole", "plain"} and (_is_address(found[kind]) or _is_measured(text, found.end(kind), end)):
        return None
    first = found.start("word") if found["word"] else found.start(kind)
    name, first = _name(text, start, first) if kind != "short" else (None, first)
    if name in _LABELS or (kind == "whole" and name is None):
        return None
    release = Release(
        start=first, end=found.end(kind), version=version, name=name,
        event=_event(text, max(start, last), first, found.end(kind), end),
        sure=kind in {"said", "short"} or len(version.release) > 2,
    )  # fmt: skip
    release = _bounded(text, start, end, release)
    return replace(release, sure=release.sure or _shows_a_version(text, release))


def _version(text: str) -> Version | None:
    try:
        return Version(text.removesuffix(".x").removesuffix(".*"))
    except InvalidVersion:
        return None


def _is_address(number: str) -> bool:
    parts = number.split(".")
    return len(parts) == 4 and all(part.isdecimal() and int(part) < 256 for part in parts)


def _is_measured(text: str, at: int, end: int) -> bool:
    """Whether a unit follows the number that ends at `at`, or the range that begins with it."""
    upper = _RANGE.match(text, at, end)
    return measure_at(text, at, end) is not None or (
        upper is not None and measure_at(text, upper.end(), end) is not None
    )


def _name(text: str, start: int, at: int) -> tuple[str | None, int]:
    """The word just before `at`, where it may be a product's name, and where that begins."""
    found = _NAME_BEFORE.search(text, max(start, at - 40), at)
    if found is None or _FUNCTION.match(found["name"]):
        return None, at
    return found["name"].lower(), found.start("name")


def _event(text: str, start: int, first: int, last: int, end: int) -> str | None:
    """What happened in a version: the nearest verb of change in its clause, looking back and then ahead."""
    begins = start
    for stop in _CLAUSE.finditer(text, start, first):
        begins = stop.end() if text[stop.end() : first].strip(" \n`*") else begins
    if backward := list(_EVENTS.finditer(text, begins, first)):
        return backward[-1].lastgroup
    ahead = _CLAUSE.search(text, last + 1, end)
    forward = _EVENTS.search(text, last, ahead.start() if ahead else end)
    return forward.lastgroup if forward else None


def _bounded(text: str, start: int, end: int, release: Release) -> Release:
    """The version with the other end of its range, or with the words before and after it that bound it."""
    if found := _RANGE.match(text, release.end, end):
        return replace(release, upper=_version(found["upper"]), end=found.end())
    if found_after := after(text, release.end, end, point=True):
        return replace(release, relation=found_after[0], end=found_after[1])
    if found_before := before(text, start, release.start, point=True):
        return replace(release, relation=found_before[0], start=found_before[1])
    return release


def _shows_a_version(text: str, release: Release) -> bool:
    """Whether what stands around a number makes it a version: an event, an order in time, or a name with a capital."""
    words = text[release.start : release.end]
    if release.is_whole:
        return words.endswith(_IN_TIME)
    if release.event is not None or release.relation is Relation.SINCE:
        return True
    return words.lower().startswith(_SINCE_THEN) or (release.name is not None and words[:1].isupper())
