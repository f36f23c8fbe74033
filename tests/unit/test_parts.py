from __future__ import annotations

import pytest

from toulmin.domain.claims.parts import clauses, parts


def texts(claim: str) -> list[str]:
    return [part.text for part in parts(claim)]


@pytest.mark.parametrize(
    ("claim", "wanted"),
    [
        ("The pump weighs 12 kg and needs a 16 A fuse.", ["The pump weighs 12 kg.", "The pump needs a 16 A fuse."]),
        ("The lamp uses 9 W, but the fan uses 3 W.", ["The lamp uses 9 W.", "The fan uses 3 W."]),
        ("The lamp uses 9 W; the fan uses 3 W.", ["The lamp uses 9 W.", "The fan uses 3 W."]),
        ("The lamp uses 9 W and the fan uses 3 W.", ["The lamp uses 9 W.", "The fan uses 3 W."]),
        ("The lamp is old, and fans are new.", ["The lamp is old.", "fans are new."]),
        (
            "The pump weighs 12 kg, needs a fuse and costs 5 EUR.",
            ["The pump weighs 12 kg.", "The pump needs a fuse.", "The pump costs 5 EUR."],
        ),
        ("The pump, which weighs 12 kg, needs a fuse.", ["The pump weighs 12 kg.", "The pump needs a fuse."]),
        ("The app uses a lamp, which weighs 12 kg.", ["The app uses a lamp.", "The lamp weighs 12 kg."]),
        ("The setting is on by default and cannot be changed.", ["The setting is on by default.", "The setting cannot be changed."]),
        ("The pump may be old and must have a fuse.", ["The pump may be old.", "The pump must have a fuse."]),
        ("The pump can hold 12 kg and use a fuse.", ["The pump can hold 12 kg.", "The pump can use a fuse."]),
        ("Pumps have 2 fuses and need a key.", ["Pumps have 2 fuses.", "Pumps need a key."]),
        ("It does not weigh 12 kg and needs a fuse.", ["It does not weigh 12 kg.", "It needs a fuse."]),
        ("The old fan is loud, and it lacks CE marks.", ["The old fan is loud.", "The old fan lacks CE marks."]),
        ("The function returns names and also uses the cache.", ["The function returns names.", "The function also uses the cache."]),
        ("`DEBUG` is off and has no effect", ["`DEBUG` is off", "`DEBUG` has no effect"]),
        ("Version 2.3 is old and supports Python 3.8.", ["Version 2.3 is old.", "Version 2.3 supports Python 3.8."]),
        ("Flask was released in 2010 and is written in Python.", ["Flask was released in 2010.", "Flask is written in Python."]),
        ("The lamp and the fan are old and have 2 fuses.", ["The lamp and the fan are old.", "The lamp and the fan have 2 fuses."]),
        ("The lamp is old, but still cannot be lost.", ["The lamp is old.", "The lamp still cannot be lost."]),
        ("The lamp is old, though the fan is new.", ["The lamp is old.", "The fan is new."]),
    ],
)  # fmt: skip
def test_a_claim_of_several_facts_is_cut(claim: str, wanted: list[str]) -> None:
    assert texts(claim) == wanted


@pytest.mark.parametrize(
    ("claim", "wanted"),
    [
        (
            "If a and b are set, the pump starts and needs a fuse.",
            ["If a and b are set, the pump starts.", "If a and b are set, the pump needs a fuse."],
        ),
        ("By default, it is on and has no limit.", ["By default, it is on.", "By default, it has no limit."]),
        ("Since 2.3, it is on; the lamp is off.", ["Since 2.3, it is on.", "Since 2.3, the lamp is off."]),
        ("If it rains, then it is on and has no limit.", ["If it rains, then it is on.", "If it rains, then it has no limit."]),
    ],
)  # fmt: skip
def test_what_a_claim_begins_with_is_said_of_each_part(claim: str, wanted: list[str]) -> None:
    assert texts(claim) == wanted


@pytest.mark.parametrize(
    "claim",
    [
        "a and b are kept.",
        "The names a and b are kept.",
        "It keeps names and values.",
        "It supports reads and writes to disk.",
        "The value lies between 3 and 5.",
        "The value is between the first and has 2 names.",
        "The fan is both old and has 2 fuses.",
        "It runs from 3 to 5 and back.",
        "The pump starts if a and b are set.",
        "The pump weighs 12 kg and needs a fuse if it is old.",
        "The pump weighs 12 kg and needs a fuse if the fan is old.",
        "The pump weighs 12 kg and needs a fuse unless it is old.",
        "The pump starts when the key is turned and stops the fan.",
        "The pump stops because the fuse is old and the key is lost.",
        "No pump weighs 12 kg and needs a fuse.",
        "Some pumps are old and have 2 fuses.",
        "Only the pump is old and has 2 fuses.",
        "The pump always weighs 12 kg and needs a fuse.",
        "It uses a lamp that weighs 12 kg and needs a fuse.",
        "The manual says the pump weighs 12 kg and the fan is on.",
        "The manual says that the pump is old and the fan is on.",
        "I think the pump is old and has 2 fuses.",
        "The object is created and stored.",
        "The pump is old or has 2 fuses.",
        "Neither the pump is old nor the fan is new.",
        "The app reads the file and then closes it.",
        "The app loads a file, and it is parsed.",
        "The lamp is old and this is known.",
        "The lamp was old, but the fan wasn't.",
        "He had to try and do something.",
        "They don't sit on chairs and do 2 jobs.",
        "Two fans have stopped, and both are old.",
        "The names are kept, and then a list is written.",
        "The guests praised the pool and the all you can drink bar.",
        "The fan did stop, but it was not for long.",
        "The pump is old, but it is here that the fan stops.",
        "We have not and will not discuss the pump.",
        "The fans have been old, and many have stopped since.",
        "The fan had to stop the pump but was unable to.",
        "The key has 4 and a half copies of a song sold.",
        "The fans are old and each have a fuse.",
        "Is the pump old and is the fan new?",
        "The pump has two states: it is on and is off.",
        "The value is `a and is b`.",
        'The sign says "it is on and is old".',
        "The pump is old. It is on and has a fuse.",
        "The pump (old and is on",
        "The pump weighs 12 kg, which means the fan is off.",
        "Die Pumpe ist alt und hat eine Sicherung.",
        "泵很旧，而且需要保险丝。",
        "and",
        "",
    ],
)
def test_in_doubt_a_claim_stays_whole(claim: str) -> None:
    assert texts(claim) == [claim]


def test_a_part_tells_where_its_own_words_stand() -> None:
    claim = "  The pump weighs 12 kg and needs a 16 A fuse."
    assert [claim[part.start : part.end] for part in parts(claim)] == ["The pump weighs 12 kg", "needs a 16 A fuse."]
    (whole,) = parts("  One fact. ")
    assert (whole.text, whole.start, whole.end) == ("One fact.", 2, 11)


def test_a_clause_that_points_back_is_cut_off_only_where_that_is_asked_for() -> None:
    claim = "The lamp uses 9 W and lasts 20 years, though it is heavy."
    assert texts(claim) == ["The lamp uses 9 W.", "The lamp lasts 20 years, though it is heavy."]
    assert [part.text for part in clauses(claim, pronouns=True)][-1] == "It is heavy."
