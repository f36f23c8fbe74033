"""Ranking: re-checked hits in one total order, so that the same corpus gives the same list whatever engine found them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from toulmin.domain.corpus.document import Passage, RevisionId, Standing
from toulmin.domain.errors import InputError
from toulmin.domain.policy import Policy


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """A passage that was found, re-checked against the corpus, and may be used: its words are the store's."""

    standing: Standing
    passage: Passage
    text: str
    score: float

    @property
    def id(self) -> RevisionId:
        return self.standing.id

    @property
    def words(self) -> str:
        """The text with single spaces for its white space: passages with equal words count once."""
        return " ".join(self.text.split())

    @property
    def rank(self) -> tuple[float, str, str, int, int]:
        """The sort key: score, then document, version and place. No two passages share one."""
        return (-self.score, self.id.document, self.id.version, self.passage.start, self.passage.end)


def ranked(found: Iterable[Ranked]) -> tuple[Ranked, ...]:
    """The passages in rank order, ties by (document, version, start)."""
    return tuple(sorted(found, key=lambda item: item.rank))


def bounded_results(asked: int | None, policy: Policy) -> int:
    """How many results a search returns: the policy's default, or what was asked for up to its maximum."""
    return policy.results if asked is None else min(positive(asked), policy.max_results)


def positive(k: int) -> int:
    """The number asked for; raises `InputError` for one that asks for nothing."""
    if k < 1:
        raise InputError("usage", f"k is {k}", remedy="ask for at least 1")
    return k
