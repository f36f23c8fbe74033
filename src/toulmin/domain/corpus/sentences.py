"""Sentences: where the sentences of a text begin and end."""

from __future__ import annotations

import re
from collections.abc import Iterator

from toulmin.domain.corpus.text import trimmed

_NEVER_LAST = frozenset(
    "bzw ca cf d.h dr e.g eds f.i gen hon i.e lt mr mrs ms prof rep resp rev sen st u.a vgl viz vs z.b".split()
)
"""Abbreviations that something always follows."""

_BEFORE_A_NUMBER = frozenset(
    "abb app art ch chap eq eqs ex fig figs no nos nr p para pp pt ref refs sec sect tab vol".split()
)
"""Abbreviations only where a number follows: "No. 5" goes on, "No. Five" begins a sentence."""

_OFTEN_INSIDE = frozenset("al approx co corp ed est etc inc jr ltd sr".split())
"""Abbreviations that end a sentence only where a capital letter follows: "et al. [2004] disagree" goes on."""

_CLOSERS = r"""["'”’»›)\]}」』）】》〉*_`]*"""
_BREAK = re.compile(
    rf"""
      (?P<wide> [。！？｡]+ {_CLOSERS} )                            # needs no white space after it
    | (?P<stop> [.!?…]+ ) {_CLOSERS} (?=\s)
    | (?P<blank> (?>\r\n|\n|\r) [^\S\r\n]* (?=[\r\n]) | \u2029 )   # a blank line ends whatever stands before it
    """,
    re.VERBOSE,
)
_WHITE_SPACE = re.compile(r"\s*")
_LAST_TOKEN = re.compile(r"[^\W_]+(?:\.[^\W_]+)*$")
_OPENERS = "\"'“‘«‹([{「『（*_"
_NUMBERED = re.compile(r"[(\[#]?(?:\d|[IVXLC]+\b|[A-Z]\b)")
_LONGEST_TOKEN = 40


def sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Half-open ranges of the sentences of `text[start:end]`, in order, without the white space between them.

    With the gaps between them they give the text back. A sentence ends at a full stop, question or exclamation mark or ellipsis that
    white space follows (after closing quotes and brackets), at a Chinese or Japanese stop, and at a blank line. In doubt, as after an
    initial, it goes on: two sentences in one still say what they say, half of one may say the opposite.
    """
    first, last = trimmed(text, start, end)
    for found in _BREAK.finditer(text, first, last):
        if found.end() > first and (found["stop"] is None or _ends_here(text, first, found, last)):
            yield trimmed(text, first, found.end())
            first = _after_white_space(text, found.end(), last)
    if first < last:
        yield first, last


def _after_white_space(text: str, start: int, end: int) -> int:
    found = _WHITE_SPACE.match(text, start, end)
    return found.end() if found else start


def _ends_here(text: str, first: int, found: re.Match[str], last: int) -> bool:
    """Whether the stop ends the sentence that began at `first`."""
    following = text[found.end() : min(last, found.end() + _LONGEST_TOKEN)].lstrip()
    if following.lstrip(_OPENERS)[:1].islower():
        return False
    if found["stop"] != ".":
        return True
    token = _LAST_TOKEN.search(text, max(first, found.start() - _LONGEST_TOKEN), found.start())
    return token is None or not _goes_on(token[0], following, opens_the_sentence=token.start() == first)


def _goes_on(token: str, following: str, *, opens_the_sentence: bool) -> bool:
    """Whether the full stop after a token belongs to it, given the text that follows."""
    word = token.lower()
    if word in _NEVER_LAST or _is_initial(token):
        return True
    if word in _BEFORE_A_NUMBER:
        return _NUMBERED.match(following) is not None
    if word in _OFTEN_INSIDE or _is_dotted(token):
        return not following.lstrip(_OPENERS)[:1].isupper()
    return opens_the_sentence and token.replace(".", "").isdecimal()  # the number of a list item


def _is_initial(token: str) -> bool:
    """One letter, as in "J. Smith", or several, as in "J.R. Tolkien"; "I" is a word."""
    return token != "I" and all(len(part) == 1 and part.isupper() for part in token.split("."))


def _is_dotted(token: str) -> bool:
    """Single letters with stops between them, as in "a.m." and "p.m."."""
    return "." in token and all(len(part) == 1 and part.isalpha() for part in token.split("."))
