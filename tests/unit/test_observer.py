"""What an observer is told of a request: its steps with counts and codes, and how it ended."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from tests.unit.drafters import Held, Writer
from tests.unit.judges import Scripted
from tests.unit.making import contract, fact
from tests.unit.observers import Recorder
from tests.unit.world import asked, ingest, parts
from toulmin.adapters.memory.cache import MemoryDraftCache
from toulmin.adapters.memory.index import OverlapIndex
from toulmin.application.ask import ask
from toulmin.application.bulkhead import Bulkhead
from toulmin.application.catchup import catch_up, embed
from toulmin.application.flights import Flights
from toulmin.application.parts import Drafting, Parts
from toulmin.application.question import AskRequest
from toulmin.application.reviews import Cite, ClaimPair, review_pairs
from toulmin.application.search import SearchRequest, search
from toulmin.domain.claims.draft import DraftRequest, Segment
from toulmin.domain.claims.ground import Ground
from toulmin.domain.claims.verdict import VerdictStatus
from toulmin.domain.corpus.document import RevisionId
from toulmin.domain.corpus.validity import Validity
from toulmin.domain.errors import InputError
from toulmin.domain.outcome import EvidenceReason, SearchOnlyReason
from toulmin.domain.policy import Policy, Repair
from toulmin.domain.question.case import ANONYMOUS, Case
from toulmin.domain.question.contract import Contract, DrafterKind, Mode
from toulmin.domain.question.eligibility import Rules
from toulmin.ports.drafter import Drafted, NotDrafted
from toulmin.ports.judge import Matter, NotJudged
from toulmin.ports.observer import NO_OBSERVER, DraftSource
from toulmin.testing.builders import NOW, descriptor, revision

WET = fact("wet", "Water is wet.")
LICENSED = contract(WET, query="water", k=1)
CITED = replace(contract(query="water", k=1, mode=Mode.CITED), drafter=DrafterKind.MODEL)
LOGS = "Audit logs are kept for at least 30 days."
REVIEWED = contract(query="audit logs", k=1, mode=Mode.REVIEWED)


def world(contracted: Contract, drafter: Writer | None = None, **more: Any) -> tuple[Parts, Recorder]:
    """One document with one line, and who is told what is done with it."""
    recorder = Recorder()
    made = parts(contracted, drafters=None if drafter is None else {DrafterKind.MODEL: drafter}, **more)
    words = LOGS if contracted is REVIEWED else "Water is wet."
    ingest(made, "A", f"{words}\n", labels={"wet": words})
    return replace(made, observer=recorder), recorder


class TestTheStepsOfAQuestion:
    def test_in_licensed_mode_are_told_with_their_counts_in_order(self) -> None:
        made, recorder = world(LICENSED)
        asked(made)
        assert recorder.steps == [
            ("search", {"eligible": 1, "found": 1, "drift": 0}),
            ("gather", {"taken": 1, "left_out": 0}),
            ("cover", {"missing": 0}),
            ("draft", {"calls": 0, "prompt_tokens": None, "completion_tokens": None, "claims": 1}),
            ("judge", {"claims": 1, "delivered": 1}),
            ("commit", {}),
        ]
        assert recorder.verdicts == [(VerdictStatus.LICENSED, Ground.LICENSED)]
        assert recorder.outcomes == [("Answered", None)]

    def test_end_where_evidence_is_missing(self) -> None:
        made, recorder = world(contract(fact("dry", "Sand is dry."), query="water", k=1))
        asked(made)
        assert recorder.names == ["search", "gather", "cover", "commit"]
        assert recorder.told("cover") == {"missing": 1}
        assert (recorder.verdicts, recorder.outcomes) == ([], [("AskForEvidence", None)])

    def test_are_none_for_a_question_that_no_contract_supports(self) -> None:
        made, recorder = world(LICENSED)
        asked(made, "another-v1")
        assert (recorder.steps, recorder.outcomes) == ([], [("UnsupportedQuestion", None)])

    def test_tell_why_an_open_question_asks_for_evidence(self) -> None:
        made, recorder = world(replace(CITED, query="sand"), Writer())
        asked(made)
        assert recorder.outcomes == [("AskForEvidence", EvidenceReason.BELOW_MINIMUM_SCORE)]

    def test_tell_what_a_model_took_and_hold_its_call(self) -> None:
        made, recorder = world(CITED, Writer())
        asked(made)
        assert recorder.names == ["search", "gather", "cover", "ask_drafter", "draft", "judge", "commit"]
        assert recorder.told("draft") == {"calls": 1, "prompt_tokens": 100, "completion_tokens": 20, "claims": 1}
        assert recorder.verdicts == [(VerdictStatus.CITED, Ground.NOT_JUDGED)]

    def test_tell_the_code_of_a_drafter_that_fails(self) -> None:
        failing = Writer(write=lambda _: NotDrafted(reason=SearchOnlyReason.RATE_LIMITED))
        made, recorder = world(CITED, failing)
        asked(made)
        assert recorder.told("draft")["fault"] is SearchOnlyReason.RATE_LIMITED
        assert recorder.outcomes == [("SearchOnly", SearchOnlyReason.RATE_LIMITED)]

    def test_end_also_when_a_fault_ends_the_question(self) -> None:
        made, recorder = world(LICENSED)
        with pytest.raises(InputError):
            asked(made, case={"unknown": "field"})
        assert (recorder.open, recorder.outcomes) == ([], [])


class TestTheStepsOfAReviewedQuestion:
    def test_have_the_judge_s_questions_and_the_repairs(self) -> None:
        def write(request: DraftRequest) -> Drafted:
            said = ("Audit logs are kept a month or more.", LOGS)
            return Drafted(segments=tuple(Segment(text=text, evidence_ids=(request.evidence[0].id,)) for text in said))

        made, recorder = world(REVIEWED, Writer(write=write), policy=Policy(repairs=(Repair.REMOVE,)))
        unsure = Scripted(fault=NotJudged(reason=SearchOnlyReason.TIMEOUT))
        asked(replace(made, judge=unsure))
        assert recorder.told("judge") == {
            "claims": 2,
            "delivered": 1,
            "asked": 1,
            "fault": SearchOnlyReason.TIMEOUT,
        }
        assert recorder.told("repair") == {"repaired": 1}
        assert recorder.verdicts == [
            (VerdictStatus.UNRESOLVED, Ground.NUMBERS),
            (VerdictStatus.SUPPORTED, Ground.VERBATIM),
        ]
        assert recorder.outcomes == [("Answered", None)]

    def test_have_what_the_judge_was_asked_about_passages(self) -> None:
        made, recorder = world(REVIEWED, Writer(), policy=Policy(sufficiency=0.9))
        asked(replace(made, judge=Scripted(knows=lambda query: float(query.matter is not Matter.CONTRADICTS_PREMISE))))
        assert recorder.told("route") == {"asked": 1}


class TestDrafts:
    def test_are_told_as_fresh_kept_and_shared(self) -> None:
        shared = Drafting(bulkhead=Bulkhead(1), flights=Flights(), cache=MemoryDraftCache(entries=9, max_age_s=9))
        made, recorder = world(CITED, Writer(), drafting=shared)
        asked(made)
        asked(made)
        assert recorder.drafts == ["fresh", "kept"]
        assert recorder.names.count("ask_drafter") == 1

    def test_are_told_as_shared_where_an_identical_request_has_one_under_way(self) -> None:
        async def twice() -> list[DraftSource]:
            held = Held()
            cache = MemoryDraftCache(entries=9, max_age_s=9)
            made, recorder = world(CITED, held, drafting=Drafting(bulkhead=Bulkhead(1), flights=Flights(), cache=cache))

            async def one() -> None:
                async for _ in ask(AskRequest(question="made-up-v1", principal=ANONYMOUS), made):
                    pass

            both = [asyncio.ensure_future(one()) for _ in range(2)]
            await held.at_work(1)
            await recorder.opened("draft", 2)
            held.go.set()
            await asyncio.gather(*both)
            return recorder.drafts

        assert asyncio.run(twice()) == ["fresh", "shared"]

    def test_that_find_no_place_are_told(self) -> None:
        made, recorder = world(CITED, Writer(), drafting=Drafting(bulkhead=Bulkhead(0), flights=Flights()))
        asked(made)
        assert recorder.drafts == ["saturated"]
        assert "ask_drafter" not in recorder.names


def test_a_search_tells_what_it_found() -> None:
    made, recorder = world(LICENSED)
    request = SearchRequest(text="water", rules=Rules(), case=Case(), principal=ANONYMOUS, at=NOW, limit=5)
    search(request, made.store, made.index, made.scopes, observer=recorder)
    assert recorder.steps == [("search", {"eligible": 1, "found": 1, "drift": 0})]


def test_a_review_of_pairs_tells_every_verdict_that_of_a_refused_citation_too() -> None:
    made, recorder = world(LICENSED)
    pairs = [
        ClaimPair(id="1", claim="Water is wet.", evidence="Water is wet."),
        ClaimPair(id="2", claim="Water is wet.", evidence=(Cite(source=RevisionId("B", "1"), span="s1"),)),
    ]
    asyncio.run(review_pairs(pairs, ANONYMOUS, made))
    assert sorted(recorder.verdicts) == [
        (VerdictStatus.SUPPORTED, Ground.VERBATIM),
        (VerdictStatus.UNRESOLVED, Ground.NOT_REVIEWABLE),
    ]
    assert recorder.told("judge") == {"claims": 1, "asked": 0}


def test_an_index_that_is_caught_up_tells_what_was_applied_and_how_far_it_lags() -> None:
    made, recorder = world(LICENSED)
    with made.store.curate() as session:
        session.add(revision("B", "1", "Sand is dry.\n"), descriptor(), Validity(start=NOW), NOW)
    catch_up(made.store, made.index, observer=recorder)
    embed(made.store, OverlapIndex(), observer=recorder, most=0)
    assert recorder.steps == [("index", {"passages": 1})]
    assert recorder.lags == [("words", 0, 0), ("meaning", 2, 2)]


def test_nobody_listens_by_default() -> None:
    with NO_OBSERVER.step("search") as tell:
        tell(found=1)
    NO_OBSERVER.draft("fresh")
    NO_OBSERVER.verdict(VerdictStatus.CITED, Ground.NOT_JUDGED)
    NO_OBSERVER.outcome("Answered", None)
    NO_OBSERVER.lag("words", 0, 0)
    assert parts().observer is NO_OBSERVER
