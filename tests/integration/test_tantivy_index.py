from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
import tantivy

from toulmin.adapters.tantivy.generation import _level
from toulmin.adapters.tantivy.index import TantivyIndex
from toulmin.adapters.tantivy.rows import pack, unpack
from toulmin.domain.errors import Conflict, StoreFault
from toulmin.ports.index import Hits
from toulmin.ports.store import PassageKey
from toulmin.testing.index import change, changes, found, mixed_corpus, removal, wanted

HOLD_THE_WRITER = """
import sys
import tantivy

writer = tantivy.Index.open(sys.argv[1]).writer(20_000_000, 1)
print("holding", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "index"


def current(folder: Path) -> Path:
    """The folder of the index's only generation."""
    (generation,) = folder.glob("generation-*")
    return generation


@pytest.fixture
def other_writer(folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the writer of the index in `folder` until it is killed."""
    TantivyIndex(folder).snapshot()
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD_THE_WRITER, str(current(folder))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "holding\n"
        yield process
        process.kill()


@pytest.fixture
def index() -> TantivyIndex:
    return TantivyIndex()


def search(index: TantivyIndex, text: str) -> Hits:
    return index.snapshot().search(text, wanted(), 10)


def test_an_index_that_is_opened_again_is_where_it_was(folder: Path) -> None:
    first = TantivyIndex(folder)
    first.apply(changes(4, change(1, "audit hold")))
    first.close()
    second = TantivyIndex(folder)
    assert second.snapshot().sequence == 4
    assert found(search(second, "audit")) == [(1, 0)]


def test_a_reader_sees_what_another_one_wrote_in_its_next_snapshot(folder: Path) -> None:
    reader, writer = TantivyIndex(folder), TantivyIndex(folder)
    before = reader.snapshot()
    writer.apply(changes(1, change(1, "audit hold")))
    assert found(search(reader, "audit")) == [(1, 0)]
    assert before.sequence == 0


def make_settled(folder: Path) -> None:
    """Makes the files that name the generation and its segments older than a second."""
    for file in (folder / "current.json", current(folder) / "meta.json"):
        os.utime(file, (1_700_000_000, 1_700_000_000))


def test_a_snapshot_is_taken_anew_only_where_the_files_may_have_changed(folder: Path) -> None:
    reader, writer = TantivyIndex(folder), TantivyIndex(folder)
    writer.apply(changes(1, change(1, "audit hold")))
    assert reader.snapshot() is not reader.snapshot(), "a file that is so new might change within a tick of the clock"
    make_settled(folder)
    kept = reader.snapshot()
    assert reader.snapshot() is kept
    writer.apply(changes(2, change(2, "audit hold"), after=1))
    assert found(search(reader, "audit")) == [(1, 0), (2, 0)]
    make_settled(folder)
    assert found(search(reader, "audit")) == [(1, 0), (2, 0)]
    with writer.replacement() as fresh:
        fresh.apply(changes(1, change(3, "audit hold")))
    assert found(search(reader, "audit")) == [(3, 0)]


def test_a_kept_snapshot_ends_with_its_index(folder: Path) -> None:
    index = TantivyIndex(folder)
    index.apply(changes(1, change(1, "audit hold")))
    make_settled(folder)
    index.snapshot()
    index.close()
    with pytest.raises(StoreFault, match="was closed"):
        index.snapshot()


@pytest.mark.parametrize("eligible", [range(3, 40), range(3, 40, 2), (*range(3, 20), *range(21, 40)), (5,), (5, 9)])
def test_scopes_in_a_run_and_scattered_ones_are_found_alike(index: TantivyIndex, eligible: Sequence[int]) -> None:
    index.apply(changes(1, *(change(number, "audit hold", scope=number) for number in range(1, 51))))
    hits = index.snapshot().search("audit", wanted(scopes=eligible), 100)
    assert found(hits) == [(number, 0) for number in eligible]
    assert hits.exhausted


def test_a_snapshot_outlives_merges_and_the_deletion_of_its_files(folder: Path) -> None:
    index = TantivyIndex(folder)
    index.apply(changes(1, change(1, "audit hold")))
    before = index.snapshot()
    for sequence in range(2, 20):  # enough commits for a merge
        index.apply(changes(sequence, change(1, "something else"), change(sequence, "audit hold")))
    index.close()
    shutil.rmtree(folder)
    assert found(before.search("audit hold", wanted(), 10)) == [(1, 0)]


def test_many_commits_are_merged_into_few_segments(folder: Path) -> None:
    index = TantivyIndex(folder)
    for sequence in range(1, 20):
        index.apply(changes(sequence, change(sequence, "audit hold")))
    assert len(list(current(folder).glob("*.idx"))) < 10
    assert len(search(index, "audit").hits) == 19


def test_a_second_writing_process_meets_a_conflict_and_readers_do_not(
    folder: Path, other_writer: subprocess.Popen[str]
) -> None:
    index = TantivyIndex(folder)
    with pytest.raises(Conflict) as caught:
        index.apply(changes(1, change(1, "audit hold")))
    assert caught.value.retryable
    assert caught.value.where == str(current(folder))
    assert caught.value.remedy
    assert index.snapshot().sequence == 0
    assert other_writer.poll() is None


def test_a_killed_writer_leaves_no_lock_behind(folder: Path, other_writer: subprocess.Popen[str]) -> None:
    other_writer.kill()
    other_writer.wait()
    index = TantivyIndex(folder)
    index.apply(changes(1, change(1, "audit hold")))
    assert index.snapshot().sequence == 1


def test_threads_of_one_process_write_one_after_the_other(folder: Path) -> None:
    index = TantivyIndex(folder)
    threads = [
        threading.Thread(target=index.apply, args=(changes(n, *(change(k, "audit") for k in range(1, n + 1))),))
        for n in range(1, 9)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert index.snapshot().sequence == 8
    assert [revision for revision, _ in found(search(index, "audit"))] == list(range(1, 9))


def test_changes_that_cannot_be_indexed_leave_words_and_sequence_as_they_were(folder: Path) -> None:
    index = TantivyIndex(folder)
    index.apply(changes(1, change(1, "audit hold")))
    with pytest.raises(StoreFault) as caught:
        index.apply(changes(2, removal(1), change(2, "audit hold"), change(2**43, "audit hold")))
    assert caught.value.code == "index_limit"
    assert index.snapshot().sequence == 1
    assert found(search(index, "audit")) == [(1, 0)]
    index.apply(changes(2, change(2, "audit hold")))  # and the writer is free
    assert found(search(index, "audit")) == [(1, 0), (2, 0)]


@pytest.mark.parametrize("key", [PassageKey(0, 0), PassageKey(1, 2**20 - 1), PassageKey(2**43 - 1, 2**20 - 1)])
def test_a_packed_key_is_the_same_key_unpacked(key: PassageKey) -> None:
    assert unpack(pack(key)) == key
    assert pack(key) < 2**63


@pytest.mark.parametrize("key", [PassageKey(1, 2**20), PassageKey(2**43, 0)])
def test_a_key_that_does_not_fit_is_refused(key: PassageKey) -> None:
    with pytest.raises(StoreFault):
        pack(key)


def test_the_index_stores_no_text(index: TantivyIndex) -> None:
    index.apply(changes(1, change(1, "audit hold", title="Holds", heading=("Audits",))))
    searcher = index.snapshot()._searcher
    rows = searcher.search(tantivy.Query.all_query(), 10).hits
    assert [searcher.doc(address).to_dict() for _, address in rows] == [{}, {}]


# Words


@pytest.mark.parametrize(
    "text", ["SESSION_COOKIE_DOMAIN", "session_cookie_domain", "cookie", "domain session", "__domain__"]
)
def test_an_identifier_is_found_whole_and_by_part(index: TantivyIndex, text: str) -> None:
    index.apply(changes(1, change(1, "Set SESSION_COOKIE_DOMAIN first."), change(2, "Nothing of the kind.")))
    assert found(search(index, text)) == [(1, 0)]


def test_an_identifier_ranks_above_its_scattered_parts(index: TantivyIndex) -> None:
    index.apply(
        changes(
            1,
            change(1, "a session has a cookie for a domain", "the domain of a session and its cookie"),
            change(2, "what SESSION_COOKIE_DOMAIN is for"),
        )
    )
    assert found(search(index, "SESSION_COOKIE_DOMAIN"))[0] == (2, 0)


@pytest.mark.parametrize(
    ("text", "best"),
    [("2.4.1", 1), ("since 2.4", 2), ("--debug", 3), ("Flask.run", 4), ("before_request", 5)],
)
def test_versions_options_and_names_rank_above_their_scattered_parts(index: TantivyIndex, text: str, best: int) -> None:
    index.apply(
        changes(
            1,
            change(1, "Since 2.4.1 telemetry of some gateways stops.", "In 1 of 4 cases 2 gateways stop."),
            change(2, "Since 2.4 it is there.", "4 of 2 gateways."),
            change(3, "Pass --debug to the command.", "How to debug a debug run."),
            change(4, "Call Flask.run at the end.", "To run Flask, run the flask command in flask."),
            change(5, "Register it with before_request.", "Before the request, before a request."),
        )
    )
    assert found(search(index, text))[0] == (best, 0)


def test_a_word_that_is_said_twice_in_a_question_counts_twice(index: TantivyIndex) -> None:
    index.apply(changes(1, change(1, "audit of the gateway"), change(2, "hold of the gateway")))
    assert found(search(index, "audit audit hold"))[0] == (1, 0)
    assert found(search(index, "audit hold hold"))[0] == (2, 0)


# Languages

GERMAN = "Die Geräte verlieren nach einem Neustart die Verbindungen."
ARABIC = "يتوقف الجهاز عن إرسال البيانات بعد إعادة الاتصال."
CHINESE = "网关重新连接后可能停止发送遥测数据。"
JAPANESE = "ゲートウェイは再接続後にテレメトリの送信を停止することがあります。"


@pytest.fixture
def many_languages(index: TantivyIndex) -> TantivyIndex:
    texts = {
        "de": GERMAN,
        "ar": ARABIC,
        "zh": CHINESE,
        "ja": JAPANESE,
        "en": "Gateways reconnecting lose their telemetry.",
        None: "Unknown devices reconnecting.",
    }
    index.apply(
        changes(1, *(change(number, text, language=language) for number, (language, text) in enumerate(texts.items())))
    )
    return index


@pytest.mark.parametrize(
    ("text", "best"),
    [
        ("Gerät verliert Verbindung", 0),
        ("توقف أجهزة عن الإرسال", 1),
        ("遥测数据", 2),
        ("如何停止发送", 2),
        ("テレメトリ停止", 3),
        ("再接続", 3),
        ("the gateway reconnects", 4),
        ("unknown device", 5),
    ],
)
def test_each_language_is_found_by_forms_of_its_own_words(many_languages: TantivyIndex, text: str, best: int) -> None:
    assert found(search(many_languages, text))[0] == (best, 0)


def test_one_character_finds_the_texts_that_have_it(many_languages: TantivyIndex) -> None:
    assert (2, 0) in found(search(many_languages, "网"))


def test_a_word_that_languages_cut_differently_counts_once(many_languages: TantivyIndex) -> None:
    """Else a word would count for more the more languages a corpus has."""
    many_languages.apply(changes(2, change(90, "Verbindungen", language="de"), change(91, "Verbindungen")))
    hits = search(many_languages, "Verbindungen").hits
    assert all(0 < hit.score <= 1 for hit in hits)
    assert {hit.key.revision for hit in hits} == {0, 90, 91}


def test_a_score_is_the_share_of_what_the_question_could_reach(index: TantivyIndex) -> None:
    index.apply(changes(1, *(change(number, "audit " * 500) for number in range(3))))
    (hit, *_) = search(index, "audit").hits
    assert 0.9 < hit.score < 1
    (half, *_) = search(index, "audit nowhere").hits
    assert half.score < 0.5


def test_rows_that_were_replaced_and_not_yet_merged_away_lift_no_score_above_all(index: TantivyIndex) -> None:
    for sequence in range(1, 6):
        index.apply(changes(sequence, *(change(n, "audit " * 900, title="audit") for n in range(4))))
    assert all(hit.score <= 1 for hit in search(index, "audit").hits)


def test_forms_of_a_word_find_each_other(index: TantivyIndex) -> None:
    index.apply(changes(1, change(1, "Gateways reconnecting"), change(2, "else")))
    assert found(search(index, "the gateway reconnects")) == [(1, 0)]


@pytest.mark.parametrize("text", ["ﬁrmware", "ＦＩＲＭＷＡＲＥ", "strasse", "STRAẞE"])
def test_ligatures_full_width_letters_and_sharp_s_are_folded(index: TantivyIndex, text: str) -> None:
    index.apply(changes(1, change(1, "firmware of the Straße"), change(2, "else")))
    assert found(search(index, text)) == [(1, 0)]


def test_title_and_headings_find_a_passage_but_weigh_less_than_its_words(index: TantivyIndex) -> None:
    index.apply(
        changes(
            1,
            change(
                1, "The default is none.", title="Configuration", heading=("Configuration", "SESSION_COOKIE_DOMAIN")
            ),
            change(2, "Configuration is none.", title="The default"),
            change(3, "else"),
        )
    )
    assert found(search(index, "SESSION_COOKIE_DOMAIN")) == [(1, 0)]
    assert found(search(index, "configuration")) == [(2, 0), (1, 0)]


def test_ties_hold_across_segments_and_beyond_the_first_fetch(index: TantivyIndex) -> None:
    for sequence in range(1, 5):
        first = sequence * 100
        index.apply(
            changes(sequence, *(change(n, "audit hold", "audit of the rest") for n in range(first, first + 50)))
        )
    hits = search(index, "audit hold")
    assert found(hits) == [(n, 0) for s in range(1, 5) for n in range(s * 100, s * 100 + 50)]
    assert not hits.exhausted


def test_a_score_does_not_depend_on_the_filter(index: TantivyIndex) -> None:
    index.apply(mixed_corpus())
    snapshot = index.snapshot()
    scores = {
        hit.key: hit.score
        for hit in snapshot.search("gateway audit hold stops", wanted(scopes=range(1, 100)), 1000).hits
    }
    for scope in range(1, 5):
        hits = snapshot.search("gateway audit hold stops", wanted(scopes=(scope,)), 1000).hits
        assert hits
        assert all(hit.score == scores[hit.key] for hit in hits)


@pytest.mark.parametrize("score", [13.0834, 1.5e-6, 213.7])
def test_scores_that_differ_by_their_last_bits_tie_and_stay_above_zero(score: float) -> None:
    last_bits = score * 2**-22
    assert _level(score - last_bits) == _level(score + last_bits) > 0
    assert _level(score) < _level(score * 1.001)
