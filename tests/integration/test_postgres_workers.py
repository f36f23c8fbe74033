"""Hosts that share a server's database: each has an index of its own, and any of them may be killed at any moment."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from multiprocessing.context import ForkServerProcess
from pathlib import Path

import psycopg
import pytest

from tests.integration.workers import PATIENCE_S, elsewhere, fingerprint, ingest, start, stored
from tests.postgres import KEY
from toulmin.adapters.postgres.store import PostgresStore
from toulmin.application.ingest import FileOutcome
from toulmin.domain.errors import Conflict, Refused
from toulmin.domain.outcome import Answered
from toulmin.domain.question.case import ANONYMOUS, Principal
from toulmin.surfaces import wiring
from toulmin.surfaces.sync import Workspace
from toulmin.testing.builders import ALWAYS, NOW, descriptor, revision
from toulmin.testing.store import ingest as add

pytestmark = pytest.mark.enable_socket  # the fork server is reached over a Unix socket

HOSTS = 3
DOCUMENTS = 40
KILLS = 8
REV = Principal(id="rev", roles=("reviewer",))
OPS = Principal(id="ops", roles=("operator",))
CONTRACT = """\
id: wet-v1
query: water
facts:
  wet: {proposition: Water is wet., clause: We say wet.}
answer: {mode: licensed}
"""


def host(folder: Path, url: str, settings: str = "") -> Path:
    """A workspace on the database, with an index of its own."""
    (folder / ".toulmin").mkdir(parents=True)
    (folder / ".toulmin" / "store.key").write_bytes(KEY)
    (folder / "toulmin.toml").write_text(f'[store]\nurl = "{url}"\n{settings}')
    return folder


def write_documents(folder: Path) -> Path:
    """Documents of several passages, each of which says which one it is."""
    folder.mkdir()
    for number in range(DOCUMENTS):
        parts = "".join(f"# Part {part}\n\nguide {number} part {part}\n\n" for part in range(3))
        meta = f"id: guide-{number}, version: '1', readers: [public], valid_from: 2020-01-01"
        (folder / f"{number:02}.md").write_text(f"---\ntoulmin: {{{meta}}}\n---\n{parts}")
    return folder


def ingest_patiently(workspace: Path, documents: Path) -> list[str]:
    """Ingests file by file, in an order of its own, and again whatever another host was busy with; what became of each."""
    with Workspace.open(workspace) as place:
        waiting = [entry for entry in place.entries([documents]) if hasattr(entry, "load")]
        random.Random(workspace.name).shuffle(waiting)
        outcomes = []
        while waiting:
            (report,) = place.ingest([waiting[0]])  # type: ignore[list-item]
            if isinstance(report.fault, Conflict):
                continue
            assert report.fault is None, report.fault
            outcomes.append(str(report.outcome))
            waiting.pop(0)
        return outcomes


# Many hosts


def test_hosts_that_are_killed_at_random_lose_nothing_and_double_nothing(postgres_url: str, tmp_path: Path) -> None:
    documents = write_documents(tmp_path / "documents")
    hosts = [host(tmp_path / f"host {number}", postgres_url) for number in range(HOSTS)]
    at_work = [start(ingest_patiently, workspace, documents) for workspace in hosts]
    chance = random.Random(7)
    for _ in range(KILLS):
        time.sleep(chance.uniform(0.1, 0.4))
        number = chance.randrange(HOSTS)
        at_work[number].kill()
        at_work[number].join(PATIENCE_S)
        at_work[number] = start(ingest_patiently, hosts[number], documents)
    ended(at_work)
    expected = whole(tmp_path / "alone", documents)
    for workspace in hosts:
        assert elsewhere(seen_by, workspace) == expected
    with psycopg.connect(postgres_url) as connection:
        numbers = connection.execute("SELECT sequence FROM toulmin.change ORDER BY sequence").fetchall()
    assert numbers == [(number,) for number in range(1, DOCUMENTS + 1)], "one change a document, and no gap"


def seen_by(workspace: Path) -> tuple[str, list[str], int]:
    """The fingerprint, the revisions with the digests of their texts, and how many passages the caught-up index holds."""
    with Workspace.open(workspace) as place:
        place.catch_up()
        texts = sorted(f"{name} {kept.text_sha256} {kept.passages}" for name, (_, kept) in stored(place).items())
        with closing(wiring.open_store(place.settings)) as store, closing(wiring.open_index(place.settings)) as index:
            held = index.held(store.sample(10**6))
        return fingerprint(place), texts, len(held)


def whole(folder: Path, documents: Path) -> tuple[str, list[str], int]:
    """The same of a host that was alone, on a file of its own."""
    folder.mkdir()
    (folder / "toulmin.toml").touch()
    ingest(folder, documents)
    return seen_by(folder)


def test_hosts_that_ingest_one_document_at_the_same_moment_add_it_once(postgres_url: str, tmp_path: Path) -> None:
    documents = write_documents(tmp_path / "documents")
    hosts = [host(tmp_path / f"host {number}", postgres_url) for number in range(2)]
    with ThreadPoolExecutor() as threads:
        outcomes = list(threads.map(lambda place: elsewhere(ingest_patiently, place, documents), hosts))
    added = [outcome for each in outcomes for outcome in each if outcome == FileOutcome.INGESTED]
    unchanged = [outcome for each in outcomes for outcome in each if outcome == FileOutcome.UNCHANGED]
    assert (len(added), len(unchanged)) == (DOCUMENTS, DOCUMENTS)


def hold_the_lock(url: str, ready: Path) -> None:
    store = PostgresStore(url, KEY)
    with store.curate() as curation:
        curation.add(revision("LOST"), descriptor(), ALWAYS, NOW)
        ready.touch()
        time.sleep(PATIENCE_S)


def test_a_worker_that_dies_as_the_writer_makes_way_for_the_next_one(postgres_url: str, tmp_path: Path) -> None:
    ready = tmp_path / "ready"
    worker = start(hold_the_lock, postgres_url, ready)
    while not ready.exists():
        time.sleep(0.01)
    with closing(PostgresStore(postgres_url, KEY, busy_timeout_s=5)) as store:
        worker.kill()
        assert add(store, "NEXT").since == 1
        with store.begin(ANONYMOUS) as session:
            assert [str(standing.id) for standing in session.catalogue.standings()] == ["NEXT v1"]


# Approvals


def execute(workspace: Path, approval: str) -> str:
    """Carries an approval out, unless another host does."""
    with Workspace.open(workspace) as place:
        try:
            return place.execute(approval, principal=OPS).state.value
        except (Conflict, Refused) as fault:
            return fault.code


def request(workspace: Path) -> str:
    """Asks the question, and has the answer's operation requested and approved; the approval's id."""
    with Workspace.open(workspace) as place:
        place.catch_up()
        outcome = place.ask("wet-v1")
        assert isinstance(outcome, Answered)
        assert outcome.receipt is not None
        approval = place.request_approval(outcome.receipt.packet, "send").id
        return place.approve(approval, principal=REV).id


def test_hosts_that_execute_an_approval_at_once_do_it_once(postgres_url: str, tmp_path: Path) -> None:
    sent = tmp_path / "sent"
    settings = f'[effects.send]\nkind = "command"\nargv = ["/bin/sh", "-c", "echo done >> {sent}; sleep 0.3"]\n'
    hosts = [host(tmp_path / f"host {number}", postgres_url, settings) for number in range(HOSTS)]
    for workspace in hosts:
        (workspace / "contracts").mkdir()
        (workspace / "contracts" / "wet.yaml").write_text(CONTRACT)
    documents = tmp_path / "documents"
    documents.mkdir()
    meta = 'id: WET, version: "1", readers: [public], valid_from: 2020-01-01'
    spans = "spans: [{id: s1, fact: wet, quote: Water is wet.}]"
    (documents / "wet.md").write_text(f"---\ntoulmin: {{{meta}, {spans}}}\n---\nWater is wet.\n")
    elsewhere(ingest_patiently, hosts[0], documents)
    approval = elsewhere(request, hosts[1])
    with ThreadPoolExecutor() as threads:
        states = list(threads.map(lambda place: elsewhere(execute, place, approval), hosts))
    assert sent.read_text() == "done\n"
    assert "executed" in states


def ended(processes: Sequence[ForkServerProcess]) -> None:
    for process in processes:
        process.join(PATIENCE_S)
        assert process.exitcode == 0
