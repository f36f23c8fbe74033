from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.making import rules
from tests.unit.world import ingest, parts
from toulmin.adapters.memory.index import OverlapIndex
from toulmin.adapters.memory.store import MemoryStore
from toulmin.application.catchup import catch_up
from toulmin.application.documents import retire
from toulmin.application.parts import Parts
from toulmin.application.retrieval import Found, reading, this_many
from toulmin.application.search import SearchRequest, search
from toulmin.domain.corpus.boilerplate import Boilerplate
from toulmin.domain.corpus.document import Status
from toulmin.domain.evidence.ranking import Ranked
from toulmin.domain.outcome import SearchResult
from toulmin.domain.question.case import ANONYMOUS, Case, Kind, Principal, Value
from toulmin.domain.question.eligibility import Filter, RuleName, Rules
from toulmin.ports.index import Hit, Hits, IndexSnapshot, PassageIndex
from toulmin.ports.store import PassageKey
from toulmin.testing.builders import NOW
from toulmin.testing.reranker import ShortestFirst

ANN = Principal(id="ann", tenant="a")
Enough = Callable[[Sequence[Ranked]], bool]


@dataclass
class Scripted:
    """An index, and its own snapshot, that gives the hits that it was told to, whatever the truth says; remembers the limits asked for."""

    script: Sequence[Hit]
    sequence: int
    mark: int = 0
    limits: list[int] = field(default_factory=list)

    def snapshot(self) -> IndexSnapshot:
        return self

    def search(self, text: str, wanted: Filter, limit: int) -> Hits:
        assert text
        assert wanted.at == NOW
        self.limits.append(limit)
        return Hits(hits=tuple(self.script[:limit]), exhausted=limit >= len(self.script))

    def scores(self, text: str, keys: Collection[PassageKey]) -> Mapping[PassageKey, float]:
        assert text
        return {hit.key: hit.score for hit in self.script if hit.key in keys}


def find(
    world: Parts,
    index: object,
    *,
    want: int,
    enough: Enough | None = None,
    principal: Principal = ANONYMOUS,
    text: str = "words",
) -> Found:
    """What is found for everything that the principal may read."""
    with reading(world.store, cast("PassageIndex", index), principal, world.scopes) as view:
        wanted = view.filter(Rules(), Case(), NOW)
        return view.find(text, wanted, want, enough or this_many(want))


def hit(revision: int, ordinal: int = 0, score: float = 1.0) -> Hit:
    return Hit(key=PassageKey(revision, ordinal), score=score)


def names(found: Found) -> list[str]:
    return [item.id.document for item in found.passages]


def sequence(world: Parts) -> int:
    with world.store.begin(ANONYMOUS) as session:
        return session.corpus.sequence()


def test_a_hit_that_the_truth_does_not_back_is_dropped_and_the_search_goes_deeper() -> None:
    world = parts()
    for document in ("A", "B", "C"):
        ingest(world, document, "words\n")
    stale = [hit(99), hit(1, ordinal=7), hit(77)]
    index = Scripted([*stale, hit(1), hit(2), hit(3)], sequence(world))
    found = find(world, index, want=2)
    assert names(found) == ["A", "B", "C"]
    assert found.drift == len(stale)
    assert index.limits == [2, 8]


def test_a_search_ends_where_nothing_else_matches() -> None:
    world = parts()
    ingest(world, "A", "words\n")
    index = Scripted([hit(99), hit(1)], sequence(world))
    found = find(world, index, want=2)
    assert (names(found), found.drift, index.limits) == (["A"], 1, [2])


def test_what_was_retired_since_the_index_was_made_is_dropped() -> None:
    world = parts()
    for document in ("A", "B", "C"):
        ingest(world, document, "words\n")
    pinned = Scripted([hit(1), hit(2), hit(3)], sequence(world))
    retire(world.store, "A", None, Status.WITHDRAWN, at=NOW)
    retire(world.store, "B", None, Status.DELETED, at=NOW)
    found = find(world, pinned, want=3)
    assert (names(found), found.drift, found.eligible) == (["C"], 2, 1)


def test_readers_are_judged_as_of_now_even_where_the_index_is_older() -> None:
    world = parts()
    standing = ingest(world, "A", "words\n", readers=["tenant:a"])
    pinned = Scripted([hit(1)], sequence(world))
    assert names(find(world, pinned, want=1, principal=ANN)) == ["A"]
    assert names(find(world, pinned, want=1)) == []
    with world.store.curate() as session:
        given = replace(standing.descriptor, readers=("tenant:b",))
        session.replace(standing.key, given, standing.validity, superseded=False)
    assert names(find(world, pinned, want=1, principal=ANN)) == []


def test_supersession_is_judged_as_of_the_pinned_sequence() -> None:
    world = parts()
    standing = ingest(world, "A", "words\n")
    pinned = Scripted([hit(1)], sequence(world))
    with world.store.curate() as session:
        session.replace(standing.key, standing.descriptor, standing.validity.closed_at(NOW), superseded=True)
    assert names(find(world, pinned, want=1)) == ["A"]
    assert names(find(world, Scripted(pinned.script, sequence(world)), want=1)) == []


def test_an_index_that_ignores_the_filter_changes_nothing() -> None:
    world = parts()
    ingest(world, "A", "words\n", scope={"model": "G2"})
    ingest(world, "B", "words\n")
    found = find(world, Scripted([hit(1, score=9.0), hit(2)], sequence(world)), want=2)
    assert (names(found), found.drift) == (["B"], 1)


def test_hits_of_equal_score_stand_by_document_and_place_whatever_the_index_says() -> None:
    world = parts()
    for document in ("B", "A"):
        ingest(world, document, "words\nwords again\n")
    found = find(world, Scripted([hit(1, 1), hit(1, 0), hit(2, 1), hit(2, 0, score=2.0)], sequence(world)), want=4)
    assert [(item.id.document, item.passage.start) for item in found.passages] == [
        ("A", 0),
        ("A", 6),
        ("B", 0),
        ("B", 6),
    ]


def test_the_search_goes_deeper_until_the_caller_has_enough() -> None:
    world = parts()
    ingest(world, "A", "words\nwords 2\nwords 3\n")
    ingest(world, "B", "words\n")
    index = Scripted([hit(1), hit(1, 1), hit(1, 2), hit(2)], sequence(world))
    assert names(find(world, index, want=2, enough=lambda passages: len({p.id for p in passages}) >= 2)) == [
        "A",
        "A",
        "A",
        "B",
    ]
    assert index.limits == [2, 8]


def test_boilerplate_counts_half_and_the_search_goes_deeper_for_what_may_come_before_it() -> None:
    world = parts()
    ingest(world, "A", ".. include:: words.rst\nwords\nmore words\n")
    script = [hit(1, 0, score=0.9), hit(1, 1, score=0.6), hit(1, 2, score=0.4)]
    index = Scripted(script, sequence(world))
    found = find(world, index, want=1)
    assert index.limits == [1, 4]
    assert [(item.boilerplate, item.score) for item in found.passages] == [
        (None, 0.6),
        (Boilerplate.NAVIGATION, 0.45),
        (None, 0.4),
    ]


def test_passages_that_another_one_might_come_before_are_not_given() -> None:
    world = parts()
    ingest(world, "A", "words\n.. include:: words.rst\nmore words\n")
    index = Scripted([hit(1, 0, score=0.9), hit(1, 1, score=0.8), hit(1, 2, score=0.5)], sequence(world))
    found = find(world, index, want=2, enough=this_many(1))
    assert [item.text for item in found.passages] == ["words"]
    assert found.drift == 0


def test_boilerplate_that_is_asked_for_counts_whole() -> None:
    world = parts()
    ingest(world, "A", ".. include:: words.rst\nwords\n")
    index = Scripted([hit(1, 0, score=0.9), hit(1, 1, score=0.6)], sequence(world))
    assert [item.score for item in find(world, index, want=1, text="Which chapters?").passages] == [0.9]


@pytest.mark.parametrize("limit", [1, 2, 3, 9])
def test_a_reranker_orders_the_best_few_by_their_text_and_changes_no_score(limit: int) -> None:
    world = parts()
    ingest(world, "A", "words that are long\nwords of some length\nwords\n")
    index = Scripted([hit(1, 0, 0.9), hit(1, 1, 0.8), hit(1, 2, 0.7)], sequence(world))
    request = SearchRequest(text="words", rules=Rules(), case=Case(), principal=ANONYMOUS, at=NOW, limit=limit)
    found = search(request, world.store, cast("PassageIndex", index), world.scopes, ShortestFirst(depth=2))
    expected = [("words that are long", 0.9), ("words of some length", 0.8), ("words", 0.7)][:limit]
    assert [(item.found.text, item.found.score) for item in found.items] == expected
    best = search(request, world.store, cast("PassageIndex", index), world.scopes, ShortestFirst(depth=3)).items
    assert [item.found.text for item in best] == ["words", "words that are long", "words of some length"][:limit]
    assert best[0].found.rank < best[-1].found.rank or len(best) == 1


def test_an_inactive_principal_finds_nothing() -> None:
    world = parts()
    ingest(world, "A", "words\n")
    nobody = Principal(id="ann", tenant="a", active=False)
    found = find(world, world.index, want=2, principal=nobody)
    assert (found.passages, found.eligible) == ((), 0)


def result(
    world: Parts, *, limit: int, text: str = "words", principal: Principal = ANONYMOUS, **more: object
) -> SearchResult:
    request = SearchRequest(
        text=text,
        rules=rules(model=RuleName.EQUALS, missing=["model"]),
        case=Case.of({"model": Value(Kind.STRING, "G2")}),
        principal=principal,
        at=NOW,
        limit=limit,
        **more,  # type: ignore[arg-type]
    )
    return search(request, world.store, world.index, world.scopes)


@given(st.lists(st.tuples(st.sampled_from(["G2", "G3", "*"]), st.integers(1, 4)), max_size=6))
def test_fewer_results_are_the_beginning_of_more(corpus: list[tuple[str, int]]) -> None:
    world = parts()
    for number, (model, lines) in enumerate(corpus):
        text = "\n".join(" ".join(("words", "here", "now")[: 1 + (number + line) % 3]) for line in range(lines))
        ingest(world, f"D{number % 4}", text + "\n", version=str(number), scope={"model": model})
    everything = result(world, text="words here now", limit=99).items
    assert len(everything) == sum(lines for model, lines in corpus if model != "G3")
    for limit in range(1, len(everything) + 1):
        assert result(world, text="words here now", limit=limit).items == everything[:limit]


def test_a_search_without_results_says_how_many_documents_were_eligible() -> None:
    world = parts()
    ingest(world, "A", "words\n", scope={"model": "G2"})
    ingest(world, "B", "words\n", scope={"model": "G3"})
    found = result(world, text="nothing like it", limit=5)
    assert (found.items, found.eligible, found.excluded) == ((), 1, ())


def test_results_below_the_minimum_score_are_left_out() -> None:
    world = parts()
    ingest(world, "A", "words here\nwords\n")
    assert [item.found.text for item in result(world, text="words here", limit=5, min_score=1.0).items] == [
        "words here"
    ]


def test_an_explanation_names_what_the_caller_may_see_and_nothing_else() -> None:
    world = parts()
    ingest(world, "A", "words\n", scope={"model": "G2"})
    ingest(world, "B", "words\n", scope={"model": "G3"})
    ingest(world, "SECRET", "words\n", scope={"model": "G3"}, readers=["tenant:a"])
    public, ann = (result(world, limit=5, explain=True, principal=who) for who in (ANONYMOUS, ANN))
    assert [(item.standing.id.document, item.reasons[0].attribute) for item in public.excluded] == [("B", "model")]
    assert [item.standing.id.document for item in ann.excluded] == ["B", "SECRET"]
    assert [item.found.id.document for item in ann.items] == ["A"]


@pytest.mark.parametrize("extra", [1, 3])
def test_an_index_that_is_ahead_of_its_store_is_built_anew(extra: int) -> None:
    before = parts(index=OverlapIndex())
    for number in range(1 + extra):
        ingest(before, f"OLD-{number}", "words\n")
    after = parts(store=MemoryStore(), index=before.index)
    assert before.index.snapshot().sequence == 1 + extra
    ingest(after, "NEW", "words\n")
    catch_up(after.store, after.index)
    assert after.index.snapshot().sequence == 1
    found = find(after, after.index, want=9)
    assert (names(found), found.drift) == (["NEW"], 0)
