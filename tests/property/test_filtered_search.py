"""Eligibility before ranking, on random rules, scopes, principals, dates and corpora.

What is right is told by a twin: an index of the same texts, changed in the same steps, whose documents everybody may read everywhere and
always. Its ranking has the same statistics, and the evaluator says which of its rows may stay.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toulmin.adapters.memory.embedder import WordsEmbedder
from toulmin.adapters.memory.index import OverlapIndex
from toulmin.adapters.tantivy.index import TantivyIndex
from toulmin.adapters.vectors.index import VectorIndex
from toulmin.domain.corpus.document import Standing, Status
from toulmin.domain.corpus.readers import PUBLIC, group_token, tenant_token
from toulmin.domain.corpus.scope import ANY, AttributeValue, Scope
from toulmin.domain.corpus.validity import Validity
from toulmin.domain.question.case import Case, Kind, Principal, Value
from toulmin.domain.question.eligibility import Filter, Rule, RuleName, Rules, eligible_scopes, judge_standing
from toulmin.ports.index import Hit, PassageIndex
from toulmin.ports.store import Change
from toulmin.testing.builders import descriptor
from toulmin.testing.index import best, change, changes

DAYS = [datetime(2026, 1, day, tzinfo=UTC) for day in range(1, 5)]
ALWAYS = Validity(start=DAYS[0] - timedelta(days=1))
EVERYTHING = Filter(scopes=frozenset({1}), readers=frozenset({PUBLIC}), at=DAYS[0])

WORDS = ["gateway", "telemetry", "audit", "hold", "rollback", "SESSION_COOKIE_DOMAIN", "cookie", "the"]
STATED: Mapping[str, Sequence[AttributeValue]] = {
    "model": [ANY, "G1", "G2", ("G1", "G2")],
    "firmware": [ANY, "2.4.1", ">=2.4,<2.5", ("<2", ">=3"), "unreadable!"],
    "region": [ANY, "EU", ("EU", "US")],
    "level": [ANY, "low", "high", "unknown"],
    "colour": [ANY, "red"],  # judged by no rule
}
RULES = {
    "model": Rule(name=RuleName.EQUALS),
    "firmware": Rule(name=RuleName.VERSION_IN),
    "region": Rule(name=RuleName.ONE_OF),
    "level": Rule(name=RuleName.AT_LEAST, levels=("low", "high")),
}
GIVEN = {
    "model": [Value(Kind.STRING, model) for model in ("G1", "G2")],
    "firmware": [Value(Kind.VERSION, version) for version in ("1.0", "2.4.1", "3.0")],
    "region": [Value(Kind.STRING, region) for region in ("EU", "US")],
    "level": [Value(Kind.STRING, level) for level in ("low", "high")],
}
TENANTS = ("acme", "birch")
TOKENS = [PUBLIC, *map(tenant_token, TENANTS), *(group_token(tenant, "ops") for tenant in TENANTS)]
AUDIENCES = [set(tokens) for size in range(3) for tokens in combinations(TOKENS, size)]

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Who asks what, about which case, as of when."""

    text: str
    rules: Rules
    case: Case
    principal: Principal
    at: datetime


def mostly_all(names: Mapping[str, object]) -> st.SearchStrategy[frozenset[str]]:
    """Some of the names; all of them in half of the cases, since a document is eligible only when nothing speaks against it."""
    everything = frozenset(names)
    return st.just(everything) | st.frozensets(st.sampled_from(sorted(names)))


def chosen(values: Mapping[str, Sequence[T]], sizes: Sequence[int]) -> st.SearchStrategy[dict[str, T]]:
    """So many of the names, with one of its values for each."""
    return (
        st.sampled_from(sizes)
        .flatmap(lambda size: st.sets(st.sampled_from(sorted(values)), min_size=size, max_size=size))
        .flatmap(lambda names: st.fixed_dictionaries({name: st.sampled_from(values[name]) for name in sorted(names)}))
    )


def scopes() -> st.SearchStrategy[Scope]:
    return chosen(STATED, [0, 1, 1, 2, 2, 3]).map(Scope.of)


def texts() -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)


@st.composite
def standings(draw: st.DrawFn, key: int, scope: Scope) -> Standing:
    built = change(key).standing
    assert built is not None
    start, end = draw(st.sampled_from([*DAYS[:1] * 3, *DAYS])), draw(st.sampled_from([*[None] * 4, *DAYS]))
    return replace(
        built,
        descriptor=replace(descriptor(readers=draw(st.sampled_from([{PUBLIC}, *AUDIENCES]))), scope=scope),
        validity=Validity(start=start, end=end),
        status=draw(st.sampled_from([*[Status.LIVE] * 8, Status.WITHDRAWN, Status.DELETED])),
    )


@st.composite
def histories(draw: st.DrawFn) -> tuple[Mapping[int, Scope], Sequence[Sequence[tuple[Change, Standing]]]]:
    """Interned scopes by key, and one or two steps of changes with the standing of each; a second step may replace revisions."""
    interned = dict(enumerate(draw(st.lists(scopes(), min_size=1, max_size=5, unique=True)), start=1))
    steps = []
    for _ in range(draw(st.integers(1, 2))):
        step = []
        for key in sorted(draw(st.sets(st.integers(1, 16), min_size=1))):
            scope = draw(st.sampled_from(sorted(interned)))
            standing = draw(standings(key, interned[scope]))
            live = standing.status is Status.LIVE
            passages = change(key, *draw(st.lists(texts(), min_size=1, max_size=3))).passages if live else ()
            changed = Change(revision=key, standing=standing if live else None, scope=scope, passages=passages)
            step.append((changed, standing))
        steps.append(step)
    return interned, steps


@st.composite
def questions(draw: st.DrawFn) -> Question:
    ruled = draw(mostly_all(RULES))
    tenant = draw(st.sampled_from([None, *TENANTS]))
    return Question(
        text=draw(texts()),
        rules=Rules(
            rules=tuple((name, RULES[name]) for name in sorted(ruled)),
            missing=draw(mostly_all(RULES)),
            ignore=draw(st.sampled_from([frozenset(), frozenset({"colour"}), frozenset({"model", "colour"})])),
        ),
        case=Case.of(draw(chosen(GIVEN, [4, 4, 3, 2]))),
        principal=Principal(
            id="someone",
            tenant=tenant,
            groups=("ops",) if tenant and draw(st.booleans()) else (),
            active=draw(st.integers(0, 9)) > 0,
        ),
        at=draw(st.sampled_from(DAYS)) + draw(st.sampled_from([timedelta(), timedelta(microseconds=-1)])),
    )


def open_to_all(changed: Change) -> Change:
    """The same texts, in scope 1, readable by everybody and always in force."""
    if changed.standing is None:
        return changed
    return change(changed.revision, *(text for _, text in changed.passages), validity=ALWAYS)


def admitted(asked: Question, standing: Standing) -> bool:
    """Whether the evaluator allows a revision, and the principal may read it."""
    may_read = not asked.principal.tokens.isdisjoint(standing.descriptor.readers)
    return may_read and not judge_standing(asked.rules, asked.case, standing, asked.at)


class VectorsForAWhile(VectorIndex):
    """An index by meaning whose folder goes when it is closed."""

    def __init__(self) -> None:
        self._place = TemporaryDirectory()
        super().__init__(Path(self._place.name), WordsEmbedder(dimension=256))

    def close(self) -> None:
        super().close()
        self._place.cleanup()


@pytest.mark.parametrize("new_index", [OverlapIndex, TantivyIndex, VectorsForAWhile])
@given(history=histories(), asked=questions())
def test_a_filtered_search_is_the_exact_ranking_of_what_the_evaluator_allows(
    new_index: Callable[[], PassageIndex],
    history: tuple[Mapping[int, Scope], Sequence[Sequence[tuple[Change, Standing]]]],
    asked: Question,
) -> None:
    interned, steps = history
    current = {changed.revision: standing for step in steps for changed, standing in step}
    wanted = Filter(
        scopes=eligible_scopes(asked.rules, asked.case, interned.items()), readers=asked.principal.tokens, at=asked.at
    )
    with closing(new_index()) as index, closing(new_index()) as twin:
        for sequence, step in enumerate(steps, start=1):
            index.apply(changes(sequence, *(changed for changed, _ in step)))
            twin.apply(changes(sequence, *(open_to_all(changed) for changed, _ in step)))
        snapshot, everything = index.snapshot(), twin.snapshot().search(asked.text, EVERYTHING, 1000)
        allowed = [hit for hit in everything.hits if admitted(asked, current[hit.key.revision])]
        shorter: tuple[Hit, ...] = ()
        for limit in range(1, len(allowed) + 2):
            found = snapshot.search(asked.text, wanted, limit)
            assert found.hits == (best(allowed, limit) if allowed else ())
            assert found.exhausted == (len(found.hits) == len(allowed))
            assert found.hits[: len(shorter)] == shorter
            shorter = found.hits
