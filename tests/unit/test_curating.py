"""Curating as use cases: another descriptor for a revision, and what it would change, on more than one kind of store."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.unit.effects import OneWorker, Scripted
from tests.unit.making import contract, fact
from tests.unit.world import asked, ingest, parts
from toulmin.adapters.memory.store import MemoryStore
from toulmin.adapters.sqlite.store import SqliteStore
from toulmin.application import approvals
from toulmin.application.approvals import Desk, OperationRequest
from toulmin.application.curating import Curatable, Edit, Edited, FactChange, Preview, Stands, curatable, edit, preview
from toulmin.application.describing import described
from toulmin.application.parts import Parts
from toulmin.domain.claims.checks import FindingCode
from toulmin.domain.corpus.document import Egress, RevisionId, Span, Status
from toulmin.domain.corpus.metadata import CuratedQuote
from toulmin.domain.corpus.scope import Scope
from toulmin.domain.errors import Conflict, Forbidden, InputError, NotFound
from toulmin.domain.outcome import UnsupportedQuestion
from toulmin.domain.proof.approval import Approval, State
from toulmin.domain.proof.identity import principal_digest
from toulmin.domain.question.case import Principal
from toulmin.ports.store import Store
from toulmin.testing.builders import NOW

ANN = Principal(id="ann", tenant="a", roles=("reader",))
CAT = Principal(id="cat", tenant="a", roles=("curator",))
KIM = Principal(id="kim", roles=("curator",))
WET, DRY = "Water is wet.", "Sand is dry."
TEXT = f"{WET}\nThe sea is wide. The sea is deep.\n{DRY}\n"
OURS = ("tenant:a",)
NAME = RevisionId("WET", "1")


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    made = MemoryStore() if request.param == "memory" else SqliteStore(tmp_path / "corpus.db")
    yield made
    made.close()


@dataclass
class Curation:
    """A corpus with a document whose first words witness a fact, and a curator of its tenant."""

    parts: Parts

    @property
    def known(self) -> Curatable:
        return curatable(self.parts.store, NAME, CAT)

    def wanted(self, **changes: object) -> Edit:
        known = self.known
        metadata = replace(known.metadata, **changes)  # type: ignore[arg-type]
        return Edit(revision=NAME, metadata=metadata, replaces=known.standing.descriptor.digest)

    def edit(self, curator: Principal = CAT, **changes: object) -> Edited:
        return edit(self.wanted(**changes), curator, self.parts.store, NOW)

    def preview(self, curator: Principal = CAT, **changes: object) -> Preview:
        return preview(self.wanted(**changes), curator, self.parts, NOW)

    def packet(self) -> str:
        outcome = asked(self.parts, principal=ANN)
        assert not isinstance(outcome, UnsupportedQuestion)
        assert outcome.receipt is not None
        return outcome.receipt.packet

    def requested(self, packet: str, instance: str = "once", principal: Principal = ANN) -> Approval:
        desk = Desk(parts=self.parts, effects={"send": Scripted}, workers=OneWorker())
        wanted = OperationRequest(packet=packet, operation="send", params={}, instance=instance)
        return approvals.request(wanted, principal, desk)

    def state(self, approval: Approval) -> State:
        with self.parts.store.begin(ANN) as session:
            found = session.approvals.get(approval.id)
        assert found is not None
        return found.state

    def recorded(self) -> list[tuple[str, str]]:
        with self.parts.store.keep_ledger() as keeping:
            return [(entry.kind, entry.actor) for entry in keeping.entries()]


@pytest.fixture
def world(store: Store) -> Curation:
    made = parts(contract(fact("wet", WET), fact("dry", DRY, required=False), query="water sand"), store=store)
    ingest(made, "WET", TEXT, labels={"wet": WET}, readers=OURS)
    return Curation(made)


def spans(known: Curation, *more: CuratedQuote) -> tuple[CuratedQuote, ...]:
    return (*(known.known.metadata.spans or ()), *more)


DRY_SPAN = CuratedQuote(id="s2", fact="dry", quote=DRY)


class TestMetadata:
    def test_of_a_revision_state_its_descriptor_and_nothing_else(self, world: Curation) -> None:
        edited = world.edit(
            title="Of water", author="Ann", language="en", source_type="manual", egress=Egress.LOCAL,
            scope=Scope.of({"model": "G2"}), valid_from=NOW, valid_to=NOW + timedelta(days=9), supersedes=("0",),
            spans=spans(world, CuratedQuote(id="sea", fact="sea", quote="The sea is", suffix="deep")),
        )  # fmt: skip
        known = world.known
        assert known.standing == edited.standing
        made = described(known.metadata, known.revision.text, body=known.body, where="")
        assert made == edited.standing.descriptor
        quote = known.metadata.spans[1] if known.metadata.spans else None
        assert quote == CuratedQuote(id="sea", fact="sea", quote="The sea is", suffix=" deep.")

    def test_of_what_may_not_be_read_are_not_there(self, world: Curation) -> None:
        for name, who in (("WET", Principal(id="eve", tenant="b", roles=("curator",))), ("NONE", CAT)):
            with pytest.raises(NotFound):
                curatable(world.parts.store, RevisionId(name, "1"), who)
        with pytest.raises(NotFound):
            curatable(world.parts.store, RevisionId("WET", "2"), CAT)

    def test_quotes_are_not_looked_for_in_front_matter(self, store: Store) -> None:
        text = f"---\ntoulmin: {{title: {WET}}}\n---\n{WET}\n"
        made = parts(store=store)
        start = text.rindex(WET)
        standing = ingest(made, "WET", text, readers=OURS)
        known = curatable(store, standing.id, CAT)
        metadata = replace(known.metadata, spans=(CuratedQuote(id="s", fact="wet", quote=WET),))
        wanted = Edit(revision=standing.id, metadata=metadata, replaces=standing.descriptor.digest)
        (span,) = edit(wanted, CAT, store, NOW).standing.descriptor.spans
        assert span == Span(start=start, end=start + len(WET), id="s", fact="wet")


class TestEditing:
    def test_describes_the_revision_anew_in_one_switch(self, world: Curation) -> None:
        before = world.known.standing
        edited = world.edit(spans=spans(world, DRY_SPAN), readers=("group:a/ops", "tenant:a"))
        start = TEXT.index(DRY)
        assert edited.changed
        assert edited.standing.descriptor.spans[1] == Span(start=start, end=start + len(DRY), id="s2", fact="dry")
        assert edited.standing.descriptor.readers == ("group:a/ops", "tenant:a")
        assert (edited.standing.key, edited.standing.text_sha256) == (before.key, before.text_sha256)
        assert world.known.standing == edited.standing
        assert world.recorded()[-1] == ("ingest", principal_digest(CAT))

    def test_as_it_is_already_changes_nothing(self, world: Curation) -> None:
        before, recorded = world.known.standing, world.recorded()
        assert world.edit() == Edited(standing=before, changed=False)
        assert world.recorded() == recorded

    def test_ends_approvals_that_rest_on_what_it_was(self, world: Curation) -> None:
        approval = world.requested(world.packet())
        assert world.edit(title="Of water").stale == ()
        assert world.state(approval) is State.REQUESTED
        assert world.edit(spans=()).stale == (approval.id,)
        assert world.state(approval) is State.STALE

    def test_closes_another_version_whose_scope_is_its_own_from_now_on(self, world: Curation) -> None:
        later = ingest(world.parts, "WET", f"{WET}\n", version="2", scope={"model": "G2"}, readers=OURS)
        known = curatable(world.parts.store, later.id, CAT)
        wanted = Edit(
            revision=later.id,
            metadata=replace(known.metadata, scope=Scope(), valid_from=NOW + timedelta(days=1)),
            replaces=later.descriptor.digest,
        )
        edited = edit(wanted, CAT, world.parts.store, NOW)
        assert edited.supersedes == ("1",)
        closed = world.known.standing
        assert (closed.superseded, closed.validity.end) == (True, NOW + timedelta(days=1))
        assert [kind for kind, _ in world.recorded()][-2:] == ["ingest", "supersede"]

    def test_says_what_may_not_be_meant(self, world: Curation) -> None:
        says = world.edit(scope=Scope.of({"firmware": "2.4.1, 2.4.2"}), readers=OURS).warnings
        assert len(says) == 1
        assert "write a YAML list" in says[0]

    @pytest.mark.parametrize(
        ("changes", "code"),
        [
            ({"spans": (CuratedQuote(id="s", fact="f", quote="Water is dry."),)}, "quote_not_found"),
            ({"spans": (CuratedQuote(id="s", fact="f", quote="The sea is"),)}, "quote_ambiguous"),
            ({"spans": (CuratedQuote(id="s", fact="f", quote="The sea is", prefix="deep."),)}, "quote_not_found"),
            ({"valid_from": NOW, "valid_to": NOW}, "bad_validity"),
        ],
    )
    def test_what_no_file_could_state_is_refused_and_nothing_is_changed(
        self, world: Curation, changes: dict[str, object], code: str
    ) -> None:
        before = world.known.standing
        for act in (world.edit, world.preview):
            with pytest.raises(InputError) as refused:
                act(CAT, **changes)
            assert refused.value.code == code
        assert world.known.standing == before

    def test_what_cannot_stand_beside_other_versions_is_refused(self, world: Curation) -> None:
        ingest(world.parts, "WET", f"{WET}\n", version="2", scope={"model": "G2"}, readers=OURS)
        with pytest.raises(InputError) as refused:
            world.edit(scope=Scope.of({"model": "G2"}), supersedes=None, valid_from=NOW + timedelta(days=1))
        assert refused.value.code == "overlapping_validity"

    def test_a_retired_version_keeps_its_descriptor(self, world: Curation) -> None:
        with world.parts.store.curate() as session:
            session.retire(world.known.standing.key, Status.WITHDRAWN)
        with pytest.raises(InputError) as refused:
            world.edit(title="Other")
        assert refused.value.code == "retired"

    def test_another_edit_meanwhile_is_a_conflict_and_is_kept(self, world: Curation) -> None:
        mine, other = world.wanted(title="Mine"), world.wanted(title="Other")
        kept = edit(other, CAT, world.parts.store, NOW).standing
        for act in (lambda: edit(mine, CAT, world.parts.store, NOW), lambda: preview(mine, CAT, world.parts, NOW)):
            with pytest.raises(Conflict) as refused:
                act()
            assert refused.value.code == "descriptor_moved"
        assert world.known.standing == kept
        assert edit(other, CAT, world.parts.store, NOW).changed is False, "sent again, it has nothing left to do"

    @pytest.mark.parametrize(
        ("curator", "readers", "fault"),
        [
            (ANN, OURS, Forbidden),
            (replace(CAT, active=False), OURS, (Forbidden, NotFound)),
            (CAT, ("public",), Forbidden),
            (CAT, (), Forbidden),
            (KIM, OURS, NotFound),
        ],
    )
    def test_is_for_who_reads_and_curates_the_document_before_and_after(
        self, world: Curation, curator: Principal, readers: tuple[str, ...], fault: type[Exception]
    ) -> None:
        before = world.known.standing
        acts: tuple[Callable[..., object], ...] = (world.edit, world.preview)
        for act in acts:
            with pytest.raises(fault):
                act(curator, title="Other", readers=readers)
        assert world.known.standing == before

    def test_a_curator_without_a_tenant_edits_what_is_public(self, world: Curation) -> None:
        public = ingest(world.parts, "PUBLIC", TEXT)
        known = curatable(world.parts.store, public.id, KIM)
        wanted = Edit(
            revision=public.id, metadata=replace(known.metadata, readers=OURS), replaces=public.descriptor.digest
        )
        assert edit(wanted, KIM, world.parts.store, NOW).standing.descriptor.readers == OURS
        with pytest.raises(NotFound):
            curatable(world.parts.store, public.id, KIM)


class TestPreview:
    def test_changes_nothing(self, world: Curation) -> None:
        approval = world.requested(world.packet())
        before, recorded = world.known.standing, world.recorded()
        seen = world.preview(spans=())
        assert [(each.id, says) for each, says in seen.ended] == [(approval.id, ("span s1 (wet) of WET v1 is gone",))]
        assert world.known.standing == before
        assert world.recorded() == recorded
        assert world.state(approval) is State.REQUESTED
        assert world.edit(spans=()).stale == (approval.id,), "and what it said is what comes of it"

    def test_says_which_facts_gain_and_lose_witnesses(self, world: Curation) -> None:
        gains = world.preview(spans=spans(world, DRY_SPAN))
        dry, wet = fact("dry", DRY, required=False), fact("wet", WET)
        stands = Stands(source=NAME, span="s2", words=DRY)
        assert gains.facts == (FactChange(contract="made-up-v1", fact=dry, before=(), after=(stands,)),)
        assert [finding.code for finding in gains.mended] == [FindingCode.NO_WITNESS]
        assert gains.found == ()
        loses = world.preview(spans=())
        stood = Stands(source=NAME, span="s1", words=WET)
        assert loses.facts == (FactChange(contract="made-up-v1", fact=wet, before=(stood,), after=()),)
        assert [finding.code for finding in loses.found] == [FindingCode.NO_WITNESS]

    def test_says_that_a_fact_gets_a_second_witness(self, world: Curation) -> None:
        other = ingest(world.parts, "OTHER", f"{WET}\n", labels={"wet": WET}, readers=OURS)
        without = world.edit(spans=())
        assert without.changed
        seen = world.preview(spans=(CuratedQuote(id="again", fact="wet", quote=WET),))
        (change,) = seen.facts
        assert [each.source for each in change.before] == [other.id]
        assert [each.source for each in change.after] == [other.id, NAME]
        assert [finding.code for finding in seen.found] == [FindingCode.SEVERAL_WITNESSES]

    def test_says_that_a_label_is_not_on_the_proposition(self, world: Curation) -> None:
        seen = world.preview(spans=spans(world, CuratedQuote(id="s2", fact="dry", quote="The sea is wide.")))
        assert seen.facts == ()
        assert [finding.code for finding in seen.found] == [FindingCode.LABEL_WITHOUT_PROPOSITION]

    def test_of_what_is_no_change_says_that_nothing_changes(self, world: Curation) -> None:
        world.requested(world.packet())
        seen = world.preview()
        assert (seen.edited.changed, seen.facts, seen.found, seen.mended, seen.ended, seen.unseen) == (
            False, (), (), (), (), 0,
        )  # fmt: skip
        assert seen.packets == 1

    def test_counts_approvals_that_the_curator_may_not_see(self, world: Curation) -> None:
        ingest(world.parts, "MORE", f"{DRY}\n", labels={"dry": DRY}, readers=["group:a/ops"])
        member = replace(ANN, groups=("ops",))
        outcome = asked(world.parts, principal=member, k=5)
        assert not isinstance(outcome, UnsupportedQuestion)
        assert outcome.receipt is not None
        hidden = world.requested(outcome.receipt.packet, principal=member)
        shown = world.requested(world.packet())
        seen = world.preview(spans=())
        assert [each.id for each, _ in seen.ended] == [shown.id]
        assert (seen.unseen, seen.packets) == (1, 1)
        assert set(world.edit(spans=()).stale) == {hidden.id, shown.id}

    def test_lets_a_curator_see_what_follows_of_readers_that_leave_them_out(self, world: Curation) -> None:
        approval = world.requested(world.packet())
        seen = world.preview(readers=("group:a/ops",))
        assert seen.facts == (), "who reads it finds the same in it"
        assert [each.id for each, _ in seen.ended] == [approval.id]
