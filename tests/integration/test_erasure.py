"""Erased words are in no file of the workspace any more, whatever process was killed at whatever step."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests.e2e.cli import called, documents, workspace, write
from tests.integration.workers import elsewhere, start
from toulmin.adapters.memory.embedder import WordsEmbedder
from toulmin.adapters.vectors.index import VectorIndex
from toulmin.application.catchup import embed
from toulmin.application.erasure import erase, of_document
from toulmin.application.replay import replay
from toulmin.domain.errors import NotFound
from toulmin.domain.evidence.embedding import embedded_text
from toulmin.domain.outcome import Answered
from toulmin.domain.question.case import ANONYMOUS
from toulmin.surfaces.sync import Workspace

pytestmark = pytest.mark.enable_socket  # the fork server is reached over a Unix socket

CONTRACT = """\
id: wet-v1
version: 1
case: {}
query: "zebrafish water"
k: 2
eligibility: {rules: {}}
facts:
  wet: {proposition: "The zebrafish swims in water.", clause: "We keep zebrafishes wet."}
  dry: {proposition: "The dunes are dry.", clause: "Dunes are dry, we say."}
answer: {mode: licensed, drafter: template}
"""
SECRET = """\
---
toulmin:
  id: SECRET
  version: "1"
  author: Zebrafish Keeper
  source_type: chat
  readers: [public]
  spans: [{id: s1, fact: wet, quote: "The zebrafish swims in water."}]
---
# Zebrafish title

## Zebrafish heading

The zebrafish swims in water.
"""
OTHER = """\
---
toulmin: {id: OTHER, version: "1", readers: [public], spans: [{id: s1, fact: dry, quote: "The dunes are dry."}]}
---
# Dunes

The dunes are dry. There is no water.
"""
KILLS = 5
"""How many times an erasure is killed in every run; under the soak profile, before each of its calls."""
WORDS = (b"ebrafish", b"swims in water")
"""What no file may hold; the index has words in lower case."""
SETTINGS = """\
[policy]
file = "policy.yaml"
[effects.send]
kind = "command"
argv = ["true"]
"""
POLICY = "version: ours/1\nretention_days: {chat: 30}\n"


def place_at(folder: Path) -> Path:
    """A workspace with an answer that rests on a document to be erased, and on another one."""
    folder.mkdir()
    workspace(folder, settings=SETTINGS, contracts={"wet.yaml": CONTRACT})
    write(folder, {"policy.yaml": POLICY, "documents/secret.md": SECRET, "documents/other.md": OTHER})
    assert called("ingest", "documents", at=folder).code == 0
    return folder


def ask(folder: Path) -> str:
    with Workspace.open(folder) as place:
        outcome = place.ask("wet-v1")
        assert isinstance(outcome, Answered)
        assert outcome.receipt is not None
        return outcome.receipt.packet


def holding(folder: Path, *words: bytes) -> list[str]:
    """The files of a workspace, without its documents and contracts, that hold one of the words, in any case."""
    wanted = [word.lower() for word in words]
    files = (file for file in (folder / ".toulmin").rglob("*") if file.is_file())
    return sorted(file.name for file in files if any(word in file.read_bytes().lower() for word in wanted))


def deletions(folder: Path) -> list[Any]:
    """What the index's segments only mark as removed: a dictionary of terms cannot be searched for words byte by byte."""
    (generation,) = (folder / ".toulmin" / "index").glob("generation-*")
    return [segment["deletes"] for segment in json.loads((generation / "meta.json").read_bytes())["segments"]]


def is_erased(folder: Path, packet: str) -> None:
    """All that must hold once an erasure is finished."""
    assert holding(folder, *WORDS) == []
    assert not any(deletions(folder))
    with Workspace.open(folder) as place:
        assert place.catch_up().lag == 0
        with place.parts.store.curate() as session:
            assert session.erasures.unfinished() == []
        states = {standing.id.document: standing.status.value for standing in place.documents()}
        assert states == {"SECRET": "erased", "OTHER": "live"}
        assert not place.search("zebrafish").items
        assert [item.found.id.document for item in place.search("dunes").items] == ["OTHER"]
        assert {source.id.document: source.state.value for source in place.packet(packet).sources} == {
            "SECRET": "erased",
            "OTHER": "current",
        }
        assert replay(packet, ANONYMOUS, place.parts).reproduces
    with closing(sqlite3.connect(folder / ".toulmin" / "corpus.db")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_no_file_holds_an_erased_word_and_everything_else_stays(tmp_path: Path) -> None:
    folder = place_at(tmp_path / "place")
    packet = ask(folder)
    assert "corpus.db" in holding(folder, *WORDS), "it was there"
    with Workspace.open(folder) as place:
        erased = place.erase("SECRET")
        assert (erased.packets, holding(folder, *WORDS)) == ((packet,), []), "before anything is closed"
    is_erased(folder, packet)


def test_vectors_of_erased_passages_are_gone_too(tmp_path: Path) -> None:
    folder = place_at(tmp_path / "place")
    with Workspace.open(folder) as place:
        vectors = folder / ".toulmin" / "index" / "vectors"
        meaning = VectorIndex(vectors, WordsEmbedder())
        parts = replace(place.parts, meaning=meaning)
        embed(parts.store, meaning)
        (secret,) = place.documents(document="SECRET")
        revision = place.revision(secret.key)
        assert revision is not None
        passage = revision.passages[-1]
        text = embedded_text(secret.descriptor.title, passage.heading, revision.text[passage.start : passage.end])
        digest = sha256(text.encode()).digest()
        assert holding(folder, digest), "a vector is kept by the digest of its text"
        erase(of_document("SECRET"), parts)
        assert holding(folder, digest) == []
        assert meaning.snapshot().sequence == parts.index.snapshot().sequence
        place.erase("OTHER")
        assert not vectors.exists(), "without an embedder, nothing would take the rows out"


def test_what_a_killed_writer_left_in_the_log_is_gone_too(tmp_path: Path) -> None:
    folder = place_at(tmp_path / "place")
    packet = ask(folder)
    process = start(leave_a_log, folder, str(tmp_path / "ready"))
    while not (tmp_path / "ready").exists():
        assert process.is_alive()
    process.kill()
    process.join()
    assert (folder / ".toulmin" / "corpus.db-wal").stat().st_size
    assert called("document", "erase", "SECRET", "--yes", at=folder).code == 0
    is_erased(folder, packet)


def leave_a_log(folder: Path, ready: str) -> None:
    with Workspace.open(folder) as place:
        place.ask("wet-v1")
        Path(ready).touch()
        signal.pause()


@dataclass
class Countdown:
    """Kills this process before the call that comes last."""

    calls: int
    counted: int = 0

    def count(self) -> None:
        self.counted += 1
        if self.counted == self.calls:
            os.kill(os.getpid(), signal.SIGKILL)


class Dying:
    """Something whose every call counts, and that of whatever it gives: sessions, and their parts."""

    def __init__(self, inner: Any, countdown: Countdown) -> None:
        self._inner = inner
        self._countdown = countdown

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        if name in ("curate", "begin", "replacement"):
            return lambda *given, **named: self._session(found(*given, **named))
        if callable(found):
            return self._counted(found)
        return Dying(found, self._countdown) if name in ("erasures", "dependents", "ledger") else found

    def _counted(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*given: Any, **named: Any) -> Any:
            self._countdown.count()
            return call(*given, **named)

        return counted

    @contextmanager
    def _session(self, inner: Any) -> Iterator[Any]:
        with inner as session:
            yield Dying(session, self._countdown)
            self._countdown.count()  # everything is done, and nothing is committed
        self._countdown.count()


def erase_and_die(folder: Path, calls: int) -> int:
    """Erases, unless it is killed before a call; the number of all calls."""
    countdown = Countdown(calls)
    with Workspace.open(folder) as place:
        dying: Any = Dying(place.parts.store, countdown)
        index: Any = Dying(place.parts.index, countdown)
        erase(of_document("SECRET"), replace(place.parts, store=dying, index=index))
    return countdown.counted


def erase_again(folder: Path) -> None:
    with Workspace.open(folder) as place, suppress(NotFound):
        place.erase("SECRET")


@pytest.mark.timeout(600)
def test_a_kill_before_any_step_is_mended_by_erasing_again(tmp_path: Path) -> None:
    original = place_at(tmp_path / "original")
    packet = ask(original)
    calls = elsewhere(erase_and_die, copy_of(original, tmp_path / "counted"), 0)
    every = 1 if settings.get_current_profile_name() == "soak" else calls // KILLS
    seen = set[tuple[bool, bool]]()
    for before in (*range(1, calls, every), calls, calls + 1):
        folder = copy_of(original, tmp_path / f"killed {before}")
        process = start(erase_and_die, folder, before)
        process.join(60)
        assert process.exitcode == (0 if before > calls else -signal.SIGKILL)
        seen.add(elsewhere(stage, folder))
        elsewhere(erase_again, folder)
        is_erased(folder, packet)
        shutil.rmtree(folder)
    assert seen == {(False, False), (True, True), (True, False)}, "not begun, unfinished, and finished"


def copy_of(original: Path, folder: Path) -> Path:
    shutil.copytree(original, folder)
    return folder


def stage(folder: Path) -> tuple[bool, bool]:
    """Whether the rows are erased, and whether files may still hold the words; then doctor says so."""
    with Workspace.open(folder) as place:
        (standing,) = place.documents(document="SECRET")
        with place.parts.store.curate() as session:
            unfinished = bool(session.erasures.unfinished())
    checks = {check["name"]: check for check in called("doctor", "--offline", "--json", at=folder).json["checks"]}
    assert (checks["erasures"]["grade"] == "wrong") == unfinished
    return standing.status.value == "erased", unfinished


def test_a_reader_of_another_process_leaves_it_unfinished_and_the_words_unserved(tmp_path: Path) -> None:
    folder = place_at(tmp_path / "place")
    packet = ask(folder)
    reader = sqlite3.connect(folder / ".toulmin" / "corpus.db", isolation_level=None)
    with closing(reader):
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM revision").fetchone()
        refused = called("document", "erase", "SECRET", "--yes", "--json", at=folder)
        assert (refused.code, refused.json["code"]) == (1, "erasure_unfinished")
        assert called("search", "zebrafish", "--json", at=folder).json["results"] == []
        doctor = called("doctor", "--offline", "--json", at=folder)
        assert doctor.code == 8
    finished = called("document", "erase", "--unfinished", "--json", at=folder)
    assert finished.json["finished"] == [{"document": "SECRET", "version": "1"}]
    is_erased(folder, packet)


class TestCommand:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        return place_at(tmp_path / "place")

    def test_a_dry_run_says_what_would_go(self, folder: Path) -> None:
        packet = ask(folder)
        said = called("document", "erase", "SECRET", "--dry-run", "--json", at=folder).json
        assert said == {
            "schema": "toulmin.erasure/1",
            "done": False,
            "documents": [{"document": "SECRET", "version": "1"}],
            "packets": [packet],
            "stale": [],
            "finished": [],
        }
        told = called("document", "erase", "SECRET", "--dry-run", at=folder)
        assert told.out.splitlines()[0] == "to be erased: SECRET v1"
        assert [each["state"] for each in documents(folder)] == ["live", "live"]

    def test_silence_is_no_consent(self, folder: Path) -> None:
        refused = called("document", "erase", "SECRET", at=folder)
        assert refused.code == 2
        assert "--yes" in refused.err
        assert called("document", "erase", "SECRET", "--json", at=folder).json["code"] == "not_confirmed"

    @pytest.mark.parametrize(
        "arguments",
        [(), ("SECRET", "--expired"), ("--expired", "--unfinished"), ("--expired", "--version", "1")],
    )
    def test_it_has_to_be_clear_what_to_erase(self, folder: Path, arguments: tuple[str, ...]) -> None:
        refused = called("document", "erase", *arguments, "--yes", "--json", at=folder)
        assert (refused.code, refused.json["code"]) == (2, "usage")

    def test_what_is_not_there_is_not_found(self, folder: Path) -> None:
        refused = called("document", "erase", "unknown", "--yes", "--json", at=folder)
        assert (refused.code, refused.json["code"]) == (2, "no_such_document")

    def test_nothing_expires_that_is_not_old_enough(self, folder: Path) -> None:
        told = called("document", "erase", "--expired", "--yes", at=folder)
        assert (told.code, told.out) == (0, "there is nothing to erase\n")

    def test_what_the_policy_keeps_no_longer_is_erased(self, folder: Path) -> None:
        with closing(sqlite3.connect(folder / ".toulmin" / "corpus.db")) as connection, connection:
            connection.execute("UPDATE revision SET ingested_at = ingested_at - 31 * 86400 * 1000000")
        told = called("document", "erase", "--expired", "--yes", at=folder)
        assert told.out == "erased: SECRET v1\n"
        assert called("document", "show", "SECRET", at=folder).out.endswith("  the text was erased\n\n")

    def test_impact_and_replay_tell_what_rests_on_it_and_what_became_of_that(self, folder: Path) -> None:
        packet = ask(folder)
        (found,) = called("impact", "SECRET", "--json", at=folder).json["packets"]
        assert (found["packet"], found["outcome"], found["versions"]) == (packet, "Answered", ["1"])
        lines = called("impact", "SECRET", at=folder).out.splitlines()
        assert lines[0] == packet, "an id is not broken: it is there to be copied"
        assert lines[1].startswith("  Answered to ")
        assert lines[1].endswith(", rests on SECRET v1")
        before = called("packet", "replay", packet, "--json", at=folder)
        assert (before.code, before.json["reproduces"], before.json["unchanged"]) == (0, True, True)
        assert called("document", "erase", "SECRET", "--yes", at=folder).code == 0
        after = called("packet", "replay", packet, "--json", at=folder)
        assert (after.code, after.json["reproduces"], after.json["unchanged"]) == (0, True, False)
        assert after.json["now"]["differences"][0]["kind"] == "source_gone"
        assert {step["result"] for step in after.json["then"]["steps"]} == {"reproduced", "erased"}
        told = called("packet", "replay", packet, "--as-of", "2030-01-01", at=folder)
        assert "source gone: SECRET v1 was erased" in told.out
        assert "the evidence is another" in told.out
        assert called("impact", "unknown", at=folder).code == 2
        (folder / "documents/new.md").write_text("# New\n\nNothing rests on it.\n", encoding="utf-8")
        assert called("ingest", "documents", "--readers", "public", at=folder).code in (0, 2)
        assert called("impact", "new.md", at=folder).out == "no decision that you may see rests on it\n"

    def test_a_change_of_a_document_reports_the_approvals_that_it_ended(self, folder: Path) -> None:
        def request() -> str:
            made = called(
                "approval", "request", ask(folder), "--operation", "send", "--user", "ann", "--json", at=folder
            )
            assert made.code == 0, made
            return str(made.json["id"])

        first = request()
        newer = OTHER.replace('version: "1"', 'version: "2"')
        write(folder, {"documents/newer.md": newer})
        (told,) = called("ingest", "documents/newer.md", "--json", at=folder).json["files"]
        assert (told["supersedes"], told["stale"]) == (["1"], [first])
        assert called("approval", "show", first, "--json", at=folder).json["state"] == "stale"
        second = request()
        assert f"\n  {second} requested: send\n" in called("impact", "OTHER", at=folder).out
        (found, _) = called("impact", "OTHER", "--json", at=folder).json["packets"]
        assert [(each["id"], each["state"]) for each in found["approvals"]] == [(second, "requested")]
        write(folder, {"documents/newest.md": newer.replace('version: "2"', 'version: "3"')})
        told = called("ingest", "documents/newest.md", at=folder).out
        assert f"ends 1 approval: {second}" in told
        assert "1 approval ended as stale: what they rest on has changed" in told
        third = request()
        assert called("document", "withdraw", "OTHER", "--json", at=folder).json["stale"] == [third]

    def test_a_record_that_does_not_reproduce_ends_with_its_exit_code(self, folder: Path) -> None:
        packet = ask(folder)
        with closing(sqlite3.connect(folder / ".toulmin" / "corpus.db")) as connection, connection:
            connection.execute("""UPDATE packet SET body = replace(body, '"k":2', '"k":3')""")
        spoiled = called("packet", "replay", packet, "--json", at=folder)
        assert (spoiled.code, spoiled.json["reproduces"]) == (8, False)
        assert spoiled.json["then"]["steps"][0]["step"] == "packet"
        assert "DOES NOT REPRODUCE" in called("packet", "replay", packet, "--user", "ben", at=folder).out
