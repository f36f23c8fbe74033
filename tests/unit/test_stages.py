"""Stages downstream of an answer: what a specialist is sent, to the byte, and what may be taken of its reply."""

from __future__ import annotations

import json
from dataclasses import replace
from unittest.mock import patch

import pytest

from tests.unit.drafters import Writer
from tests.unit.effects import OneWorker
from tests.unit.making import contract, fact
from tests.unit.test_approvals import fault_of
from tests.unit.world import asked, ingest, parts
from toulmin.application.approvals import Desk
from toulmin.application.parts import Parts
from toulmin.application.stages import Stage, stage
from toulmin.domain.claims.draft import Citation, Claim, DraftRequest, Rejected, Segment
from toulmin.domain.corpus.document import Egress, RevisionId, Standing, Status
from toulmin.domain.errors import InputError, NotFound, Refused
from toulmin.domain.outcome import SearchOnlyReason, UnsupportedQuestion
from toulmin.domain.policy import Policy
from toulmin.domain.question.case import Kind, Principal
from toulmin.domain.question.contract import CaseField, Contract, DrafterKind, Mode
from toulmin.ports.drafter import Drafted, NotDrafted

ANN = Principal(id="ann", tenant="a")
WET = "Water is wet."
LICENSED = contract(fact("wet", WET), query="water {kind}", k=1, fields=[CaseField(name="kind", kind=Kind.STRING)])
REVIEWED = replace(LICENSED, facts=(), mode=Mode.REVIEWED, drafter=DrafterKind.MODEL, k=2)
TASK = 'Write "a reply".'
CANARY = "canary"


def desk(made_of: Contract = LICENSED, *, policy: Policy | None = None, writer: Writer | None = None) -> Desk:
    """A corpus in which everything that an answer does not rest on has a canary in it."""
    made = parts(made_of, policy=policy, drafters={**parts().drafters, DrafterKind.MODEL: writer or Writer()})
    text = f"{WET}\n\nThe same document has a {CANARY}.\n"
    ingest(made, "WET", text, version="v7", labels={"wet": WET}, readers=["tenant:a"])
    ingest(made, f"{CANARY}-1", f"water {CANARY} too low\n", readers=["tenant:a"])
    ingest(made, f"{CANARY}-2", f"water {CANARY} of another tenant\n", readers=["tenant:b"])
    ingest(made, f"{CANARY}-3", f"{CANARY} of somebody\n", readers=["public"])
    return Desk(parts=made, effects={}, workers=OneWorker())


def packet_of(made: Parts) -> str:
    outcome = asked(made, case={"kind": "wet"}, principal=ANN)
    assert not isinstance(outcome, UnsupportedQuestion)
    assert outcome.receipt is not None
    return outcome.receipt.packet


def staged(made: Desk, task: str = TASK) -> Stage:
    return stage(packet_of(made.parts), task, ANN, made)


def test_a_specialist_is_sent_the_task_the_answer_and_its_evidence_and_nothing_else() -> None:
    request = staged(desk()).request
    assert request == (
        '{"schema": "toulmin.stage/1", "task": "Write \\"a reply\\".", "case": {"kind": "wet"}, '
        '"answer": [{"text": "We say wet.", "evidence_ids": ["e1"]}], '
        '"evidence": [{"evidence_id": "e1", "passage": "Water is wet.", "version": "v7"}]}'
    )


def test_nothing_that_was_not_selected_or_not_delivered_is_sent() -> None:
    """The drafter also says what the evidence does not, which is withheld, and the search also found what was left out."""

    def write(request: DraftRequest) -> Drafted:
        first = request.evidence[0]
        assert first.passage == WET
        return Drafted(
            segments=(
                Segment(text=WET, evidence_ids=(first.id,)),
                Segment(text=f"Water is a {CANARY}.", evidence_ids=(first.id,)),
            )
        )

    policy = Policy(passages=1)
    made = desk(REVIEWED, writer=Writer(write), policy=policy)
    packet_id = packet_of(made.parts)
    sent = stage(packet_id, TASK, ANN, made).request.encode()
    assert CANARY.encode() not in sent
    assert [each["text"] for each in json.loads(sent)["answer"]] == [WET]
    with made.parts.store.begin(ANN) as session:
        packet = session.packets.get(packet_id)
    assert packet is not None
    assert CANARY in packet.body, "the packet names what was left out"
    assert any(CANARY in text for text in packet.texts.values()), "and keeps what was withheld"


@pytest.mark.parametrize(
    ("made_of", "writer"),
    [
        (contract(fact("cold", "Water is cold."), query="water {kind}", fields=LICENSED.schema), Writer()),
        (REVIEWED, Writer(lambda _: NotDrafted(reason=SearchOnlyReason.TIMEOUT))),
        (
            REVIEWED,
            Writer(lambda r: Drafted(segments=(Segment(text="Ice is hot.", evidence_ids=(r.evidence[0].id,)),))),
        ),
    ],
    ids=["AskForEvidence", "SearchOnly", "Withheld"],
)
def test_whatever_is_no_answer_stops_before_anything_is_serialised(
    made_of: Contract, writer: Writer, request: pytest.FixtureRequest
) -> None:
    made = desk(made_of, writer=writer, policy=Policy(repairs=()))
    packet = packet_of(made.parts)
    with patch("toulmin.application.stages.stage_json") as serialise:
        with pytest.raises(Refused, match=f"is {request.node.callspec.id}, not Answered") as caught:
            stage(packet, TASK, ANN, made)
        assert caught.value.code == "not_answered"
        serialise.assert_not_called()


def test_an_answer_that_would_not_be_given_any_more_stops() -> None:
    made = desk()
    packet = packet_of(made.parts)
    wet = the_source(made)
    with made.parts.store.curate() as curation:
        curation.retire(wet.key, Status.WITHDRAWN)
    with pytest.raises(Refused, match="WET v7 was withdrawn"):
        stage(packet, TASK, ANN, made)


def test_who_may_not_read_all_sources_has_no_stage() -> None:
    made = desk()
    other = Principal(id="ben", tenant="b")
    assert fault_of(stage, packet_of(made.parts), TASK, other, made) == (NotFound, "no_such_packet")


def test_evidence_that_may_not_leave_this_host_does_not() -> None:
    made = desk()
    packet = packet_of(made.parts)
    assert stage(packet, TASK, ANN, made, external=True).request == stage(packet, TASK, ANN, made).request
    wet = the_source(made)
    with made.parts.store.curate() as curation:
        described = replace(wet.descriptor, egress=Egress.LOCAL)
        curation.replace(wet.key, described, wet.validity, superseded=False)
    assert stage(packet, TASK, ANN, made).packet == packet
    with pytest.raises(Refused, match="WET v7 may not leave this host"):
        stage(packet, TASK, ANN, made, external=True)


def the_source(made: Desk) -> Standing:
    with made.parts.store.begin(ANN) as session:
        (standing,) = session.catalogue.standings("WET")
    return standing


@pytest.mark.parametrize(("task", "code"), [("", "empty_task"), (" \n", "empty_task"), ("ü" * 5_000, "too_large")])
def test_a_task_has_words_and_a_limit(task: str, code: str) -> None:
    made = desk()
    assert fault_of(staged, made, task) == (InputError, code)


def test_evidence_has_a_limit() -> None:
    """Curated spans of one document may hold more than its passages that were selected."""
    made = desk()
    packet = packet_of(made.parts)
    small = replace(made, parts=replace(made.parts, policy=Policy(context_bytes=12)))
    with patch("toulmin.application.stages.look_again") as look:  # another policy is another reason to stop
        look.return_value.changes = ()
        assert fault_of(stage, packet, TASK, ANN, small) == (InputError, "too_large")


def segments(*given: tuple[str, list[str]]) -> str:
    return json.dumps({"segments": [{"text": text, "evidence_ids": ids} for text, ids in given]})


def test_a_reply_that_cites_what_was_sent_is_taken_with_its_citations_resolved() -> None:
    claims = staged(desk()).accept(segments(("Dear customer, water is wet.", ["e1"])))
    wet = Citation(source=RevisionId("WET", "v7"), span="s1")
    assert claims == (Claim(text="Dear customer, water is wet.", citations=(wet,)),)


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (segments(("Yes.", ["e2"])), "unknown_id"),
        (segments(("Yes.", ["E1"])), "unknown_id"),
        (segments(("Yes.", ["e1"]), ("No.", ["canary-1"])), "unknown_id"),
        (segments(("Yes.", ["e1", "e1"])), "repeated_id"),
        (segments(("Yes.", [])), "no_citation"),
        (segments(), "no_claims"),
        (segments(*[("Yes.", ["e1"])] * 9), "too_many_claims"),
        (segments(("Yes [1].", ["e1"])), "citation_marker"),
        (segments((f"{'x' * 9_000}.", ["e1"])), "answer_too_long"),
        ('{"segments": [], "tool": "x"}', "unknown_field"),
        ('{"segments": [{"text": "Yes.", "evidence_ids": ["e1"], "fact": "wet"}]}', "unknown_field"),
        ("Yes.", "no_object"),
        ('{"segments": [{"text": "Ye', "truncated"),
    ],
)
def test_a_reply_is_taken_whole_or_not_at_all(reply: str, code: str) -> None:
    assert staged(desk()).accept(reply) == Rejected(code=code)


def test_the_providers_word_that_it_was_cut_off_counts() -> None:
    assert staged(desk()).accept(segments(("Yes.", ["e1"])), finish_reason="length") == Rejected(code="truncated")
