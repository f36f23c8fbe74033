"""Markers: the citation markers in an answer's text, and the claims that they stand behind. Checking and display read an answer with this.

What is a citation is decided by the ids that the answer's packet knows, compared character by character. Every run of brackets is
accounted for: it cites, it is text, it belongs to a footnote, or it is a finding.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from itertools import accumulate, chain

from toulmin.domain.claims.parts import Part, capitalised, clauses
from toulmin.domain.corpus.sentences import Unit, UnitKind, units
from toulmin.domain.corpus.text import paragraphs, trimmed

Range = tuple[int, int]


class RunKind(StrEnum):
    """What a run of brackets is."""

    CITATION = "citation"
    TEXT = "text"
    NOTE = "note"
    """A footnote's definition, `[^2]: see 2` with its lines; it cites nothing, and nothing in it is judged."""
    MALFORMED = "malformed"
    UNKNOWN = "unknown"
    """It reads like a citation, and names something that the packet does not hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A run of brackets, `text[start:end]`, and the ids that it cites; `says` tells a finding in a sentence."""

    start: int
    end: int
    kind: RunKind
    ids: tuple[str, ...] = ()
    says: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedText:
    """An answer's text with all its runs of brackets, in order; no two overlap."""

    text: str
    runs: tuple[Run, ...]

    @property
    def citations(self) -> tuple[Run, ...]:
        return self._of(RunKind.CITATION)

    @property
    def notes(self) -> tuple[Run, ...]:
        return self._of(RunKind.NOTE)

    @property
    def findings(self) -> tuple[Run, ...]:
        """What looks like a citation and is none."""
        return self._of(RunKind.MALFORMED, RunKind.UNKNOWN)

    def _of(self, *kinds: RunKind) -> tuple[Run, ...]:
        return tuple(run for run in self.runs if run.kind in kinds)


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedClaim:
    """What an answer says in one place: its words without markers and line ends, and the ids that stand behind them.

    `ranges` are the places in the answer where the words stand; words in `text` that stand in none of them are the subject that they
    share with the words before. `findings` are the runs among the markers that are no citation; a claim with one is not to be accepted.
    """

    text: str
    ids: tuple[str, ...]
    ranges: tuple[Range, ...]
    kind: UnitKind = UnitKind.SENTENCE
    findings: tuple[Run, ...] = ()


def parse(text: str, known: Collection[str]) -> CitedText:
    """Every run of brackets in an answer, given the ids that its packet knows.

    Read as citations: `[1]`, `[1, 2]`, `[1; 2]`, `[1-3]` with any dash, `[^1]`, `[[1]]`, and 【1†source】 with or without a position. Text
    are runs in code and links, runs that are parts of a word (`arr[1]`) unless a sentence or clause ends behind them, round brackets, a
    year behind a name (`Yan et al. [2004]`) where the packet has no such id, and whatever does not look like an id.
    """
    return CitedText(text=text, runs=tuple(_Reader(text, frozenset(known)).runs()))


def claims_of(text: str, known: Collection[str]) -> tuple[MarkedClaim, ...]:
    """What an answer claims, in order, each with the ids of the markers that stand behind its words.

    A marker after a full stop belongs to the sentence before; one that has no words before it in its paragraph to the sentence after it;
    one without any words is malformed, in a claim without text. A sentence with markers inside is cut behind a marker where a fact of its
    own begins; where none does, all of it stands on all its markers. Headings and code are among the claims, with their kinds; footnotes
    are not.
    """
    return tuple(_Claims(parse(text, known)).claims())


_INSIDE = r"(?:[^\[\]［］\r\n]|\r?\n(?!\s*\n)){0,300}"
_RUN = re.compile(
    rf"""
      (?P<escaped> \\[\[\]【】] )
    | (?P<link> !?\[ (?:[^\[\]]|\[[^\[\]]*\]){{0,300}}+ \]\( [^()\s]* (?:\([^()\s]*\)[^()\s]*){{0,9}} (?:\s+"[^"]{{0,300}}")? \) )
    | (?P<square> \[\[ (?P<double>{_INSIDE}) \]\] | [\[［] (?P<single>{_INSIDE}) [\]］] )
    | (?P<lens> 【 (?P<within>[^【】\r\n]{{0,300}}) 】 )
    | (?P<round> \( \s* [A-Za-z]{{0,3}}\d+ (?: \s*[,;–-]\s* [A-Za-z]{{0,3}}\d+ ){{0,99}} \s* \) )
    | (?P<stray> [\[\]［］【】] )
    """,
    re.VERBOSE,
)
_DEFINITION = re.compile(
    r"^[ ]{0,3}\[(?:\^(?P<footnote>[^\]\s]{1,99})\]:|[^\]\s]{1,99}\]:[ \t]*(?=<?(?:[a-z]+:|/|#|\.)))", re.MULTILINE
)
_BACKTICKS = re.compile(r"`+")
_SEPARATOR = re.compile(r"\s*[,;]\s*")
_DASH = "‐‑‒–—−-"
_DASHED = re.compile(rf"(\D*?)([0-9]+)\s*[{_DASH}]\s*(\D*?)([0-9]+)")
_NUMBERS = re.compile(rf"[\s,;:^\d{_DASH}]*\d[\s,;:^\d{_DASH}]*")
_SPOKEN = re.compile(
    r"(?:sources?|docs?|documents?|refs?|references?|citations?|passages?|evidence)[\s:#.]*\w*\d+", re.IGNORECASE
)
_SHORT_ID = re.compile(r"[A-Za-z]?[0-9]+")
_YEAR = re.compile(r"(?:1[5-9]|20)[0-9]{2}[a-z]?")
_NAME = re.compile(r"(?:\b[^\W\d_a-z][\w'’-]+|\bal\.),?\s*$")
_LETTER = re.compile("(?![\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff])\\w")
"""A letter or digit of a script that puts spaces between words."""

_CLAUSE_END = re.compile(r"(?:[\[［【][^\]］】]{0,99}[\]］】])*[)\"'”’]?[.,;:!?…](?=\s|$)")
_CUT_OFF = re.compile(r"\s*\^?[A-Za-z]{0,3}[0-9]+(?!\w)(?!\s*(?:,\s*[0-9.]+\s*)?\))")
_ALNUM = re.compile(r"[\w-]+")
_NON_DIGITS = re.compile(r"[^0-9]*")


@dataclass(frozen=True)
class _Reader:
    """A text and the ids that can be cited in it."""

    text: str
    ids: frozenset[str]

    @cached_property
    def folded(self) -> frozenset[str]:
        return frozenset(known.casefold() for known in self.ids)

    @cached_property
    def stems(self) -> frozenset[str]:
        """What ids begin with before their digits, in small letters; something else that begins so reads like an id."""
        return frozenset(map(_stem, self.ids))

    def runs(self) -> Iterator[Run]:
        code = _Places(self._code())
        definitions = tuple(self._definitions(code))
        notes = _Places(place for _, place in definitions)
        labels = frozenset(label for label, _ in definitions)
        runs = [Run(start=start, end=end, kind=RunKind.NOTE) for start, end in notes.ranges]
        text_until = -1
        for match in _RUN.finditer(self.text):
            start, end = match.span()
            if notes.meet(start, end):
                continue
            if code.meet(start, end) or start == text_until or self._is_inside_a_word(match):
                run = _text(start, end)
                text_until = end
            else:
                run = self._run(match, labels)
            runs.append(run)
        yield from sorted(runs, key=lambda run: run.start)

    def _definitions(self, code: _Places) -> Iterator[tuple[str, Range]]:
        """The footnotes and link targets that are defined: label, and range down to the next one or a blank line."""
        found = [match for match in _DEFINITION.finditer(self.text) if not code.meet(*match.span())]
        ends = [*(match.start() for match in found), len(self.text)][1:]
        for match, end in zip(found, ends, strict=True):
            _, stop = next(paragraphs(self.text, match.start(), end))
            yield match["footnote"] or "", (match.start(), stop)

    def _code(self) -> Iterator[Range]:
        """Code blocks and the spans between equal runs of backticks."""
        for unit in units(self.text):
            if unit.kind is UnitKind.CODE:
                yield unit.start, unit.end
        if "`" in self.text:
            for start, end in paragraphs(self.text):
                yield from _code_spans(self.text, start, end)

    def _is_inside_a_word(self, match: re.Match[str]) -> bool:
        """Whether a letter stands right after the run, or right before it where the clause goes on: `arr[1] is`, not `20 years[1].` and its end."""
        if match.lastgroup not in {"square", "lens"}:
            return False
        if _LETTER.match(self.text, match.end()):
            return True
        return self._follows_a_letter(match.start()) and not _CLAUSE_END.match(self.text, match.end())

    def _follows_a_letter(self, at: int) -> bool:
        return at > 0 and _LETTER.match(self.text, at - 1) is not None

    def _run(self, match: re.Match[str], labels: frozenset[str]) -> Run:
        start, end = match.span()
        if match.lastgroup == "square":
            inside = match["single"] if match["double"] is None else match["double"]
            run = self._bracketed(start, end, inside.strip(), labels)
        elif match.lastgroup == "lens":
            run = self._lens(start, end, match["within"].strip())
        elif match.lastgroup == "stray":
            return self._stray(start, end)
        else:
            return _text(start, end)
        if self._follows_a_letter(start) and run.kind is not RunKind.CITATION:
            return _text(start, end)
        return run

    def _stray(self, start: int, end: int) -> Run:
        """A bracket without its other half; with what looks like an id behind it, a marker cut off."""
        cut_off = _CUT_OFF.match(self.text, end) if self.text[start] in "[［【" else None
        if cut_off is None or self._follows_a_letter(start):
            return _text(start, end)
        return _finding(
            start, cut_off.end(), RunKind.MALFORMED, f"{self.text[start : cut_off.end()]!r} is never closed"
        )

    def _lens(self, start: int, end: int, inside: str) -> Run:
        """Full-width brackets, with or without what stands behind a dagger, and a position behind a colon."""
        head, dagger, _ = inside.partition("†")
        if not dagger:
            return self._bracketed(start, end, inside, frozenset())
        run = self._bracketed(start, end, head.partition(":")[0].strip(), frozenset())
        if run.kind is RunKind.TEXT:
            return _finding(start, end, RunKind.MALFORMED, f"{self.text[start:end]!r} names no source")
        return run

    def _bracketed(self, start: int, end: int, inside: str, labels: frozenset[str]) -> Run:
        """A run by what stands inside of its brackets."""
        shown = repr(self.text[start:end])
        if "†" in inside:
            return self._lens(start, end, inside)
        if inside.startswith("^"):
            label = inside.removeprefix("^").strip()
            if label not in self.ids and label in labels:
                return _text(start, end)
            inside = label
        if self._is_year(inside, start):
            return _text(start, end)
        named = self._named(inside)
        if isinstance(named, str):
            return _finding(start, end, RunKind.MALFORMED, f"{shown} {named}")
        if not named:
            return _text(start, end)
        unknown = [word for word in named if word not in self.ids]
        if unknown:
            says = f"{shown} cites {', '.join(unknown[:5])}: not among the sources"
            return _finding(start, end, RunKind.UNKNOWN, says)
        return Run(start=start, end=end, kind=RunKind.CITATION, ids=tuple(dict.fromkeys(named)))

    def _is_year(self, inside: str, start: int) -> bool:
        """Whether these are years behind a name that no source is called by: "Yan et al. [2004]"."""
        words = _SEPARATOR.split(inside)
        if any(word in self.ids or not _YEAR.fullmatch(word) for word in words):
            return False
        return _NAME.search(self.text, max(0, start - 40), start) is not None

    def _named(self, inside: str) -> tuple[str, ...] | str:
        """The ids named, known or not; none where these are words; or, in words, what is wrong."""
        if inside in self.ids:
            return (inside,)
        items = _SEPARATOR.split(inside)
        read = [self._item(item) for item in items]
        if all(read) and not any(isinstance(item, str) for item in read):
            return tuple(word for item in read for word in item)
        fault = next((item for item in read if isinstance(item, str)), None)
        if fault:
            return fault
        if "" in items and any(read):
            return "has an empty place"
        if _NUMBERS.fullmatch(inside):
            return "is no list of numbers" if inside.isascii() else "has digits other than 0 to 9, or no list of them"
        if any(read) or any(word in self.ids and not word.isdecimal() for word in _ALNUM.findall(inside)):
            return "names a source together with something else"
        return "names a source in words" if _SPOKEN.match(inside) else ()

    def _item(self, item: str) -> tuple[str, ...] | str:
        """The ids of one item of a list, of several for a range; see `_named`."""
        if item in self.ids or self._reads_like_an_id(item):
            return (item,)
        dashed = _DASHED.fullmatch(item)
        if dashed is None or not self._reads_like_an_id(dashed[1] + dashed[2]):
            return ()
        stem, first, second_stem, last = dashed.groups()
        if second_stem.strip() not in {"", stem.strip()}:
            return "is no range"
        if int(last) < int(first):
            return "is a range that runs backwards"
        if int(last) - int(first) >= len(self.ids):
            return (item,)  # longer than all that is known
        return tuple(f"{stem}{number:0{len(first)}d}" for number in range(int(first), int(last) + 1))

    def _reads_like_an_id(self, word: str) -> bool:
        """Whether this is written as short ids or as the known ones are, or begins as they do: "E" and "E99" where there is "E1"."""
        folded, stem = word.casefold(), _stem(word)
        if _SHORT_ID.fullmatch(word) or folded in self.folded:
            return True
        return bool(stem) and stem in self.stems and (folded == stem or folded.removeprefix(stem).isdecimal())


def _stem(word: str) -> str:
    found = _NON_DIGITS.match(word)
    return found[0].casefold() if found else ""


def _text(start: int, end: int) -> Run:
    return Run(start=start, end=end, kind=RunKind.TEXT)


def _finding(start: int, end: int, kind: RunKind, says: str) -> Run:
    return Run(start=start, end=end, kind=kind, says=says)


def _code_spans(text: str, start: int, end: int) -> Iterator[Range]:
    """What stands between two runs of as many backticks."""
    ticks = [(found.start(), found.end()) for found in _BACKTICKS.finditer(text, start, end)]
    later: dict[int, list[int]] = {}
    for first, last in reversed(ticks):
        later.setdefault(last - first, []).append(last)
    done = start
    for first, last in ticks:
        ends = later[last - first]
        ends.pop()
        if first >= done and ends:
            done = ends[-1]
            yield first, done


class _Places:
    """Ranges that can be asked whether they meet another one."""

    def __init__(self, ranges: Iterable[Range]) -> None:
        self.ranges = sorted(ranges)
        self._starts = [start for start, _ in self.ranges]
        self._reach = list(accumulate((end for _, end in self.ranges), max))

    def meet(self, start: int, end: int) -> bool:
        """Whether one of them has a character in common with `start` to `end`."""
        before = bisect_left(self._starts, end)
        return before > 0 and self._reach[before - 1] > start


_MARK = "\ue000"
"""Stands for each character that is taken out, so that nothing moves, until it is known what else goes with it."""

_MARKS = rf"{_MARK}++(?:(?:[ \t,;]|and)++{_MARK}++)*+"
_ASIDE = re.compile(rf"\(\s*(?:(?:see|cf|from|sources?|refs?|references?)\b[.:]?\s*)?{_MARKS}\s*\)", re.IGNORECASE)
_ATTRIBUTION = re.compile(
    rf"(?:^|(?<=[\n.!?:。！？]))[ \t]*(?:"
    rf"(?:According to|As (?:\w+ )?(?:in|by|per)|Based on|Per|From|In)\s+{_MARKS}\s*,"
    rf"|{_MARKS}\s+(?:says?|states?|notes?|shows?|confirms?|explains?|reports?|mentions?|writes?)\s+that\b)",
    re.IGNORECASE,
)
_LINE_END = re.compile(rf"(?<=\S)[ \t]*(?:\r\n|\n|\r)(?=[ \t]*{_MARK}[{_MARK} \t,;.]*(?:[\r\n]|$))")
"""Above a line that is nothing but markers."""

_BLANK_LINE = re.compile(r"(?:\r\n|\n|\r)[^\S\r\n]*[\r\n]")
_NEW_LINE = re.compile(r"[\r\n]")
_BEFORE_A_STOP = re.compile(r"(?<!\s)\s{2,}+(?=[.,;:!?…。，！？)])")
_KEPT = re.compile(rf"[^{_MARK}]+")
_WORD = re.compile(r"\w")
_LEFT_OVER = re.compile(r"[:,;]?\s*")
_STOPS = tuple(".!?…。！？")


class _Claims:
    """The claims of one answer, cut from its text with the markers taken out."""

    def __init__(self, parsed: CitedText) -> None:
        self._text = parsed.text
        self._markers = sorted((*parsed.citations, *parsed.findings), key=lambda run: run.start)
        marked = _taken_out(parsed.text, sorted((run.start, run.end) for run in (*self._markers, *parsed.notes)))
        marked = _ASIDE.sub(_marks, marked)
        self._introduced = {found.end() for found in _ATTRIBUTION.finditer(marked)}
        self._marked = _LINE_END.sub(_marks, _ATTRIBUTION.sub(_marks, marked))
        self._words = self._marked.replace(_MARK, " ")

    def claims(self) -> list[MarkedClaim]:
        """All claims, in the order of the places where they stand."""
        found = [
            unit for unit in map(self._cleaned, units(self._words)) if _WORD.search(self._words, unit.start, unit.end)
        ]
        owned: list[list[Run]] = [[] for _ in found]
        placed: list[tuple[int, MarkedClaim]] = []
        for at, runs in self._between(found, owned):
            before, after = found[at - 1] if at else None, found[at] if at < len(found) else None
            ours, nobodys, theirs = self._shared_out(before, runs, after, taken=bool(at and owned[at - 1]))
            if ours:
                owned[at - 1] += ours
            if theirs:
                owned[at] = [*theirs, *owned[at]]
            placed += [(group[0].start, _wordless(group)) for group in nobodys]
        for unit, runs in zip(found, owned, strict=True):
            placed += [(claim.ranges[0][0], claim) for claim in self._of(unit, runs)]
        return [claim for _, claim in sorted(placed, key=lambda pair: pair[0])]

    def _cleaned(self, unit: Unit) -> Unit:
        """The unit without the comma or colon that is left where a marker stood before it."""
        left_over = _LEFT_OVER.match(self._words, unit.start, unit.end)
        taken_out = unit.start > 0 and self._marked[unit.start - 1] == _MARK
        return replace(unit, start=left_over.end()) if left_over and taken_out else unit

    def _between(self, found: Sequence[Unit], owned: Sequence[list[Run]]) -> list[tuple[int, list[Run]]]:
        """Gives markers inside of a unit to it; the others with the number of the unit that they stand before."""
        starts = [unit.start for unit in found]
        gaps: dict[int, list[Run]] = {}
        for run in self._markers:
            at = bisect_right(starts, run.start)
            if at and run.start < found[at - 1].end:
                owned[at - 1].append(run)
            else:
                gaps.setdefault(at, []).append(run)
        return list(gaps.items())

    def _shared_out(
        self, before: Unit | None, runs: Sequence[Run], after: Unit | None, *, taken: bool
    ) -> tuple[list[Run], list[list[Run]], list[Run]]:
        """The markers between two units that belong to the one before, to nothing, and to the one after; blank lines part them."""
        ends = [before.end if before else 0, *(run.end for run in runs)]
        groups: list[list[Run]] = [[]]
        for end, run in zip(ends, runs, strict=False):
            if _BLANK_LINE.search(self._text, end, run.start):
                groups.append([])
            groups[-1].append(run)
        near_before = bool(before and before.kind is not UnitKind.CODE and groups[0])
        near_after = bool(
            after
            and after.kind is not UnitKind.CODE
            and groups[-1]
            and not _BLANK_LINE.search(self._text, runs[-1].end, after.start)
        )
        if before and after and near_before and near_after and len(groups) == 1:
            cut = self._turn(before, runs, after, taken=taken)
            return list(runs[:cut]), [], list(runs[cut:])
        ours = groups.pop(0) if near_before else []
        theirs = groups.pop() if near_after and groups else []
        return ours, [group for group in groups if group], theirs

    def _turn(self, before: Unit, runs: Sequence[Run], after: Unit, *, taken: bool) -> int:
        """How many of the markers between two units belong to the first; the others begin the line of the second."""
        is_apart = after.kind is not UnitKind.SENTENCE or before.kind is UnitKind.HEADING
        is_open = not self._words[before.start : before.end].endswith(_STOPS)
        if _NEW_LINE.search(self._text, runs[-1].end, after.start):
            return len(runs)
        ends = [before.end, *(run.end for run in runs)]
        for number, run in enumerate(runs):
            if _NEW_LINE.search(self._text, ends[number], run.start) and (is_apart or is_open or taken or number):
                return number
        return len(runs)

    def _of(self, unit: Unit, runs: Sequence[Run]) -> Iterator[MarkedClaim]:
        """The claims of a unit with its markers."""
        words = self._words[unit.start : unit.end]
        inside = [run for run in runs if unit.start <= run.start < unit.end]
        pieces = clauses(words, pronouns=True) if inside and unit.kind in {UnitKind.SENTENCE, UnitKind.ITEM} else ()
        groups = list(_grouped(pieces, unit.start, runs))
        if len(groups) < 2:
            text = words if unit.kind is UnitKind.CODE else _tidy(words)
            if any(not self._words[end : unit.start].strip() for end in self._introduced if end <= unit.start):
                text = capitalised(text)
            yield self._claim(text, unit.kind, runs, unit.start, unit.end)
            return
        for parts, own in groups:
            for part in parts:
                yield self._claim(_tidy(part.text), unit.kind, own, unit.start + part.start, unit.start + part.end)

    def _claim(self, text: str, kind: UnitKind, runs: Sequence[Run], start: int, end: int) -> MarkedClaim:
        kept = (trimmed(self._marked, *found.span()) for found in _KEPT.finditer(self._marked, start, end))
        return MarkedClaim(
            text=text,
            ids=tuple(dict.fromkeys(word for run in runs for word in run.ids)),
            ranges=tuple((first, last) for first, last in kept if first < last),
            kind=kind,
            findings=tuple(run for run in runs if run.kind is not RunKind.CITATION),
        )


def _grouped(pieces: Sequence[Part], start: int, runs: Sequence[Run]) -> Iterator[tuple[list[Part], list[Run]]]:
    """The parts of a sentence that begins at `start`, together up to one behind which a marker stands, each group with its markers."""
    parts: list[Part] = []
    own: list[Run] = []
    ends = [*(piece.start + start for piece in pieces), None][1:]
    rest = list(runs)
    for piece, end in zip(pieces, ends, strict=True):
        here = [run for run in rest if end is None or run.start < end]
        rest = rest[len(here) :]
        parts, own = [*parts, piece], [*own, *here]
        if end is None or any(run.start >= start + piece.end for run in here):
            yield parts, own
            parts, own = [], []


def _wordless(runs: Sequence[Run]) -> MarkedClaim:
    says = "there are no words that this could stand behind"
    findings = tuple(_finding(run.start, run.end, RunKind.MALFORMED, run.says or says) for run in runs)
    return MarkedClaim(text="", ids=(), ranges=(), findings=findings)


def _taken_out(text: str, places: Sequence[Range]) -> str:
    """The text with marks in place of all characters there, line ends aside."""
    ends = [0, *(end for _, end in places)]
    starts = [*(start for start, _ in places), len(text)]
    kept = [text[end:start] for end, start in zip(ends, starts, strict=True)]
    gone = ["".join(sign if sign in "\r\n" else _MARK for sign in text[start:end]) for start, end in places]
    return "".join(chain.from_iterable(zip(kept, [*gone, ""], strict=True)))


def _marks(found: re.Match[str]) -> str:
    return _MARK * len(found[0])


def _tidy(words: str) -> str:
    """The words on one line, without the gaps that markers left."""
    return " ".join(_BEFORE_A_STOP.sub("", words).split())
