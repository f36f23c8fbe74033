"""How texts are cut into the words of the index: `toulmin.adapters.tantivy.words`."""

from __future__ import annotations

import pytest

from toulmin.adapters.tantivy.words import DEFAULT, PLAIN, Word, of_passage, of_question, reading_of


def passage(text: str, reading: str = PLAIN) -> list[str]:
    return of_passage(text, reading).split()


def question(text: str, *readings: str) -> dict[tuple[str, ...], float]:
    return {word.stems: word.weight for word in of_question(text, readings or (PLAIN,))}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("SESSION_COOKIE_DOMAIN", ["session_cookie_domain", "session", "cookie", "domain"]),
        ("Flask.run()", ["flask.run", "flask", "run"]),
        ("app.before_request", ["app.before_request", "app", "before_request", "before", "request"]),
        ("__init__", ["init"]),
        ("flask --debug run", ["flask", "--debug", "debug", "run"]),
        ("--no-color", ["--no-color", "no", "color"]),
        ("a well-known -x option -- or so", ["a", "well", "known", "x", "option", "or", "so"]),
        ("version 2.4.1, not 2.4.", ["version", "2.4.1", "2.4", "not", "2.4"]),
        ("v2.4", ["v2.4", "v2", "4"]),
        ("e.g. the U.S.A", ["e", "g", "the", "u", "s", "a"]),
        ("The end.Next", ["the", "end.next", "end", "next"]),
        ("straße Größe_2", ["strasse", "grösse_2", "grösse", "2"]),
    ],
)
def test_what_programs_are_full_of_comes_whole_and_in_parts(text: str, words: list[str]) -> None:
    assert passage(text) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("重置设备", ["重置", "置设", "设备", "重", "置", "设", "备"]),
        ("リセットABC製品", ["リセ", "セッ", "ット", "リ", "セ", "ッ", "ト", "abc", "製品", "製", "品"]),
        ("초기화 방법", ["초기", "기화", "초", "기", "화", "방법", "방", "법"]),
        ("猫", ["猫"]),
        ("รีเซ็ต", ["รี", "ีเ", "เซ", "ซ็", "็ต", "ร", "ี", "เ", "ซ", "็", "ต"]),
    ],
)
def test_scripts_without_spaces_are_cut_into_pairs(text: str, words: list[str]) -> None:
    assert passage(text) == words


def test_a_question_asks_for_pairs_and_for_a_single_character_only_where_it_stands_alone() -> None:
    assert list(question("重置设备 猫")) == [("重置",), ("置设",), ("设备",), ("猫",)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("مَكتَبة", "مكتبة"),  # vowel points
        ("שָׁלוֹם", "שלום"),
        ("ex\u00ad\nample", "example"),  # a soft hyphen at the end of a line
        ("zero\u200bwidth", "zerowidth"),
        ("ＦＩＲＭＷＡＲＥ", "firmware"),
        ("Zu\u0308rich", "z\u00fcrich"),
    ],
)
def test_spellings_of_one_word_are_the_same_word(one: str, other: str) -> None:
    assert passage(one) == passage(other)
    assert len(passage(one)) == 1


def test_vowel_signs_are_letters_of_the_word_that_they_stand_in() -> None:
    assert passage("हिन्दी भाषा।") == ["हिन्दी", "भाषा"]


@pytest.mark.parametrize(
    ("language", "reading"),
    [
        (None, DEFAULT),
        ("en", "english"),
        ("en-GB", "english"),
        ("DE", "german"),
        ("pt_BR", "portuguese"),
        ("pl", PLAIN),
        ("zh", PLAIN),
    ],
)
def test_a_document_is_read_as_its_language_wants_it(language: str | None, reading: str) -> None:
    assert reading_of(language) == reading


def test_each_language_has_its_own_stems() -> None:
    assert passage("Geräte reconnecting", "german") == ["gerat", "reconnecting"]
    assert passage("Geräte reconnecting", "english") == ["gerät", "reconnect"]
    assert passage("Geräte reconnecting", PLAIN) == ["geräte", "reconnecting"]


def test_a_question_is_read_in_every_language_and_equal_stems_are_one() -> None:
    assert list(question("Geräte 2.4", "english", "german")) == [("gerät", "gerat"), ("2.4",)]


def test_a_word_counts_as_often_as_it_is_said_and_a_function_word_half() -> None:
    words = of_question("is the hold a Hold of the gateway", ["english"])
    assert words[2] == Word(("hold",), 2)
    assert question("is the hold a Hold of the gateway") == {
        ("is",): 0.5,
        ("the",): 1.0,
        ("hold",): 2.0,
        ("a",): 0.5,
        ("of",): 0.5,
        ("gateway",): 1.0,
    }


@pytest.mark.parametrize("text", ["", " \n", "?!", "— … ·", "\u0301", "\u200b"])
def test_a_text_without_words_has_none(text: str) -> None:
    assert passage(text) == []
    assert of_question(text, ["english"]) == ()
