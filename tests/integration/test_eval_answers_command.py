"""`toulmin eval answers` over a small corpus, with a drafter and judges behind a real server."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import openai
import pytest

from tests.e2e.cli import Run, called, write
from toulmin.testing.provider import BEHAVIOURS, Behaviour, Provider, fails, judges

assert openai.__version__  # the vendor's library loads here, and not inside the first draft's deadline

STOPS = "The pump stops at 80 degrees."
BRASS = "The valve is made of brass and lasts for many years."
SETTINGS = """\
[eligibility.pump]
rules = {{ pump = "version_in" }}
[open_question]
profile = "pump"
mode = "{mode}"
[drafter]
kind = "openai"
base_url = "{url}"
[judge]
kind = "{judge}"
base_url = "{url}"
"""
POLICY = "version: tests/1\nrepairs: [remove]\n"
DOCUMENTS = {
    "documents/stop.md": f"# Stop\n\n{STOPS}\n",
    "documents/valve.md": f"# Valve\n\n{BRASS}\n",
    "documents/secret.md": "# Secret\n\nThe colour of the secret lever is green.\n",
    **{
        f"documents/{name}.md.meta.yaml": (
            f'id: {name}.md\nversion: "2"\nscope: {{pump: "2"}}\nreaders: [public]\nsource_type: manual\n{more}'
        )
        for name, more in (("stop", ""), ("valve", ""), ("secret", "egress: local\n"))
    },
}
YEARS = "The brass valve lasts for years."
HOT = "The pump stops at 95 degrees."
HEAVY = "The secret lever is heavy."
DRAFTS = {
    "When does the pump stop?": (STOPS, "stop.md"),
    "Does the valve last?": (YEARS, "valve.md"),
    "How hot may the pump be?": (HOT, "stop.md"),
    "Is the secret lever heavy?": (HEAVY, "secret.md"),
    "Is the pump blue?": (STOPS, "stop.md"),
}
"""What the drafter writes, and the document that it cites."""

ROWS: tuple[dict[str, Any], ...] = (
    {
        "id": "stop",
        "question": "When does the pump stop?",
        "gold": [{"path": "stop.md", "quote": "pump  stops at 80 degrees."}],
        "labels": [{"claim": STOPS, "label": "supported"}],
    },
    {
        "id": "valve",
        "question": "Does the valve last?",
        "gold": [{"path": "valve.md", "quote": "lasts for many years"}],
        "facts": ["made of brass", "lasts for many years"],
        "labels": [{"claim": YEARS, "label": "supported"}],
    },
    {
        "id": "heat",
        "question": "How hot may the pump be?",
        "gold": [{"path": "stop.md", "quote": STOPS}],
        "labels": [{"claim": HOT, "label": "contradicted"}],
    },
    {"id": "lost", "question": "zzz", "gold": [{"path": "lost.md", "quote": "Lost words."}]},
    {"id": "lever", "question": "Is the secret lever heavy?", "gold": [], "kind": "silent", "group": "none"},
    {"id": "zebra", "question": "zzz", "gold": [], "kind": "silent", "group": "none"},
    {"id": "blue", "question": "Is the pump blue?", "gold": [], "kind": "silent", "group": "none"},
)


@dataclass(frozen=True, slots=True)
class Desk:
    """A workspace whose drafter and judge are one provider on this host."""

    folder: Path
    provider: Provider

    def run(self, *options: str, dataset: str = "questions.jsonl") -> Run:
        self.provider.script(BEHAVIOURS["ok"])
        return called("eval", "answers", dataset, "--case", "pump={version}", *options, at=self.folder)

    def json(self, *options: str) -> Any:
        found = self.run("--json", *options)
        assert found.code == 0, found
        return found.json

    def settings(self, *, mode: str = "reviewed", judge: str = "oracles") -> None:
        text = SETTINGS.format(url=self.provider.base_url, mode=mode, judge=judge)
        (self.folder / "toulmin.toml").write_text(text, encoding="utf-8")


def author(question: Mapping[str, Any]) -> Mapping[str, Any]:
    """The sentence that is written for a question."""
    text, document = DRAFTS[question["question"]]
    words = DOCUMENTS[f"documents/{document}"].split("\n")[2]
    (cited,) = (item["evidence_id"] for item in question["evidence"] if words in item["passage"])
    return {"segments": [{"text": text, "evidence_ids": [cited]}]}


def by_words(state: Mapping[str, Any]) -> tuple[float, ...]:
    """A judge that supports what is about years."""
    return (0.97, 0.01, 0.02) if "years" in state["claim"] else (0.1, 0.1, 0.8)


def shadowed(desk: Desk, *options: str, judge: Behaviour | None = None) -> Any:
    """A run with a judge behind the server beside the drafter."""
    decides = judge or judges(by_words)
    desk.provider.script(lambda request, write: (decides if request.asks_a_judge else BEHAVIOURS["ok"])(request, write))
    found = called("eval", "answers", "questions.jsonl", "--case", "pump={version}", "--json", *options, at=desk.folder)
    assert found.code == 0, found
    return found.json


def row(given: Mapping[str, Any]) -> str:
    common = {"version": "2", "kind": "fact", "answerable": bool(given["gold"]), "group": given["id"]}
    return json.dumps({**common, **given}) + "\n"


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with Provider(author=author) as provider:
        folder = tmp_path_factory.mktemp("answers")
        desk = Desk(folder, provider)
        desk.settings()
        write(folder, {**DOCUMENTS, "policy.yaml": POLICY, "questions.jsonl": "".join(map(row, ROWS))})
        assert called("ingest", "documents", at=folder).code == 0
        yield desk


@pytest.fixture
def desk(shared: Desk) -> Desk:
    shared.settings()
    return shared


def values(shape: Any) -> dict[str, Any]:
    return {name: measure["value"] for name, measure in shape["metrics"].items()}


def test_what_is_delivered_is_measured(desk: Desk) -> None:
    shape = desk.json()
    assert (shape["schema"], shape["kind"], shape["n"]) == ("toulmin.eval/1", "answers", 7)
    assert (shape["policy"], shape["judge"]) == ("tests/1", "oracles")
    assert values(shape) == {
        "share_answered": 2 / 7,
        "share_ask_for_evidence": 2 / 7,
        "share_withheld": 3 / 7,
        "share_search_only": 0,
        "right_outcomes": 3 / 7,  # stop, lever and zebra
        "answered": 1 / 4,
        "answered_from_gold": 1 / 4,
        "right_abstentions": 2 / 3,
        "evidence_recall": 3 / 4,
        "citation_recall": 1 / 4,
        "citation_precision": 1,
        "gold_citations": 1,
        "answer_completeness": 1 / 5,
        "unsupported_claim_rate": 0,
        "false_rejection_rate": 1 / 2,
        "coverage": 3 / 5,
        "answerable": 4,
        "failures": 4,
        "provider_faults": 0,
        "gold": 4,
        "gold_absent": 1,
        "claims": 5,
        "delivered": 2,
        "withheld": 3,
        "citations": 2,
        "other_version_citations": 0,
        "labels": 3,
        "labelled": 3,
    }
    assert shape["endings"] == {
        "AskForEvidence": {"below_minimum_score": 2},
        "Withheld": {"no claim was delivered": 3},
    }
    assert shape["withheld"] == {
        "no opinion of a judge": {"unresolved": 2},
        "oracle: numbers": {"contradicted": 1},
    }


def test_the_report_is_broken_down_by_kind_version_source_type_and_group(desk: Desk) -> None:
    by = desk.json()["by"]
    found = {name: {value: part["n"] for value, part in parts.items()} for name, parts in by.items()}
    assert found == {
        "phenomenon": {"fact": 4, "silent": 3},
        "source_type": {"manual": 3, "not stated": 4},
        "version": {"2": 7},
        "group": {"heat": 1, "lost": 1, "none": 3, "stop": 1, "valve": 1},
    }
    assert by["group"]["none"]["metrics"]["failures"]["value"] == 1
    assert by["phenomenon"]["silent"]["metrics"]["citation_recall"] == {"value": None, "low": None, "high": None}


def test_the_terminal_shows_metrics_with_intervals_and_what_failed(desk: Desk) -> None:
    found = desk.run()
    assert found.code == 0
    lines = [" ".join(line.split()) for line in found.out.splitlines()]
    assert "answered 0.250 (0.05–0.70)" in lines
    assert "oracle: numbers contradicted 1" in lines
    assert any(line.startswith("silent 3 1 - 0.67") for line in lines)
    assert "none 3 1" in lines
    assert found.err == "note: 1 of 4 gold quotes are not in the corpus: nothing can cite them\n"


def test_without_labels_the_rates_that_need_them_are_null_and_that_is_said(desk: Desk) -> None:
    write(desk.folder, {"bare.jsonl": "".join(row(each) for each in ROWS if "labels" not in each)})
    found = desk.run("--json", dataset="bare.jsonl").json
    assert {values(found)[name] for name in ("unsupported_claim_rate", "false_rejection_rate")} == {None}
    told = "no claim of an answer has a label: unsupported_claim_rate and false_rejection_rate are not measured"
    assert told in desk.run(dataset="bare.jsonl").out.splitlines()


def test_a_bound_is_a_gate_and_an_undefined_share_passes_none(desk: Desk) -> None:
    assert desk.run("--min", "answered=0.25", "--max", "failures=4").code == 0
    missed = desk.run("--json", "--max", "failures=3", "--min", "right_abstentions.low=0.5")
    assert (missed.code, missed.json["n"]) == (8, 7)
    assert missed.err.splitlines()[1:] == [
        "missed: right_abstentions.low is 0.2077, below 0.5",
        "missed: failures is 4, above 3",
    ]
    write(desk.folder, {"bare.jsonl": row(ROWS[-1])})
    undefined = desk.run("--min", "citation_recall=0", dataset="bare.jsonl")
    assert undefined.code == 8
    assert undefined.err.startswith("missed: citation_recall could not be measured")


def test_a_bound_on_no_metric_is_refused_before_anything_is_asked(desk: Desk) -> None:
    desk.provider.forget()
    found = desk.run("--json", "--min", "recall=1")
    assert (found.code, found.json["message"]) == (2, "--min recall: no such metric")
    assert desk.provider.requests == ()


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("", "empty_dataset"),
        ("{}", "missing_key"),
        (row({**ROWS[0], "labels": [{"claim": STOPS, "label": "true"}]}), "wrong_type"),
        (row({**ROWS[0], "answerable": False}), "bad_gold"),
        (row({**ROWS[4], "facts": ["It is green."]}), "bad_facts"),
    ],
)
def test_a_dataset_that_is_wrong_is_refused_with_its_place(desk: Desk, content: str, code: str) -> None:
    write(desk.folder, {"wrong.jsonl": content})
    found = desk.run("--json", dataset="wrong.jsonl")
    assert (found.code, found.json["code"]) == (2, code)
    assert found.json["where"].startswith("wrong.jsonl")


def test_a_template_that_names_no_field_is_refused_before_anything_is_asked(desk: Desk) -> None:
    desk.provider.forget()
    found = called("eval", "answers", "questions.jsonl", "--case", "pump={release}", "--json", at=desk.folder)
    assert (found.code, found.json["code"]) == (2, "unknown_placeholder")
    assert desk.provider.requests == ()


def test_a_case_that_does_not_fit_names_the_question(desk: Desk) -> None:
    found = desk.run("--json", "--case", "colour=red")
    assert found.code == 2
    assert found.json["where"].startswith("question stop")


def test_groups_choose_questions_and_the_rest_is_counted(desk: Desk) -> None:
    halves = [desk.run("--json", "--groups", half) for half in ("0-7", "8-f")]
    assert sum(half.json["n"] for half in halves) == 7
    assert all(" of 7 questions, as --groups says" in half.err for half in halves)
    sides = [set(half.json["by"]["group"]) for half in halves]
    assert sides[0].isdisjoint(sides[1])


def test_a_provider_that_fails_is_told_beside_abstentions_that_look_right(desk: Desk) -> None:
    desk.provider.script(fails(401))
    found = called("eval", "answers", "questions.jsonl", "--case", "pump={version}", "--json", at=desk.folder)
    assert values(found.json)["right_abstentions"] == 1
    assert values(found.json)["provider_faults"] == 5
    assert "note: 5 questions ended without a draft or a judgement: their abstentions show nothing" in found.err
    assert found.json["endings"]["SearchOnly"] == {"provider_error": 5}


def test_in_cited_mode_nothing_was_reviewed_and_there_is_no_coverage(desk: Desk) -> None:
    desk.settings(mode="cited")
    found = values(desk.json())
    assert (found["share_answered"], found["coverage"]) == (5 / 7, None)
    assert (found["citation_precision"], found["citation_recall"]) == (1, 3 / 4)
    assert found["unsupported_claim_rate"] == 1 / 3


def test_rows_and_page_are_written_where_they_are_asked_for(desk: Desk) -> None:
    desk.run("--rows", "rows.jsonl", "--html", "report.html")
    written = [json.loads(line) for line in (desk.folder / "rows.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [line["id"] for line in written] == [each["id"] for each in ROWS]
    stop, valve, heat, lost = written[:4]
    assert (stop["outcome"], stop["right"], stop["packet"][:3]) == ("Answered", True, "pk-")
    assert stop["gold"][0] == {
        "path": "stop.md",
        "quote": "pump  stops at 80 degrees.",
        "places": [[12, 37]],
        "selected": True,
        "covered": True,
    }
    (claim,) = stop["claims"]
    assert (claim["label"], claim["delivered"], claim["citations"][0]["gold"]) == ("supported", True, True)
    assert claim["citations"][0]["rests_on"]
    assert [item["said"] for item in valve["wanted"]] == [False, False]
    assert heat["claims"][0]["cause"] == "oracle: numbers"
    assert (lost["outcome"], lost["reason"], lost["gold"][0]["places"]) == ("AskForEvidence", "below_minimum_score", [])
    assert "Answers: questions.jsonl" in (desk.folder / "report.html").read_text(encoding="utf-8")


def test_a_second_judge_is_compared_and_nothing_acts_on_it(desk: Desk) -> None:
    alone = desk.json()
    beside = shadowed(desk, "--shadow", "llm", "--rows", "rows.jsonl")
    assert beside["metrics"] == alone["metrics"]
    assert beside["shadow"] == {
        "judge": "llm",
        "claims": 5,
        "judged": 5,
        "open": 2,
        "disagreements": 1,
        "agreement": {"value": 0.5, "low": pytest.approx(0.0945, abs=1e-3), "high": pytest.approx(0.9055, abs=1e-3)},
        "verdicts": {
            "supported": {"supported": 2, "contradicted": 0, "unresolved": 0},
            "contradicted": {"supported": 0, "contradicted": 1, "unresolved": 0},
            "unresolved": {"supported": 1, "contradicted": 0, "unresolved": 1},
        },
        "not_judged": {},
    }
    lines = [json.loads(line) for line in (desk.folder / "rows.jsonl").read_text(encoding="utf-8").splitlines()]
    (valve,) = lines[1]["claims"]
    assert (valve["verdict"], valve["shadow"]["verdict"], valve["shadow"]["agrees"]) == (
        "unresolved",
        "supported",
        False,
    )


def test_the_oracles_can_be_the_shadow_of_a_judge(desk: Desk) -> None:
    desk.settings(judge="llm")
    found = shadowed(desk, "--shadow", "oracles")
    assert values(found)["answered"] == 2 / 4
    assert found["shadow"]["verdicts"]["supported"] == {"supported": 2, "contradicted": 0, "unresolved": 1}


def test_a_second_judge_that_fails_ends_nothing_and_is_told(desk: Desk) -> None:
    found = shadowed(desk, "--shadow", "llm", judge=fails(401))
    assert (found["n"], found["shadow"]["judged"], found["shadow"]["open"]) == (7, 3, 0)
    assert found["shadow"]["not_judged"] == {"provider_error (http_401)": 2}
    assert found["shadow"]["agreement"]["value"] is None


@pytest.mark.parametrize(
    ("kind", "mode", "says"),
    [
        ("oracles", "reviewed", "--shadow oracles is the judge of [judge] itself"),
        ("oracle", "reviewed", "--shadow oracle: no such judge"),
        ("llm", "cited", "--shadow: in cited mode no claim is judged"),
    ],
)
def test_a_shadow_that_could_compare_nothing_is_refused(desk: Desk, kind: str, mode: str, says: str) -> None:
    desk.settings(mode=mode)
    found = desk.run("--json", "--shadow", kind)
    assert (found.code, found.json["message"]) == (2, says)


def test_no_shadow_is_shown_text_that_may_not_leave_this_host(desk: Desk) -> None:
    text = (desk.folder / "toulmin.toml").read_text(encoding="utf-8")
    before, _, _ = text.partition("[judge]")
    write(desk.folder, {"toulmin.toml": f'{before}[judge]\nbase_url = "https://judge.example/v1"\n'})
    found = desk.run("--json", "--shadow", "llm")
    assert (found.code, found.json["code"]) == (2, "egress_denied")


def test_a_workspace_without_open_questions_is_refused(desk: Desk) -> None:
    text = (desk.folder / "toulmin.toml").read_text(encoding="utf-8")
    write(desk.folder, {"toulmin.toml": text.replace("[open_question]", "[open_question]\nenabled = false")})
    found = desk.run("--json")
    assert (found.code, found.json["code"]) == (2, "open_questions_off")


def test_two_files_of_rows_are_compared_question_by_question(desk: Desk) -> None:
    desk.run("--rows", "before.jsonl")
    desk.settings(judge="llm")
    shadowed(desk, "--rows", "after.jsonl")
    found = called("eval", "compare", "before.jsonl", "after.jsonl", "--json", at=desk.folder).json
    assert (found["kind"], found["paired"]) == ("answers", 7)
    assert found["metrics"]["answered"]["difference"]["value"] == 1 / 4
    told = called("eval", "compare", "before.jsonl", "after.jsonl", at=desk.folder).out
    assert "7 questions that both judged, question by question, 95 % intervals" in told
