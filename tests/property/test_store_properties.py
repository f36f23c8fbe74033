"""Stores, one promise: whatever is done to a store in memory and to one in a database, both tell the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from itertools import count
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from tests.postgres import KEY, Server
from toulmin.adapters.memory.store import MemoryStore
from toulmin.adapters.postgres.store import PostgresStore
from toulmin.adapters.sqlite.store import SqliteStore
from toulmin.domain.corpus.document import Descriptor, Passage, Revision, RevisionId, Span, Status
from toulmin.domain.corpus.validity import Validity
from toulmin.domain.errors import ToulminError
from toulmin.domain.proof.fingerprint import fingerprint_of
from toulmin.domain.proof.packet import Packet
from toulmin.domain.question.case import ANONYMOUS, Principal
from toulmin.domain.question.eligibility import Filter
from toulmin.ports.store import CurationSession, PassageKey, Store
from toulmin.testing.builders import NOW, descriptor, packet, revision

PRINCIPALS = (
    ANONYMOUS,
    Principal(id="ann", tenant="a", groups=("ops", "dev")),
    Principal(id="ben", tenant="b", groups=("ops",)),
    Principal(id="gone", tenant="a", groups=("ops",), active=False),
)
TOKENS = ("public", "tenant:a", "tenant:b", "group:a/ops", "group:b/ops", "group:a/dev")
KEYS = range(9)
"""More than a run adds, and 0, which is no key."""

Operation = Callable[[CurationSession], object]

keys = st.sampled_from(KEYS)
documents = st.sampled_from(("A", "B"))
versions = st.sampled_from(("1", "2", "10"))
moments = st.integers(-2, 2).map(lambda days: NOW + timedelta(days=days))
validities = st.builds(Validity, start=moments, end=st.none() | moments)
texts = st.text(alphabet="aä𝄞\0\n ", max_size=12)


@st.composite
def descriptors(draw: st.DrawFn) -> Descriptor:
    return descriptor(
        title=draw(st.none() | st.just("Größe")),
        scope=draw(st.dictionaries(st.sampled_from(("model", "firmware")), st.sampled_from(("G1", ">=2,<3", "*")))),
        readers=draw(st.sets(st.sampled_from(TOKENS), max_size=2)),
        valid_from=draw(st.none() | moments),
        supersedes=draw(st.none() | st.just(()) | st.just(("2", "1"))),
        spans=draw(st.just(()) | st.just((Span(start=1, end=2, id="s2"), Span(start=0, end=1, id="s1", fact="f")))),
    )


@st.composite
def revisions(draw: st.DrawFn) -> Revision:
    text = draw(texts)
    places = st.integers(0, len(text))
    spans = draw(st.lists(st.tuples(places, places).map(sorted), max_size=3))
    passages = [Passage(start=start, end=end, heading=("Kapitel ä",) * start) for start, end in spans]
    return revision(draw(documents), draw(versions), text, passages=passages)


@st.composite
def operations(draw: st.DrawFn) -> Operation:
    """One change, as a function that does it in a session."""
    described, validity = draw(descriptors()), draw(validities)
    kind = draw(st.sampled_from(("add", "add", "add", "replace", "replace", "retire")))
    if kind == "add":
        added = draw(revisions())
        return lambda session: session.add(added, described, validity, NOW)
    key = draw(keys)
    if kind == "replace":
        superseded = draw(st.booleans())
        return lambda session: session.replace(key, described, validity, superseded=superseded)
    status = draw(st.sampled_from(Status))
    return lambda session: session.retire(key, status)


@st.composite
def packets(draw: st.DrawFn) -> Packet:
    sources = draw(st.lists(st.builds(RevisionId, documents, versions), max_size=2))
    return packet(*sources, requester=draw(st.sampled_from(PRINCIPALS)), texts=draw(st.lists(texts, max_size=2)))


class _Abandoned(Exception):
    """Raised inside a session to leave it."""


class TwoStores(RuleBasedStateMachine):
    """Does the same to both stores, and compares all that they tell after every step."""

    def __init__(self, database: Store) -> None:
        super().__init__()
        self._memory = MemoryStore()
        self._database = database
        self._made: list[str] = []

    def teardown(self) -> None:
        self._database.close()

    @rule(doings=st.lists(operations(), min_size=1, max_size=4), abandoned=st.booleans())
    def curate(self, doings: Sequence[Operation], abandoned: bool) -> None:
        self._same(lambda store: _curated(store, doings, abandoned=abandoned))

    @rule(made=packets(), principal=st.sampled_from(PRINCIPALS), abandoned=st.booleans())
    def keep(self, made: Packet, principal: Principal, abandoned: bool) -> None:
        self._made.append(made.id)
        self._same(lambda store: _kept(store, made, principal, abandoned=abandoned))

    @rule(after=st.integers(0, 6), limit=st.integers(1, 6))
    def tell_changes(self, after: int, limit: int) -> None:
        self._same(lambda store: store.changes(after, limit))

    @rule(
        principal=st.sampled_from(PRINCIPALS),
        scopes=st.frozensets(st.integers(0, 5)),
        readers=st.frozensets(st.sampled_from(TOKENS)),
        at=moments,
    )
    def count(self, principal: Principal, scopes: frozenset[int], readers: frozenset[str], at: datetime) -> None:
        self._same(lambda store: _eligible(store, principal, Filter(scopes=scopes, readers=readers, at=at)))

    @invariant()
    def tell_the_same(self) -> None:
        for principal in PRINCIPALS:
            self._same(partial(_told, principal=principal, made=self._made))

    @invariant()
    def keep_the_fingerprint(self) -> None:
        changes = self._database.changes(0, limit=1000).changes
        with self._database.begin(ANONYMOUS) as session:
            kept = session.corpus.fingerprint()
        assert kept == fingerprint_of(change.standing for change in changes if change.standing)

    def _same(self, ask: Callable[[Store], object]) -> None:
        assert ask(self._memory) == ask(self._database)


def _curated(store: Store, doings: Sequence[Operation], *, abandoned: bool) -> list[object]:
    """What each operation gave: its value, or the code of its fault."""
    results: list[object] = []
    with suppress(_Abandoned), store.curate() as session:
        results += [_result(partial(doing, session)) for doing in doings]
        results += [session.history(document) for document in ("A", "B")]
        if abandoned:
            raise _Abandoned
    return results


def _kept(store: Store, made: Packet, principal: Principal, *, abandoned: bool) -> object:
    with suppress(_Abandoned), store.begin(principal, write=True) as session:
        session.packets.add(made)
        shown = session.packets.get(made.id)
        if abandoned:
            raise _Abandoned
    return shown


def _told(store: Store, principal: Principal, made: Iterable[str]) -> object:
    with store.begin(principal) as session:
        corpus, catalogue = session.corpus, session.catalogue
        passages = [PassageKey(key, ordinal) for key in KEYS for ordinal in range(-1, 4)]
        return (
            corpus.sequence(),
            corpus.fingerprint(),
            [corpus.scopes(after) for after in range(4)],
            [corpus.candidates(passages, at) for at in range(corpus.sequence() + 2)],
            [list(catalogue.standings(document)) for document in (None, "A", "B", "C")],
            [catalogue.revision(key) for key in KEYS],
            [session.packets.get(packet_id) for packet_id in made],
        )


def _eligible(store: Store, principal: Principal, wanted: Filter) -> int:
    with store.begin(principal) as session:
        return session.corpus.eligible(wanted).documents


def _result(do: Callable[[], object]) -> object:
    try:
        return do()
    except ToulminError as fault:
        return type(fault), fault.code, fault.message


FEW = settings(max_examples=25, stateful_step_count=12)


def test_memory_and_sqlite_tell_the_same(tmp_path: Path) -> None:
    numbers = count()

    class Stores(TwoStores):
        def __init__(self) -> None:
            super().__init__(SqliteStore(tmp_path / f"{next(numbers)}.db"))

    run_state_machine_as_test(Stores, settings=FEW)


def test_memory_and_postgres_tell_the_same(postgres: Server) -> None:
    class Stores(TwoStores):
        def __init__(self) -> None:
            super().__init__(PostgresStore(postgres.empty_store(), KEY))

    run_state_machine_as_test(Stores, settings=FEW)
