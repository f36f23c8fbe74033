"""A second judge beside the first: it is given the same, it is kept to what may leave, and nothing acts on it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from tests.unit.drafters import Writer
from tests.unit.judges import Scripted, opinion
from tests.unit.making import contract
from tests.unit.world import asked, ingest, parts
from toulmin.application.parts import Parts
from toulmin.domain.claims.draft import DraftRequest, Segment
from toulmin.domain.claims.verdict import VerdictStatus
from toulmin.domain.corpus.document import Egress
from toulmin.domain.outcome import SearchOnlyReason, UnsupportedQuestion
from toulmin.domain.policy import Policy
from toulmin.domain.question.case import ANONYMOUS
from toulmin.domain.question.contract import DrafterKind, Mode
from toulmin.evaluation.answers import Asked
from toulmin.evaluation.answers_shadow import Compared, Second, Shadow, seconded, shadow_json
from toulmin.evaluation.answers_sources import Sources, Subject
from toulmin.evaluation.questions import Gold, Question
from toulmin.ports.drafter import Drafted
from toulmin.ports.judge import Judge, NotJudged
from toulmin.testing.builders import descriptor

LOGS = "Audit logs are kept for at least 30 days."
NIGHT = "Audit backups are made every night."
SAID = "For thirty days or more, audit logs are kept."
QUESTION = Question(
    id="q",
    question="How long?",
    version="1",
    gold=(Gold(path="A", quote="kept for  at least"), Gold(path="A", quote="gone"), Gold(path="B", quote="night")),
    kind="fact",
    group="g",
)


def writes(request: DraftRequest) -> Drafted:
    """One sentence in other words with a quote, one word for word."""
    ids = {item.passage: item.id for item in request.evidence}
    return Drafted(
        segments=(
            Segment(text=SAID, evidence_ids=(ids[LOGS],), quotes=("at least 30 days",)),
            Segment(text=NIGHT, evidence_ids=(ids[NIGHT],)),
        )
    )


def world(judge: Judge) -> Parts:
    made = parts(
        contract(query="audit logs backups", k=2, mode=Mode.REVIEWED),
        drafters={DrafterKind.MODEL: Writer(write=writes)},
        policy=replace(Policy(), repairs=()),
    )
    ingest(made, "A", f"Intro.\n{LOGS}\n")
    ingest(made, "B", f"{NIGHT}\n")
    return replace(made, judge=judge)


def outcome_of(made: Parts) -> Asked:
    outcome = asked(made)
    assert not isinstance(outcome, UnsupportedQuestion)
    return Asked(question=QUESTION, outcome=outcome, gold=Sources(made, ANONYMOUS).gold(QUESTION))


def subjects(made: Parts) -> list[Subject]:
    return list(Sources(made, ANONYMOUS).subjects(outcome_of(made)))


def second(judge: Judge | None, given: Sequence[Subject], *, approved: bool = False) -> tuple[Second, ...]:
    return asyncio.run(seconded(given, judge, Policy(), approved=approved))


def statuses(found: Sequence[Second]) -> list[VerdictStatus | None]:
    return [item.verdict.status if item.verdict is not None else None for item in found]


def test_the_second_judge_is_given_what_the_first_was_with_its_quotes_and_context() -> None:
    first, other = Scripted(), Scripted()
    given = subjects(world(first))
    second(other, given)
    assert [item.unit.quotes for item in given] == [("at least 30 days",), ()]
    assert other.units == first.units
    assert len(first.units) == 1


def test_its_verdicts_are_those_that_a_review_with_it_would_have_come_to() -> None:
    given = subjects(world(Scripted()))
    doubtful = Scripted(says=lambda _: opinion(0.3))
    assert [item.claim.verdict.status for item in given] == [VerdictStatus.SUPPORTED] * 2
    assert statuses(second(doubtful, given)) == [VerdictStatus.UNRESOLVED, VerdictStatus.SUPPORTED]
    assert [item.is_open for item in second(doubtful, given)] == [True, False]
    assert statuses(second(None, given)) == [VerdictStatus.UNRESOLVED, VerdictStatus.SUPPORTED]


def test_a_judge_elsewhere_gets_nothing_that_is_not_approved_or_has_to_stay() -> None:
    given = subjects(world(Scripted()))
    elsewhere = Scripted(on_this_host=False)
    for claims, approved in ((given, False), ([replace(item, may_leave=False) for item in given], True)):
        found = second(elsewhere, claims, approved=approved)
        assert (found[0].verdict, found[0].fault) == (None, "egress_denied")
        assert found[1].verdict is not None  # word for word: no judge is needed
    assert elsewhere.units == []
    assert statuses(second(elsewhere, given, approved=True)) == [VerdictStatus.SUPPORTED] * 2


def test_a_label_that_was_put_on_a_document_meanwhile_keeps_it_here() -> None:
    made = world(Scripted())
    sources, row = Sources(made, ANONYMOUS), outcome_of(made)
    assert [item.may_leave for item in sources.subjects(row)] == [True, True]
    with made.store.curate() as session:
        (standing,) = session.history("A")
        session.replace(standing.key, descriptor(egress=Egress.LOCAL), standing.validity, superseded=False)
    assert [item.may_leave for item in sources.subjects(row)] == [False, True]


def test_a_judge_that_fails_is_told_by_its_reason() -> None:
    fault = NotJudged(reason=SearchOnlyReason.PROVIDER_ERROR, detail="http_500")
    found = second(Scripted(fault=fault), subjects(world(Scripted())))
    assert [item.fault for item in found] == ["provider_error (http_500)", None]


def test_gold_is_located_in_the_version_of_the_question() -> None:
    made = world(Scripted())
    first, gone, other = outcome_of(made).gold
    start = len("Intro.\nAudit logs are ")
    assert first.places == ((start, start + len("kept for at least")),)
    assert (gone.places, len(other.places)) == ((), 1)
    assert [item.places for item in Sources(made, ANONYMOUS).gold(replace(QUESTION, version="2"))] == [()] * 3


def test_a_comparison_counts_pairs_and_agreement_where_a_judge_decides() -> None:
    given = subjects(world(Scripted()))
    agrees, proven = second(Scripted(), given)
    differs, _ = second(Scripted(says=lambda _: opinion(0.3)), given)
    failed = Second(verdict=None, is_open=True, fault="timeout")
    compared = [
        Compared(group=group, first=VerdictStatus.SUPPORTED, second=item)
        for group, item in (("a", agrees), ("b", differs), ("c", proven), ("d", failed))
    ]
    shape = shadow_json(Shadow(judge="llm", compared=tuple(compared)))
    assert shape["verdicts"] == {"supported": {"supported": 2, "unresolved": 1}}
    assert (shape["claims"], shape["judged"], shape["open"], shape["disagreements"]) == (4, 3, 2, 1)
    assert shape["agreement"]["value"] == 1 / 2
    assert shape["not_judged"] == {"timeout": 1}
