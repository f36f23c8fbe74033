"""`toulmin ledger`, `keys` and `packet export|verify`, as a user meets them."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.cli import CASE, QUESTION, Run, called, started

KEYS = '\n[signing]\nkey_file = "keys/signing.pem"\n'
CONTRACT_WORDS = ("telemetry", "reconnect", "audit hold", "rollback", "diagnostic")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """The sample, ingested, without a key."""
    folder = tmp_path / "place"
    assert called("init", str(folder), at=tmp_path).code == 0
    assert called("ingest", "documents", at=folder).code == 0
    return folder


@pytest.fixture
def signing(place: Path) -> Path:
    """The sample with a key."""
    public = called("keys", "new", at=place)
    assert public.code == 0
    (place / "public.pem").write_text(public.out, encoding="utf-8")
    add(place, KEYS)
    return place


def add(place: Path, settings: str) -> None:
    with (place / "toulmin.toml").open("a", encoding="utf-8") as file:
        file.write(settings)


def rows(place: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in called("ledger", "export", at=place).out.splitlines()]


def entries(place: Path) -> list[dict[str, Any]]:
    return [row for row in rows(place) if row["schema"] == "toulmin.ledger-entry/1"]


def kinds(place: Path) -> list[str]:
    return [entry["kind"] for entry in entries(place)]


def asked(place: Path) -> str:
    answer = called("ask", QUESTION, *CASE, "--json", at=place)
    assert answer.code == 0
    packet: str = answer.json["packet"]["id"]
    return packet


def checked(place: Path, *arguments: str) -> Run:
    return called("ledger", "verify", "--json", *arguments, at=place)


def tamper(place: Path, *statements: str) -> None:
    """Writes in the database like somebody who knows how to drop a trigger."""
    with closing(sqlite3.connect(place / ".toulmin" / "corpus.db", isolation_level=None)) as connection:
        named = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall()
        for (name,) in named:
            connection.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            connection.execute(statement)


# What is recorded


def test_what_is_done_is_recorded_with_ids_and_digests(place: Path) -> None:
    assert kinds(place) == ["ingest"] * 6
    packet = asked(place)
    asked(place)
    assert kinds(place)[6:] == ["policy", "packet", "packet"]
    document = place / "documents" / "GW-241.md"
    text = document.read_text(encoding="utf-8")
    document.write_text(text.replace('version: "3"', 'version: "4"'), encoding="utf-8")
    assert called("ingest", "documents", at=place).code == 0
    assert kinds(place)[9:] == ["ingest", "supersede"]
    assert called("document", "withdraw", "G2-USB", at=place).code == 0
    assert called("document", "delete", "G2-USB", at=place).code == 0
    assert kinds(place)[11:] == ["withdraw", "delete"]
    told = entries(place)
    first = told[0]["facts"]
    assert (first["document"], first["version"], first["known"]) == ("BILL-42", "1", False)
    assert {"bytes_sha256", "text_sha256", "descriptor"} <= set(first)
    assert told[7]["facts"]["packet"] == packet
    assert told[7]["facts"]["outcome"] == "Answered"
    superseded = told[10]["facts"]
    assert (superseded["document"], superseded["version"], superseded["by"]) == ("GW-241", "3", "4")
    assert superseded["superseded"]


def test_what_changes_nothing_and_what_is_refused_is_not_recorded(place: Path) -> None:
    assert called("ingest", "documents", at=place).code == 0
    (place / "documents" / "BILL-42.md").write_text("---\ntoulmin:\n  id: BILL-42\n  version: '1'\n---\nOther.\n")
    assert called("ingest", "documents", at=place).code == 2
    assert called("document", "withdraw", "NOBODY", at=place).code == 2
    assert kinds(place) == ["ingest"] * 6


def test_a_changed_descriptor_is_recorded_as_a_change_of_a_known_revision(place: Path) -> None:
    note, sidecar = place / "NOTE.md", place / "NOTE.md.meta.yaml"
    note.write_text("A note.\n")
    for readers in ("[public]", "[tenant:acme]"):
        sidecar.write_text(f"id: NOTE\nversion: '1'\nreaders: {readers}\n")
        assert called("ingest", "NOTE.md", at=place).code == 0
    told = [entry["facts"] for entry in entries(place)[6:]]
    assert [(facts["document"], facts["known"]) for facts in told] == [("NOTE", False), ("NOTE", True)]
    assert told[0]["descriptor"] != told[1]["descriptor"]


def test_another_policy_is_recorded_before_the_packet_that_is_made_under_it(place: Path) -> None:
    asked(place)
    (place / "policy.yaml").write_text('version: "mine/1"\nsupported: 0.99\n', encoding="utf-8")
    asked(place)
    told = entries(place)[6:]
    assert [entry["kind"] for entry in told] == ["policy", "packet", "policy", "packet"]
    assert [entry["facts"]["version"] for entry in told if entry["kind"] == "policy"][1] == "mine/1"


def test_no_word_of_a_document_and_no_name_of_a_person_is_in_the_ledger(place: Path) -> None:
    called("ask", QUESTION, *CASE, "--user", "ada.lovelace", "--tenant", "acme", at=place)
    called("ask", "--text", "Does telemetry stop after a reconnect?", "--user", "ada.lovelace", at=place)
    ledger = called("ledger", "export", at=place).out
    assert "lovelace" not in ledger
    assert not [word for word in CONTRACT_WORDS if word in ledger]
    assert entries(place)[-1]["actor"] is not None


# Sealing and checking


def test_a_command_seals_what_it_recorded_and_one_that_records_nothing_does_not_seal(place: Path) -> None:
    assert [row["schema"] for row in rows(place)].count("toulmin.checkpoint/1") == 1
    called("search", "telemetry", at=place)
    called("document", "list", at=place)
    assert [row["schema"] for row in rows(place)].count("toulmin.checkpoint/1") == 1
    asked(place)
    found = checked(place)
    assert (found.code, found.json["whole"], found.json["tail"]) == (0, True, 0)
    assert (found.json["entries"], found.json["checkpoints"]) == (8, 2)


def test_a_checkpoint_that_was_kept_shows_a_change_and_names_it(place: Path) -> None:
    sealed = called("ledger", "seal", "--out", "kept.json", "--json", at=place)
    assert json.loads((place / "kept.json").read_text()) == sealed.json["checkpoint"]
    asked(place)
    whole = checked(place, "--checkpoint", "kept.json")
    assert (whole.code, whole.json["kept"], whole.json["findings"]) == (0, 6, [])
    tamper(place, "UPDATE ledger_entry SET facts = replace(facts, 'BILL-42', 'BILL-43') WHERE sequence = 1")
    found = checked(place, "--checkpoint", "kept.json")
    assert found.code == 8
    assert not found.json["whole"]
    assert (found.json["findings"][0]["fault"], found.json["findings"][0]["first"]) == ("changed", 1)
    told = called("ledger", "verify", "--checkpoint", "kept.json", at=place)
    assert told.code == 8
    assert "changed" in told.out
    assert "THE LEDGER DOES NOT VERIFY" in told.out
    assert "wrong    ledger" in called("doctor", at=place).out


def test_a_ledger_that_was_cut_off_and_sealed_again_is_found_by_an_exported_one(place: Path) -> None:
    asked(place)
    assert called("ledger", "export", "--out", "kept.jsonl", at=place).code == 0
    tamper(
        place,
        "DELETE FROM ledger_checkpoint WHERE sequence > 6",
        "DELETE FROM ledger_link WHERE sequence > 6",
        "DELETE FROM ledger_entry WHERE sequence > 6",
    )
    assert checked(place).code == 0, "nothing in the ledger tells it"
    found = checked(place, "--checkpoint", "kept.jsonl")
    assert (found.code, found.json["findings"][0]["fault"]) == (8, "truncated")
    assert (found.json["findings"][0]["first"], found.json["findings"][0]["last"]) == (7, 8)


def test_an_entry_that_was_slipped_into_the_tail_is_told_as_the_tail(place: Path) -> None:
    tamper(place, "INSERT INTO ledger_entry SELECT 7, at, kind, actor, facts FROM ledger_entry WHERE sequence = 1")
    told = called("ledger", "verify", at=place)
    assert told.code == 0
    assert "1 after that not sealed" in told.out


def test_a_signed_checkpoint_is_checked_with_its_key_alone(signing: Path) -> None:
    asked(signing)
    found = checked(signing, "--key", "public.pem")
    assert (found.code, found.json["signature"]) == (0, "valid")
    told = called("ledger", "verify", "--key", "public.pem", at=signing).out
    assert "nothing was changed up to entry 8, which a key that was given vouches for" in told
    assert "give --checkpoint as well" in told
    assert checked(signing).json["signature"] == "unchecked"
    assert called("ledger", "seal", "--out", "kept.json", at=signing).code == 0
    assert checked(signing, "--checkpoint", "kept.json", "--key", "public.pem").code == 0
    other = called("keys", "new", "other.pem", at=signing)
    (signing / "other-public.pem").write_text(other.out, encoding="utf-8")
    found = checked(signing, "--key", "other-public.pem")
    assert (found.code, found.json["findings"][0]["fault"]) == (8, "checkpoint")
    assert checked(signing, "--key", "other-public.pem", "--key", "public.pem").code == 0


def test_without_a_key_the_unsigned_ledger_fails_where_one_is_given(place: Path, tmp_path: Path) -> None:
    public = called("keys", "new", str(tmp_path / "key.pem"), at=place)
    (tmp_path / "public.pem").write_text(public.out, encoding="utf-8")
    found = checked(place, "--key", str(tmp_path / "public.pem"))
    assert (found.code, found.json["signature"]) == (8, "unsigned")


def test_a_command_whose_entries_cannot_be_signed_is_done_and_says_so(place: Path) -> None:
    add(place, KEYS)
    done = called("document", "withdraw", "BILL-42", at=place)
    assert done.code == 0
    assert "the ledger was not sealed" in done.err
    assert "toulmin keys new" in done.err
    assert checked(place).json["tail"] == 1
    assert "wrong    signing" in called("doctor", at=place).out
    assert called("ledger", "seal", at=place).code == 2
    assert called("keys", "new", at=place).code == 0
    assert called("ledger", "seal", at=place).code == 0
    assert checked(place).json["tail"] == 0


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("", "no_checkpoint"),
        ("{}", "missing_key"),
        ("not JSON", "bad_json"),
        ('{"schema": "toulmin.checkpoint/1"}', "missing_key"),
    ],
)
def test_a_file_without_a_checkpoint_is_refused(place: Path, content: str, code: str) -> None:
    (place / "kept.json").write_text(content)
    found = checked(place, "--checkpoint", "kept.json")
    assert (found.code, found.json["code"]) == (2, code)


@pytest.mark.parametrize("change", [{"signature": "no hex"}, {"link": "short"}, {"sequence": 0}, {"also": 1}])
def test_a_checkpoint_in_another_form_is_refused(place: Path, change: dict[str, object]) -> None:
    point = called("ledger", "seal", "--json", at=place).json["checkpoint"]
    (place / "kept.json").write_text(json.dumps({**point, **change}, indent=2))
    assert checked(place, "--checkpoint", "kept.json").code == 2
    (place / "kept.json").write_text(json.dumps(point, indent=2))
    assert checked(place, "--checkpoint", "kept.json").code == 0


def test_an_empty_ledger_is_whole_and_there_is_nothing_to_seal(tmp_path: Path) -> None:
    (tmp_path / "toulmin.toml").touch()
    assert "nothing was recorded" in called("ledger", "seal", at=tmp_path).out
    assert called("ledger", "seal", "--json", at=tmp_path).json["checkpoint"] is None
    assert checked(tmp_path).code == 0
    assert called("ledger", "export", at=tmp_path).out == ""


def test_export_as_one_document_has_the_rows_of_the_lines(place: Path) -> None:
    assert called("ledger", "export", "--json", at=place).json == {"schema": "toulmin.ledger/1", "rows": rows(place)}
    written = called("ledger", "export", "--json", "--out", "all.jsonl", at=place)
    assert written.json["file"] == "all.jsonl"
    assert (place / "all.jsonl").read_text() == called("ledger", "export", at=place).out
    assert called("ledger", "export", "--out", "all.jsonl", at=place).code == 2, "what was kept is never written over"


@pytest.mark.parametrize("facts", ["[]", "no JSON"])
def test_facts_that_are_no_json_object_any_more_are_told_and_not_exported(place: Path, facts: str) -> None:
    tamper(place, f"UPDATE ledger_entry SET facts = '{facts}' WHERE sequence = 2")
    assert "THE LEDGER DOES NOT VERIFY" in called("ledger", "verify", at=place).out
    exported = called("ledger", "export", at=place)
    assert exported.code != 0
    assert "toulmin ledger verify" in exported.err


# Keys


def test_a_new_key_goes_where_the_settings_say_and_never_over_an_old_one(place: Path) -> None:
    add(place, '\n[signing]\nkey_file = "keys/other.pem"\n')
    made = called("keys", "new", "--json", at=place)
    assert (made.code, made.json["file"]) == (0, str(place / "keys" / "other.pem"))
    assert made.json["public_key"].startswith("-----BEGIN PUBLIC KEY-----")
    again = called("keys", "new", at=place)
    assert again.code == 2
    assert "exists" in again.err


def test_a_new_key_in_a_named_file_needs_no_workspace(tmp_path: Path) -> None:
    made = called("keys", "new", "key.pem", at=tmp_path)
    assert made.code == 0
    assert made.out.startswith("-----BEGIN PUBLIC KEY-----")
    assert 'key_file = "key.pem"' in made.err


# Packets


def test_an_exported_packet_verifies_anywhere_with_the_key_alone(signing: Path, tmp_path: Path) -> None:
    packet = asked(signing)
    written = called("packet", "export", packet, "--out", "packet.json", "--json", at=signing)
    assert (written.code, written.json["packet"]) == (0, packet)
    assert len(written.json["keys"]) == 1
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for name in ("packet.json", "public.pem"):
        (elsewhere / name).write_bytes((signing / name).read_bytes())
    found = started("packet", "verify", "packet.json", "--key", "public.pem", "--json", at=elsewhere)
    assert found.code == 0
    assert (found.json["valid"], found.json["packet"], found.json["signature"]) == (True, packet, "valid")
    assert all(statement["holds"] for statement in found.json["statements"])
    told = called("packet", "verify", "packet.json", "--key", "public.pem", at=elsewhere)
    assert "the packet verifies" in told.out
    assert called("packet", "export", packet, "--out", "packet.json", at=signing).code == 2


def test_a_changed_packet_fails_and_says_where(signing: Path) -> None:
    exported = called("packet", "export", asked(signing), at=signing)
    assert exported.code == 0
    (signing / "packet.json").write_text(exported.out.replace("roll back", "roll black"), encoding="utf-8")
    told = called("packet", "verify", "packet.json", "--key", "public.pem", at=signing)
    assert told.code == 8
    assert "FAILS" in told.out
    assert "THE PACKET DOES NOT VERIFY" in told.out


def test_a_packet_that_is_kept_here_is_verified_by_its_id(place: Path, tmp_path: Path) -> None:
    packet = asked(place)
    found = called("packet", "verify", packet, "--json", at=place)
    assert (found.code, found.json["packet"], found.json["signature"]) == (0, packet, "unsigned")
    public = called("keys", "new", str(tmp_path / "key.pem"), at=place)
    (tmp_path / "public.pem").write_text(public.out, encoding="utf-8")
    assert called("packet", "verify", packet, "--key", str(tmp_path / "public.pem"), at=place).code == 8
    assert called("packet", "verify", "pk-" + "0" * 64, at=place).code == 2


def test_a_packet_that_is_not_the_one_that_was_asked_for_fails(place: Path) -> None:
    assert called("packet", "export", asked(place), "--out", "packet.json", at=place).code == 0
    found = called("packet", "verify", "packet.json", "--id", "pk-" + "0" * 64, "--json", at=place)
    assert found.code == 8
    assert [statement["name"] for statement in found.json["statements"] if not statement["holds"]] == ["id"]


def test_a_packet_whose_source_was_deleted_verifies_as_erased(place: Path) -> None:
    packet = asked(place)
    assert called("document", "delete", "HOLD-7", at=place).code == 0
    assert called("packet", "export", packet, "--out", "packet.json", at=place).code == 0
    told = called("packet", "verify", "packet.json", at=place)
    assert told.code == 0
    assert "erased: " in told.out


def test_what_is_no_packet_and_what_is_not_there_is_told(place: Path) -> None:
    (place / "packet.json").write_text("{}")
    assert called("packet", "verify", "packet.json", at=place).code == 8
    assert called("packet", "verify", "missing.json", at=place).code == 2
    assert called("packet", "export", "pk-" + "0" * 64, "--out", "x.json", at=place).code == 2


def test_a_key_that_others_may_read_signs_nothing(signing: Path) -> None:
    (signing / "keys" / "signing.pem").chmod(0o644)
    packet = asked(signing)
    refused = called("packet", "export", packet, "--out", "packet.json", at=signing)
    assert refused.code == 2
    assert "chmod 600" in refused.err
    assert not (signing / "packet.json").exists()


def test_a_file_that_is_no_checkpoint_is_told_by_the_keys_that_one_has(place: Path) -> None:
    (place / "other.json").write_text('{"envelope": 1}\n')
    run = checked(place, "--checkpoint", "other.json")
    assert (run.code, run.json["code"], run.json["where"]) == (2, "unknown_key", "other.json:1: envelope")
    assert "write one of schema, sequence" in run.json["remedy"]
