"""Canonical text: finding a quote in it without changing it, and the units and lines in which it is counted.

What is found in a folded text is reported as offsets into the unchanged one. Offsets are half-open and count Unicode code points (the
unit of the W3C TextPositionSelector).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain, pairwise
from typing import AnyStr

from toulmin.domain.corpus.folds import (
    FOLDS,
    INNER_HYPHEN,
    MAYBE_HYPHEN,
    WHITE_SPACE,
    Fold,
    Folded,
    bare,
    composes_backwards,
)

_ZERO_WIDTH_JOINER = "\u200d"
_ASCII = re.compile(r"[\x00-\x7f]")
_CHUNK = 1024
_CONTEXT = 64
_HYPHEN = re.compile(f"[-{MAYBE_HYPHEN}]")
_LINE = re.compile(r"[^\r\n]+(?:\r\n|\n|\r)?|\r\n|\n|\r")
_LINE_END = "\r\n"
_BLANK_LINES = re.compile(r"(?:(?>\r\n|\n|\r)[^\S\r\n]*){2,}")


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Match:
    """Where a quote occurs: `text[start:end]`, and the names of the folds that make the stored words and the quote equal."""

    start: int
    end: int
    folds: tuple[str, ...] = ()

    @property
    def exact(self) -> bool:
        """Whether the stored words are the quote as it was given."""
        return not self.folds


@dataclass(frozen=True, slots=True)
class Searched:
    """A text in which any number of quotes can be looked for.

    Folding takes long; so the letters that no fold touches are compared first, and only where these agree the text is folded.
    `bounds` cut the text in chunks, `bare_bounds` the bare letters of all of them.
    """

    text: str
    folds: Sequence[Fold]
    bounds: Sequence[int]
    bare: bytes
    bare_bounds: Sequence[int]

    @classmethod
    def of(cls, text: str, folds: Sequence[Fold] = FOLDS) -> Searched:
        """The text, where quotes are found after the folds."""
        bounds = _chunk_bounds(text)
        chunks = [bare(text[start:end]) for start, end in pairwise(bounds)]
        return cls(text, folds, bounds, b"".join(chunks), list(accumulate(map(len, chunks), initial=0)))

    def locate(
        self,
        quote: str,
        *,
        prefix: str | None = None,
        suffix: str | None = None,
        within: tuple[int, int] | None = None,
    ) -> tuple[Match, ...]:
        """Every occurrence of a quote, as the function `locate` finds them; those `within` a range of the text at least."""
        quote = quote.strip(WHITE_SPACE)
        wanted, before, after = (_words(words, self.folds) for words in (quote, prefix or "", suffix or ""))
        spans = dict.fromkeys(  # several places in the folded text may widen to the same stored words
            span
            for place in self._places(f"{before} {wanted} {after}", within or (0, len(self.text)))
            for span in self._spans(place, wanted, before, after)
        )
        return tuple(
            Match(start=start, end=end, folds=folds_between(self.text[start:end], quote, self.folds))
            for start, end in spans
        )

    def _places(self, wanted: str, within: tuple[int, int]) -> Sequence[tuple[int, int]]:
        """Ranges, apart and in order, that hold whatever in a range of the text is equal to the wanted words after the folds."""
        letters, reach = bare(wanted), 2 * len(wanted) + _CONTEXT
        places = [] if letters else [within]
        first = self.bare_bounds[max(0, bisect_right(self.bounds, within[0]) - 1)]
        last = self.bare_bounds[bisect_left(self.bounds, within[1])]
        for at, stop in _finds(self.bare, letters, first, last):
            start = max(0, self.bounds[bisect_right(self.bare_bounds, at) - 1] - reach)
            end = min(len(self.text), self.bounds[bisect_left(self.bare_bounds, stop)] + reach)
            if places and start <= places[-1][1]:
                start, _ = places.pop()
            places.append((start, end))
        return places

    def _spans(self, place: tuple[int, int], wanted: str, before: str, after: str) -> Iterator[tuple[int, int]]:
        """The ranges of the stored words inside of a place that are the wanted ones after the folds, between those before and after."""
        first, last = place
        shift = max(0, first - _CONTEXT)
        folded = Folded.of(self.text[shift : last + _CONTEXT], self.folds)
        for start, end in _occurrences(folded.text, wanted):
            whole = not parts_a_character(folded.text, start) and not parts_a_character(folded.text, end)
            if whole and _ends_with(folded.text, before, start) and _starts_with(folded.text, after, end):
                begin, stop = (shift + at for at in folded.source(start, end))
                if first <= begin and stop <= last:
                    yield begin, stop


def locate(text: str, quote: str, *, prefix: str | None = None, suffix: str | None = None) -> tuple[Match, ...]:
    """Every occurrence of a quote in a text, in order, those that overlap included.

    Text, quote, prefix and suffix are compared after the folds. White space around the quote is ignored, and so is white space where it
    meets `prefix` and `suffix`: the words just before and after it (W3C TextQuoteSelector). A quote without any words occurs nowhere,
    and no occurrence begins or ends inside of what a reader sees as one character.
    """
    return Searched.of(text).locate(quote, prefix=prefix, suffix=suffix)


def locate_exactly(text: str, quote: str) -> tuple[Match, ...]:
    """Every occurrence of a quote as it is, white space around it aside."""
    return tuple(
        Match(start=start, end=end)
        for start, end in _finds(text, quote.strip(WHITE_SPACE))
        if not parts_a_character(text, start) and not parts_a_character(text, end)
    )


def same_words(a: str, b: str, folds: Sequence[Fold] = FOLDS) -> bool:
    """Whether two texts are equal after the folds, white space around them aside."""
    one, other = _words(a, folds), _words(b, folds)
    return one == other or (_without_hyphens(one) == _without_hyphens(other) and _may_agree(one, other))


def parts_a_character(text: str, at: int) -> bool:
    """Whether a cut before `text[at]` would part what a reader sees as one character.

    That is a letter with its combining marks, an emoji with its modifiers, characters joined by U+200D, or a CRLF.
    """
    if not 0 < at < len(text):
        return False
    left, right = text[at - 1], text[at]
    return (
        composes_backwards(right)
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


def _chunk_bounds(text: str) -> list[int]:
    """Where a text may be cut without any character of one chunk joining with one of the next."""
    bounds = [0]
    while found := _ASCII.search(text, bounds[-1] + _CHUNK):
        bounds.append(found.start())
    return [*bounds, len(text)]


def _words(text: str, folds: Sequence[Fold]) -> str:
    return Folded.of(text, folds).text.strip(" ")


def _occurrences(text: str, wanted: str) -> Iterator[tuple[int, int]]:
    """Where the wanted words stand in a text, both folded; a hyphen that may be one is read in both ways."""
    if MAYBE_HYPHEN not in text and MAYBE_HYPHEN not in wanted:
        yield from _finds(text, wanted)
        return
    loose = Folded.of(text, (INNER_HYPHEN,))
    candidates = (loose.source(start, end) for start, end in _finds(loose.text, _without_hyphens(wanted)))
    alike = ((start, end) for start, end in candidates if _may_agree(text[start:end], wanted))
    yield from sorted({*_finds(text, wanted), *alike})


def _finds(text: AnyStr, wanted: AnyStr, start: int = 0, end: int | None = None) -> Iterator[tuple[int, int]]:
    at = text.find(wanted, start, end) if wanted else -1
    while at >= 0:
        yield at, at + len(wanted)
        at = text.find(wanted, at + 1, end)


def _without_hyphens(words: str) -> str:
    return Folded.of(words, (INNER_HYPHEN,)).text


def _may_agree(one: str, other: str) -> bool:
    """Whether two texts that are equal without the hyphens inside of their words are equal in one reading of those that may be none."""
    (firm, open_), (other_firm, other_open) = _hyphens(one), _hyphens(other)
    return firm ^ other_firm <= open_ | other_open


def _hyphens(words: str) -> tuple[set[int], set[int]]:
    """The places of the hyphens, and of those that may be one, counted without them."""
    places: dict[str, set[int]] = {"-": set(), MAYBE_HYPHEN: set()}
    for number, found in enumerate(_HYPHEN.finditer(words)):
        places[found[0]].add(found.start() - number)
    return places["-"], places[MAYBE_HYPHEN]


def _ends_with(text: str, words: str, end: int) -> bool:
    """Whether the folded text before `end` ends with the words."""
    return text.endswith(words, 0, end) or (text.endswith(" ", 0, end) and text.endswith(words, 0, end - 1))


def _starts_with(text: str, words: str, start: int) -> bool:
    """Whether the folded text from `start` on starts with the words."""
    return text.startswith(words, start) or (text.startswith(" ", start) and text.startswith(words, start + 1))


def folds_between(stored: str, quote: str, folds: Sequence[Fold]) -> tuple[str, ...]:
    """The names of the folds that it takes until both are equal, without those that change neither."""
    names = []
    for fold in folds:
        if stored == quote:
            break
        if fold.changes(stored) or fold.changes(quote):
            names.append(fold.name)
            stored, quote = Folded.of(stored, (fold,)).text, Folded.of(quote, (fold,)).text
    return tuple(names)


def _utf16_length(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
