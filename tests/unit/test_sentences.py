from __future__ import annotations

import pytest

from tests.unit.sentence_cuts import CUTS, ends, parts, text
from toulmin.domain.corpus.sentences import UnitKind, sentences, units


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


def read(whole: str) -> list[tuple[str, str]]:
    return [(unit.kind.value, whole[unit.start : unit.end]) for unit in units(whole)]


@pytest.mark.parametrize("case", CUTS)
def test_units_end_where_a_reader_ends_them(case: str) -> None:
    whole = text(case)
    found = [whole[unit.start : unit.end] for unit in units(whole)]
    assert ends(whole, found) == ends(whole, parts(case))


@pytest.mark.parametrize(
    ("whole", "wanted"),
    [
        ("# Use\nCall it.", [("heading", "# Use"), ("sentence", "Call it.")]),
        ("Use\n===\n\nCall it.", [("heading", "Use\n==="), ("sentence", "Call it.")]),
        ("===\nUse\n===\n\nCall it.", [("heading", "===\nUse\n==="), ("sentence", "Call it.")]),
        ("1. Scope\n--------\n\nAll.", [("heading", "1. Scope\n--------"), ("sentence", "All.")]),
        ("It is.\n\n----\n\nIt was.", [("sentence", "It is."), ("sentence", "It was.")]),
        ("A line that is\nwrapped.\n---\nNext.", [("sentence", "A line that is\nwrapped."), ("sentence", "Next.")]),
        (
            ".. py:data:: DEBUG\n\n    Whether it is on. Or off.",
            [("heading", ".. py:data:: DEBUG"), ("sentence", "Whether it is on."), ("sentence", "Or off.")],
        ),
        (".. note:: Mind\n    this. And that.", [("sentence", "Mind\n    this."), ("sentence", "And that.")]),
        (".. note::\n    Mind this.", [("heading", ".. note::"), ("sentence", "Mind this.")]),
        (".. versionadded:: 2.3", [("heading", ".. versionadded:: 2.3")]),
        (".. deprecated:: 2.2 Do not\n   use it.", [("sentence", ".. deprecated:: 2.2 Do not\n   use it.")]),
        (".. _target:\n\nText.", [("heading", ".. _target:"), ("sentence", "Text.")]),
        (".. [1] A footnote.", [("sentence", "[1] A footnote.")]),
    ],
)
def test_headings_and_directives(whole: str, wanted: list[tuple[str, str]]) -> None:
    assert read(whole) == wanted


@pytest.mark.parametrize(
    ("whole", "wanted"),
    [
        ("- one. Two\n  goes on\n- three", ["one.", "Two\n  goes on", "three"]),
        ("* a\n+ b\n• c", ["a", "b", "c"]),
        ("1. a\n2. b", ["a", "b"]),
        ("1) a\n2) b", ["a", "b"]),
        ("(a) first\n(b) second", ["first", "second"]),
        ("a) first\nb) second", ["first", "second"]),
        ("i. first\nii. second", ["first", "second"]),
        ("#. first\n#. second", ["first", "second"]),
        ("- a\n\n  More of a.\n\n- b", ["a", "More of a.", "b"]),
        ("- outer\n  - inner\n- next", ["outer", "inner", "next"]),
        ("* - a\n  - b", ["a", "b"]),
        (":param x: the x.\n:param y: the y.", None),
    ],
)
def test_a_list_is_read_item_by_item_without_its_marks(whole: str, wanted: list[str] | None) -> None:
    if wanted is None:
        assert [words for _, words in read(whole)] == whole.split("\n")
    else:
        assert read(whole) == [("item", words) for words in wanted]


@pytest.mark.parametrize(
    "whole",
    [
        "The answer to all of it is\n42. Nobody knows why it is.",
        "It was written by\nA. Smith and others.",
        "A. Smith wrote it.",
        "The result is the first\n- minus the second.",
        "The values are\n> 5 in all cases.",
    ],
)
def test_a_number_letter_or_dash_that_happens_to_begin_a_line_is_no_mark(whole: str) -> None:
    assert "".join(words for _, words in read(whole)).replace("\n", "") == whole.replace("\n", "").replace(". N", ".N")
    assert {kind for kind, _ in read(whole)} == {"sentence"}


def test_a_list_ends_where_a_line_stands_further_out() -> None:
    assert read("- a\n\nText.") == [("item", "a"), ("sentence", "Text.")]


def test_a_list_begins_under_the_words_that_announce_it() -> None:
    assert read("Take:\n- a\n- b") == [("sentence", "Take:"), ("item", "a"), ("item", "b")]


@pytest.mark.parametrize(
    ("whole", "wanted"),
    [
        ("| a | b |\n|---|:-:|\n| 1 | 2 |", ["| a | b |", "| 1 | 2 |"]),
        ("a | b\n--- | ---\n1 | 2", ["a | b", "1 | 2"]),
        ("Sex | alive n\nFemale | 173", ["Sex | alive n", "Female | 173"]),  # as our own writer writes them
        (" | alive n | dead n\nFemale | 173 | 120", ["| alive n | dead n", "Female | 173 | 120"]),
        ("Female | 173 | 120", ["Female | 173 | 120"]),
        ("a\tb\n1\t2", ["a\tb", "1\t2"]),
        ("a,b,c\n1,2,3", ["a,b,c", "1,2,3"]),
        ("===  ===\nA    B\n===  ===\n1    2\n     3\n4    5\n===  ===", ["A    B", "1    2\n     3", "4    5"]),
        ("+---+---+\n| a | b |\n|   | c |\n+===+===+\n| 1 | 2 |\n+---+---+", ["| a | b |\n|   | c |", "| 1 | 2 |"]),
    ],
)
def test_a_table_is_read_row_by_row_without_what_it_is_drawn_with(whole: str, wanted: list[str]) -> None:
    assert read(whole) == [("row", words) for words in wanted]


@pytest.mark.parametrize(
    "whole",
    [
        "Use int | None here.",
        "|name|_ is the way, and |other| too.",
        "It has 1,000,000 parts,\nand is big.",
        "One, two, three.",
    ],
)
def test_bars_and_commas_in_a_sentence_make_no_table(whole: str) -> None:
    assert read(whole) == [("sentence", whole)]


@pytest.mark.parametrize(
    ("whole", "wanted"),
    [
        ("```python\na = 1. B\n\nb\n```\nText.", [("code", "a = 1. B"), ("code", "b"), ("sentence", "Text.")]),
        ("~~~\na\n```\nb\n~~~", [("code", "a\n```\nb")]),
        (
            "Run::\n\n    a. B\n\n    c\n\nText.",
            [("sentence", "Run::"), ("code", "a. B"), ("code", "c"), ("sentence", "Text.")],
        ),
        ("- Run::\n\n      a\n\n  Text.", [("item", "Run::"), ("code", "a"), ("item", "Text.")]),
        (">>> f(1.)\n2", [("code", ">>> f(1.)\n2")]),
        (".. code-block:: c\n    :linenos:\n\n    x\n\nText.", None),
        ("```python\na = 1", [("code", "a = 1")]),
        ("a = 1\n```\n\nText. More.", [("sentence", "a = 1"), ("sentence", "Text."), ("sentence", "More.")]),
    ],
)
def test_code_is_apart(whole: str, wanted: list[tuple[str, str]] | None) -> None:
    if wanted is None:
        wanted = [("heading", ".. code-block:: c"), ("code", ":linenos:"), ("code", "x"), ("sentence", "Text.")]
    assert read(whole) == wanted


def test_a_quotation_is_read_without_its_marks() -> None:
    whole = "> One. Two\n> goes on.\n>\n> Three."
    assert [words for _, words in read(whole)] == ["One.", "Two\n> goes on.", "Three."]


def test_units_know_stops_that_passages_are_not_cut_at() -> None:
    whole = "It uses 9 W. It lasts."
    assert len(split(whole)) == 1
    assert [unit.kind for unit in units(whole)] == [UnitKind.SENTENCE] * 2
