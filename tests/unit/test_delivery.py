from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest

from tests.unit.making import contract, fact, rules
from tests.unit.world import asked, ingest, parts
from toulmin.adapters.template import TemplateDrafter
from toulmin.application.documents import retire
from toulmin.application.parts import Parts
from toulmin.domain.claims.draft import DraftRequest, Segment
from toulmin.domain.corpus.document import Status
from toulmin.domain.errors import Conflict, InputError
from toulmin.domain.outcome import (
    Answered,
    AskForEvidence,
    EvidenceReason,
    SearchOnly,
    SearchOnlyReason,
    UnsupportedQuestion,
    Withheld,
)
from toulmin.domain.policy import Policy
from toulmin.domain.question.case import Kind
from toulmin.domain.question.contract import OPEN_QUESTION, CaseField, DrafterKind, Mode, open_question
from toulmin.domain.question.eligibility import RuleName, Rules
from toulmin.ports.drafter import Drafted, NotDrafted
from toulmin.testing.builders import NOW

WET = fact("wet", "Water is wet.")
DRY = fact("dry", "Sand is dry.", required=False)
MADE = contract(WET, DRY, query="water sand")
OPEN = open_question(Rules(), mode=Mode.CITED, min_score=0.0, k=8)

Edit = Callable[[tuple[Segment, ...]], tuple[Segment, ...]]


@dataclass(frozen=True)
class Editing:
    """Writes the template's segments, changed."""

    edit: Edit
    profile: str = "editing/1"
    on_this_host: bool = True

    async def draft(self, request: DraftRequest) -> Drafted | NotDrafted:
        drafted = await TemplateDrafter().draft(request)
        assert isinstance(drafted, Drafted)
        return Drafted(segments=self.edit(drafted.segments))


@dataclass(frozen=True)
class Failing:
    """Says why it has no draft."""

    cause: NotDrafted
    profile: str = "failing/1"
    on_this_host: bool = True

    async def draft(self, request: DraftRequest) -> Drafted | NotDrafted:  # noqa: ARG002  (the port's signature)
        return self.cause


def world(edit: Edit | None = None) -> Parts:
    """Both facts have a witness."""
    drafters = {DrafterKind.TEMPLATE: Editing(edit)} if edit else None
    made = parts(MADE, drafters=drafters)
    ingest(made, "A", "Water is wet.\nElse.\n", labels={"wet": "Water is wet."})
    ingest(made, "B", "Sand is dry.\n", labels={"dry": "Sand is dry."})
    return made


def test_licensed_claims_are_delivered_in_order_with_their_citations() -> None:
    outcome = asked(world())
    assert isinstance(outcome, Answered)
    assert outcome.text == "We say wet. We say dry."
    assert outcome.sufficient
    assert outcome.withheld == ()
    (quote,) = outcome.claims[0].citations
    assert (str(quote.source), quote.span, quote.words) == ("A v1", "s1", "Water is wet.")
    assert quote.place is not None
    assert (quote.place.start, quote.place.end) == (0, 13)
    assert outcome.receipt is not None


def test_a_claim_that_is_not_licensed_is_listed_beside_the_answer() -> None:
    outcome = asked(world(lambda segments: (*segments, replace(segments[0], text="Roll back."))))
    assert isinstance(outcome, Answered)
    assert outcome.text == "We say wet. We say dry."
    (withheld,) = outcome.withheld
    assert (withheld.text, withheld.verdict.reason) == ("Roll back.", "the rule does not license this sentence")


def test_an_optional_claim_may_fall_and_the_rest_is_delivered() -> None:
    outcome = asked(world(lambda segments: (segments[0], replace(segments[1], text="It is dry."))))
    assert isinstance(outcome, Answered)
    assert outcome.text == "We say wet."
    assert [claim.fact for claim in outcome.withheld] == ["dry"]


@pytest.mark.parametrize(
    "edit",
    [
        lambda segments: (replace(segments[0], text="It is wet."), segments[1]),
        lambda segments: (replace(segments[0], fact="dry"), segments[1]),
        lambda segments: (segments[1],),
    ],
)
def test_everything_is_withheld_where_a_required_fact_is_left_unsaid(edit: Edit) -> None:
    outcome = asked(world(edit))
    assert isinstance(outcome, Withheld)
    assert outcome.missing == ("wet",)
    assert "We say dry." in [claim.text for claim in outcome.withheld], "what was licensed is not delivered either"
    assert outcome.receipt is not None


def test_everything_is_withheld_where_no_claim_survives() -> None:
    outcome = asked(world(lambda segments: tuple(replace(s, text="Else.") for s in segments)))
    assert isinstance(outcome, Withheld)
    assert len(outcome.withheld) == 2
    assert outcome.missing == ("wet",)


def test_a_structural_fault_rejects_the_draft_and_leaves_the_search() -> None:
    outcome = asked(world(lambda segments: (*segments, replace(segments[0], evidence_ids=("e99",)))))
    assert isinstance(outcome, SearchOnly)
    assert (outcome.reason, outcome.detail) == (SearchOnlyReason.INVALID_OUTPUT, "unknown_id")
    assert [item.found.id.document for item in outcome.search] == ["A", "B"]


def test_a_drafter_that_fails_leaves_the_search_and_its_reason() -> None:
    cause = NotDrafted(reason=SearchOnlyReason.RATE_LIMITED, detail="busy", retry_after_s=2.5)
    made = parts(MADE, drafters={DrafterKind.TEMPLATE: Failing(cause)})
    ingest(made, "A", "Water is wet.\n", labels={"wet": "Water is wet."})
    outcome = asked(made)
    assert isinstance(outcome, SearchOnly)
    assert (outcome.reason, outcome.detail, outcome.retry_after_s) == (cause.reason, "busy", 2.5)


def test_without_a_drafter_there_is_the_search() -> None:
    made = parts(MADE, drafters={})
    ingest(made, "A", "Water is wet.\n", labels={"wet": "Water is wet."})
    outcome = asked(made)
    assert isinstance(outcome, SearchOnly)
    assert outcome.reason is SearchOnlyReason.NO_DRAFTER
    assert outcome.sufficient


def test_a_missing_fact_asks_for_evidence_before_anything_is_drafted() -> None:
    made = parts(MADE, drafters={DrafterKind.TEMPLATE: Editing(lambda _: pytest.fail("nothing may be drafted"))})
    ingest(made, "B", "Sand is dry.\n", labels={"dry": "Sand is dry."})
    outcome = asked(made)
    assert isinstance(outcome, AskForEvidence)
    assert (outcome.missing, outcome.reason, outcome.sufficient) == (("wet",), None, False)
    assert outcome.receipt is not None


def test_an_empty_evidence_set_is_sufficient_for_nothing_even_where_no_fact_is_required() -> None:
    outcome = asked(parts(contract(DRY, query="water")))
    assert isinstance(outcome, AskForEvidence)
    assert (outcome.missing, outcome.reason) == ((), EvidenceReason.NO_ELIGIBLE_EVIDENCE)


def test_a_fact_that_does_not_apply_is_neither_required_nor_said() -> None:
    hold = fact("hold", "Do not roll back.", applies={"hold": True})
    made = parts(contract(WET, hold, query="water roll", fields=[CaseField(name="hold", kind=Kind.BOOLEAN)]))
    labels = {"wet": "Water is wet.", "hold": "Do not roll back."}
    ingest(made, "A", "Water is wet.\nDo not roll back.\n", labels=labels)
    held, free = asked(made, case={"hold": "true"}), asked(made, case={"hold": "false"})
    assert isinstance(held, Answered)
    assert isinstance(free, Answered)
    assert held.text == "We say wet. We say hold."
    assert free.text == "We say wet."


def test_an_unknown_question_is_unsupported_before_any_retrieval() -> None:
    made = world()
    made.index.close()
    made.store.close()
    assert asked(made, "other-v1") == UnsupportedQuestion(question="other-v1")
    assert asked(made, OPEN_QUESTION, text="water") == UnsupportedQuestion(question=OPEN_QUESTION)


def test_an_open_question_without_anything_eligible_says_so() -> None:
    made = parts(open_question=open_question(rules(a=RuleName.EQUALS), mode=Mode.CITED, min_score=0.0, k=8))
    ingest(made, "A", "Water is wet.\n", scope={"a": "G2"})
    nothing = asked(made, OPEN_QUESTION, text="water", case={"a": "G3"})
    assert isinstance(nothing, AskForEvidence)
    assert (nothing.missing, nothing.reason) == ((), EvidenceReason.NO_ELIGIBLE_EVIDENCE)
    assert nothing.search == ()


def test_an_open_question_below_the_minimum_score_says_so() -> None:
    made = parts(open_question=OPEN)
    ingest(made, "A", "Water is wet.\n")
    low = asked(made, OPEN_QUESTION, text="water and ice", min_score=0.5)
    assert isinstance(low, AskForEvidence)
    assert low.reason is EvidenceReason.BELOW_MINIMUM_SCORE


def test_an_open_question_is_never_sufficient_for_a_template() -> None:
    made = parts(open_question=OPEN)
    ingest(made, "A", "Water is wet.\n")
    outcome = asked(made, OPEN_QUESTION, text="water")
    assert isinstance(outcome, SearchOnly)
    assert outcome.reason is SearchOnlyReason.NO_DRAFTER
    assert not outcome.sufficient
    assert [item.found.text for item in outcome.search] == ["Water is wet."]


def test_an_open_question_without_words_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        asked(parts(open_question=OPEN), OPEN_QUESTION, text=" ")
    assert caught.value.code == "empty_question"


def test_a_request_may_only_raise_the_minimum_score() -> None:
    made = parts(replace(MADE, query="water and ice", min_score=0.5))
    ingest(made, "A", "Water is wet.\n", labels={"wet": "Water is wet."})
    assert isinstance(asked(made, min_score=0.1), AskForEvidence)


@pytest.mark.parametrize("score", [float("nan"), float("inf"), float("-inf"), -0.1, 1.1])
def test_a_minimum_score_that_is_no_share_is_refused_and_not_read_as_none(score: float) -> None:
    with pytest.raises(InputError) as caught:
        asked(world(), min_score=score)
    assert caught.value.code == "bad_min_score"


def test_the_policys_limit_on_passages_holds_beside_k() -> None:
    outcome = asked(replace(world(), policy=Policy(passages=1)), k=2)
    assert isinstance(outcome, Answered)
    assert [item.found.id.document for item in outcome.search] == ["A"]
    assert outcome.text == "We say wet."


@dataclass(frozen=True)
class Meanwhile:
    """Writes as the template does, after something has happened to the corpus."""

    happens: Callable[[], object]
    profile: str = "meanwhile/1"
    on_this_host: bool = True

    async def draft(self, request: DraftRequest) -> Drafted | NotDrafted:
        self.happens()
        return await TemplateDrafter().draft(request)


@pytest.mark.parametrize("status", [Status.WITHDRAWN, Status.DELETED])
def test_a_source_that_is_retired_while_the_answer_is_made_ends_the_question(status: Status) -> None:
    made = world()
    drafter = Meanwhile(lambda: retire(made.store, "B", None, status, at=NOW))
    with pytest.raises(Conflict) as caught:
        asked(replace(made, drafters={DrafterKind.TEMPLATE: drafter}))
    assert caught.value.code == "evidence_changed"
    assert caught.value.retryable


def test_a_source_that_may_not_be_read_any_longer_ends_the_question_too() -> None:
    made = parts(MADE)
    standing = ingest(made, "A", "Water is wet.\n", labels={"wet": "Water is wet."})

    def give_away() -> None:
        with made.store.curate() as session:
            given = replace(standing.descriptor, readers=("tenant:a",))
            session.replace(standing.key, given, standing.validity, superseded=False)

    with pytest.raises(Conflict):
        asked(replace(made, drafters={DrafterKind.TEMPLATE: Meanwhile(give_away)}))


def test_a_document_that_comes_while_the_answer_is_made_changes_nothing() -> None:
    made = world()
    drafter = Meanwhile(lambda: ingest(made, "C", "Water and sand.\n"))
    outcome = asked(replace(made, drafters={DrafterKind.TEMPLATE: drafter}))
    assert isinstance(outcome, Answered)
    assert [item.found.id.document for item in outcome.search] == ["A", "B"]


def test_copies_of_one_text_do_not_hide_a_witness_however_many_there_are() -> None:
    made = parts(MADE)
    for number in range(30):
        ingest(made, f"COPY-{number:02}", "Water and sand.\n")
    ingest(made, "A", "Water is wet.\n", labels={"wet": "Water is wet."})
    outcome = asked(made)
    assert isinstance(outcome, Answered)
    assert [item.found.id.document for item in outcome.search] == ["COPY-00", "A"]


def test_a_copy_without_labels_does_not_hide_the_witness() -> None:
    made = parts(MADE)
    ingest(made, "A-COPY", "Water is wet.\n")
    ingest(made, "B", "Water is wet.\n", labels={"wet": "Water is wet."})
    assert isinstance(asked(made, k=1), Answered)
