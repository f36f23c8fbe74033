"""Selectors: words that somebody points at are found again, at that place and no other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toulmin.domain.corpus.selector import Selector, selector
from toulmin.domain.corpus.text import locate

TEXT = "Go on. The red fox runs. The red fox stops.\r\nThe red fox runs."
PIECES = ("a ", "b ", "c\r\n", "e\u0301 ", "👩‍🚀 ", "  ", "a-", "\n", "-\u00ad", "𝒜")


def at(start: int, end: int, text: str = TEXT, body: int = 0) -> Selector:
    found = selector(text, start, end, body=body)
    assert found is not None
    return found


@pytest.mark.parametrize("quote", ["Go on", "stops", "runs. The red fox stops.\r\nThe"])
def test_what_occurs_once_needs_nothing_around_it(quote: str) -> None:
    start = TEXT.index(quote)
    assert at(start, start + len(quote)) == Selector(start=start, end=start + len(quote), quote=quote)


@pytest.mark.parametrize(
    ("start", "prefix", "suffix"),
    [(11, None, " runs. The"), (29, None, " stops."), (49, "stops.\r\nThe ", None)],
)
def test_what_occurs_again_gets_the_fewest_words_that_tell_it_apart(
    start: int, prefix: str | None, suffix: str | None
) -> None:
    assert at(start, start + 7) == Selector(start=start, end=start + 7, quote="red fox", prefix=prefix, suffix=suffix)


def test_words_on_both_sides_are_taken_where_neither_side_is_enough() -> None:
    text = "x a y. x a z. w a y."
    assert at(2, 3, text) == Selector(start=2, end=3, quote="a", prefix="x ", suffix=" y.")


def test_all_of_the_text_is_taken_where_words_repeat_for_too_long() -> None:
    text = "to be or not " * 50
    found = at(325, 330, text)
    assert (found.prefix, found.suffix) == (text[:325], text[330:])


def test_a_selection_that_ends_inside_of_a_character_has_all_of_it() -> None:
    text = "The cafe\u0301 👩‍🚀 x.\r\n"
    assert at(4, 7, text).quote == "caf"
    assert at(4, 8, text).quote == "cafe\u0301"
    assert at(8, 11, text).quote == "e\u0301 👩‍🚀"


def test_white_space_around_a_selection_is_none_of_it() -> None:
    assert at(2, 7) == Selector(start=3, end=6, quote="on.")
    assert selector(TEXT, 43, 45) is None
    assert selector(TEXT, 5, 5) is None


def test_front_matter_counts_for_nothing() -> None:
    text = "---\nquote: The fox.\n---\nThe fox."
    assert at(24, 32, text, body=24) == Selector(start=24, end=32, quote="The fox.")
    assert at(24, 32, text).prefix is not None
    assert at(0, 32, text, body=24).start == 24
    assert selector(text, 4, 20, body=24) is None


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=30).map("".join), st.data())
def test_every_selection_is_found_where_it_was_made(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    found = selector(text, start, end)
    if found is None:
        assert not text[start:end].strip()
        return
    places = locate(text, found.quote, prefix=found.prefix, suffix=found.suffix)
    assert [(match.start, match.end) for match in places] == [(found.start, found.end)]
    assert found.quote == text[found.start : found.end]
