from __future__ import annotations

import re
import unicodedata

import pytest

from toulmin.domain.corpus.folds import FOLDS, Fold, Folded
from toulmin.domain.corpus.text import (
    Match,
    Searched,
    lines,
    locate,
    locate_exactly,
    paragraphs,
    parts_a_character,
    same_words,
    trimmed,
    utf16_range,
)

FAMILY = "\U0001f469\u200d\U0001f469\u200d\U0001f467"


def spans(text: str, quote: str, prefix: str | None = None, suffix: str | None = None) -> list[tuple[int, int]]:
    return [(match.start, match.end) for match in locate(text, quote, prefix=prefix, suffix=suffix)]


def test_a_quote_is_found_where_it_stands() -> None:
    assert locate("No refund. No reply.", "No reply.") == (Match(start=11, end=20),)


def test_a_match_says_whether_it_is_exact_or_which_folds_it_needed() -> None:
    text = "audit hold; audit\n  hold"
    exact, folded = locate(text, "audit hold")
    assert exact.exact
    assert folded == Match(start=12, end=24, folds=("white-space",))
    assert not folded.exact


def test_a_quote_that_needs_both_folds_names_both() -> None:
    assert locate("cafe\u0301\nbar", "caf\u00e9 bar") == (Match(start=0, end=9, folds=("nfc", "white-space")),)


def test_every_occurrence_is_found_those_that_overlap_included() -> None:
    assert spans("aaa", "aa") == [(0, 2), (1, 3)]


def test_white_space_around_the_quote_is_ignored() -> None:
    assert locate("keep the hold now", "\n the hold \t") == (Match(start=5, end=13),)


@pytest.mark.parametrize("quote", ["", " ", "\n\t\u2028"])
def test_a_quote_without_words_occurs_nowhere(quote: str) -> None:
    assert locate("some text ", quote) == ()


def test_a_quote_that_is_not_there_is_not_found() -> None:
    assert locate("do roll back", "do not roll back") == ()


def test_prefix_and_suffix_choose_among_occurrences() -> None:
    text = "Fee: 5. Deposit:\n5. Rent: 5!"
    assert spans(text, "5") == [(5, 6), (17, 18), (26, 27)]
    assert spans(text, "5", prefix="Deposit: ") == [(17, 18)]
    assert spans(text, "5", prefix="Rent:") == [(26, 27)]
    assert spans(text, "5", suffix=". Deposit") == [(5, 6)]
    assert spans(text, "5", prefix="Fee:", suffix="!") == []


def test_prefix_and_suffix_are_compared_after_the_folds() -> None:
    assert spans("Cafe\u0301\r\nopen 9\r\ndaily", "open 9", prefix="Caf\u00e9", suffix="daily") == [(7, 13)]


def test_a_no_break_space_is_not_the_same_as_a_space() -> None:
    assert locate("5\u00a0km", "5 km") == ()


def test_a_match_does_not_end_between_a_letter_and_its_mark() -> None:
    """`x` with an acute has no composed form, so that only the mark itself tells it from `x`."""
    assert locate("x\u0301y", "x") == ()
    assert spans("x\u0301y", "x\u0301") == [(0, 2)]
    assert locate("x\u0301y", "\u0301y") == ()


def test_marks_in_another_order_are_the_same_words() -> None:
    assert locate("q\u0307\u0323!", "q\u0323\u0307") == (Match(start=0, end=3, folds=("nfc",)),)


def test_a_letter_is_not_found_in_what_composing_only_reorders() -> None:
    assert locate("q\u0307\u0323", "q") == ()
    assert locate("\u0301\u0323", "\u0301") == ()


def test_hangul_is_found_whether_composed_or_not() -> None:
    assert spans("\u1112\u1161\u11ab\u1100\u1173\u11af", "\ud55c\uae00") == [(0, 6)]
    assert spans("\u1112\u1161\u11ab\u1100\u1173\u11af", "\uae00") == [(3, 6)]


def test_folding_equals_composing_the_whole_text() -> None:
    text = "a\u0301 \u0344e\u0301\u0323 \u212b \u1112\u1161\u11ab\u3042\u3099 \u0915\u093c x\u0301"
    assert Folded.of(text, FOLDS).text == unicodedata.normalize("NFC", text)


def test_a_text_that_no_fold_changes_has_no_map() -> None:
    assert Folded.of("Gr\u00fc\u00dfe aus Z\u00fcrich", FOLDS) == Folded("Gr\u00fc\u00dfe aus Z\u00fcrich")


def test_a_range_inside_of_a_replacement_is_widened_to_all_that_was_replaced() -> None:
    ligature = Fold(name="ligature", split=re.compile("(\ufb01)").split, replace=lambda _: "fi")
    folded = Folded.of("a \ufb01rst \ufb01t", (ligature,))
    assert folded.text == "a first fit"
    assert folded.source(2, 7) == (2, 6)
    assert folded.source(3, 7) == (2, 6)
    assert folded.source(0, 3) == (0, 3)
    assert folded.source(8, 11) == (7, 9)


def test_what_a_fold_takes_away_is_outside_of_a_range_that_ends_there() -> None:
    hyphen = Fold(name="soft-hyphen", split=re.compile("(\u00ad)").split, replace=lambda _: "")
    folded = Folded.of("\u00adaudit\u00adhold\u00ad", (hyphen,))
    assert folded.text == "audithold"
    assert folded.source(0, 5) == (1, 6)
    assert folded.source(5, 9) == (7, 11)
    assert folded.source(0, 9) == (1, 11)


def test_words_are_the_same_after_the_folds_only() -> None:
    assert same_words("cafe\u0301\n  open", " caf\u00e9 open")
    assert not same_words("cafe open", "caf\u00e9 open")
    assert not same_words("Open", "open")


def test_a_composed_and_a_decomposed_quote_are_found_in_either() -> None:
    """Trouble case O14, the part about folds."""
    text = "Cafe\u0301 Zu\u0308rich closes at 18:00."
    assert len(text) == 30
    whole = "Caf\u00e9 Z\u00fcrich closes at 18:00."
    assert len(whole) == 28
    assert locate(text, whole) == (Match(start=0, end=30, folds=("nfc",)),)
    assert locate(text, "Z\u00fcrich") == (Match(start=6, end=13, folds=("nfc",)),)
    assert spans(unicodedata.normalize("NFC", text), "Zu\u0308rich") == [(5, 11)]
    assert locate(text, "Cafe") == ()


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n"])
def test_line_ends_do_not_shift_offsets(end: str) -> None:
    """Trouble case O16: line ends of one character or two, and the quote has those of another system."""
    text = f"Line one.{end}Line two.{end}Line three."
    (match,) = locate(text, "Line two.\nLine three.")
    assert text[match.start : match.end] == f"Line two.{end}Line three."
    assert (match.start, match.end) == (9 + len(end), 29 + 2 * len(end))


def test_offsets_count_code_points_and_convert_to_utf16() -> None:
    """Trouble case O17: emoji before the quote."""
    text = f"\U0001f914\U0001f914 Fee: 5 €. {FAMILY} Family plan: 9 €."
    assert spans(text, "Family plan: 9 €.") == [(19, 36)]
    assert utf16_range(text, 19, 36) == (24, 41)
    assert text.encode("utf-16-le")[2 * 24 : 2 * 41].decode("utf-16-le") == text[19:36]
    assert len(text[:19].encode()) == 40
    assert len(text[:36].encode()) == 59


def test_a_joined_emoji_is_not_cut() -> None:
    """Trouble case O17: a family is one character to its reader."""
    assert locate(FAMILY, "\U0001f469") == ()
    assert spans(f"the {FAMILY} plan", FAMILY) == [(4, 9)]


def test_an_ascii_text_has_the_same_offsets_in_utf16() -> None:
    assert utf16_range("plain", 1, 3) == (1, 3)


@pytest.mark.parametrize("pair", ["e\u0301", "\r\n", "\U0001f44d\U0001f3fd", "\u200d\U0001f467", "\u2764\ufe0f"])
def test_what_a_reader_sees_as_one_is_not_parted(pair: str) -> None:
    assert parts_a_character(pair, 1)
    assert not parts_a_character(pair, 0)
    assert not parts_a_character(pair, 2)


def test_lines_end_in_whatever_way_they_end() -> None:
    text = "one\r\ntwo\rthree\n\n\r\nsix"
    assert [text[start:end] for start, end in lines(text)] == ["one", "two", "three", "", "", "six"]


def test_blank_lines_part_paragraphs() -> None:
    text = "\r\none\r\nstill one\r\n \t\r\ntwo\r\rthree"
    assert [text[start:end] for start, end in paragraphs(text)] == ["one\r\nstill one", "two", "three"]


def test_trimming_takes_white_space_of_every_kind_from_both_ends() -> None:
    assert trimmed(" \u00a0word\u3000", 0, 7) == (2, 6)
    start, end = trimmed("   ", 0, 3)
    assert start == end


def test_prefix_and_suffix_choose_in_a_long_text_as_well() -> None:
    filler = "The lamp is blue.\n" * 3000
    text = f"{filler}Fee:\n5. {filler}Deposit: 5. {filler}"
    (match,) = locate(text, "5", prefix="Fee: ", suffix=f". {filler[:4000]}")
    assert match == Match(start=len(filler) + 5, end=len(filler) + 6)
    assert len(locate(text, "The lamp is  blue.")) == 9000
    assert locate(text, "5", prefix="Rent:") == ()


def test_a_text_without_any_ascii_is_searched_all_the_same() -> None:
    text = "赤い機械。" * 5000
    assert len(locate(text, "機械。赤い")) == 4999


def test_exact_occurrences_are_those_without_any_fold() -> None:
    assert locate_exactly("no reply, no\nreply", " no reply ") == (Match(start=0, end=8),)
    assert locate_exactly("x\u0301y", "x") == ()


def test_a_search_within_a_range_finds_all_that_is_in_it() -> None:
    text = "The lamp is new. " * 2000
    searched = Searched.of(text)
    within = (len(text) // 2, len(text) // 2 + 5000)
    found = [(match.start, match.end) for match in searched.locate("lamp  is", within=within)]
    everywhere = [(match.start, match.end) for match in searched.locate("lamp  is")]
    assert set(found) <= set(everywhere)
    assert {span for span in everywhere if within[0] <= span[0] and span[1] <= within[1]} <= set(found)
    assert len(found) < len(everywhere) / 2
    assert searched.locate("lamp  is", within=(0, len(text))) == searched.locate("lamp  is")
    assert Searched.of("").locate("lamp", within=(0, 0)) == ()
