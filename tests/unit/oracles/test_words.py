"""Words: what is one word, and which words are forms of one another."""

from __future__ import annotations

import pytest

from toulmin.domain.claims.oracles.words import stem, words


@pytest.mark.parametrize(
    "forms",
    [
        "file files filed filing",
        "setting settings sets",
        "string strings",
        "exceed exceeds exceeded exceeding",
        "guarantee guarantees guaranteed",
        "process processes processed",
        "study studies studied studying",
        "stop stops stopped stopping",
        "keep keeps kept",
        "leave leaves left",
        "make makes made making",
        "use uses used using",
        "index indices indexes",
    ],
)
def test_forms_of_a_word_have_one_stem(forms: str) -> None:
    assert len({stem(form) for form in forms.split()}) == 1


@pytest.mark.parametrize(
    ("one", "other"), [("user", "use"), ("session", "set"), ("approved", "unapproved"), ("pass", "past")]
)
def test_other_words_have_other_stems(one: str, other: str) -> None:
    assert stem(one) != stem(other)


def test_identifiers_options_and_versions_are_one_word_each_and_hyphens_part_the_others() -> None:
    text = "The built-in `Flask-Caching`_ reads --access-log, SESSION_COOKIE_NAME, app.run and v2.4.1 (``-w 4``)."
    assert [word.surface for word in words(text)] == (
        "The built in Flask Caching reads --access-log SESSION_COOKIE_NAME app.run and v2.4.1 -w 4".split()
    )


def test_a_word_keeps_its_place_its_apostrophe_and_its_marks() -> None:
    text = "It isn’t Noe\u0308l’s."
    found = list(words(text))
    assert [text[word.start : word.end] for word in found] == ["It", "isn’t", "Noe\u0308l’s"]
    assert [word.word for word in found] == ["it", "isn't", "noël's"]
    assert [word.is_content for word in found] == [False, False, True]
