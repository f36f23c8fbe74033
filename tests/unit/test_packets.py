from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta

import pytest

from tests.unit.making import contract, fact
from tests.unit.world import asked, ingest, parts
from toulmin.application.documents import retire
from toulmin.application.packets import PacketView, show_packet
from toulmin.application.parts import Parts
from toulmin.domain.claims.report import SourceState
from toulmin.domain.corpus.document import Standing, Status
from toulmin.domain.corpus.validity import Validity
from toulmin.domain.errors import NotFound
from toulmin.domain.outcome import UnsupportedQuestion
from toulmin.domain.question.case import ANONYMOUS, Principal
from toulmin.testing.builders import NOW, packet

MADE = contract(fact("wet", "Water is wet."), query="water")
ANN = Principal(id="ann", tenant="a")
BEN = Principal(id="ben", tenant="b")
WORDS = "Water is wet."
SECOND = "Water is more."


def world(readers: Iterable[str] = ("public",)) -> tuple[Parts, Standing]:
    made = parts(MADE)
    return made, ingest(made, "A", f"{WORDS}\n{SECOND}\n", labels={"wet": WORDS}, readers=readers)


def packet_of(made: Parts, principal: Principal = ANONYMOUS) -> str:
    outcome = asked(made, principal=principal)
    assert not isinstance(outcome, UnsupportedQuestion)
    assert outcome.receipt is not None
    return outcome.receipt.packet


def shown(made: Parts, packet_id: str, principal: Principal = ANONYMOUS, *, days: int = 0) -> PacketView:
    return show_packet(made.store, packet_id, principal, NOW + timedelta(days=days))


def change(made: Parts, standing: Standing, **changes: object) -> None:
    """Replaces parts of a standing in the store."""
    new = replace(standing, **changes)  # type: ignore[arg-type]
    with made.store.curate() as session:
        session.replace(new.key, new.descriptor, new.validity, superseded=new.superseded)


def test_a_packet_shows_its_body_its_words_and_its_sources() -> None:
    made, standing = world()
    view = shown(made, packet_of(made))
    assert view.body["outcome"]["name"] == "Answered"
    assert {WORDS, SECOND, "We say wet."} <= set(view.texts.values())
    assert view.texts[view.body["answer"]] == "We say wet."
    (source,) = view.sources
    assert (source.id, source.text_sha256, source.state) == (standing.id, standing.text_sha256, SourceState.CURRENT)


def test_a_packet_without_an_answer_has_no_answers_words() -> None:
    made = parts(MADE)
    assert shown(made, packet_of(made)).body["answer"] is None


def test_an_unknown_packet_and_one_that_may_not_be_read_are_told_alike() -> None:
    made, _ = world(readers=["tenant:a"])
    kept = packet_of(made, ANN)
    assert shown(made, kept, ANN).packet.id == kept
    faults = []
    for packet_id, principal in ((kept, BEN), (kept, ANONYMOUS), ("pk-unknown", ANN)):
        with pytest.raises(NotFound) as caught:
            shown(made, packet_id, principal)
        faults.append((caught.value.code, str(caught.value).replace(packet_id, "PK")))
    assert len(set(faults)) == 1
    assert "A" not in faults[0][1].split(), "no source is named"


def test_a_packet_without_sources_is_for_its_requester_alone() -> None:
    made = parts(MADE)
    kept = packet_of(made, ANN)
    assert shown(made, kept, ANN).sources == ()
    with pytest.raises(NotFound):
        shown(made, kept, BEN)


@pytest.mark.parametrize("status", [Status.WITHDRAWN, Status.DELETED])
def test_a_retired_source_is_told_so(status: Status) -> None:
    made, _ = world()
    kept = packet_of(made)
    retire(made.store, "A", None, status, at=NOW)
    (source,) = shown(made, kept).sources
    assert source.state.value == status.value


def test_a_superseded_source_is_told_so_from_then_on() -> None:
    made, standing = world()
    kept = packet_of(made)
    change(made, standing, validity=standing.validity.closed_at(NOW + timedelta(days=2)), superseded=True)
    states = [shown(made, kept, days=days).sources[0].state for days in (1, 2)]
    assert states == [SourceState.CURRENT, SourceState.SUPERSEDED]


@pytest.mark.parametrize("days", [-1, 3])
def test_a_source_outside_its_validity_is_not_in_force(days: int) -> None:
    made, standing = world()
    kept = packet_of(made)
    change(made, standing, validity=Validity(start=NOW, end=NOW + timedelta(days=3)))
    assert shown(made, kept, days=days).sources[0].state is SourceState.NOT_IN_FORCE


def test_a_source_whose_text_is_not_the_recorded_one_has_changed() -> None:
    made, standing = world()
    body = {
        "outcome": {"assurance": "licensed"},
        "claims": [],
        "withheld": [],
        "answer": None,
        "passages": [],
        "documents": [{"document": "A", "version": "1", "text_sha256": "0" * 64, "spans": []}],
    }
    kept = packet(standing.id, body=body)
    with made.store.begin(ANONYMOUS, write=True) as session:
        session.packets.add(kept)
    assert shown(made, kept.id).sources[0].state is SourceState.CHANGED


def test_the_words_of_a_deleted_source_are_hidden_and_those_of_a_withdrawn_one_are_not() -> None:
    made, _ = world()
    kept = packet_of(made)
    retire(made.store, "A", None, Status.WITHDRAWN, at=NOW)
    assert {WORDS, SECOND} <= set(shown(made, kept).texts.values())
    retire(made.store, "A", None, Status.DELETED, at=NOW)
    view = shown(made, kept)
    assert {WORDS, SECOND}.isdisjoint(view.texts.values())
    assert view.body["contract"]["snapshot"] not in view.texts, "its proposition is a quote of the source"
    assert view.packet.id == kept, "the record itself still stands"


def test_words_that_a_source_still_has_are_not_hidden_with_those_of_a_deleted_one() -> None:
    made, _ = world()
    ingest(made, "B", f"{WORDS} Here too.\n", labels={"wet": WORDS})
    kept = packet_of(made)
    retire(made.store, "A", None, Status.DELETED, at=NOW)
    texts = set(shown(made, kept).texts.values())
    assert WORDS in texts, "B v1 says the same"
    assert SECOND not in texts
