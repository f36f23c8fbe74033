"""Approvals across processes: whatever is killed, and whoever is at it at once, an operation is carried out at most once."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest

from tests.e2e.cli import workspace as write_workspace
from tests.integration.workers import PATIENCE_S, elsewhere, start
from toulmin.domain.errors import Conflict, Refused
from toulmin.domain.outcome import Answered
from toulmin.domain.question.case import Principal
from toulmin.ports.store import Session, Store
from toulmin.surfaces import wiring
from toulmin.surfaces.sync import Workspace

pytestmark = pytest.mark.enable_socket  # the fork server is reached over a Unix socket

REV = Principal(id="rev", roles=("reviewer",))
OPS = Principal(id="ops", roles=("operator",))
SETTINGS = """\
[effects.send]
kind = "command"
argv = ["./send"]
[effects.slowly]
kind = "command"
argv = ["./slowly"]
"""
CONTRACT = """\
id: wet-v1
query: water
facts:
  wet: {proposition: Water is wet., clause: We say wet.}
answer: {mode: licensed}
"""
DOCUMENT = """\
---
toulmin:
  {id: WET, version: "1", readers: [public], valid_from: 2020-01-01, spans: [{id: s1, fact: wet, quote: Water is wet.}]}
---
Water is wet.
"""
SEND = "#!/bin/sh\nhead -c 0; echo done >> sent\n"
SLOWLY = "#!/bin/sh\ntouch begun; sleep 20; echo done >> sent\n"


class Dying:
    """A store whose process is killed at one moment of its write transactions: before one begins, before it commits, after it did."""

    def __init__(self, store: Store, at: int) -> None:
        self._store = store
        self._left = at

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    @contextmanager
    def begin(self, principal: Principal, *, write: bool = False) -> Iterator[Session]:
        if write:
            self._maybe_die()
        with self._store.begin(principal, write=write) as session:
            yield session
            if write:
                self._maybe_die()
        if write:
            self._maybe_die()

    def _maybe_die(self) -> None:
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        self._left -= 1


# -- what other processes do ---------------------------------------------------------------------------------------


def answered(folder: Path) -> str:
    """Ingests the document and asks the question; the answer's packet."""
    with Workspace.open(folder) as place:
        list(place.ingest(place.entries([folder / "documents"])))  # type: ignore[arg-type]
        outcome = place.ask("wet-v1")
        assert isinstance(outcome, Answered)
        assert outcome.receipt is not None
        return outcome.receipt.packet


def requested(place: Workspace, packet: str) -> str:
    return place.request_approval(packet, "send").id


def approved(place: Workspace, packet: str) -> str:
    return place.approve(requested(place, packet), principal=REV).id


def executed(place: Workspace, packet: str) -> str:
    return place.execute(requested(place, packet), principal=OPS).id


Act = Callable[[Workspace, str], str]
Stands = tuple[str | None, int]
"""The state of the one approval, and how often its effect was done."""
_T = TypeVar("_T")


def acting(folder: Path, packet: str, act: Act) -> str:
    with Workspace.open(folder) as place:
        return act(place, packet)


def dying(folder: Path, packet: str, act: Act, at: int) -> None:
    with Workspace.open(folder) as place:
        place.parts = replace(place.parts, store=Dying(place.parts.store, at))
        place.desk = wiring.desk(place.settings, place.parts)
        act(place, packet)


def state(folder: Path, packet: str) -> Stands:
    with Workspace.open(folder) as place:
        known = [each for each in place.approvals(principal=OPS) if each.packet == packet]
        assert len(known) <= 1
        for each in known:
            with place.parts.store.begin(OPS) as session:
                assert session.approvals.get(each.id) == each, "what is shown is kept"
    sent = folder / "sent"
    return (known[0].state.value if known else None), len(sent.read_text().splitlines()) if sent.exists() else 0


def trying(folder: Path, packet: str) -> str:
    """How an execution ends in the middle of others."""
    try:
        with Workspace.open(folder) as place:
            known = place.approvals(principal=OPS)
            return place.execute(next(each.id for each in known if each.packet == packet), principal=OPS).state.value
    except (Conflict, Refused) as fault:
        return fault.code


# -- kills ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A workspace with an answer, and the answer's packet."""
    folder = write_workspace(tmp_path_factory.mktemp("desk"), settings=SETTINGS, contracts={"wet.yaml": CONTRACT})
    (folder / "documents").mkdir()
    (folder / "documents" / "wet.md").write_text(DOCUMENT, encoding="utf-8")
    for name, script in (("send", SEND), ("slowly", SLOWLY)):
        (folder / name).write_text(script, encoding="utf-8")
        (folder / name).chmod(0o700)
    return folder, elsewhere(answered, folder)


def killed_everywhere(
    desk: tuple[Path, str], to: Path, before: Act | None, act: Act, look: Callable[[Path, str], _T]
) -> list[_T]:
    """What a look finds after an act whose process is killed at each moment, in a copy of the workspace each; the last one is not killed."""
    (folder, packet), left = desk, list[_T]()
    prepared = Path(shutil.copytree(folder, to / "prepared"))
    if before is not None:
        elsewhere(acting, prepared, packet, before)
    while True:
        copy = Path(shutil.copytree(prepared, to / f"copy {len(left)}"))
        process = start(dying, copy, packet, act, len(left))
        process.join(PATIENCE_S)
        left.append(elsewhere(look, copy, packet))
        if process.exitcode == 0:
            return left
        assert process.exitcode == -signal.SIGKILL


def test_a_request_that_is_killed_is_there_or_not_and_may_be_made_again(desk: tuple[Path, str], tmp_path: Path) -> None:
    left = killed_everywhere(desk, tmp_path, None, requested, then_requested)
    assert left == [(None, 1), (None, 1), ("requested", 1), ("requested", 1)]


def then_requested(folder: Path, packet: str) -> tuple[str | None, int]:
    """The state, and how many approvals there are after two more requests."""
    stands, _ = state(folder, packet)
    return stands, len({acting(folder, packet, requested) for _ in range(2)})


def test_a_decision_that_is_killed_is_made_or_not(desk: tuple[Path, str], tmp_path: Path) -> None:
    left = killed_everywhere(desk, tmp_path, requested, approved, state)
    assert left == [("requested", 0), ("requested", 0), ("approved", 0), ("approved", 0)]


def test_an_execution_that_is_killed_is_done_once_or_in_doubt(desk: tuple[Path, str], tmp_path: Path) -> None:
    left = killed_everywhere(desk, tmp_path, approved, executed, then_executed)
    done = (["executed", "executed"], ("executed", 1))
    assert left == [
        (("approved", 0), done),
        (("approved", 0), done),
        (("in_doubt", 0), (["in_doubt", "in_doubt"], ("in_doubt", 0))),
        (("in_doubt", 1), (["in_doubt", "in_doubt"], ("in_doubt", 1))),
        (("in_doubt", 1), (["in_doubt", "in_doubt"], ("in_doubt", 1))),
        (("executed", 1), done),
        (("executed", 1), done),
    ]


def then_executed(folder: Path, packet: str) -> tuple[Stands, tuple[list[str], Stands]]:
    """The state, how two more executions end, and the state after them."""
    return state(folder, packet), ([trying(folder, packet) for _ in range(2)], state(folder, packet))


def test_a_process_that_is_killed_while_its_effect_is_at_work_leaves_a_doubt(
    desk: tuple[Path, str], tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(desk[0], tmp_path / "copy"))
    approval = elsewhere(slow_approval, folder, desk[1])
    command = (sys.executable, "-m", "toulmin", "approval", "execute", approval, "--user", "ops", "--role", "operator")
    with subprocess.Popen(command, cwd=folder) as process:
        while not (folder / "begun").exists():
            assert process.poll() is None
            time.sleep(0.01)
        assert elsewhere(trying, folder, desk[1]) == "executing"
        process.kill()
    assert elsewhere(then_executed, folder, desk[1])[1][0] == ["in_doubt", "in_doubt"]


def slow_approval(folder: Path, packet: str) -> str:
    with Workspace.open(folder) as place:
        return place.approve(place.request_approval(packet, "slowly").id, principal=REV).id


# -- at once -------------------------------------------------------------------------------------------------------


def test_processes_that_execute_at_once_do_it_once(desk: tuple[Path, str], tmp_path: Path) -> None:
    packet = desk[1]
    for number in range(2):
        folder = Path(shutil.copytree(desk[0], tmp_path / f"copy {number}"))
        elsewhere(acting, folder, packet, approved)
        with ThreadPoolExecutor(4) as pool:
            ends = list(pool.map(lambda _, folder=folder: elsewhere(trying, folder, packet), range(4)))
        assert ends.count("executed") >= 1
        assert set(ends) <= {"executed", "executing", "approval_moved"}
        assert elsewhere(state, folder, packet) == ("executed", 1)


def test_processes_that_request_at_once_request_one_thing(desk: tuple[Path, str], tmp_path: Path) -> None:
    folder = Path(shutil.copytree(desk[0], tmp_path / "copy"))
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda _: elsewhere(acting, folder, desk[1], requested), range(4)))
    assert len(set(made)) == 1
    assert elsewhere(state, folder, desk[1]) == ("requested", 0)
