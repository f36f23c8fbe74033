from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import combinations, permutations

from hypothesis import given
from hypothesis import strategies as st

from tests.unit.making import standing
from toulmin.domain.corpus.curation import Accepted, Entry, Incoming, decide, in_force
from toulmin.domain.corpus.document import RevisionId, Standing, Status
from toulmin.domain.corpus.validity import Validity
from toulmin.testing.builders import NOW, descriptor

DAYS = 8


def day(number: int) -> datetime:
    return NOW + timedelta(days=number)


@dataclass(frozen=True)
class Step:
    """One thing that happens to a document: a version is ingested with this descriptor, or withdrawn."""

    version: str
    scope: str = "G2"
    start: int | None = None
    length: int | None = None
    supersedes: tuple[str, ...] | None = None
    withdraw: bool = False


VERSIONS = st.sampled_from(["1", "2", "3", "4"])
STARTS = st.none() | st.integers(0, DAYS)
LENGTHS = st.none() | st.integers(1, DAYS)
SCOPES = st.sampled_from(["G2", "G3"])
SILENT = st.builds(Step, version=VERSIONS, scope=SCOPES, start=STARTS, length=LENGTHS, withdraw=st.booleans())
NAMING = st.builds(
    Step,
    version=VERSIONS,
    start=STARTS,
    length=LENGTHS,
    supersedes=st.none() | st.lists(VERSIONS, max_size=2).map(tuple),
)


def applied(step: Step, at: int, history: list[Standing]) -> list[Standing]:
    """The history after a step; a refused one changes nothing."""
    if step.withdraw:
        return [replace(s, status=Status.WITHDRAWN) if s.id.version == step.version else s for s in history]
    end = None if step.length is None else (step.start or 0) + step.length
    described = descriptor(
        scope={"model": step.scope},
        valid_from=None if step.start is None else day(step.start),
        valid_to=None if end is None else day(end),
        supersedes=step.supersedes,
    )
    rid = RevisionId("DOC", step.version)
    decision = decide(Incoming(id=rid, bytes_sha256=standing().bytes_sha256, descriptor=described, at=day(at)), history)
    if not isinstance(decision, Accepted):
        return history
    now = dict(decision.changed)
    if decision.redescribed is not None:
        now[decision.redescribed] = decision.own
    after = [
        replace(s, validity=now[s.key].validity, superseded=bool(now[s.key].superseded_by)) if s.key in now else s
        for s in history
    ]
    if decision.redescribed is not None:
        return [replace(s, descriptor=described) if s.id == rid else s for s in after]
    own = decision.own
    new = standing("DOC", step.version, described, key=len(history) + 1, validity=own.validity, ingested_at=day(at))
    return [*after, replace(new, superseded=bool(own.superseded_by))]


def told(steps: Sequence[Step]) -> list[Standing]:
    """The history of one document after these steps, one a day."""
    history: list[Standing] = []
    for at, step in enumerate(steps):
        history = applied(step, at, history)
    return history


def live(history: Sequence[Standing]) -> list[Standing]:
    return [s for s in history if s.status is Status.LIVE]


@given(st.lists(SILENT, max_size=8))
def test_one_revision_of_a_scope_is_in_force_at_a_time(steps: list[Step]) -> None:
    for one, other in combinations(live(told(steps)), 2):
        if one.descriptor.scope == other.descriptor.scope:
            assert not one.validity.overlaps(other.validity)


@given(st.lists(NAMING, max_size=8))
def test_two_revisions_of_a_scope_are_in_force_together_only_where_one_says_what_it_supersedes(
    steps: list[Step],
) -> None:
    for one, other in combinations(live(told(steps)), 2):
        if one.descriptor.supersedes is None and other.descriptor.supersedes is None:
            assert not one.validity.overlaps(other.validity)


@given(st.lists(NAMING, max_size=8))
def test_what_is_kept_always_equals_what_the_history_says(steps: list[Step]) -> None:
    history = told([replace(step, withdraw=False) for step in steps])
    entries = [Entry(version=s.id.version, descriptor=s.descriptor, ingested_at=s.ingested_at) for s in history]
    derived = [(now.validity, bool(now.superseded_by)) for now in in_force(entries)]
    assert [(s.validity, s.superseded) for s in history] == derived


@given(st.lists(SILENT, max_size=8), SILENT, st.integers(0, DAYS))
def test_a_repeated_step_changes_nothing(steps: list[Step], last: Step, start: int) -> None:
    repeated = replace(last, start=start)
    history = told([*steps, repeated])
    assert applied(repeated, len(steps) + 2, history) == history


@given(st.lists(st.integers(0, DAYS), min_size=1, max_size=4, unique=True), st.data())
def test_the_order_of_ingest_does_not_matter_where_all_starts_are_stated(
    starts: list[int], data: st.DataObject
) -> None:
    steps = [
        Step(version=str(number), start=start, length=data.draw(LENGTHS))
        for number, start in enumerate(starts, start=1)
    ]
    pictures: list[dict[str, Validity]] = []
    for order in permutations(steps):
        history = told(order)
        if len(history) == len(steps):
            pictures.append({s.id.version: s.validity for s in history})
    assert pictures, "in the order of their starts all are accepted"
    assert all(picture == pictures[0] for picture in pictures)
