"""`toulmin approval` on the gateway sample: what it prints, its JSON, its exit codes."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import toulmin
from tests.e2e.cli import CASE, QUESTION, Run, called
from toulmin.testing.provider import Provider, Response

ANN = ("--user", "ann")
REV = ("--user", "rev", "--role", "reviewer")
OPS = ("--user", "ops", "--role", "operator")
SETTINGS = """
[effects.send-reply]
kind = "command"
argv = ["./send-reply"]
[effects.failing]
kind = "command"
argv = ["/bin/sh", "-c", "echo no such address >&2; exit 3"]
[effects.lost]
kind = "command"
argv = ["/bin/sh", "-c", "kill -KILL $$"]
[effects.hook]
kind = "webhook"
url = "http://127.0.0.1:9/hook"
secret_env = "NOT_SET_ANYWHERE"
"""
SEND = "#!/bin/sh\ncat >> sent.jsonl\nprintf 'sent \\033[2Jit'\n"
KEYS = {
    *("schema", "id", "state", "operation", "evidence", "packet", "result"),
    *("name", "params", "instance", "policy", "answer_sha256", "requester", "expires_at", "changes", "history"),
}


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample, ingested, with effects."""
    place = tmp_path_factory.mktemp("approvals") / "desk"
    assert called("init", place.name, at=place.parent).code == 0
    with (place / "toulmin.toml").open("a", encoding="utf-8") as settings:
        settings.write(SETTINGS)
    (place / "send-reply").write_text(SEND, encoding="utf-8")
    (place / "send-reply").chmod(0o700)
    assert called("ingest", "documents", at=place).code == 0
    return place


@pytest.fixture
def desk(sample: Path, tmp_path: Path) -> Path:
    """A copy of it that a test may change."""
    return Path(shutil.copytree(sample, tmp_path / "desk"))


def packet(desk: Path) -> str:
    made: str = called("ask", QUESTION, *CASE, *ANN, "--json", at=desk).json["packet"]["id"]
    return made


def request(desk: Path, *options: str, operation: str = "send-reply") -> dict[str, Any]:
    run = called("approval", "request", packet(desk), "--operation", operation, *options, *ANN, "--json", at=desk)
    assert run.code == 0, run
    made: dict[str, Any] = run.json
    return made


def approved(desk: Path, operation: str = "send-reply") -> str:
    made: str = request(desk, operation=operation)["id"]
    assert called("approval", "approve", made, *REV, at=desk).code == 0
    return made


def execute(desk: Path, approval: str, *options: str) -> Run:
    return called("approval", "execute", approval, *(options or OPS), "--json", at=desk)


def sent(desk: Path) -> list[Mapping[str, Any]]:
    orders = desk / "sent.jsonl"
    return [json.loads(line) for line in orders.read_text().splitlines()] if orders.exists() else []


def refusal(run: Run) -> tuple[int, str]:
    assert run.json["schema"] == "toulmin.error/1"
    return run.code, run.json["code"]


def test_an_operation_goes_from_request_to_its_one_effect(desk: Path) -> None:
    made = request(desk, "--param", "to=ann@example.com", "--comment", "for the customer")
    assert made.keys() == KEYS
    assert (made["schema"], made["state"], made["result"]) == ("toulmin.approval/1", "requested", None)
    assert made["operation"].startswith("op-")
    assert made["evidence"].startswith("ev-")
    assert (made["instance"], made["name"], made["params"]) == (made["packet"], "send-reply", {"to": "ann@example.com"})

    decided = called("approval", "approve", made["id"], *REV, "--comment", "as agreed", "--json", at=desk)
    assert (decided.code, decided.json["state"]) == (0, "approved")
    done = execute(desk, made["id"])
    assert (done.code, done.json["state"]) == (0, "executed")
    assert done.json["result"] == {"code": "exit_0", "output": "sent [2Jit"}
    again = execute(desk, made["id"])
    assert (again.code, again.json) == (0, done.json)

    (order,) = sent(desk)
    assert (order["key"], order["packet"], order["params"]) == (made["operation"], made["packet"], made["params"])
    assert order["answer"].startswith("Firmware 2.4.1 on G2 gateways may stop sending telemetry")
    history = [(step["state"], step["by"], step["comment"]) for step in done.json["history"]]
    assert history == [
        ("requested", {"id": "ann", "tenant": None}, "for the customer"),
        ("approved", {"id": "rev", "tenant": None}, "as agreed"),
        ("executing", {"id": "ops", "tenant": None}, None),
        ("executed", {"id": "ops", "tenant": None}, None),
    ]


def test_an_approval_whose_evidence_is_gone_is_stale_and_says_why(desk: Path) -> None:
    approval = approved(desk)
    assert called("document", "withdraw", "HOLD-7", at=desk).code == 0
    dead = execute(desk, approval)
    assert (dead.code, dead.json["state"], dead.json["result"]) == (7, "stale", None)
    assert "HOLD-7 v2 was withdrawn" in dead.json["changes"]
    assert sent(desk) == []
    told = called("approval", "execute", approval, *OPS, at=desk)
    assert told.code == 7
    assert told.out.startswith("stale: send-reply\n")
    assert "    HOLD-7 v2 was withdrawn\n" in told.out
    assert told.out.endswith("next: ask again, and request the new answer's packet\n")


def test_an_approval_dies_with_its_contract_and_policy(desk: Path) -> None:
    changes = {
        "contracts/gateway-explain-and-next-step.yaml": (
            "k: 2",
            "k: 3",
            "contract gateway-explain-and-next-step-v1 is",
        ),
        "policy.yaml": ("", "version: desk/1\nclaims: 3\n", "the policy is another: "),
    }
    for file, (old, new, says) in changes.items():
        approval = approved(desk)
        path = desk / file
        before = path.read_text(encoding="utf-8") if path.exists() else None
        path.write_text((before or "").replace(old, new) if old else new, encoding="utf-8")
        dead = execute(desk, approval)
        assert (dead.code, dead.json["state"]) == (7, "stale")
        assert dead.json["changes"][0].startswith(says), dead.json["changes"]
        path.unlink() if before is None else path.write_text(before, encoding="utf-8")
    assert sent(desk) == []


def test_what_an_approval_does_not_rest_on_may_change(desk: Path) -> None:
    approval = approved(desk)
    assert called("document", "withdraw", "BILL-42", at=desk).code == 0
    assert execute(desk, approval).code == 0


def test_who_may_not_is_refused_with_exit_code_7(desk: Path) -> None:
    made = request(desk)["id"]
    for act, who, code in (
        ("approve", ANN, "role_missing"),
        ("approve", (*ANN, "--role", "reviewer"), "own_request"),
        ("reject", (*ANN, "--role", "reviewer"), "own_request"),
        ("execute", REV, "role_missing"),
        ("execute", OPS, "wrong_state"),
        ("revoke", OPS, "role_missing"),
    ):
        assert refusal(called("approval", act, made, *who, "--json", at=desk)) == (7, code), act
    assert called("approval", "show", made, "--json", at=desk).json["state"] == "requested"


def test_the_policy_may_let_people_decide_on_their_own_requests(desk: Path) -> None:
    (desk / "policy.yaml").write_text("version: desk/1\nself_approval: true\n", encoding="utf-8")
    made = request(desk)["id"]
    assert called("approval", "approve", made, *ANN, "--role", "reviewer", at=desk).code == 0


def test_only_an_answer_can_be_submitted(desk: Path) -> None:
    case = ("--case", "model=G9", *CASE[2:])
    asked = called("ask", QUESTION, *case, "--json", at=desk)
    assert asked.json["outcome"] == "AskForEvidence"
    run = called("approval", "request", asked.json["packet"]["id"], "--operation", "send-reply", "--json", at=desk)
    assert refusal(run) == (7, "not_answered")


def test_a_failed_effect_says_why_and_is_not_repeated(desk: Path) -> None:
    approval = approved(desk, "failing")
    failed = execute(desk, approval)
    assert (failed.code, failed.json["state"]) == (7, "failed")
    assert failed.json["result"] == {"code": "exit_3", "output": "no such address"}
    assert execute(desk, approval).json == failed.json


def test_a_doubt_is_resolved_by_a_person_who_says_how_they_know(desk: Path) -> None:
    approval = approved(desk, "lost")
    assert (execute(desk, approval).code, execute(desk, approval).json["code"]) == (7, "in_doubt")
    told = called("approval", "show", approval, at=desk)
    assert "in_doubt: lost\n" in told.out
    assert f"toulmin approval resolve {approval} --outcome executed|failed --comment ..." in told.out
    assert f"if its effect is idempotent, execute it again: toulmin approval execute {approval}" in told.out
    resolve = ("approval", "resolve", approval, *OPS, "--json")
    assert refusal(called(*resolve, "--outcome", "executed", "--comment", " ", at=desk)) == (2, "comment_missing")
    assert refusal(called(*resolve, "--outcome", "done", "--comment", "x", at=desk)) == (2, "usage")
    resolved = called(*resolve, "--outcome", "failed", "--comment", "nobody got it", at=desk)
    assert (resolved.code, resolved.json["state"]) == (0, "failed")
    assert resolved.json["history"][-1]["comment"] == "nobody got it"


def test_a_webhook_without_its_secret_is_told_before_anything_happens(desk: Path) -> None:
    approval = approved(desk, "hook")
    run = execute(desk, approval)
    assert refusal(run) == (2, "missing_secret")
    assert "NOT_SET_ANYWHERE" in run.json["message"]
    assert called("approval", "show", approval, "--json", at=desk).json["state"] == "approved"


def test_a_webhook_is_sent_the_order(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOT_SET_ANYWHERE", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    with Provider(lambda *_: Response(body=b"taken")) as provider:
        settings = (desk / "toulmin.toml").read_text(encoding="utf-8")
        ours = settings.replace("http://127.0.0.1:9/hook", f"{provider.base_url}/hook")
        (desk / "toulmin.toml").write_text(ours, encoding="utf-8")
        done = execute(desk, approved(desk, "hook"))
    assert (done.code, done.json["result"]) == (0, {"code": "http_200", "output": "taken"})
    (request,) = provider.requests
    assert request.headers["webhook-id"] == request.json()["key"] == done.json["operation"]


def test_what_was_revoked_or_rejected_is_over(desk: Path) -> None:
    for act, who, state in (("revoke", ANN, "revoked"), ("reject", REV, "rejected")):
        made = request(desk)["id"]
        run = called("approval", act, made, *who, at=desk)
        assert (run.code, run.out.splitlines()[0]) == (0, f"{state}: send-reply")
        assert refusal(execute(desk, made)) == (7, "wrong_state")
    assert sent(desk) == []


def test_approvals_are_shown_with_answer_claims_quotes_and_sources(desk: Path) -> None:
    made = request(desk, "--param", "to=a\x1b[31m", "--comment", "two\nlines")["id"]
    told = called("approval", "show", made, at=desk).out
    assert "\x1b" not in told
    for line in (
        "requested: send-reply",
        "  to = a[31m",
        '    GW-241 v3, s1: "G2 firmware 2.4.1 may stop sending telemetry after a reconnect."',
        "  HOLD-7 v2: current",
        "    comment: two lines",
        f"approval {made}",
    ):
        assert f"\n{line}\n" in f"\n{told}", line


def test_approvals_are_listed_by_state(desk: Path) -> None:
    assert called("approval", "list", at=desk).out == "there is no approval that you may see\n"
    first, second = request(desk)["id"], approved(desk)
    listed = called("approval", "list", "--json", at=desk).json
    assert listed["schema"] == "toulmin.approvals/1"
    assert [(each["id"], each["state"]) for each in listed["approvals"]] == [(first, "requested"), (second, "approved")]
    only = called("approval", "list", "--state", "approved", "--json", at=desk).json["approvals"]
    assert [each["id"] for each in only] == [second]
    told = called("approval", "list", at=desk).out.splitlines()
    assert told[0::2] == [f"{first} send-reply", f"{second} send-reply"], "no id is broken: it is there to be copied"
    assert [line.count(" by ann") for line in told[1::2]] == [1, 1]
    assert [line.rpartition(" by ")[2] for line in told[1::2]] == ["ann", "rev"]
    none = called("approval", "list", "--state", "stale", at=desk)
    assert none.out == "there is no approval that you may see and that is stale\n"
    assert refusal(called("approval", "list", "--state", "done", "--json", at=desk)) == (2, "usage")


def test_an_expired_approval_says_since_when_and_nobody_did_it(desk: Path) -> None:
    made = request(desk)["id"]
    with sqlite3.connect(desk / ".toulmin" / "corpus.db") as connection:
        connection.execute("DROP TRIGGER approval_stays")
        connection.execute("UPDATE approval SET expires_at = 0")
    connection.close()
    told = called("approval", "show", made, "--as", str(principal(desk)), at=desk).out
    assert " expired\n    expired 1970-01-01T00:00:00Z\n" in told
    assert " requested by ann\n" in told
    assert called("approval", "list", "--state", "expired", "--json", at=desk).json["approvals"][0]["id"] == made
    assert "expired" in called("approval", "list", at=desk).out
    assert refusal(called("approval", "approve", made, *REV, "--json", at=desk)) == (7, "wrong_state")


def principal(desk: Path) -> Path:
    file = desk / "rev.toml"
    file.write_text('id = "rev"\ntenant = "acme"\nroles = ["reviewer"]\n', encoding="utf-8")
    return file


def test_people_are_named_with_their_tenants(desk: Path) -> None:
    made = request(desk)["id"]
    assert called("approval", "approve", made, "--as", str(principal(desk)), at=desk).code == 0
    assert " approved by rev (acme)\n" in called("approval", "show", made, at=desk).out


def test_usage_errors_name_what_is_wrong(desk: Path) -> None:
    made = packet(desk)
    run = called("approval", "request", made, "--operation", "sned-reply", "--json", at=desk)
    assert refusal(run) == (2, "unknown_operation")
    assert "[effects.sned-reply]" in run.json["remedy"]
    twice = ("--param", "to=a", "--param", "to=b")
    assert refusal(called("approval", "request", made, "--operation", "hook", *twice, "--json", at=desk)) == (
        2,
        "usage",
    )
    for act in ("approve", "execute", "show"):
        assert refusal(called("approval", act, "ap-none", *OPS, "--json", at=desk)) == (2, "no_such_approval")


def test_effects_are_heeded(desk: Path) -> None:
    assert called("approval", "list", at=desk).err == ""


def test_the_library_gives_a_specialist_an_answer_and_no_other_document(desk: Path) -> None:
    made = packet(desk)
    with toulmin.Workspace.open(desk) as place:
        stage = place.stage(made, "Write a reply.")
        request = json.loads(stage.request)
        sentences = [sentence["text"] for sentence in request["answer"]]
        claims = stage.accept(json.dumps({"segments": [{"text": "Dear Ann.", "evidence_ids": ["e1", "e2"]}]}))
        other = place.ask(QUESTION, case={"model": "G9", "firmware": "2.4.1", "audit_hold": "true"})
        assert isinstance(other, toulmin.AskForEvidence)
        assert other.receipt is not None
        with pytest.raises(toulmin.Refused):
            place.stage(other.receipt.packet, "Write a reply.")
    assert request["case"] == {"audit_hold": "true", "firmware": "2.4.1", "model": "G2"}
    assert len(sentences) == len(request["evidence"]) == 2
    assert isinstance(claims, tuple)
    assert [citation.source.document for citation in claims[0].citations] == ["GW-241", "HOLD-7"]
    for document in ("BILL-42", "G2-USB", "OLD-240", "PRIVATE"):
        text = (desk / "documents" / f"{document}.md").read_text(encoding="utf-8").split("---")[-1].strip()
        assert text
        assert text not in stage.request
