from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toulmin.adapters.onnx.windows import combined, plain, windows
from toulmin.domain.claims.opinion import Probabilities

FIVE = "One is one. Two is two. Three is three. Four is four. Five is five."


def measure(text: str) -> int:
    return len(text.split())


def texts(words: str, room: int) -> list[str]:
    return [window.text for window in windows(words, measure, room) if window.fits]


def given_by(supported: float, contradicted: float = 0.0) -> Probabilities:
    return Probabilities(supported=supported, contradicted=contradicted, unresolved=1 - supported - contradicted)


class TestWindows:
    def test_a_passage_that_has_room_is_one_window(self) -> None:
        (window,) = windows(FIVE, measure, 15)
        assert (window.text, window.start, window.end) == (FIVE, 0, len(FIVE))

    def test_a_longer_one_is_read_by_whole_sentences_each_window_with_the_last_one_before(self) -> None:
        assert texts(FIVE, 6) == [
            "One is one. Two is two.",
            "Two is two. Three is three.",
            "Three is three. Four is four.",
            "Four is four. Five is five.",
        ]
        assert texts(FIVE, 3) == ["One is one.", "Two is two.", "Three is three.", "Four is four.", "Five is five."]

    def test_a_sentence_without_room_is_never_cut_but_told(self) -> None:
        words = "One is one. This is a sentence of far too many words. Two is two."
        found = list(windows(words, measure, 6))
        assert [(window.text, window.fits) for window in found] == [
            ("One is one.", True),
            ("This is a sentence of far too many words.", False),
            ("Two is two.", True),
        ]
        assert words[found[1].start : found[1].end] == "This is a sentence of far too many words."

    def test_what_is_longer_together_than_its_parts_is_measured_together(self) -> None:
        def of_ends(text: str) -> int:
            return measure(text) + 2 * text.count(". ")

        assert all(of_ends(window.text) <= 6 for window in windows(FIVE, of_ends, 6))

    def test_a_reader_sees_no_marks(self) -> None:
        words = "Pumps\n=====\n\n* Call :func:`start` **now**,\n  or the pump\n  over\u00adheats.\n\n.. versionadded:: 2.1 It has a valve.\n"
        assert texts(words, 50) == ["Pumps Call start now, or the pump overheats. versionadded: 2.1 It has a valve."]

    @pytest.mark.parametrize("words", ["", " \n", "---\n", "* \n* "])
    def test_what_says_nothing_has_no_window(self, words: str) -> None:
        assert texts(words, 5) == []

    @given(sizes=st.lists(st.integers(1, 9), min_size=1, max_size=12), room=st.integers(3, 12))
    def test_every_sentence_is_in_a_window_and_no_window_is_in_another(self, sizes: list[int], room: int) -> None:
        sentences = [" ".join([f"Word{at}", *["more"] * (size - 1)]) + "." for at, size in enumerate(sizes)]
        words = " ".join(sentences)
        found = list(windows(words, measure, room))
        assert all(any(sentence in window.text for window in found) for sentence in sentences)
        assert all((measure(window.text) <= room) is window.fits for window in found)
        for one, other in pairwise(found):
            assert one.start < other.start
            assert one.end < other.end

    def test_plain_text_stays_as_it_is(self) -> None:
        assert plain(FIVE) == FIVE


class TestTogether:
    def test_one_window_is_as_it_is(self) -> None:
        for is_aligned in (True, False):
            assert combined([(given_by(0.7, 0.2), is_aligned)]) == given_by(0.7, 0.2)

    def test_the_window_that_supports_most_decides(self) -> None:
        assert combined([(given_by(0.1), True), (given_by(0.9, 0.02), False), (given_by(0.3), True)]) == given_by(
            0.9, 0.02
        )

    def test_a_contradiction_in_a_window_about_the_same_counts_and_takes_support_away(self) -> None:
        found = combined([(given_by(0.95, 0.01), True), (given_by(0.05, 0.9), True)])
        assert found.contradicted == 0.9
        assert found.supported == pytest.approx(0.1)

    def test_one_in_a_window_about_something_else_does_not(self) -> None:
        assert combined([(given_by(0.95, 0.01), True), (given_by(0.05, 0.9), False)]) == given_by(0.95, 0.01)

    @given(
        readings=st.lists(
            st.tuples(st.floats(0, 1), st.floats(0, 1), st.booleans()).map(
                lambda drawn: (given_by(drawn[0], (1 - drawn[0]) * drawn[1]), drawn[2])
            ),
            min_size=1,
            max_size=6,
        )
    )
    def test_it_is_no_more_supported_and_no_less_contradicted_than_the_best_window(
        self, readings: list[tuple[Probabilities, bool]]
    ) -> None:
        found = combined(readings)
        assert found.supported <= max(given.supported for given, _ in readings)
        assert found.contradicted >= max(
            (given.contradicted for given, is_aligned in readings if is_aligned), default=0
        )
