"""Quotes: whether words that are given as a quotation stand in a text, where, and what they leave out."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from itertools import pairwise

from toulmin.domain.corpus.folds import MAYBE_HYPHEN, QUOTE_FOLDS, Folded
from toulmin.domain.corpus.markup import MARKS, MARKUP, holds_markup
from toulmin.domain.corpus.sentences import sentences
from toulmin.domain.corpus.text import Match, Searched, locate_exactly, trimmed

NEGATIONS = frozenset(
    """
    aint cannot except excepting excluding hardly neither never no nobody none nor not nothing nowhere barely rarely save scarcely seldom
    unless unlike without
    """.split()
)
"""English words that deny what they belong to. So do contractions with "n't"; `negates` knows them."""

DENIALS = frozenset(
    """
    absent avoid avoids deny denied denies denying fail failed failing fails failure false forbid forbidden forbids impossible incorrect
    lack lacked lacking lacks miss missing myth prevent prevented preventing prevents prohibit prohibited prohibits refuse refused refuses
    refusing stop stopped stops unable untrue wrong
    """.split()
)
"""English words that deny without a negation."""

CONDITIONS = frozenset(
    """
    assuming conditionally if lest provided providing supposing till until when whenever wherever while
    """.split()
)
"""English words that say when something holds. So do "unless" and "except", which are negations as well."""

LIMITS = frozenset("albeit although but despite however only otherwise though whereas whether yet".split())
"""English words that set a limit to what they stand beside."""

_TIMES = frozenset("after before once".split())
"""English words that say when something holds, where a sentence is cut off before them."""

_ELSEWHERE = frozenset(
    """
    außer ausser kein keine keinem keinen keiner keines nicht nichts nie niemals niemand nirgends ohne sofern solange weder wenn aucun
    aucune jamais ne ni pas personne rien sans sauf excepto jamás ningún ninguna ninguno nada nadie nunca salvo sin tampoco eccetto mai
    nessun nessuna nessuno niente non senza tranne exceto não nem nenhum nenhuma sem geen niemand niet niets nooit tenzij zonder aldrig
    hvis ikke ingen inget inte utan bez jeśli nie nigdy żaden без если не нет ни никогда нельзя
    """.split()
)
"""The same of other languages, so that no ellipsis hides them. Where one means something else in English, a quote is refused in vain."""

_UNSPACED_NEGATION = re.compile("[不没沒未非無无勿莫否]|ない|ません|なかっ|なし|なければ")
_NEGATIVE_PREFIX = re.compile("(?:un(?!der|i|til|cle|to$)|non)[^\\W\\d_]{3,}")
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")

_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_LETTER = rf"[^\W{_UNSPACED}]"
_INNER = "'\u2019\u00ad\u200b\u2060\u2010\u2011-"
_INSIDE_A_WORD = re.compile(
    rf"""
      (?<= {_LETTER} ) (?= [{_INNER}]? {_LETTER} )
    | (?<= {_LETTER} [{_INNER}] ) (?= {_LETTER} )
    | (?<= [-+\u2212\u00b1] ) (?= \d )
    | (?<= \d [.,:/] ) (?= \d )
    | (?<= \d ) (?= [.,:/] \d )
    """,
    re.VERBOSE,
)
"""Between two characters of one word or number, or between a number and its sign."""

_QUOTATION = re.compile(
    r"""
      “ ([^“”]+) ”
    | „ ([^„“”]+) [“”]
    | ” ([^“”"]+) ”
    | [“„] ([^“”„"]+) "
    | (?<![\w"]) "" (?=[^\s"]) ([^"]+) (?<=\S) "" (?![\w"])
    | (?<![\w"]) " (?=\S) ( [^"“”]+ (?: (?<=[\s(]) " (?=\S) [^"“”]+ (?<=\S) " (?!\w) [^"“”]+ )* ) (?<=\S) ["”] (?!\w)
    | « ([^«»]+) » | » ([^«»]+) « | ‹ ([^‹›]+) › | › ([^‹›]+) ‹
    | 「 ([^「」]+) 」 | 『 ([^『』]+) 』 | ｢ ([^｢｣]+) ｣ | ﹁ ([^﹁﹂]+) ﹂ | ﹃ ([^﹃﹄]+) ﹄ | 〝 ([^〝〞〟]+) [〞〟]
    | ❝ ([^❝❞]+) ❞ | ❛ ([^❛❜]+) ❜ | ＂ ([^＂]+) ＂ | ‟ ([^‟“”]+) [“”]
    | (?<!\w) ‚ ([^‚‘’]+ (?: ’ (?=\w) [^‚‘’]+ )*) [‘’] (?!\w)
    | (?<!\w) [‘‛] ([^‘‛’]+ (?: ’ (?=\w) [^‘‛’]+ )*) ’ (?! [^‘‛]* ’ (?!\w) )
    | (?<![\w`]) `` (?=[^\s`]) ([^`']+ (?: ' (?=\w) [^`']+ )*) (?<=\S) '' (?![\w'])
    | (?<![\w']) '' (?=[^\s']) ([^']+ (?: ' (?=\w) [^']+ )*) (?<=\S) '' (?![\w'])
    | (?<![^\s—–:]) ' (?=[^\s'\d]) (?! (?:bout|cause|cos|em|n|round|til|tis|twas) \b )
      ([^']+ (?: (?<=\w) ' (?=\w) [^']+ )*) (?<=\S) ' (?![\w']) (?! [^']* (?: (?<=\w) ' (?=\w) [^']+ )* (?<=\S) ' (?!\w) )
    """,
    re.VERBOSE,
)

_MARKED_ELLIPSIS = re.compile(r"\[\s*(?:\.\s?\.\s?\.|…)\s*\]|\(\s*(?:\.\s?\.\s?\.|…)\s*\)")
_ELLIPSIS = re.compile(r"\.(?:\s?\.){2,}|…")
_PIECE_WORD = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")
_LEAST_WORDS = 2
_LONGEST_GAP = 500
_NEAR = 1000
_BLANK_LINE = re.compile(r"(?:\r\n|\n|\r)[^\S\r\n]*(?:\r\n|\n|\r)")


class QuoteStatus(StrEnum):
    """How the words of a quotation stand in a text: as they are given, after folds, or in pieces with an ellipsis for what is between."""

    EXACT = "exact"
    FOLDED = "folded"
    SHORTENED = "shortened"


@dataclass(frozen=True, kw_only=True)
class Found:
    """Where a quotation stands: `text[start:end]`, the folds that it took, and the ranges that its ellipses leave out."""

    text: str = field(repr=False)
    start: int
    end: int
    status: QuoteStatus
    folds: tuple[str, ...] = ()
    left_out: tuple[tuple[int, int], ...] = ()

    @cached_property
    def fragment(self) -> bool:
        """Whether what was cut off from its sentence, or out of it, may turn its meaning, so that it proves nothing.

        That is a negation, a condition, a time that it holds after or before, or a part of a word or number.
        """
        return _is_cut(self.text, self.start, self.end) or any(
            qualifies(self.text[start:end]) for start, end in self.left_out if self.start < start < self.end
        )


def find(text: str, quote: str) -> tuple[Found, ...]:
    """Every place where a quotation stands in a text, in order: the exact ones, else those after folds, else the shortened; none: not found.

    All marks of inline markup around words may be left out; then `markup` is one of the folds. A mark or target is never another one. An ellipsis stands for at most 500 characters of one paragraph, without a negation among them, and not for a part of a word.
    """
    if exact := locate_exactly(text, quote):
        return tuple(_whole(text, match) for match in exact)
    searched = Searched.of(text, QUOTE_FOLDS)
    folded = searched.locate(quote)
    if not folded and any(mark in text for mark in MARKS) and not holds_markup(quote):
        folded = replace(searched, folds=(MARKUP, *QUOTE_FOLDS)).locate(quote)
    if folded:
        return tuple(_whole(text, match) for match in folded)
    return tuple(_shortened(searched, quote))


def negates(words: str) -> bool:
    """Whether there is a word among them that denies something: a negation, "n't", "unable" or "nicht". In doubt there is."""
    plain = _plain(words)
    return _UNSPACED_NEGATION.search(plain) is not None or any(map(_is_negative, _WORD.findall(plain)))


def qualifies(words: str) -> bool:
    """Whether there is a word among them that says when something holds, as "if" does, or that limits it."""
    return any(word in CONDITIONS or word in LIMITS for word in _WORD.findall(_plain(words)))


def quotations(claim: str) -> Iterator[tuple[int, int]]:
    """The ranges of the words that a text gives as quotations, in order, without their marks and a comma or full stop before the last one.

    Marks are those of any language that has two of its own, as “…”, „…“, «…», ‹…› and 「…」 are, and "…", ""…"", ``…'' and ''…''; ‘…’ and
    '…' where their end is certain. An apostrophe is none, nor are the marks of code, nor is a mark without its other half or one of inches
    and seconds. Of quotations inside of each other there is the outer one.
    """
    for found in _QUOTATION.finditer(claim):
        start, end = trimmed(claim, *found.span(found.lastindex or 0))
        if claim.endswith(",", start, end) or (
            claim.endswith(".", start, end) and not claim.endswith("..", start, end)
        ):
            start, end = trimmed(claim, start, end - 1)
        if start < end:
            yield start, end


def _whole(text: str, match: Match) -> Found:
    return Found(
        text=text,
        start=match.start,
        end=match.end,
        status=QuoteStatus.EXACT if match.exact else QuoteStatus.FOLDED,
        folds=match.folds,
    )


def _shortened(searched: Searched, quote: str) -> Iterator[Found]:
    """Where the pieces of a quote with an ellipsis stand one after the other, each as near as it can be to the one before."""
    ellipsis = _MARKED_ELLIPSIS if _MARKED_ELLIPSIS.search(quote) else _ELLIPSIS
    parts = [part.strip() for part in ellipsis.split(quote)]
    pieces = [part for part in parts if part]
    if len(parts) == 1 or not all(len(_PIECE_WORD.findall(piece)) >= _LEAST_WORDS for piece in pieces):
        return
    places = _piece_places(searched, pieces)
    ends = {}
    for first in places[0] if places else ():
        if chain := _chain(searched.text, first, places[1:]):
            ends[chain[-1]] = chain  # of two that end in the same place, the one that leaves out less
    for chain in ends.values():
        yield _pieced(searched.text, chain, cut_before=not parts[0], cut_after=not parts[-1])


def _piece_places(searched: Searched, pieces: Sequence[str]) -> list[Sequence[Match]]:
    """The matches of each piece, no farther from those of the longest one than ellipses reach; none at all where one is missing."""
    longest = max(pieces, key=len, default="")
    found = searched.locate(longest)
    if not found:
        return []
    reach = sum(2 * len(piece) + _LONGEST_GAP for piece in pieces)
    near = max(0, found[0].start - reach), min(len(searched.text), found[-1].end + reach)
    return [found if piece == longest else searched.locate(piece, within=near) for piece in pieces]


def _chain(text: str, first: Match, places: Sequence[Sequence[Match]]) -> list[Match] | None:
    """The nearest match of each next piece, or None where one is missing, too far away, or hidden by a gap that turns the meaning."""
    chain = [first]
    for matches in places:
        at = bisect_left(matches, chain[-1].end, key=lambda match: match.start)
        if at == len(matches) or not _may_be_left_out(text, chain[-1].end, matches[at].start):
            return None
        chain.append(matches[at])
    return chain


def _may_be_left_out(text: str, start: int, end: int) -> bool:
    gap = text[start:end]
    return not (
        len(gap) > _LONGEST_GAP
        or _BLANK_LINE.search(gap)
        or _INSIDE_A_WORD.match(text, start)
        or _INSIDE_A_WORD.match(text, end)
        or negates(gap)
    )


def _pieced(text: str, chain: Sequence[Match], *, cut_before: bool, cut_after: bool) -> Found:
    start, end = chain[0].start, chain[-1].end
    first, last = _sentence(text, start, end)
    gaps = [(left.end, right.start) for left, right in pairwise(chain)]
    heads, tails = [(first, start)] * cut_before, [(end, last)] * cut_after
    left_out = [trimmed(text, *gap) for gap in (*heads, *gaps, *tails)]
    return Found(
        text=text,
        start=start,
        end=end,
        status=QuoteStatus.SHORTENED,
        folds=tuple(dict.fromkeys(name for match in chain for name in match.folds)),
        left_out=tuple((first, last) for first, last in left_out if first < last),
    )


def _is_cut(text: str, start: int, end: int) -> bool:
    """Whether what is left of the sentences around a range may turn the meaning of what is in it."""
    if _INSIDE_A_WORD.match(text, start) or _INSIDE_A_WORD.match(text, end):
        return True
    first, last = _sentence(text, start, end)
    if not _TIMES.isdisjoint(_WORD.findall(_plain(text[end:last]))):
        return True
    return any(negates(words) or qualifies(words) for words in (text[first:start], text[end:last]))


def _sentence(text: str, start: int, end: int) -> tuple[int, int]:
    """The range of the sentences that a range lies in, as far as they reach near it."""
    near, far = max(0, start - _NEAR), min(len(text), end + _NEAR)
    near = next((blank.end() for blank in reversed(list(_BLANK_LINE.finditer(text, near, start)))), near)
    far = next((blank.start() for blank in _BLANK_LINE.finditer(text, end, far)), far)
    touched = [(first, last) for first, last in sentences(text, near, far) if last > start and first < end]
    return min(start, touched[0][0]), max(end, touched[-1][1])


def _plain(words: str) -> str:
    return Folded.of(words, QUOTE_FOLDS).text.replace(MAYBE_HYPHEN, "").lower()


def _is_negative(word: str) -> bool:
    return (
        word in NEGATIONS
        or word in DENIALS
        or word in _ELSEWHERE
        or word.endswith("n't")
        or _NEGATIVE_PREFIX.match(word) is not None
    )
