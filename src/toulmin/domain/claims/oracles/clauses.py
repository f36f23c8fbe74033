"""Clauses: how far a small word such as "not", "may" or "if" reaches inside of its sentence.

There is no grammar here, only the marks and the words by which English sets clauses apart. In doubt a clause ends: an oracle that sees too
short a reach stays silent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from toulmin.domain.claims.oracles.statement import Statement
from toulmin.domain.claims.oracles.words import Word

SUBORDINATORS: Final = frozenset(
    "although because but if once though unless until when whenever where whereas wherever which while who whom whose yet".split()
)
"""Words that begin a clause wherever they stand."""

_AFTER_A_COMMA: Final = SUBORDINATORS | frozenset(
    """
    after and as before for he however i in instead it nor not note otherwise she since so than that then there therefore these they this
    those thus we with without you
    """.split()
)
_OPENERS: Final = SUBORDINATORS | frozenset(
    """
    after as at before by despite during except for from given in inside like on only outside since to under unlike with within without
    """.split()
)
"""Words that, where they open a clause, open one that its first comma ends."""

_JOINS: Final = frozenset("and as or since so than that".split())
_SUBJECTS: Final = frozenset("he i it one she there they this we you".split())
"""Words that begin a clause after one that joins."""

_MARK = re.compile(r"[;!?\[\]—–]|[,.]['\"’”]|(?<!\()\)|\((?!\))|[:.](?=\s)|\s--?\s|\n\s*[*•|-]\s|\n\s*\n")


@dataclass(frozen=True, slots=True)
class Clauses:
    """A statement's words, and which clause each belongs to: `number[i]` is that of word `i`, `ends[n]` where clause `n` ends.

    `plain` are the words in small letters, "not" for each of its forms; `places` tells for each stem where it stands.
    """

    words: tuple[Word, ...]
    plain: tuple[str, ...]
    number: tuple[int, ...]
    ends: tuple[int, ...]
    places: Mapping[str, Sequence[int]]

    @classmethod
    def of(cls, statement: Statement) -> Clauses:
        """The clauses of a statement; computed once as long as it is in use."""
        return _clauses(statement)

    def end(self, at: int) -> int:
        """Where the clause of a word ends."""
        return self.ends[self.number[at]]

    def start(self, at: int) -> int:
        """Where the clause of a word begins."""
        number = self.number[at]
        return self.ends[number - 1] if number else 0

    def content(self, first: int, last: int) -> Iterator[int]:
        """The words that name something, of a range of words."""
        return (at for at in range(first, last) if self.words[at].is_content)

    def stem(self, at: int) -> str:
        """The stem of a word."""
        return self.words[at].stem

    def span(self, first: int, last: int) -> tuple[int, int]:
        """The place in the text of a range of words that is not empty."""
        return self.words[first].start, self.words[last - 1].end


@lru_cache(maxsize=256)
def _clauses(statement: Statement) -> Clauses:
    words = statement.words
    plain = tuple("not" if word.word.endswith(("n't", "cannot")) else word.word for word in words)
    number, ends, opened_by = [], [], ""
    for at, word in enumerate(words):
        gap = statement.text[words[at - 1].end : word.start] if at else ""
        if at and _begins(plain[at - 1], plain[at], gap, opened_by):
            ends.append(at)
            opened_by = plain[at]
        elif not at:
            opened_by = plain[at]
        number.append(len(ends))
    places: dict[str, list[int]] = {}
    for at, word in enumerate(words):
        places.setdefault(word.stem, []).append(at)
    return Clauses(words, plain, tuple(number), (*ends, len(words)), places)


def _begins(before: str, word: str, gap: str, opened_by: str) -> bool:
    """Whether a clause begins at a word, after the word before it and what stands between the two."""
    if word in SUBORDINATORS or (before in _JOINS and word in _SUBJECTS) or (gap != " " and _MARK.search(gap)):
        return True
    return "," in gap and (word in _AFTER_A_COMMA or opened_by in _OPENERS)


@dataclass(frozen=True, slots=True)
class Cue:
    """Words of a statement that mean something to an oracle: a half-open range of its words, and up to which word that reaches."""

    kind: str
    first: int
    last: int
    reach: int


class Lexicon:
    """Phrases of one or several words, and what each means; the longest one at a place is the one that is meant."""

    def __init__(self, phrases: Mapping[str, str]) -> None:
        """Takes, for each kind, its phrases in small letters with `|` between them."""
        self._by_first: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        for kind, listed in phrases.items():
            for phrase in map(str.split, listed.split("|")):
                self._by_first.setdefault(phrase[0], []).append((tuple(phrase), kind))
        for entries in self._by_first.values():
            entries.sort(key=lambda entry: -len(entry[0]))

    def find(self, plain: Sequence[str]) -> Iterator[tuple[str, int, int]]:
        """What stands in the words, in order and without overlaps: its kind and its half-open range."""
        if self._by_first.keys().isdisjoint(plain):
            return
        done = 0
        for at, word in enumerate(plain):
            if at >= done and word in self._by_first:
                for phrase, kind in self._by_first[word]:
                    if tuple(plain[at : at + len(phrase)]) == phrase:
                        done = at + len(phrase)
                        yield kind, at, done
                        break


def quoted(statement: Statement, span: tuple[int, int]) -> str:
    """Words of a statement as a message shows them: in quotation marks, on one line."""
    return f'"{" ".join(statement.text[slice(*span)].split())}"'
