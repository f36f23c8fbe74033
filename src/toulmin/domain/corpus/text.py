"""Canonical text: finding a quote in it without changing it, and the units and lines in which it is counted.

A text and a quote may differ in ways that a reader does not see. Each such difference is a *fold*: a named normalisation with a map
back, so that what is found in the folded text is reported as offsets into the unchanged one. Offsets are half-open and count
Unicode code points (the unit of the W3C TextPositionSelector).
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate, chain

WHITE_SPACE = " \t\n\v\f\r\x85\u2028\u2029"
"""The white space that quotes are compared without regard to. A no-break space is not among it: it keeps words together."""

_ZERO_WIDTH_JOINER = "\u200d"
_NON_ASCII_RUN = re.compile(r"[\x00-\x7f]?[^\x00-\x7f]+")  # with the letter that a first combining mark belongs to
_SPACES = re.compile("(  +)")
_LINE = re.compile(r"[^\r\n]+(?:\r\n|\n|\r)?|\r\n|\n|\r")
_LINE_END = "\r\n"
_BLANK_LINES = re.compile(r"(?:(?>\r\n|\n|\r)[^\S\r\n]*){2,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fold:
    """A named normalisation that can be traced back.

    `alike` replaces single characters by single characters and so moves nothing. `split` parts a text, after that, into what stays and
    what changes, by turns and beginning and ending with what stays; `replace` gives what is put in for one of the changing parts.
    """

    name: str
    alike: Mapping[str, str] = field(default_factory=dict)
    split: Callable[[str], list[str]]
    replace: Callable[[str], str]

    def changes(self, text: str) -> bool:
        """Whether the text is another one after this fold."""
        return any(character in text for character in self.alike) or len(self.split(text)) > 1


def _split_uncomposed(text: str) -> list[str]:
    """Parts out the characters that are not in Unicode normalisation form C, each with the marks that belong to it."""
    if unicodedata.is_normalized("NFC", text):
        return [text]
    parts, done = [], 0
    for run in _NON_ASCII_RUN.finditer(text):
        if unicodedata.is_normalized("NFC", run[0]):
            continue
        for start, end in _clusters(text, run.start(), run.end()):
            if not unicodedata.is_normalized("NFC", text[start:end]):
                parts += [text[done:start], text[start:end]]
                done = end
    return [*parts, text[done:]]


def _clusters(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Pieces that compose on their own: no character of one joins with a character of the next."""
    first = start
    for at in range(start + 1, end):
        if not _composes_backwards(text[at]):
            yield first, at
            first = at
    yield first, end


def _composes_backwards(character: str) -> bool:
    """Marks, and the vowels and final consonants of Hangul: all that may become one with the character before it."""
    return (
        unicodedata.category(character).startswith("M")
        or "\u1161" <= character <= "\u1175"
        or "\u11a8" <= character <= "\u11c2"
    )


FOLDS = (
    Fold(name="nfc", split=_split_uncomposed, replace=partial(unicodedata.normalize, "NFC")),
    Fold(
        name="white-space",
        alike={character: " " for character in WHITE_SPACE if character != " "},
        split=_SPACES.split,
        replace=lambda _: " ",
    ),
)
"""What quote and text are compared after, in this order."""


@dataclass(frozen=True, slots=True)
class _Layer:
    """The map of one fold: where its n-th replacement begins and ends in the folded text, and what it replaced in the text before."""

    starts: Sequence[int]
    ends: Sequence[int]
    source_starts: Sequence[int]
    source_ends: Sequence[int]

    def source_start(self, start: int) -> int:
        at = bisect_right(self.starts, start) - 1
        if at < 0:
            return start
        return self.source_starts[at] if start < self.ends[at] else self.source_ends[at] + start - self.ends[at]

    def source_end(self, end: int) -> int:
        at = bisect_left(self.starts, end) - 1
        if at < 0:
            return end
        return self.source_ends[at] if end <= self.ends[at] else self.source_ends[at] + end - self.ends[at]


@dataclass(frozen=True, slots=True)
class Folded:
    """A text after the folds, and the way back to the unchanged text."""

    text: str
    layers: tuple[_Layer, ...] = ()

    @classmethod
    def of(cls, text: str, folds: tuple[Fold, ...] = FOLDS) -> Folded:
        """The text after the folds, one after the other."""
        layers = []
        for fold in folds:
            for character, stand_in in fold.alike.items():
                text = text.replace(character, stand_in)
            parts = fold.split(text)
            if len(parts) > 1:
                text, layer = _replaced(parts, fold.replace)
                layers.append(layer)
        return cls(text, tuple(layers))

    def source(self, start: int, end: int) -> tuple[int, int]:
        """The range of the unchanged text that `text[start:end]` stands for; a range not empty stays not empty.

        A range that begins or ends inside of what a fold put in is widened to all that it was put in for.
        """
        for layer in reversed(self.layers):
            start, end = layer.source_start(start), layer.source_end(end)
        return start, end


def _replaced(parts: list[str], replace: Callable[[str], str]) -> tuple[str, _Layer]:
    """The text in which every second part is replaced, and the map back; of one integer a replacement, not a character."""
    source_bounds = list(accumulate(map(len, parts)))
    parts[1::2] = map(replace, parts[1::2])
    bounds = list(accumulate(map(len, parts)))
    return "".join(parts), _Layer(bounds[:-1:2], bounds[1::2], source_bounds[:-1:2], source_bounds[1::2])


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Match:
    """Where a quote occurs: `text[start:end]`, and the names of the folds that changed the stored words or the quote."""

    start: int
    end: int
    folds: tuple[str, ...] = ()

    @property
    def exact(self) -> bool:
        """Whether the stored words are the quote as it was given."""
        return not self.folds


def locate(text: str, quote: str, *, prefix: str | None = None, suffix: str | None = None) -> tuple[Match, ...]:
    """Every occurrence of a quote in a text, in order, those that overlap included.

    Text, quote, prefix and suffix are compared after the folds. White space around the quote is ignored, and so is white space where it
    meets `prefix` and `suffix`: the words just before and after it (W3C TextQuoteSelector). A quote without any words occurs nowhere,
    and no occurrence begins or ends inside of what a reader sees as one character.
    """
    quote = quote.strip(WHITE_SPACE)
    wanted, before, after = _words(quote), _words(prefix or ""), _words(suffix or "")
    folded = Folded.of(text)
    spans = dict.fromkeys(  # several places in the folded text may widen to the same stored words
        folded.source(start, end)
        for start, end in _occurrences(folded.text, wanted)
        if _ends_with(folded.text, before, start) and _starts_with(folded.text, after, end)
        if not parts_a_character(folded.text, start) and not parts_a_character(folded.text, end)
    )
    return tuple(Match(start=start, end=end, folds=_folds_between(text[start:end], quote)) for start, end in spans)


def same_words(a: str, b: str) -> bool:
    """Whether two texts are equal after the folds, white space around them aside."""
    return _words(a) == _words(b)


def parts_a_character(text: str, at: int) -> bool:
    """Whether a cut before `text[at]` would part what a reader sees as one character.

    That is a letter with its combining marks, an emoji with its modifiers, characters joined by U+200D, or a CRLF.
    """
    if not 0 < at < len(text):
        return False
    left, right = text[at - 1], text[at]
    return (
        _composes_backwards(right)
        or _ZERO_WIDTH_JOINER in (left, right)
        or "\U0001f3fb" <= right <= "\U0001f3ff"
        or left + right == _LINE_END
    )


def utf16_range(text: str, start: int, end: int) -> tuple[int, int]:
    """The same range in UTF-16 code units, as browsers count."""
    if text.isascii():
        return start, end
    before = _utf16_length(text[:start])
    return before, before + _utf16_length(text[start:end])


def lines(text: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    """Half-open ranges of the lines of `text[start:end]`, without their line ends: CRLF, LF or CR, mixed as they come."""
    for line in _LINE.finditer(text, start, len(text) if end is None else end):
        yield line.start(), line.start() + len(line[0].rstrip(_LINE_END))


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """The range without white space at either end, of any kind that Unicode knows; empty where nothing else is in it."""
    words = text[start:end]
    first = end - len(words.lstrip())
    return first, max(first, start + len(words.rstrip()))


def paragraphs(text: str, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    """Half-open ranges of the runs of lines in `text[start:end]` that no blank line parts, without white space at their ends."""
    end = len(text) if end is None else end
    for stop in chain((blank.end() for blank in _BLANK_LINES.finditer(text, start, end)), (end,)):
        first, last = trimmed(text, start, stop)
        if first < last:
            yield first, last
        start = stop


def _words(text: str) -> str:
    return Folded.of(text).text.strip(" ")


def _occurrences(text: str, wanted: str) -> Iterator[tuple[int, int]]:
    at = text.find(wanted) if wanted else -1
    while at >= 0:
        yield at, at + len(wanted)
        at = text.find(wanted, at + 1)


def _ends_with(text: str, words: str, end: int) -> bool:
    """Whether the folded text before `end` ends with the words."""
    return text.endswith(words, 0, end) or (text.endswith(" ", 0, end) and text.endswith(words, 0, end - 1))


def _starts_with(text: str, words: str, start: int) -> bool:
    """Whether the folded text from `start` on starts with the words."""
    return text.startswith(words, start) or (text.startswith(" ", start) and text.startswith(words, start + 1))


def _folds_between(stored: str, quote: str) -> tuple[str, ...]:
    if stored == quote:
        return ()
    return tuple(fold.name for fold in FOLDS if fold.changes(stored) or fold.changes(quote))


def _utf16_length(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
