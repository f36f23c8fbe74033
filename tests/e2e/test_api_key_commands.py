"""`toulmin api-key`, as an operator meets it."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.cli import Run, called, started, workspace, write
from tests.postgres import KEY
from toulmin.application.api_keys import examine
from toulmin.domain.question.api_key import Refusal
from toulmin.domain.question.case import Principal
from toulmin.surfaces.sync import Workspace

DESK = ("--user", "desk", "--tenant", "acme", "--group", "ops", "--role", "reader", "--role", "service")
PRINCIPAL = Principal(id="desk", tenant="acme", groups=("ops",), roles=("reader", "service"))
TOKEN = re.compile("tlm_([0-9a-f]{10})_([0-9a-f]{64})")


@pytest.fixture(params=["file", "server"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """An empty workspace, in a file and on a server."""
    if request.param == "file":
        return workspace(tmp_path / "place")
    settings = f'[store]\nurl = "{request.getfixturevalue("postgres_url")}"\n'
    return write(workspace(tmp_path / "place", settings=settings), {".toulmin/store.key": KEY})


def made(place: Path, *options: str) -> dict[str, Any]:
    run = called("api-key", "new", *DESK, *options, "--json", at=place)
    assert run.code == 0, run
    shape: dict[str, Any] = run.json
    return shape


def listed(place: Path) -> list[dict[str, Any]]:
    keys: list[dict[str, Any]] = called("api-key", "list", "--json", at=place).json["keys"]
    return keys


def refused(run: Run, code: str) -> None:
    assert (run.code, run.json["code"]) == (2, code)
    assert run.json["remedy"]


def test_a_token_is_printed_once_and_stands_for_its_principal_until_the_key_is_revoked(place: Path) -> None:
    run = called("api-key", "new", *DESK, "--label", "the desk", at=place)
    assert run.code == 0
    found = TOKEN.fullmatch(run.out.strip())
    assert found, "a script reads the token, and nothing else, from stdout"
    key_id, secret = found.groups()
    assert secret not in run.err
    with Workspace.open(place) as service:
        assert examine(run.out.strip(), service.parts.store, service.parts.clock) == PRINCIPAL
        for command in (("list",), ("revoke", key_id), ("list",)):
            told = started("api-key", *command, at=place)
            assert told.code == 0
            assert key_id in told.out
            assert "the desk" in told.out
            assert ("revoked" in told.out) == (
                examine(run.out.strip(), service.parts.store, service.parts.clock) != PRINCIPAL
            )
            assert secret not in told.out + told.err
        assert examine(run.out.strip(), service.parts.store, service.parts.clock) is Refusal.REVOKED


def test_no_file_of_the_workspace_holds_a_secret(tmp_path: Path) -> None:
    place = workspace(tmp_path / "place")
    shape = made(place, "--label", "canary")
    called("api-key", "revoke", shape["id"], at=place)
    _, secret = TOKEN.fullmatch(shape["token"]).groups()  # type: ignore[union-attr]
    called("export", "all.jsonl", at=place)
    files = {file.name: file.read_bytes() for file in place.rglob("*") if file.is_file()}
    assert b"canary" in b"".join(files.values())
    assert [name for name, data in files.items() if secret.encode() in data] == []
    assert [name for name, data in files.items() if bytes.fromhex(secret) in data] == []
    assert b"canary" not in files["all.jsonl"], "keys are not moved"
    assert b"issue_key" in files["all.jsonl"], "what was recorded of them is"


def test_the_shape_tells_everything_but_the_token_ever_after(place: Path) -> None:
    first = made(place, "--label", "größe", "--expires", "2999-01-01")
    second = made(place)
    assert first["principal"] == {"id": "desk", "tenant": "acme", "groups": ["ops"], "roles": ["reader", "service"]}
    assert (first["schema"], first["label"], first["expires_at"]) == (
        "toulmin.api-key/1",
        "größe",
        "2999-01-01T00:00:00Z",
    )
    assert (second["label"], second["expires_at"], second["revoked_at"]) == (None, None, None)
    assert listed(place) == [{**shape, "token": None} for shape in (first, second)]
    revoked = called("api-key", "revoke", first["id"], "--json", at=place).json
    assert revoked["revoked_at"]
    assert {**revoked, "revoked_at": None} == {**first, "token": None}
    assert called("api-key", "revoke", first["id"], "--json", at=place).json == revoked == listed(place)[0]


def test_an_end_may_be_so_many_days_ahead(tmp_path: Path) -> None:
    place = workspace(tmp_path / "place")
    end = datetime.fromisoformat(made(place, "--expires", "30")["expires_at"])
    assert timedelta(days=29) < end - datetime.now(UTC) <= timedelta(days=30)
    assert "expires" in called("api-key", "list", at=place).out


def test_what_makes_no_key_is_refused_with_what_to_do(tmp_path: Path) -> None:
    place = workspace(tmp_path / "place")
    new = ("api-key", "new", "--json", "--user", "desk")
    refused(called(*new, at=place), "no_role")
    refused(called(*new, "--role", "boss", at=place), "wrong_type")
    refused(called(*new, "--group", "ops", "--role", "reader", at=place), "bare_group")
    refused(called(*new, "--tenant", "a/b", "--role", "reader", at=place), "bad_reader")
    refused(called(*new, "--role", "reader", "--expires", "0", at=place), "already_expired")
    refused(called(*new, "--role", "reader", "--expires", "2001-01-01", at=place), "already_expired")
    refused(called(*new, "--role", "reader", "--expires", "soon", at=place), "usage")
    refused(called(*new, "--role", "reader", "--label", "a\nb", at=place), "bad_label")
    refused(called("api-key", "new", "--json", "--role", "reader", at=place), "usage")
    refused(called("api-key", "revoke", "0a", "--json", at=place), "no_such_api_key")
    assert called("api-key", "list", at=place).out == "there is no API key\n"


def test_what_is_done_with_keys_is_recorded_and_sealed(place: Path) -> None:
    key_id = made(place)["id"]
    called("api-key", "revoke", key_id, at=place)
    called("api-key", "list", at=place)
    rows = [json.loads(line) for line in called("ledger", "export", at=place).out.splitlines()]
    told = [(row["kind"], row["facts"]["key"]) for row in rows if "kind" in row]
    assert told == [("issue_key", key_id), ("revoke_key", key_id)]
    assert called("ledger", "verify", "--json", at=place).json["tail"] == 0


def test_a_key_can_be_revoked_whatever_state_the_index_is_in(tmp_path: Path) -> None:
    place = workspace(tmp_path / "place")
    key_id = made(place)["id"]
    write(place, {".toulmin/index/current": b"\xff"})
    assert called("api-key", "revoke", key_id, at=place).code == 0
