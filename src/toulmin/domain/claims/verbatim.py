"""Verbatim proof: a claim that is, word for word, a complete sentence of what it cites and can stand alone needs no judge.

All of this is conservative: a sentence that hangs on its neighbours, on an introduction or on a heading proves nothing by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from toulmin.domain.claims.enclosure import is_open, near
from toulmin.domain.claims.surroundings import (
    FOLDS,
    HARMLESS,
    WORD,
    casts_doubt,
    heading_limits,
    introduces,
    is_conditional,
    item_takes_back,
    leads_wrongly,
    limits_what_follows,
    plain,
    takes_back,
    takes_back_all,
)
from toulmin.domain.claims.unit import Cited
from toulmin.domain.corpus.folds import SPACES, bare
from toulmin.domain.corpus.markup import holds_markup
from toulmin.domain.corpus.sentences import Unit, UnitKind, units
from toulmin.domain.corpus.text import folds_between, same_words


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """Where a claim stands word for word: `passages[passage].words[start:end]`, and the folds that the two differ by."""

    passage: int
    start: int
    end: int
    folds: tuple[str, ...] = ()


_DEPENDENT = frozenset(
    """
    he her here hers him his it its she so such that their theirs them then there therefore these they this those thus accordingly also
    alternatively although and another because besides both but consequently conversely e.g either else finally first firstly furthermore
    hence however i.e instead likewise meanwhile moreover neither nevertheless next nonetheless nor now once or other others otherwise plus
    rather same second secondly similarly since some still though too whereas whether which while who whose yet
    are can could did does had has have is may might must should was were will would
    """.split()
)
"""Words that tie a sentence to the one before it where they begin it, the last of them as it lacks a subject or asks."""

_POINTING = frozenset(
    "above aforementioned below following former latter preceding previous said such these this those".split()
)
"""Words that point at something outside of the sentence, wherever in it they stand."""

_LEANS = re.compile(
    r"""
    ^ (?! (?:after|because|before|if|once|since|unless|until|when|while)[ ] (?:an?|the)[ ] )
      [^,]* ,[ ] (?:it|they|he|she|there) \b              # "When enabled, it ..."
    | ^ (?:for[ ](?:example|instance)|in[ ](?:that|case|fact|addition|contrast)|as[ ]a[ ]result|the[ ]same) \b
    | ^ the[ ] (?:\w+[ ]){1,3}? ones? \b                   # "The most important one is ..."
    | \b the[ ]same[ ] (?:thing|way|goes|applies) \b
    | \b instead \b (?![ ]of)  | \b though $
    """,
    re.VERBOSE,
)

_QUIZ = frozenset("a answer fact false fiction q question quiz true".split())
_DIRECTIVE = re.compile(r"\.\.\s+(?:([\w+-]+):)?([\w+-]+)::")
_OBJECTS = frozenset(
    """
    attribute class classmethod confval data decorator envvar exception function method module object option property setting staticmethod
    """.split()
)
_ADDRESS = re.compile(r"\w+://\S+")
_STOPPED = re.compile(r"""[.!。！]["')\]”’»」*`_]*$""")
_CUT_OFF = re.compile(r"""(?:[:;,?？：；，、–-]|\.\.|…|\b(?:and|or))["')\]”’»」*`_]*$""")
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
_PAIRS = (("(", ")"), ("[", "]"), ("“", "”"), ("«", "»"), ("「", "」"), ("『", "』"), ("（", "）"))
_EVEN = ('"', "~~")
_LEAST_WORDS = 3
_LEADS = 2
_LIST_MARK = re.compile(r"(?:[-*+•◦▪‣–]|\(?(?:\d{1,3}|#|[a-z]|[ivx]{2,5}|[A-Z])[.)])\s")
_ITEM_END = re.compile(rf"\n[^\S\n]*(?:\n|{_LIST_MARK.pattern})")
_ADMONITION = re.compile(r"(?:!!!|\?\?\?\+?)\s*(?P<kind>[\w-]*)(?:\s+(?P<title>.*))?$")


def proof(claim: str, passages: Sequence[Cited]) -> Proof | None:
    """Where the claim, after the folds of quotations, is a complete sentence, item or row that stands alone.

    A full stop at the end may differ. A claim in plain text may leave out all inline markup of the source; one that holds marks, links or
    addresses has to be the source's own words, marks and targets. None where there is no such place, or in doubt: a sentence that begins
    or ends outside of the passage, points at something outside of itself, has a condition, an attribution or a colon before it or an
    exception after it, stands below a heading or title that may deny or limit it, in a quotation, in brackets, in a comment, in what a
    page does not show, or in a note on another version.
    """
    letters = bare(claim)
    for number, cited in enumerate(passages):
        if "`" not in cited.words and "](" not in cited.words and letters not in bare(cited.words):
            continue
        setting = _Setting.of(cited)
        if setting is None:
            continue
        for place, unit in enumerate(setting.units):
            words = setting.words(unit)
            if setting.begin > unit.start or unit.end > setting.end:
                continue
            folds = _folds(words, claim)
            if folds is not None and setting.stands_alone(place):
                start, end = unit.start - setting.begin, unit.end - setting.begin
                return Proof(passage=number, start=start, end=end, folds=folds)
    return None


@dataclass(frozen=True, kw_only=True)
class _Setting:
    """A passage between the text near it, before and after: `text[begin:end]` are its words, `skipped` is what stands before that text."""

    skipped: str
    text: str
    begin: int
    end: int
    headings: tuple[str, ...]

    @classmethod
    def of(cls, cited: Cited) -> _Setting | None:
        """None where what qualifies the passage may stand too far before it."""
        first = near(cited.before)
        if first is None:
            return None
        before = cited.before[first:]
        end = len(before) + len(cited.words)
        return cls(
            skipped=cited.before[:first],
            text=before + cited.words + cited.after,
            begin=len(before),
            end=end,
            headings=(*cited.section, *((cited.title,) if cited.title else ())),
        )

    @cached_property
    def units(self) -> Sequence[Unit]:
        return tuple(units(self.text))

    def words(self, unit: Unit) -> str:
        return self.text[unit.start : unit.end]

    def stands_alone(self, place: int) -> bool:
        """Whether the unit at this place says what it says without anything around it."""
        unit = self.units[place]
        words = self.words(unit)
        return (
            self._is_complete(unit)
            and not _points_outside(words)
            and not self._is_enclosed(unit)
            and not self._is_introduced(place)
            and not self._is_taken_back(place)
            and not any(heading_limits(heading, unit.kind, words) for heading in self._headings(place))
            and not any(limits_what_follows(line, words) for line in self._lines_above(place))
        )

    def _is_complete(self, unit: Unit) -> bool:
        words = self.words(unit)
        if unit.kind not in {UnitKind.SENTENCE, UnitKind.ITEM, UnitKind.ROW} or _CUT_OFF.search(words):
            return False
        if unit.kind is UnitKind.ROW:
            return True
        ends = _STOPPED.search(words) is not None or (unit.kind is UnitKind.ITEM and unit.end < len(self.text))
        return ends and len(WORD.findall(_ADDRESS.sub("", words))) >= _LEAST_WORDS and not _begins_small(words)

    def _is_enclosed(self, unit: Unit) -> bool:
        """Whether it stands in a quotation, in brackets, in a comment, or below a line that says when its words hold."""
        paragraph = self._paragraph(unit)
        before, words = self.text[paragraph : unit.start], self.words(unit)
        return (
            _is_open(before)
            or _is_open(words)
            or words[0] in "\"“‘«‹「『❝＂('"
            or any(line.lstrip().startswith(">") for line in f"{before}{words}".splitlines())
            or self._is_limited_by_markup(unit)
            or is_open(f"{self.skipped}{self.text[: unit.start]}")
        )

    def _paragraph(self, unit: Unit) -> int:
        """Where the lines around it begin that no blank one parts."""
        blanks = [blank.end() for blank in _BLANK_LINE.finditer(self.text, 0, unit.start)]
        return blanks[-1] if blanks else 0

    def _is_limited_by_markup(self, unit: Unit) -> bool:
        """Whether the line that it begins in, or one above that is indented less, makes it hold only sometimes, or of something only."""
        first = self.text.rfind("\n", 0, unit.start) + 1
        line = self.text[first : unit.end]
        if _limits(line.strip()):
            return True
        indent, start = _indent(line), first
        while indent and start:
            start, end = self.text.rfind("\n", 0, start - 1) + 1, start - 1
            above = self.text[start:end]
            if above.strip() and _indent(above) < indent:
                indent = _indent(above)
                if self._limits_its_body(start, unit):
                    return True
        return False

    def _limits_its_body(self, start: int, unit: Unit) -> bool:
        """Whether what begins with the line at `start` limits the unit, which is indented below it."""
        line = self.text[start : self.text.find("\n", start)].strip()
        if line.startswith("..") or _ADMONITION.match(line):
            return _limits(line)
        if not _LIST_MARK.match(line):
            return True  # a term that is defined, code, or a quotation
        end = _ITEM_END.search(self.text, start, unit.start)
        if end is None:  # the item that it is in itself
            return False
        lead = self.text[start : end.start()].strip()
        return _STOPPED.search(lead) is None or introduces(lead) or is_conditional(_LIST_MARK.sub("", lead, count=1))

    def _is_introduced(self, place: int) -> bool:
        """Whether something before it may say when, by whom or of what it is said, or that it is not so."""
        unit, first = self.units[place], place
        while unit.kind is not UnitKind.SENTENCE and first and self.units[first - 1].kind is unit.kind:
            first -= 1
            if unit.kind is UnitKind.ITEM and self.words(self.units[first]).rstrip().endswith(":"):
                return True
        if unit.kind is UnitKind.ROW and (first == place or heading_limits(self._header(first), unit.kind, "")):
            return True  # the first row says what the others mean
        before = self.units[place - 1] if place else None
        return any(self._leads(first, unit)) or bool(
            before and self._is_one_paragraph(before, unit) and is_conditional(self.words(before))
        )

    def _header(self, first: int) -> str:
        """The row that says what the others of its table mean."""
        return self.words(self.units[first])

    def _leads(self, first: int, unit: Unit) -> Iterator[bool]:
        """Whether the sentence before it, or each of those before its list or table, says more of it than that it is there."""
        is_sentence = unit.kind is UnitKind.SENTENCE
        for lead in reversed(self.units[max(0, first - (1 if is_sentence else _LEADS)) : first]):
            if lead.kind in {UnitKind.HEADING, UnitKind.CODE}:
                return
            yield (introduces if is_sentence else leads_wrongly)(self.words(lead))

    def _is_one_paragraph(self, left: Unit, right: Unit) -> bool:
        """Whether nothing but white space within a paragraph stands between the two, so that they are of one list item as well."""
        gap = self.text[left.end : right.start]
        return left.kind is right.kind is not UnitKind.ROW and not gap.strip() and not _BLANK_LINE.search(gap)

    def _is_taken_back(self, place: int) -> bool:
        unit = self.units[place]
        for number, after in enumerate(self.units[place + 1 :]):
            if after.kind is UnitKind.HEADING:
                return False
            if after.kind not in {UnitKind.SENTENCE, UnitKind.ITEM}:
                continue
            words = self.words(after)
            is_next_item = after.kind is UnitKind.ITEM and bool(self.text[unit.end : after.start].strip())
            if takes_back_all(words) or (not number and (item_takes_back if is_next_item else takes_back)(words)):
                return True
        return False

    def _headings(self, place: int) -> Iterator[str]:
        """The headings that it may stand below."""
        yield from self.headings
        for unit in reversed(self.units[:place]):
            if unit.kind is UnitKind.HEADING and not self.words(unit).startswith(".."):
                yield self.words(unit)
                return

    def _lines_above(self, place: int) -> Iterator[str]:
        """The sentences above it, up to its heading."""
        for unit in reversed(self.units[:place]):
            if unit.kind is UnitKind.HEADING and not self.words(unit).startswith(".."):
                return
            if unit.kind is UnitKind.SENTENCE:
                yield self.words(unit)


def _folds(words: str, claim: str) -> tuple[str, ...] | None:
    """The folds that words of the source and the claim differ by; None where they are not the same."""
    one, other = _unstopped(words), _unstopped(claim)
    if same_words(one, other, (SPACES,)):
        return folds_between(one, other, (SPACES,))
    is_plain = not holds_markup(one)
    if holds_markup(other) or (is_plain and bare(one) != bare(other)) or not same_words(one, other, FOLDS):
        return None
    return folds_between(one, other, FOLDS)


def _begins_small(words: str) -> bool:
    """Whether it begins with a plain word in small letters, as what is left of a sentence does."""
    first = words.lstrip("*").split(maxsplit=1)[0]
    return first[0].islower() and first.islower()


def _unstopped(words: str) -> str:
    """Without a full stop at the end."""
    words = words.strip()
    return words[:-1] if words.endswith(".") and not words.endswith("..") else words


def _points_outside(words: str) -> bool:
    """Whether it begins as the continuation of another sentence, or points at something that is not in it."""
    said = plain(words)
    found = WORD.findall(said)
    label = said[: max(0, said.find(": "))]
    return (
        not found
        or found[0] in _DEPENDENT
        or any(word in _POINTING for word in found)
        or _LEANS.search(said) is not None
        or (label != "" and (casts_doubt(label) or label in _QUIZ))
    )


def _limits(line: str) -> bool:
    """Whether a line of explicit markup makes what belongs to it a comment, a footnote, or something that holds only sometimes."""
    note = _ADMONITION.match(line)
    if note:
        return note["kind"].lower() not in HARMLESS or bool(
            note["title"] and limits_what_follows(note["title"].strip("\"'"))
        )
    if not re.match(r"\.\.(?:\s|$)", line):
        return False
    directive = _DIRECTIVE.match(line)
    return directive is None or (directive[1] is None and directive[2] not in HARMLESS | _OBJECTS)


def _is_open(words: str) -> bool:
    """Whether a bracket or quotation mark is not closed again."""
    return any(words.count(mark) % 2 for mark in _EVEN) or any(words.count(a) > words.count(b) for a, b in _PAIRS)


def _indent(line: str) -> int:
    expanded = line.expandtabs()
    return len(expanded) - len(expanded.lstrip())
