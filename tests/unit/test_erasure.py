"""Erasure as a use case: what goes, what stays, what ends with it, and what is left to be finished."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import pytest

from tests.unit.drafters import Writer
from tests.unit.judges import Scripted
from tests.unit.making import contract, fact
from tests.unit.test_reviewing import NIGHT, writes
from tests.unit.test_reviewing import world as reviewing
from tests.unit.world import StillClock, asked, ingest, parts
from toulmin.adapters.memory.cache import MemoryDraftCache
from toulmin.adapters.memory.index import OverlapIndex
from toulmin.adapters.memory.store import MemoryStore
from toulmin.application import approvals
from toulmin.application.approvals import Desk, OperationRequest
from toulmin.application.documents import retire
from toulmin.application.erasure import Erased, erase, expired, named, nothing_more, of_document, plan
from toulmin.application.impact import impact
from toulmin.application.packets import show_packet
from toulmin.application.parts import Parts
from toulmin.application.replay import replay
from toulmin.domain.claims.draft import Citation, Claim
from toulmin.domain.claims.report import SourceState
from toulmin.domain.corpus.document import RevisionId, Standing, Status
from toulmin.domain.errors import Conflict, InputError, NotFound
from toulmin.domain.outcome import Outcome, UnsupportedQuestion
from toulmin.domain.policy import Policy
from toulmin.domain.proof.approval import State
from toulmin.domain.proof.rerun import Result
from toulmin.domain.question.case import ANONYMOUS, Principal
from toulmin.ports.embedder import EmbedderFault
from toulmin.testing.builders import ALWAYS, NOW, descriptor, revision
from toulmin.testing.store import retire as retire_key
from toulmin.wire.policy import policy_yaml, read_policy

WET, DRY = "Water is wet.", "Sand is dry."
MADE = contract(fact("wet", WET), fact("dry", DRY), query="water sand", k=2)
ANN = Principal(id="ann", tenant="a")
REVIEWER = Principal(id="rev", tenant="a", roles=("reviewer",))


def world(policy: Policy | None = None, **more: Any) -> Parts:
    made = parts(MADE, policy=policy, **more)
    ingest(made, "WET", f"{WET}\nWater is more.\n", labels={"wet": WET})
    ingest(made, "DRY", f"{DRY}\n", labels={"dry": DRY})
    return made


def packet_of(outcome: Outcome) -> str:
    assert not isinstance(outcome, UnsupportedQuestion)
    assert outcome.receipt is not None
    return outcome.receipt.packet


def kept(made: Parts, packet_id: str) -> tuple[Any, set[str]]:
    """A packet's body, and the words that are left beside it."""
    with made.store.begin(ANONYMOUS) as session:
        packet = session.packets.get(packet_id)
    assert packet is not None
    return json.loads(packet.body), set(packet.texts.values())


def unfinished(made: Parts) -> Sequence[RevisionId]:
    with made.store.curate() as session:
        return session.erasures.unfinished()


def kinds(made: Parts) -> list[str]:
    with made.store.keep_ledger() as keeping:
        return [entry.kind for entry in keeping.entries()]


class TestWords:
    def test_nothing_is_left_of_a_revision_but_ids_and_digests(self) -> None:
        made = world()
        packet = packet_of(asked(made))
        erased = erase(of_document("WET"), made)
        assert [standing.id for standing in erased.revisions] == [RevisionId("WET", "1")]
        assert erased.packets == (packet,)
        body, words = kept(made, packet)
        assert not any("ater" in text for text in words), (
            "passage, quote, claim, answer and the contract that quotes it"
        )
        assert {DRY, "We say dry."} <= words, "what another source says stays"
        assert body["documents"][1]["text_sha256"], "digests stay"
        assert unfinished(made) == []

    def test_a_packet_says_that_a_source_was_erased_and_replays_as_far_as_its_words_go(self) -> None:
        made = world()
        packet = packet_of(asked(made))
        erase(of_document("WET"), made)
        states = {
            source.id.document: source.state for source in show_packet(made.store, packet, ANONYMOUS, NOW).sources
        }
        assert states == {"WET": SourceState.ERASED, "DRY": SourceState.CURRENT}
        replayed = replay(packet, ANONYMOUS, made)
        assert replayed.reproduces
        results = {step.name: step.result for step in replayed.steps}
        assert results["selection"] is results["evidence"] is Result.REPRODUCED
        assert results["contract"] is results["verdicts"] is Result.ERASED
        assert replayed.now.differences[0].says == "WET v1 was erased"

    def test_words_that_another_source_says_as_well_stay(self) -> None:
        made = world()
        ingest(made, "ALSO", f"{WET} Here too.\n", labels={"wet": WET})
        packet = packet_of(asked(made, k=3))
        erase(of_document("WET"), made)
        _, words = kept(made, packet)
        assert WET in words
        assert any('"proposition":"Water is wet."' in text for text in words), "the contract quotes what is still there"
        erase(of_document("ALSO"), made)
        _, words = kept(made, packet)
        assert not any(WET in text for text in words)

    def test_packets_that_only_had_it_as_a_candidate_lose_nothing(self) -> None:
        made = world()
        packet = packet_of(asked(made, k=1))
        body, before = kept(made, packet)
        (selected,) = [item["document"] for item in body["documents"]]
        other = "DRY" if selected == "WET" else "WET"
        assert erase(of_document(other), made).packets == ()
        assert kept(made, packet)[1] == before

    def test_a_claim_that_cites_it_goes_with_all_that_is_held_against_it(self) -> None:
        wrong = "Audit logs are kept for 90 days."
        made = reviewing(Writer(write=writes(wrong, (NIGHT, 1), quotes=())), Scripted())
        packet = packet_of(asked(made))
        body, before = kept(made, packet)
        assert any("90 days" in text for text in before)
        (said,) = [claim for claim in body["withheld"] if claim["verdict"]["objections"]]
        erase(of_document("A"), made)
        _, after = kept(made, packet)
        assert not any("90 days" in text or "30 days" in text for text in after)
        assert said["verdict"]["objections"][0]["says"] not in show_packet(made.store, packet, ANONYMOUS, NOW).texts
        assert NIGHT in after

    def test_a_deleted_or_withdrawn_revision_may_be_erased_and_one_version_of_several(self) -> None:
        made = world()
        ingest(made, "WET", "Water two.\n", version="2")
        packet = packet_of(asked(made))
        retire(made.store, "WET", "1", Status.DELETED, at=NOW)
        assert kept(made, packet)[1] >= {WET}, "deletion leaves packets their words"
        erased = erase(of_document("WET", "1"), made)
        assert [standing.id.version for standing in erased.revisions] == ["1"]
        assert WET not in kept(made, packet)[1]
        with made.store.begin(ANONYMOUS) as session:
            assert [(s.id.version, s.status.value) for s in session.catalogue.standings("WET")] == [
                ("1", "erased"),
                ("2", "live"),
            ]

    def test_the_draft_cache_forgets_what_cites_it(self) -> None:
        cache = MemoryDraftCache(entries=10, max_age_s=100)
        made = world()
        made = replace(made, drafting=replace(made.drafting, cache=cache))
        claim = Claim(text=WET, citations=(Citation(source=RevisionId("WET", "1"), span="s1"),))
        cache.put("key", (claim,))
        erase(of_document("WET"), made)
        assert cache.get("key") is None

    def test_each_erasure_is_recorded_without_words(self) -> None:
        made = world()
        erase(of_document("WET"), made, actor="digest")
        with made.store.keep_ledger() as keeping:
            entry = next(entry for entry in keeping.entries() if entry.kind == "erase")
        assert entry.actor == "digest"
        assert set(json.loads(entry.facts)) == {"document", "version", "text_sha256"}


class TestWhatIsThere:
    def test_a_plan_says_what_would_be_and_changes_nothing(self) -> None:
        made = world()
        packet = packet_of(asked(made))
        planned = plan(of_document("WET"), made)
        assert ([s.id.document for s in planned.revisions], planned.packets) == (["WET"], (packet,))
        assert WET in kept(made, packet)[1]
        assert "erase" not in kinds(made)
        assert planned == erase(of_document("WET"), made)

    def test_what_is_not_there_or_was_erased_is_not_found(self) -> None:
        made = world()
        with pytest.raises(NotFound):
            named(erase(of_document("unknown"), made), "unknown", None)
        with pytest.raises(NotFound, match="WET v7"):
            named(erase(of_document("WET", "7"), made), "WET", "7")
        named(erase(of_document("WET"), made), "WET", None)
        with pytest.raises(NotFound):
            named(erase(of_document("WET"), made), "WET", None)

    def test_an_erased_version_is_not_ingested_again(self) -> None:
        made = world()
        erase(of_document("WET"), made)
        with pytest.raises(Conflict):
            ingest(made, "WET", "Water is back.\n")


@dataclass
class BusyIndex(OverlapIndex):
    """An index that another process is at work on."""

    busy: bool = True

    def __post_init__(self) -> None:
        super().__init__()

    @contextmanager
    def replacement(self) -> Iterator[Any]:
        if self.busy:
            raise Conflict("index_busy", "another process is building the index", remedy="wait")
        with super().replacement() as fresh:
            yield fresh


@dataclass
class BusyStore(MemoryStore):
    """A store that others read. `scrubbed` counts how often it was written anew."""

    busy: bool = True
    scrubbed: int = 0

    def __post_init__(self) -> None:
        super().__init__()

    def scrub(self) -> None:
        if self.busy:
            raise Conflict("store_busy", "another process reads the store", remedy="wait")
        self.scrubbed += 1


class TestUnfinished:
    @pytest.mark.parametrize("which", ["index", "store", "meaning"])
    def test_files_that_cannot_be_written_anew_leave_it_unfinished_until_they_can(self, which: str) -> None:
        index, store = BusyIndex(busy=which == "index"), BusyStore(busy=which == "store")
        made = world(index=index, store=store)
        meaning = Meaning(down=which == "meaning")
        made = replace(made, meaning=meaning)
        packet = packet_of(asked(replace(made, meaning=None)))
        with pytest.raises(Conflict) as refused:
            erase(of_document("WET"), made)
        assert (refused.value.code, unfinished(made)) == ("erasure_unfinished", [RevisionId("WET", "1")])
        assert WET not in kept(made, packet)[1], "nothing serves the words any more"
        with pytest.raises(Conflict):
            erase(nothing_more, made)
        index.busy = store.busy = meaning.down = False
        erased = erase(nothing_more, made)
        assert erased == Erased(finished=(RevisionId("WET", "1"),))
        assert unfinished(made) == []
        assert kinds(made).count("erase") == 1
        assert named(erased, "WET", None) is erased, "asking for the same again finishes it"

    def test_what_is_finished_is_not_written_anew_again(self) -> None:
        store = BusyStore(busy=False)
        made = world(store=store)
        erase(of_document("WET"), made)
        assert store.scrubbed == 1
        assert erase(nothing_more, made) == Erased()
        assert store.scrubbed == 1


@dataclass
class Meaning(OverlapIndex):
    """An index whose embedder may be out of reach."""

    down: bool = False

    def __post_init__(self) -> None:
        super().__init__()

    @contextmanager
    def replacement(self) -> Iterator[Any]:
        if self.down:
            raise EmbedderFault("embedder_unreachable", "the embedder does not answer", remedy="wait")
        with super().replacement() as fresh:
            yield fresh


class TestRetention:
    POLICY = replace(Policy(), version="ours/1", retention_days=(("chat", 30),))

    def _world(self, policy: Policy) -> Parts:
        made = parts(policy=policy)
        for name, source_type in (("CHAT", "chat"), ("MANUAL", "manual"), ("PLAIN", None)):
            with made.store.curate() as session:
                session.add(revision(name), descriptor(source_type=source_type, readers=[]), ALWAYS, NOW)
        return made

    @pytest.mark.parametrize(("days", "due"), [(29, []), (30, ["CHAT"]), (3000, ["CHAT"])])
    def test_a_revision_is_kept_for_so_many_days_after_its_ingest(self, days: int, due: list[str]) -> None:
        made = self._world(self.POLICY)
        later = NOW + timedelta(days=days)
        made = replace(made, clock=StillClock(at=later))
        assert [s.id.document for s in plan(expired(made.policy, later), made).revisions] == due
        assert [s.id.document for s in erase(expired(made.policy, later), made).revisions] == due
        assert plan(expired(made.policy, later), made).revisions == ()

    def test_without_a_period_nothing_expires(self) -> None:
        made = self._world(Policy())
        assert plan(expired(made.policy, NOW + timedelta(days=10_000)), made).revisions == ()

    @pytest.mark.parametrize("bad", [(("chat", 0),), (("chat", 1), ("chat", 2)), (("chat", -1),)])
    def test_a_period_is_at_least_a_day_and_each_type_has_one(self, bad: tuple[tuple[str, int], ...]) -> None:
        with pytest.raises(InputError):
            replace(Policy(), retention_days=bad)

    def test_the_policy_file_states_it(self) -> None:
        policy = read_policy("version: ours/1\nretention_days: {mail: 90, chat: 30}\n", "policy.yaml")
        assert policy.retention_days == (("chat", 30), ("mail", 90))
        assert read_policy(policy_yaml(policy), "policy.yaml") == policy
        assert policy.digest != Policy(version="ours/1").digest
        with pytest.raises(InputError) as refused:
            read_policy("version: ours/1\nretention_days: {chat: 0}\n", "policy.yaml")
        assert refused.value.where == "policy.yaml:2: retention_days.chat"


@dataclass
class Approved:
    """A world with an approval on an answer that rests on both documents."""

    made: Parts = field(default_factory=world)

    def __post_init__(self) -> None:
        self.desk = Desk(parts=self.made, effects={"send": lambda: None}, workers=None)  # type: ignore[arg-type,dict-item,return-value]
        self.packet = packet_of(asked(self.made, principal=ANN))
        self.approval = approvals.request(OperationRequest(packet=self.packet, operation="send"), ANN, self.desk)

    @property
    def now(self) -> tuple[State, tuple[str, ...]]:
        with self.made.store.begin(ANN) as session:
            known = session.approvals.get(self.approval.id)
        assert known is not None
        return known.state, known.last.says

    def change(self, document: str, **changes: object) -> None:
        with self.made.store.curate() as session:
            (standing,) = session.history(document)
            new = replace(standing, **changes)  # type: ignore[arg-type]
            session.replace(new.key, new.descriptor, new.validity, superseded=new.superseded)


class TestApprovals:
    @pytest.mark.parametrize("approved", [True, False])
    def test_an_erasure_ends_the_approvals_of_the_packets_that_rest_on_it(self, approved: bool) -> None:
        with_one = Approved()
        if approved:
            approvals.approve(with_one.approval.id, REVIEWER, with_one.desk)
        assert plan(of_document("WET"), with_one.made).stale == (with_one.approval.id,)
        assert erase(of_document("WET"), with_one.made).stale == (with_one.approval.id,)
        assert with_one.now == (State.STALE, ("WET v1 was erased",))
        assert kinds(with_one.made)[-1] == "refuse_stale"

    @pytest.mark.parametrize("status", [Status.WITHDRAWN, Status.DELETED])
    def test_so_do_withdrawal_and_deletion(self, status: Status) -> None:
        with_one = Approved()
        retired = retire(with_one.made.store, "DRY", None, status, at=NOW)
        assert retired.stale == (with_one.approval.id,)
        assert with_one.now == (State.STALE, (f"DRY v1 was {status.value}",))

    def test_what_an_answer_does_not_rest_on_ends_nothing(self) -> None:
        with_one = Approved()
        ingest(with_one.made, "OTHER", "Another matter.\n")
        assert retire(with_one.made.store, "OTHER", None, Status.WITHDRAWN, at=NOW).stale == ()
        assert with_one.now[0] is State.REQUESTED

    def test_another_version_that_leaves_its_source_as_it_was_ends_nothing(self) -> None:
        with_one = Approved()
        ingest(with_one.made, "WET", "Water two.\n", version="2", scope={"model": "G2"})
        assert retire(with_one.made.store, "WET", "2", Status.WITHDRAWN, at=NOW).stale == ()
        assert with_one.now[0] is State.REQUESTED

    def test_there_must_be_something_to_retire(self) -> None:
        with pytest.raises(NotFound, match="unknown v1"):
            retire(world().store, "unknown", "1", Status.WITHDRAWN, at=NOW)

    def test_what_is_decided_already_is_left_alone(self) -> None:
        with_one = Approved()
        approvals.reject(with_one.approval.id, REVIEWER, with_one.desk)
        assert erase(of_document("WET"), with_one.made).stale == ()
        assert with_one.now[0] is State.REJECTED


class TestImpact:
    def test_it_lists_packets_with_their_approvals_the_latest_first(self) -> None:
        with_one = Approved()
        clock = with_one.made.clock
        assert isinstance(clock, StillClock)
        clock.at = NOW + timedelta(seconds=1)
        other = packet_of(asked(with_one.made))
        found = impact(with_one.made.store, "WET", None, ANN)
        assert [(each.packet.id, [a.id for a in each.approvals]) for each in found] == [
            (other, []),
            (with_one.packet, [with_one.approval.id]),
        ]
        assert {each.revisions for each in found} == {(RevisionId("WET", "1"),)}
        assert {(each.contract, each.outcome) for each in found} == {("made-up-v1", "Answered")}

    def test_one_version_of_a_document_has_its_own(self) -> None:
        made = world()
        packet_of(asked(made))
        ingest(made, "WET", "Water two.\n", version="2")
        assert len(impact(made.store, "WET", "1", ANONYMOUS)) == 1
        assert impact(made.store, "WET", "2", ANONYMOUS) == ()

    def test_what_one_may_not_read_is_told_like_what_is_not_there(self) -> None:
        made = world()
        ingest(made, "HIDDEN", "Hidden words.\n", readers=["tenant:b"])
        for name, version in (("HIDDEN", None), ("unknown", None), ("WET", "7")):
            with pytest.raises(NotFound):
                impact(made.store, name, version, ANN)


def test_a_revision_that_is_retired_by_key_keeps_its_standing_otherwise() -> None:
    made = world()
    with made.store.curate() as session:
        standing: Standing = session.history("WET")[0]
    retire_key(made.store, standing, Status.ERASED)
    with made.store.begin(ANONYMOUS) as session:
        (now,) = session.catalogue.standings("WET")
    assert replace(now, since=standing.since, status=Status.LIVE) == standing
