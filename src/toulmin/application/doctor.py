"""Doctor: looks at a workspace from all sides, and says what is wrong and what to do about it.

Nothing that is stored is changed, and a part that cannot be opened does not hide the others.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass

from toulmin.application import health
from toulmin.application.checking import check_contracts
from toulmin.application.health import Check, Which
from toulmin.application.ledger import check_ledger
from toulmin.application.parts import Parts
from toulmin.application.probe import probe
from toulmin.application.trial import trial
from toulmin.domain.errors import ToulminError
from toulmin.domain.policy import Policy
from toulmin.domain.question.case import Principal
from toulmin.ports.drafter import Drafter
from toulmin.ports.health import ExaminedIndex, ExaminedStore, Holding
from toulmin.ports.judge import Judge, Worth
from toulmin.ports.signer import Signer

SAMPLE = 200
"""Passages that are looked up in the other one, each way, of store and index."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """A drafter that is no model: it is part of every version, and there is nothing to try."""

    name: str
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """A model that drafts, whether a person approved that documents go to it, and whether it may be asked."""

    drafter: Drafter
    approved: bool
    ask: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """A judge, whether a person approved that documents go to it, and whether it may be asked. None: the oracles alone.

    `worth`: what it was measured to be worth, where that is known.
    """

    judge: Judge | None
    approved: bool = False
    ask: bool = True
    worth: Worth | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Patient:
    """What is looked at. A part is opened by the check that needs it, and may raise any fault; `parts` are those around both others.

    Where `model` is None, there is nothing to look at that is not among the engines.
    """

    store: Callable[[], ExaminedStore]
    index: Callable[[], ExaminedIndex]
    meaning: Callable[[], ExaminedIndex | None]
    policy: Callable[[], Policy]
    parts: Callable[[ExaminedStore, ExaminedIndex], Parts]
    model: Callable[[], Model] | None
    bench: Callable[[], Bench]
    engines: tuple[Engine, ...]
    free_bytes: Callable[[], int]
    signer: Callable[[], Signer | None]


def diagnose(patient: Patient, principal: Principal) -> tuple[Check, ...]:
    """All checks, in a fixed order. Contracts are judged as the principal sees the corpus, everything else whoever may read it."""
    return (
        *_of_corpus(patient, principal),
        *_tried("policy", lambda: iter([health.policy(patient.policy())])),
        *_tried("drafter", lambda: _of_model(patient)),
        *(health.engine(e.name, e.kind) for e in patient.engines),
        *_tried("judge", lambda: _of_bench(patient)),
        *_tried("signing", lambda: iter([_of_signer(patient)])),
        health.disk(patient.free_bytes()),
    )


def _of_corpus(patient: Patient, principal: Principal) -> Iterator[Check]:
    try:
        store = patient.store()
    except ToulminError as fault:
        yield health.broken("store", fault)
        return
    with closing(store), closing(patient.index()) as index:
        yield from _tried("store", lambda: _of_store(store))
        yield from _tried("index", lambda: _of_index(store, index, health.INDEX))
        yield from _tried("vectors", lambda: _of_vectors(store, patient))
        yield from _tried("contracts", lambda: _of_contracts(patient.parts(store, index), principal))


def _of_store(store: ExaminedStore) -> Iterator[Check]:
    report = store.examine()
    yield health.store_files(report)
    yield health.documents(report)
    yield health.scopes(report)
    yield health.erasures(report)
    yield health.drafts(report)
    yield health.judgements(report)
    yield health.ledger(check_ledger(store))


def _of_vectors(store: ExaminedStore, patient: Patient) -> Iterator[Check]:
    meaning = patient.meaning()
    if meaning is not None:
        with closing(meaning):
            yield health.embedder(meaning.profile)
            yield from _of_index(store, meaning, health.VECTORS)


def _of_index(store: ExaminedStore, index: ExaminedIndex, which: Which) -> Iterator[Check]:
    report, snapshot = index.examine(), index.snapshot()
    outlook = store.outlook(snapshot.sequence)
    yield health.index_files(report, which)
    yield health.lag(snapshot.sequence, snapshot.mark, outlook, which)
    if (snapshot.sequence, snapshot.mark) == (outlook.sequence, outlook.mark):  # else a difference means nothing
        stored = store.outlook(0).passages
        strays, gaps = _lacking(index, store), _lacking(store, index)
        yield health.drift(stored, report.passages, strays=strays, gaps=gaps, which=which)


def _lacking(these: Holding, others: Holding) -> int:
    """How many of a sample of these passages the others do not hold."""
    sample = these.sample(SAMPLE)
    return len(sample) - len(others.held(sample)) if sample else 0


def _of_contracts(parts: Parts, principal: Principal) -> Iterator[Check]:
    findings = check_contracts(principal, parts.clock.now(), parts)
    yield health.contracts(len(parts.contracts.all()), findings, principal.id)


def _of_model(patient: Patient) -> Iterator[Check]:
    if patient.model is None:
        return
    model = patient.model()
    drafter = model.drafter
    may_leave = drafter.on_this_host or model.approved
    if model.ask and may_leave:
        yield health.model(drafter.profile, asyncio.run(probe(drafter, patient.policy())))
    else:
        yield health.silent_model("drafter", drafter.profile, may_leave=may_leave)


def _of_bench(patient: Patient) -> Iterator[Check]:
    bench = patient.bench()
    judge = bench.judge
    if judge is None:
        yield health.no_judge()
        return
    may_leave = judge.on_this_host or bench.approved
    if bench.ask and may_leave:
        yield health.judge(judge.profile, asyncio.run(trial(judge)), patient.policy(), bench.worth)
    else:
        yield health.silent_model("judge", judge.profile, may_leave=may_leave)


def _of_signer(patient: Patient) -> Check:
    signer = patient.signer()
    return health.signing(signer.key_id if signer else None)


def _tried(name: str, look: Callable[[], Iterator[Check]]) -> Iterator[Check]:
    """The checks up to the first fault, and that fault as a check."""
    try:
        yield from look()
    except ToulminError as fault:
        yield health.broken(name, fault)
