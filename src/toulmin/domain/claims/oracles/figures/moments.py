"""Moments: the dates and times of day in a text, as exact as they are written."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from operator import attrgetter

from toulmin.domain.claims.oracles.figures.relations import Relation, after, before

_MONTHS = "january february march april may june july august september october november december".split()
_MONTH = r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\b\.?"
_YEAR = r"(?:1\d{3}|20\d{2}|21\d{2})(?![\d%]|[.,]\d|\s*(?:-|–)\s*\d{2}-)"
_ZONE = (
    r"\(?(?:(?:UTC|GMT)(?:\s?[+\-−–]\s?\d{1,2}(?::?\d{2})?)?|CES?T|MES?Z|EES?T|WES?T|E[SD]T|C[SD]T|M[SD]T|P[SD]T|JST|IST|BST|Z\b"
    r"|[+\-−]\d{2}:?\d{2})\b\)?"
)
_CLOCK = rf"(?P<hour>[01]?\d|2[0-4])(?::(?P<minute>[0-5]\d)(?::[0-5]\d(?:\.\d+)?)?)?(?P<half>\s?(?:[ap]m\b|[ap]\.\s?m\b\.?))?(?:\s?(?P<zone>{_ZONE}))?"

_DATE = re.compile(
    rf"""
      (?P<iso> (?<![\w.-]) (?P<y1>\d{{4}})-(?P<m1>[01]\d)-(?P<d1>[0-3]\d) (?![\d-]) (?=T\d|\b) )
    | (?P<numeric> (?<![\w./-]) (?P<n1>\d{{1,2}}) (?P<mark>[./-]) (?P<n2>\d{{1,2}}) (?P=mark) (?P<y2>\d{{4}}) (?![\w/-]) )
    | (?<![\w.,]) (?P<d3>[0-3]?\d)(?:st|nd|rd|th)? (?:\s+of)? \s+ (?P<m3>{_MONTH}) (?:,?\s+(?P<y3>{_YEAR}))?
    | (?<!\w) (?P<m4>{_MONTH}) \s+ (?P<d4>[0-3]?\d)(?:st|nd|rd|th)? (?![\d:]|[.,]\d) (?:\s*,?\s+(?P<y4>{_YEAR}))?
    | (?<!\w) (?P<m5>{_MONTH}) ,?\s+ (?P<y5>{_YEAR})
    """,
    re.VERBOSE,
)
_TIME = re.compile(rf"(?<![\w.:,/-])(?<!-w )(?:{_CLOCK})(?![\w:]|[.,/-]\d)")
_MAY_BE = re.compile(r"\d{4}|\d:\d|\d\s?[ap]\.?\s?m\b|\b[JFMASOND][aepuco][nbrylgptvc]")
"""What any date, time or year has: most sentences with numbers have none of it."""
_JOIN = re.compile(r",?\s+(?:at|by|from|until)\s+|T|,?\s+")
_YEAR_ALONE = re.compile(
    rf"""
      (?<![\w.,$€£\#/-]) (?P<from>{_YEAR}) (?=\s?(?:to|--?|–|—)\s?(?:{_YEAR}|(?P<short>\d\d)(?![\w-])))
    | (?<![\w.,$€£\#/-]) (?P<year>{_YEAR}) (?P<decade>\s?['’]?s\b)? (?![\w/])
    | (?<=\d[-–—]) (?P<until>{_YEAR}) (?!\w)
    """,
    re.VERBOSE,
)
_BEFORE_A_YEAR = re.compile(
    r"(?:\b(?:in|since|of|by|until|till|from|during|year|years|before|after|as of|through|to|and|or|late|early|mid|around|circa|the"
    r"|since at least|until at least|from at least|spring|summer|autumn|fall|winter|between|edition|effective|copyright)\s+|[(–—-]\s*)\Z",
    re.IGNORECASE,
)
_LOOKED_AT = 24
_LEAP_YEAR = 2000
_MINUTES_A_DAY = 24 * 60
_ZONES = {
    "utc": 0, "gmt": 0, "z": 0, "wet": 0, "west": 60, "cet": 60, "cest": 120, "mez": 60, "mesz": 120, "eet": 120, "eest": 180,
    "est": -300, "edt": -240, "cdt": -300, "mst": -420, "mdt": -360, "pst": -480, "pdt": -420, "jst": 540,
}  # fmt: skip
"""Minutes east of Greenwich. Names that several zones share are left out: they equal only themselves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """A date or time of day: `text[start:end]`, with the words that bound it.

    What is not written is None. `swapped` says that day and month may be the other way round. `years` is how many begin with `year`:
    ten in "1980s". `zone` is in minutes east of Greenwich, or the name of a zone that has no one offset.
    """

    start: int
    end: int
    relation: Relation = Relation.IS
    year: int | None = None
    month: int | None = None
    day: int | None = None
    swapped: bool = False
    years: int = 1
    minute: int | None = None
    zone: int | str | None = None

    @property
    def parts(self) -> tuple[int | None, ...]:
        return self.year, self.month, self.day, self.minute

    @property
    def instant(self) -> int | None:
        """The moment in minutes of UTC, where year, month, day, time and zone are all written; None where one is not."""
        if self.year is None or self.month is None or self.day is None or self.minute is None:
            return None
        if not isinstance(self.zone, int):
            return None
        return date(self.year, self.month, self.day).toordinal() * _MINUTES_A_DAY + self.minute - self.zone

    @property
    def first_day(self) -> tuple[int, int, int] | None:
        """The first day that it may mean, as (year, month, day); None where no year is written."""
        return None if self.year is None else (self.year, self.month or 1, self.day or 1)

    @property
    def last_day(self) -> tuple[int, int, int] | None:
        return None if self.year is None else (self.year + self.years - 1, self.month or 12, self.day or 31)


def moments(text: str, start: int, end: int, language: str | None = None) -> Iterator[Moment]:
    """The dates, times and years of `text[start:end]`, in their order; a date with a time of day is one of them."""
    if _MAY_BE.search(text, start, end) is None:
        return
    at = start
    for found in _DATE.finditer(text, start, end):
        moment = _date(found, language)
        if moment is None:
            continue
        yield from _without_date(text, at, found.start())
        join = _JOIN.match(text, found.end(), end)
        clock = _clock(_TIME.match(text, join.end(), end)) if join else None
        if clock:
            moment = replace(moment, end=clock.end, minute=clock.minute, zone=clock.zone)
        at = moment.end
        yield _bounded(text, start, end, moment)
    yield from _without_date(text, at, end)


def _date(found: re.Match[str], language: str | None) -> Moment | None:
    """The date that the pattern found; None where there is no such day."""
    if found["numeric"]:
        return _numeric(found, language)
    day = next((int(found[name]) for name in ("d1", "d3", "d4") if found[name]), None)
    year = next((int(found[name]) for name in ("y1", "y3", "y4", "y5") if found[name]), None)
    name = next(found[name] for name in ("m1", "m3", "m4", "m5") if found[name])
    month = int(name) if name.isdecimal() else _month(name)
    if not _is_day(month, 1 if day is None else day, _LEAP_YEAR if year is None else year):
        return None
    return Moment(start=found.start(), end=found.end(), year=year, month=month, day=day)


def _month(name: str) -> int:
    return next(number for number, month in enumerate(_MONTHS, start=1) if month.startswith(name.lower()[:3]))


def _is_day(month: int, day: int, year: int) -> bool:
    return 1 <= month <= 12 and year > 0 and 1 <= day <= monthrange(year, month)[1]


def _numeric(found: re.Match[str], language: str | None) -> Moment | None:
    """A date all in numbers. With points, or in a language other than English, the day comes first; else nobody knows."""
    first, second, year = int(found["n1"]), int(found["n2"]), int(found["y2"])
    day_first, month_first = _is_day(second, first, year), _is_day(first, second, year)
    if not day_first and not month_first:
        return None
    day, month = (first, second) if day_first else (second, first)
    known = found["mark"] == "." or (language or "en").partition("-")[0] not in {"en", "und", "unknown"}
    swapped = day_first and month_first and first != second and not known
    return Moment(start=found.start(), end=found.end(), year=year, month=month, day=day, swapped=swapped)


def _clock(found: re.Match[str] | None) -> Moment | None:
    """The time of day that the pattern found; None for a number that is none: it needs minutes or a half of the day."""
    if found is None or (found["minute"] is None and found["half"] is None):
        return None
    hour = int(found["hour"])
    if found["half"]:
        if hour > 12:
            return None
        hour = hour % 12 + 12 * found["half"].strip().lower().startswith("p")
    minute = hour * 60 + int(found["minute"] or 0)
    return Moment(start=found.start(), end=found.end(), minute=minute, zone=_zone(found["zone"]))


def _zone(name: str | None) -> int | str | None:
    if name is None:
        return None
    plain = name.strip("() ").lower().replace("−", "-").replace("–", "-").replace(" ", "")
    offset = re.fullmatch(r"(?:utc|gmt)?([+-])(\d{1,2}):?(\d{2})?", plain)
    if offset:
        minutes = int(offset[2]) * 60 + int(offset[3] or 0)
        return -minutes if offset[1] == "-" else minutes
    return _ZONES.get(plain, plain)


def _without_date(text: str, start: int, end: int) -> Iterator[Moment]:
    """The times of day and the years in a text without dates."""
    found = [clock for time in _TIME.finditer(text, start, end) if (clock := _clock(time))]
    taken = {at for moment in found for at in range(moment.start, moment.end)}
    for year in _YEAR_ALONE.finditer(text, start, end):
        is_year = year["decade"] or year["until"] or year["from"] or _may_be_a_year(text, start, year.start())
        if is_year and year.start() not in taken:
            found.extend(_years(year))
    yield from (_bounded(text, start, end, moment) for moment in sorted(found, key=attrgetter("start")))


def _may_be_a_year(text: str, start: int, at: int) -> bool:
    """Whether the number at `at` may be a year: it opens the sentence, or a word stands before it that one stands before."""
    words = text[max(start, at - _LOOKED_AT) : at]
    return _BEFORE_A_YEAR.search(words) is not None or (at - start < _LOOKED_AT and not any(map(str.isalnum, words)))


def _years(found: re.Match[str]) -> Iterator[Moment]:
    """A year, decade or century; of "1983-84" and "2007–08" both years, but not of "2019-04", which is a month."""
    number = int(found["year"] or found["until"] or found["from"])
    years = (100 if number % 100 == 0 else 10) if found["decade"] and number % 10 == 0 else 1
    yield Moment(start=found.start(), end=found.end(), year=number, years=years)
    last = int(found["short"] or 0)
    is_month = last <= 12 and found.string[found.end() : found.start("short")] == "-"
    if last > number % 100 and not is_month:
        yield Moment(start=found.start("short"), end=found.end("short"), year=number - number % 100 + last)


def _bounded(text: str, start: int, end: int, moment: Moment) -> Moment:
    """The moment with the words before and after it that bound it."""
    if found := after(text, moment.end, end, point=True):
        return replace(moment, relation=found[0], end=found[1])
    if found := before(text, start, moment.start, point=True):
        return replace(moment, relation=found[0], start=found[1])
    return moment
