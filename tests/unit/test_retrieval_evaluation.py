from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toulmin.domain.corpus.document import Passage, RevisionId, Standing, Status
from toulmin.domain.errors import InputError
from toulmin.domain.evidence.ranking import Ranked
from toulmin.evaluation.beir import Query
from toulmin.evaluation.intervals import Measure, mean
from toulmin.evaluation.questions import Gold, Question, filled, read_questions
from toulmin.evaluation.relevance import Ranking
from toulmin.evaluation.report import Bound, report_json
from toulmin.evaluation.retrieval import Judged, Results, depth, judged, judged_query, lines, names, report
from toulmin.evaluation.retrieval_page import page
from toulmin.testing.builders import ALWAYS, NOW, descriptor

ROW: dict[str, object] = {
    "id": "q-1",
    "question": "Which hosts get the cookie?",
    "version": "2.2.5",
    "gold": [{"path": "docs/config.rst", "quote": "valid for all subdomains"}],
    "answerable": True,
    "kind": "fact",
    "group": "config/cookie",
}
OTHER = ROW | {"id": "q-2"}


def written(folder: Path, *rows: object) -> Path:
    path = folder / "questions.jsonl"
    path.write_text("".join(row if isinstance(row, str) else f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def refusal(path: Path) -> InputError:
    with pytest.raises(InputError) as caught:
        read_questions(path)
    return caught.value


def question(
    *gold: tuple[str, str], name: str = "q", version: str = "2.2.5", kind: str = "fact", group: str = "g"
) -> Question:
    quotes = tuple(Gold(path=path, quote=quote) for path, quote in gold)
    return Question(id=name, question="Which?", version=version, gold=quotes, kind=kind, group=group)


def passage(text: str, document: str = "config.rst", version: str = "2.2.5") -> Ranked:
    standing = Standing(
        key=1,
        id=RevisionId(document, version),
        text_sha256="0" * 64,
        bytes_sha256="0" * 64,
        descriptor=descriptor(),
        validity=ALWAYS,
        superseded=False,
        status=Status.LIVE,
        since=1,
        ingested_at=NOW,
    )
    return Ranked(standing=standing, passage=Passage(start=0, end=len(text)), text=text, score=1.0)


def at_rank(rank: int | None, *, kind: str = "fact", version: str = "2.2.5", other_version: int = 0) -> Judged:
    found = Ranking(gains=(*[0.0] * (rank - 1), 1.0) if rank else (), ideal=(1.0,))
    return row(found, kind=kind, version=version, other_version=other_version)


def unanswerable(*, kind: str = "docs-silent", other_version: int = 0) -> Judged:
    return row(None, kind=kind, other_version=other_version)


def row(found: Ranking | None, *, kind: str, version: str = "2.2.5", other_version: int = 0) -> Judged:
    return Judged(
        id="q",
        question="Which?",
        group="g",
        ranking=found,
        kind=kind,
        version=version,
        passages=10,
        other_version=other_version,
        longest=7,
    )


def test_a_question_file_is_read_in_its_order_and_blank_lines_count_for_nothing(tmp_path: Path) -> None:
    path = written(tmp_path, ROW, "\n", ROW | {"id": "q-0", "gold": [], "answerable": False})
    first, second = read_questions(path)
    assert first == Question(
        id="q-1",
        question="Which hosts get the cookie?",
        version="2.2.5",
        gold=(Gold(path="docs/config.rst", quote="valid for all subdomains"),),
        kind="fact",
        group="config/cookie",
    )
    assert (first.answerable, second.id, second.answerable) == (True, "q-0", False)


@pytest.mark.parametrize(
    ("row", "code", "place"),
    [
        (OTHER | {"note": "new"}, "unknown_key", ": note"),
        ({key: value for key, value in OTHER.items() if key != "version"}, "missing_key", ": version"),
        (OTHER | {"version": 2}, "wrong_type", ": version"),
        (OTHER | {"answerable": "yes"}, "wrong_type", ": answerable"),
        (OTHER | {"question": " "}, "wrong_type", ": question"),
        (OTHER | {"gold": [{"path": "a.rst", "quote": "b", "page": 1}]}, "unknown_key", ": gold[0].page"),
        (OTHER | {"gold": [{"path": "a.rst", "quote": ""}]}, "wrong_type", ": gold[0].quote"),
        (OTHER | {"gold": []}, "bad_gold", ": gold"),
        (OTHER | {"answerable": False}, "bad_gold", ": gold"),
        ('{"id": "q-2", "id": "q-3"}', "duplicate_key", ""),
        ('{"id": ', "bad_json", ""),
        (ROW, "duplicate_id", ": id"),
    ],
)
def test_a_row_that_is_wrong_is_refused_with_its_line(tmp_path: Path, row: object, code: str, place: str) -> None:
    path = written(tmp_path, ROW, row)
    fault = refusal(path)
    assert (fault.code, fault.where) == (code, f"{path}:2{place}")
    assert fault.remedy


def test_an_id_that_occurs_twice_names_both_lines(tmp_path: Path) -> None:
    fault = refusal(written(tmp_path, ROW, "\n", ROW))
    assert fault.where is not None
    assert fault.where.endswith(":3: id")
    assert fault.message == "id 'q-1' occurs twice, first on line 1"


@pytest.mark.parametrize("content", ["", "\n \n"])
def test_a_dataset_without_rows_is_no_dataset(tmp_path: Path, content: str) -> None:
    assert refusal(written(tmp_path, content)).code == "empty_dataset"


def test_a_dataset_that_is_not_there_is_named(tmp_path: Path) -> None:
    fault = refusal(tmp_path / "none.jsonl")
    assert (fault.code, fault.where) == ("unreadable_file", str(tmp_path / "none.jsonl"))


def test_a_case_template_takes_the_fields_of_the_question() -> None:
    asked = question(name="q-7", version="3.0.3")
    assert filled({"flask": "{version}", "who": "{id} of {group}", "fixed": "yes"}, asked) == {
        "flask": "3.0.3",
        "who": "q-7 of g",
        "fixed": "yes",
    }


@pytest.mark.parametrize(
    "template", ["{versions}", "{}", "{version", "version}", "{version.real}", "{answerable}", "{{version}}"]
)
def test_a_template_with_another_brace_is_refused_and_the_fields_are_named(template: str) -> None:
    with pytest.raises(InputError) as caught:
        filled({"flask": template}, question())
    assert f"flask={template}" in caught.value.message
    assert caught.value.remedy == "write one of {id}, {question}, {version}, {kind}, {group}"


def test_a_passage_is_gold_when_it_holds_the_quote_whole_however_its_lines_are_broken() -> None:
    asked = question(("config.rst", "valid for  all subdomains of\nthe server."))
    assert judged(asked, [passage("It is valid for all\n    subdomains\tof the server.")]).rank == 1


@pytest.mark.parametrize(
    "other",
    [
        passage("valid for all subdomains", document="api.rst"),
        passage("valid for all subdomains", version="2.3.3"),
        passage("valid for all"),
        passage("Valid For All Subdomains"),
    ],
    ids=["another document", "another version", "part of the quote", "other letters"],
)
def test_a_passage_with_anything_else_is_not_gold(other: Ranked) -> None:
    asked = question(("config.rst", "valid for all subdomains"))
    assert judged(asked, [other]).rank is None
    assert judged(asked, [other, passage("valid for all subdomains")]).rank == 2


def test_any_gold_entry_is_enough_but_only_in_its_own_document() -> None:
    asked = question(("config.rst", "first"), ("api.rst", "second"))
    found = [passage("second"), passage("first", document="api.rst"), passage("second", document="api.rst")]
    assert judged(asked, found).rank == 3


def test_a_question_has_one_relevant_thing_the_first_that_was_found() -> None:
    asked = question(("config.rst", "gold"))
    row = judged(asked, [passage("none"), passage("gold"), passage("gold again")])
    assert row.ranking == Ranking(gains=(0.0, 1.0, 0.0), ideal=(1.0,))
    assert report([row], 5).whole.value("ndcg@10") == pytest.approx(1 / math.log2(3))
    assert [item.gain for item in row.listed] == [0.0, 1.0, 1.0]


def test_documents_of_a_query_stand_by_their_best_passages_and_count_once() -> None:
    query = Query(id="q1", text="Which?", grades={"a": 1.0, "b": 2.0})
    found = [passage("one two three", "x"), passage("one", "b"), passage("two", "x"), passage("last", "a")]
    row = judged_query(query, found, 3)
    assert row.ranking == Ranking(gains=(0.0, 2.0, 1.0), ideal=(2.0, 1.0))
    assert [(item.document, item.gain) for item in row.listed] == [("x", 0.0), ("b", 2.0), ("a", 1.0)]
    assert (row.passages, row.longest, row.other_version, row.group) == (4, 3, 0, "q1")
    assert judged_query(query, found, 2).ranking == Ranking(gains=(0.0, 2.0), ideal=(2.0, 1.0))


def test_every_question_leaves_a_line_with_its_values_and_what_was_found() -> None:
    asked = [question(("config.rst", "gold"), name="q1"), question(name="q2", kind="docs-silent")]
    rows = tuple(judged(item, [passage("none"), passage("gold", version="3.0.3"), passage("gold")]) for item in asked)
    first, second = json.loads(json.dumps(list(lines(Results(dataset="d", rows=rows, k=5)))))
    assert list(first) == [
        "id",
        "group",
        "phenomenon",
        "version",
        "question",
        "relevant",
        "scores",
        "rank",
        "passages",
        "other_version_passages",
        "found",
    ]
    assert (first["rank"], first["scores"]["recall@5"], first["scores"]["mrr@10"]) == (3, 1.0, pytest.approx(1 / 3))
    assert (second["rank"], second["scores"], second["other_version_passages"]) == (None, {}, 1)
    assert first["found"][2] == {
        "document": "config.rst",
        "version": "2.2.5",
        "passage": "p0-4",
        "score": 1.0,
        "gain": 1.0,
    }


def test_the_depth_is_what_the_deepest_metric_looks_at() -> None:
    assert (depth(5), depth(250)) == (100, 250)


def test_the_page_tells_values_notes_ranks_and_what_was_missed_and_escapes_questions() -> None:
    rows = (at_rank(1), at_rank(7), replace(at_rank(None), id="q-<b>", question="<script>?"), unanswerable())
    results = Results(dataset="pumps.jsonl", rows=rows, k=5, notes=("queries left out: 3",))
    shown = page(results)
    assert page(results) == shown
    assert "Retrieval: pumps.jsonl" in shown
    assert "queries left out: 3" in shown
    assert "4 questions (3 with something to find) in 1 groups" in shown
    assert "&lt;script&gt;?" in shown
    assert "<script>" not in shown
    assert re.search(r">6 to 10</th><td>1<", shown)
    assert re.search(r">deeper, or not found</th><td>1<", shown)
    assert "By phenomenon" in shown
    assert "Not among the best 5" in shown


def test_a_page_of_what_was_all_found_lists_nothing_missed_and_no_parts_that_nobody_states() -> None:
    rows = (replace(at_rank(1), kind=None, version=None),)
    shown = page(Results(dataset="d", rows=rows, k=5))
    assert "Not among the best" not in shown
    assert "By " not in shown.partition("</style>")[2]


def test_a_page_that_leaves_missed_questions_out_says_of_how_many() -> None:
    shown = page(Results(dataset="d", rows=(at_rank(None),) * 60, k=5))
    assert "the first 50 of 60" in shown


def test_passages_of_another_version_are_counted_for_questions_without_an_answer_too() -> None:
    found = [passage("a", version="2.3.3"), passage("b"), passage("c", version="3.0.3")]
    row = judged(question(), found)
    assert (row.passages, row.other_version, row.rank) == (3, 2, None)


def test_metrics_are_over_answerable_questions_and_counts_over_all() -> None:
    whole = report([at_rank(1), at_rank(4), at_rank(6), at_rank(None), unanswerable(other_version=3)], 5).whole
    assert whole.n == 5
    assert whole.value("recall@5") == 2 / 4
    assert whole.value("mrr@10") == pytest.approx((1 + 1 / 4 + 1 / 6) / 4)
    assert dict(whole.counts) == {
        "answerable": 4,
        "passages": 50,
        "other_version_passages": 3,
        "longest_passage": 7,
    }


def test_recall_looks_at_the_best_k_and_reciprocal_rank_at_the_best_ten() -> None:
    rows = [at_rank(5), at_rank(6), at_rank(12)]
    assert report(rows, 5).whole.value("recall@5") == pytest.approx(1 / 3)
    assert report(rows, 12).whole.value("recall@12") == 1
    assert report(rows, 12).whole.value("mrr@10") == pytest.approx((1 / 5 + 1 / 6) / 3)


def test_a_report_is_broken_down_by_kind_and_version() -> None:
    found = report([at_rank(1), at_rank(None, version="3.0.3"), at_rank(2, kind="howto"), unanswerable()], 5)
    assert {name: {value: part.n for value, part in parts.items()} for name, parts in found.by.items()} == {
        "phenomenon": {"docs-silent": 1, "fact": 2, "howto": 1},
        "version": {"2.2.5": 3, "3.0.3": 1},
    }
    assert found.by["phenomenon"]["fact"].value("recall@5") == 0.5
    assert found.by["version"]["3.0.3"].value("recall@5") == 0


def test_where_nothing_could_be_measured_a_metric_has_no_value() -> None:
    found = report([at_rank(1), unanswerable()], 5)
    assert found.by["phenomenon"]["docs-silent"].metrics["recall@5"] == Measure(value=None, low=None, high=None)
    assert report_json(found)["by"]["phenomenon"]["docs-silent"]["metrics"]["recall@5"] == {
        "value": None,
        "low": None,
        "high": None,
    }


def test_a_report_as_json_has_the_public_shape() -> None:
    shape = json.loads(json.dumps(report_json(report([at_rank(1), at_rank(1)], 5))))
    assert list(shape) == ["schema", "kind", "n", "metrics", "by"]
    assert (shape["schema"], shape["kind"], shape["n"]) == ("toulmin.eval/1", "retrieval", 2)
    assert list(shape["metrics"]) == [
        "ndcg@10",
        "recall@5",
        "recall@10",
        "recall@100",
        "mrr@10",
        "answerable",
        "passages",
        "other_version_passages",
        "longest_passage",
    ]
    assert shape["metrics"]["recall@5"] == {"value": 1.0, "low": pytest.approx(0.3424, abs=1e-4), "high": 1.0}
    assert shape["by"]["version"] == {"2.2.5": {key: shape[key] for key in ("n", "metrics")}}


def test_the_names_that_bounds_may_use_are_those_that_a_report_has() -> None:
    assert names(3) == (
        "ndcg@10",
        "recall@3",
        "recall@5",
        "recall@10",
        "recall@100",
        "mrr@10",
        "answerable",
        "passages",
        "other_version_passages",
        "longest_passage",
    )
    assert names(5)[1:4] == ("recall@5", "recall@10", "recall@100")


@pytest.mark.parametrize(
    ("bound", "fault"),
    [
        (Bound(name="recall@5", limit=0.5, upper=False), None),
        (Bound(name="recall@5.low", limit=0.5, upper=False), "recall@5.low is "),
        (Bound(name="recall@5.high", limit=0.5, upper=True), "recall@5.high is "),
        (Bound(name="recall@5.high", limit=1, upper=True), None),
        (Bound(name="recall@5", limit=0.5, upper=True), None),
        (Bound(name="recall@5", limit=0.9, upper=False), "recall@5 is 0.5, below 0.9"),
        (Bound(name="other_version_passages", limit=0, upper=True), "other_version_passages is 2, above 0"),
    ],
)
def test_a_bound_is_kept_where_the_value_reaches_it_and_a_missed_one_says_how(bound: Bound, fault: str | None) -> None:
    found = bound.fault(report([at_rank(1), at_rank(None, other_version=2)], 5))
    assert found == fault or (fault is not None and (found or "").startswith(fault))


@pytest.mark.parametrize("upper", [True, False])
def test_what_could_not_be_measured_keeps_no_bound(upper: bool) -> None:
    fault = Bound(name="recall@5", limit=0.5, upper=upper).fault(report([unanswerable()], 5))
    assert fault is not None
    assert fault.startswith("recall@5 could not be measured")


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"),
    [(8, 10, 0.4902, 0.9433), (0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (15, 148, 0.0624, 0.1605)],
)
def test_a_share_has_its_published_wilson_interval(hits: int, n: int, low: float, high: float) -> None:
    found = mean([1.0] * hits + [0.0] * (n - hits))
    assert found.value == hits / n
    assert found.low == pytest.approx(low, abs=1e-4)
    assert found.high == pytest.approx(high, abs=1e-4)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=50))
def test_an_interval_holds_its_mean_stays_in_range_and_is_never_without_width(values: list[float]) -> None:
    found = mean(values)
    assert found.value is not None
    assert found.low is not None
    assert found.high is not None
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert found.high - found.low > 0.05
    assert math.isclose(found.value, sum(values) / len(values), abs_tol=1e-9)
