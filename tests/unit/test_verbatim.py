from __future__ import annotations

import pytest

from toulmin.domain.claims.unit import Cited
from toulmin.domain.claims.verbatim import Proof, proof

PUMP = "The pump weighs 12 kg."
TABLE = "Model | Voltage | Colour\nG2 | 12 V | red\nG3 | 9 V | blue"
LIST = "- Port A is an input.\n- Port B is an output.\n"


def proven(claim: str, words: str, before: str = "", section: tuple[str, ...] = ()) -> str | None:
    """The words of the passage that prove the claim."""
    found = proof(claim, [Cited(words=words, before=before, section=section)])
    return words[found.start : found.end] if found else None


def test_a_complete_sentence_is_proven_where_it_stands() -> None:
    passages = [
        Cited(words="The lamp is blue."),
        Cited(words=f"The lamp is red. {PUMP} It is new.", before="Some lamps.\n\n"),
    ]
    assert proof(PUMP, passages) == Proof(passage=1, start=17, end=39)


def test_a_proof_names_the_folds_that_it_took() -> None:
    found = proof(
        "The scientific office keeps ten files", [Cited(words="The scienti\ufb01c  office keeps\nten files.")]
    )
    assert found == Proof(passage=0, start=0, end=38, folds=("ligature", "white-space"))


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        (PUMP, PUMP),
        (PUMP.removesuffix("."), PUMP),
        (PUMP, f"{PUMP} The lamp is blue."),
        (PUMP, f"The lamp is blue. {PUMP}"),
        (PUMP, f"The pump\n========\n\n{PUMP}"),
        (PUMP, f"# The pump\n\n{PUMP}"),
        (PUMP, f".. note::\n   {PUMP}"),
        (PUMP, f".. py:data:: PUMP\n\n    {PUMP} The lamp is blue."),
        (PUMP, f"If it is dry, wait.\n\n{PUMP}"),
        ("The operator is not allowed to open it.", "The operator is not allowed to open it."),
        ("If the pump is dry, it stops.", "The lamp is blue. If the pump is dry, it stops."),
        ("Don't open the panel.", "Don\u2019t open the panel."),
        ("uWSGI is a fast server.", "uWSGI is a fast server."),
        ("\u30dd\u30f3\u30d7\u306f 12 kg\u3067\u3042\u308b\u3002 \u8d64\u3044\u3002"[:14], "\u30dd\u30f3\u30d7\u306f 12 kg\u3067\u3042\u308b\u3002\u8d64\u3044\u3002"),
        ("The limit is 10 000 km per renewal period.", "The limit is 10\u00a0000\u202fkm per re\u200bnewal\u2060 period."),
        ("Port A is an input.", f"The unit has two ports.\n\n{LIST}"),
        ("Port B is an output.", f"The following facts apply:\n\n{LIST}"),
        ("Port A is an input.", LIST),
        ("Port B is an output", "1. Port A is an input\n2. Port B is an output\n\nThe rest is free."),
        ("G3 | 9 V | blue", TABLE),
    ],
)  # fmt: skip
def test_a_sentence_item_or_row_that_stands_alone_proves_a_claim(claim: str, words: str) -> None:
    assert proven(claim, words)


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        ("The debug mode maps to DEBUG.", "The **debug mode** maps to ``DEBUG``."),
        ("The debug attribute maps to DEBUG.", "The :attr:`~flask.Flask.debug` attribute maps to :py:data:`DEBUG`."),
        ("The debug flag maps to DEBUG.", "The :attr:`debug flag <flask.Flask.debug>` maps to `DEBUG`."),
        ("Gunicorn is easy to install.", "`Gunicorn`_ is *easy* to install."),
        ("Gunicorn is easy to install.", "[Gunicorn](https://example.org/x) is **easy** to `install`."),
        ("The manual is in the shelf.", "The `manual <https://example.org>`__ is in the shelf."),
        ("flask run starts the server.", "``flask run`` starts the server."),
        ("Set ``DEBUG`` to 1 now.", "Set ``DEBUG`` to 1 now."),
        ("The product is 2 * 3 * 4 units.", "The product is 2 * 3 * 4 units."),
    ],
)
def test_a_claim_reads_inline_markup_as_the_page_shows_it(claim: str, words: str) -> None:
    assert proven(claim, words) == words


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        ("The pump weighs 12 kg.", "The pump weighs \u221212 kg."),
        ("The pump weighs 12 kg.", "The pump weighs 1.2 kg."),
        ("The pump weighs 12 kg.", "The Pump weighs 12 kg."),
        ("The pump weighs 12 kg.", "The pump weighs 12 kg and more."),
        ("The pump weighs 12 kg.", "The red pump weighs 12 kg."),
        ("The limit is 10 km per renewal period.", "The limit is 10\u00a0000\u202fkm per re\u200bnewal\u2060 period."),
        (
            "The limit is 10000 km per renewal period.",
            "The limit is 10\u00a0000\u202fkm per re\u200bnewal\u2060 period.",
        ),
        ("The product is 2 3 4 units.", "The product is 2 * 3 * 4 units."),
    ],
)
def test_other_words_prove_nothing(claim: str, words: str) -> None:
    assert proven(claim, words) is None


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        ("The pump weighs 12 kg", "The pump weighs 12 kg\n=====================\n\nThe lamp is blue."),
        ("The pump weighs 12 kg", "# The pump weighs 12 kg\n\nThe lamp is blue."),
        ("The pump weighs 12 kg", "The pump weighs 12 kg"),
        ("The pump weighs 12 kg:", "The pump weighs 12 kg:\n\n- The lamp is blue."),
        ("Does the pump weigh 12 kg?", "Does the pump weigh 12 kg? The lamp is blue."),
        ("The pump weighs 12 kg...", "The pump weighs 12 kg..."),
        ("weighs 12 kg and more.", "weighs 12 kg and more. The lamp is blue."),
        ("Not allowed.", "Not allowed. The lamp is blue."),
        ("print the pump. now", "```\nprint the pump. now\n```"),
        ("Print the pump now.", "Use it so::\n\n    Print the pump now.\n"),
        (">>> The pump weighs 12 kg.", ">>> The pump weighs 12 kg."),
        (".. note:: The pump is new.", ".. note:: The pump is new."),
        ("Model | Voltage | Colour", TABLE),
        ("https://example.org/a/b/c", "- https://example.org/a/b/c\n- The lamp is blue."),
    ],
)
def test_what_is_no_complete_statement_proves_nothing(claim: str, words: str) -> None:
    assert proven(claim, words) is None


@pytest.mark.parametrize(
    "sentence",
    [
        *("This pump weighs 12 kg.", "It weighs 12 kg.", "These are red pumps.", "There it stays red."),
        *("However, the pump weighs 12 kg.", "Then the pump weighs 12 kg.", "Otherwise the pump stops.", "Here the pump stops."),
        *("The following pumps are red.", "Such pumps are red.", "The former weighs 12 kg.", "The pumps above are red."),
        *("For example, the pump is red.", "In this case the pump stops.", "When dry, it stops at once.", "Set this value to 5."),
        *("The most important one is red.", "The same goes for pumps.", "Is always red and new.", "Myth: the pump is red."),
        *("See the second manual instead.", "Another pump weighs 12 kg.", "And the pump is red."),
    ],
)  # fmt: skip
def test_a_sentence_that_points_at_another_does_not_stand_alone(sentence: str) -> None:
    assert proven(sentence, f"The lamp is blue. {sentence} The fuse is new.") is None


@pytest.mark.parametrize(
    "before",
    [
        *("The following is false: ", "The following is false:\n\n", "None of the following is right.\n\n", "It is a myth. "),
        *("If the valve is open, wait. ", "When in test mode, look. ", "Unless told, wait. ", "While testing, wait. "),
        *("A vendor claims a lot. ", "According to a rumour there is news. ", "Suppose we have a pump. ", "Is it heavy? "),
        *("Here is an example. ", "In earlier versions:\n\n", "What is said here is not true. ", "For example:\n\n"),
        *("In old models:\n\n- ", "Do not rely on any of these:\n\n- The lamp is red.\n- ", "Operators may:\n\n1. "),
        *("Which is right?\n\n- The pump weighs 10 kg.\n- ", "- In test mode:\n\n  - "),
    ],
)  # fmt: skip
def test_an_introduction_condition_or_attribution_before_it_takes_the_proof(before: str) -> None:
    assert proven(PUMP, f"The lamp is blue.\n\n{before}{PUMP}\n") is None
    assert proven(PUMP, f"{PUMP}\n", before=f"The lamp is blue.\n\n{before}") is None


@pytest.mark.parametrize(
    "after",
    [
        *("However, that has changed.", "Except in the north.", "Unless it is a G2.", "But the G2 does not.", "Not in the north."),
        *("This does not apply to the G2.", "That is no longer so.", "It does not hold for the G2.", "The G2 is an exception."),
        *("Only the G2 does.", "If it is a G2, it weighs more.", "This is wrong.", "These apply only in the north.", "Otherwise it is 9 kg."),
    ],
)  # fmt: skip
@pytest.mark.parametrize("gap", [" ", "\n\n"])
def test_a_sentence_after_it_that_takes_it_back_takes_the_proof(after: str, gap: str) -> None:
    assert proven(PUMP, f"{PUMP}{gap}{after}") is None


@pytest.mark.parametrize("after", ["The G2 weighs more.", "It is made of steel.", "This makes it easy to carry."])
def test_any_other_sentence_after_it_does_not(after: str) -> None:
    assert proven(PUMP, f"{PUMP} {after}") == PUMP


def test_the_next_item_of_a_list_takes_nothing_back() -> None:
    assert proven("Port A is an input.", "- Port A is an input.\n- If it is dry, port B stops.\n")


@pytest.mark.parametrize(
    "words",
    [
        f'She wrote: "Listen. {PUMP} Go."',
        f"She wrote \u201cListen. {PUMP} Go.\u201d",
        f"The lamp is new (see there. {PUMP} Go).",
        f"> {PUMP}",
        f"> Listen.\n{PUMP}",
        f"~~The lamp is new. {PUMP} Go.~~",
        f"<!-- The lamp is new.\n\n{PUMP} -->",
        f"<del>The lamp is new. {PUMP}</del>",
        f".. {PUMP}",
        f"..\n   {PUMP}",
        f".. [1] {PUMP}",
        f".. versionchanged:: 2.0\n   {PUMP}",
        f".. deprecated:: 2.0\n\n   - The lamp is new.\n   - {PUMP}\n\nThe end.",
        f"({PUMP})",
    ],
)
def test_a_sentence_inside_of_something_that_may_qualify_it_proves_nothing(words: str) -> None:
    assert proven(PUMP, words) is None


def test_what_was_closed_before_it_does_not_matter() -> None:
    words = f'The "lamp" (see <del>there</del> <!-- x -->) is new. {PUMP}'
    assert proven(PUMP, words) == PUMP


def test_a_passage_that_begins_in_the_middle_of_a_sentence_proves_only_the_next() -> None:
    words = "The pump weighs 12 kg. The lamp is blue."
    assert proven(PUMP, words, before="Nobody says that the vendor knows. He denies ") is None
    assert proven("The lamp is blue.", words, before="He denies ") == "The lamp is blue."
    assert proven(PUMP, words, before="The fuse is new.\n\n") == PUMP


@pytest.mark.parametrize(
    "heading", ["Common myths", "Not supported", "Example", "Deprecated settings", "Without a fuse"]
)
def test_a_heading_that_may_deny_it_takes_the_proof(heading: str) -> None:
    assert proven(PUMP, PUMP, section=("Pumps", heading)) is None
    assert proven(PUMP, f"{heading}\n{'=' * len(heading)}\n\n{PUMP}") is None


def test_an_ordinary_heading_takes_nothing() -> None:
    assert proven(PUMP, PUMP, section=("Pumps", "Weights"))


def test_the_first_place_that_proves_it_counts() -> None:
    words = f"If it is dry, wait. {PUMP}\n\nThe lamp is blue. {PUMP}"
    found = proof(PUMP, [Cited(words=words)])
    assert found is not None
    assert found.start == words.rindex(PUMP)


def test_nothing_is_proven_by_nothing() -> None:
    assert proof(PUMP, []) is None
    assert proof("", [Cited(words=PUMP)]) is None
    assert proof(PUMP, [Cited(words="")]) is None
