"""Boilerplate: passages that lead to content or surround it, and answer nothing: contents, index, navigation, licence.

They hold many words of many questions. So they are marked, and count less in a ranking than what they point to; none is left out, since a
question may be about them. What is marked shows it in its own text: a heading alone ("Index", "Streaming contents") proves nothing, as a
manual may have a chapter of that name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum

COUNTS = 0.5
"""What the score of a boilerplate passage is multiplied with."""


class Boilerplate(StrEnum):
    """What a passage is instead of content."""

    CONTENTS = "contents"
    INDEX = "index"
    NAVIGATION = "navigation"
    LICENCE = "licence"


_HALF = 0.5
_FEWEST = 3
"""Lines of a list; fewer are no list."""
_INDEX_SHARE = 0.4
"""Of the lines of an index that end in page numbers: others are terms with entries below them, and cross-references."""
_LABEL_WORDS = 12
"""A text under a licence's heading that is no longer names the licence."""

_LEADER = re.compile(r"(?:[.·…]\s?){4,}\s*(?:\d{1,4}|[ivxlc]{1,6})?$", re.IGNORECASE)
_PAGE_AT_END = re.compile(r"\S\s+(?:\d{1,4}|[ivxlc]{1,6})$")
_INDEX_ENTRY = re.compile(r"\S,\s*\d{1,4}(?:\s?[-–]\s?\d{1,4})?(?:,\s*\d{1,4}(?:\s?[-–]\s?\d{1,4})?)*$")
_LINK_ITEM = re.compile(
    r"(?:[-*+•]|\d+\.)?\s*(?:\[[^\]]+\]\((?![a-z]+:)[^)]*\)|:(?:doc|ref|any|term):`[^`]+`)", re.IGNORECASE
)
_DIRECTIVE = re.compile(r"\.\.\s+(?:toctree|contents|include|literalinclude|index)::")
_PAGE_NUMBER = re.compile(r"\d{0,4}\s*")

_CONTENTS_TITLE = re.compile(
    r"(?:table of )?contents|inhalt(?:sverzeichnis)?|table des matières|sommaire|índice(?: general)?|contenidos?|indice|sommario|inhoud(?:sopgave)?"
)
_INDEX_TITLE = re.compile(
    r"(?:general |subject )?index|(?:stichwort|sach|namen)(?:wort)?(?:verzeichnis|register)|register|índice (?:alfabético|analítico)|indice analitico"
)
_LICENCE_TITLE = re.compile(
    r"(?:[\w.,+-]+ ){0,4}licen[cs]e(?: agreement| and copyright| terms)?|licencia|licenza|lizenz|copyright(?: notice| and licen[cs]e)?|legal notices?|imprint|impressum"
)
_LEGAL_WORDS = tuple(
    re.compile(words)
    for words in (
        r"permission is hereby granted",
        r"redistributions? (?:and use )?(?:in|of) (?:source|binary)",
        r"provided (?:by .{1,60} )?[\"“']?as is[\"”']?",
        r"without warrant(?:y|ies) of any kind",
        r"in no event shall",
        r"all rights reserved",
        r"licen[cs]ed (?:to .{1,40} )?under",
        r"(?:copyright|©|\(c\)) ?(?:\(c\) ?|© ?)?(?:\d{4}|by )",
        r"general public licen[cs]e",
        r"apache licen[cs]e",
        r"creative commons",
    )
)

_ASKED = {
    Boilerplate.CONTENTS: re.compile(r"\bcontents\b|\bchapters\b|inhaltsverzeichnis"),
    Boilerplate.INDEX: re.compile(r"\bindex\b|stichwortverzeichnis"),
    Boilerplate.NAVIGATION: re.compile(r"\bcontents\b|\bchapters\b|\bnavigation\b"),
    Boilerplate.LICENCE: re.compile(r"licen[cs]|copyright|redistribut|warrant|\blegal|lizenz"),
}
"""Words of a question that is about the thing itself."""


def boilerplate(heading: Sequence[str], text: str) -> Boilerplate | None:
    """What a passage under a heading path is instead of content; None for content."""
    lines = [line for line in text.splitlines() if line.strip()]
    title = _plain(heading[-1]) if heading else ""
    return next((kind for kind, shows in _SHOWS.items() if shows(title, lines)), None)


def weight(heading: Sequence[str], text: str, question: str) -> float:
    """What a passage's score for a question is multiplied with: `COUNTS` for boilerplate that the question does not ask about, else 1."""
    kind = boilerplate(heading, text)
    return 1.0 if kind is None or _ASKED[kind].search(question.casefold()) else COUNTS


def _contents(title: str, lines: Sequence[str]) -> bool:
    """Lines that lead to page numbers with dots; or that end in page numbers, below a title that says so."""
    if _most(lines, _LEADER.search, _HALF):
        return True
    return _titled(_CONTENTS_TITLE, title, lines) and _most(_below(_CONTENTS_TITLE, lines), _PAGE_AT_END.search, _HALF)


def _index(title: str, lines: Sequence[str]) -> bool:
    """Terms with the pages that they stand on, below a title that says so."""
    return _titled(_INDEX_TITLE, title, lines) and _most(lines, _INDEX_ENTRY.search, _INDEX_SHARE)


def _navigation(_: str, lines: Sequence[str]) -> bool:
    """Directives that put other pages here or list them; or items of a list that are links to other pages of the same work, and nothing else."""
    directed = sum(_in_directives(lines))
    linked = [line for line in lines if not _is_option(line)]
    return (directed > 0 and directed >= _HALF * len(lines)) or _most(
        linked, lambda line: _LINK_ITEM.fullmatch(line.strip()), _HALF
    )


def _licence(title: str, lines: Sequence[str]) -> bool:
    """Words that only lawyers write, of two kinds; below a licence's title of one, or a text that is no longer than a name."""
    text = " ".join(" ".join(lines).split()).casefold()
    found = sum(1 for words in _LEGAL_WORDS if words.search(text))
    titled = _LICENCE_TITLE.fullmatch(title) is not None
    return found >= 2 or (titled and (found == 1 or len(text.split()) <= _LABEL_WORDS))


_SHOWS: Mapping[Boilerplate, Callable[[str, Sequence[str]], bool]] = {
    Boilerplate.CONTENTS: _contents,
    Boilerplate.INDEX: _index,
    Boilerplate.LICENCE: _licence,
    Boilerplate.NAVIGATION: _navigation,
}


def _plain(title: str) -> str:
    """A title without the page number that may stand before it or after it."""
    return " ".join(title.casefold().strip(" .:0123456789\t").split())


def _titled(wanted: re.Pattern[str], title: str, lines: Sequence[str]) -> bool:
    """Whether the heading says so, or one of the first two lines does, where no heading was found in the file."""
    return any(wanted.fullmatch(name) for name in (title, *map(_plain, lines[:2])))


def _below(wanted: re.Pattern[str], lines: Sequence[str]) -> list[str]:
    """The lines without titles and lone page numbers."""
    return [line for line in lines if not wanted.fullmatch(_plain(line)) and not _PAGE_NUMBER.fullmatch(line)]


def _most(lines: Sequence[str], shows: Callable[[str], object], share: float) -> bool:
    """Whether this share of the lines, and enough of them for a list, are such."""
    found = sum(1 for line in lines if shows(line.rstrip()))
    return found >= _FEWEST and found >= share * len(lines)


def _in_directives(lines: Iterable[str]) -> Iterator[bool]:
    """Whether each line is a directive of navigation, or stands indented below one."""
    inside, margin = False, 0
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if _DIRECTIVE.match(line.strip()):
            inside, margin = True, indent
        elif inside and indent <= margin:
            inside = False
        yield inside


def _is_option(line: str) -> bool:
    return line.strip().startswith(":") and "`" not in line
