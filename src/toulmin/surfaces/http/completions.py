"""Outcomes as chat completions: words with numbered citation markers, each of which leads to its citation in the packet."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import TypeGuard, assert_never
from urllib.parse import quote, urlencode

from toulmin.domain.corpus.document import RevisionId
from toulmin.domain.outcome import (
    Answered,
    AskForEvidence,
    CitedQuote,
    EvidenceReason,
    Item,
    Recorded,
    SearchOnly,
    SearchOnlyReason,
    Withheld,
)
from toulmin.domain.question.contract import Mode
from toulmin.surfaces.cli.terminal import counted, one_line
from toulmin.surfaces.http.routes.questions import PROVIDER_FAULTS
from toulmin.wire.chat import AnnotationJson, ChatErrorJson, ChatMessageJson
from toulmin.wire.outcome import outcome_json
from toulmin.wire.problem import ProblemJson

_LACKING = {
    EvidenceReason.NO_ELIGIBLE_EVIDENCE: "no document that you may read applies to this case",
    EvidenceReason.BELOW_MINIMUM_SCORE: "no passage matches the question well enough",
    EvidenceReason.INSUFFICIENT: "the passages that were found do not suffice for an answer",
}
_NOT_WRITTEN = {
    SearchOnlyReason.NO_DRAFTER: "nothing is configured here that could write one",
    SearchOnlyReason.NO_JUDGE: "nothing is configured here that could judge the passages first",
    SearchOnlyReason.PROVIDER_ERROR: "the model that writes it cannot be used now",
    SearchOnlyReason.RATE_LIMITED: "the model that writes it takes no more questions now",
    SearchOnlyReason.TIMEOUT: "the model that writes it took too long",
    SearchOnlyReason.SATURATED: "too many answers are being written now",
    SearchOnlyReason.REFUSED: "the model refused to write it",
    SearchOnlyReason.TRUNCATED: "what the model wrote was cut off",
    SearchOnlyReason.INVALID_OUTPUT: "what the model wrote was no valid draft",
    SearchOnlyReason.EGRESS_DENIED: "the passages may not be sent to the model that writes it",
}
_NOT_JUDGED = "Each source was in the evidence; nobody judged whether it supports the sentence."
_TYPES = {401: "authentication_error", 403: "permission_error", 404: "not_found_error", 429: "rate_limit_error"}


def message(outcome: Recorded, unused: Iterable[str]) -> ChatMessageJson:
    """The reply to a question: nothing that was withheld is in its words, and what did not end in an answer says so and what to do next."""
    reply = _Reply(packet=outcome.receipt.packet if outcome.receipt else None)
    match outcome:
        case Answered():
            _answer(reply, outcome)
        case AskForEvidence():
            _ask_for_evidence(reply, outcome)
        case SearchOnly():
            reply.say(f"No answer was written: {_NOT_WRITTEN[outcome.reason]}. Read the passages that were found:")
            reply.list(outcome.search)
        case Withheld():
            unsaid = f" What it had to say and could not: {', '.join(outcome.missing)}." if outcome.missing else ""
            reply.say(f"No answer is delivered: what was written did not pass its review.{unsaid} ")
            reply.say(f"The reasons stand in the packet {reply.packet}.")
        case _:
            assert_never(outcome)
    return {
        "role": "assistant",
        "content": reply.content,
        "refusal": None,
        "annotations": reply.annotations,
        "toulmin": {"schema": "toulmin.chat/1", "outcome": outcome_json(outcome), "unused": list(unused)},
    }


def is_for_later(outcome: Recorded) -> TypeGuard[SearchOnly]:
    """Whether a model keeps an answer from being there now, so that the question is worth asking again."""
    return isinstance(outcome, SearchOnly) and outcome.reason in PROVIDER_FAULTS


def not_now(outcome: SearchOnly) -> ChatErrorJson:
    """Such an outcome as an error, with all that was found."""
    words = f"No answer was written: {_NOT_WRITTEN[outcome.reason]}. Ask again later."
    return {**_error(words, "server_error", outcome.reason.value), "toulmin": outcome_json(outcome)}


def no_such_model(name: str) -> ChatErrorJson:
    """That no contract has this id."""
    words = f"no question has the id {name} (list what there is: GET /v1/models)"
    return _error(words, _TYPES[404], "unsupported_question", param="model")


def error(told: ProblemJson) -> ChatErrorJson:
    """A problem in the form of this interface."""
    words = told["detail"] if told["remedy"] is None else f"{told['detail']} ({told['remedy']})"
    where = told["where"]
    param = None if where is None else where.removeprefix("body: ").removeprefix("query: ")
    status = error_status(told)
    kind = _TYPES.get(status) or ("invalid_request_error" if status < 500 else "server_error")
    return _error(words, kind, told["code"], param=param)


def error_status(told: ProblemJson) -> int:
    """The HTTP status of a problem in this interface, which knows no 422."""
    return 400 if told["status"] == 422 else told["status"]


def _error(words: str, kind: str, code: str, *, param: str | None = None) -> ChatErrorJson:
    return {"error": {"message": words, "type": kind, "param": param, "code": code}}


@dataclass(slots=True, kw_only=True)
class _Reply:
    """Words as they are written; a marker that is written again keeps its number."""

    packet: str | None
    content: str = ""
    annotations: list[AnnotationJson] = field(default_factory=list)
    _numbers: dict[Hashable, int] = field(default_factory=dict)

    def say(self, words: str) -> None:
        self.content += words

    def list(self, items: Iterable[Item]) -> None:
        """Passages, each on a line of its own."""
        for item in items:
            self.say("\n")
            self.passage(item)
            self.say(f" {_named(item.found.id)}")

    def passage(self, item: Item) -> None:
        """A marker for a passage that was found."""
        found = item.found
        self._mark(found.id, "passage", found.passage.id, found.standing.descriptor.title)

    def citation(self, cited: CitedQuote) -> None:
        """A marker for what a claim cites."""
        self._mark(cited.source, "span", cited.span, cited.title)

    def _mark(self, source: RevisionId, kind: str, place: str, title: str | None) -> None:
        number = self._numbers.setdefault((source, kind, place), len(self._numbers) + 1)
        start, before = len(self.content), _utf16(self.content)
        self.content += f"[{number}]"
        cited = urlencode({"document": source.document, "version": source.version, kind: place}, quote_via=quote)
        self.annotations.append(
            {
                "type": "url_citation",
                "url_citation": {
                    "start_index": start,
                    "end_index": len(self.content),
                    "utf16": (before, _utf16(self.content)),
                    "title": f"{one_line(title)} ({_named(source)})" if title else _named(source),
                    "url": f"/v1/packets/{self.packet}#{cited}",
                },
            }
        )


def _answer(reply: _Reply, outcome: Answered) -> None:
    for place, claim in enumerate(outcome.claims):
        reply.say(f" {claim.text}" if place else claim.text)
        for cited in claim.citations:
            reply.say(" ")
            reply.citation(cited)
    if outcome.assurance is Mode.CITED:
        reply.say(f"\n\n{_NOT_JUDGED}")
    if outcome.withheld:
        reply.say(f"\n\nNot part of the answer: {counted(len(outcome.withheld), 'sentence')} that did not pass review.")
    against = [item for item in outcome.search if item.conflicting]
    if against:
        reply.say("\n\nWhat speaks against what the question takes for granted:")
        reply.list(against)


def _ask_for_evidence(reply: _Reply, outcome: AskForEvidence) -> None:
    if outcome.reason is None:
        reply.say(f"No answer: the documents that were found do not cover {', '.join(outcome.missing)}.")
    else:
        reply.say(f"No answer: {_LACKING[outcome.reason]}.")
    reply.say(
        " Somebody who keeps the documents has to add one or curate it anew, or the question has to be put otherwise."
    )


def _named(source: RevisionId) -> str:
    return one_line(f"{source.document}, version {source.version}")


def _utf16(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2
