from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from tests.unit.making import standing
from toulmin.domain.canonical import text_digest
from toulmin.domain.corpus.curation import (
    Accepted,
    Decision,
    Entry,
    Incoming,
    InForce,
    Refused,
    Unchanged,
    decide,
    in_force,
)
from toulmin.domain.corpus.document import RevisionId, Standing, Status
from toulmin.domain.corpus.validity import Validity
from toulmin.testing.builders import NOW, descriptor

DAY = timedelta(days=1)
Scope = Mapping[str, str]


def day(number: int) -> datetime:
    return NOW + number * DAY


class History:
    """One document's revisions as a store would keep them: every accepted decision is applied."""

    def __init__(self) -> None:
        self.standings: list[Standing] = []

    def ingest(
        self,
        version: str,
        *,
        at: int = 0,
        start: int | None = None,
        end: int | None = None,
        supersedes: tuple[str, ...] | None = None,
        scope: Scope | None = None,
        readers: Sequence[str] = ("public",),
        text: str = "words",
    ) -> Decision:
        """Days instead of instants: `at` of the ingest, `start` and `end` of the stated validity."""
        described = descriptor(
            scope=scope,
            readers=readers,
            supersedes=supersedes,
            valid_from=None if start is None else day(start),
            valid_to=None if end is None else day(end),
        )
        incoming = Incoming(
            id=RevisionId("DOC", version), bytes_sha256=text_digest(text), descriptor=described, at=day(at)
        )
        decision = decide(incoming, self.standings)
        if isinstance(decision, Accepted):
            self._apply(incoming, decision, text)
        return decision

    def accepted(self, version: str, **stated: object) -> Accepted:
        decision = self.ingest(version, **stated)  # type: ignore[arg-type]
        assert isinstance(decision, Accepted), decision
        return decision

    def refused(self, version: str, **stated: object) -> Refused:
        before = list(self.standings)
        decision = self.ingest(version, **stated)  # type: ignore[arg-type]
        assert isinstance(decision, Refused), decision
        assert self.standings == before
        assert decision.remedy
        return decision

    def retire(self, version: str, status: Status = Status.WITHDRAWN) -> None:
        self.standings = [replace(s, status=status) if s.id.version == version else s for s in self.standings]

    def on(self, number: int) -> list[str]:
        """The versions that are served on a day."""
        at = day(number)
        return [s.id.version for s in self.standings if s.status is Status.LIVE and s.validity.holds_at(at)]

    def _apply(self, incoming: Incoming, decision: Accepted, text: str) -> None:
        changes = dict(decision.changed)
        if decision.redescribed is not None:
            changes[decision.redescribed] = decision.own
        for place, old in enumerate(self.standings):
            if old.key in changes:
                now = changes[old.key]
                own = old.key == decision.redescribed
                self.standings[place] = replace(
                    old,
                    descriptor=incoming.descriptor if own else old.descriptor,
                    validity=now.validity,
                    superseded=bool(now.superseded_by),
                )
        if decision.redescribed is None:
            self.standings.append(
                standing(
                    "DOC",
                    incoming.id.version,
                    incoming.descriptor,
                    key=len(self.standings) + 1,
                    text=text,
                    validity=decision.own.validity,
                    superseded=bool(decision.own.superseded_by),
                    ingested_at=incoming.at,
                )
            )


@pytest.fixture
def history() -> History:
    return History()


def test_a_first_revision_is_in_force_from_its_ingest_on(history: History) -> None:
    decision = history.accepted("1", at=3)
    assert decision == Accepted(
        redescribed=None,
        own=InForce(validity=Validity(start=day(3)), superseded_by=()),
        changed=(),
        supersedes=(),
        warnings=(),
    )


def test_a_stated_validity_goes_before_the_time_of_ingest(history: History) -> None:
    assert history.accepted("1", at=3, start=1, end=5).own.validity == Validity(start=day(1), end=day(5))


def test_the_same_bytes_and_descriptor_change_nothing(history: History) -> None:
    history.accepted("1")
    assert history.ingest("1", at=9) == Unchanged()


def test_the_same_version_with_other_bytes_is_refused(history: History) -> None:
    history.accepted("1")
    refusal = history.refused("1", text="other words")
    assert refusal.code == "other_bytes"
    assert "DOC v1" in refusal.message
    assert "new version" in refusal.remedy


@pytest.mark.parametrize("status", [Status.WITHDRAWN, Status.DELETED])
def test_a_retired_revision_does_not_come_back_whatever_its_descriptor(history: History, status: Status) -> None:
    history.accepted("1")
    history.retire("1", status)
    for readers in (["public"], ["tenant:a"]):
        refusal = history.refused("1", readers=readers)
        assert refusal.code == "retired"
        assert status in refusal.message


def test_a_changed_descriptor_keeps_the_time_of_ingest_as_its_start(history: History) -> None:
    history.accepted("1", at=1)
    decision = history.accepted("1", at=5, readers=["tenant:a"])
    assert decision.redescribed == 1
    assert decision.own.validity == Validity(start=day(1))


def test_a_new_revision_closes_the_one_of_equal_scope_at_its_own_start(history: History) -> None:
    history.accepted("1", at=1, scope={"model": "G2"})
    decision = history.accepted("2", at=4, scope={"model": "G2"})
    assert decision.supersedes == ("1",)
    assert decision.changed == ((1, InForce(validity=Validity(start=day(1), end=day(4)), superseded_by=("2",))),)
    assert [history.on(number) for number in (1, 3, 4, 9)] == [["1"], ["1"], ["2"], ["2"]]


def test_another_scope_is_not_superseded(history: History) -> None:
    history.accepted("1", scope={"model": "G2"})
    decision = history.accepted("2", at=1, scope={"model": "G3"})
    assert (decision.supersedes, decision.changed, decision.warnings) == ((), (), ())
    assert history.on(1) == ["1", "2"]


def test_a_future_start_leaves_no_gap(history: History) -> None:
    history.accepted("1", at=0)
    history.accepted("2", at=1, start=7)
    assert [history.on(number) for number in (1, 6, 7)] == [["1"], ["1"], ["2"]]


def test_a_chain_of_three_names_only_the_revision_that_is_closed(history: History) -> None:
    for number, version in enumerate(["1", "2", "3"]):
        decision = history.accepted(version, at=number)
        assert decision.supersedes == (() if number == 0 else (str(number),))
    assert [history.on(number) for number in (0, 1, 2)] == [["1"], ["2"], ["3"]]


def test_named_versions_are_superseded_whatever_their_scope(history: History) -> None:
    history.accepted("1", scope={"model": "G2"})
    history.accepted("2", scope={"model": "G3"})
    decision = history.accepted("3", at=1, scope={"model": "G4"}, supersedes=("1", "2"))
    assert decision.supersedes == ("1", "2")
    assert history.on(1) == ["3"]


def test_naming_versions_leaves_the_others_in_force_and_warns(history: History) -> None:
    history.accepted("1", scope={"model": "G2"})
    history.accepted("2", scope={"model": "*"}, at=1)
    decision = history.accepted("3", at=2, scope={"model": "*"}, supersedes=("1",))
    assert decision.supersedes == ("1",)
    assert history.on(2) == ["2", "3"]
    assert decision.warnings == ("its scope may overlap with that of DOC v2, which stays in force",)


def test_a_named_version_that_is_not_there_is_a_warning(history: History) -> None:
    assert history.accepted("2", supersedes=("1",)).warnings == ("supersedes version 1, which is not in the corpus",)


def test_a_version_that_comes_after_the_one_that_names_it_is_closed_at_once(history: History) -> None:
    history.accepted("2", start=4, supersedes=("1",))
    decision = history.accepted("1", at=1, start=0)
    assert decision.own == InForce(validity=Validity(start=day(0), end=day(4)), superseded_by=("2",))
    assert [history.on(number) for number in (0, 3, 4)] == [["1"], ["1"], ["2"]]


def test_an_empty_list_supersedes_nothing(history: History) -> None:
    history.accepted("1")
    decision = history.accepted("2", at=1, supersedes=())
    assert (decision.supersedes, decision.changed) == ((), ())
    assert decision.warnings == ("its scope may overlap with that of DOC v1, which stays in force",)
    assert history.on(1) == ["1", "2"]


def test_a_back_dated_revision_that_would_stand_beside_a_later_one_is_refused(history: History) -> None:
    history.accepted("2", start=5)
    refusal = history.refused("1", at=6, start=0)
    assert refusal.code == "overlapping_validity"
    assert "DOC v1 would be in force together with DOC v2 (from 2026-01-06T00:00:00Z)" in refusal.message
    assert "valid_to" in refusal.remedy


def test_a_back_dated_revision_that_ends_in_time_is_accepted(history: History) -> None:
    history.accepted("2", start=5)
    history.refused("1", at=6, start=0, end=6)
    decision = history.accepted("1", at=6, start=0, end=5)
    assert (decision.supersedes, decision.warnings) == ((), ())
    assert [history.on(number) for number in (0, 4, 5)] == [["1"], ["1"], ["2"]]


def test_a_back_dated_revision_may_say_what_it_supersedes(history: History) -> None:
    history.accepted("2", start=5)
    history.accepted("1", at=6, start=0, supersedes=("2",))
    assert [history.on(number) for number in (0, 5)] == [["1"], ["1"]]


def test_validities_apart_need_no_supersession(history: History) -> None:
    history.accepted("1", start=0, end=3)
    decision = history.accepted("2", at=1, start=3)
    assert history.on(2) == ["1"]
    assert history.on(3) == ["2"]
    assert decision.own.superseded_by == ()


def test_two_revisions_may_not_supersede_each_other(history: History) -> None:
    history.ingest("1", supersedes=("2",))
    refused = history.ingest("2", at=1, supersedes=("1",))
    assert isinstance(refused, Refused)
    assert refused.code == "mutual_supersession"


def test_a_superseder_that_was_withdrawn_reopens_nothing(history: History) -> None:
    history.accepted("1", at=0)
    history.accepted("2", at=1)
    history.retire("2")
    assert history.on(2) == []
    history.accepted("3", at=3)
    assert [history.on(number) for number in (0, 1, 2, 3)] == [["1"], [], [], ["3"]]


def test_a_withdrawn_revision_is_not_changed_any_more(history: History) -> None:
    history.accepted("1")
    history.retire("1")
    decision = history.accepted("2", at=1)
    assert (decision.changed, decision.supersedes) == ((), ())


def test_a_changed_start_moves_the_closing_with_it(history: History) -> None:
    history.accepted("1", at=0)
    history.accepted("2", at=1)
    decision = history.accepted("2", at=2, start=5)
    assert decision.changed == ((1, InForce(validity=Validity(start=day(0), end=day(5)), superseded_by=("2",))),)
    assert [history.on(number) for number in (1, 4, 5)] == [["1"], ["1"], ["2"]]


def test_a_changed_scope_opens_again_what_it_had_closed(history: History) -> None:
    history.accepted("1", at=0, scope={"model": "G2"})
    history.accepted("2", at=1, scope={"model": "G2"})
    decision = history.accepted("2", at=2, scope={"model": "G3"})
    assert decision.changed == ((1, InForce(validity=Validity(start=day(0)), superseded_by=())),)
    assert history.on(2) == ["1", "2"]


def test_a_changed_descriptor_may_not_move_its_start_behind_the_next_revision(history: History) -> None:
    history.accepted("1", start=0)
    history.accepted("2", start=2)
    refusal = history.refused("1", at=3, start=5)
    assert refusal.code == "overlapping_validity"
    assert "DOC v2 (from 2026-01-03T00:00:00Z)" in refusal.message


def test_a_changed_descriptor_may_not_open_two_others_for_one_time(history: History) -> None:
    history.accepted("1", start=4)
    history.accepted("2", start=1, supersedes=("1",))
    history.accepted("3", at=5, start=2)
    assert history.on(6) == ["3"], "version 1 was closed before it started"
    refusal = history.refused("2", at=7, start=1, supersedes=None)
    assert refusal.code == "overlapping_validity"
    assert "DOC v1 would be in force together with DOC v3" in refusal.message


@pytest.mark.parametrize(
    ("one", "other", "warned"),
    [
        ({"firmware": ">=2.4"}, {"firmware": ">=2.5"}, True),
        ({"model": "G2"}, {}, True),
        ({"model": "*"}, {"model": "G2"}, True),
        ({"firmware": "<2.5"}, {"firmware": ">=2.5"}, False),
        ({"model": "G2"}, {"model": "G3"}, False),
    ],
)
def test_a_scope_that_is_not_provably_apart_from_one_in_force_is_a_warning(
    history: History, one: Scope, other: Scope, warned: bool
) -> None:
    history.accepted("1", scope=one)
    warnings = history.accepted("2", at=1, scope=other).warnings
    assert warnings == (("its scope may overlap with that of DOC v1, which stays in force",) if warned else ())


@pytest.mark.parametrize("status", [Status.WITHDRAWN, Status.DELETED])
def test_there_is_no_warning_about_a_retired_revision(history: History, status: Status) -> None:
    history.accepted("1", scope={"model": "*"})
    history.retire("1", status)
    assert history.accepted("2", at=1, scope={"model": "G2"}).warnings == ()


def test_there_is_no_warning_about_a_revision_of_another_time(history: History) -> None:
    history.accepted("1", start=0, end=1, scope={"model": "*"})
    assert history.accepted("2", start=1, scope={"model": "G2"}).warnings == ()


def test_a_document_that_nobody_can_read_is_a_warning(history: History) -> None:
    (warning,) = history.accepted("1", readers=[]).warnings
    assert warning.startswith("no readers: nobody can read it")


def test_supersession_is_derived_from_the_history_alone() -> None:
    entries = [
        Entry(version="1", descriptor=descriptor(), ingested_at=day(0)),
        Entry(version="2", descriptor=descriptor(valid_from=day(9)), ingested_at=day(1)),
        Entry(version="3", descriptor=descriptor(valid_to=day(20)), ingested_at=day(12)),
    ]
    assert in_force(entries) == (
        InForce(validity=Validity(start=day(0), end=day(9)), superseded_by=("2", "3")),
        InForce(validity=Validity(start=day(9), end=day(12)), superseded_by=("3",)),
        InForce(validity=Validity(start=day(12), end=day(20)), superseded_by=()),
    )
    assert in_force([]) == ()
