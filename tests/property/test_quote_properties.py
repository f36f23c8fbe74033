from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

from hypothesis import assume, given
from hypothesis import strategies as st

from toulmin.domain.corpus.folds import FOLDS, INNER_HYPHEN, MAYBE_HYPHEN, QUOTE_FOLDS, Folded, bare
from toulmin.domain.corpus.quotes import QuoteStatus, find, negates
from toulmin.domain.corpus.text import Searched, locate, parts_a_character, same_words

INVISIBLE = "\u00ad\u200b\u2060\ufeff"
TAKEN_AWAY = f"{INVISIBLE}-\u2010\u2011\u2212\ufe63\uff0d\u2012\u2013\u2014\u2015 \t\r\n"
STAND_INS = " -'\".\u2013"
LIGATURES = "\ufb00\ufb01\ufb02\ufb03\ufb04\ufb05\ufb06"
MINUSES = "-\u2212\ufe63\uff0d\u2010\u2011"
TRAPS = [
    *"aZné5. ,;:!?'\"()+±°%$€",
    *MINUSES,
    *"\u2012\u2013\u2014\u2015\u2026",
    *INVISIBLE,
    *LIGATURES,
    *"\u00a0\u202f\u2009\u2003\u3000\t\u200d\u0301\u0323\u2018\u2019\u201c\u201e\u00ab\u300c",
    *[
        "\n",
        "\r\n",
        "\r",
        "\n\n",
        "  ",
        "-\n",
        "- \n ",
        "\n\u00ad\n",
        "x\u0301",
        "\u1100\u1161",
        "가",
        "か\u3099",
        "赤",
    ],
    *["not", "n\u2019t", "un", "12", "-12", "\u221212", " \u2014 ", "4.5", "word", "Word", "fi", "st", "..."],
    *["\U0001f469\u200d\U0001f467", "\u212b", "№", "١٢"],
]
texts = st.lists(st.sampled_from(TRAPS), max_size=30).map("".join)
LONG = "The lamp stands there, and it is not red. " * 220

TYPED = {
    "The ": "The ",
    "scienti\ufb01c": "scientific",
    "o\ufb03ce": "office",
    "don\u2019t": "don't",
    "is": "is",
    "not": "not",
    "n\u200bot": "not",
    "un\u00adable": "unable",
    "\u221212": "-12",
    "\ufe635": "-5",
    "-12": "-12",
    "12": "12",
    "4.5": "4.5",
    "10\u201312": "10-12",
    "non\u2011binding": "non-binding",
    "Immo\n\u00ad\nbilien": "Immobilien",
    "Wert\u00ad\r\npapier": "Wertpapier",
    "Cafe\u0301": "Caf\u00e9",
    "\u201cso\u201d": '"so"',
    "wait\u2026": "wait...",
    "\u00abja\u00bb": "\u00abja\u00bb",
    "\ufeffAn": "An",
}
BETWEEN = {" ": " ", "\n": " ", "\u00a0": " ", "\u202f": " ", " \u2014 ": " - ", ", ": ", ", "\u200b \r\n\t": " "}


def spelled(text: str) -> str:
    """The characters that a reader sees, each letter with its marks as one, and white space as it is."""
    text = "".join(unicodedata.normalize("NFKC", one) if one in LIGATURES else one for one in text)
    return unicodedata.normalize("NFC", "".join(one for one in text if one not in INVISIBLE))


def signed(text: str) -> list[str]:
    """The numbers that have a sign before them, with it."""
    found = re.findall(rf"(?<![^\W_])([+±{re.escape(MINUSES)}])(\d+)", spelled(text))
    return [("-" if sign in MINUSES else sign) + number for sign, number in found]


def gaps(text: str) -> list[tuple[str, str]]:
    """Each letter or digit, with what stands between it and the next."""
    return re.findall(r"([^\W_])((?:[\W_])*)", text)


def is_seen(mark: str) -> bool:
    """Whether it is more than a part of the letter before it."""
    return mark not in INVISIBLE and not unicodedata.combining(mark)


def folded(text: str) -> str:
    return Folded.of(text, QUOTE_FOLDS).text


@given(texts)
def test_no_fold_touches_a_letter_its_case_or_a_digit(text: str) -> None:
    assert [letter for letter, _ in gaps(folded(text))] == [letter for letter, _ in gaps(spelled(text))]


@given(texts)
def test_no_fold_makes_or_loses_a_sign(text: str) -> None:
    assert signed(folded(text)) == signed(text)


@given(texts)
def test_no_fold_makes_or_loses_the_edge_of_a_word(text: str) -> None:
    visible = "".join(unicodedata.normalize("NFKC", one) if one in LIGATURES else one for one in text)
    for (_, before), (_, after) in zip(gaps(unicodedata.normalize("NFC", visible)), gaps(folded(text)), strict=False):
        is_broken = any(mark in before for mark in "-\u2010\u00ad") and any(end in before for end in "\r\n")
        parted = any(one.isspace() for one in before)
        if not is_broken:
            assert any(one.isspace() for one in after) == parted
            assert any(map(is_seen, after)) == any(map(is_seen, before))


@given(texts)
def test_no_fold_makes_or_loses_a_negation(text: str) -> None:
    plain = folded(text)
    assert negates(plain.replace(MAYBE_HYPHEN, "")) == negates(text)
    assert len(re.findall("not|n't", plain)) == len(
        re.findall("not|n['\u2018\u2019]t", spelled(text).replace("-\n", ""))
    )


@given(texts)
def test_the_mark_of_a_hyphen_that_may_be_one_stands_between_letters(text: str) -> None:
    plain = folded(text)
    assert all(plain[at + 1].isalpha() for at, one in enumerate(plain) if one == MAYBE_HYPHEN)


@given(st.lists(st.tuples(st.sampled_from(list(TYPED)), st.sampled_from(list(BETWEEN))), min_size=1, max_size=12))
def test_what_is_printed_folds_to_what_one_would_type(pairs: list[tuple[str, str]]) -> None:
    printed = "".join(word + gap for word, gap in pairs)
    typed = "".join(TYPED[word] + BETWEEN[gap] for word, gap in pairs)
    assert folded(printed) == re.sub(" +", " ", typed)
    assert same_words(printed, typed, QUOTE_FOLDS)


@given(texts, st.data())
def test_folding_and_mapping_back_gives_the_range(text: str, data: st.DataObject) -> None:
    """Each character of the folded text stands for its own range, in order; what lies between them is what a fold takes away."""
    made = Folded.of(text, (*QUOTE_FOLDS, INNER_HYPHEN))
    ranges = [made.source(at, at + 1) for at in range(len(made.text))]
    for (first, last), (next_first, next_last) in pairwise([(0, 0), *ranges, (len(text), len(text))]):
        assert first <= next_first
        assert last <= next_last
        assert set(text[last:next_first]) <= set(TAKEN_AWAY)
    for at, (first, last) in enumerate(ranges):
        assert made.text[at] in spelled(text[first:last]) or made.text[at] in STAND_INS
    start = data.draw(st.integers(0, len(made.text)))
    end = data.draw(st.integers(start, len(made.text)))
    if start < end:
        assert made.source(start, end) == (ranges[start][0], ranges[end - 1][1])


@given(texts, st.data())
def test_words_of_a_text_are_found_where_they_stand(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    quote = text[start:end]
    assume(quote.strip() == quote and quote)
    assume(not parts_a_character(text, start) and not parts_a_character(text, end))
    found = find(text, quote)
    assert (start, end) in {(one.start, one.end) for one in found}
    assert {one.status for one in found} == {QuoteStatus.EXACT}
    assert not {name for one in found for name in one.folds}


@given(texts, st.data())
def test_words_as_one_would_type_them_are_found_with_the_same_words(text: str, data: st.DataObject) -> None:
    typed = folded(text).replace(MAYBE_HYPHEN, data.draw(st.sampled_from(["", "-"])))
    words = typed.strip(" ")
    assume(words and not parts_a_character(f"a{words}", 1) and not parts_a_character(f"{words}a", len(words)))
    found = find(text, typed)
    assert found
    for one in found:
        stored = text[one.start : one.end]
        assert same_words(stored, typed, QUOTE_FOLDS)
        assert (one.status is QuoteStatus.EXACT) == (not one.folds) == (stored == typed.strip(" "))


@given(texts, st.integers(0, 2), st.data())
def test_a_long_text_is_searched_as_a_short_one(text: str, copies: int, data: st.DataObject) -> None:
    quote = data.draw(st.sampled_from([text, folded(text).replace(MAYBE_HYPHEN, ""), text[1:-1]]))
    assume(bare(quote))
    framed, before = f". {text} .", LONG * copies
    short = [(len(before) + one.start, len(before) + one.end) for one in Searched.of(framed, QUOTE_FOLDS).locate(quote)]
    long = Searched.of(f"{before}{framed} {LONG}", QUOTE_FOLDS).locate(quote)
    assert [(one.start, one.end) for one in long if one.start in range(len(before), len(before) + len(framed))] == short


@given(texts, texts)
def test_the_bare_letters_are_the_same_after_the_folds(text: str, other: str) -> None:
    assert bare(folded(text)) == bare(text)
    assert bare(f"{text} {other}") == bare(text) + bare(other)


@given(texts, texts)
def test_curated_spans_are_compared_after_two_folds_only(text: str, other: str) -> None:
    for match in locate(f"{text} {other}", other):
        assert set(match.folds) <= {fold.name for fold in FOLDS}
