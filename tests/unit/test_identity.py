from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from toulmin.domain.corpus.document import Descriptor, Passage, Revision, RevisionId, Span, Standing, Status
from toulmin.domain.evidence.coverage import missing
from toulmin.domain.evidence.ranking import Ranked, ranked
from toulmin.domain.evidence.selection import Budget, EvidenceSet, LeftOut, Quote, Selection, evidence_set
from toulmin.domain.policy import Policy
from toulmin.domain.proof.fingerprint import fingerprint_of
from toulmin.domain.proof.identity import evidence_identity, principal_digest
from toulmin.domain.proof.record import Record, sealed
from toulmin.domain.question.case import ANONYMOUS, Case, Kind, Principal, Value
from toulmin.domain.question.contract import CaseField, Contract, DrafterKind, Fact, Mode
from toulmin.domain.question.eligibility import Rules
from toulmin.testing import builders

TEXT = "On hold, do not roll back.\n"
WORDS = "do not roll back"
SPAN = Span(start=9, end=9 + len(WORDS), id="s1", fact="rule")
FACT = Fact(id="rule", proposition=WORDS, clause="We will not roll back.")
CASE = Case.of({"hold": Value(Kind.BOOLEAN, "true")})
CONTRACT = Contract(
    id="hold-v1",
    version="1",
    schema=(CaseField(name="hold", kind=Kind.BOOLEAN),),
    query="hold",
    k=1,
    rules=Rules(),
    facts=(FACT,),
    mode=Mode.LICENSED,
    drafter=DrafterKind.TEMPLATE,
)
DESCRIPTOR = builders.descriptor(title="Holds", scope={"model": "G2"}, spans=[SPAN])


def standing(revision: Revision, descriptor: Descriptor = DESCRIPTOR, status: Status = Status.LIVE) -> Standing:
    return Standing(
        key=1,
        id=revision.id,
        text_sha256=revision.text_sha256,
        bytes_sha256=revision.bytes_sha256,
        descriptor=descriptor,
        validity=builders.ALWAYS,
        superseded=False,
        status=status,
        since=1,
        ingested_at=builders.NOW,
    )


def found(stands: Standing, score: float = 1.0, place: tuple[int, int] = (0, len(TEXT))) -> Ranked:
    start, end = place
    return Ranked(standing=stands, passage=Passage(start=start, end=end), text=TEXT[start:end], score=score)


def licensed(stands: Standing, span: Span = SPAN, score: float = 1.0) -> EvidenceSet:
    return evidence_set([found(stands, score)], {stands.id: [Quote(span=span, words=TEXT[span.start : span.end])]})


def identity(evidence: EvidenceSet, case: Case = CASE, contract: Contract = CONTRACT, question: str = "") -> str:
    return evidence_identity(contract, question, case, evidence)


HOLD = standing(builders.revision("HOLD-7", "2", TEXT))
SELECTED = licensed(HOLD)


def test_the_same_quote_under_a_new_version_label_covers_as_much_and_is_other_evidence() -> None:
    relabelled = licensed(replace(HOLD, id=RevisionId("HOLD-7", "3")))
    assert missing(SELECTED, [FACT]) == missing(relabelled, [FACT]) == ()
    assert identity(relabelled) != identity(SELECTED)


def test_an_unused_document_changes_the_corpus_and_not_the_evidence() -> None:
    unused = standing(builders.revision("BILL-42", "1", "Old."))
    changed = standing(builders.revision("BILL-42", "1", "New."))
    assert fingerprint_of([HOLD, changed]) != fingerprint_of([HOLD, unused])
    assert identity(_best_of([HOLD, changed])) == identity(_best_of([HOLD, unused]))


def _best_of(corpus: Sequence[Standing]) -> EvidenceSet:
    return licensed(next(stands for stands in corpus if stands.id.document == "HOLD-7"))


@pytest.mark.parametrize("status", [Status.WITHDRAWN, Status.DELETED])
def test_what_is_not_live_is_no_part_of_the_corpus(status: Status) -> None:
    gone = standing(builders.revision("BILL-42"), status=status)
    assert fingerprint_of([HOLD, gone]) == fingerprint_of([HOLD])


def test_what_is_superseded_is_no_part_of_the_corpus() -> None:
    old = replace(standing(builders.revision("HOLD-7", "1")), superseded=True)
    assert fingerprint_of([HOLD, old]) == fingerprint_of([HOLD])


def test_the_corpus_changes_with_a_descriptor() -> None:
    retitled = replace(HOLD, descriptor=builders.descriptor(title="Audit holds", scope={"model": "G2"}, spans=[SPAN]))
    assert fingerprint_of([retitled]) != fingerprint_of([HOLD])


def test_scores_are_no_part_of_the_evidence() -> None:
    assert identity(licensed(HOLD, score=0.5)) == identity(SELECTED)


def test_ranks_are_no_part_of_the_evidence() -> None:
    other = standing(builders.revision("AUDIT-1", "1", TEXT))
    places = [(0, 8), (9, 26)]

    def passages(scores: Sequence[float]) -> EvidenceSet:
        hits = [found(stands, place=place) for stands in (HOLD, other) for place in places]
        return evidence_set(ranked(replace(hit, score=score) for hit, score in zip(hits, scores, strict=True)))

    one, reverse = passages([1.0, 2.0, 3.0, 4.0]), passages([4.0, 3.0, 2.0, 1.0])
    assert one.passages[0].id != reverse.passages[0].id
    assert identity(one) == identity(reverse)


def test_a_title_is_no_part_of_the_evidence() -> None:
    retitled = builders.descriptor(title="Audit holds", scope={"model": "G2"}, spans=[SPAN])
    assert identity(licensed(replace(HOLD, descriptor=retitled))) == identity(SELECTED)


def test_evidence_changes_with_all_that_it_rests_on() -> None:
    public, tenant = ("public",), ("tenant:acme",)
    other_text = standing(builders.revision("HOLD-7", "2", TEXT + "More.\n"))
    others = {
        "as it is": identity(SELECTED),
        "document": identity(licensed(replace(HOLD, id=RevisionId("HOLD-8", "2")))),
        "text around the quote": identity(licensed(other_text)),
        "scope": identity(
            licensed(replace(HOLD, descriptor=builders.descriptor(scope={"model": "*"}, readers=public)))
        ),
        "readers": identity(
            licensed(replace(HOLD, descriptor=builders.descriptor(scope={"model": "G2"}, readers=tenant)))
        ),
        "span id": identity(licensed(HOLD, replace(SPAN, id="s2"))),
        "label": identity(licensed(HOLD, replace(SPAN, fact="other"))),
        "place": identity(licensed(HOLD, replace(SPAN, end=SPAN.end + 1))),
        "no span": identity(evidence_set([found(HOLD)], {})),
        "nothing": identity(EvidenceSet()),
        "case value": identity(SELECTED, Case.of({"hold": Value(Kind.BOOLEAN, "false")})),
        "case type": identity(SELECTED, Case.of({"hold": Value(Kind.STRING, "true")})),
        "case field left out": identity(SELECTED, Case()),
        "question": identity(SELECTED, question="May I roll back?"),
        "contract id": identity(SELECTED, contract=replace(CONTRACT, id="hold-v2")),
        "contract": identity(SELECTED, contract=replace(CONTRACT, k=2)),
    }
    assert len(set(others.values())) == len(others)


def test_two_packets_of_one_evidence_differ() -> None:
    one, other = sealed(record("r-1")), sealed(record("r-2"))
    assert one.evidence == other.evidence == identity(SELECTED)
    assert one.id != other.id
    assert sealed(record("r-1")) == one


def test_a_packet_rests_on_the_evidence_and_not_on_what_was_left_out() -> None:
    left_out = found(standing(builders.revision("BILL-42", "1", TEXT)), score=0.5)
    assert sealed(record("r-1", left_out)).evidence == sealed(record("r-1")).evidence


def record(request_id: str, *left_out: Ranked) -> Record:
    return Record(
        request_id=request_id,
        made_at=builders.NOW,
        as_of=builders.NOW,
        requester=principal_digest(ANONYMOUS),
        contract=CONTRACT,
        question="",
        case=CASE,
        k=1,
        policy=Policy(),
        corpus=fingerprint_of([HOLD]),
        sequence=1,
        evidence=SELECTED,
        selection=Selection(taken=SELECTED.passages, left_out=tuple((item, LeftOut.BEYOND_K) for item in left_out)),
        candidates=(*SELECTED.passages, *left_out),
        budget=Budget(passages=8, passage_bytes=100, context_bytes=1000, documents=1),
        parsers={HOLD.id: "test/1"},
        elsewhere=(),
        outcome={},
        missing=(),
        answer=None,
        claims=(),
        withheld=(),
        versions={},
        trace=(),
    )


def test_a_principal_is_the_same_in_whatever_order_its_groups_and_roles_are_given() -> None:
    one = Principal(id="ada", tenant="acme", groups=("night", "day"), roles=("reader", "curator"))
    other = Principal(id="ada", tenant="acme", groups=("day", "night"), roles=("curator", "reader"))
    assert principal_digest(one) == principal_digest(other)


def test_a_group_is_no_role_and_a_tenant_no_group() -> None:
    principals = [
        Principal(id="ada", tenant="acme", groups=("service",)),
        Principal(id="ada", tenant="acme", roles=("service",)),
        Principal(id="ada", tenant="acme"),
        Principal(id="ada"),
    ]
    assert len(set(map(principal_digest, principals))) == len(principals)
