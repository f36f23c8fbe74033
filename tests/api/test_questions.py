from __future__ import annotations

import pytest

from tests.api.conftest import Running

QUESTION = "gateway-explain-and-next-step-v1"
CASE = {"model": "G2", "firmware": "2.4.1", "audit_hold": True}


def test_a_service_gets_the_answer_with_its_packet(running: Running) -> None:
    with running.client("service") as client:
        reply = client.post("/v1/ask", json={"question": QUESTION, "case": CASE})
    assert reply.status_code == 200
    assert reply.json()["outcome"] == "Answered"
    assert reply.json()["packet"]["id"].startswith("pk-")


def test_a_user_may_not_state_a_case_field_that_the_contract_takes_from_a_service_alone(running: Running) -> None:
    with running.client() as client:
        reply = client.post("/v1/ask", json={"question": QUESTION, "case": CASE})
    assert (reply.status_code, reply.json()["code"]) == (403, "trusted_field")
    assert reply.json()["where"] == "case.audit_hold"


def test_a_question_without_a_contract_is_an_outcome_and_no_fault(running: Running) -> None:
    with running.client() as client:
        reply = client.post("/v1/ask", json={"question": "no-such-question"})
    assert (reply.status_code, reply.json()["outcome"]) == (200, "UnsupportedQuestion")
    assert reply.json()["packet"] is None


def test_a_search_finds_what_the_caller_may_read_and_says_why_not_the_rest(running: Running) -> None:
    body = {"text": "telemetry after a reconnect", "case": {"model": "G2", "firmware": "2.4.1"}, "explain": True}
    with running.client() as client:
        reply = client.post("/v1/search", json=body)
    assert reply.status_code == 200
    assert reply.json()["results"][0]["document"] == "GW-241"
    assert any(each["document"] == "GW-250" or each["reasons"] for each in reply.json()["excluded"])


@pytest.mark.parametrize(
    "field", ["tenant", "roles", "user", "principal", "readers", "evidence", "context", "documents"]
)
@pytest.mark.parametrize("path", ["/v1/ask", "/v1/search", "/v1/review"])
def test_no_body_has_a_field_for_evidence_or_rights(running: Running, path: str, field: str) -> None:
    with running.client() as client:
        reply = client.post(path, json={"text": "telemetry", field: "x"})
    assert (reply.status_code, reply.json()["code"]) == (422, "unknown_key")
    assert field in reply.json()["where"]


def test_a_review_takes_no_text_of_the_callers_as_evidence(running: Running) -> None:
    pair = {"claim": "Firmware 2.4.1 stops.", "evidence": "Firmware 2.4.1 stops."}
    with running.client() as client:
        reply = client.post("/v1/review", json={"pairs": [pair]})
    assert reply.status_code == 422


def test_a_review_compares_a_claim_with_the_stored_words_that_it_cites(running: Running) -> None:
    quote = "G2 firmware 2.4.1 may stop sending telemetry after a reconnect."
    cite = {"document": "GW-241", "version": "3", "quote": quote}
    with running.client() as client:
        reply = client.post("/v1/review", json={"pairs": [{"claim": quote, "evidence": [cite]}]})
    assert reply.status_code == 200
    assert reply.json()["results"][0]["verdict"] == "supported"


def test_a_contract_tells_its_case_and_which_fields_only_a_service_may_set(running: Running) -> None:
    with running.client() as client:
        (known,) = client.get("/v1/contracts").json()["contracts"]
        one = client.get(f"/v1/contracts/{QUESTION}").json()
        missing = client.get("/v1/contracts/other")
    assert known == one
    assert {"name": "audit_hold", "type": "boolean", "optional": False, "trusted": True} in one["case"]
    assert (missing.status_code, missing.json()["code"]) == (404, "no_such_contract")


def test_a_version_written_as_a_number_is_refused_since_3_10_would_arrive_as_3_1(running: Running) -> None:
    with running.client() as client:
        reply = client.post("/v1/search", json={"text": "telemetry", "case": {"firmware": 3.10}})
    assert reply.status_code == 422
    assert reply.json()["where"] == "body: case.firmware"
    assert "quotes" in reply.json()["remedy"]


def test_a_contract_file_that_cannot_be_read_is_no_fault_of_the_caller(running: Running, folder: object) -> None:
    (folder / "contracts" / "broken.yaml").write_text("id: [")  # type: ignore[operator]
    with running.client() as client:
        reply = client.post("/v1/ask", json={"question": QUESTION, "case": {}})
    assert (reply.status_code, reply.json()["code"]) == (503, "contracts_unreadable")
    assert "broken" not in reply.text
