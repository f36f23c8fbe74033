from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toulmin.adapters.memory.index import OverlapIndex
from toulmin.adapters.memory.store import MemoryStore
from toulmin.application.hybrid import HybridIndex
from toulmin.domain.errors import InputError
from toulmin.domain.evidence.fusion import mixed
from toulmin.domain.question.eligibility import Filter
from toulmin.ports.embedder import EmbedderFault
from toulmin.ports.index import Hit, Hits, IndexSnapshot, IndexUnreadable, IndexWriter, PassageIndex
from toulmin.ports.store import Changes, PassageKey
from toulmin.testing.index import IndexContract, best, wanted


@dataclass
class Scripted:
    """An index, and its own snapshot, of passages with fixed scores; it remembers how many hits it was asked for."""

    known: Mapping[PassageKey, float]
    sequence: int = 7
    mark: int = 70
    fault: EmbedderFault | IndexUnreadable | None = None
    limits: list[int] = field(default_factory=list)

    def snapshot(self) -> IndexSnapshot:
        if isinstance(self.fault, IndexUnreadable):
            raise self.fault
        return self

    def search(self, text: str, wanted: Filter, limit: int) -> Hits:
        assert text
        assert wanted == EVERYTHING
        self._fail()
        self.limits.append(limit)
        order = sorted(self.known.items(), key=lambda item: (-item[1], item[0]))
        ranking = [Hit(key=key, score=score) for key, score in order if score > 0]
        hits = best(ranking, limit) if ranking else ()
        return Hits(hits=hits, exhausted=len(hits) == len(ranking))

    def scores(self, text: str, keys: Collection[PassageKey]) -> Mapping[PassageKey, float]:
        assert text
        self._fail()
        return {key: self.known[key] for key in keys if key in self.known}

    def _fail(self) -> None:
        if isinstance(self.fault, EmbedderFault):
            raise self.fault


def key(number: int) -> PassageKey:
    return PassageKey(number, 0)


def hybrid(words: Scripted, meaning: Scripted) -> HybridIndex:
    return HybridIndex(words=words, meaning=meaning, store=MemoryStore())


def names(hits: Hits) -> list[int]:
    return [hit.key.revision for hit in hits.hits]


EVERYTHING = wanted()
SCORES = st.sampled_from([0.0, 0.05, 0.1, 0.2, 0.25, 0.5, 0.8])


def test_each_passage_has_its_true_score_in_both_whichever_found_it() -> None:
    words = Scripted({key(1): 0.9, key(2): 0.0, key(3): 0.2})
    meaning = Scripted({key(1): 0.0, key(2): 0.9, key(3): 0.5})
    snapshot = hybrid(words, meaning).snapshot()
    hits = snapshot.search("text", EVERYTHING, 5)
    expected = {key(1): mixed(0.9, 0.0), key(2): mixed(0.0, 0.9), key(3): mixed(0.2, 0.5)}
    assert {hit.key: hit.score for hit in hits.hits} == expected == snapshot.scores("text", [key(1), key(2), key(3)])
    assert hits.exhausted
    assert hits.left_out is None


def test_a_passage_without_a_vector_is_ranked_by_its_words() -> None:
    words = Scripted({key(1): 0.6, key(2): 0.6})
    hits = hybrid(words, Scripted({key(2): 0.1})).snapshot().search("text", EVERYTHING, 5)
    assert [(hit.key, hit.score) for hit in hits.hits] == [(key(1), 0.6), (key(2), mixed(0.6, 0.1))]


def test_a_passage_that_only_the_vectors_still_have_counts_by_them_alone() -> None:
    hits = hybrid(Scripted({}), Scripted({key(1): 0.4})).snapshot().search("text", EVERYTHING, 5)
    assert [hit.score for hit in hits.hits] == [mixed(0.0, 0.4)]


def test_the_lists_are_followed_until_nothing_unseen_can_be_among_the_best() -> None:
    """The best of both stands beyond the first hundred of either."""
    count = 250
    words = Scripted({key(n): 0.9 if n < count else 0.8 for n in range(2 * count)} | {key(9999): 0.79})
    meaning = Scripted({key(n): 0.8 if n < count else 0.9 for n in range(2 * count)} | {key(9999): 1.0})
    hits = hybrid(words, meaning).snapshot().search("text", EVERYTHING, 1)
    assert hits.hits[0].key == key(9999)
    assert not hits.exhausted


@given(
    words=st.dictionaries(st.integers(0, 60), SCORES),
    meaning=st.dictionaries(st.integers(0, 60), SCORES),
    limit=st.integers(1, 70),
)
def test_the_ranking_is_that_of_all_passages_scored_one_by_one(
    words: dict[int, float], meaning: dict[int, float], limit: int
) -> None:
    words |= dict.fromkeys(meaning.keys() - words.keys(), 0.0)  # the index by words has every passage
    scores = {n: mixed(share, meaning.get(n)) for n, share in words.items() if share or meaning.get(n)}
    order = sorted(scores, key=lambda n: (-scores[n], n))
    expected = [n for n in order if scores[n] >= scores[order[min(limit, len(order)) - 1]]]
    snapshot = hybrid(
        Scripted({key(n): share for n, share in words.items()}), Scripted({key(n): s for n, s in meaning.items()})
    ).snapshot()
    hits = snapshot.search("text", EVERYTHING, limit)
    assert names(hits) == expected
    assert hits.exhausted == (len(expected) == len(order))


def test_an_embedder_that_fails_leaves_the_ranking_by_words_and_says_so() -> None:
    words = Scripted({key(1): 0.3, key(2): 0.6})
    down = EmbedderFault("provider_error", "the embedder answered 503", remedy="try again")
    hits = hybrid(words, Scripted({key(1): 1.0}, fault=down)).snapshot().search("text", EVERYTHING, 5)
    assert [(hit.key, hit.score) for hit in hits.hits] == [(key(2), 0.6), (key(1), 0.3)]
    assert hits.left_out == "provider_error"


def test_vectors_that_cannot_be_read_leave_the_ranking_by_words_and_say_so() -> None:
    broken = IndexUnreadable("index_unreadable", "the file is damaged", remedy="rebuild")
    snapshot = hybrid(Scripted({key(1): 0.3}), Scripted({}, fault=broken)).snapshot()
    assert (snapshot.sequence, snapshot.mark) == (7, 70)
    assert snapshot.search("text", EVERYTHING, 5) == Hits(
        hits=(Hit(key=key(1), score=0.3),), exhausted=True, left_out="index_unreadable"
    )
    assert snapshot.scores("text", [key(1), key(2)]) == {key(1): 0.3}


def test_vectors_of_another_corpus_are_not_asked() -> None:
    snapshot = hybrid(Scripted({key(1): 0.3}), Scripted({key(1): 0.9}, mark=71)).snapshot()
    hits = snapshot.search("text", EVERYTHING, 5)
    assert (hits.hits, hits.left_out) == ((Hit(key=key(1), score=0.3),), "index_foreign")


def test_vectors_that_lag_behind_are_asked_and_the_view_is_that_of_the_words() -> None:
    snapshot = hybrid(Scripted({key(1): 0.4}), Scripted({key(1): 0.8}, sequence=0, mark=0)).snapshot()
    assert (snapshot.sequence, snapshot.mark) == (7, 70)
    hits = snapshot.search("text", EVERYTHING, 5)
    assert (hits.hits[0].score, hits.left_out) == (mixed(0.4, 0.8), None)


def test_a_limit_below_one_is_refused() -> None:
    with pytest.raises(InputError):
        hybrid(Scripted({}), Scripted({})).snapshot().search("text", EVERYTHING, 0)


class _Both:
    """Both indexes as one that takes changes, so that the contract of an index can be asked of their fusion."""

    profile = "both"

    def __init__(self, words: PassageIndex, meaning: PassageIndex) -> None:
        self._indexes = (words, meaning)

    def snapshot(self) -> IndexSnapshot:
        words, meaning = self._indexes
        return HybridIndex(words=words, meaning=meaning, store=MemoryStore()).snapshot()

    def apply(self, changes: Changes) -> None:
        for index in self._indexes:
            index.apply(changes)

    @contextmanager
    def replacement(self) -> Iterator[IndexWriter]:
        with ExitStack() as stack:
            words, meaning = (stack.enter_context(index.replacement()) for index in self._indexes)
            yield _Both(words, meaning)  # type: ignore[arg-type]

    def close(self) -> None:
        for index in self._indexes:
            index.close()


class TestFusion(IndexContract):
    @pytest.fixture
    def index(self) -> Iterator[PassageIndex]:
        index = _Both(OverlapIndex(), OverlapIndex())
        yield index
        index.close()
