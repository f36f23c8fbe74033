"""`python -m pytest -c pytest.ini` from the folder `training`; needs nothing but pytest."""

from __future__ import annotations

import random

import pytest
from judge.augment import Paragraph, minimal_pairs
from judge.edits import changes, same
from judge.text import clean, focus, sentences


def _changes(sentence: str, passage: str = "") -> set[tuple[str, str, str]]:
    return {(edit.text, edit.phenomenon, edit.label) for edit in changes(sentence, passage, random.Random(1))}


@pytest.mark.parametrize(
    ("sentence", "changed", "phenomenon", "label"),
    [
        ("The server may stop.", "The server must stop.", "modality", "unresolved"),
        ("The server must be stopped.", "The server may be stopped.", "modality", "contradicted"),
        ("It holds at least 30 items.", "It holds at most 30 items.", "bounds", "contradicted"),
        ("It holds at least 30 items.", "It holds exactly 30 items.", "bounds", "unresolved"),
        ("It waits 30 seconds.", "It waits 30 minutes.", "units", "contradicted"),
        ("The cache is enabled by default.", "The cache is enabled.", "default", "unresolved"),
        ("If the key is set, the value is kept for a day.", "The value is kept for a day.", "condition dropped", "unresolved"),
        (
            "If the key is set, the value is kept for a day.",
            "The value is kept for a day unless the key is set.",
            "condition reversed",
            "contradicted",
        ),
    ],
)  # fmt: skip
def test_each_rule_changes_one_thing_and_knows_what_that_means(
    sentence: str, changed: str, phenomenon: str, label: str
) -> None:
    assert (changed, phenomenon, label) in _changes(sentence)


def test_a_changed_number_is_another_number() -> None:
    numbers = [text for text, phenomenon, _ in _changes("It waits 30 seconds.") if phenomenon == "number"]
    assert numbers
    assert all("30" not in text.split() for text in numbers)


def test_a_name_gives_way_only_to_a_name_of_the_passage_that_looks_alike() -> None:
    passage = "The client reads max_size and min_size from the file."
    (edit,) = (e for e in changes("It is set by max_size here.", passage, random.Random(1)) if e.phenomenon == "entity")
    assert edit.text == "It is set by min_size here."


def test_a_condition_may_move_to_the_other_end() -> None:
    said = {same("If the key is set, the value is kept for a day.", random.Random(seed)) for seed in range(20)}
    assert "The value is kept for a day if the key is set." in said


def test_edited_sentences_stand_on_both_sides_so_that_an_edit_does_not_give_the_label_away() -> None:
    paragraphs = [
        Paragraph(document="a", text=f"The pool must be closed after {n} seconds by the owner.") for n in range(200)
    ]
    pairs = [pair for pair in minimal_pairs(paragraphs, random.Random(1)) if pair.phenomenon == "modality"]
    labels_of_may = {pair.label for pair in pairs if "may be" in pair.claim}
    assert {"supported", "contradicted"} <= labels_of_may


def test_markup_goes_and_words_stay() -> None:
    assert (
        clean("* Call :meth:`~app.run` with ``debug=True``, see `the docs <a.html>`_.")
        == "Call app.run with debug=True, see the docs."
    )


def test_of_a_long_passage_the_nearest_sentences_are_read_in_their_order() -> None:
    passage = "Cats sleep. The limit is ten. Dogs bark. The limit holds per user."
    assert focus("The limit per user is ten", passage, 9) == "The limit is ten. The limit holds per user."


def test_sentences_joined_again_are_the_text() -> None:
    text = 'It works since 2.3. "Why?" Nobody knows.'
    assert " ".join(sentences(text)) == text
