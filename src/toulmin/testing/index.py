"""The contract of a passage index: a test suite that every `PassageIndex` passes.

```python
class TestMyIndex(IndexContract):
    @pytest.fixture
    def index(self) -> Iterator[PassageIndex]:
        index = MyIndex()
        yield index
        index.close()
```

Nothing is asked of scores but what the port promises, so that any ranker by words can pass: with more of the words of a text, a passage of
the same length ranks higher.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from toulmin.domain.corpus.document import Passage, RevisionId, Standing, Status
from toulmin.domain.corpus.readers import PUBLIC
from toulmin.domain.corpus.validity import Validity
from toulmin.domain.errors import Conflict, InputError, StoreFault
from toulmin.domain.question.eligibility import Filter
from toulmin.ports.index import Hit, Hits, PassageIndex
from toulmin.ports.store import Change, Changes, PassageKey
from toulmin.testing.builders import descriptor

START = datetime(2026, 1, 1, tzinfo=UTC)
END = START + timedelta(days=30)
MOMENT = timedelta(microseconds=1)

ACME, BIRCH = "tenant:acme", "tenant:birch"


def change(
    revision: int,
    *texts: str,
    scope: int = 1,
    readers: Iterable[str] = (PUBLIC,),
    validity: Validity | None = None,
    title: str | None = None,
    heading: tuple[str, ...] = (),
    language: str | None = None,
) -> Change:
    """A live revision with one passage a text; in force from `START` on, unless said otherwise."""
    name = f"D{revision}"
    standing = Standing(
        key=revision,
        id=RevisionId(name, "1"),
        text_sha256=name,
        bytes_sha256=name,
        descriptor=replace(descriptor(title=title, readers=readers), language=language),
        validity=validity or Validity(start=START),
        superseded=False,
        status=Status.LIVE,
        since=1,
        ingested_at=START,
    )
    passages = tuple((Passage(start=0, end=len(text), heading=heading), text) for text in texts)
    return Change(revision=revision, standing=standing, scope=scope, passages=passages)


def removal(revision: int) -> Change:
    """A revision that is withdrawn or deleted."""
    return Change(revision=revision, standing=None, scope=1, passages=())


def changes(sequence: int, *changed: Change, after: int = 0) -> Changes:
    """What changed up to a sequence number."""
    return Changes(after=after, sequence=sequence, mark=1000 + sequence, changes=changed)


def wanted(*, scopes: Iterable[int] = (1,), readers: Iterable[str] = (PUBLIC,), at: datetime = START) -> Filter:
    """A filter; without arguments it lets through what `change` builds without arguments."""
    return Filter(scopes=frozenset(scopes), readers=frozenset(readers), at=at)


def found(hits: Hits) -> list[tuple[int, int]]:
    """Revision and ordinal of each hit, in order."""
    return [(hit.key.revision, hit.key.ordinal) for hit in hits.hits]


def best(ranking: Sequence[Hit], limit: int) -> tuple[Hit, ...]:
    """The first `limit` of a whole ranking, and all that tie with the last of them."""
    return tuple(hit for hit in ranking if hit.score >= ranking[min(limit, len(ranking)) - 1].score)


def mixed_corpus() -> Changes:
    """Forty revisions of one to three passages, with texts of several lengths, many ties, four scopes and five lists of readers."""
    nouns, verbs = ("gateway", "telemetry", "audit", "hold"), ("stops", "reconnects", "rolls")
    lists: tuple[tuple[str, ...], ...] = ((PUBLIC,), (ACME,), (BIRCH,), (ACME, BIRCH), ())
    return changes(
        1,
        *(
            change(
                number,
                *(
                    " ".join((nouns[(number + part) % 4], verbs[number % 3], *nouns[: (number * part) % 4]))
                    for part in range(1 + number % 3)
                ),
                scope=1 + number % 4,
                readers=lists[number % 5],
            )
            for number in range(1, 41)
        ),
    )


class IndexContract:
    """What every `PassageIndex` keeps. A subclass has a fixture `index`: an empty one, closed after the test."""

    def test_an_empty_index_has_reached_nothing_and_finds_nothing(self, index: PassageIndex) -> None:
        snapshot = index.snapshot()
        assert snapshot.sequence == 0
        assert snapshot.search("gateway", wanted(), 5) == Hits(hits=(), exhausted=True)

    def test_a_passage_is_found_by_its_words_in_any_case(self, index: PassageIndex) -> None:
        index.apply(changes(1, change(7, "Nothing here.", "The gateway reconnects.")))
        for text in ("gateway", "GATEWAY", "reconnects: gateway?"):
            (hit,) = index.snapshot().search(text, wanted(), 5).hits
            assert hit.key == PassageKey(7, 1)
            assert hit.score > 0

    def test_composed_and_decomposed_characters_are_the_same_word(self, index: PassageIndex) -> None:
        index.apply(changes(1, change(1, "Cafe\u0301 Zu\u0308rich closes at 18:00.")))
        for text in ("Z\u00fcrich opening hours", "Zu\u0308rich", "caf\u00e9"):
            assert found(index.snapshot().search(text, wanted(), 5)) == [(1, 0)]

    def test_a_passage_with_more_of_the_words_ranks_higher(self, index: PassageIndex) -> None:
        index.apply(
            changes(1, change(1, "audit rules differ"), change(2, "audit hold active"), change(3, "no more words"))
        )
        assert found(index.snapshot().search("audit hold", wanted(), 5)) == [(2, 0), (1, 0)]

    @pytest.mark.parametrize(
        "text",
        [
            '"audit',
            "audit AND",
            "NOT audit",
            "-audit",
            "+audit",
            "(audit",
            "body:audit",
            "audit^",
            "audit~",
            "[audit TO",
            "*audit",
            "audit\\",
        ],
    )
    def test_the_text_is_words_and_never_a_query_syntax(self, index: PassageIndex, text: str) -> None:
        index.apply(changes(1, change(1, "audit hold active"), change(2, "nothing of it")))
        assert (1, 0) in found(index.snapshot().search(text, wanted(), 5))

    @pytest.mark.parametrize("text", ["", "  \n", "*", "?!", '"" - ()', "\u0301"])
    def test_a_text_without_words_finds_nothing(self, index: PassageIndex, text: str) -> None:
        index.apply(changes(1, change(1, "audit hold * ?! active")))
        assert index.snapshot().search(text, wanted(), 5) == Hits(hits=(), exhausted=True)

    def test_a_limit_below_one_is_refused(self, index: PassageIndex) -> None:
        for limit in (0, -1):
            with pytest.raises(InputError):
                index.snapshot().search("audit", wanted(), limit)

    def test_a_limit_beyond_every_corpus_finds_everything(self, index: PassageIndex) -> None:
        index.apply(changes(1, change(1, "audit"), change(2, "hold")))
        assert index.snapshot().search("audit", wanted(), 2**40).exhausted

    # Scores

    def test_a_score_is_a_share_above_nothing_and_at_most_all(self, index: PassageIndex) -> None:
        index.apply(mixed_corpus())
        for text in ("gateway", "gateway telemetry audit hold stops reconnects rolls", "gateway nowhere " * 9):
            hits = index.snapshot().search(text, wanted(scopes={1, 2, 3, 4}), 1000).hits
            assert hits
            assert all(0 < hit.score <= 1 for hit in hits)

    def test_a_score_is_the_same_under_any_filter_and_limit(self, index: PassageIndex) -> None:
        index.apply(mixed_corpus())
        snapshot, text = index.snapshot(), "gateway audit hold stops"
        scores = {hit.key: hit.score for hit in snapshot.search(text, wanted(scopes={1, 2, 3, 4}), 1000).hits}
        for scope in (1, 2, 3, 4):
            for limit in (1, 5, 1000):
                hits = snapshot.search(text, wanted(scopes=(scope,)), limit).hits
                assert all(hit.score == scores[hit.key] for hit in hits)

    def test_words_that_no_passage_has_lower_every_score(self, index: PassageIndex) -> None:
        index.apply(changes(1, change(1, "audit hold active"), change(2, "nothing of it")))
        all_of_it, part = (
            index.snapshot().search(text, wanted(), 5).hits[0].score for text in ("audit hold", "audit hold nowhere")
        )
        assert part < all_of_it

    def test_the_scores_of_given_passages_are_those_of_the_search(self, index: PassageIndex) -> None:
        index.apply(mixed_corpus())
        snapshot, text = index.snapshot(), "gateway audit hold stops"
        everything = Filter(scopes=frozenset({1, 2, 3, 4}), readers=frozenset({PUBLIC, ACME, BIRCH}), at=START)
        found = {hit.key: hit.score for hit in snapshot.search(text, everything, 1000).hits}
        scores = snapshot.scores(text, [PassageKey(n, part) for n in range(1, 41) for part in range(4)])
        assert {key: score for key, score in scores.items() if key in found} == found
        assert all(score == 0 for key, score in scores.items() if key not in found and key.revision % 5 != 4)

    def test_only_passages_that_the_index_holds_have_a_score(self, index: PassageIndex) -> None:
        index.apply(changes(1, change(1, "audit hold", "of another matter"), change(2, "audit"), change(3, "audit")))
        index.apply(changes(2, removal(2)))
        asked = [PassageKey(1, 0), PassageKey(1, 1), PassageKey(1, 2), PassageKey(2, 0), PassageKey(9, 0)]
        scores = index.snapshot().scores("audit", asked)
        assert scores.keys() == {PassageKey(1, 0), PassageKey(1, 1)}
        assert scores[PassageKey(1, 0)] > scores[PassageKey(1, 1)] == 0

    def test_no_passages_and_no_words_have_no_scores(self, index: PassageIndex) -> None:
        assert index.snapshot().scores("audit", [PassageKey(1, 0)]) == {}
        index.apply(changes(1, change(1, "audit hold")))
        assert index.snapshot().scores("audit", []) == {}
        assert index.snapshot().scores("?!", [PassageKey(1, 0), PassageKey(2, 0)]) == {PassageKey(1, 0): 0.0}

    # The filter

    def test_no_scopes_or_no_readers_lets_nothing_through(self, index: PassageIndex) -> None:
        index.apply(changes(1, change(1, "audit hold"), change(2, "audit hold", readers=())))
        for nothing in (wanted(scopes=()), wanted(readers=()), wanted(scopes=(), readers=())):
            assert index.snapshot().search("audit", nothing, 5) == Hits(hits=(), exhausted=True)

    def test_scopes_that_no_document_has_find_nothing(self, index: PassageIndex) -> None:
        """Trouble case O03: a filter that matches nothing is not the absence of a filter."""
        index.apply(
            changes(1, change(1, "X1 resets with the red key."), change(2, "X2 resets with the blue key.", scope=2))
        )
        assert index.snapshot().search("how do I reset it: resets key", wanted(scopes=(9,)), 5) == Hits(
            hits=(), exhausted=True
        )

    def test_only_passages_of_the_wanted_scopes_are_found(self, index: PassageIndex) -> None:
        index.apply(changes(1, *(change(n, "audit hold", scope=n) for n in range(1, 101))))
        snapshot = index.snapshot()
        for scopes in ({3}, {1, 100}, set(range(40, 80)), set(range(1, 101))):
            assert {r for r, _ in found(snapshot.search("audit", wanted(scopes=scopes), 200))} == scopes

    def test_one_common_reader_is_enough(self, index: PassageIndex) -> None:
        index.apply(
            changes(
                1,
                change(1, "audit hold"),
                change(2, "audit hold", readers=(ACME, BIRCH)),
                change(3, "audit hold", readers=("group:acme/ops",)),
                change(4, "audit hold", readers=()),
            )
        )
        snapshot = index.snapshot()
        many = {f"group:acme/g{n}" for n in range(500)}
        for readers, expected in (
            ({PUBLIC}, {1}),
            ({BIRCH}, {2}),
            ({PUBLIC, ACME}, {1, 2}),
            ({"group:acme/ops", ACME, PUBLIC}, {1, 2, 3}),
            ({"group:acme/op", "tenant:ac", "acme", "public tenant:acme"}, set()),
            ({ACME, *many}, {2}),
        ):
            assert {r for r, _ in found(snapshot.search("audit", wanted(readers=readers), 5))} == expected

    @pytest.mark.parametrize(
        ("at", "in_force"),
        [(START - MOMENT, False), (START, True), (END - MOMENT, True), (END, False), (END + MOMENT, False)],
    )
    def test_validity_includes_its_start_and_excludes_its_end(
        self, index: PassageIndex, at: datetime, in_force: bool
    ) -> None:
        index.apply(changes(1, change(1, "audit hold", validity=Validity(start=START, end=END))))
        assert found(index.snapshot().search("audit", wanted(at=at), 5)) == ([(1, 0)] if in_force else [])

    def test_an_open_validity_holds_at_the_end_of_time(self, index: PassageIndex) -> None:
        index.apply(
            changes(1, change(1, "audit hold"), change(2, "audit hold", validity=Validity(start=START, end=END)))
        )
        assert found(index.snapshot().search("audit", wanted(at=datetime.max.replace(tzinfo=UTC)), 5)) == [(1, 0)]

    def test_a_validity_that_starts_before_1970_holds(self, index: PassageIndex) -> None:
        past = Validity(start=datetime(1950, 1, 1, tzinfo=UTC), end=datetime(1960, 1, 1, tzinfo=UTC))
        index.apply(changes(1, change(1, "audit hold", validity=past)))
        assert found(index.snapshot().search("audit", wanted(at=datetime(1955, 1, 1, tzinfo=UTC)), 5)) == [(1, 0)]

    def test_a_validity_that_ends_before_it_starts_never_holds(self, index: PassageIndex) -> None:
        index.apply(changes(1, change(1, "audit hold", validity=Validity(start=END, end=START))))
        for at in (START, END, START + (END - START) / 2):
            assert not index.snapshot().search("audit", wanted(at=at), 5).hits

    def test_better_matches_that_are_not_wanted_take_no_places(self, index: PassageIndex) -> None:
        """Trouble case O01: a filter that runs after the cut leaves few rows or none."""
        index.apply(
            changes(
                1,
                change(1, "Backup window is 02:00 to 04:00 on weekdays.", scope=1),
                change(2, "Backup window schedule: the backup window is 22:00.", scope=2),
                change(3, "Backup window schedule, backup window, backup window schedule.", scope=3),
                change(4, "Backup window schedule and backup window limits.", scope=3),
            )
        )
        for limit in (1, 2, 10):
            hits = index.snapshot().search("backup window schedule", wanted(scopes=(1,)), limit)
            assert found(hits) == [(1, 0)]
            assert hits.exhausted

    def test_the_result_does_not_depend_on_the_limit(self, index: PassageIndex) -> None:
        """Trouble case O02: five wanted documents among five hundred."""
        index.apply(
            changes(
                1, *(change(n + 1, f"note {n} about topic {n % 7}", scope=1 if n % 100 == 0 else 2) for n in range(500))
            )
        )
        snapshot = index.snapshot()
        ranking = snapshot.search("note about topic", wanted(), 500)
        assert {revision for revision, _ in found(ranking)} == {1, 101, 201, 301, 401}
        for limit in (3, 5, 10):
            assert snapshot.search("note about topic", wanted(), limit).hits == best(ranking.hits, limit)

    @pytest.mark.parametrize("readers", [{PUBLIC}, {ACME}, {ACME, BIRCH}, {PUBLIC, ACME, BIRCH}])
    @pytest.mark.parametrize("scopes", [{1}, {2, 4}, {1, 2, 3, 4}])
    def test_a_filtered_search_is_the_unfiltered_one_without_the_stopped_rows(
        self, index: PassageIndex, scopes: set[int], readers: set[str]
    ) -> None:
        corpus = mixed_corpus()
        index.apply(corpus)
        snapshot, text = index.snapshot(), "gateway audit hold stops"
        unfiltered = snapshot.search(text, wanted(scopes={1, 2, 3, 4}, readers={PUBLIC, ACME, BIRCH}), 1000).hits
        let_through = {
            c.revision
            for c in corpus.changes
            if c.scope in scopes and c.standing and readers.intersection(c.standing.descriptor.readers)
        }
        expected = [hit for hit in unfiltered if hit.key.revision in let_through]
        assert expected
        for limit in range(1, len(expected) + 2):
            hits = snapshot.search(text, wanted(scopes=scopes, readers=readers), limit)
            assert hits.hits == best(expected, limit)
            assert hits.exhausted == (len(hits.hits) == len(expected))

    # Order and ties

    def test_hits_come_by_falling_score_and_equal_scores_by_key(self, index: PassageIndex) -> None:
        index.apply(mixed_corpus())
        hits = index.snapshot().search("gateway telemetry", wanted(scopes={1, 2, 3, 4}), 1000).hits
        assert len({hit.score for hit in hits}) > 1
        assert list(hits) == sorted(hits, key=lambda hit: (-hit.score, hit.key))

    def test_every_tie_with_the_last_hit_is_returned(self, index: PassageIndex) -> None:
        for sequence, start in ((1, 1), (2, 101)):
            index.apply(
                changes(sequence, *(change(n, "audit hold", "something else") for n in range(start, start + 100)))
            )
        index.apply(changes(3, change(500, "audit audit only"), change(501, "unlike the others")))
        hits = index.snapshot().search("audit hold", wanted(), 3)
        assert found(hits) == [(n, 0) for n in range(1, 201)]
        assert not hits.exhausted

    def test_a_list_is_a_prefix_of_the_next_longer_one(self, index: PassageIndex) -> None:
        index.apply(mixed_corpus())
        snapshot = index.snapshot()
        lists = [snapshot.search("gateway audit rolls", wanted(scopes={1, 2, 3, 4}), k).hits for k in range(1, 40)]
        assert len({len(hits) for hits in lists}) > 1
        for shorter, longer in pairwise(lists):
            assert longer[: len(shorter)] == shorter

    def test_exhausted_says_that_nothing_else_matches(self, index: PassageIndex) -> None:
        index.apply(
            changes(1, change(1, "audit hold active"), change(2, "audit rules differ"), change(3, "nothing of it"))
        )
        snapshot = index.snapshot()
        assert [snapshot.search("audit hold", wanted(), limit).exhausted for limit in (1, 2, 3)] == [False, True, True]

    # Changes

    def test_the_sequence_moves_with_the_changes(self, index: PassageIndex) -> None:
        index.apply(changes(3, change(1, "audit hold")))
        assert index.snapshot().sequence == 3
        index.apply(changes(8))
        assert index.snapshot().sequence == 8
        assert found(index.snapshot().search("audit", wanted(), 5)) == [(1, 0)]

    def test_applying_again_changes_nothing(self, index: PassageIndex) -> None:
        batch = changes(2, change(1, "audit hold", "audit rules"), removal(2))
        index.apply(batch)
        once = index.snapshot().search("audit hold", wanted(), 5)
        index.apply(batch)
        assert index.snapshot().search("audit hold", wanted(), 5) == once
        assert index.snapshot().sequence == 2

    def test_changes_from_before_the_reached_sequence_undo_nothing(self, index: PassageIndex) -> None:
        index.apply(changes(5, change(1, "a new text")))
        index.apply(changes(4, change(1, "an old text"), change(2, "another text")))
        assert index.snapshot().sequence == 5
        assert not index.snapshot().search("old another", wanted(), 5).hits

    def test_a_shorter_text_leaves_no_passage_of_the_longer_one(self, index: PassageIndex) -> None:
        """Trouble case O06: the high-numbered passages of the old text must go."""
        index.apply(changes(1, change(1, "Delivery costs 4 EUR.", "Returns are free.", "The late fee is 15 EUR.")))
        index.apply(changes(2, change(1, "Delivery costs 5 EUR.", "Returns are free.")))
        snapshot = index.snapshot()
        assert not snapshot.search("late fee", wanted(), 5).hits
        assert sorted(found(snapshot.search("delivery returns", wanted(), 5))) == [(1, 0), (1, 1)]

    def test_a_removed_revision_is_found_no_more(self, index: PassageIndex) -> None:
        index.apply(changes(1, change(1, "audit hold", "audit"), change(2, "audit hold"), change(3, "else")))
        index.apply(changes(2, removal(1), removal(99)))
        assert found(index.snapshot().search("audit", wanted(), 5)) == [(2, 0)]

    def test_a_changed_standing_counts_at_once(self, index: PassageIndex) -> None:
        index.apply(changes(1, change(1, "audit hold")))
        index.apply(
            changes(2, change(1, "audit hold", scope=2, readers=(ACME,), validity=Validity(start=START, end=END)))
        )
        snapshot = index.snapshot()
        assert found(snapshot.search("audit", wanted(scopes=(2,), readers=(ACME,)), 5)) == [(1, 0)]
        for stale in (
            wanted(),
            wanted(readers=(ACME,)),
            wanted(scopes=(2,)),
            wanted(scopes=(2,), readers=(ACME,), at=END),
        ):
            assert not snapshot.search("audit", stale, 5).hits

    def test_a_superseded_revision_is_found_as_of_then(self, index: PassageIndex) -> None:
        closed = change(1, "late fee 15", validity=Validity(start=START, end=END))
        assert closed.standing is not None
        closed = replace(closed, standing=replace(closed.standing, superseded=True))
        index.apply(changes(2, closed, change(2, "late fee 20", validity=Validity(start=END))))
        snapshot = index.snapshot()
        assert found(snapshot.search("late fee", wanted(at=START), 5)) == [(1, 0)]
        assert found(snapshot.search("late fee", wanted(at=END), 5)) == [(2, 0)]

    def test_a_snapshot_does_not_see_later_changes(self, index: PassageIndex) -> None:
        index.apply(changes(1, change(1, "audit hold"), change(2, "else")))
        before = index.snapshot()
        was = before.search("audit hold", wanted(), 5)
        index.apply(changes(2, change(1, "gone"), change(3, "audit hold")))
        with index.replacement() as fresh:
            fresh.apply(changes(1, change(4, "audit hold")))
        assert before.sequence == 1
        assert before.search("audit hold", wanted(), 5) == was
        assert found(index.snapshot().search("audit hold", wanted(), 5)) == [(4, 0)]

    def test_the_mark_is_that_of_the_changes_reached(self, index: PassageIndex) -> None:
        assert index.snapshot().mark == 0
        for sequence in (3, 8):
            batch = changes(sequence, change(1, "audit hold"))
            index.apply(batch)
            assert index.snapshot().mark == batch.mark
        index.apply(changes(5))
        assert index.snapshot().mark == changes(8).mark

    def test_changes_that_would_leave_a_gap_are_refused(self, index: PassageIndex) -> None:
        index.apply(changes(3, change(1, "audit hold")))
        with pytest.raises(Conflict) as refused:
            index.apply(changes(6, change(1, "gone"), after=4))
        assert refused.value.retryable
        assert index.snapshot().sequence == 3
        assert found(index.snapshot().search("audit", wanted(), 5)) == [(1, 0)]
        index.apply(changes(6, change(2, "audit"), after=2))
        assert index.snapshot().sequence == 6

    # Replacement

    def test_a_replacement_starts_empty_and_takes_over_when_it_is_done(self, index: PassageIndex) -> None:
        index.apply(changes(7, change(1, "audit hold")))
        with index.replacement() as fresh:
            assert fresh.snapshot().sequence == 0
            fresh.apply(changes(2, change(1, "audit"), change(2, "audit")))
            assert fresh.snapshot().sequence == 2
            assert index.snapshot().sequence == 7
            assert found(index.snapshot().search("audit", wanted(), 5)) == [(1, 0)]
        assert index.snapshot().sequence == 2
        assert found(index.snapshot().search("audit", wanted(), 5)) == [(1, 0), (2, 0)]

    def test_changes_meanwhile_show_until_the_replacement_takes_over(self, index: PassageIndex) -> None:
        with index.replacement() as fresh:
            fresh.apply(changes(1, change(1, "audit hold")))
            index.apply(changes(2, change(1, "audit hold"), change(2, "audit")))
            assert index.snapshot().sequence == 2
        assert index.snapshot().sequence == 1
        index.apply(changes(2, change(2, "audit"), after=1))
        assert found(index.snapshot().search("hold audit", wanted(), 5)) == [(1, 0), (2, 0)]

    def test_a_replacement_that_fails_leaves_everything_as_it_was(self, index: PassageIndex) -> None:
        index.apply(changes(7, change(1, "audit hold")))
        with suppress(_Left), index.replacement() as fresh:
            fresh.apply(changes(9, change(2, "audit hold")))
            raise _Left
        assert index.snapshot().sequence == 7
        assert found(index.snapshot().search("audit", wanted(), 5)) == [(1, 0)]
        with index.replacement() as fresh:
            assert fresh.snapshot().sequence == 0

    def test_a_second_replacement_at_the_same_time_meets_a_conflict(self, index: PassageIndex) -> None:
        with index.replacement() as fresh:
            with pytest.raises(Conflict), index.replacement():
                pass
            fresh.apply(changes(1, change(1, "audit hold")))
        assert index.snapshot().sequence == 1

    def test_a_closed_index_cannot_be_used(self, index: PassageIndex) -> None:
        index.close()
        index.close()
        for use in (index.snapshot, index.replacement().__enter__, lambda: index.apply(changes(1))):
            with pytest.raises(StoreFault):
                use()


class _Left(Exception):
    """Raised to leave a block."""


__all__ = ["IndexContract", "best", "change", "changes", "found", "mixed_corpus", "removal", "wanted"]
