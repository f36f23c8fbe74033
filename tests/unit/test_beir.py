from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from toulmin.domain.errors import InputError
from toulmin.evaluation.beir import Document, Query, is_collection, read_collection

CORPUS: Sequence[dict[str, object]] = (
    {"_id": "d1", "title": "Pumps", "text": "The pump stops at 80 degrees.", "metadata": {"url": "x"}},
    {"_id": "d2", "title": "Valves", "text": " "},
    {"_id": "d3", "title": "", "text": ""},
    {"_id": "d4", "text": "No title here."},
)
QUERIES: Sequence[dict[str, object]] = (
    {"_id": "q1", "text": "When does the pump stop?"},
    {"_id": "q2", "text": "What are valves?"},
    {"_id": "q3", "text": "Nobody judged this."},
)
QRELS = "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td4\t0\nq2\td4\t0\n"


def folder(
    root: Path,
    *,
    corpus: Sequence[object] = CORPUS,
    queries: Sequence[object] = QUERIES,
    qrels: str | None = QRELS,
) -> Path:
    """A BEIR folder; rows that are texts stand in it as they are."""
    for name, rows in (("corpus", corpus), ("queries", queries)):
        text = "\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows)
        (root / f"{name}.jsonl").write_text(text, encoding="utf-8")
    (root / "qrels").mkdir()
    if qrels is not None:
        (root / "qrels" / "test.tsv").write_text(qrels, encoding="utf-8")
    return root


def fault(root: Path, split: str = "test") -> InputError:
    with pytest.raises(InputError) as caught:
        read_collection(root, split)
    return caught.value


def test_a_folder_is_read_with_titles_grades_and_what_is_left_out(tmp_path: Path) -> None:
    found = read_collection(folder(tmp_path), "test")
    assert found.documents[0] == Document(
        id="d1", title="Pumps", text="The pump stops at 80 degrees.", place=f"{tmp_path / 'corpus.jsonl'}:1"
    )
    assert found.queries == (Query(id="q1", text="When does the pump stop?", grades={"d1": 2.0, "d4": 0.0}),)
    assert (found.name, found.empty, found.unjudged, found.without) == (tmp_path.name, 1, 1, 1)
    assert found.notes == (
        "documents without title and text, which nothing finds: 1",
        "queries without a judgement in test, left out: 1",
        "queries without a relevant document in test, left out: 1",
    )


def test_a_folder_is_a_collection_and_a_file_is_none(tmp_path: Path) -> None:
    assert is_collection(folder(tmp_path))
    assert not is_collection(tmp_path / "corpus.jsonl")


def test_documents_are_ingested_under_their_ids_with_their_titles_and_a_title_alone_is_their_text(
    tmp_path: Path,
) -> None:
    loaded = [(entry.name, entry.load()) for entry in read_collection(folder(tmp_path), "test").entries()]
    assert [name.rpartition("/")[2] for name, _ in loaded] == [
        "corpus.jsonl:1.txt",
        "corpus.jsonl:2.txt",
        "corpus.jsonl:4.txt",
    ]
    assert [submitted.default_id for _, submitted in loaded] == ["d1", "d2", "d4"]
    assert [submitted.data for _, submitted in loaded] == [
        b"The pump stops at 80 degrees.",
        b"Valves",
        b"No title here.",
    ]
    assert [submitted.before[0].title for _, submitted in loaded] == ["Pumps", "Valves", None]


def test_compressed_files_are_read_and_the_head_of_judgements_may_be_missing(tmp_path: Path) -> None:
    root = folder(tmp_path, qrels="q1\td1\t1\r\n\r\n")
    for name in ("corpus", "queries"):
        plain = root / f"{name}.jsonl"
        (root / f"{name}.jsonl.gz").write_bytes(gzip.compress(plain.read_bytes()))
        plain.unlink()
    assert read_collection(root, "test").queries[0].grades == {"d1": 1.0}


def test_control_characters_in_a_document_are_white_space(tmp_path: Path) -> None:
    rows = [{"_id": "d1", "text": "80\u0096degrees"}, '{"_id": "d4", "text": "a\\u0000b"}']
    found = read_collection(folder(tmp_path, corpus=rows), "test")
    assert [document.text for document in found.documents] == ["80 degrees", "a b"]


@pytest.mark.parametrize(
    ("corpus", "line", "code"),
    [
        ([*CORPUS, {"_id": "d1", "text": "again"}], 5, "duplicate_id"),
        ([{"_id": "d1"}], 1, "missing_key"),
        ([{"text": "no id"}], 1, "missing_key"),
        ([{"_id": 7, "text": "a number"}], 1, "wrong_type"),
        (["{not json"], 1, "bad_json"),
        (["[1]"], 1, "wrong_type"),
        (["[" * 100_000], 1, "bad_json"),
    ],
)
def test_a_wrong_document_is_named_with_its_line(
    tmp_path: Path, corpus: Sequence[object], line: int, code: str
) -> None:
    found = fault(folder(tmp_path, corpus=corpus))
    assert found.code == code
    assert f"corpus.jsonl:{line}" in str(found.where)


@pytest.mark.parametrize(
    ("row", "code", "says"),
    [
        ("q9\td1\t1", "unknown_query", "there is no query 'q9'"),
        ("q1\td9\t1", "unknown_document", "there is no document 'd9'"),
        ("q1\td1\t1", "duplicate_judgement", "document 'd1' is judged twice for query 'q1'"),
        ("q1\td4", "bad_judgement", "the line is no query id, document id and whole grade"),
        ("q1\td4\tmuch", "bad_judgement", "the line is no query id, document id and whole grade"),
        ("q1\td4\t1.5", "bad_judgement", "the line is no query id, document id and whole grade"),
        ("q1 d4 1", "bad_judgement", "the line is no query id, document id and whole grade"),
    ],
)
def test_a_wrong_judgement_is_named_with_its_line(tmp_path: Path, row: str, code: str, says: str) -> None:
    found = fault(folder(tmp_path, qrels=f"query-id\tcorpus-id\tscore\nq1\td1\t1\n{row}\n"))
    assert (found.code, found.message.startswith(says)) == (code, True)
    assert str(found.where).endswith("qrels/test.tsv:3")


def test_a_split_that_is_not_there_names_those_that_are(tmp_path: Path) -> None:
    found = fault(folder(tmp_path), "train")
    assert (found.code, found.remedy) == ("unknown_split", "name a --split that is there: test")


def test_a_folder_without_judgements_says_so(tmp_path: Path) -> None:
    found = fault(folder(tmp_path, qrels=None))
    assert (found.code, found.remedy) == ("unknown_split", "name a --split that is there: none")


@pytest.mark.parametrize("qrels", ["", "query-id\tcorpus-id\tscore\n", "q1\td1\t0\n"])
def test_judgements_that_leave_nothing_to_measure_are_refused(tmp_path: Path, qrels: str) -> None:
    assert fault(folder(tmp_path, qrels=qrels)).code == "empty_dataset"


def test_a_folder_that_is_no_collection_names_the_file_that_is_missing(tmp_path: Path) -> None:
    found = fault(tmp_path)
    assert (found.code, str(found.where).endswith("corpus.jsonl")) == ("unreadable_file", True)
