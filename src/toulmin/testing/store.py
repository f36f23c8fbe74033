"""The contract of the store port: what every `Store` promises, a class for each capability and `StoreContract` for all of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from itertools import product

import pytest

from toulmin.domain.corpus.document import Egress, Page, Passage, Place, RevisionId, Span, Standing, Status
from toulmin.domain.corpus.readers import PUBLIC
from toulmin.domain.corpus.scope import Scope
from toulmin.domain.corpus.validity import Validity
from toulmin.domain.errors import Conflict, NotFound, StoreFault
from toulmin.domain.proof.fingerprint import fingerprint_of
from toulmin.domain.question.case import ANONYMOUS, Principal
from toulmin.domain.question.eligibility import Filter
from toulmin.ports.store import Candidate, Change, Changes, Eligible, Outlook, PassageKey, Store
from toulmin.testing.builders import ALWAYS, NOW, descriptor, packet, revision

DAY = timedelta(days=1)
ANN = Principal(id="ann", tenant="a", groups=("ops",))
BEN = Principal(id="ben", tenant="b", groups=("ops",))
EVERYBODY = (PUBLIC, "tenant:a", "tenant:b", "group:a/ops", "group:b/ops")


def ingest(
    store: Store,
    document: str = "DOC",
    version: str = "1",
    text: str = "First line.\nSecond line.\n",
    *,
    scope: Mapping[str, str] | None = None,
    readers: Iterable[str] = (PUBLIC,),
    validity: Validity = ALWAYS,
) -> Standing:
    """Adds one revision in a session of its own."""
    with store.curate() as curation:
        described = descriptor(scope=scope, readers=readers)
        return curation.add(revision(document, version, text), described, validity, NOW)


def give_to(store: Store, standing: Standing, *readers: str) -> Standing:
    """Replaces a revision's readers in a session of its own."""
    with store.curate() as curation:
        described = replace(standing.descriptor, readers=readers)
        return curation.replace(standing.key, described, standing.validity, superseded=standing.superseded)


def supersede(store: Store, standing: Standing) -> Standing:
    """Marks a revision as superseded from a day after `NOW` on, in a session of its own."""
    with store.curate() as curation:
        closed = standing.validity.closed_at(NOW + DAY)
        return curation.replace(standing.key, standing.descriptor, closed, superseded=True)


def retire(store: Store, standing: Standing, status: Status) -> None:
    """Withdraws or deletes a revision in a session of its own."""
    with store.curate() as curation:
        curation.retire(standing.key, status)


def as_told(store: Store, *changes: Change, after: int, sequence: int) -> Changes:
    """These changes, as the store tells them: with its own mark."""
    return Changes(after=after, sequence=sequence, mark=store.outlook(sequence).mark or 0, changes=changes)


def sequence(store: Store) -> int:
    """The store's present sequence number."""
    with store.begin(ANONYMOUS) as session:
        return session.corpus.sequence()


def candidates(
    store: Store, *keys: PassageKey, at: int | None = None, principal: Principal = ANONYMOUS
) -> Mapping[PassageKey, Candidate]:
    """The candidates as of a sequence number; without one, as of the present."""
    with store.begin(principal) as session:
        return session.corpus.candidates(keys, session.corpus.sequence() if at is None else at)


def _counted(store: Store, wanted: Filter) -> Eligible:
    with store.begin(ANONYMOUS) as session:
        return session.corpus.eligible(wanted)


def eligible(store: Store, wanted: Filter, principal: Principal = ANONYMOUS) -> int:
    """How many revisions a filter lets through."""
    with store.begin(principal) as session:
        return session.corpus.eligible(wanted).documents


def scopes(store: Store, after: int = 0) -> Sequence[tuple[int, Scope]]:
    """The interned scopes."""
    with store.begin(ANONYMOUS) as session:
        return session.corpus.scopes(after)


def readable(store: Store, principal: Principal, keys: Iterable[int]) -> set[int]:
    """Which of these live revisions a principal may read, after asking every method that reads them."""
    wanted = Filter(scopes=frozenset(key for key, _ in scopes(store)), readers=frozenset(EVERYBODY), at=NOW)
    with store.begin(principal) as session:
        listed = {standing.key for standing in session.catalogue.standings()}
        by_document = {
            standing.key
            for document in {standing.id.document for standing in session.catalogue.standings()}
            for standing in session.catalogue.standings(document)
        }
        shown = {key for key in keys if session.catalogue.revision(key)}
        found = session.corpus.candidates([PassageKey(key, 0) for key in keys], session.corpus.sequence())
        count = session.corpus.eligible(wanted).documents
    assert listed == by_document == shown == {key.revision for key in found}
    assert count == len(listed)
    return listed


class TransactionContract:
    """Sessions are transactions. Needs a `store` fixture: an empty store that waits only briefly for another writer."""

    def test_a_curation_left_by_an_exception_changes_nothing(self, store: Store) -> None:
        kept = ingest(store, "KEPT", scope={"model": "G1"})
        with suppress(_Left), store.curate() as curation:
            curation.add(revision("NEW"), descriptor(scope={"model": "G2"}), ALWAYS, NOW)
            curation.retire(kept.key, Status.DELETED)
            raise _Left
        with store.begin(ANONYMOUS) as session:
            assert list(session.catalogue.standings()) == [kept]
            assert session.catalogue.revision(kept.key) == revision("KEPT")
            assert session.corpus.sequence() == 1
            assert session.corpus.scopes(0) == [(1, Scope.of({"model": "G1"}))]
            assert session.corpus.fingerprint() == fingerprint_of([kept])

    def test_a_session_left_by_an_exception_keeps_no_packet(self, store: Store) -> None:
        with suppress(_Left), store.begin(ANONYMOUS, write=True) as session:
            session.packets.add(packet())
            raise _Left
        with store.begin(ANONYMOUS) as session:
            assert session.packets.get(packet().id) is None

    def test_a_session_keeps_the_view_that_it_began_with(self, store: Store) -> None:
        first = ingest(store, "FIRST")
        with store.begin(ANONYMOUS) as before:
            ingest(store, "SECOND")
            retire(store, first, Status.DELETED)
            assert before.corpus.sequence() == 1
            assert list(before.catalogue.standings()) == [first]
            assert PassageKey(first.key, 0) in before.corpus.candidates([PassageKey(first.key, 0)], 1)
        assert sequence(store) == 3

    def test_what_is_not_committed_shows_to_nobody_else(self, store: Store) -> None:
        with store.curate() as curation:
            curation.add(revision(), descriptor(), ALWAYS, NOW)
            assert sequence(store) == 0

    def test_a_second_writer_waits_and_is_then_refused(self, store: Store) -> None:
        with store.curate() as curation:
            with pytest.raises(Conflict) as refused, store.curate():
                pass
            with pytest.raises(Conflict), store.begin(ANONYMOUS, write=True):
                pass
            curation.add(revision(), descriptor(), ALWAYS, NOW)
        assert refused.value.retryable
        assert refused.value.remedy
        assert sequence(store) == 1

    def test_a_closed_store_refuses_further_use(self, store: Store) -> None:
        store.close()
        with pytest.raises(StoreFault), store.begin(ANONYMOUS):
            pass
        with pytest.raises(StoreFault), store.curate():
            pass
        with pytest.raises(StoreFault):
            store.changes(0, limit=1)


class SequenceContract:
    """One number for each session that changed something. Needs an empty `store`."""

    def test_an_empty_store_stands_at_0(self, store: Store) -> None:
        assert sequence(store) == 0

    def test_a_session_that_changes_several_things_takes_one_number(self, store: Store) -> None:
        with store.curate() as curation:
            first = curation.add(revision("A"), descriptor(), ALWAYS, NOW)
            second = curation.add(revision("B"), descriptor(), ALWAYS, NOW)
            curation.retire(first.key, Status.WITHDRAWN)
        assert sequence(store) == 1
        assert second.since == 1
        assert ingest(store, "C").since == 2

    def test_a_session_that_changes_nothing_takes_none(self, store: Store) -> None:
        standing = ingest(store)
        with store.curate() as curation:
            curation.history("DOC")
            with pytest.raises(Conflict):
                curation.add(revision(), descriptor(scope={"model": "G9"}), ALWAYS, NOW)
        retire(store, standing, Status.LIVE)
        with store.begin(ANONYMOUS, write=True) as session:
            session.packets.add(packet())
        assert sequence(store) == 1
        assert len(scopes(store)) == 1


class StepContract:
    """Steps of a curation session: changes of their own that become durable together. Needs an empty `store`."""

    def test_each_step_that_changed_something_takes_a_number_of_its_own(self, store: Store) -> None:
        with store.curate() as curation:
            with curation.step():
                first = curation.add(revision("A"), descriptor(), ALWAYS, NOW)
                second = curation.add(revision("B"), descriptor(), ALWAYS, NOW)
            with curation.step():
                curation.history("A")
            with curation.step():
                third = curation.replace(first.key, descriptor(title="new"), ALWAYS, superseded=False)
        assert (first.since, second.since, third.since, sequence(store)) == (1, 1, 2, 2)
        assert [told.sequence for told in (store.changes(0, 1), store.changes(1, 1))] == [1, 2]
        assert None not in {store.outlook(number).mark for number in (1, 2)}
        assert candidates(store, PassageKey(first.key, 0), at=1)[PassageKey(first.key, 0)].standing == first

    def test_a_step_left_by_an_exception_is_rolled_back_alone(self, store: Store) -> None:
        with store.curate() as curation:
            with curation.step():
                kept = curation.add(revision("KEPT"), descriptor(scope={"model": "G1"}), ALWAYS, NOW)
            with suppress(_Left), curation.step():
                curation.add(revision("DROPPED"), descriptor(scope={"model": "G2"}), ALWAYS, NOW)
                curation.retire(kept.key, Status.DELETED)
                raise _Left
            with curation.step():
                last = curation.add(revision("LAST"), descriptor(scope={"model": "G3"}), ALWAYS, NOW)
        assert (kept.since, last.since, sequence(store)) == (1, 2, 2)
        with store.begin(ANONYMOUS) as session:
            assert list(session.catalogue.standings()) == [kept, last]
            assert session.catalogue.revision(kept.key) == revision("KEPT")
            assert [scope.get("model") for _, scope in session.corpus.scopes(0)] == ["G1", "G3"]
            assert session.corpus.fingerprint() == fingerprint_of([kept, last])

    def test_steps_show_to_others_only_when_the_session_ends(self, store: Store) -> None:
        with store.curate() as curation:
            with curation.step():
                curation.add(revision("A"), descriptor(), ALWAYS, NOW)
            assert sequence(store) == 0
            assert store.changes(0, 100).changes == ()
        assert sequence(store) == 1

    def test_a_session_left_by_an_exception_drops_its_steps(self, store: Store) -> None:
        with suppress(_Left), store.curate() as curation:
            with curation.step():
                curation.add(revision("A"), descriptor(), ALWAYS, NOW)
            raise _Left
        assert sequence(store) == 0


class ScopeContract:
    """Equal scopes are one. Needs an empty `store`."""

    def test_equal_scopes_have_one_key(self, store: Store) -> None:
        ingest(store, "A", scope={"model": "G2", "firmware": ">=2,<3"})
        ingest(store, "B", scope={"firmware": "<3, >=2", "model": "G2"}, readers=["tenant:a"])
        assert [scope for _, scope in scopes(store)] == [Scope.of({"model": "G2", "firmware": ">=2,<3"})]

    def test_scopes_come_by_key_and_keys_only_grow(self, store: Store) -> None:
        for model in ("G3", "G1", "G2", "G1"):
            ingest(store, f"D{sequence(store)}", scope={"model": model})
        everything = scopes(store)
        assert [scope.get("model") for _, scope in everything] == ["G3", "G1", "G2"]
        keys = [key for key, _ in everything]
        assert keys == sorted(set(keys))
        assert keys[0] > 0
        assert scopes(store, after=keys[0]) == everything[1:]
        assert scopes(store, after=keys[-1]) == []

    def test_a_scope_that_nothing_states_any_more_stays(self, store: Store) -> None:
        standing = ingest(store, scope={"model": "G1"})
        with store.curate() as curation:
            curation.replace(standing.key, descriptor(scope={"model": "G2"}), ALWAYS, superseded=False)
        assert [scope.get("model") for _, scope in scopes(store)] == ["G1", "G2"]


class CandidateContract:
    """The truth about passages, as of a sequence number. Needs an empty `store`."""

    def test_a_candidate_is_the_passage_with_its_words_standing_and_scope(self, store: Store) -> None:
        ingest(store, "OTHER", scope={"model": "G1"})
        passages = (Passage(start=0, end=5, heading=("Kapitel", "Größe")), Passage(start=6, end=11))
        with store.curate() as curation:
            pages = (Page(index=0, start=0, end=6, label="i"), Page(index=1, start=6, end=11))
            added = revision(text="𝄞äöüé zeros", passages=passages, pages=pages)
            standing = curation.add(added, descriptor(scope={"model": "G2"}), ALWAYS, NOW)
        first, second = PassageKey(standing.key, 0), PassageKey(standing.key, 1)
        scope = {scope: key for key, scope in scopes(store)}[standing.descriptor.scope]
        places = (
            Place(start=0, end=5, utf16=(0, 6), pages=pages[:1]),
            Place(start=6, end=11, utf16=(7, 12), pages=pages[1:]),
        )
        assert candidates(store, first, second) == {
            first: Candidate(
                key=first, passage=passages[0], place=places[0], text="𝄞äöüé", standing=standing, scope=scope
            ),
            second: Candidate(
                key=second, passage=passages[1], place=places[1], text="zeros", standing=standing, scope=scope
            ),
        }

    def test_words_behind_a_control_character_are_whole(self, store: Store) -> None:
        standing = ingest(store, text="zero\0one\ntwo\0three")
        found = candidates(store, PassageKey(standing.key, 0), PassageKey(standing.key, 1))
        assert [candidate.text for candidate in found.values()] == ["zero\0one", "two\0three"]

    def test_what_does_not_exist_is_absent(self, store: Store) -> None:
        standing = ingest(store)
        nothing = (PassageKey(standing.key, 2), PassageKey(standing.key, -1), PassageKey(standing.key + 1, 0))
        assert candidates(store, *nothing) == {}
        assert candidates(store) == {}

    def test_a_request_pinned_to_a_sequence_sees_the_standing_of_then(self, store: Store) -> None:
        first = ingest(store, scope={"model": "G1"})
        with store.curate() as curation:
            second = curation.replace(first.key, descriptor(scope={"model": "G2"}), ALWAYS, superseded=False)
        third = supersede(store, second)
        key = PassageKey(first.key, 0)
        seen = {at: candidates(store, key, at=at).get(key) for at in range(5)}
        assert {at: candidate and candidate.standing for at, candidate in seen.items()} == {
            0: None, 1: first, 2: second, 3: third, 4: third
        }  # fmt: skip
        assert {at: candidate and candidate.scope for at, candidate in seen.items()} == {
            0: None, 1: 1, 2: 2, 3: 2, 4: 2
        }  # fmt: skip

    def test_of_two_standings_made_in_one_session_only_the_last_was_ever_in_force(self, store: Store) -> None:
        with store.curate() as curation:
            first = curation.add(revision(), descriptor(title="first"), ALWAYS, NOW)
            last = curation.replace(first.key, descriptor(title="last"), ALWAYS, superseded=False)
        key = PassageKey(first.key, 0)
        assert last.since == 1
        assert candidates(store, key)[key].standing == last

    def test_a_text_that_was_read_again_is_served_from_then_on_and_not_as_of_before(self, store: Store) -> None:
        first = ingest(store, text="old words")
        again = replace(revision(text="new words, longer", parser="test/2"), bytes_sha256=first.bytes_sha256)
        with store.curate() as curation:
            renewed = curation.replace(first.key, first.descriptor, ALWAYS, superseded=False, content=again)
        key = PassageKey(first.key, 0)
        assert candidates(store, key)[key].text == "new words, longer"
        assert candidates(store, key, at=1) == {}
        assert renewed.text_sha256 == again.text_sha256
        with store.begin(ANONYMOUS) as session:
            assert session.catalogue.revision(first.key) == again
            assert session.corpus.fingerprint() == fingerprint_of([renewed])
        (change,) = store.changes(1, 100).changes
        assert [text for _, text in change.passages] == ["new words, longer"]

    @pytest.mark.parametrize("status", [Status.WITHDRAWN, Status.DELETED])
    def test_what_is_withdrawn_or_deleted_is_gone_for_old_sequences_too(self, store: Store, status: Status) -> None:
        standing, other = ingest(store, "GONE"), ingest(store, "STAYS")
        retire(store, standing, status)
        gone, stays = PassageKey(standing.key, 0), PassageKey(other.key, 0)
        for at in (1, 2, 3):
            assert gone not in candidates(store, gone, stays, at=at)
        assert stays in candidates(store, gone, stays, at=2)

    def test_readers_are_judged_as_of_now_whatever_the_sequence(self, store: Store) -> None:
        opened = give_to(store, ingest(store, "OPENED", readers=["tenant:b"]), PUBLIC)
        closed = give_to(store, ingest(store, "CLOSED"), "tenant:b")
        keys = (PassageKey(opened.key, 0), PassageKey(closed.key, 0))
        assert set(candidates(store, *keys, at=3)) == {keys[0]}
        assert candidates(store, keys[0], at=1)[keys[0]].standing.descriptor.readers == ("tenant:b",)


class ReaderContract:
    """Nobody reads what is not theirs, by any method. Needs an empty `store`."""

    def test_a_principal_reads_what_one_of_its_tokens_opens(self, store: Store) -> None:
        rows = [*EVERYBODY, "group:a/dev"]
        keys = {token: ingest(store, f"D{place}", readers=[token]).key for place, token in enumerate(rows)}
        everything = keys.values()
        assert readable(store, ANONYMOUS, everything) == {keys[PUBLIC]}
        assert readable(store, ANN, everything) == {keys[PUBLIC], keys["tenant:a"], keys["group:a/ops"]}
        assert readable(store, BEN, everything) == {keys[PUBLIC], keys["tenant:b"], keys["group:b/ops"]}

    def test_one_token_of_several_is_enough(self, store: Store) -> None:
        key = ingest(store, readers=["group:a/ops", "group:b/dev", "tenant:c"]).key
        assert readable(store, ANN, [key]) == {key}
        assert readable(store, BEN, [key]) == set()

    def test_a_document_without_readers_is_read_by_nobody(self, store: Store) -> None:
        key = ingest(store, readers=[]).key
        for principal in (ANONYMOUS, ANN, BEN):
            assert readable(store, principal, [key]) == set()

    def test_an_inactive_principal_reads_nothing(self, store: Store) -> None:
        keys = [ingest(store, "A").key, ingest(store, "B", readers=["tenant:a"]).key]
        assert readable(store, ANN, keys) == set(keys)
        assert readable(store, replace(ANN, active=False), keys) == set()

    def test_new_readers_hold_at_once(self, store: Store) -> None:
        standing = ingest(store, readers=["tenant:a"])
        give_to(store, standing, "tenant:b")
        assert readable(store, ANN, [standing.key]) == set()
        assert readable(store, BEN, [standing.key]) == {standing.key}

    def test_scopes_sequence_and_fingerprint_are_told_to_everybody(self, store: Store) -> None:
        standing = ingest(store, readers=[], scope={"model": "G2"})
        with store.begin(ANONYMOUS) as session:
            assert session.corpus.sequence() == 1
            assert session.corpus.scopes(0) == [(1, standing.descriptor.scope)]
            assert session.corpus.fingerprint() == fingerprint_of([standing])


class EligibleContract:
    """The filter's count. Needs an empty `store`."""

    def test_it_counts_exactly_what_the_filter_lets_through(self, store: Store) -> None:
        moments = (NOW - DAY, NOW, NOW + DAY, NOW + 2 * DAY)
        periods = [Validity(start=start, end=end) for start in moments[:2] for end in (*moments[1:], None)]
        reader_lists: tuple[list[str], ...] = ([PUBLIC], ["tenant:a", "tenant:b"], ["group:b/ops"], [])
        for place, (model, readers, validity) in enumerate(product(("G1", "G2"), reader_lists, periods)):
            ingest(store, f"D{place}", scope={"model": model}, readers=readers, validity=validity)
        with store.begin(ANN) as session:
            standings = list(session.catalogue.standings())
            keys = {scope: key for key, scope in session.corpus.scopes(0)}
            for wanted in (
                Filter(scopes=frozenset(chosen), readers=frozenset(tokens), at=at)
                for chosen, tokens, at in product(({1}, {2}, {1, 2, 99}), (ANN.tokens, BEN.tokens, {PUBLIC}), moments)
            ):
                assert session.corpus.eligible(wanted).documents == sum(
                    keys[standing.descriptor.scope] in wanted.scopes
                    and not wanted.readers.isdisjoint(standing.descriptor.readers)
                    and standing.validity.holds_at(wanted.at)
                    for standing in standings
                )

    def test_no_scopes_or_no_readers_let_nothing_through(self, store: Store) -> None:
        ingest(store)
        everything = Filter(scopes=frozenset({1}), readers=frozenset({PUBLIC}), at=NOW)
        assert eligible(store, everything) == 1
        assert eligible(store, replace(everything, scopes=frozenset())) == 0
        assert eligible(store, replace(everything, readers=frozenset())) == 0

    def test_a_filter_never_widens_what_the_principal_may_read(self, store: Store) -> None:
        ingest(store, readers=["tenant:b"])
        wanted = Filter(scopes=frozenset({1}), readers=frozenset(EVERYBODY), at=NOW)
        assert eligible(store, wanted, BEN) == 1
        assert eligible(store, wanted, ANN) == 0

    def test_a_superseded_revision_counts_while_it_was_in_force_and_a_retired_one_never(self, store: Store) -> None:
        supersede(store, ingest(store, "OLD"))
        retire(store, ingest(store, "WITHDRAWN"), Status.WITHDRAWN)
        retire(store, ingest(store, "DELETED"), Status.DELETED)
        at_start = Filter(scopes=frozenset({1}), readers=frozenset({PUBLIC}), at=NOW)
        assert eligible(store, at_start) == 1
        assert eligible(store, replace(at_start, at=NOW + DAY)) == 0

    def test_two_revisions_of_one_document_count_once(self, store: Store) -> None:
        ingest(store, version="1", scope={"model": "G1"})
        ingest(store, version="2", scope={"model": "G2"})
        assert eligible(store, Filter(scopes=frozenset({1, 2}), readers=frozenset({PUBLIC}), at=NOW)) == 1

    def test_a_count_says_until_when_it_holds(self, store: Store) -> None:
        wanted = Filter(scopes=frozenset({1}), readers=frozenset({PUBLIC}), at=NOW)
        with store.curate() as curation:
            curation.add(revision("A"), descriptor(), Validity(start=NOW, end=NOW + 2 * DAY), NOW)
        assert _counted(store, wanted) == Eligible(documents=1, until=NOW + 2 * DAY)
        with store.curate() as curation:
            curation.add(revision("B"), descriptor(), Validity(start=NOW + DAY), NOW)
        assert _counted(store, wanted) == Eligible(documents=1, until=NOW + DAY)
        assert _counted(store, replace(wanted, at=NOW + DAY)) == Eligible(documents=2, until=NOW + 2 * DAY)
        assert _counted(store, replace(wanted, at=NOW + 2 * DAY)) == Eligible(documents=1, until=None)


class CatalogueContract:
    """Documents for people. Needs an empty `store`."""

    def test_standings_come_by_document_and_version(self, store: Store) -> None:
        for document, version in (("b", "2"), ("a", "10"), ("B", "1"), ("b", "1"), ("ä", "1"), ("a", "9")):
            ingest(store, document, version)
        with store.begin(ANONYMOUS) as session:
            everything = [standing.id for standing in session.catalogue.standings()]
            of_one = [standing.id for standing in session.catalogue.standings("b")]
            assert list(session.catalogue.standings("unknown")) == []
        assert everything == sorted(everything)
        assert len(everything) == 6
        assert of_one == [RevisionId("b", "1"), RevisionId("b", "2")]

    def test_a_page_has_the_next_documents_that_the_principal_may_read_with_all_their_revisions(
        self, store: Store
    ) -> None:
        for document, version in (("b", "2"), ("a", "10"), ("B", "1"), ("b", "1"), ("ä", "1"), ("a", "9")):
            ingest(store, document, version)
        ingest(store, "aa", "1", readers=("tenant:other",))
        with store.begin(ANONYMOUS) as session:
            catalogue = session.catalogue
            everything = list(catalogue.standings())
            first, rest = list(catalogue.page("", 2)), list(catalogue.page("a", 9))
            assert list(catalogue.page("ä", 9)) == list(catalogue.page("", 0)) == []
        assert [standing.id.document for standing in first] == ["B", "a", "a"]
        assert first + rest == everything

    def test_retired_and_superseded_revisions_are_listed_as_what_they_are(self, store: Store) -> None:
        supersede(store, ingest(store, "A"))
        retire(store, ingest(store, "B"), Status.WITHDRAWN)
        retire(store, ingest(store, "C"), Status.DELETED)
        with store.begin(ANONYMOUS) as session:
            assert [(s.id.document, s.status, s.superseded) for s in session.catalogue.standings()] == [
                ("A", Status.LIVE, True),
                ("B", Status.WITHDRAWN, False),
                ("C", Status.DELETED, False),
            ]

    def test_a_standing_comes_back_with_all_that_was_stated(self, store: Store) -> None:
        described = descriptor(
            title="Größe \N{MUSICAL SYMBOL G CLEF} \"'",
            author="Ann",
            language="de",
            source_type="known-issue",
            egress=Egress.LOCAL,
            scope={"model": ["G2", "G1"], "firmware": ">=2.4.1,<2.4.2", "region": "*"},
            readers=["tenant:a", "public"],
            valid_from=NOW + timedelta(microseconds=1),
            valid_to=NOW + DAY,
            supersedes=("2", "1"),
            spans=[Span(start=6, end=10, id="s2", fact="known-issue"), Span(start=0, end=5, id="s1")],
        )
        validity = Validity(start=NOW + timedelta(microseconds=1), end=NOW + DAY)
        with store.curate() as curation:
            added = curation.add(revision(), described, validity, NOW + timedelta(microseconds=7))
        with store.begin(ANONYMOUS) as session:
            (listed,) = session.catalogue.standings()
        assert listed == added
        assert listed.descriptor == described
        assert listed.descriptor.digest == described.digest
        assert listed.ingested_at == NOW + timedelta(microseconds=7)

    def test_a_revision_comes_back_unchanged(self, store: Store) -> None:
        added = revision(
            text="\r\nÄ\0𝄞\n",
            passages=(Passage(start=2, end=4, heading=("One", "Two")), Passage(start=0, end=6)),
            encoding="utf-16-le",
            media_type="text/markdown",
            parser="plain/2",
            pages=(Page(index=0, start=0, end=3, label="ii"), Page(index=2, start=3, end=6)),
        )
        with store.curate() as curation:
            key = curation.add(added, descriptor(), ALWAYS, NOW).key
        with store.begin(ANONYMOUS) as session:
            assert session.catalogue.revision(key) == added
            assert session.catalogue.revision(key + 1) is None

    def test_a_withdrawn_revision_can_be_read_and_a_deleted_one_not(self, store: Store) -> None:
        standing = ingest(store)
        retire(store, standing, Status.WITHDRAWN)
        with store.begin(ANONYMOUS) as session:
            assert session.catalogue.revision(standing.key) == revision()
        retire(store, standing, Status.DELETED)
        with store.begin(ANONYMOUS) as session:
            assert session.catalogue.revision(standing.key) is None

    def test_a_deleted_revision_keeps_its_digests_and_readers(self, store: Store) -> None:
        standing = ingest(store, readers=["tenant:a"])
        retire(store, standing, Status.DELETED)
        with store.begin(ANN) as session:
            assert list(session.catalogue.standings()) == [replace(standing, status=Status.DELETED, since=2)]
        with store.begin(BEN) as session:
            assert list(session.catalogue.standings()) == []


class CurationContract:
    """The product's own hand. Needs an empty `store`."""

    def test_history_is_every_revision_in_the_order_of_ingest(self, store: Store) -> None:
        first = supersede(store, ingest(store, "DOC", "9"))
        ingest(store, "OTHER")
        second = ingest(store, "DOC", "10", readers=[])
        third = ingest(store, "DOC", "1")
        retire(store, third, Status.DELETED)
        with store.curate() as curation:
            assert list(curation.history("DOC")) == [first, second, replace(third, status=Status.DELETED, since=6)]
            assert list(curation.history("unknown")) == []

    def test_a_session_sees_its_own_changes(self, store: Store) -> None:
        with store.curate() as curation:
            added = curation.add(revision(), descriptor(), ALWAYS, NOW)
            assert list(curation.history("DOC")) == [added]
            replaced = curation.replace(added.key, descriptor(), ALWAYS, superseded=True)
            assert list(curation.history("DOC")) == [replaced]

    @pytest.mark.parametrize("status", list(Status))
    def test_an_id_is_taken_for_ever(self, store: Store, status: Status) -> None:
        standing = ingest(store)
        retire(store, standing, status)
        with pytest.raises(Conflict) as refused:
            ingest(store, text="other words")
        assert refused.value.code == "revision_exists"
        assert "DOC v1" in refused.value.message

    def test_an_id_added_in_the_same_session_is_taken(self, store: Store) -> None:
        with store.curate() as curation:
            curation.add(revision(), descriptor(), ALWAYS, NOW)
            with pytest.raises(Conflict):
                curation.add(revision(), descriptor(), ALWAYS, NOW)

    def test_replacing_leaves_text_and_passages(self, store: Store) -> None:
        standing = ingest(store)
        with store.curate() as curation:
            closed = Validity(start=NOW, end=NOW + DAY)
            replaced = curation.replace(standing.key, descriptor(title="New"), closed, superseded=True)
        assert replaced == replace(
            standing, descriptor=descriptor(title="New"), validity=closed, superseded=True, since=2
        )
        with store.begin(ANONYMOUS) as session:
            assert session.catalogue.revision(standing.key) == revision()

    @pytest.mark.parametrize("status", [Status.WITHDRAWN, Status.DELETED])
    def test_what_is_retired_never_comes_back(self, store: Store, status: Status) -> None:
        standing = ingest(store)
        retire(store, standing, status)
        with pytest.raises(Conflict):
            give_to(store, standing, PUBLIC)
        with pytest.raises(Conflict):
            retire(store, standing, Status.LIVE)
        assert sequence(store) == 2

    def test_a_withdrawn_revision_may_be_deleted_and_a_deleted_one_not_withdrawn(self, store: Store) -> None:
        standing = ingest(store)
        retire(store, standing, Status.WITHDRAWN)
        retire(store, standing, Status.DELETED)
        retire(store, standing, Status.DELETED)
        assert sequence(store) == 3
        with pytest.raises(Conflict):
            retire(store, standing, Status.WITHDRAWN)

    def test_an_unknown_key_is_not_found(self, store: Store) -> None:
        standing = ingest(store)
        with pytest.raises(NotFound), store.curate() as curation:
            curation.retire(standing.key + 1, Status.DELETED)
        with pytest.raises(NotFound), store.curate() as curation:
            curation.replace(standing.key + 1, descriptor(), ALWAYS, superseded=False)


class InputContract:
    """What was ingested is known again. Needs an empty `store`."""

    def test_an_input_is_recalled_with_the_present_standing_of_what_it_made(self, store: Store) -> None:
        with store.curate() as curation:
            standing = curation.add(revision(), descriptor(), ALWAYS, NOW)
            curation.inputs.remember("digest", standing.key)
        changed = give_to(store, standing, "tenant:a")
        with store.curate() as curation:
            assert curation.inputs.recall("digest") == changed
            assert curation.inputs.recall("another") is None

    def test_a_revision_has_the_input_that_it_came_of_last(self, store: Store) -> None:
        standing = ingest(store)
        for digest in ("first", "second"):
            with store.curate() as curation:
                curation.inputs.remember(digest, standing.key)
        with store.curate() as curation:
            assert curation.inputs.recall("first") is None
            assert curation.inputs.recall("second") == standing

    @pytest.mark.parametrize("status", [Status.WITHDRAWN, Status.DELETED])
    def test_what_is_not_served_any_more_is_not_recalled(self, store: Store, status: Status) -> None:
        standing = ingest(store)
        with store.curate() as curation:
            curation.inputs.remember("digest", standing.key)
        retire(store, standing, status)
        with store.curate() as curation:
            assert curation.inputs.recall("digest") is None

    def test_remembering_an_input_is_no_change_of_the_corpus(self, store: Store) -> None:
        standing = ingest(store)
        with store.curate() as curation:
            curation.inputs.remember("digest", standing.key)
        assert store.outlook(0).sequence == 1


class OriginalContract:
    """The bytes that revisions were read from. Needs an empty `store`."""

    DATA = bytes(range(256)) * 5000

    def test_an_original_comes_back_unchanged(self, store: Store) -> None:
        standing = ingest(store)
        self._put(store, standing, self.DATA)
        assert self._original(store, standing) == self.DATA

    def test_an_empty_file_is_kept_and_is_not_the_same_as_none(self, store: Store) -> None:
        kept, other = ingest(store, "A"), ingest(store, "B")
        self._put(store, kept, b"")
        assert (self._original(store, kept), self._original(store, other)) == (b"", None)
        with store.curate() as curation:
            assert (curation.originals.has(kept.key), curation.originals.has(other.key)) == (True, False)

    def test_keeping_an_original_is_no_change_of_the_corpus_and_the_first_one_stays(self, store: Store) -> None:
        standing = ingest(store)
        self._put(store, standing, b"first")
        self._put(store, standing, b"second")
        assert self._original(store, standing) == b"first"
        assert store.outlook(0).sequence == 1

    def test_an_original_is_for_those_who_may_read_the_revision_now(self, store: Store) -> None:
        standing = ingest(store, readers=["tenant:a"])
        self._put(store, standing, b"bytes")
        assert [self._original(store, standing, who) for who in (ANN, BEN, ANONYMOUS)] == [b"bytes", None, None]
        give_to(store, standing, "tenant:b")
        assert [self._original(store, standing, who) for who in (ANN, BEN)] == [None, b"bytes"]

    def test_two_revisions_of_the_same_bytes_do_not_share_them(self, store: Store) -> None:
        one, two = ingest(store, "A"), ingest(store, "B")
        for standing in (one, two):
            self._put(store, standing, b"bytes")
        retire(store, one, Status.ERASED)
        assert (self._original(store, one), self._original(store, two)) == (None, b"bytes")

    @pytest.mark.parametrize(
        ("status", "left"), [(Status.WITHDRAWN, b"bytes"), (Status.DELETED, None), (Status.ERASED, None)]
    )
    def test_an_original_goes_with_the_text(self, store: Store, status: Status, left: bytes | None) -> None:
        standing = ingest(store)
        self._put(store, standing, b"bytes")
        retire(store, standing, status)
        assert self._original(store, standing) == left

    def test_an_original_stays_when_its_text_is_read_again(self, store: Store) -> None:
        standing = ingest(store)
        self._put(store, standing, b"bytes")
        with store.curate() as curation:
            again = revision(text="Read otherwise.")
            curation.replace(standing.key, standing.descriptor, standing.validity, superseded=False, content=again)
        assert self._original(store, standing) == b"bytes"

    def test_an_original_of_a_session_that_is_left_by_an_exception_is_not_kept(self, store: Store) -> None:
        standing = ingest(store)
        with store.curate() as curation:
            with suppress(_Left), curation.step():
                curation.originals.keep(standing.key, b"bytes")
                raise _Left
            assert not curation.originals.has(standing.key)
        assert self._original(store, standing) is None

    @staticmethod
    def _put(store: Store, standing: Standing, data: bytes) -> None:
        with store.curate() as curation:
            curation.originals.keep(standing.key, data)

    @staticmethod
    def _original(store: Store, standing: Standing, principal: Principal = ANONYMOUS) -> bytes | None:
        with store.begin(principal) as session:
            return session.catalogue.original(standing.key)


class ChangesContract:
    """What a derived index is told. Needs an empty `store`."""

    def test_nothing_new_leaves_the_sequence_where_it_was(self, store: Store) -> None:
        assert store.changes(0, limit=1000) == Changes(after=0, sequence=0, mark=0, changes=())
        ingest(store)
        assert store.changes(1, limit=1000) == as_told(store, after=1, sequence=1)

    def test_a_new_revision_comes_with_its_passages_and_its_scope(self, store: Store) -> None:
        ingest(store, "OTHER", scope={"model": "G1"})
        standing = ingest(store, text="One.\nTwo.", scope={"model": "G2"}, readers=[])
        passages = ((Passage(start=0, end=4), "One."), (Passage(start=5, end=9), "Two."))
        change = Change(revision=standing.key, standing=standing, scope=2, passages=passages)
        assert store.changes(1, limit=1000) == as_told(store, change, after=1, sequence=2)

    def test_a_revision_that_changed_often_comes_once_as_it_is_now(self, store: Store) -> None:
        standing = supersede(store, give_to(store, ingest(store), "tenant:a"))
        found = store.changes(0, limit=1000)
        assert found.sequence == 3
        assert [change.standing for change in found.changes] == [standing]

    @pytest.mark.parametrize("status", [Status.WITHDRAWN, Status.DELETED])
    def test_a_retired_revision_is_to_be_removed(self, store: Store, status: Status) -> None:
        standing = ingest(store)
        retire(store, standing, status)
        change = Change(revision=standing.key, standing=None, scope=1, passages=())
        for after in (0, 1):
            assert store.changes(after, limit=1000) == as_told(store, change, after=after, sequence=2)

    def test_changes_never_wait_for_a_writer_and_show_only_what_is_committed(self, store: Store) -> None:
        ingest(store, "A")
        with store.curate() as curation:
            curation.add(revision("B"), descriptor(), ALWAYS, NOW)
            assert store.changes(0, limit=1000).sequence == 1
        assert store.changes(0, limit=1000).sequence == 2

    def test_a_revision_without_passages_is_a_change(self, store: Store) -> None:
        standing = ingest(store, text="\n")
        assert store.changes(0, limit=1000).changes == (
            Change(revision=standing.key, standing=standing, scope=1, passages=()),
        )  # fmt: skip

    @pytest.mark.parametrize("limit", [1, 2, 3, 5, 8, 1000])
    def test_batches_are_whole_sequence_numbers_and_lead_to_the_end(self, store: Store, limit: int) -> None:
        made: dict[int, set[int]] = {}
        for number, count in enumerate((1, 3, 1, 2), start=1):
            with store.curate() as curation:
                made[number] = {
                    curation.add(revision(f"D{number}", f"{place}"), descriptor(), ALWAYS, NOW).key
                    for place in range(count)
                }
        reached, told = 0, set[int]()
        while (batch := store.changes(reached, limit)).sequence > reached:
            expected = set[int]().union(*(made[number] for number in range(reached + 1, batch.sequence + 1)))
            assert {change.revision for change in batch.changes} == expected
            before_last = [change for change in batch.changes if change.revision not in made[batch.sequence]]
            assert sum(len(change.passages) for change in before_last) < limit
            reached, told = batch.sequence, told | expected
        assert reached == 4
        assert told == set[int]().union(*made.values())

    def test_a_change_behind_the_batch_is_told_again_in_its_own(self, store: Store) -> None:
        first = ingest(store, "A")
        ingest(store, "B")
        changed = give_to(store, first, "tenant:a")
        early, late = store.changes(0, limit=1), store.changes(2, limit=1)
        assert (early.sequence, late.sequence) == (1, 3)
        assert [change.standing for change in early.changes] == [changed]
        assert early.changes == late.changes

    def test_a_batch_carries_the_mark_of_the_change_that_it_reaches(self, store: Store) -> None:
        for document in "ABC":
            ingest(store, document)
        marks = [store.changes(after, limit=1).mark for after in range(3)]
        assert marks == [store.outlook(number).mark for number in (1, 2, 3)]
        assert len({0, *marks}) == 4
        assert store.changes(3, limit=1).mark == marks[-1]

    def test_an_outlook_tells_what_is_still_to_come(self, store: Store) -> None:
        assert store.outlook(0) == Outlook(mark=0, sequence=0, passages=0)
        first = ingest(store, "A", text="One.\nTwo.")
        second = ingest(store, "B", text="One.\nTwo.\nThree.")
        assert [store.outlook(number).passages for number in (0, 1, 2)] == [5, 3, 0]
        give_to(store, first, "tenant:a")
        assert [store.outlook(number).passages for number in (0, 1, 2)] == [5, 5, 2]
        retire(store, second, Status.WITHDRAWN)
        assert [store.outlook(number).passages for number in (0, 2, 3)] == [2, 2, 0]
        assert {store.outlook(number).sequence for number in range(5)} == {4}

    def test_a_number_that_the_store_has_not_reached_has_no_mark(self, store: Store) -> None:
        ingest(store)
        assert store.outlook(2) == Outlook(mark=None, sequence=1, passages=0)

    def test_a_session_that_is_left_by_an_exception_makes_no_mark(self, store: Store) -> None:
        with suppress(_Left), store.curate() as curation:
            curation.add(revision(), descriptor(), ALWAYS, NOW)
            raise _Left
        assert store.outlook(1).mark is None


class FingerprintContract:
    """The kept fingerprint. Needs an empty `store`."""

    def test_it_always_equals_the_one_from_scratch(self, store: Store) -> None:
        standings = [ingest(store, f"D{number}", f"{number % 3}") for number in range(12)]
        operations = (
            lambda standing: give_to(store, standing, "tenant:a"),
            lambda standing: retire(store, standing, Status.WITHDRAWN),
            lambda standing: supersede(store, standing),
            lambda standing: retire(store, standing, Status.DELETED),
            lambda standing: give_to(store, standing),
        )
        seen = {self._checked(store)}
        for number, standing in enumerate(standings):
            operations[number % len(operations)](standing)
            seen.add(self._checked(store))
        assert len(seen) == 1 + len(standings)

    def test_an_empty_corpus_has_one_and_comes_back_to_it(self, store: Store) -> None:
        empty = self._checked(store)
        standing = ingest(store)
        assert self._checked(store) != empty
        retire(store, standing, Status.WITHDRAWN)
        assert self._checked(store) == empty

    def test_a_superseded_revision_is_no_leaf(self, store: Store) -> None:
        kept = ingest(store, "KEPT")
        supersede(store, ingest(store, "OLD"))
        assert self._checked(store) == fingerprint_of([kept])

    @staticmethod
    def _checked(store: Store) -> str:
        """The store's fingerprint, after comparing it with the one computed from all present standings."""
        with store.begin(ANONYMOUS) as session:
            kept = session.corpus.fingerprint()
        changes = store.changes(0, limit=1000).changes
        assert kept == fingerprint_of(change.standing for change in changes if change.standing)
        return kept


class PacketContract:
    """Kept packets. Needs an empty `store`."""

    def test_a_packet_comes_back_unchanged(self, store: Store) -> None:
        sources = (ingest(store, "B").id, ingest(store, "A").id)
        made = packet(*sources, texts=("Größe \0 𝄞", "two"), made_at=NOW + timedelta(microseconds=3))
        with store.begin(ANONYMOUS, write=True) as session:
            session.packets.add(made)
            assert session.packets.get(made.id) == made
        with store.begin(ANONYMOUS) as session:
            assert session.packets.get(made.id) == made
            assert session.packets.get(packet().id) is None

    def test_the_same_id_again_changes_nothing(self, store: Store) -> None:
        made = packet(texts=("one",))
        for again in (made, replace(made, texts={}, made_at=NOW + DAY)):
            with store.begin(ANONYMOUS, write=True) as session:
                session.packets.add(again)
        with store.begin(ANONYMOUS) as session:
            assert session.packets.get(made.id) == made

    def test_a_reading_session_keeps_no_packet(self, store: Store) -> None:
        with store.begin(ANONYMOUS) as session, pytest.raises(StoreFault):
            session.packets.add(packet())
        with store.begin(ANONYMOUS) as session:
            assert session.packets.get(packet().id) is None

    def test_a_packet_is_for_those_who_may_read_all_its_sources(self, store: Store) -> None:
        shared = ingest(store, "SHARED", readers=["tenant:a", "tenant:b"])
        of_ann = ingest(store, "OF-ANN", readers=["group:a/ops"])
        both = self._keep(store, ANN, shared.id, of_ann.id)
        one = self._keep(store, ANN, shared.id)
        assert self._readable(store, ANN, one, both) == [True, True]
        assert self._readable(store, BEN, one, both) == [True, False]
        assert self._readable(store, ANONYMOUS, one, both) == [False, False]
        assert self._readable(store, replace(ANN, active=False), one, both) == [False, False]

    def test_a_reader_who_loses_access_loses_the_packet(self, store: Store) -> None:
        standing = ingest(store, readers=["tenant:a"])
        kept = self._keep(store, ANN, standing.id)
        assert self._readable(store, ANN, kept) == [True]
        give_to(store, standing, "tenant:b")
        assert self._readable(store, ANN, kept) == [False]
        assert self._readable(store, BEN, kept) == [True]

    @pytest.mark.parametrize("status", [Status.WITHDRAWN, Status.DELETED])
    def test_a_retired_source_keeps_the_readers_that_it_had_last(self, store: Store, status: Status) -> None:
        standing = ingest(store, readers=["tenant:a"])
        kept = self._keep(store, ANN, standing.id)
        retire(store, standing, status)
        assert self._readable(store, ANN, kept) == [True]
        assert self._readable(store, BEN, kept) == [False]

    def test_a_packet_without_sources_is_for_its_requester_alone(self, store: Store) -> None:
        kept = self._keep(store, ANN)
        assert self._readable(store, ANN, kept) == [True]
        assert self._readable(store, BEN, kept) == [False]
        assert self._readable(store, replace(ANN, groups=()), kept) == [False]
        assert self._readable(store, replace(ANN, active=False), kept) == [False]

    def test_a_source_that_the_store_does_not_know_is_readable_by_nobody(self, store: Store) -> None:
        known = ingest(store)
        kept = self._keep(store, ANONYMOUS, known.id, RevisionId("DOC", "2"))
        assert self._readable(store, ANONYMOUS, kept) == [False]

    @staticmethod
    def _keep(store: Store, requester: Principal, *sources: RevisionId) -> str:
        made = packet(*sources, requester=requester)
        with store.begin(requester, write=True) as session:
            session.packets.add(made)
        return made.id

    @staticmethod
    def _readable(store: Store, principal: Principal, *ids: str) -> list[bool]:
        with store.begin(principal) as session:
            return [session.packets.get(packet_id) is not None for packet_id in ids]


class StoreContract(
    TransactionContract,
    SequenceContract,
    StepContract,
    ScopeContract,
    CandidateContract,
    ReaderContract,
    EligibleContract,
    CatalogueContract,
    CurationContract,
    InputContract,
    OriginalContract,
    ChangesContract,
    FingerprintContract,
    PacketContract,
):
    """All of it. A subclass supplies a `store` fixture: an empty store that waits only briefly for another writer."""


class _Left(Exception):
    """Raised inside a session to leave it."""
