"""Which way to cut documents into passages, and what to index beside a passage's own words: lexical, dense and fused search, on two datasets.

Usage: passages.py DATA [--cache FOLDER] [--lexical] [--report]
DATA is the folder with `flask-docs/`, `flask-eval/` and `retrieval/scifact/`. Vectors are kept by the digests of their texts in the cache folder
(default: /var/tmp/toulmin-bench), since they take nearly all of the time; --lexical makes none, and --cached shows dense and fused search only where all of them are there.
Chosen on one half of flask-eval (groups whose SHA-256 begins with 0-7: of the answerable questions the share with a gold quote whole among the
best five passages) and on the train queries of scifact (nDCG@10 by documents). Of scifact there are the documents that are relevant to the train queries that
are asked, every eighth, and every twelfth of the others, so that it can be done on two cores. --report shows the chosen way on what it was not chosen on:
the other half of flask-eval, only counted.
"""

from __future__ import annotations

import argparse
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from statistics import mean, median
from typing import Any

import numpy as np
from common import report, say

from toulmin.adapters.files.text import TextParser
from toulmin.adapters.onnx import StatedEmbedder, onnx_embedder
from toulmin.adapters.tantivy.index import TantivyIndex
from toulmin.domain.corpus.boilerplate import COUNTS, weight
from toulmin.domain.corpus.document import Passage, RevisionId, Standing, Status
from toulmin.domain.corpus.folds import Folded
from toulmin.domain.corpus.markup import MARKUP
from toulmin.domain.corpus.passages import Section, cut
from toulmin.domain.corpus.sentences import sentences
from toulmin.domain.corpus.text import trimmed
from toulmin.domain.corpus.validity import Validity
from toulmin.domain.evidence.fusion import mixed
from toulmin.domain.evidence.ranking import Ranked, ranked
from toulmin.domain.question.eligibility import Filter
from toulmin.evaluation.beir import read_collection
from toulmin.evaluation.intervals import briefly
from toulmin.evaluation.labels import hashed_into
from toulmin.evaluation.questions import read_questions
from toulmin.evaluation.retrieval import Judged, estimates, judged, judged_query
from toulmin.ports.embedder import Embedder
from toulmin.ports.store import Change, Changes
from toulmin.testing.builders import descriptor

NOW = datetime(2026, 6, 1, tzinfo=UTC)
OPEN_HALF, KEPT_HALF = "01234567", "89abcdef"
METRICS = ("recall@5", "ndcg@10", "recall@100")
DEPTH = 100
K = 5
_NEIGHBOUR_WORDS = 40
_EVERY_QUERY, _EVERY_OTHER_DOCUMENT = 8, 12
_AT_ONCE = 64
_ALL = 10**6

Range = tuple[int, int]
Cutting = Callable[[str, Sequence[Section]], Sequence[Passage]]


@dataclass(frozen=True, kw_only=True)
class Source:
    """A document as it was parsed. `scope` keeps versions apart."""

    id: RevisionId
    scope: int
    title: str | None
    text: str
    sections: tuple[Section, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What is asked, in which scope, and what a ranked list is worth for it."""

    text: str
    scope: int
    judge: Callable[[Sequence[Ranked]], Judged]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """Documents with the queries that are asked of them."""

    name: str
    sources: tuple[Source, ...]
    queries: tuple[Query, ...]


def windows(words: int) -> Cutting:
    """So many words, wherever that ends: no structure is looked at but for the heading above the first word."""

    def cut_windows(text: str, sections: Sequence[Section]) -> Sequence[Passage]:
        found = list(_words(text, sections))
        parts = (found[at : at + words] for at in range(0, len(found), words))
        return [Passage(start=part[0][0], end=part[-1][1], heading=part[0][2]) for part in parts]

    return cut_windows


def chapters(text: str, sections: Sequence[Section]) -> Sequence[Passage]:
    """Neighbouring sections of a chapter (the same two outermost headings) packed together, their headings among the words."""
    packed: list[Passage] = []
    for _, part in groupby(cut(text, sections), key=lambda passage: passage.heading[:2]):
        packed += _merged(text, list(part), 180)
    return packed


def sentence_windows(text: str, sections: Sequence[Section]) -> Sequence[Passage]:
    """Sentences of a section in windows of about 60 words, each beginning halfway through the one before."""
    return [
        Passage(start=start, end=end, heading=section.heading)
        for section in sections
        for start, end in _halfway(
            text, [part for block in section.blocks for part in sentences(text, block.start, block.end)], 60
        )
    ]


CUTTINGS: Mapping[str, Cutting] = {
    "blocks, 180 words": cut,
    "sections of a chapter, 180 words": chapters,
    "windows, 220 words": windows(220),
    "windows, 60 words": windows(60),
    "sentence windows, 60 words": sentence_windows,
}
MARKS_READ = "marks as read"
CONTEXTS = (
    "nothing",
    "headings",
    "title and headings",
    "title, headings and neighbours",
    f"title and headings, {MARKS_READ}",
)
DEFAULT = ("blocks, 180 words", f"title and headings, {MARKS_READ}")
"""As the product cuts and indexes."""
_BESIDE = "title and headings"
"""What the cuttings are compared with."""


@dataclass(frozen=True, kw_only=True)
class Cut:
    """A dataset's documents cut one way, with what stands beside each passage."""

    sources: tuple[Source, ...]
    passages: tuple[tuple[Passage, ...], ...]

    @cached_property
    def rows(self) -> list[tuple[int, int]]:
        """Every passage by the numbers of its source and of itself."""
        return [(at, ordinal) for at, part in enumerate(self.passages) for ordinal in range(len(part))]

    def words(self, at: int, ordinal: int) -> str:
        passage = self.passages[at][ordinal]
        return self.sources[at].text[passage.start : passage.end]

    def beside(self, at: int, ordinal: int, context: str) -> tuple[str, ...]:
        """The lines of context of a passage: the title, which a heading often repeats, then headings, then neighbouring words."""
        source, passage = self.sources[at], self.passages[at][ordinal]
        title = (source.title or "",) if "title" in context else ()
        headings = passage.heading if "headings" in context else ()
        around = self._around(source.text, passage) if "neighbours" in context else ()
        return tuple(filter(None, dict.fromkeys((*title, *headings, *around))))

    def _around(self, text: str, passage: Passage) -> tuple[str, str]:
        before = text[max(0, passage.start - 1_000) : passage.start].split()[-_NEIGHBOUR_WORDS:]
        after = text[passage.end : passage.end + 1_000].split()[:_NEIGHBOUR_WORDS]
        return " ".join(before), " ".join(after)

    def standing(self, at: int, title: str | None = None) -> Standing:
        source = self.sources[at]
        return Standing(
            key=at + 1,
            id=source.id,
            text_sha256="",
            bytes_sha256="",
            descriptor=descriptor(title=title),
            validity=Validity(start=NOW),
            superseded=False,
            status=Status.LIVE,
            since=1,
            ingested_at=NOW,
        )

    def ranked(self, hits: Iterable[tuple[int, int, float]]) -> list[Ranked]:
        """Hits by source, passage and score, as a search gives them."""
        return [
            Ranked(
                standing=self.standing(at),
                passage=self.passages[at][ordinal],
                text=self.words(at, ordinal),
                score=score,
            )
            for at, ordinal, score in hits
        ]


Found = tuple[Query, Sequence[Ranked]]
Hits = list[tuple[int, int, float]]
"""Source, passage, score; best first."""


def as_read(words: str) -> str:
    """Words without inline marks, as the rendered page shows them. It makes no difference to the index by words, which knows letters and digits only."""
    return Folded.of(words, (MARKUP,)).text


class Lexical:
    """The product's lexical index over a cut, with a context."""

    def __init__(self, cut: Cut, context: str) -> None:
        self._index = TantivyIndex()
        changes = tuple(
            Change(
                revision=at + 1,
                standing=cut.standing(at),
                scope=source.scope,
                passages=tuple(
                    (replace(passage, heading=cut.beside(at, ordinal, context)), cut.words(at, ordinal))
                    for ordinal, passage in enumerate(cut.passages[at])
                ),
            )
            for at, source in enumerate(cut.sources)
        )
        self._index.apply(Changes(after=0, sequence=1, mark=1, changes=changes))

    def search(self, query: Query, limit: int) -> Hits:
        wanted = Filter(scopes=frozenset({query.scope}), readers=frozenset({"public"}), at=NOW)
        found = self._index.snapshot().search(query.text, wanted, limit).hits
        return [(hit.key.revision - 1, hit.key.ordinal, hit.score) for hit in found]


class Vectors:
    """Vectors by the digests of their texts, made once and kept in a file."""

    def __init__(self, folder: Path, embedder: Embedder) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._embedder = embedder
        self._kept = sqlite3.connect(folder / f"vectors-{embedder.profile.digest[:16]}.db")
        self._kept.execute("CREATE TABLE IF NOT EXISTS vectors (digest BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID")

    def of(self, texts: Sequence[str], what: str) -> np.ndarray[Any, np.dtype[np.float32]]:
        """One row a text."""
        digests = [sha256(text.encode()).digest() for text in texts]
        known = self._known(digests)
        missing = {digest: text for digest, text in zip(digests, texts, strict=True) if digest not in known}
        for done, batch in enumerate(_batches(list(missing.items()))):
            made = self._embedder.passages([text for _, text in batch])
            size = len(made.data) // len(batch)
            rows = [(digest, made.data[at * size : (at + 1) * size]) for at, (digest, _) in enumerate(batch)]
            self._kept.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?)", rows)
            self._kept.commit()
            known |= rows
            if done % 10 == 0:
                say(f"  {what}: {done * _AT_ONCE} of {len(missing)} vectors")
        return np.frombuffer(b"".join(known[digest] for digest in digests), dtype="<f4").reshape(len(texts), -1)

    def missing(self, texts: Sequence[str]) -> int:
        """How many of the texts have no vector yet."""
        digests = {sha256(text.encode()).digest() for text in texts}
        return len(digests) - len(self._known(list(digests)))

    def _known(self, digests: Sequence[bytes]) -> dict[bytes, bytes]:
        asked = "SELECT vector FROM vectors WHERE digest = ?"
        found = ((digest, self._kept.execute(asked, (digest,)).fetchone()) for digest in dict.fromkeys(digests))
        return {digest: row[0] for digest, row in found if row}


def _embedded(cut: Cut, context: str) -> list[str]:
    """The text that each passage's vector is made of."""
    read = as_read if MARKS_READ in context else str
    return ["\n".join((" > ".join(cut.beside(*row, context)), read(cut.words(*row)))).strip() for row in cut.rows]


class Dense:
    """Exact search over the vectors of a cut with a context before each passage's words."""

    def __init__(self, cut: Cut, context: str, vectors: Vectors, queries: Sequence[Query], what: str) -> None:
        texts = _embedded(cut, context)
        self._rows = cut.rows
        self._scopes = np.array([cut.sources[at].scope for at, _ in cut.rows])
        self._matrix = vectors.of(texts, what)
        asked = vectors.of([query.text for query in queries], what)
        self._asked = {query.text: asked[at] for at, query in enumerate(queries)}

    @staticmethod
    def missing(cut: Cut, context: str, vectors: Vectors) -> int:
        """How many vectors would have to be made."""
        return vectors.missing(_embedded(cut, context))

    def search(self, query: Query, limit: int) -> Hits:
        scores = np.where(self._scopes == query.scope, self._matrix @ self._asked[query.text], -1.0)
        best = np.lexsort((np.arange(len(scores)), -scores))[:limit]
        return [(*self._rows[at], float(scores[at])) for at in best if scores[at] > 0]


def fused(words: Hits, meaning: Hits) -> Hits:
    """The product's own mean of both scores, where each list holds all that it has."""
    scores = {(at, ordinal): mixed(score, 0.0) for at, ordinal, score in words}
    by_words = {(at, ordinal): score for at, ordinal, score in words}
    scores |= {(at, ordinal): mixed(by_words.get((at, ordinal), 0.0), score) for at, ordinal, score in meaning}
    return [(*row, score) for row, score in sorted(scores.items(), key=lambda item: (-item[1], item[0]))][:DEPTH]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--cache", type=Path, default=Path("/var/tmp/toulmin-bench"))  # noqa: S108 - kept on purpose
    parser.add_argument("--lexical", action="store_true")
    parser.add_argument("--cached", action="store_true")
    parser.add_argument("--report", action="store_true")
    given = parser.parse_args()
    vectors = None if given.lexical else Vectors(given.cache, onnx_embedder(StatedEmbedder()))
    if given.report:
        datasets, ways, name = [flask(given.data, KEPT_HALF)], [DEFAULT], "passages-kept"
    else:
        datasets, ways, name = [flask(given.data, OPEN_HALF), scifact(given.data)], _ways(), "passages"
    table = [row for dataset in datasets for way in ways for row in _row(dataset, *way, vectors, cached=given.cached)]
    settings = {"k": K, "depth": DEPTH, "queries": {dataset.name: len(dataset.queries) for dataset in datasets}}
    report(name if vectors else f"{name}-lexical", table, notes=("95 % bootstrap intervals, by groups",), **settings)


def _ways() -> list[tuple[str, str]]:
    """The product's cutting with every context, and every cutting with one."""
    compared = [*((DEFAULT[0], context) for context in CONTEXTS), *((cutting, _BESIDE) for cutting in CUTTINGS)]
    return list(dict.fromkeys([DEFAULT, *compared]))


def _row(
    dataset: Dataset, cutting: str, context: str, vectors: Vectors | None, *, cached: bool = False
) -> Iterator[dict[str, Any]]:
    say(f"{dataset.name}: {cutting}, {context}")
    made = tuple(tuple(CUTTINGS[cutting](source.text, source.sections)) for source in dataset.sources)
    done = Cut(sources=dataset.sources, passages=made)
    lengths = [len(done.words(*row).split()) for row in done.rows]
    lexical = Lexical(done, context)
    kinds: dict[str, Callable[[Query], Hits]] = {"lexical": lambda query: lexical.search(query, DEPTH)}
    if vectors is not None and not (cached and Dense.missing(done, context, vectors)):
        dense = Dense(done, context, vectors, dataset.queries, cutting)
        kinds["dense"] = lambda query: dense.search(query, DEPTH)
        kinds["fused"] = lambda query: fused(lexical.search(query, _ALL), dense.search(query, _ALL))
    about = {
        "dataset": dataset.name,
        "cutting": cutting,
        "context": context,
        "passages": len(done.rows),
        "words": f"{mean(lengths):.0f} ({median(lengths):.0f}, {max(lengths)})",
    }
    for kind, search in kinds.items():
        found = [(query, done.ranked(search(query))) for query in dataset.queries]
        yield {**about, "search": kind, **_measured(found)}
        if (cutting, context) == DEFAULT:
            yield {**about, "search": f"{kind}, boilerplate counts {COUNTS}", **_measured(map(_weighted, found))}


def _weighted(found: Found) -> Found:
    """The same passages with boilerplate put back, as the product ranks them."""
    query, passages = found
    weights = (weight(item.passage.heading, item.text, query.text) for item in passages)
    return query, ranked(replace(item, score=item.score * share) for item, share in zip(passages, weights, strict=True))


def _measured(found: Iterable[Found]) -> dict[str, Any]:
    searched = list(found)
    measures = estimates([query.judge(passages) for query, passages in searched], K)
    marked = sum(item.boilerplate is not None for _, passages in searched for item in passages[:K])
    return {**{name: briefly(measures[name].measure) for name in METRICS}, f"boilerplate in best {K}": marked}


def flask(data: Path, half: str) -> Dataset:
    """The Flask documentation in all its versions, each a scope, and the answerable questions of a half."""
    root = data / "flask-docs"
    versions = sorted(folder.name for folder in root.iterdir() if folder.is_dir())
    sources = tuple(
        parsed(RevisionId(str(file.relative_to(root / version)), version), scope, None, file.read_bytes(), file.name)
        for scope, version in enumerate(versions, start=1)
        for file in sorted((root / version).rglob("*.rst"))
    )
    questions = [
        question
        for question in read_questions(data / "flask-eval" / "questions_open.jsonl")
        if question.answerable and hashed_into(question, half)
    ]
    queries = tuple(
        Query(
            text=question.question,
            scope=versions.index(question.version) + 1,
            judge=lambda found, question=question: judged(question, found),  # type: ignore[misc]
        )
        for question in questions
    )
    return Dataset(name="flask-eval", sources=sources, queries=queries)


def scifact(data: Path) -> Dataset:
    """A part of scifact that is the same every time."""
    collection = read_collection(data / "retrieval" / "scifact", "train")
    asked = collection.queries[::_EVERY_QUERY]
    relevant = {name for query in asked for name, grade in query.grades.items() if grade > 0}
    others = [item for item in collection.documents if item.id not in relevant][::_EVERY_OTHER_DOCUMENT]
    kept = relevant | {item.id for item in others}
    sources = tuple(
        parsed(RevisionId(item.id, "1"), 1, item.title or None, item.body.encode(), "document.txt")
        for item in collection.documents
        if item.id in kept and item.body.strip()
    )
    queries = tuple(
        Query(text=query.text, scope=1, judge=lambda found, query=query: judged_query(query, found, DEPTH))  # type: ignore[misc]
        for query in asked
    )
    return Dataset(name="scifact, train", sources=sources, queries=queries)


def parsed(name: RevisionId, scope: int, title: str | None, content: bytes, file: str) -> Source:
    parsed = TextParser().parse(content, name=file)
    return Source(id=name, scope=scope, title=title or parsed.title, text=parsed.text, sections=parsed.sections)


def _words(text: str, sections: Sequence[Section]) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Every word of every block with its place and headings."""
    for section in sections:
        for block in section.blocks:
            start = block.start
            for word in text[block.start : block.end].split():
                start = text.index(word, start)
                yield start, start + len(word), section.heading
                start += len(word)


def _merged(text: str, passages: Sequence[Passage], words: int) -> list[Passage]:
    """Neighbours joined until there are so many words, under the headings that they share."""
    merged: list[Passage] = []
    for passage in passages:
        if merged and len(text[merged[-1].start : passage.end].split()) <= words:
            last = merged[-1]
            shared = [a for a, b in zip(last.heading, passage.heading, strict=False) if a == b]
            merged[-1] = Passage(start=last.start, end=passage.end, heading=tuple(shared))
        else:
            merged.append(passage)
    return merged


def _halfway(text: str, parts: Sequence[Range], words: int) -> Iterator[Range]:
    """Windows of parts, of at least so many words or to the end, each from the middle of the one before."""
    lengths = [len(text[start:end].split()) for start, end in parts]
    first = 0
    while first < len(parts):
        last, size = first, lengths[first]
        while last + 1 < len(parts) and size < words:
            last += 1
            size += lengths[last]
        start, end = trimmed(text, parts[first][0], parts[last][1])
        if start < end:
            yield start, end
        if last + 1 >= len(parts):
            return
        first = max(first + 1, (first + last + 1) // 2)


def _batches(items: Sequence[tuple[bytes, str]]) -> Iterator[Sequence[tuple[bytes, str]]]:
    for at in range(0, len(items), _AT_ONCE):
        yield items[at : at + _AT_ONCE]


if __name__ == "__main__":
    main()
