from __future__ import annotations

from toulmin.domain.evidence.embedding import embedded_text


def test_title_and_headings_stand_on_one_line_above_the_words_each_once() -> None:
    assert embedded_text("Pumps", ("Pumps", "Reset"), "Hold the key.") == "Pumps > Reset\nHold the key."
    assert embedded_text("Manual", ("Reset",), "Hold the key.") == "Manual > Reset\nHold the key."


def test_without_title_and_headings_there_are_only_the_words() -> None:
    assert embedded_text(None, (), "Hold the key.") == "Hold the key."
    assert embedded_text("", ("", "Reset"), "Hold the key.") == "Reset\nHold the key."


def test_inline_marks_are_left_out_as_a_rendered_page_leaves_them_out() -> None:
    text = "Use :func:`~flask.stream_template` with ``key=1``, and *hold* the [blue key](keys.md)."
    assert embedded_text(None, (), text) == "Use stream_template with key=1, and hold the blue key."
