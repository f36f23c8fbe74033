"""Processes that follow a corpus, on several hosts or in one folder, any of which may be killed at any moment."""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from statistics import median

import pytest

from tests.integration.test_postgres_workers import host
from tests.integration.workers import PATIENCE_S, make_workspace, start
from tests.postgres import KEY, Server
from toulmin.adapters.postgres.store import PostgresStore
from toulmin.adapters.sqlite.store import SqliteStore
from toulmin.application.following import Follower, Pace
from toulmin.application.ledger import check_ledger
from toulmin.domain.errors import Conflict
from toulmin.ports.store import Store
from toulmin.surfaces import wiring
from toulmin.surfaces.sync import Workspace
from toulmin.testing.builders import ALWAYS, NOW, descriptor, line_passages, revision
from toulmin.testing.ledger import append, event

pytestmark = pytest.mark.enable_socket  # the fork server is reached over a Unix socket

FOLLOWERS = 3
CHANGES = 5
KILLS = 6
AT_ONCE_S = 1.0
PACE = Pace(idle_s=60, seal_s=0.05)
"""What is not heard of is not found by looking now and then; and all want to seal at the same time."""


def follow(workspace: Path, ready: Path) -> None:
    """Follows until it is killed."""
    with Workspace.open(workspace) as place:
        follower = Follower(place.parts, lambda _: None, PACE)
        follower.start()
        while not follower.state.words.whole:
            time.sleep(0.005)
        ready.touch()
        signal.pause()


@contextmanager
def followers(*workspaces: Path) -> Iterator[list[ForkServerProcess]]:
    """A process that follows in each workspace; they have caught up."""
    ready = [workspace / f"ready-{number}" for number, workspace in enumerate(workspaces)]
    processes = [start(follow, *arguments) for arguments in zip(workspaces, ready, strict=True)]
    try:
        until(lambda: all(path.exists() for path in ready))
        yield processes
    finally:
        for process in processes:
            process.kill()
            process.join(PATIENCE_S)


@contextmanager
def readers(*workspaces: Path) -> Iterator[list[Workspace]]:
    """The workspaces as one sees them who follows nothing: what is found there, others have indexed."""
    with ExitStack() as stack:
        yield [stack.enter_context(Workspace.open(workspace)) for workspace in workspaces]


def until(state: Callable[[], bool]) -> float:
    """The seconds until something that has to come is there."""
    began = time.monotonic()
    while not state():
        assert time.monotonic() - began < PATIENCE_S, "it does not come"
        time.sleep(0.005)
    return time.monotonic() - began


def add(store: Store, number: int) -> None:
    """Adds a document of several passages, with a word that no other has, and records something."""
    text = f"pump{number} stops\n" + "".join(f"valve{number} {line}\n" for line in range(20))
    while True:
        try:
            with store.curate() as curation:
                added = revision(f"D{number}", text=text, passages=line_passages(text))
                curation.add(added, descriptor(readers=("public",)), ALWAYS, NOW)
            append(store, event(number=number))
        except Conflict:  # all those who seal
            continue
        return


def is_found(place: Workspace, number: int) -> bool:
    """Whether a search finds the document."""
    return any(item.found.standing.id.document == f"D{number}" for item in place.search(f"pump{number}").items)


def all_find(places: list[Workspace], number: int) -> bool:
    """Whether a search finds the document everywhere."""
    return all(is_found(place, number) for place in places)


def check_whole(store: Store, place: Workspace) -> None:
    """Every passage is in the index once, and nothing else; the ledger is sound."""
    with closing(wiring.open_store(place.settings)) as whole, closing(wiring.open_index(place.settings)) as index:
        everything = whole.sample(10**6)
        assert index.held(everything) == frozenset(everything)
        assert index.examine().passages == len(everything)
        assert index.examine().damaged == ()
    assert check_ledger(store).whole


def test_what_one_host_commits_the_others_find_at_once(postgres_url: str, tmp_path: Path) -> None:
    hosts = [host(tmp_path / f"host {number}", postgres_url) for number in range(FOLLOWERS)]
    with closing(PostgresStore(postgres_url, KEY)) as store, followers(*hosts), readers(*hosts) as places:
        taken = []
        for number in range(CHANGES):
            add(store, number)
            taken.append(until(partial(all_find, places, number)))
    assert median(taken) < AT_ONCE_S, taken


def test_hosts_that_follow_outlive_a_restart_of_the_server(postgres: Server, postgres_url: str, tmp_path: Path) -> None:
    hosts = [host(tmp_path / f"host {number}", postgres_url) for number in range(FOLLOWERS)]
    with closing(PostgresStore(postgres_url, KEY)) as store, followers(*hosts), readers(*hosts) as places:
        add(store, 0)
        until(partial(all_find, places, 0))
        postgres.stop()
        time.sleep(0.5)
        postgres.start()
        add(store, 1)
        until(partial(all_find, places, 1))


def test_hosts_that_are_killed_while_they_follow_lose_and_double_nothing(postgres_url: str, tmp_path: Path) -> None:
    hosts = [host(tmp_path / f"host {number}", postgres_url) for number in range(FOLLOWERS)]
    with closing(PostgresStore(postgres_url, KEY)) as store:
        last = killed_at_random(store, hosts)
        with readers(*hosts) as places, followers(*hosts):
            until(partial(all_find, places, last))
        for place in places:
            check_whole(store, place)


def test_processes_in_one_folder_leave_the_index_to_one_of_them_and_take_over_when_that_is_killed(
    tmp_path: Path,
) -> None:
    workspace = make_workspace(tmp_path / "shared")
    Workspace.open(workspace).close()
    with closing(SqliteStore(workspace / ".toulmin" / "corpus.db")) as store:
        last = killed_at_random(store, [workspace] * FOLLOWERS)
        with readers(workspace) as (place,), followers(workspace):
            until(partial(is_found, place, last))
        check_whole(store, place)


def killed_at_random(store: Store, workspaces: list[Path]) -> int:
    """Adds documents while processes follow, of which now and then one is killed and another one started; the last one's number."""
    chance, number = random.Random(7), 0
    with followers(*workspaces) as processes:
        for kill in range(KILLS):
            end = time.monotonic() + chance.uniform(0.05, 0.3)
            while time.monotonic() < end:
                add(store, number)
                number += 1
            victim = chance.randrange(len(processes))
            processes[victim].kill()
            processes[victim].join(PATIENCE_S)
            processes[victim] = start(follow, workspaces[victim], workspaces[victim] / f"again-{kill}")
    return number - 1
