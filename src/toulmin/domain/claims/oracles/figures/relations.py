"""Relations: how a text bounds a value, in the words before and after it."""

from __future__ import annotations

import re
from enum import StrEnum


class Relation(StrEnum):
    """Which values a text speaks of when it names one."""

    IS = "is"
    EXACTLY = "exactly"
    ABOUT = "about"
    AT_LEAST = "at least"
    AT_MOST = "at most"
    MORE = "more than"
    LESS = "less than"
    SINCE = "since"

    @property
    def is_bound(self) -> bool:
        return self in _BOUNDS


_BOUNDS = frozenset({Relation.AT_LEAST, Relation.AT_MOST, Relation.MORE, Relation.LESS})


def _phrases(table: dict[Relation, str]) -> dict[str, Relation]:
    return {phrase.strip(): relation for relation, phrases in table.items() for phrase in phrases.split("|")}


_ANY = {
    Relation.AT_LEAST: (
        "at least|at the least|no less than|not less than|no fewer than|not fewer than|nothing less than|minimum of|minimum|min|min."
        "|no earlier than|not earlier than|no shorter than|not shorter than|upwards of|no lower than|not lower than|not below|not under"
        "|never below|never less than|never fewer than|>=|≥|=>"
    ),
    Relation.AT_MOST: (
        "at most|at the most|no more than|not more than|up to|as many as|as much as|maximum of|maximum|max|max.|no later than"
        "|not later than|within|no longer than|not longer than|not exceeding|not exceed|never exceed|never exceeds|cannot exceed"
        "|without exceeding|limited to|capped at|no greater than|not greater than|no larger than|not over|not above|never above|never over"
        "|never more than|<=|≤"
    ),
    Relation.MORE: (
        "more than|over|above|greater than|exceeds|exceed|exceeding|exceeded|longer than|larger than|bigger than|higher than|beyond"
        "|in excess of|later than|newer than|>|&gt;"
    ),
    Relation.LESS: "fewer than|less than|under|below|shorter than|smaller than|lower than|earlier than|<|&lt;",
    Relation.EXACTLY: "exactly|only|just|precisely|==|===",
    Relation.ABOUT: "about|around|approximately|roughly|approx|approx.|nearly|almost|circa|ca.|close to|some|~|≈",
}
_BEFORE_A_COUNT = _phrases(_ANY | {Relation.MORE: _ANY[Relation.MORE] + "|older than"})
_BEFORE_A_POINT = _phrases(
    _ANY
    | {
        Relation.MORE: _ANY[Relation.MORE] + "|after",
        Relation.LESS: _ANY[Relation.LESS] + "|before|prior to|older than|ahead of",
        Relation.AT_MOST: _ANY[Relation.AT_MOST] + "|until|till|by|through|up until",
        Relation.SINCE: "since|as of|from|starting with|starting in|starting from|beginning with|beginning in|new in|effective",
    }
)  # fmt: skip

_UPWARD = r"more|longer|above|higher|greater|larger|newer|later|up|upwards?|over|beyond|onwards?"
_DOWNWARD = r"less|fewer|below|lower|shorter|smaller|earlier|under|younger"
_GAP = r"[\s`*)]{0,4}"
_ENDS = r"(?=\s*(?:[.,;:!?)]|\Z))"
_SUFFIX = r"{gap}(?:(?:or|and|and\sall)\s(?:any\s|all\s)?(?:{words})\b|{also})"
_AT_LEAST_AFTER_A_COUNT = re.compile(
    _SUFFIX.format(
        gap=_GAP,
        words=_UPWARD + "|older",
        also=r"\+|minimum\b|min\b|at (?:the )?(?:very )?(?:least|minimum|earliest)\b" + _ENDS,
    )
)
_AT_MOST_AFTER_A_COUNT = re.compile(
    _SUFFIX.format(
        gap=_GAP,
        words=_DOWNWARD,
        also=r"maximum\b|max\b|or sooner\b|at (?:the )?(?:very )?(?:most|maximum|latest)\b" + _ENDS,
    )
)
_AT_LEAST_AFTER_A_POINT = re.compile(
    _SUFFIX.format(gap=_GAP, words=_UPWARD, also=r"\+|onwards?\b|at (?:the )?(?:least|earliest)\b" + _ENDS)
)
_AT_MOST_AFTER_A_POINT = re.compile(
    _SUFFIX.format(gap=_GAP, words=_DOWNWARD + "|older", also=r"at (?:the )?(?:most|latest)\b" + _ENDS)
)
_WORD = re.compile(r"[<>=≤≥~≈]+|[^\s<>=≤≥~≈`*(\"“]+")
_SEPARATORS = ' \t\r\n\u00a0\u202f\u2009`*("“'
_SIGNS = "<>=≤≥~≈"
_LAST = frozenset(phrase.rpartition(" ")[2] for phrase in _BEFORE_A_COUNT.keys() | _BEFORE_A_POINT.keys())
_LOOKED_AT = 36
_CLAUSE_LOOKED_AT = 120
_BEFORE_OVER = frozenset(
    "all carried carries carry carrying hand handed hands roll rolled rolls take taken takes took turn turned".split()
)
"""Words that "over" goes with, so that it bounds nothing: "carry over five days"."""
_EXTREME = re.compile(
    r"\b(?:(?P<maximum>maximum|maximal|max|limit\w*|cap|capped|ceiling|largest|longest)|minimum|minimal|min|floor|smallest|shortest)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[,;:.!?](?=\s)|\n\s*\n")


def before(text: str, start: int, at: int, *, point: bool = False) -> tuple[Relation, int] | None:
    """The relation that the words just before `at` state, and where they begin; None where they state none.

    `start` is where the sentence begins. `point` is for values in an order, dates and versions, not for amounts: "older than 2.3"
    is less, "older than 30 days" is more.
    """
    words = text[max(start, at - _LOOKED_AT) : at].rstrip(_SEPARATORS).rsplit(None, 1)
    if not words or (words[-1].lower().lstrip(_SEPARATORS) not in _LAST and words[-1][-1] not in _SIGNS):
        return None  # as most do, and this is cheap to see
    phrases = _BEFORE_A_POINT if point else _BEFORE_A_COUNT
    found = list(_WORD.finditer(text, max(start, at - _LOOKED_AT), at))[-3:]
    words = [part[0].lower() for part in found]
    for first in range(len(found)):
        relation = phrases.get(" ".join(words[first:]))
        if relation is not None and not (words[first] == "over" and first and words[first - 1] in _BEFORE_OVER):
            return relation, found[first].start()
    return None


def after(text: str, at: int, end: int, *, point: bool = False) -> tuple[Relation, int] | None:
    """The relation that the words just after `at` state, and where they end; None where they state none."""
    upward, downward = (
        (_AT_LEAST_AFTER_A_POINT, _AT_MOST_AFTER_A_POINT)
        if point
        else (_AT_LEAST_AFTER_A_COUNT, _AT_MOST_AFTER_A_COUNT)
    )
    if found := upward.match(text, at, end):
        return Relation.AT_LEAST, found.end()
    if found := downward.match(text, at, end):
        return Relation.AT_MOST, found.end()
    return None


def implied(text: str, start: int, at: int) -> Relation:
    """The bound that a noun such as "maximum" earlier in the clause lends to the value at `at`; `IS` where there is none."""
    found = list(_EXTREME.finditer(text, max(start, at - _CLAUSE_LOOKED_AT), at))
    if not found or _CLAUSE.search(text, found[-1].end(), at):
        return Relation.IS
    return Relation.AT_MOST if found[-1]["maximum"] else Relation.AT_LEAST
