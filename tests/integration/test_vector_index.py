from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
import threading
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from toulmin.adapters.memory.embedder import WordsEmbedder
from toulmin.adapters.vectors.faults import reading
from toulmin.adapters.vectors.folder import INDEX, VectorFolder
from toulmin.adapters.vectors.index import VectorIndex
from toulmin.adapters.vectors.segment import Segment
from toulmin.adapters.vectors.state import read, written
from toulmin.adapters.vectors.writer import Writer
from toulmin.domain.corpus.document import Egress
from toulmin.domain.errors import Conflict, StoreFault
from toulmin.domain.evidence.embedding import EmbeddingProfile
from toulmin.ports.embedder import Embedder, EmbedderFault, Vectors
from toulmin.ports.index import Hits, IndexUnreadable, OtherEmbedder
from toulmin.ports.store import Change, PassageKey
from toulmin.testing.index import change, changes, found, mixed_corpus, removal, wanted

HOLD_THE_WRITER = """
import fcntl, sys
stream = open(sys.argv[1] + "/.writing.lock", "wb")
fcntl.flock(stream, fcntl.LOCK_EX)
print("holding", flush=True)
sys.stdin.read()
"""

WRITE_ON_AND_ON = """
import sys
from pathlib import Path
from toulmin.adapters.memory.embedder import WordsEmbedder
from toulmin.adapters.vectors.index import VectorIndex
from toulmin.testing.index import change, changes

index = VectorIndex(Path(sys.argv[1]), WordsEmbedder(dimension=64))
number = index.snapshot().sequence
while True:
    index.apply(changes(number + 1, change(number + 1, "audit hold"), change(1, "audit hold"), after=number))
    number += 1
    print(number, flush=True)
"""


@dataclass
class Watched:
    """An embedder that keeps what it was asked, and fails while it is told to."""

    inner: Embedder = field(default_factory=WordsEmbedder)
    on_this_host: bool = True
    fails: bool = False
    passage_texts: list[str] = field(default_factory=list)
    query_texts: list[str] = field(default_factory=list)

    @property
    def profile(self) -> EmbeddingProfile:
        return self.inner.profile

    def passages(self, texts: Sequence[str]) -> Vectors:
        self.passage_texts += texts
        return self._answer(self.inner.passages, texts)

    def queries(self, texts: Sequence[str]) -> Vectors:
        self.query_texts += texts
        return self._answer(self.inner.queries, texts)

    def _answer(self, ask: Callable[[Sequence[str]], Vectors], texts: Sequence[str]) -> Vectors:
        if self.fails:
            raise EmbedderFault("timeout", "the embedder's server gave no vectors: silence")
        return ask(texts)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "vectors"


@pytest.fixture
def embedder() -> Watched:
    return Watched()


@pytest.fixture
def index(folder: Path, embedder: Watched) -> VectorIndex:
    return VectorIndex(folder, embedder)


@pytest.fixture
def other_writer(folder: Path, index: VectorIndex) -> Iterator[subprocess.Popen[str]]:
    """Another process that writes the index in `folder` until it is killed."""
    index.apply(changes(1, change(1, "audit hold")))
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD_THE_WRITER, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "holding\n"
        yield process
        process.kill()


def search(index: VectorIndex, text: str, limit: int = 10) -> Hits:
    return index.snapshot().search(text, wanted(), limit)


def local(given: Change) -> Change:
    """The same revision, labelled `egress: local`."""
    assert given.standing is not None
    descriptor = replace(given.standing.descriptor, egress=Egress.LOCAL)
    return replace(given, standing=replace(given.standing, descriptor=descriptor))


class TestScores:
    def test_a_score_is_the_cosine(self, index: VectorIndex) -> None:
        index.apply(changes(1, change(1, "audit hold active now")))
        (hit,) = search(index, "audit hold unlike others").hits
        assert hit.score == 0.5

    def test_a_passage_is_found_by_its_headings_and_title_too(self, index: VectorIndex) -> None:
        index.apply(
            changes(1, change(1, "of it", title="Gateway", heading=("Rollback", "Gateway")), change(2, "of it"))
        )
        assert found(search(index, "gateway rollback")) == [(1, 0)]

    def test_a_question_is_embedded_once(self, index: VectorIndex, embedder: Watched) -> None:
        index.apply(changes(1, change(1, "audit hold"), change(2, "audit")))
        for limit in (1, 2, 100):
            search(index, "audit", limit)
        index.snapshot().scores("audit", [PassageKey(1, 0)])
        assert embedder.query_texts == ["audit"]

    def test_where_nothing_may_be_seen_no_question_leaves(self, index: VectorIndex, embedder: Watched) -> None:
        index.snapshot().search("audit", wanted(), 5)
        index.apply(changes(1, change(1, "audit hold", readers=("tenant:acme",)), change(2, "audit", scope=7)))
        assert search(index, "audit") == Hits(hits=(), exhausted=True)
        assert embedder.query_texts == []

    def test_a_question_without_a_vector_is_a_fault_of_the_embedder(
        self, index: VectorIndex, embedder: Watched
    ) -> None:
        index.apply(changes(1, change(1, "audit hold")))
        embedder.fails = True
        with pytest.raises(EmbedderFault):
            search(index, "audit")
        with pytest.raises(EmbedderFault):
            index.snapshot().scores("audit", [PassageKey(1, 0)])
        embedder.fails = False
        assert found(search(index, "audit")) == [(1, 0)]


class TestVectorsAreMadeOnce:
    def test_for_equal_texts_wherever_they_stand(self, index: VectorIndex, embedder: Watched) -> None:
        index.apply(changes(1, change(1, "audit hold", "audit hold"), change(2, "audit hold")))
        index.apply(changes(2, change(3, "audit hold", "gateway"), after=1))
        assert embedder.passage_texts == ["audit hold", "gateway"]
        assert found(search(index, "audit hold")) == [(1, 0), (1, 1), (2, 0), (3, 0)]

    def test_for_a_revision_whose_descriptor_changes(self, index: VectorIndex, embedder: Watched) -> None:
        index.apply(changes(1, change(1, "audit hold")))
        index.apply(changes(2, change(1, "audit hold", scope=2, readers=("tenant:acme",)), after=1))
        assert embedder.passage_texts == ["audit hold"]
        assert not search(index, "audit").hits
        hits = index.snapshot().search("audit", wanted(scopes=(2,), readers=("tenant:acme",)), 5)
        assert found(hits) == [(1, 0)]

    def test_for_an_index_that_is_built_anew(self, index: VectorIndex, embedder: Watched) -> None:
        index.apply(mixed_corpus())
        before, asked = search(index, "gateway audit"), len(embedder.passage_texts)
        with index.replacement() as fresh:
            fresh.apply(mixed_corpus())
        assert search(index, "gateway audit") == before
        assert len(embedder.passage_texts) == asked

    def test_for_one_that_was_built_and_never_took_over(self, folder: Path, embedder: Watched) -> None:
        for texts in (("audit", "hold", "gateway"), ("audit",)):
            with suppress(KeyboardInterrupt), VectorIndex(folder, embedder).replacement() as fresh:
                fresh.apply(changes(1, change(1, *texts)))
                raise KeyboardInterrupt
        index = VectorIndex(folder, embedder)
        with index.replacement() as fresh:
            fresh.apply(changes(1, change(1, "audit", "hold", "gateway", "rollback")))
        assert embedder.passage_texts == ["audit", "hold", "gateway", "rollback"]
        assert not list(folder.glob("building-*"))
        assert len(list(folder.glob("*.segment"))) == 1

    def test_but_those_of_removed_texts_go_with_the_index_that_is_built_anew(
        self, index: VectorIndex, embedder: Watched
    ) -> None:
        index.apply(changes(1, change(1, "audit"), change(2, "hold")))
        with index.replacement() as fresh:
            fresh.apply(changes(1, change(2, "hold")))
        index.apply(changes(2, change(1, "audit"), after=1))
        assert embedder.passage_texts == ["audit", "hold", "audit"]

    def test_by_the_whole_digest_of_a_text(self, folder: Path, index: VectorIndex) -> None:
        index.apply(changes(1, change(1, "audit hold")))
        segment = Segment(only(folder, "*.segment"), 1, WordsEmbedder().dimension)
        digest = segment.columns.digests.copy()
        assert [place for place, _ in segment.vectors_of(digest)] == [0]
        digest[0, -1] += 1
        assert list(segment.vectors_of(digest)) == []


class TestAnotherEmbedder:
    """Trouble case O09: the embedding model changed, and the vectors lie in another space."""

    @pytest.mark.parametrize("dimension", [6, 4])
    def test_is_refused_by_name_with_the_command_that_helps(self, folder: Path, dimension: int) -> None:
        VectorIndex(folder, Named("toy-a", 4)).apply(changes(1, change(1, "audit hold")))
        index = VectorIndex(folder, Named("toy-b", dimension))
        for use in (index.snapshot, lambda: index.apply(changes(2, change(2, "audit"), after=1)), index.examine):
            with pytest.raises(OtherEmbedder) as refused:
                use()
            assert "toy-a (4 numbers" in refused.value.message
            assert f"toy-b ({dimension} numbers" in refused.value.message
            assert "toulmin index embed" in (refused.value.remedy or "")
        assert VectorIndex(folder, Named("toy-a", 4)).snapshot().sequence == 1

    def test_takes_over_with_an_index_that_is_built_anew(self, folder: Path) -> None:
        first = VectorIndex(folder, Named("toy-a", 4))
        first.apply(changes(1, change(1, "audit hold")))
        other = Watched(Named("toy-b", 6))
        second = VectorIndex(folder, other)
        with second.replacement() as fresh:
            fresh.apply(changes(1, change(1, "audit hold")))
            assert found(search(first, "audit")) == [(1, 0)], "the former one serves until then"
        assert other.passage_texts == ["audit hold"], "no vector of the other one is used"
        assert found(search(second, "audit")) == [(1, 0)]
        with pytest.raises(OtherEmbedder):
            first.snapshot()


@dataclass(frozen=True)
class Named:
    """A toy embedder with a name."""

    name: str
    dimension: int
    on_this_host: bool = True

    @property
    def profile(self) -> EmbeddingProfile:
        return replace(WordsEmbedder(dimension=self.dimension).profile, name=self.name, model=self.name)

    def passages(self, texts: Sequence[str]) -> Vectors:
        return WordsEmbedder(dimension=self.dimension).passages(texts)

    def queries(self, texts: Sequence[str]) -> Vectors:
        return self.passages(texts)


class TestEgress:
    def test_texts_that_may_not_leave_do_not_and_are_counted(self, folder: Path) -> None:
        embedder = Watched(on_this_host=False)
        index = VectorIndex(folder, embedder)
        index.apply(changes(1, local(change(1, "CANARY audit", "CANARY hold"))))
        index.apply(changes(2, change(2, "audit"), after=1))
        assert embedder.passage_texts == ["audit"]
        snapshot = index.snapshot()
        assert (snapshot.passages, snapshot.unembedded) == (3, 2)
        assert found(search(index, "audit canary hold")) == [(2, 0)]
        assert snapshot.scores("audit", [PassageKey(1, 0), PassageKey(2, 0)]) == {PassageKey(2, 0): 1.0}
        assert index.held([PassageKey(1, 1)]) == {PassageKey(1, 1)}

    def test_an_embedder_on_this_host_reads_everything(self, index: VectorIndex) -> None:
        index.apply(changes(1, local(change(1, "audit hold"))))
        assert index.snapshot().unembedded == 0
        assert found(search(index, "audit")) == [(1, 0)]

    def test_a_label_counts_from_the_change_on(self, folder: Path) -> None:
        embedder = Watched(on_this_host=False)
        index = VectorIndex(folder, embedder)
        index.apply(changes(1, local(change(1, "audit hold")), change(2, "audit hold too")))
        index.apply(changes(2, change(1, "audit hold"), local(change(2, "audit hold too")), after=1))
        assert embedder.passage_texts == ["audit hold too", "audit hold"]
        assert found(search(index, "audit")) == [(1, 0)]
        assert index.snapshot().unembedded == 1


class TestFiles:
    def test_an_index_that_is_opened_again_is_where_it_was(self, folder: Path, index: VectorIndex) -> None:
        index.apply(changes(4, change(1, "audit hold"), change(2, "gone")))
        index.apply(changes(5, removal(2), after=4))
        again = VectorIndex(folder, WordsEmbedder())
        assert again.snapshot().sequence == 5
        assert found(search(again, "audit gone")) == [(1, 0)]

    def test_a_reader_sees_what_another_one_wrote_in_its_next_snapshot(self, folder: Path, index: VectorIndex) -> None:
        reader = VectorIndex(folder, WordsEmbedder())
        before = reader.snapshot()
        index.apply(changes(1, change(1, "audit hold")))
        assert found(search(reader, "audit")) == [(1, 0)]
        assert before.sequence == 0
        assert reader.snapshot() is reader.snapshot()
        with index.replacement() as fresh:
            fresh.apply(changes(1, change(3, "audit hold")))
        assert found(search(reader, "audit")) == [(3, 0)]

    def test_a_snapshot_outlives_merges_and_the_deletion_of_its_files(self, folder: Path, index: VectorIndex) -> None:
        index.apply(changes(1, change(1, "audit hold")))
        kept = index.snapshot()
        for number in range(2, 40):
            index.apply(changes(number, change(number, "audit hold"), after=number - 1))
        shutil.rmtree(folder)
        assert found(kept.search("audit", wanted(), 5)) == [(1, 0)]

    def test_many_changes_are_merged_into_few_files(self, folder: Path, index: VectorIndex) -> None:
        for number in range(1, 80):
            index.apply(changes(number, change(number, "audit hold"), change(1, f"gateway {number}"), after=number - 1))
        assert len(index.snapshot().views) < 20
        named = {file.name for file in index.snapshot().state.files}
        assert {file.name for file in folder.iterdir() if file.suffix in {".segment", ".tombs"}} == named
        assert found(search(index, "audit", 500)) == [(number, 0) for number in range(2, 80)]
        assert found(search(index, "79")) == [(1, 0)]

    def test_readers_keep_their_own_through_a_merge(self, index: VectorIndex) -> None:
        for number in range(1, 30):
            readers = ("public",) if number % 3 else (f"tenant:t{number}", "tenant:all")
            index.apply(changes(number, change(number, "audit", readers=readers), after=number - 1))
        assert len(index.snapshot().views) < 10
        snapshot = index.snapshot()
        assert found(snapshot.search("audit", wanted(readers=("tenant:t9",)), 50)) == [(9, 0)]
        everybody = found(snapshot.search("audit", wanted(readers=("tenant:all",)), 50))
        assert everybody == [(number, 0) for number in range(3, 30, 3)]

    def test_what_a_killed_writer_left_behind_is_removed(self, folder: Path, index: VectorIndex) -> None:
        index.apply(changes(1, change(1, "audit hold")))
        generation = index.snapshot().state.generation
        left = folder / f"{generation}-2.segment"
        left.write_bytes(b"half a segm")
        index.apply(changes(2, change(2, "audit"), after=1))
        (folder / f"{generation}-99.segment").write_bytes(b"another")
        index.apply(changes(3, change(3, "audit"), after=2))
        assert len(list(folder.glob("*.segment"))) == 3
        assert found(search(index, "audit")) == [(2, 0), (3, 0), (1, 0)]

    def test_a_look_at_it_counts_and_samples(self, index: VectorIndex) -> None:
        index.apply(changes(1, change(1, "audit", "hold"), change(2, "gateway")))
        index.apply(changes(2, removal(2), after=1))
        report = index.examine()
        assert (report.passages, report.damaged) == (2, ())
        assert report.size > 0
        assert sorted(index.sample(5)) == [PassageKey(1, 0), PassageKey(1, 1)]
        assert len(index.sample(1)) == 1
        assert index.held([PassageKey(1, 1), PassageKey(2, 0), PassageKey(9, 9)]) == {PassageKey(1, 1)}


def flipped(file: Path, place: int = -3) -> None:
    content = bytearray(file.read_bytes())
    content[place] ^= 4
    file.write_bytes(content)


def only(folder: Path, pattern: str) -> Path:
    (file,) = folder.glob(pattern)
    return file


def put_a_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


DAMAGE: dict[str, Callable[[Path], object]] = {
    "a bit of a segment": lambda folder: flipped(only(folder, "*.segment")),
    "a bit of the dead": lambda folder: flipped(only(folder, "*.tombs")),
    "a bit of the state": lambda folder: flipped(folder / INDEX),
    "a state that is empty": lambda folder: (folder / INDEX).write_bytes(b""),
    "a state of another kind": lambda folder: (folder / INDEX).write_bytes(b"{}"),
    "a segment cut short": lambda folder: only(folder, "*.segment").write_bytes(b"short"),
    "an empty segment": lambda folder: only(folder, "*.segment").write_bytes(b""),
    "a missing segment": lambda folder: only(folder, "*.segment").unlink(),
    "missing dead": lambda folder: only(folder, "*.tombs").unlink(),
    "a folder for a segment": lambda folder: put_a_folder(only(folder, "*.segment")),
}


class TestDamage:
    @pytest.fixture
    def damaged(self, folder: Path, index: VectorIndex) -> Path:
        index.apply(changes(1, change(1, "audit hold", "audit", "rollback"), change(2, "gateway")))
        index.apply(changes(2, removal(2), after=1))
        (folder / f"sound-{index.snapshot().state.generation}.json").unlink(missing_ok=True)
        return folder

    @pytest.mark.parametrize("damage", DAMAGE)
    def test_is_told_and_mended_by_building_anew(self, damaged: Path, damage: str) -> None:
        DAMAGE[damage](damaged)
        index = VectorIndex(damaged, WordsEmbedder())
        with pytest.raises(IndexUnreadable) as told:
            index.snapshot()
        assert "toulmin index rebuild" in (told.value.remedy or "")
        if damage == "a folder for a segment":  # which nobody but who put it there may remove
            only(damaged, "*.segment").rmdir()
        with index.replacement() as fresh:
            fresh.apply(changes(2, change(1, "audit hold")))
        assert found(search(index, "audit")) == [(1, 0)]

    def test_is_found_by_a_look_at_every_file_though_size_and_time_are_the_same(self, damaged: Path) -> None:
        index = VectorIndex(damaged, WordsEmbedder())
        index.snapshot()
        segment = only(damaged, "*.segment")
        with segment.open("r+b") as stream:
            stream.seek(300)
            stream.write(b"\xff")
        assert index.examine().damaged == (segment.name,)
        segment.unlink()
        assert index.examine().damaged == (segment.name,)

    def test_files_that_were_found_sound_are_not_read_again(self, damaged: Path) -> None:
        VectorIndex(damaged, WordsEmbedder()).snapshot()
        note = only(damaged, "sound-*.json")
        known = json.loads(note.read_bytes())
        assert known.keys() == {only(damaged, "*.segment").name, only(damaged, "*.tombs").name}
        note.write_text("[broken")
        assert VectorIndex(damaged, WordsEmbedder()).snapshot().sequence == 2

    @pytest.mark.parametrize("key", ["format", "texts"])
    def test_an_index_of_another_version_is_built_anew(self, damaged: Path, key: str) -> None:
        state = read((damaged / INDEX).read_bytes(), "")
        body = json.dumps({**json.loads(written(state).partition(b" ")[2]), key: 999}).encode()
        (damaged / INDEX).write_bytes(b"%08x " % zlib.crc32(body) + body)
        with pytest.raises(IndexUnreadable):
            VectorIndex(damaged, WordsEmbedder()).snapshot()

    def test_a_right_that_is_missing_is_no_damage(self) -> None:
        with pytest.raises(StoreFault) as told, reading("vectors"):
            raise PermissionError
        assert told.value.code == "index_inaccessible"

    def test_a_file_where_the_folder_should_be_is_told(self, folder: Path, index: VectorIndex) -> None:
        folder.write_text("not a folder")
        with pytest.raises(StoreFault):
            index.apply(changes(1, change(1, "audit hold")))


class OfYesterday(VectorFolder):
    """A folder whose state is told as it was when this was made, the first time that it is asked for."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._told = [super().state(INDEX)]

    def state(self, name: str) -> bytes | None:
        return self._told.pop() if self._told else super().state(name)


class TestManyProcessesAndThreads:
    def test_a_state_whose_files_were_merged_away_meanwhile_is_read_again(
        self, folder: Path, index: VectorIndex
    ) -> None:
        index.apply(changes(1, change(1, "audit hold")))
        late = OfYesterday(folder)
        for number in range(2, 12):
            index.apply(changes(number, change(number, "audit hold"), after=number - 1))
        reader = Writer(
            late, INDEX, generation="", right=late.writing, embedder=WordsEmbedder(), ask=lambda _text: None
        )
        assert reader.snapshot().sequence == 11

    @pytest.mark.usefixtures("other_writer")
    def test_a_second_writing_process_meets_a_conflict_and_readers_do_not(
        self, index: VectorIndex, embedder: Watched
    ) -> None:
        asked = list(embedder.passage_texts)
        with pytest.raises(Conflict) as refused:
            index.apply(changes(2, change(2, "audit hold"), after=1))
        assert refused.value.retryable
        assert embedder.passage_texts == asked, "nothing is embedded in vain"
        assert found(search(index, "audit")) == [(1, 0)]

    def test_a_killed_writer_leaves_no_lock_behind(
        self, index: VectorIndex, other_writer: subprocess.Popen[str]
    ) -> None:
        other_writer.kill()
        other_writer.wait()
        index.apply(changes(2, change(2, "audit hold"), after=1))
        assert index.snapshot().sequence == 2

    def test_a_replacement_waits_for_a_writer_before_it_takes_over(
        self, index: VectorIndex, other_writer: subprocess.Popen[str]
    ) -> None:
        timer = threading.Timer(0.3, other_writer.kill)
        with index.replacement() as fresh:
            fresh.apply(changes(5, change(9, "audit hold")))
            timer.start()
        assert index.snapshot().sequence == 5

    def test_threads_of_one_process_write_one_after_the_other(self, index: VectorIndex) -> None:
        def write(numbers: range) -> None:
            for number in numbers:
                index.apply(changes(number, change(number, "audit hold"), after=0))

        threads = [threading.Thread(target=write, args=(range(start, 25, 4),)) for start in range(1, 5)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert index.snapshot().sequence == 24

    def test_a_writer_that_is_killed_at_any_time_leaves_the_last_state_that_it_committed(self, folder: Path) -> None:
        chance, told = random.Random(7), 0
        for _ in range(4):
            process = subprocess.Popen(
                [sys.executable, "-c", WRITE_ON_AND_ON, str(folder)], stdout=subprocess.PIPE, text=True
            )
            with process:
                assert process.stdout is not None
                for _ in range(chance.randint(1, 20)):
                    told = int(process.stdout.readline())
                process.kill()
            index = VectorIndex(folder, WordsEmbedder(dimension=64))
            sequence = index.snapshot().sequence
            assert sequence >= told
            assert found(search(index, "audit", 500)) == [(number, 0) for number in range(1, sequence + 1)]
            assert index.examine().damaged == ()


class TestFaults:
    def test_changes_that_cannot_be_embedded_leave_everything_as_it_was(
        self, index: VectorIndex, embedder: Watched
    ) -> None:
        index.apply(changes(1, change(1, "audit hold")))
        embedder.fails = True
        with pytest.raises(EmbedderFault):
            index.apply(changes(2, change(1, "gone"), change(2, "audit"), after=1))
        embedder.fails = False
        assert index.snapshot().sequence == 1
        assert found(search(index, "audit")) == [(1, 0)]
        index.apply(changes(2, change(2, "audit"), after=1))
        assert index.snapshot().sequence == 2

    def test_a_revision_of_too_many_passages_is_refused_and_nothing_changes(self, index: VectorIndex) -> None:
        index.apply(changes(1, change(1, "audit hold")))
        with pytest.raises(StoreFault, match="beyond what the index can number"):
            index.apply(changes(2, change(2**43, "audit"), after=1))
        assert index.snapshot().sequence == 1

    def test_a_closed_index_cannot_look_at_itself_either(self, index: VectorIndex) -> None:
        index.close()
        for use in (index.examine, lambda: index.sample(1), lambda: index.held([])):
            with pytest.raises(StoreFault):
                use()
