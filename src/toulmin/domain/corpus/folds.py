"""Folds: differences between two texts that a reader does not see, each named, with a map back to the unchanged text.

None of them touches a digit, the sign of a number, the case of a letter, or where a word begins and ends.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import accumulate

WHITE_SPACE = " \t\n\v\f\r\x85\u2028\u2029"
"""The white space that quotes are compared without regard to. A no-break space is not among it: it keeps words together."""

MAYBE_HYPHEN = "\ud800"
"""What stands in a folded text for a hyphen at a line end, which may or may not belong to the word. No stored text holds a surrogate."""

_LETTER = r"[^\W\d_]"
_AFTER_A_LETTER = rf"(?<={_LETTER}-|[\u0300-\u036f]-)"
_LINE_END = r"(?:\r\n|\n|\r)"
_NON_ASCII_RUN = re.compile(r"[\x00-\x7f]?[^\x00-\x7f]+")  # with the letter that a first combining mark belongs to
_SOFT_HYPHENS = re.compile(rf"\u00ad\u00ad*+(?P<break>[ \t]*{_LINE_END}[ \t]*)?+")
_WORD_BROKEN = re.compile(rf"(?P<letter>{_LETTER}|[\u0300-\u036f]){_LINE_END}?\Z")
_LONGEST_BREAK = 3

_LIGATURES = {
    "\ufb00": "ff",
    "\ufb01": "fi",
    "\ufb02": "fl",
    "\ufb03": "ffi",
    "\ufb04": "ffl",
    "\ufb05": "st",
    "\ufb06": "st",
}
_INVISIBLE = "\u00ad\u200b\u2060\ufeff"
_NOT_BARE = bytes(code for code in range(256) if code >= 128 or not chr(code).isalnum() or chr(code) in "filst")


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
    def of(cls, text: str, folds: Sequence[Fold]) -> Folded:
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


def bare(text: str) -> bytes:
    """The letters and digits of a text that no fold here touches, in ASCII: what two texts that are equal after the folds have in common.

    Letters that a ligature may stand for are not among them. Of two texts in a row, of which the second begins with an ASCII character,
    those of the first and then those of the second.
    """
    if not text.isascii():
        for character in _INVISIBLE:
            text = text.replace(character, "")
        text = unicodedata.normalize("NFC", text)
    return text.encode("utf-8", "surrogatepass").translate(None, _NOT_BARE)


def composes_backwards(character: str) -> bool:
    """Marks, and the vowels and final consonants of Hangul: all that may become one with the character before it."""
    return (
        unicodedata.category(character).startswith("M")
        or "\u1161" <= character <= "\u1175"
        or "\u11a8" <= character <= "\u11c2"
    )


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
        if not composes_backwards(text[at]):
            yield first, at
            first = at
    yield first, end


def _split_soft_hyphens(text: str) -> list[str]:
    """Parts out the soft hyphens, and inside of a word the line ends beside them."""
    parts, done = [], 0
    for found in _SOFT_HYPHENS.finditer(text) if "\u00ad" in text else ():
        start, end = found.span()
        word = _WORD_BROKEN.search(text, max(done, start - _LONGEST_BREAK), start)
        if word and text[end : end + 1].isalpha():
            start = word.end("letter")
        elif found["break"]:
            end = found.start("break")
        parts += [text[done:start], text[start:end]]
        done = end
    return [*parts, text[done:]]


def _splits_at(pattern: str, hint: str = "") -> Callable[[str], list[str]]:
    """A function that parts out what the pattern finds; it is not searched for in a text without any character of the hint."""
    split = re.compile(f"({pattern})").split
    return lambda text: split(text) if not hint or any(character in text for character in hint) else [text]


def _nowhere(text: str) -> list[str]:
    return [text]


def _instead(words: str) -> Callable[[str], str]:
    return lambda _: words


ZERO_WIDTH = Fold(
    name="zero-width",
    alike={"\u2060": "\u200b", "\ufeff": "\u200b"},
    split=_splits_at("\u200b\u200b*+"),
    replace=_instead(""),
)
"""Zero-width spaces, word joiners and byte order marks go; the joiners of emoji and of several scripts (U+200C, U+200D) mean something."""

SOFT_HYPHEN = Fold(name="soft-hyphen", split=_split_soft_hyphens, replace=_instead(""))

LIGATURE = Fold(
    name="ligature", split=_splits_at("[\ufb00-\ufb06]", hint="".join(_LIGATURES)), replace=_LIGATURES.__getitem__
)

HYPHEN = Fold(
    name="hyphen",
    alike={"\u2010": "-"},
    split=_nowhere,
    replace=_instead(""),
)

LINE_BREAK = Fold(
    name="line-break",
    split=_splits_at(rf"-(?=[ \t\r\n]){_AFTER_A_LETTER}[ \t]*{_LINE_END}[ \t]*(?={_LETTER})"),
    replace=_instead(MAYBE_HYPHEN),
)
"""A hyphen at a line end inside of a word: "well-known" and "wellknown" are both what it may stand for."""

QUOTATION_MARK = Fold(
    name="quotation-mark",
    alike=dict.fromkeys("\u2018\u2019\u201a\u201b", "'") | dict.fromkeys("\u201c\u201d\u201e\u201f", '"'),
    split=_nowhere,
    replace=_instead(""),
)
"""Typographic apostrophes and quotation marks are the plain ones; guillemets and corner brackets are marks of their own."""

DASH = Fold(
    name="dash",
    alike=dict.fromkeys("\u2011\u2212\ufe63\uff0d", "-") | dict.fromkeys("\u2012\u2014\u2015", "\u2013"),
    split=_splits_at(r"\u2013(?:(?<=\w\u2013)|(?![^\w\s]?\d))"),
    replace=_instead("-"),
)
"""Dashes, the minus sign and the hyphen are one mark, but a dash just before a number stays a dash: it must not become a minus."""

SPACE = Fold(
    name="space",
    alike=dict.fromkeys(
        "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000", " "
    ),
    split=_nowhere,
    replace=_instead(" "),
)
"""No-break, narrow, thin and wide spaces are spaces."""

ELLIPSIS = Fold(name="ellipsis", split=_splits_at("\u2026"), replace=_instead("..."))

NFC = Fold(name="nfc", split=_split_uncomposed, replace=partial(unicodedata.normalize, "NFC"))

SPACES = Fold(
    name="white-space",
    alike={character: " " for character in WHITE_SPACE if character != " "},
    split=_splits_at("  ++"),
    replace=_instead(" "),
)

FOLDS = (NFC, SPACES)
"""What the words of curated spans and propositions are compared after, in this order."""

QUOTE_FOLDS = (ZERO_WIDTH, SOFT_HYPHEN, LIGATURE, HYPHEN, LINE_BREAK, QUOTATION_MARK, DASH, SPACE, ELLIPSIS, *FOLDS)
"""What a quotation is compared after, in this order: each is done before another one could hide what it looks for."""

INNER_HYPHEN = Fold(
    name="inner-hyphen",
    alike={MAYBE_HYPHEN: "-"},
    split=_splits_at(rf"-{_AFTER_A_LETTER}(?={_LETTER})"),
    replace=_instead(""),
)
"""Takes the hyphens inside of words away, to find words that may or may not hold one; what is found so has still to be compared."""
