from __future__ import annotations

import pytest

from toulmin.domain.corpus.document import Passage
from toulmin.domain.corpus.passages import Block, BlockKind, PassageLimits, Section, cut
from toulmin.domain.errors import InputError

SMALL = PassageLimits(target_words=6, max_words=10, max_bytes=200, rest_words=3)


def section(text: str, *blocks: str, kind: BlockKind = BlockKind.PROSE, heading: tuple[str, ...] = ()) -> Section:
    """The section of a text whose blocks are the given words, in order."""
    found, at = [], 0
    for words in blocks:
        start = text.index(words, at)
        at = start + len(words)
        found.append(Block(start=start, end=at, kind=kind))
    return Section(start=0, end=len(text), heading=heading, blocks=tuple(found))


def cut_texts(text: str, *sections: Section, limits: PassageLimits = SMALL) -> list[str]:
    return [text[passage.start : passage.end] for passage in cut(text, sections, limits)]


def test_a_passage_is_named_by_its_place_and_carries_the_heading_path() -> None:
    text = "Title\n\nA body.\n"
    (passage,) = cut(text, [section(text, "A body.", heading=("Title",))])
    assert passage == Passage(start=7, end=14, heading=("Title",))
    assert passage.id == "p7-14"


def test_a_block_of_white_space_gives_no_passage() -> None:
    assert cut(" \n\u00a0", [Section(start=0, end=3, blocks=(Block(start=0, end=3),))]) == ()


def test_blocks_are_packed_until_the_target_is_reached() -> None:
    text = "a b c\n\nd e f\n\ng h i\n\nj k l"
    assert cut_texts(text, section(text, "a b c", "d e f", "g h i", "j k l")) == ["a b c\n\nd e f", "g h i\n\nj k l"]


def test_no_passage_crosses_a_section() -> None:
    text = "a b\n\nc d"
    assert cut_texts(text, section(text, "a b"), section(text, "c d")) == ["a b", "c d"]


def test_a_heading_without_a_body_gives_no_passage() -> None:
    assert cut("Title", [Section(start=0, end=5, heading=("Title",))]) == ()


def test_a_block_that_fits_is_not_split() -> None:
    text = "A b c. D e f. G h i. J."
    assert cut_texts(text, section(text, text)) == [text]


def test_a_long_paragraph_is_split_at_sentence_ends() -> None:
    text = "A b c d. E f g h. I j k l. M n o p."
    assert cut_texts(text, section(text, text)) == ["A b c d. E f g h.", "I j k l. M n o p."]


def test_long_code_is_split_at_blank_lines_and_then_at_line_ends() -> None:
    text = "a = 1.\n\n" + "".join(f"b{n} = c. D\n" for n in range(4))
    assert cut_texts(text, section(text, text, kind=BlockKind.CODE)) == [
        "a = 1.\n\nb0 = c. D",
        "b1 = c. D\nb2 = c. D",
        "b3 = c. D",
    ]


def test_a_long_table_is_split_between_rows() -> None:
    text = "\r\n".join(f"a. B | {n}" for n in range(3))
    assert cut_texts(text, section(text, text, kind=BlockKind.TABLE)) == [
        "a. B | 0\r\na. B | 1",
        "a. B | 2",
    ]


def test_a_long_list_is_split_between_its_outermost_items() -> None:
    text = "- a b. C\n  - d e\n- f g\n  - h i\n- j k l\n"
    assert cut_texts(text, section(text, text, kind=BlockKind.LIST)) == [
        "- a b. C\n  - d e",
        "- f g\n  - h i",
        "- j k l",
    ]


def test_an_item_that_is_too_long_is_split_between_the_items_in_it() -> None:
    text = "1. a b c d\n   2) e f g h\n   3) i j k l\n"
    assert cut_texts(text, section(text, text, kind=BlockKind.LIST)) == ["1. a b c d\n   2) e f g h", "3) i j k l"]


def test_a_sentence_over_the_words_stays_whole_while_its_bytes_fit() -> None:
    text = "a " * 15 + "end."
    assert cut_texts(text, section(text, text)) == [text]


def test_a_sentence_over_the_bytes_is_cut_at_white_space() -> None:
    text = "word " * 3 + "end"
    limits = PassageLimits(target_words=1, max_words=2, max_bytes=10, rest_words=0)
    assert cut_texts(text, section(text, text), limits=limits) == ["word word", "word end"]


def test_a_line_end_is_a_better_place_to_cut_than_a_space() -> None:
    text = "ab cd\nef gh ij"
    limits = PassageLimits(target_words=1, max_words=1, max_bytes=9, rest_words=0)
    assert cut_texts(text, section(text, text), limits=limits) == ["ab cd", "ef gh ij"]


def test_a_word_over_the_bytes_is_cut_between_characters_and_keeps_marks() -> None:
    text = "e\u0301" * 3
    limits = PassageLimits(target_words=1, max_words=1, max_bytes=5, rest_words=0)
    assert cut_texts(text, section(text, text), limits=limits) == ["e\u0301"] * 3


def test_a_character_over_the_bytes_is_cut_all_the_same() -> None:
    text = "e" + "\u0301" * 4
    limits = PassageLimits(target_words=1, max_words=1, max_bytes=4, rest_words=0)
    assert "".join(cut_texts(text, section(text, text), limits=limits)) == text


def test_a_small_rest_joins_the_passage_before_it() -> None:
    text = "a b c d e f\n\ng h"
    assert cut_texts(text, section(text, "a b c d e f", "g h")) == [text]


def test_a_small_rest_stays_alone_where_the_words_would_be_too_many() -> None:
    text = "a b c d e f g h i\n\nj k"
    assert cut_texts(text, section(text, "a b c d e f g h i", "j k")) == ["a b c d e f g h i", "j k"]


def test_a_rest_of_some_size_is_a_passage() -> None:
    text = "a b c d e f\n\ng h i"
    assert cut_texts(text, section(text, "a b c d e f", "g h i")) == ["a b c d e f", "g h i"]


def test_blocks_are_not_joined_over_what_is_in_no_block() -> None:
    text = "a b\n\nleft out\n\nc d"
    assert cut_texts(text, section(text, "a b", "c d")) == ["a b", "c d"]


def test_bytes_bound_what_is_packed() -> None:
    text = "あいう\n\nえおか"
    limits = PassageLimits(target_words=50, max_words=50, max_bytes=12)
    assert cut_texts(text, section(text, "あいう", "えおか"), limits=limits) == ["あいう", "えおか"]


def test_two_characters_of_chinese_or_japanese_count_as_a_word() -> None:
    text = "これは文です。" * 8
    passages = cut_texts(text, section(text, text), limits=PassageLimits(target_words=8, max_words=8, rest_words=0))
    assert passages == ["これは文です。" * 2] * 4


@pytest.mark.parametrize(
    "limits",
    [{"target_words": 0}, {"target_words": 9, "max_words": 8}, {"max_bytes": 3}, {"rest_words": -1}],
)
def test_limits_that_no_text_can_keep_are_refused(limits: dict[str, int]) -> None:
    with pytest.raises(InputError, match="no passage can keep the limits") as refused:
        PassageLimits(**limits)
    assert refused.value.code == "bad_limits"
