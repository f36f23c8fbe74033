"""Enclosure: whether the text before a place leaves something open that the words there stand in, and how much of it must be read closely.

All of it is looked at, but only for marks; so it may be long.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict

from toulmin.domain.claims.surroundings import HARMLESS, casts_doubt, limits_what_follows

_MARK = re.compile(
    r"""
      (?P<comment> <!-- )
    | ^ [ \t>]* (?P<fence> `{3,} (?=[^`\n]*$) | ~{3,} ) [^\n]* $
    | ^ [ \t>]* (?P<colons> :{3,} ) [ \t]* (?P<name> [^\n]* ) $
    | (?<!`) (?P<ticks> `{1,2} ) (?!`) (?: (?!\n[^\S\n]*\n) [\s\S] ){1,400}? (?<!`) (?P=ticks) (?!`)
    | < (?P<slash> /? ) (?P<tag> [a-zA-Z][\w-]* ) (?P<attributes> [^<>]* ) >
    """,
    re.VERBOSE | re.MULTILINE,
)
_NOT_SAID = frozenset(
    """
    blockquote cite code dd del details dl dt noscript pre q s samp script select strike style svg template textarea title
    """.split()
)
"""Elements whose words the document does not say, or not without others."""

_VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())
_HIDDEN = re.compile(
    r"\bhidden\b|\b(?:display|visibility)\s*:\s*(?:none|hidden|collapse)|\b(?:opacity|font-size)\s*:\s*0(?![\d.]*[1-9])|line-through",
    re.IGNORECASE,
)
_FRONT_MATTER = re.compile(r"---[^\S\n]*\n(?![\s\S]*?^(?:---|\.\.\.)[^\S\n]*$)", re.MULTILINE)
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
_GOES_ON = re.compile(r"\s|[-*+•◦▪‣–>|]|(?:\(?(?:\w{1,3}|#)[.)])\s|:[^:\n]+:\s")
_LINE_END = re.compile(r"\n")
_NEAR = 4000
_FARTHEST = 30_000
_LEADS = 2


def is_open(before: str) -> bool:
    """Whether a comment, a code fence, a container or an element whose words are not plainly said is not closed again in a text."""
    if _FRONT_MATTER.match(before):
        return True
    elements: dict[str, list[bool]] = defaultdict(list)
    containers: list[bool] = []
    at = 0
    while found := _MARK.search(before, at):
        at = found.end()
        if found["comment"] or found["fence"]:
            if found["fence"] and _is_underline(before, found):
                continue
            at = _end(before, found)
            if at < 0:
                return True
        elif found["colons"]:
            _note_container(containers, found["name"].strip())
        elif found["tag"]:
            _note_element(elements[found["tag"].lower()], found)
    return any(containers) or any(any(opened) for opened in elements.values())


def near(before: str) -> int | None:
    """Where to begin to read what may qualify the words after a text; None where that would be too far back.

    That is some pages back, at the beginning of a paragraph or, where these are very long, of a line, and no later than two paragraphs before the list, table, quotation or
    directive that the text is in there.
    """
    for end in (_BLANK_LINE, _LINE_END):  # not every text has blank lines
        starts = [0, *(found.end() for found in end.finditer(before))]
        place = bisect_right(starts, max(0, len(before) - _NEAR)) - 1
        while place and _GOES_ON.match(before, starts[place]):
            place -= 1
        start = starts[max(0, place - _LEADS)]
        if len(before) - start <= _FARTHEST:
            return start
    return None


def _end(text: str, opening: re.Match[str]) -> int:
    """Where a comment or fence ends; -1 where it does not."""
    if opening["comment"]:
        end = text.find("-->", opening.end())
        return end if end < 0 else end + len("-->")
    fence = opening["fence"]
    closing = re.compile(rf"^[ \t>]*{fence[0]}{{{len(fence)},}}[^\S\n]*$", re.MULTILINE).search(text, opening.end())
    return closing.end() if closing else -1


def _is_underline(text: str, fence: re.Match[str]) -> bool:
    """Whether the marks of a fence underline the line above them as a heading instead."""
    above = text[text.rfind("\n", 0, max(0, fence.start() - 1)) + 1 : max(0, fence.start() - 1)].strip()
    return bool(above) and len(fence[0].strip()) >= len(above) and set(fence[0].strip()) == {fence["fence"][0]}


def _note_container(containers: list[bool], name: str) -> None:
    kind, _, title = name.strip("{}").partition(" ")
    if name:
        containers.append(kind.strip("{.}").lower() not in HARMLESS or limits_what_follows(title))
    elif containers:
        containers.pop()


def _note_element(opened: list[bool], found: re.Match[str]) -> None:
    tag, attributes = found["tag"].lower(), found["attributes"]
    if found["slash"]:
        if opened:
            opened.pop()
    elif tag not in _VOID and not attributes.endswith("/"):
        opened.append(tag in _NOT_SAID or _HIDDEN.search(attributes) is not None or casts_doubt(attributes.lower()))
