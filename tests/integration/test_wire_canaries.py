"""Nothing of a document that may not be used reaches a provider, the log, the cache, a packet or an error.

The corpora are those of `test_no_leaks`: documents full of canaries, of other tenants and editions, expired, future, withdrawn, deleted,
superseded and without readers. The model repeats everything that it is given, so that whatever reaches it is in its answer as well.
`--hypothesis-profile soak` tries more of them, and `script/bench soak` as many as it is given time for.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.e2e.cli import workspace
from tests.integration.test_no_leaks import CASE, CONTRACT, PRINCIPALS, Plan, Planned, carry_out, ingested, plans, told
from toulmin.adapters.memory.index import OverlapIndex
from toulmin.adapters.memory.store import MemoryStore
from toulmin.application.ask import Finished, ask
from toulmin.application.question import AskRequest
from toulmin.domain.claims.draft import Claim, DraftRequest, Segment
from toulmin.domain.corpus.document import RevisionId
from toulmin.domain.errors import NotFound
from toulmin.domain.outcome import Outcome, SearchOnly, SearchOnlyReason, UnsupportedQuestion
from toulmin.domain.question.case import Principal
from toulmin.domain.question.contract import OPEN_QUESTION, DrafterKind
from toulmin.ports.drafter import Drafted, Drafter, NotDrafted
from toulmin.surfaces import wiring
from toulmin.surfaces.settings import Settings, load
from toulmin.surfaces.sync import Workspace
from toulmin.testing.provider import Provider, completion, fails, responding
from toulmin.wire.draft import request_json
from toulmin.wire.outcome import outcome_json

SETTINGS = """\
[eligibility.default]
rules = {{ edition = "equals" }}
ignore = ["note"]
[open_question]
mode = "cited"
[drafter]
kind = "openai"
base_url = "{url}"
[cache]
entries = 100
"""
CASES = max(1_800, settings.default.max_examples if settings.default else 0)
HTTP_CASES = CASES // 9

Case = tuple[Plan, Principal, Principal]
"""What is ingested and becomes of it, who asks before that, and who after."""

CASES_TO_TRY = st.tuples(plans(), st.sampled_from(PRINCIPALS), st.sampled_from(PRINCIPALS))

Sent = Callable[[], str]


@dataclass
class Repeating:
    """A model without a wire: says each passage again, and keeps what it was sent as it would go over the wire."""

    profile: str = "repeating/1"
    on_this_host: bool = True
    sent: list[str] = field(default_factory=list)
    drafts: int = 0

    async def draft(self, request: DraftRequest) -> Drafted | NotDrafted:
        self.sent.append(request_json(request))
        self.drafts += 1
        if self.drafts % 3 == 0:  # a fault leaves its traces elsewhere than an answer does
            return NotDrafted(reason=SearchOnlyReason.PROVIDER_ERROR, detail="http_500")
        return Drafted(segments=tuple(map(_segment, json.loads(self.sent[-1])["evidence"])))


def _segment(item: Mapping[str, Any]) -> Segment:
    words = " ".join(str(value) for value in item.values()).split()
    return Segment(text=" ".join(words), evidence_ids=(item["evidence_id"],))


def repeat(question: Mapping[str, Any]) -> Mapping[str, Any]:
    """The same as an author of the provider; a licensed question's segments have a fact."""
    segments = [
        {"text": segment.text, "evidence_ids": list(segment.evidence_ids)}
        for segment in map(_segment, question["evidence"])
    ]
    more = {"fact": "stops"} if "licensed" in question else {}
    return {"segments": [segment | more for segment in segments]}


@dataclass
class Watched:
    """A cache that nothing falls out of."""

    entries: dict[str, tuple[Claim, ...]] = field(default_factory=dict)

    def get(self, key: str) -> tuple[Claim, ...] | None:
        return self.entries.get(key)

    def put(self, key: str, claims: tuple[Claim, ...]) -> None:
        self.entries[key] = claims

    def forget(self, sources: Collection[RevisionId]) -> None:
        cites = {
            key
            for key, claims in self.entries.items()
            for claim in claims
            if {c.source for c in claim.citations} & {*sources}
        }
        self.entries = {key: claims for key, claims in self.entries.items() if key not in cites}


@contextmanager
def logged() -> Iterator[StringIO]:
    """All that any logger says, at every level."""
    stream, root = StringIO(), logging.getLogger()
    handler, before = logging.StreamHandler(stream), root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        yield stream
    finally:
        root.setLevel(before)
        root.removeHandler(handler)


@dataclass(frozen=True, slots=True)
class Desk:
    """A workspace's settings, and an event loop for all questions: to make one takes longer than to answer."""

    settings: Settings
    runner: asyncio.Runner


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    with Provider(author=repeat) as started:
        yield started


@contextmanager
def at_a_desk(folder: Path, provider: Provider) -> Iterator[Desk]:
    """A workspace in an empty folder, with its drafter the provider."""
    contract = CONTRACT.replace("drafter: template", "drafter: model")
    workspace(folder, settings=SETTINGS.format(url=provider.base_url), contracts={"pump.yaml": contract})
    with asyncio.Runner() as runner:
        yield Desk(load(folder), runner)


@pytest.fixture(scope="module")
def desk(provider: Provider, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with at_a_desk(tmp_path_factory.mktemp("desk"), provider) as made:
        yield made


def drafter_of(desk: Desk) -> Drafter:
    """The drafter of the workspace, to be made once for all cases."""
    return wiring.assembled(desk.settings, MemoryStore(), OverlapIndex()).drafters[DrafterKind.MODEL]


@pytest.fixture(scope="module")
def model(desk: Desk) -> Drafter:
    return drafter_of(desk)


def before(plan: Plan) -> Plan:
    """The plan as it is before anything has become of its documents."""
    return Plan(first=tuple(replace(one, fate="live") for one in plan.first), then=())


async def asked(place: Workspace, principal: Principal) -> list[Outcome]:
    """Licensed and cited, and the latter once more: it may come from the cache."""
    questions = (
        AskRequest(question="pump", case=CASE, principal=principal),
        AskRequest(question=OPEN_QUESTION, text="the pump stops", case=CASE, principal=principal),
    )
    ends = [event for request in (*questions, questions[-1]) async for event in ask(request, place.parts)]
    return [end.outcome for end in ends if isinstance(end, Finished)]


def packet(place: Workspace, outcome: Outcome, principal: Principal) -> str:
    """Everything that a packet holds; what the refusal says where it is not for this principal."""
    assert not isinstance(outcome, UnsupportedQuestion)
    assert outcome.receipt is not None
    try:
        view = place.packet(outcome.receipt.packet, principal=principal)
    except NotFound as fault:
        return str(fault)
    return json.dumps([view.body, dict(view.texts)])


def tried(case: Case, desk: Desk, drafter: Drafter, sent: Sent) -> None:
    """Asks before and after the documents meet their fates; `sent` is what has gone to the provider since it was last called."""
    (plan, asker, reader), cache = case, Watched()
    parts = wiring.assembled(desk.settings, MemoryStore(), OverlapIndex())
    parts = replace(
        parts,
        drafters={**parts.drafters, DrafterKind.MODEL: drafter},
        drafting=replace(parts.drafting, cache=cache),
    )
    with closing(Workspace(desk.settings, parts)) as place:
        ingested(place, plan.first)
        first, may_go = searched(place, asker, before(plan), sent, desk.runner)
        carry_out(plan, place)
        _, may_go_then = searched(place, reader, plan, sent, desk.runner)
    usable = {one.canary("text") for one in before(plan).first if one.usable_by(asker)}
    assert bool(told(first)) == bool(usable), "what may be used has to go there, or the rest proves nothing"
    assert told(repr(cache.entries)) <= may_go | may_go_then, "the cache"


def searched(
    place: Workspace, principal: Principal, plan: Plan, sent: Sent, runner: asyncio.Runner
) -> tuple[str, set[str]]:
    """Asks, and looks for what the principal may not use in everything that comes of it; what was sent, and what may be used."""
    useless = plan.useless_to(principal)
    with logged() as log:
        outcomes = runner.run(asked(place, principal))
    wire = sent()
    assert not told(wire) & useless, "the provider"
    assert not told(log.getvalue()) & useless, "the log"
    for outcome in outcomes:
        assert not told(json.dumps(outcome_json(outcome))) & useless, "the outcome"
        assert not told(packet(place, outcome, principal)) & useless, "the packet"
        assert not (isinstance(outcome, SearchOnly) and told(outcome.detail or "")), "the reason"
    return wire, plan.canaries - useless


def tried_without_a_wire(case: Case, desk: Desk) -> None:
    """A case with a model in this process: what would go over the wire is looked at."""
    drafter = Repeating()

    def sent() -> str:
        wire = "".join(drafter.sent)
        drafter.sent.clear()
        return wire

    tried(case, desk, drafter, sent)


def tried_over_http(case: Case, desk: Desk, provider: Provider, model: Drafter) -> None:
    """A case with a provider: the bytes that reach it are looked at."""
    seen = len(provider.requests)

    def sent() -> str:
        nonlocal seen
        new = provider.requests[seen:]
        seen += len(new)
        return b"".join(request.raw for request in new).decode()

    tried(case, desk, model, sent)


@pytest.mark.timeout(600)  # a case takes 20 ms, and there are many
@settings(max_examples=CASES)
@given(case=CASES_TO_TRY)
def test_no_canary_of_a_document_that_may_not_be_used_gets_out(desk: Desk, case: Case) -> None:
    tried_without_a_wire(case, desk)


@settings(max_examples=HTTP_CASES)
@given(case=CASES_TO_TRY)
def test_nor_is_one_in_the_bytes_that_reach_a_provider(
    desk: Desk, provider: Provider, model: Drafter, case: Case
) -> None:
    tried_over_http(case, desk, provider, model)


class Leaking(Repeating):
    """Is given, or says, a canary of a document that may not be used."""

    def __init__(self, *, sees: bool) -> None:
        super().__init__()
        self._sees = sees

    async def draft(self, request: DraftRequest) -> Drafted | NotDrafted:
        leaked = tuple(replace(item, passage="canary009text") for item in request.evidence)
        if self._sees:
            return await super().draft(replace(request, evidence=leaked))
        await super().draft(request)
        return Drafted(segments=tuple(Segment(text=item.passage, evidence_ids=(item.id,)) for item in leaked))


@pytest.mark.parametrize(("sees", "place"), [(True, "the provider"), (False, "the outcome")])
def test_the_net_catches_a_leak(desk: Desk, sees: bool, place: str) -> None:
    first = (
        Planned(number=1, document=1, readers=("public",)),
        Planned(number=9, document=9, readers=("tenant:birch",)),
    )
    drafter = Leaking(sees=sees)
    with pytest.raises(AssertionError, match=place):
        tried((Plan(first=first, then=()), *PRINCIPALS[:2]), desk, drafter, lambda: "".join(drafter.sent))


def test_a_provider_that_repeats_what_it_was_sent_in_its_error_reaches_nobody(
    desk: Desk, provider: Provider, model: Drafter
) -> None:
    shown = "canary001text"
    provider.script(fails(401), lambda request, _: responding(completion(request.body.decode())))
    parts = wiring.assembled(desk.settings, MemoryStore(), OverlapIndex())
    parts = replace(parts, drafters={DrafterKind.MODEL: model})
    with closing(Workspace(desk.settings, parts)) as place:
        ingested(place, [Planned(number=1, document=1, readers=("public",))])
        for _ in range(2):
            outcome = place.ask_text("the pump stops", case=CASE)
            assert isinstance(outcome, SearchOnly)
            body = json.loads(packet(place, outcome, PRINCIPALS[0]))[0]
            assert shown not in json.dumps([body["trace"], body["outcome"], outcome.detail])
    assert shown in provider.received.decode()
    provider.script()
