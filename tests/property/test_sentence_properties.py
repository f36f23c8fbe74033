from __future__ import annotations

import re
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from toulmin.domain.claims.markers import claims_of, parse
from toulmin.domain.corpus.sentences import Unit, sentences, units

LINES = [
    *[
        "",
        "",
        " ",
        "\t",
        "word",
        "Two words.",
        "A b. C d! E f?",
        "第一文です。第二文です！",
        "e.g. this",
        "A. Smith",
        "so::",
    ],
    *[
        "# Top",
        "#",
        "##  x",
        "Title",
        "=====",
        "---",
        "~~~",
        "====  ====",
        "a     b",
        "      b",
        "- - -",
        "::",
        ":::",
        "...",
    ],
    *[
        "```",
        "```python",
        "~~~~ x",
        ">>> 1",
        ">",
        "> quoted. Twice",
        ">> deep",
        "| a | b |",
        "|---|:-:|",
        "a | b",
        "| line",
    ],
    *[
        "+---+",
        "+===+",
        "a\tb",
        "a,b,c",
        "- item",
        "- ",
        "  - inner. Two",
        "* * x",
        "1. first",
        "2) second",
        "(a) third",
        "A. x",
    ],
    *[
        "    indented",
        "   goes on.",
        ".. note::",
        ".. note:: Text. More",
        ".. py:data:: X",
        ".. code-block:: c",
        ".. _a:",
        "..",
    ],
    *[
        ".. versionchanged:: 2.3",
        ".. deprecated:: 2.2 Gone. Now",
        ":param x: the x.",
        "\u00a0",
        "\u2028",
        "[1]: x",
        "“Yes.” No.",
    ],
]
line_ends = st.sampled_from(["\n", "\n", "\r\n", "\r"])
texts = st.lists(st.tuples(st.sampled_from(LINES), line_ends).map("".join), max_size=25).map("".join)
any_text = st.one_of(texts, st.text(alphabet=" \n\r\t.!?:-*+#|>`~=_'\"()[]ab1A,。", max_size=60))

DRAWN = re.compile(r"(?:[-=~^\"'`#*+.:_<|]|\s)*")
NOTE = re.compile(r"\.\.\s+(?:\|\S+\|\s+)?[\w.+:-]+::")
MARK = re.compile(r"(?:[-*+•◦▪‣–>|\s])+|\(?(?:[\d#]{1,3}|[a-zA-Z]{1,5})[.)](?:\s|$)|(?:`{3,}|~{3,}).*")


def is_no_unit(words: str) -> bool:
    """Whether a line or the beginning of one is only what a unit leaves out."""
    return any(pattern.fullmatch(words.strip()) for pattern in (DRAWN, NOTE, MARK))


def gaps(text: str, found: list[Unit]) -> list[str]:
    """What stands between the units, line by line."""
    ends = [0, *(unit.end for unit in found)]
    starts = [*(unit.start for unit in found), len(text)]
    return [line for end, start in zip(ends, starts, strict=True) for line in re.split(r"[\r\n]+", text[end:start])]


@given(any_text)
def test_units_are_in_order_apart_and_not_empty(text: str) -> None:
    found = list(units(text))
    assert all(unit.start < unit.end for unit in found)
    assert all(left.end <= right.start for left, right in pairwise(found))


@given(any_text)
def test_a_unit_neither_begins_nor_ends_with_white_space(text: str) -> None:
    assert all(text[unit.start : unit.end] == text[unit.start : unit.end].strip() for unit in units(text))


@given(any_text)
def test_every_character_that_is_no_mark_is_in_a_unit(text: str) -> None:
    assert [gap for gap in gaps(text, list(units(text))) if not is_no_unit(gap)] == []


@given(any_text, any_text, any_text)
def test_units_of_a_range_are_those_of_its_text_alone(before: str, text: str, after: str) -> None:
    start, end = len(before), len(before) + len(text)
    alone = [Unit(unit.start + start, unit.end + start, unit.kind) for unit in units(text)]
    assert list(units(before + text + after, start, end)) == alone


@given(any_text)
def test_sentences_and_their_gaps_give_the_text_back(text: str) -> None:
    found = list(sentences(text, 0, len(text)))
    inside = "".join(text[start:end] for start, end in found)
    assert "".join(inside.split()) == "".join(text.split())
    assert all(left[1] <= right[0] for left, right in pairwise(found))


WORDS = [
    *["The lamp", " uses 9 W", " and lasts 20 years", ", though it is heavy", ". ", ".", "! ", "\n", "\n\n", "- ", "1. ", "# ", "`", "```\n", " "],
    *["[E1]", "[E2]", " [E1, E2]", "[E9]", "[1", "]", "[[E1]]", "[^E2]", "【E1†x】", "[a](b)", "(E1)", "[2004]", "\\[", "[^n]: Note. ", " | ", "中。"],
]  # fmt: skip
answers = st.lists(st.sampled_from(WORDS), max_size=25).map("".join)
IDS = ("E1", "E2")


@given(answers)
def test_every_bracket_of_an_answer_is_in_exactly_one_run(text: str) -> None:
    runs = parse(text, IDS).runs
    assert all(left.end <= right.start for left, right in pairwise(runs))
    inside = {at for run in runs for at in range(run.start, run.end)}
    assert {at for at, sign in enumerate(text) if sign in "[]【】"} <= inside


@given(answers)
def test_every_word_of_an_answer_is_in_a_claim_or_a_marker_or_a_note(text: str) -> None:
    claims, parsed = claims_of(text, IDS), parse(text, IDS)
    apart = [*parsed.citations, *parsed.findings, *parsed.notes]
    found = {at for claim in claims for start, end in claim.ranges for at in range(start, end)}
    found |= {at for run in apart for at in range(run.start, run.end)}
    lost = "".join(sign for at, sign in enumerate(text) if at not in found)
    assert not re.findall(r"\w", re.sub(r"\b(?:and|though|1\.)", "", lost))


@given(answers)
def test_every_marker_is_with_a_claim(text: str) -> None:
    claims, parsed = claims_of(text, IDS), parse(text, IDS)
    assert {word for run in parsed.citations for word in run.ids} >= {word for claim in claims for word in claim.ids}
    findings = {(run.start, run.end) for claim in claims for run in claim.findings}
    assert {(run.start, run.end) for run in parsed.findings} <= findings
