"""Verbatim proof: a claim that is, word for word, a complete sentence of what it cites and can stand alone needs no judge.

All of this is conservative: a sentence that hangs on its neighbours, on an introduction or on a heading proves nothing by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from toulmin.domain.claims.unit import Cited
from toulmin.domain.corpus.folds import QUOTE_FOLDS, Folded, bare
from toulmin.domain.corpus.markup import MARKUP
from toulmin.domain.corpus.quotes import CONDITIONS, negates, qualifies
from toulmin.domain.corpus.sentences import Unit, UnitKind, units
from toulmin.domain.corpus.text import folds_between, same_words


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """Where a claim stands word for word: `passages[passage].words[start:end]`, and the folds that the two differ by."""

    passage: int
    start: int
    end: int
    folds: tuple[str, ...] = ()


_FOLDS = (MARKUP, *QUOTE_FOLDS)

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

_DOUBT = frozenset(
    """
    according alleged allegedly argue argued argues assert asserted asserts assume assumed assumes assuming believe believed believes claim
    claimed claiming claims counterexample deprecated draft earlier erroneous example examples expected fiction fictional following former
    formerly hypothetical hypothetically imagine incorrect legacy misconception misconceptions mistaken mistakenly myth myths obsolete
    opinion outdated past planned pretend previous previously proposal proposed quote quoted quotes removed report reported reports rumor
    rumour said sample say says superseded suppose supposed think thinks thought untrue wrong wrongly
    """.split()
)
"""Words that say of what follows that someone else says it, that it was or may be so, or that it is not so."""

_TRUTH = re.compile(r"\b(?:is|are|was|were|be) (?:\w+ )?(?:true|false|lies?)\b|\bfor (?:example|instance)\b|\be\.g\b")

_TAKES_BACK = frozenset(
    """
    actually although but conversely except exception exceptions excluding false formerly however if incorrect instead nevertheless no
    nonetheless not note only otherwise provided still though unfortunately unless unlike until untrue when wrong yet
    """.split()
)
"""Words that limit or take back the sentence before theirs where they begin one."""

_FAULTS = frozenset(
    """
    fail failed failing fails failure lack lacked lacking lacks missing prevent prevented preventing prevents stop stopped stops
    """.split()
)
"""Denials that a heading names as its topic."""

_QUIZ = frozenset("a answer fact false fiction q question quiz true".split())
_BACK_AT_IT = frozenset("this that these those neither both same above such".split())
_VOIDS = re.compile(
    r"\b(?:no longer|exceptions?|(?:not|n't|only|never) (?:appl(?:y|ies)|hold|true|the case|correct|valid))\b|\bappl(?:y|ies) only\b"
)
_NEUTRAL = frozenset(
    """
    a also all an and apply applies are as at changes details facts features follow following follows for hold holds important in include
    includes information is it items keep known limits list mind note notes of on points properties remember rules specification
    specifications statements that the these things this to was were
    """.split()
)
"""An introduction of these words alone says nothing that its list would hang on."""

_DIRECTIVE = re.compile(r"\.\.\s+(?:([\w+-]+):)?([\w+-]+)::")
_HARMLESS = frozenset("attention caution danger hint important note tip warning".split())
_OBJECTS = frozenset(
    """
    attribute class classmethod confval data decorator envvar exception function method module object option property setting staticmethod
    """.split()
)
_WORD = re.compile(r"[^\W_]+(?:['.][^\W_]+)*")
_ADDRESS = re.compile(r"\w+://\S+")
_STOPPED = re.compile(r"""[.!。！]["')\]”’»」*`_]*$""")
_CUT_OFF = re.compile(r"""(?:[:;,?？：；，、–-]|\.\.|…|\b(?:and|or))["')\]”’»」*`_]*$""")
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n")
_NEVER_CLOSED = re.compile(
    r"<!--(?!.*?-->)|<(del|s|strike|blockquote|q|template|script)\b(?!.*?</\1>)", re.DOTALL | re.IGNORECASE
)
_PAIRS = (("(", ")"), ("[", "]"), ("“", "”"), ("«", "»"), ("「", "」"), ("『", "』"), ("（", "）"))
_EVEN = ('"', "~~")
_LEAST_WORDS = 3
_BEFORE = 4000


def proof(claim: str, passages: Sequence[Cited]) -> Proof | None:
    """Where the claim, after the folds of quotations and of inline markup, is a complete sentence, item or row that stands alone.

    A full stop at the end may differ. None where there is no such place, or in doubt: a sentence that begins or ends outside of the
    passage, points at something outside of itself, has a condition, an attribution or a colon before it or an exception after it, stands
    below a heading that may deny it, in a quotation, in brackets, in a comment, or in a note on another version.
    """
    letters = bare(claim)
    for number, cited in enumerate(passages):
        if "`" not in cited.words and "](" not in cited.words and letters not in bare(cited.words):
            continue
        setting = _Setting.of(cited)
        for place, unit in enumerate(setting.units):
            words = setting.words(unit)
            if (
                setting.begin <= unit.start
                and unit.end <= setting.end
                and _same(words, claim)
                and setting.stands_alone(place)
            ):
                return Proof(
                    passage=number,
                    start=unit.start - setting.begin,
                    end=unit.end - setting.begin,
                    folds=folds_between(_unstopped(words), _unstopped(claim), _FOLDS),
                )
    return None


@dataclass(frozen=True, kw_only=True)
class _Setting:
    """A passage between the text before and after it: `text[begin:end]` are its words."""

    text: str
    begin: int
    end: int
    section: tuple[str, ...]

    @classmethod
    def of(cls, cited: Cited) -> _Setting:
        before = cited.before[-_BEFORE:]
        end = len(before) + len(cited.words)
        return cls(text=before + cited.words + cited.after, begin=len(before), end=end, section=cited.section)

    @cached_property
    def units(self) -> Sequence[Unit]:
        return tuple(units(self.text))

    def words(self, unit: Unit) -> str:
        return self.text[unit.start : unit.end]

    def stands_alone(self, place: int) -> bool:
        """Whether the unit at this place says what it says without anything around it."""
        unit = self.units[place]
        return (
            self._is_complete(unit)
            and not _points_outside(self.words(unit))
            and not self._is_enclosed(unit)
            and not self._is_introduced(place)
            and not self._is_taken_back(place)
            and not any(_is_doubtful(heading, unit.kind) for heading in self._headings(place))
        )

    def _is_complete(self, unit: Unit) -> bool:
        words = self.words(unit)
        if unit.kind not in {UnitKind.SENTENCE, UnitKind.ITEM, UnitKind.ROW} or _CUT_OFF.search(words):
            return False
        if unit.kind is UnitKind.ROW:
            return True
        ends = _STOPPED.search(words) is not None or (unit.kind is UnitKind.ITEM and unit.end < len(self.text))
        return ends and len(_WORD.findall(_ADDRESS.sub("", words))) >= _LEAST_WORDS and not _begins_small(words)

    def _is_enclosed(self, unit: Unit) -> bool:
        """Whether it stands in a quotation, in brackets, in a comment, or below a directive that says when its words hold."""
        paragraph = self._paragraph(unit)
        before, words = self.text[paragraph : unit.start], self.words(unit)
        return (
            _is_open(before)
            or _is_open(words)
            or words[0] in "\"“‘«「『('"
            or any(line.lstrip().startswith(">") for line in f"{before}{words}".splitlines())
            or _NEVER_CLOSED.search(self.text, 0, unit.start) is not None
            or any(map(_limits, self._outer_lines(unit)))
        )

    def _paragraph(self, unit: Unit) -> int:
        """Where the lines around it begin that no blank one parts."""
        blanks = [blank.end() for blank in _BLANK_LINE.finditer(self.text, 0, unit.start)]
        return blanks[-1] if blanks else 0

    def _outer_lines(self, unit: Unit) -> Iterator[str]:
        """The line that it begins in, and those above that are indented less, from the inside out."""
        first = self.text.rfind("\n", 0, unit.start) + 1
        line = self.text[first : unit.end]
        yield line.strip()
        indent = _indent(line)
        for above in reversed(self.text[:first].splitlines()):
            if above.strip() and _indent(above) < indent:
                yield above.strip()
                indent = _indent(above)

    def _is_introduced(self, place: int) -> bool:
        """Whether something before it may say when, by whom or of what it is said, or that it is not so."""
        unit, first = self.units[place], place
        while unit.kind is not UnitKind.SENTENCE and first and self.units[first - 1].kind is unit.kind:
            first -= 1
            if unit.kind is UnitKind.ITEM and self.words(self.units[first]).rstrip().endswith(":"):
                return True
        if unit.kind is UnitKind.ROW and first == place:
            return True  # the first row says what the others mean
        lead = self.units[first - 1] if first else None
        before = self.units[place - 1] if place else None
        if lead and lead.kind not in {UnitKind.HEADING, UnitKind.CODE} and _introduces(self.words(lead)):
            return True
        return bool(before and self._is_one_paragraph(before, unit) and _is_conditional(self.words(before)))

    def _is_one_paragraph(self, left: Unit, right: Unit) -> bool:
        """Whether nothing but white space within a paragraph stands between the two, so that they are of one list item as well."""
        gap = self.text[left.end : right.start]
        return left.kind is right.kind is not UnitKind.ROW and not gap.strip() and not _BLANK_LINE.search(gap)

    def _is_taken_back(self, place: int) -> bool:
        unit = self.units[place]
        after = self.units[place + 1] if place + 1 < len(self.units) else None
        if after is None or after.kind not in {UnitKind.SENTENCE, UnitKind.ITEM}:
            return False
        is_next_item = after.kind is UnitKind.ITEM and bool(self.text[unit.end : after.start].strip())
        return not is_next_item and _takes_back(self.words(after))

    def _headings(self, place: int) -> Iterator[str]:
        """The headings that it may stand below."""
        yield from self.section
        for unit in reversed(self.units[:place]):
            if unit.kind is UnitKind.HEADING and not self.words(unit).startswith(".."):
                yield self.words(unit)
                return


def _same(words: str, claim: str) -> bool:
    one, other = _unstopped(words), _unstopped(claim)
    is_plain = "`" not in words and "](" not in words
    return not (is_plain and bare(one) != bare(other)) and same_words(one, other, _FOLDS)


def _begins_small(words: str) -> bool:
    """Whether it begins with a plain word in small letters, as what is left of a sentence does."""
    first = words.lstrip("*").split(maxsplit=1)[0]
    return first[0].islower() and first.islower()


def _unstopped(words: str) -> str:
    """Without a full stop at the end."""
    words = words.strip()
    return words[:-1] if words.endswith(".") and not words.endswith("..") else words


def _plain(words: str) -> str:
    return Folded.of(words, _FOLDS).text.strip().lower()


def _points_outside(words: str) -> bool:
    """Whether it begins as the continuation of another sentence, or points at something that is not in it."""
    plain = _plain(words)
    found = _WORD.findall(plain)
    label = plain[: max(0, plain.find(": "))]
    return (
        not found
        or found[0] in _DEPENDENT
        or any(word in _POINTING for word in found)
        or _LEANS.search(plain) is not None
        or (label != "" and (_casts_doubt(label) or label in _QUIZ))
    )


def _introduces(words: str) -> bool:
    """Whether what follows a sentence may be meant only as the sentence says."""
    plain = _plain(words)
    if plain.endswith((":", "：")):
        return not _NEUTRAL.issuperset(_WORD.findall(plain))
    return plain.endswith(("?", "？", ",", ";")) or _casts_doubt(plain)


def _is_conditional(words: str) -> bool:
    """Whether a sentence says when something holds: the next one may hold then only."""
    return not (CONDITIONS | {"unless", "except"}).isdisjoint(_WORD.findall(_plain(words)))


def _takes_back(words: str) -> bool:
    """Whether a sentence limits or denies the one before it."""
    plain = _plain(words)
    found = _WORD.findall(plain)
    if not found:
        return False
    return (
        found[0] in _TAKES_BACK
        or plain.startswith(
            ("that said", "on the contrary", "in fact", "in reality", "on the other hand", "apart from")
        )
        or _VOIDS.search(plain) is not None
        or (found[0] in _BACK_AT_IT and (negates(plain) or qualifies(plain) or _casts_doubt(plain)))
    )


def _is_doubtful(heading: str, kind: UnitKind) -> bool:
    """Whether what stands below a heading may not hold as it stands.

    A sentence says itself what fails or stops; an item or row may be one of the things that its heading says so of.
    """
    plain = _plain(heading)
    found = _WORD.findall(plain)
    denied = (
        negates(plain) if kind is not UnitKind.SENTENCE else negates(" ".join(w for w in found if w not in _FAULTS))
    )
    return denied or "if" in found or _casts_doubt(plain)


def _casts_doubt(plain: str) -> bool:
    """Whether words say of others that someone else says so, or that they do not or may not hold now."""
    return not _DOUBT.isdisjoint(_WORD.findall(plain)) or _TRUTH.search(plain) is not None


def _limits(line: str) -> bool:
    """Whether a line of explicit markup makes what belongs to it a comment, a footnote, or something that holds only sometimes."""
    if not re.match(r"\.\.(?:\s|$)", line):
        return False
    directive = _DIRECTIVE.match(line)
    return directive is None or (directive[1] is None and directive[2] not in _HARMLESS | _OBJECTS)


def _is_open(words: str) -> bool:
    """Whether a bracket or quotation mark is not closed again."""
    return any(words.count(mark) % 2 for mark in _EVEN) or any(words.count(a) > words.count(b) for a, b in _PAIRS)


def _indent(line: str) -> int:
    expanded = line.expandtabs()
    return len(expanded) - len(expanded.lstrip())
