"""`toulmin review`: pairs, stored documents, and a text with citation markers against a packet."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.cli import CASE, QUESTION, called

KNOWN_ISSUE = "G2 firmware 2.4.1 may stop sending telemetry after a reconnect."
RESULT = {"id", "claim", "verdict", "reason", "checks", "probabilities", "objections", "citations"}
OBJECTION = {"oracle", "strength", "claim_span", "citation", "evidence_span", "says"}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample, ingested. Tests that change the corpus make their own."""
    return sample(tmp_path_factory.mktemp("review"))


def sample(folder: Path) -> Path:
    assert called("init", "desk", at=folder).code == 0
    assert called("ingest", "documents", at=folder / "desk").code == 0
    return folder / "desk"


def reviewed(desk: Path, *rows: dict[str, Any]) -> list[dict[str, Any]]:
    """The results of some pairs."""
    (desk / "pairs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    run = called("review", "pairs.jsonl", "--json", at=desk)
    assert run.code == 0, run
    report = run.json
    assert (report["schema"], report["policy"], report["findings"]) == ("toulmin.review/1", "built-in/4", [])
    assert all(set(result) == RESULT for result in report["results"])
    results: list[dict[str, Any]] = report["results"]
    return results


def cited(document: str, version: str, **place: str) -> list[dict[str, str]]:
    return [{"document": document, "version": version, **place}]


def packet(desk: Path) -> str:
    found: str = called("ask", QUESTION, *CASE, "--json", at=desk).json["packet"]["id"]
    return found


def text_reviewed(desk: Path, text: str, packet_id: str) -> Any:
    (desk / "answer.md").write_text(text)
    run = called("review", "answer.md", "--packet", packet_id, "--json", at=desk)
    assert run.code == 0, run
    return run.json


class TestPairs:
    def test_a_text_of_the_caller_is_compared_as_it_is(self, desk: Path) -> None:
        evidence = "Audit logs are kept for at least 30 days."
        one, two = reviewed(
            desk,
            {"id": "a", "claim": evidence, "evidence": evidence},
            {"claim": "Audit logs are kept for 90 days.", "evidence": evidence},
        )
        assert (one["id"], one["verdict"], one["reason"]) == ("a", "supported", "verbatim")
        assert (two["id"], two["verdict"]) == ("2", "unresolved")
        objection = next(item for item in two["objections"] if item["oracle"] == "bounds")
        assert set(objection) == OBJECTION
        assert "90" in two["claim"][slice(*objection["claim_span"])]
        assert "30" in evidence[slice(*objection["evidence_span"])]

    def test_a_stored_span_is_read_from_the_store_with_its_state(self, desk: Path) -> None:
        (one,) = reviewed(desk, {"claim": KNOWN_ISSUE, "evidence": cited("GW-241", "3", span="s1")})
        assert one["verdict"] == "supported"
        assert one["citations"] == [{"document": "GW-241", "version": "3", "span": "s1", "state": "current"}]

    def test_words_of_a_stored_document_are_found_in_it(self, desk: Path) -> None:
        (one,) = reviewed(desk, {"claim": KNOWN_ISSUE, "evidence": cited("GW-241", "3", quote=KNOWN_ISSUE)})
        assert one["verdict"] == "supported"

    @pytest.mark.parametrize(
        ("evidence", "reason"),
        [
            (cited("GW-241", "9", span="s1"), "there is no GW-241 v9 that you may read"),
            (cited("HOLD-99", "1", span="s1"), "there is no HOLD-99 v1 that you may read"),
            (cited("PRIVATE", "1", quote="gateway"), "there is no PRIVATE v1 that you may read"),
            (cited("GW-241", "3", span="s9"), "GW-241 v3 has no span s9"),
            (cited("GW-241", "3", quote="never said"), "GW-241 v3 does not have these words"),
            ([], "the claim cites nothing"),
        ],
    )
    def test_a_citation_that_is_none_leaves_the_claim_unresolved(self, desk: Path, evidence: Any, reason: str) -> None:
        (one,) = reviewed(desk, {"claim": KNOWN_ISSUE, "evidence": evidence})
        assert (one["verdict"], one["reason"]) == ("unresolved", reason)

    def test_a_withdrawn_source_supports_nothing(self, tmp_path: Path) -> None:
        place = sample(tmp_path)
        assert called("document", "withdraw", "GW-241", at=place).code == 0
        (one,) = reviewed(place, {"claim": KNOWN_ISSUE, "evidence": cited("GW-241", "3", span="s1")})
        assert (one["verdict"], one["reason"]) == ("unresolved", "GW-241 v3 was withdrawn")

    @pytest.mark.parametrize(
        ("row", "where"),
        [
            ({"claim": 3, "evidence": "x"}, "claim"),
            ({"evidence": "x"}, "pairs.jsonl:1"),
            ({"claim": "x", "evidence": 3}, "evidence"),
            ({"claim": "x", "evidence": [{"document": "A"}]}, "evidence"),
            ({"claim": "x", "evidence": cited("A", "1")}, "evidence"),
            ({"claim": "x", "evidence": cited("A", "1", span="s", quote="q")}, "evidence"),
            ({"claim": "x", "evidence": "y", "verdict": "supported"}, "verdict"),
        ],
    )
    def test_a_row_that_is_wrong_is_refused_with_its_place(self, desk: Path, row: dict[str, Any], where: str) -> None:
        (desk / "pairs.jsonl").write_text(json.dumps(row))
        run = called("review", "pairs.jsonl", "--json", at=desk)
        assert run.code == 2
        assert run.json["where"].startswith("pairs.jsonl:1")
        assert where in run.json["where"]
        assert run.json["remedy"]

    def test_in_words_each_claim_has_its_verdict_and_what_is_held_against_it(self, desk: Path) -> None:
        row = {"claim": "Logs are kept for 90 days.", "evidence": "Logs are kept for at least 30 days."}
        (desk / "pairs.jsonl").write_text(json.dumps(row))
        run = called("review", "pairs.jsonl", at=desk)
        assert run.code == 0
        assert "1  unresolved: Logs are kept for 90 days." in run.out
        assert "the claim says 90 days; the source says at least 30 days" in run.out
        assert run.out.endswith("0 supported, 0 contradicted, 1 unresolved; policy built-in/4\n")

    def test_results_of_many_pairs_come_in_their_order_in_one_json_document(self, desk: Path) -> None:
        rows = [
            {"id": f"p{at}", "claim": "It is \u202edone\u2028.", "evidence": f"It was done {at} times."}
            for at in range(150)
        ]
        assert [result["id"] for result in reviewed(desk, *rows)] == [row["id"] for row in rows]
        run = called("review", "pairs.jsonl", at=desk)
        assert [line.split()[0] for line in run.out.splitlines() if line.startswith("p")] == [row["id"] for row in rows]

    def test_a_judge_that_cannot_be_asked_is_told_with_what_to_do(self, tmp_path: Path) -> None:
        place = sample(tmp_path)
        row = {"claim": "Every night there is a backup.", "evidence": "Backups are made in the night."}
        (place / "pairs.jsonl").write_text(json.dumps(row))
        settings, _, _ = (place / "toulmin.toml").read_text().partition("[judge]")
        for url, fault, remedy in (
            ("http://127.0.0.1:9/v1", "provider_error", "toulmin doctor"),
            ("https://judge.invalid/v1", "egress_denied", "external = true"),
        ):
            (place / "toulmin.toml").write_text(f'{settings}\n[judge]\nkind = "llm"\nbase_url = "{url}"\nmodel = "m"\n')
            run = called("review", "pairs.jsonl", "--json", at=place)
            assert (run.code, run.json["judge_fault"], run.json["results"][0]["verdict"]) == (0, fault, "unresolved")
            assert remedy in run.err


class TestTexts:
    def test_markers_stand_for_the_citations_that_the_answer_was_shown_with(self, desk: Path) -> None:
        report = text_reviewed(desk, f"{KNOWN_ISSUE[:-1]} [1]. Roll back firmware now [2].", packet(desk))
        one, two = report["results"]
        assert (one["verdict"], [item["document"] for item in one["citations"]]) == ("supported", ["GW-241"])
        assert (two["verdict"], [item["document"] for item in two["citations"]]) == ("contradicted", ["HOLD-7"])

    def test_a_marker_that_resolves_to_nothing_is_a_finding_and_its_claim_unresolved(self, desk: Path) -> None:
        text = f"{KNOWN_ISSUE[:-1]} [9]. It is heavy."
        report = text_reviewed(desk, text, packet(desk))
        (finding,) = report["findings"]
        assert text[slice(*finding["span"])] == "[9]"
        assert [item["verdict"] for item in report["results"]] == ["unresolved", "unresolved"]
        assert report["results"][1]["reason"] == "the claim cites nothing"

    def test_what_became_of_a_source_since_is_told(self, tmp_path: Path) -> None:
        place = sample(tmp_path)
        known = packet(place)
        assert called("document", "delete", "GW-241", at=place).code == 0
        (one,) = text_reviewed(place, f"{KNOWN_ISSUE[:-1]} [1].", known)["results"]
        assert (one["verdict"], one["reason"]) == ("unresolved", "GW-241 v3 was deleted since the packet was made")
        assert one["citations"][0]["state"] == "deleted"

    def test_a_text_that_claims_nothing_is_refused(self, desk: Path) -> None:
        (desk / "answer.md").write_text("\n\n")
        run = called("review", "answer.md", "--packet", packet(desk), "--json", at=desk)
        assert (run.code, run.json["code"]) == (2, "no_claims")

    def test_a_text_needs_a_packet_and_a_packet_that_there_is(self, desk: Path) -> None:
        (desk / "answer.md").write_text("A [1].")
        assert called("review", "answer.md", at=desk).code == 2
        run = called("review", "answer.md", "--packet", "pk-0", "--json", at=desk)
        assert (run.code, run.json["code"]) == (2, "no_such_packet")
