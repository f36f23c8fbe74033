"""Spellings: pairs of names that may be of one thing, and of names that are not."""

from __future__ import annotations

import pytest

from toulmin.domain.claims.oracles.spellings import (
    are_alike,
    are_forms_of_one,
    are_parts_known,
    is_misspelled,
    is_short_for_something,
)


@pytest.mark.parametrize(
    ("one", "other"), [("europ", "european"), ("zürich", "zurich"), ("mihdar", "mihdhar"), ("tgf-β", "tgf-beta")]
)
def test_words_are_alike_that_begin_alike_or_differ_by_accents_greek_letters_or_two_letters(
    one: str, other: str
) -> None:
    assert are_alike(one, other)
    assert are_alike(other, one)


@pytest.mark.parametrize(
    ("one", "other"), [("lyon", "porto"), ("windows", "linux"), ("anna", "anne"), ("berlin", "merlin")]
)
def test_words_that_are_short_or_begin_otherwise_are_not_misspelled(one: str, other: str) -> None:
    assert not is_misspelled(one, other)


def test_a_country_has_several_names() -> None:
    assert are_forms_of_one(["u.s"], ["american"])
    assert are_forms_of_one(["dutch"], ["netherland"])
    assert not are_forms_of_one(["dutch"], ["danish"])


@pytest.mark.parametrize(
    ("acronym", "words"),
    [
        ("who", "world health organization"),
        ("azt", "azidothymidine"),
        ("ngf2", "nerve growth factor 2"),
        ("krt14", "k14"),
        ("vsmc", "smc"),
        ("dscam1", "dscam"),
    ],
)
def test_an_acronym_is_short_for_words_or_another_form_of_one(acronym: str, words: str) -> None:
    assert is_short_for_something(acronym, words.split())


@pytest.mark.parametrize(
    ("acronym", "words"), [("hr", "the manager approves leave"), ("krt15", "k14"), ("ngf3", "nerve growth factor 2")]
)
def test_another_number_or_other_letters_make_another_acronym(acronym: str, words: str) -> None:
    assert not is_short_for_something(acronym, words.split())


def test_of_a_compound_only_the_part_that_is_a_name_has_to_be_known() -> None:
    known = frozenset({"sf1", "acquir"})
    assert are_parts_known("SF1-expressing", known)
    assert not are_parts_known("SF3-expressing", known)
    assert are_parts_known("pool.acquire", known)
    assert not are_parts_known("pool.release", known)
