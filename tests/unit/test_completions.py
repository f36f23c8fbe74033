from __future__ import annotations

import pytest

from tests.unit.making import found
from toulmin.domain.claims.verdict import Verdict, VerdictStatus
from toulmin.domain.corpus.document import Place, RevisionId
from toulmin.domain.errors import Conflict, InputError, Overdue
from toulmin.domain.outcome import (
    Answered,
    Basis,
    CitedQuote,
    Item,
    Receipt,
    SearchOnly,
    SearchOnlyReason,
    ShownClaim,
    Withheld,
)
from toulmin.domain.question.contract import Mode
from toulmin.surfaces.http.completions import error, error_status, is_for_later, message, not_now
from toulmin.surfaces.http.problems import problem
from toulmin.testing.builders import NOW

PLACE = Place(start=0, end=4, utf16=(0, 4))
RECEIPT = Receipt(packet="pk-1", evidence="ev-1", corpus="co-1")
AGAINST = Item(found=found("RIVAL [9]", "It never rains."), place=PLACE, conflicting=True)
BASIS = Basis(question="open-question-v1", assurance=Mode.REVIEWED, as_of=NOW, search=(AGAINST,))


def claim(text: str, *sources: str, status: VerdictStatus = VerdictStatus.SUPPORTED) -> ShownClaim:
    citations = tuple(
        CitedQuote(source=RevisionId(name, "1"), span="p0-4", words="Rain", place=PLACE, title=f"On\u202e {name}\n")
        for name in sources
    )
    return ShownClaim(text=text, fact=None, citations=citations, verdict=Verdict(status=status, reason=None, checks=()))


ANSWERED = Answered(
    basis=BASIS,
    receipt=RECEIPT,
    text="It rains 🌧 here. It rains there.",
    claims=(claim("It rains 🌧 here.", "a/b", "C&D"), claim("It rains there.", "a/b")),
    withheld=(claim("It snows.", "a/b", status=VerdictStatus.UNRESOLVED),),
)


def test_a_source_that_is_cited_again_keeps_its_number_and_each_marker_has_its_place_in_both_units() -> None:
    reply = message(ANSWERED, ("messages[0]",))
    content = reply["content"]
    assert content.startswith("It rains 🌧 here. [1] [2] It rains there. [1]\n")
    marks = [each["url_citation"] for each in reply["annotations"]]
    assert [content[mark["start_index"] : mark["end_index"]] for mark in marks] == ["[1]", "[2]", "[1]", "[3]"]
    units = content.encode("utf-16-le")
    assert [units[2 * start : 2 * end].decode("utf-16-le") for start, end in (mark["utf16"] for mark in marks)] == [
        "[1]",
        "[2]",
        "[1]",
        "[3]",
    ]
    assert marks[0]["title"] == "On a/b (a/b, version 1)"
    assert marks[1]["url"] == "/v1/packets/pk-1#document=C%26D&version=1&span=p0-4"
    assert reply["toulmin"]["unused"] == ["messages[0]"]


def test_what_was_withheld_is_counted_and_what_speaks_against_the_question_is_named() -> None:
    reply = message(ANSWERED, ())
    assert "1 sentence that did not pass review" in reply["content"]
    assert "snows" not in reply["content"]
    assert reply["content"].endswith("takes for granted:\n[3] RIVAL [9], version 1")
    assert reply["annotations"][-1]["url_citation"]["url"].endswith("&passage=p0-15")


def test_a_required_fact_that_could_not_be_said_is_named() -> None:
    shown = message(Withheld(basis=BASIS, receipt=RECEIPT, withheld=ANSWERED.withheld, missing=("hold", "issue")), ())
    assert "could not: hold, issue. The reasons stand in the packet pk-1." in shown["content"]
    assert "snows" not in shown["content"]
    assert shown["annotations"] == []


@pytest.mark.parametrize("reason", list(SearchOnlyReason))
def test_every_reason_for_no_answer_has_words_and_some_are_worth_another_try(reason: SearchOnlyReason) -> None:
    outcome = SearchOnly(basis=BASIS, receipt=RECEIPT, reason=reason)
    told = not_now(outcome)["error"]["message"] if is_for_later(outcome) else message(outcome, ())["content"]
    assert told.startswith("No answer was written: ")
    later = {"provider_error", "rate_limited", "timeout", "saturated"}
    assert is_for_later(outcome) == (reason.value in later)


def test_a_fault_has_its_words_its_remedy_and_its_place_in_the_request() -> None:
    wrong = problem(InputError("wrong_type", "2 is not a text", where="body: metadata.case.model", remedy="quote it"))
    assert error(wrong) == {
        "error": {
            "message": "2 is not a text (quote it)",
            "type": "invalid_request_error",
            "param": "metadata.case.model",
            "code": "wrong_type",
        }
    }
    assert error_status(wrong) == 400
    late = problem(Overdue("overdue", "it took too long"))
    assert (error(late)["error"]["type"], error(late)["error"]["code"], error_status(late)) == (
        "server_error",
        "overdue",
        504,
    )
    assert "corpus.db" not in error(problem(Conflict("busy", "corpus.db is written")))["error"]["message"]
