from __future__ import annotations

import pytest

from toulmin.domain.corpus.sentences import sentences


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text, 0, len(text))]


def test_abbreviations_numbers_and_japanese_stops() -> None:
    """Trouble case O22."""
    text = (
        "Use a filter, e.g. No. 5, as in Fig. 3. Yan et al. [2004] disagree. 第一文です。第二文です！ "
        "Version 3.12 ships on 1.5. at 9 a.m. sharp."
    )
    assert split(text) == [
        "Use a filter, e.g. No. 5, as in Fig. 3.",
        "Yan et al. [2004] disagree.",
        "第一文です。",
        "第二文です！",
        "Version 3.12 ships on 1.5. at 9 a.m. sharp.",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "See i.e. The Manual for it.",
        "Ask Dr. Smith vs. Mr. Jones.",
        "J. R. R. Tolkien and J.R. Ewing met.",
        "Read cf. Chapter 3 of Vol. II today.",
        'He asked "Why?" and left.',
        "Wait... what now?",
        "Call toulmin.domain.text or see https://example.org/a.b?c=d now.",
        "It costs 3.50 or 4.00 euros.",
        "Cables, plugs etc. (see below) are free.",
        "1. First do this.",
        "1.2. Scope of this part.",
    ],
)
def test_what_is_one_sentence_stays_one(text: str) -> None:
    assert split(text) == [text]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("One. Two.", ["One.", "Two."]),
        ("Is it? No. It is.", ["Is it?", "No.", "It is."]),
        ("Stop! Go?! Wait… Done.", ["Stop!", "Go?!", "Wait…", "Done."]),
        ('She said "Stop." Then (it was late.) He left.', ['She said "Stop."', "Then (it was late.)", "He left."]),
        ("He said so, and so did I. Then we left.", ["He said so, and so did I.", "Then we left."]),
        ("Cables, plugs etc. The rest costs.", ["Cables, plugs etc.", "The rest costs."]),
        ("It was 2004. The year ended at 9 p.m. We left.", ["It was 2004.", "The year ended at 9 p.m.", "We left."]),
        ("Set ``DEBUG``. ``TESTING`` is off.", ["Set ``DEBUG``.", "``TESTING`` is off."]),
        ("「はい。」次の文。", ["「はい。」", "次の文。"]),
        ("没有？！有。", ["没有？！", "有。"]),
        ("A title\n\nand a text\r\n \r\nand more", ["A title", "and a text", "and more"]),
        ("wrapped\r\nline. Next\rone", ["wrapped\r\nline.", "Next\rone"]),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, parts: list[str]) -> None:
    assert split(text) == parts


def test_only_the_asked_range_is_split() -> None:
    text = "Zero. One. Two. Three."
    assert [text[start:end] for start, end in sentences(text, 5, 16)] == ["One.", "Two."]


@pytest.mark.parametrize("text", ["", " \n\r\n "])
def test_white_space_holds_no_sentence(text: str) -> None:
    assert split(text) == []
