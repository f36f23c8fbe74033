"""BEIR folders: documents, queries, and judgements of which documents are relevant to which query.

Layout as of Thakur, Reimers, Rueckle, Srivastava and Gurevych 2021, "BEIR": `corpus.jsonl` (`_id`, `title`, `text`), `queries.jsonl` (`_id`, `text`) and
`qrels/SPLIT.tsv` (query id, document id, grade; with or without a line of heads). Files of JSON lines may be compressed (`.gz`), and may have
keys that nothing here asks for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from toulmin.domain.corpus.metadata import Metadata
from toulmin.domain.corpus.readers import PUBLIC
from toulmin.domain.errors import InputError
from toulmin.evaluation.rows import Row, file_lines, rows
from toulmin.ports.source import Entry, Submitted
from toulmin.wire.node import Node, node_of, place
from toulmin.wire.scalars import Identifier, Text, Words
from toulmin.wire.source import decoded

_KEYS = ("_id", "title", "text")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_HEAD = "query-id\tcorpus-id\tscore"


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A document of the corpus. `place` is the file and line that it stands on."""

    id: str
    title: str
    text: str
    place: str

    @property
    def body(self) -> str:
        """What is searched beside the title; the title itself, where there is no text."""
        return self.text if self.text.strip() else self.title


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A query with the grade of every document that was judged for it."""

    id: str
    text: str
    grades: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """A BEIR folder: its documents, and the queries of one split that have a relevant document.

    `empty` documents have neither title nor text: they are among the documents, and nothing finds them. `unjudged` queries are not of the
    split, `without` are, and have no relevant document: they cannot be measured.
    """

    name: str
    split: str
    documents: tuple[Document, ...]
    queries: tuple[Query, ...]
    empty: int
    unjudged: int
    without: int

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out, in words."""
        counts = (
            ("documents without title and text, which nothing finds", self.empty),
            (f"queries without a judgement in {self.split}, left out", self.unjudged),
            (f"queries without a relevant document in {self.split}, left out", self.without),
        )
        return tuple(f"{what}: {count}" for what, count in counts if count)

    def entries(self) -> Iterable[Entry]:
        """The documents that have any text, for an ingest: public, of one version, with their titles; named after file and line."""
        return (_entry(document) for document in self.documents if document.body.strip())


class _Document(Row):
    id: Identifier = Field(alias="_id")
    title: Text = ""
    text: Text


class _Query(Row):
    id: Identifier = Field(alias="_id")
    title: Text = ""
    text: Words


@dataclass(frozen=True, slots=True)
class _Judgement:
    query: str
    document: str
    grade: float
    where: str


def is_collection(path: Path) -> bool:
    """Whether a dataset is a folder, which BEIR's are."""
    return path.is_dir()


def read_collection(folder: Path, split: str) -> Collection:
    """The collection of a folder with the judgements of a split.

    Raises `InputError` with file and line: also for an id that occurs twice, for a judgement of a query or document that is not there, and
    for a document that is judged twice for a query.
    """
    corpus = _file(folder, "corpus")
    documents = tuple(
        Document(id=row.id, title=row.title, text=row.text, place=f"{corpus}:{node.line}")
        for row, node in rows(corpus, _Document, _row)
    )
    texts = {row.id: row.text for row, _ in rows(_file(folder, "queries"), _Query, _row)}
    grades = _grades(_judgements(folder, split), texts, {document.id for document in documents})
    queries = tuple(
        Query(id=name, text=texts[name], grades=given)
        for name, given in grades.items()
        if any(grade > 0 for grade in given.values())
    )
    if not queries:
        message = f"no query of the split {split} has a relevant document"
        raise InputError("empty_dataset", message, where=str(folder), remedy="name another --split")
    return Collection(
        name=folder.resolve().name,
        split=split,
        documents=documents,
        queries=queries,
        empty=sum(not document.body.strip() for document in documents),
        unjudged=len(texts) - len(grades),
        without=len(grades) - len(queries),
    )


def _row(data: bytes, source: str, *, line: int) -> Node:
    """A row as others write it: control characters in its texts are white space, since a document may hold any."""
    where = place(source, line)
    try:
        row = json.loads(data)
    except (ValueError, RecursionError):
        raise InputError("bad_json", "malformed JSON", where=where, remedy="write one JSON object") from None
    if not isinstance(row, dict):
        raise InputError("wrong_type", "the line is no JSON object", where=where, remedy="write one JSON object")
    known = {key: row[key] for key in _KEYS if key in row}
    return node_of({key: _spaced(value) for key, value in known.items()}, source, line=line)


def _spaced(value: object) -> object:
    return _CONTROL.sub(" ", value) if isinstance(value, str) else value


def _file(folder: Path, name: str) -> Path:
    plain, packed = folder / f"{name}.jsonl", folder / f"{name}.jsonl.gz"
    return packed if packed.exists() and not plain.exists() else plain


def _judgements(folder: Path, split: str) -> list[_Judgement]:
    path = folder / "qrels" / f"{split}.tsv"
    if not path.exists():
        known = ", ".join(sorted(file.stem for file in path.parent.glob("*.tsv"))) or "none"
        message = f"there are no judgements of the split {split}"
        raise InputError("unknown_split", message, where=str(path), remedy=f"name a --split that is there: {known}")
    lines = (decoded(data, str(path), first_line=line).strip() for line, data in enumerate(file_lines(path), start=1))
    found = [
        _judgement(text, f"{path}:{line}")
        for line, text in enumerate(lines, start=1)
        if text and not (line == 1 and text == _HEAD)
    ]
    if not found:
        raise InputError("empty_dataset", "there is no judgement", where=str(path), remedy="write one judgement a line")
    return found


def _judgement(text: str, where: str) -> _Judgement:
    try:
        query, document, grade = text.split("\t")
        return _Judgement(query, document, float(int(grade)), where)
    except ValueError:
        raise InputError(
            "bad_judgement",
            "the line is no query id, document id and whole grade with tabs between them",
            where=where,
            remedy="write for instance: q1<tab>d7<tab>1",
        ) from None


def _grades(
    judgements: Iterable[_Judgement], queries: Mapping[str, str], documents: set[str]
) -> dict[str, dict[str, float]]:
    """The grades by query, in the order of the file."""
    grades: dict[str, dict[str, float]] = {}
    for item in judgements:
        for what, name, known in (("query", item.query, queries), ("document", item.document, documents)):
            if name not in known:
                advice = f"add the {what}, or take the line out"
                raise InputError(f"unknown_{what}", f"there is no {what} {name!r}", where=item.where, remedy=advice)
        given = grades.setdefault(item.query, {})
        if item.document in given:
            message = f"document {item.document!r} is judged twice for query {item.query!r}"
            raise InputError("duplicate_judgement", message, where=item.where, remedy="keep one of the two")
        given[item.document] = item.grade
    return grades


def _entry(document: Document) -> Entry:
    stated = Metadata(
        stated=frozenset({"id", "version", "title", "readers"}),
        id=document.id,
        version="1",
        title=document.title or None,
        readers=(PUBLIC,),
    )
    submitted = Submitted(default_id=document.id, data=document.body.encode(), before=(stated,))
    return Entry(name=f"{document.place}.txt", load=lambda: submitted)
