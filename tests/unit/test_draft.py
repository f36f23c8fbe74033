from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toulmin.domain.claims.draft import Citation, Claim, Rejected, Segment, answer_text, issue_ids, validate
from toulmin.domain.corpus.document import RevisionId
from toulmin.domain.policy import Policy

LIMITS = Policy(claims=3, citations=2, answer_bytes=40)


def citation(document: str) -> Citation:
    return Citation(source=RevisionId(document, "1"), span="s1")


EVIDENCE = {"E1": citation("FORTY"), "E12": citation("FIFTY-FIVE"), "E7": citation("SEVEN")}


def segment(text: str = "It holds 40 l.", *ids: str, fact: str | None = None) -> Segment:
    return Segment(text=text, evidence_ids=ids or ("E1",), fact=fact)


def code(*segments: Segment) -> str:
    """The code of the fault that rejects a draft."""
    result = validate(segments, EVIDENCE, LIMITS)
    assert isinstance(result, Rejected), result
    return result.code


def claims(*segments: Segment) -> tuple[Claim, ...]:
    result = validate(segments, EVIDENCE, LIMITS)
    assert not isinstance(result, Rejected), result.code
    return result


def test_a_sound_draft_becomes_claims_with_their_citations_resolved() -> None:
    assert claims(segment("Forty.", "E1", fact="tank"), segment("Both.", "E12", "E7")) == (
        Claim(text="Forty.", citations=(citation("FORTY"),), fact="tank"),
        Claim(text="Both.", citations=(citation("FIFTY-FIVE"), citation("SEVEN"))),
    )


def test_a_draft_without_claims_is_rejected() -> None:
    assert code() == "no_claims"


def test_as_many_claims_as_the_limit_pass_and_one_more_rejects() -> None:
    assert len(claims(*[segment("Yes.")] * 3)) == 3
    assert code(*[segment("Yes.")] * 4) == "too_many_claims"


@pytest.mark.parametrize("text", ["", " ", "\u3000", "\u00a0 "])
def test_an_empty_text_is_rejected(text: str) -> None:
    assert code(segment(text)) == "empty_text"


@pytest.mark.parametrize(
    "character",
    [
        "\x00",
        "\n",
        "\t",
        "\x7f",
        "\x85",
        "\ufffd",
        chr(0xD800),
        "\u202e",
        "\u2066",
        "\u200b",
        "\u200e",
        "\ufeff",
        "\u00ad",
        "\u2028",
        "\u2029",
        "\ue000",
        "\U000e0041",
    ],
)
def test_a_forbidden_character_is_rejected(character: str) -> None:
    assert code(segment(f"It{character} holds.")) == "forbidden_character"


@pytest.mark.parametrize(
    "text",
    ["\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "\U0001f469\u200d\U0001f467", "Größe: 5 °C", "\u00a0§ 5"],
)
def test_joiners_and_the_letters_of_all_scripts_pass(text: str) -> None:
    assert claims(segment(text))[0].text == text


@pytest.mark.parametrize(
    "marker",
    [
        *(
            "[1]",
            "[12]",
            "[^1]",
            "[1,2]",
            "[1, 2]",
            "[1][2]",
            "[1-3]",
            "[1\u20133]",
            "[3-1]",
            "[[1]]",
            "[\u0661]",
            "[1,]",
        ),
        *(
            "[ 1 ]",
            "[1; 2]",
            "[1\u20112]",
            "[1\u20142]",
            "\uff3b1\uff3d",
            "\u30101\u2020source\u3011",
            "\u30101:0\u2020doc.pdf\u3011",
        ),
        *("[e1]", "[E12]", "[e1, e2]", "[e1; e2]", "[e1:e3]", "[1", "[e1,", "\u30101\u2020source"),
    ],
)
def test_a_citation_marker_in_the_text_is_rejected_malformed_or_not(marker: str) -> None:  # O33
    assert code(segment(f"It holds {marker}.")) == "citation_marker"


@pytest.mark.parametrize(
    "text", ["See [the manual].", "f(x) [sic]", "A [] b", "Room E1.", "(1)", "x in [0, 1)", "[1 of 2]"]
)
def test_brackets_that_cite_nothing_pass(text: str) -> None:
    assert claims(segment(text))


def test_a_claim_without_citation_is_rejected() -> None:
    assert code(Segment(text="It holds.", evidence_ids=())) == "no_citation"


def test_as_many_citations_as_the_limit_pass_and_one_more_rejects() -> None:
    assert claims(segment("Yes.", "E1", "E12"))
    assert code(segment("Yes.", "E1", "E12", "E7")) == "too_many_citations"


def test_an_id_that_is_repeated_in_one_claim_is_rejected_and_in_two_claims_is_not() -> None:
    assert code(segment("Yes.", "E1", "E1")) == "repeated_id"
    assert claims(segment("Yes.", "E1"), segment("No.", "E1"))


@pytest.mark.parametrize("ids", [["E"], ["E123"], ["E5", "E7"], ["e1"], ["E1 "], [""], ["E1", "E5"], ["\uff251"]])
def test_an_id_that_was_not_issued_is_unknown_whatever_it_resembles(ids: Sequence[str]) -> None:
    assert code(segment("It holds 40 l.", *ids)) == "unknown_id"


def test_an_id_that_begins_another_one_resolves_to_itself() -> None:
    (short, long) = claims(segment("It holds 40 l.", "E1"), segment("It holds 55 l.", "E12"))
    assert short.citations == (citation("FORTY"),)
    assert long.citations == (citation("FIFTY-FIVE"),)


def test_an_answer_exactly_as_long_as_the_limit_passes_and_one_byte_more_rejects() -> None:
    assert claims(segment("a" * 19), segment("b" * 20)), "one space between them"
    assert code(segment("a" * 20), segment("b" * 20)) == "answer_too_long"
    assert claims(segment("é" * 20))
    assert code(segment("é" * 20 + ".")) == "answer_too_long"


def test_one_fault_rejects_the_whole_draft() -> None:
    good = segment("Yes.")
    for bad, fault in ((segment(""), "empty_text"), (segment("No.", "E99"), "unknown_id")):
        assert code(good, bad) == code(bad, good) == code(good, bad, good) == fault


def test_the_first_fault_found_is_named() -> None:
    assert code(segment("", "E99"), segment("[1]")) == "empty_text"
    assert code(segment("Yes.", "E1", "E1", "E99")) == "too_many_citations"


def test_an_answer_is_its_sentences_with_one_space_between_them() -> None:
    assert answer_text(["One.", "Two."]) == "One. Two."


@given(st.integers(0, 2_000))
def test_no_issued_id_begins_another_one(count: int) -> None:
    ids = issue_ids(count)
    assert len(set(ids)) == len(ids) == count
    assert len({len(evidence_id) for evidence_id in ids}) <= 1, "ids of one length begin no other"
    assert len({evidence_id.casefold() for evidence_id in ids}) == count


def test_issued_ids_are_short_and_always_the_same() -> None:
    assert issue_ids(0) == ()
    assert issue_ids(9) == ("e1", "e2", "e3", "e4", "e5", "e6", "e7", "e8", "e9")
    assert issue_ids(10)[::9] == ("e01", "e10")
