"""A workspace with an embedder: both indexes follow the corpus, and what one of them lacks is told and lost to no search."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from toulmin.adapters.memory.embedder import WordsEmbedder
from toulmin.adapters.vectors.index import VectorIndex
from toulmin.application.catchup import EMBEDDED, Step
from toulmin.domain.corpus.document import Status
from toulmin.domain.corpus.metadata import Metadata
from toulmin.domain.corpus.readers import PUBLIC
from toulmin.domain.errors import InputError
from toulmin.domain.evidence import fusion
from toulmin.domain.evidence.embedding import EmbeddingProfile
from toulmin.domain.outcome import AskForEvidence, EvidenceReason, SearchOnly
from toulmin.ports.embedder import EmbedderFault, Vectors
from toulmin.ports.index import OtherEmbedder
from toulmin.ports.source import Entry
from toulmin.surfaces.sync import Workspace

CONTRACT = """
id: restart
version: 1
case: {}
query: "telemetry after a reconnect"
k: 3
min_score: 0.2
eligibility: {rules: {}}
facts: {}
answer: {mode: cited, drafter: model}
"""
FILES = {
    "GW.txt": "Telemetry stops after a reconnect of the gateway.",
    "BILL.txt": "Invoices are sent on the first day of the month.",
    "USB.txt": "Port three serves technicians.",
}
ALL_READ = Metadata(stated=frozenset({"readers"}), readers=(PUBLIC,))


@dataclass
class Counting:
    """An embedder that counts what it embeds, and fails while it is told to."""

    inner: WordsEmbedder = field(default_factory=lambda: WordsEmbedder(dimension=4096))
    name: str = "counting"
    on_this_host: bool = True
    down: bool = False
    embedded: list[str] = field(default_factory=list)

    @property
    def profile(self) -> EmbeddingProfile:
        return replace(self.inner.profile, name=self.name, model=self.name)

    def passages(self, texts: Sequence[str]) -> Vectors:
        self._fail()
        self.embedded += texts
        return self.inner.passages(texts)

    def queries(self, texts: Sequence[str]) -> Vectors:
        self._fail()
        return self.inner.queries(texts)

    def _fail(self) -> None:
        if self.down:
            raise EmbedderFault("connect", "the embedder cannot be reached", remedy="start it")


@pytest.fixture
def embedder() -> Counting:
    return Counting()


def opened(folder: Path, embedder: Counting | None, *, by: str = "both") -> closing[Workspace]:
    (folder / "contracts").mkdir(parents=True, exist_ok=True)
    (folder / "contracts" / "restart.yaml").write_text(CONTRACT)
    (folder / "toulmin.toml").write_text("")
    place = Workspace.open(folder)
    if embedder is None:
        return closing(place)
    vectors = VectorIndex(folder / "vectors", embedder)
    if by == "meaning":
        place.parts.index.close()
        return closing(Workspace(place.settings, replace(place.parts, index=vectors)))
    return closing(Workspace(place.settings, replace(place.parts, meaning=vectors)))


@pytest.fixture
def place(tmp_path: Path, embedder: Counting) -> Iterator[Workspace]:
    with opened(tmp_path, embedder) as workspace:
        yield workspace


def ingest(place: Workspace, files: dict[str, str]) -> None:
    folder = place.settings.workspace / "incoming"
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text)
    entries = [entry for entry in place.entries([folder], options=ALL_READ) if isinstance(entry, Entry)]
    assert all(report.fault is None for report in place.ingest(entries))


def names(place: Workspace, text: str, **more: Any) -> list[str]:
    return [item.found.id.document for item in place.search(text, **more).items]


def lag(place: Workspace) -> int:
    reached = place.embed(most=0)
    assert reached is not None
    return reached.lag


# Scores and minimum


@pytest.mark.parametrize("by", ["words", "meaning", "both"])
def test_one_minimum_score_holds_for_words_for_meaning_and_for_both(tmp_path: Path, by: str) -> None:
    with opened(tmp_path, None if by == "words" else Counting(), by=by) as place:
        ingest(place, FILES)
        found = place.search("telemetry after a reconnect")
        assert all(0 < item.found.score <= 1 for item in found.items)
        enough = place.ask("restart")
        assert isinstance(enough, SearchOnly)  # there is no drafter: what counts is what was found
        assert [item.found.id.document for item in enough.search] == ["GW.txt"]
        little = place.ask_text("a quite other matter of port three", min_score=0.9)
        assert isinstance(little, AskForEvidence)
        assert little.reason is EvidenceReason.BELOW_MINIMUM_SCORE


@pytest.mark.parametrize("score", [-0.1, 1.01, float("nan")])
def test_a_minimum_beyond_every_score_is_refused(place: Workspace, score: float) -> None:
    for use in (place.search, place.ask_text):
        with pytest.raises(InputError):
            use("telemetry", min_score=score)


def test_a_packet_says_what_ranked(place: Workspace) -> None:
    ingest(place, FILES)
    outcome = place.ask("restart")
    assert isinstance(outcome, SearchOnly)
    assert outcome.receipt is not None
    versions = place.packet(outcome.receipt.packet).body["versions"]
    assert versions["index"].startswith("bm25/")
    assert versions["meaning"].startswith("cosine/counting")
    assert versions["fusion"] == fusion.VERSION


# Following the corpus


def test_an_ingest_brings_both_indexes_up(place: Workspace, embedder: Counting) -> None:
    ingest(place, FILES)
    assert len(embedder.embedded) == len(FILES)
    assert lag(place) == 0
    assert names(place, "telemetry reconnect")[0] == "GW.txt"


def test_the_same_texts_are_embedded_once_even_where_the_index_is_built_anew(
    place: Workspace, embedder: Counting
) -> None:
    ingest(place, FILES)
    place.rebuild()
    assert len(embedder.embedded) == len(FILES)
    assert lag(place) == 0
    assert names(place, "telemetry reconnect")[0] == "GW.txt"


def test_an_embedder_that_is_added_later_is_brought_up_when_asked_for(tmp_path: Path, embedder: Counting) -> None:
    with opened(tmp_path, None) as before:
        ingest(before, FILES)
        alone = before.search("telemetry reconnect").items
    with opened(tmp_path, embedder) as place:
        assert place.search("telemetry reconnect").items == alone
        assert place.embed(most=len(FILES) - 1) is not None
        assert (embedder.embedded, lag(place)) == ([], len(FILES))
        told: list[Step] = []
        reached = place.embed_anew(told.append)
        assert (reached.lag, reached.passages, reached.fault) == (0, 0, None)
        assert (told[0].done, told[0].total, told[-1].done) == (0, len(FILES), len(FILES))
        assert place.search("telemetry reconnect").items != alone


def test_embedding_goes_in_steps_and_goes_on_where_it_was_stopped(tmp_path: Path, embedder: Counting) -> None:
    count = EMBEDDED + 50
    with opened(tmp_path, None) as before:
        ingest(before, {f"N{number}.txt": f"note {number} on topic {number % 7}" for number in range(count)})

    class _Stopped(Exception):
        pass

    def stop(step: Step) -> None:
        if step.done:
            raise _Stopped

    with opened(tmp_path, embedder) as place:
        with pytest.raises(_Stopped):
            place.embed(stop)
        assert len(embedder.embedded) == EMBEDDED
        assert lag(place) == count - EMBEDDED
        place.embed_anew()
        assert (len(embedder.embedded), lag(place)) == (count, 0)


def test_a_deleted_document_is_in_neither_index(place: Workspace) -> None:
    ingest(place, FILES)
    place.retire("GW.txt", Status.DELETED)
    assert lag(place) == 0
    assert "GW.txt" not in names(place, "telemetry reconnect", k=10)


# Faults


def test_an_embedder_that_is_down_keeps_no_document_out(place: Workspace, embedder: Counting) -> None:
    embedder.down = True
    ingest(place, FILES)
    assert names(place, "telemetry reconnect") == ["GW.txt"]
    reached = place.embed()
    assert reached is not None
    assert (reached.lag, reached.passages) == (len(FILES), len(FILES))
    assert reached.fault is not None
    assert reached.fault.code == "connect"
    with pytest.raises(EmbedderFault):
        place.embed_anew()
    embedder.down = False
    place.embed_anew()
    assert lag(place) == 0


def test_a_question_that_cannot_be_embedded_is_searched_by_words_and_the_result_says_so(
    place: Workspace, embedder: Counting
) -> None:
    ingest(place, FILES)
    assert place.search("telemetry reconnect").left_out is None
    embedder.down = True
    found = place.search("telemetry after reconnect")
    assert [item.found.id.document for item in found.items] == ["GW.txt"]
    assert found.left_out == "connect"
    outcome = place.ask("restart")
    assert isinstance(outcome, SearchOnly)
    assert outcome.receipt is not None
    assert place.packet(outcome.receipt.packet).body["trace"][0]["left_out"] == "connect"


@pytest.mark.parametrize("dimension", [4096, 64])
def test_vectors_of_another_embedder_are_refused_before_any_search(
    tmp_path: Path, embedder: Counting, dimension: int
) -> None:
    """Trouble case O09: also where the dimension is the same."""
    with opened(tmp_path, embedder) as place:
        ingest(place, FILES)
    other = Counting(inner=WordsEmbedder(dimension=dimension), name="another")
    with opened(tmp_path, other) as place:
        for use in (place.search, place.ask_text):
            with pytest.raises(OtherEmbedder) as refused:
                use("telemetry reconnect")
            assert str(embedder.profile) in refused.value.message
            assert str(other.profile) in refused.value.message
            assert "toulmin index embed" in (refused.value.remedy or "")
        reached = place.embed()
        assert reached is not None
        assert isinstance(reached.fault, OtherEmbedder)
        assert (reached.lag, reached.passages) == (len(FILES), len(FILES))
        assert other.embedded == []
        place.embed_anew()
        assert len(other.embedded) == len(FILES)
        assert names(place, "telemetry reconnect")[0] == "GW.txt"
    with opened(tmp_path, None) as place:
        assert names(place, "telemetry reconnect") == ["GW.txt"]


def test_without_an_embedder_there_is_nothing_to_embed(tmp_path: Path) -> None:
    with opened(tmp_path, None) as place:
        assert place.embed() is None
        with pytest.raises(InputError) as refused:
            place.embed_anew()
        assert refused.value.code == "no_embedder"


def test_vectors_of_another_corpus_are_built_anew(tmp_path: Path, embedder: Counting) -> None:
    with opened(tmp_path, embedder) as place:
        ingest(place, FILES)
    for file in (tmp_path / ".toulmin").glob("corpus.db*"):
        file.unlink()
    with opened(tmp_path, embedder) as place:
        ingest(place, {"NEW.txt": "Telemetry of the new gateway."})
        assert lag(place) == 0
        assert names(place, "telemetry")[0] in {"NEW.txt", *FILES}
        assert place.search("telemetry").left_out is None
