"""Ranking: re-checked hits in one total order, so that the same corpus gives the same list whatever engine found them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from toulmin.domain.corpus.boilerplate import Boilerplate, boilerplate
from toulmin.domain.corpus.document import Passage, RevisionId, Standing
from toulmin.domain.errors import InputError
from toulmin.domain.policy import Policy


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """A passage that was found, re-checked against the corpus, and may be used: its words are the store's.

    `score` is what it counts for the question: that of boilerplate is less than what the index gave it (`corpus.boilerplate.weight`).
    `ahead` is how far a reranker put it before those that it did not read, whose scores are at most 1; 0 for these.
    """

    standing: Standing
    passage: Passage
    text: str
    score: float
    ahead: int = 0

    @property
    def id(self) -> RevisionId:
        return self.standing.id

    @property
    def words(self) -> str:
        """The text with single spaces for its white space: passages with equal words count once."""
        return " ".join(self.text.split())

    @property
    def boilerplate(self) -> Boilerplate | None:
        """What it is instead of content; None for content."""
        return boilerplate(self.passage.heading, self.text)

    @property
    def size(self) -> int:
        """The bytes of the text in UTF-8: what a budget counts."""
        return len(self.text.encode())

    @property
    def group(self) -> tuple[RevisionId, tuple[str, ...]]:
        """Revision and heading path: selection takes one passage of each group first."""
        return self.id, self.passage.heading

    @property
    def rank(self) -> tuple[float, str, str, int, int]:
        """The sort key: where a reranker put it, score, then document, version and place. No two passages share one."""
        return (-(self.ahead + self.score), self.id.document, self.id.version, self.passage.start, self.passage.end)


def ranked(found: Iterable[Ranked]) -> tuple[Ranked, ...]:
    """The passages in rank order, ties by (document, version, start)."""
    return tuple(sorted(found, key=lambda item: item.rank))


def reranked(passages: Sequence[Ranked], order: Sequence[int]) -> tuple[Ranked, ...]:
    """The passages with the first of them in another order, given by their places; the scores are as they were."""
    first = [replace(passages[place], ahead=len(order) - at) for at, place in enumerate(order)]
    return (*first, *passages[len(order) :])


def bounded_results(asked: int | None, policy: Policy) -> int:
    """How many results a search returns: the policy's default, or what was asked for up to its maximum."""
    return policy.results if asked is None else min(positive(asked), policy.max_results)


def positive(k: int) -> int:
    """The number asked for; raises `InputError` for one that asks for nothing."""
    if k < 1:
        raise InputError("usage", f"k is {k}", remedy="ask for at least 1")
    return k
