"""Where words of a text stand on a page as it is printed."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from toulmin.domain.corpus.printed import Box, PrintedPage, letters

WIDTH, HEIGHT = 10, 12


def printed(*lines: str, spaces: bool = True) -> PrintedPage:
    """A page with a line below the other, each character 10 wide and 12 high, and 8 between two lines; line ends have no place."""
    found: list[tuple[str, Box]] = []
    for row, line in enumerate(lines):
        top = 20.0 * row
        for column, character in enumerate(line):
            if spaces or not character.isspace():
                found.append((character, Box(column * WIDTH, top, (column + 1) * WIDTH, top + HEIGHT)))
        found.append(("\n", Box(0, 0, 0, 0)))
    return PrintedPage(
        width=1000, height=1000, characters=tuple(each for each, _ in found), boxes=tuple(box for _, box in found)
    )


def marks(page: PrintedPage, text: str, words: str, *, occurrence: int = 0) -> Sequence[Box]:
    """The marks of an occurrence of words in the text."""
    start = -1
    for _ in range(occurrence + 1):
        start = text.index(words, start + 1)
    return page.marks(text, start, start + len(words))


def row(box: Box) -> tuple[float, float, float]:
    """A box in lines and columns of `printed`."""
    return box.top / 20, box.left / WIDTH, box.right / WIDTH


def test_words_are_marked_where_they_stand() -> None:
    text = "One line.\nAnother line."
    assert marks(printed("One line.", "Another line."), text, "Another") == (Box(0, 20, 70, 32),)


def test_words_over_several_lines_have_a_mark_for_each() -> None:
    text = "One line.\nAnother line.\nA third."
    found = marks(printed("One line.", "Another line.", "A third."), text, "line.\nAnother line.\nA")
    assert [row(box) for box in found] == [(0, 4, 9), (1, 0, 13), (2, 0, 1)]


def test_white_space_and_line_ends_may_differ() -> None:
    page = printed("One line", "and an-", "other.", spaces=False)
    found = marks(page, "One  line and another.", "another")
    assert [row(box) for box in found] == [(1, 4, 6), (2, 0, 5)]


def test_a_ligature_is_marked_whole_where_a_part_of_it_is_meant() -> None:
    assert marks(printed("o\ufb03ce"), "office", "f") == (Box(10, 0, 20, 12),)
    assert marks(printed("office"), "o\ufb03ce", "\ufb03") == (Box(10, 0, 40, 12),)


@pytest.mark.parametrize(
    ("composed", "apart"), [("\u00e9", "e\u0301"), ("\u1e69", "s\u0323\u0307"), ("\ud55c", "\u1112\u1161\u11ab")]
)
def test_composed_and_decomposed_letters_are_the_same(composed: str, apart: str) -> None:
    assert marks(printed(f"a{composed}b"), f"a{apart}b", "b") == (Box(20, 0, 30, 12),)


def test_of_words_that_stand_twice_the_right_ones_are_marked() -> None:
    text = "the same words, the same words"
    for occurrence, column in ((0, 0), (1, 16)):
        (box,) = marks(printed(text), text, "the same words", occurrence=occurrence)
        assert row(box) == (0, column, column + 14)


def test_where_the_readings_differ_words_are_found_by_their_neighbours() -> None:
    text = "A first sentence in the left column. A second sentence in the right column."
    page = printed("Figure 1", "A second sentence in the right column.", "A first sentence in the left column.")
    (first,) = marks(page, text, "sentence")
    (second,) = marks(page, text, "sentence", occurrence=1)
    assert (row(first), row(second)) == ((2, 8, 16), (1, 9, 17))


def test_words_that_stand_twice_with_all_their_neighbours_are_not_marked() -> None:
    text = "The very same words stand here. Only here."
    page = printed("The very same words stand here.", "The very same words stand here.")
    assert marks(page, text, "very same words") == ()


def test_words_that_the_page_has_once_and_the_text_twice_are_not_marked() -> None:
    text = "The very same words stand here. The very same words stand here."
    assert marks(printed("The very same words stand here."), text, "very same words") == ()


def test_a_few_letters_alone_tell_no_place() -> None:
    assert marks(printed("12 apples and 7 more"), "7 pears", "7") == ()


def test_words_that_the_page_does_not_have_are_not_marked() -> None:
    text = "What the other reading made up from pictures."
    assert marks(printed("Something else is printed here."), text, "made up from pictures") == ()


def test_what_has_no_letters_has_no_place() -> None:
    assert printed("a b").marks("a b", 1, 2) == ()


def test_a_gap_as_wide_as_a_column_parts_a_line() -> None:
    text = "left right"
    characters = tuple("leftright")
    boxes = tuple(Box(x, 0, x + 10, 12) for x in (0, 10, 20, 30, 200, 210, 220, 230, 240))
    page = PrintedPage(width=1000, height=1000, characters=characters, boxes=boxes)
    assert page.marks(text, 0, len(text)) == (Box(0, 0, 40, 12), Box(200, 0, 250, 12))


def test_signs_that_hang_below_or_stand_above_belong_to_their_line() -> None:
    boxes = (Box(0, 10, 10, 20), Box(10, 17, 13, 23), Box(20, 10, 30, 20), Box(30, 7, 33, 10))
    page = PrintedPage(width=100, height=100, characters=tuple("a,b'"), boxes=boxes)
    assert page.marks("a, b'", 0, 5) == (Box(0, 7, 33, 23),)


def test_a_page_has_a_box_for_each_character() -> None:
    with pytest.raises(ValueError, match="2 characters with 1 boxes"):
        PrintedPage(width=1, height=1, characters=("a", "b"), boxes=(Box(0, 0, 1, 1),))


def test_letters_are_what_is_printed_in_black() -> None:
    assert letters(" a\u00a0\u00adb-\u2010\u2011c\n\ufffe\x02\u200b\ufb01") == "abcfi"
