"""The contract of a drafter: a test suite that every `Drafter` passes.

```python
class TestMyDrafter(DrafterContract):
    @pytest.fixture
    def drafter(self) -> Drafter:
        return MyDrafter()
```

What a drafter writes is a candidate: the suite asks of a drafter that does its best, with evidence that answers the question, that
structural validation takes it. A drafter that no request of the suite makes write anything passes the rest.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from copy import deepcopy

import pytest

from toulmin.domain.claims.draft import (
    Citation,
    Claim,
    DraftRequest,
    EvidenceItem,
    LicensedClause,
    issue_ids,
    validate,
)
from toulmin.domain.corpus.document import RevisionId
from toulmin.domain.outcome import SearchOnlyReason
from toulmin.domain.policy import Policy
from toulmin.ports.drafter import Drafted, Drafter, NotDrafted

CLAUSES = {"capacity": "The tank holds 40 l.", "pressure": "The valve opens at 3 bar."}
"""Sentences by the fact that they state."""


def evidence(*passages: str) -> tuple[EvidenceItem, ...]:
    """One piece of evidence a passage, under the ids that a request of this size issues."""
    ids = issue_ids(len(passages))
    return tuple(
        EvidenceItem(id=name, passage=passage, title="Manual", author=None, section=(), pages=(), version="1")
        for name, passage in zip(ids, passages, strict=True)
    )


def open_request(*passages: str, question: str = "What holds the tank, and when opens the valve?") -> DraftRequest:
    """A request without licensed clauses; without passages it has those of `CLAUSES`."""
    return DraftRequest(question=question, case={}, evidence=evidence(*(passages or CLAUSES.values())))


def licensed_request() -> DraftRequest:
    """A request with one licensed clause a fact, each with its witness."""
    items = evidence(*CLAUSES.values())
    licensed = tuple(
        LicensedClause(fact=fact, clause=clause, evidence_id=item.id)
        for (fact, clause), item in zip(CLAUSES.items(), items, strict=True)
    )
    return DraftRequest(question="What is known?", case={"model": "G2"}, evidence=items, licensed=licensed)


def issued(request: DraftRequest) -> dict[str, Citation]:
    """What the ids of a request stand for."""
    return {item.id: Citation(source=RevisionId("MANUAL", item.version), span=item.id) for item in request.evidence}


def sound(request: DraftRequest, result: Drafted | NotDrafted) -> tuple[Claim, ...]:
    """The claims of a draft that validation takes."""
    assert isinstance(result, Drafted), result
    claims = validate(result.segments, issued(request), Policy())
    assert isinstance(claims, tuple), claims
    return claims


class DrafterContract:
    """What every drafter does."""

    @pytest.fixture
    def drafter(self) -> Drafter:
        """The drafter under test."""
        raise NotImplementedError("give the suite a drafter")

    @pytest.fixture(params=[licensed_request, open_request], ids=["licensed", "open"])
    def drafting(self, request: pytest.FixtureRequest) -> DraftRequest:
        """A request of each kind."""
        make: Callable[[], DraftRequest] = request.param
        return make()

    def test_its_profile_is_one_line_and_stays_the_same(self, drafter: Drafter) -> None:
        assert drafter.profile.strip()
        assert drafter.profile.isprintable()
        before = drafter.profile
        asyncio.run(drafter.draft(licensed_request()))
        assert drafter.profile == before

    def test_its_drafts_are_sound_and_every_other_ending_is_a_value(
        self, drafter: Drafter, drafting: DraftRequest
    ) -> None:
        result = asyncio.run(drafter.draft(drafting))
        if isinstance(result, Drafted):
            assert sound(drafting, result)
        else:
            assert isinstance(result.reason, SearchOnlyReason)

    def test_a_licensed_draft_says_clauses_with_their_facts_and_witnesses(self, drafter: Drafter) -> None:
        request = licensed_request()
        assert request.licensed is not None
        result = asyncio.run(drafter.draft(request))
        allowed = {(item.fact, item.clause, (item.evidence_id,)) for item in request.licensed}
        assert sound(request, result)
        assert isinstance(result, Drafted)
        assert {(s.fact, s.text, s.evidence_ids) for s in result.segments} <= allowed

    def test_its_usage_counts_up_from_nothing(self, drafter: Drafter, drafting: DraftRequest) -> None:
        usage = asyncio.run(drafter.draft(drafting)).usage
        assert usage.calls >= 0
        assert usage.seconds >= 0
        assert (usage.prompt_tokens or 0) >= 0
        assert (usage.completion_tokens or 0) >= 0

    def test_a_request_is_left_as_it_was(self, drafter: Drafter, drafting: DraftRequest) -> None:
        before = deepcopy(drafting)
        asyncio.run(drafter.draft(drafting))
        assert drafting == before

    def test_a_request_with_nothing_licensed_ends_in_a_value(self, drafter: Drafter) -> None:
        nothing = DraftRequest(question="What is known?", case={}, evidence=evidence("A."), licensed=())
        result = asyncio.run(drafter.draft(nothing))
        assert isinstance(result, NotDrafted) or not result.segments

    def test_drafts_that_are_written_at_once_do_not_mix(self, drafter: Drafter) -> None:
        requests = [licensed_request(), *(open_request(*["A."] * count) for count in (1, 2, 12))]

        async def all_at_once() -> list[Drafted | NotDrafted]:
            return await asyncio.gather(*map(drafter.draft, requests))

        for request, result in zip(requests, asyncio.run(all_at_once()), strict=True):
            assert isinstance(result, NotDrafted) or sound(request, result)

    def test_it_serves_one_event_loop_after_another(self, drafter: Drafter) -> None:
        for _ in range(3):
            assert sound(licensed_request(), asyncio.run(drafter.draft(licensed_request())))

    def test_cancellation_passes_through(self, drafter: Drafter, drafting: DraftRequest) -> None:
        async def cancelled() -> bool:
            task = asyncio.ensure_future(drafter.draft(drafting))
            await asyncio.sleep(0)
            was_at_work = task.cancel()
            try:
                await task
            except asyncio.CancelledError:
                return was_at_work
            return not was_at_work

        assert asyncio.run(cancelled()), "a draft that was cancelled while it was written must not end in a value"
