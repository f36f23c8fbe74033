from __future__ import annotations

import unicodedata

from hypothesis import assume, given
from hypothesis import strategies as st

from toulmin.domain.corpus.folds import FOLDS, WHITE_SPACE, Folded
from toulmin.domain.corpus.sentences import sentences
from toulmin.domain.corpus.text import (
    lines,
    locate,
    parts_a_character,
    same_words,
    utf16_range,
)

PIECES = [
    *"aeq .!?\t\u00a0\u2028\u0301\u0323\u0307\u200d\ufe0f",
    *[
        "\r\n",
        "\r",
        "\n",
        "\n\n",
        "  ",
        "é",
        "\u212b",
        "\u1100\u1161\u11a8",
        "가",
        "か\u3099",
        "。",
        "e.g. ",
        "No. 5",
        "A",
    ],
    *["\U0001f469\u200d\U0001f467", "\U0001f44d\U0001f3fd", "x\u0301", "\u0344", "\U0001d15e", "word"],
]
texts = st.lists(st.sampled_from(PIECES) | st.characters(codec="utf-8"), max_size=40).map("".join)


@given(texts)
def test_the_folded_text_is_composed_and_its_white_space_collapsed(text: str) -> None:
    composed = unicodedata.normalize("NFC", text)
    for character in WHITE_SPACE:
        composed = composed.replace(character, " ")
    while "  " in composed:
        composed = composed.replace("  ", " ")
    assert Folded.of(text, FOLDS).text == composed


@given(texts)
def test_folding_twice_changes_nothing_more(text: str) -> None:
    folded = Folded.of(text, FOLDS).text
    assert Folded.of(folded, FOLDS) == Folded(folded)
    assert not any(fold.changes(folded) for fold in FOLDS)


@given(texts, st.data())
def test_what_is_found_has_the_same_words_as_the_quote(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    quote = data.draw(st.sampled_from([text[start:end], Folded.of(text[start:end], FOLDS).text]))
    matches = locate(text, quote)
    assert list(matches) == sorted(set(matches))
    for match in matches:
        stored = text[match.start : match.end]
        assert same_words(stored, quote)
        assert match.exact == (stored == quote.strip(WHITE_SPACE))
        assert not parts_a_character(text, match.start)
        assert not parts_a_character(text, match.end)


@given(texts, st.data())
def test_words_taken_from_a_text_are_found_in_it(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    start, end = end - len(text[start:end].lstrip(WHITE_SPACE)), start + len(text[start:end].rstrip(WHITE_SPACE))
    assume(start < end and not parts_a_character(text, start) and not parts_a_character(text, end))
    quote = unicodedata.normalize("NFD", text[start:end])
    (first, *_) = locate(text, quote, prefix=text[:start], suffix=text[end:])
    assert (first.start, first.end) == (start, end)


@given(texts, st.data())
def test_utf16_offsets_slice_to_the_same_words(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    first, last = utf16_range(text, start, end)
    assert text.encode("utf-16-le")[2 * first : 2 * last].decode("utf-16-le") == text[start:end]


@given(texts)
def test_lines_and_their_ends_give_the_text_back(text: str) -> None:
    ranges = list(lines(text))
    starts = [start for start, _ in ranges] + [len(text)]
    ends = [0, *(end for _, end in ranges)]
    gaps = [text[end:start] for end, start in zip(ends, starts, strict=True)]
    assert set(gaps) <= {"", "\n", "\r", "\r\n"}
    assert not any(character in text[start:end] for start, end in ranges for character in "\r\n")


@given(texts, st.data())
def test_sentences_and_the_gaps_between_them_give_the_text_back(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    at = start
    for first, last in sentences(text, start, end):
        assert at <= first < last <= end
        assert not text[at:first].strip()
        assert text[first:last] == text[first:last].strip()
        at = last
    assert not text[at:end].strip()
