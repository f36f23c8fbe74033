"""What pages say in plain words: of outcomes, verdicts, sources and faults."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

from toulmin.domain.corpus.validity import Validity

OUTCOMES: Final[Mapping[str, str]] = {
    "Answered": "Answered",
    "AskForEvidence": "More evidence is needed",
    "SearchOnly": "Passages were found, but there is no answer",
    "Withheld": "An answer was drafted, and is withheld",
    "UnsupportedQuestion": "There is no such question type",
}

ASSURANCES: Final[Mapping[str, str]] = {
    "licensed": "Every sentence is one that the contract licenses, and rests on the exact words of its source.",
    "reviewed": "Only sentences that were compared with the words that they cite, and found to be supported by them, are part of an answer.",
    "cited": "Every sentence cites a passage of the evidence. Whether the passage supports it was not judged.",
}
"""What an answer is, by its assurance."""

NEXT: Final[Mapping[str, str]] = {
    "Answered": "Open each citation to read the words in their place, before you use the answer.",
    "AskForEvidence": "Add a document that says what is missing, or have it curated anew; then ask again.",
    "SearchOnly": "Read the passages below.",
    "Withheld": "See why each sentence is withheld. None of them is an answer. Read what they cite, or ask otherwise.",
    "UnsupportedQuestion": "Choose another question type, or have a contract written for this one.",
}
"""What the visitor does next, by the outcome."""

REASONS: Final[Mapping[str, str]] = {
    "no_eligible_evidence": "No document that you may see applies to this case at this time.",
    "below_minimum_score": "No passage matches the question well enough.",
    "insufficient": "What was found was judged not to be enough for an answer.",
    "no_drafter": "Nobody drafts answers here: no model is configured.",
    "no_judge": "Nobody reviews answers here: no judge is configured.",
    "provider_error": "The model that drafts or judges answers failed.",
    "rate_limited": "The model that drafts or judges answers takes no more requests for now.",
    "timeout": "The model that drafts or judges answers took too long.",
    "saturated": "All places for drafting are taken.",
    "refused": "The model declined to draft an answer.",
    "truncated": "The draft was cut off, so nothing of it is used.",
    "invalid_output": "The draft was not in the form that is required, so nothing of it is used.",
    "egress_denied": "Some of the passages may not leave this host, so no model was asked.",
}
"""Why there is no answer."""

NEXT_FOR_REASON: Final[Mapping[str, str]] = {
    "no_eligible_evidence": "Check the case and the date, and see below why documents do not apply to it; or add one that does.",
    "below_minimum_score": "Ask in other words, or add a document that speaks about it.",
    "insufficient": "Read the passages below; ask more narrowly, or add a document that says what is missing.",
    "no_drafter": "Read the passages below. For answers in words, whoever runs the service configures a model.",
    "no_judge": "Read the passages below. For answers in words, whoever runs the service configures a judge.",
    "provider_error": "Read the passages below, and ask again later. If it lasts, tell whoever runs the service.",
    "rate_limited": "Read the passages below, and ask again later.",
    "timeout": "Read the passages below, and ask again later, or more narrowly.",
    "saturated": "Read the passages below, and ask again in a moment.",
    "refused": "Read the passages below, or ask in other words.",
    "truncated": "Read the passages below, or ask for less at once.",
    "invalid_output": "Read the passages below, and ask again. If it lasts, tell whoever runs the service.",
    "egress_denied": "Read the passages below. Whoever runs the service decides which documents a model may receive.",
}
"""What the visitor does next, by the reason why there is no answer."""

VERDICTS: Final[Mapping[str, str]] = {
    "licensed": "Licensed: the contract allows this sentence for these exact words",
    "supported": "Supported by the words that it cites",
    "cited": "Cited: support was not judged",
    "contradicted": "Contradicted by the words that it cites",
    "unresolved": "Not settled by the words that it cites",
    "not_licensed": "Not licensed: the contract does not allow this sentence",
}

STRENGTHS: Final[Mapping[str, str]] = {
    "contradicts": "Speaks against it",
    "unsettles": "Leaves it open",
}
"""How much an objection weighs."""

STATES: Final[Mapping[str, str]] = {
    "current": "in force, unchanged",
    "superseded": "superseded by a newer version since",
    "not_in_force": "not in force now",
    "changed": "its text has changed since",
    "withdrawn": "withdrawn since",
    "deleted": "deleted since",
    "erased": "erased since",
}
"""What has become of a source."""

FILE_OUTCOMES: Final[Mapping[str, str]] = {
    "ingested": "taken in",
    "superseded": "taken in, and superseded what was in force",
    "unchanged": "was there already, and nothing changed",
    "refused": "refused, and nothing of it was kept",
}
"""What became of a file."""

STANDINGS: Final[Mapping[str, str]] = {
    "current": "in force",
    "superseded": "superseded",
    "not_in_force": "not in force now",
    "withdrawn": "withdrawn",
    "deleted": "deleted",
    "erased": "erased",
}
"""How a version of a document stands."""

WITHOUT_PLACE: Final[Mapping[str, str]] = {
    "changed": "The text of this source has changed since: these are the words of then.",
    "deleted": "This source was deleted since: there is no text left to read the words in.",
    "erased": "This source was erased since: there is no text left to read the words in.",
}
"""Why words cannot be shown in their place."""

LEFT_OUT: Final[Mapping[str, str]] = {
    "beyond_k": "others matched better",
    "below_minimum_score": "it does not match well enough",
    "duplicate": "another passage says the same",
    "passage_too_long": "it is too long",
    "context_full": "there was no room for it",
    "earlier_round": "it was used in an earlier round",
    "irrelevant": "it was judged not to concern the question",
    "no_evidence": "it was judged to hold no evidence",
    "instructions": "it holds instructions to a model",
}
"""Why a passage was found and not selected."""

FATES: Final[Mapping[str, str]] = {
    "selected": "It is among the selected passages.",
    "not_found": "No rule excludes it, but the search did not find it: other documents match the words of the question better.",
    **{reason: f"It was found, and not selected: {words}." for reason, words in LEFT_OUT.items()},
}
"""What became of a document that no rule excludes."""

RULES: Final[Mapping[str, str]] = {
    "equals": "has to be equal",
    "one_of": "has to be one of",
    "version_in": "has to lie in the range",
    "at_least": "has to be at least",
    "validity": "has to be in force",
    "status": "has to be in service",
}

NEXT_AFTER_FAULT: Final[Mapping[int, str]] = {
    401: "Come by the way on which the service verifies you: its proxy, or on this host itself.",
    403: "Go back and load the page anew; or sign in as somebody who may do it.",
    404: "Check the address. If it is right, you may not see what is there.",
    405: "Go back, and use the buttons of the page.",
    409: "Look at the thing anew, and try again.",
    422: "Go back and mend what is named above.",
    429: "Wait a moment, then load the page anew.",
    500: "Tell whoever runs the service, with what stands below.",
    503: "Try again in a moment. If it lasts, tell whoever runs the service.",
    504: "Try again, or ask for less.",
}
"""What helps against a fault, by its status."""

KINDS: Final[Mapping[str, str]] = {
    "string": "text",
    "boolean": "yes or no",
    "number": "a number such as 12 or 0.5",
    "date": "a date",
    "instant": "an instant such as 2026-01-31T12:00:00Z",
    "version": "one version such as 2.4.1",
}
"""What is entered for a case field."""

APPROVALS: Final[Mapping[str, str]] = {
    "requested": "Waits for a decision",
    "approved": "Approved, not carried out yet",
    "rejected": "Rejected",
    "executing": "Being carried out",
    "executed": "Carried out",
    "failed": "Failed",
    "in_doubt": "In doubt: nobody knows whether it was carried out",
    "stale": "Stale: what it rests on has changed",
    "expired": "Expired before it was carried out",
    "revoked": "Taken back",
}
"""Where an approval stands."""

APPROVAL_NEXT: Final[Mapping[str, str]] = {
    "requested": "A reviewer who did not request it compares the answer with its sources, and approves or rejects it.",
    "approved": "An operator carries it out. Its evidence is looked at again first.",
    "rejected": "Nothing was carried out. It may be requested anew from its packet.",
    "executing": "Load this page anew in a while.",
    "executed": "Nothing more is to be done. It is never carried out twice.",
    "failed": "Mend what failed; then request it anew from its packet, under another instance.",
    "in_doubt": "An operator finds out whether it was carried out, and says so here.",
    "stale": "It is not carried out. Look at what changed, ask the question again, and request the operation on the new answer.",
    "expired": "Nothing was carried out. It may be requested anew from its packet.",
    "revoked": "Nothing was carried out. It may be requested anew from its packet.",
}
"""What comes next."""

STEPS: Final[Mapping[str, str]] = {
    "requested": "requested",
    "approved": "approved",
    "rejected": "rejected",
    "executing": "began to carry it out",
    "executed": "carried out",
    "failed": "failed",
    "in_doubt": "came into doubt",
    "stale": "turned stale",
    "expired": "expired",
    "revoked": "taken back",
}
"""What a step came to."""

APPROVAL_FAULTS: Final[Mapping[str, str]] = {
    "wrong_state": "Somebody else was quicker, or time was: see below where it stands now.",
    "approval_moved": "Somebody else was quicker: see below where it stands now.",
    "executing": "It is being carried out already. Load this page anew in a while.",
    "stale": "Ask the question again, and request the operation on the new answer.",
    "own_request": "Have another reviewer decide it. You may take it back.",
    "in_doubt": "Find out whether it was carried out, and say so below.",
    "comment_missing": "Say in the comment how you found out.",
    "not_answered": "Only an answer can be submitted: ask again, or choose the packet of an answer.",
    "not_judged": "Ask in a mode in which support is judged.",
    "unknown_operation": "Choose one of the operations that are configured here.",
}
"""What helps against the refusal of a step, by its code; of other codes the fault itself says it."""

REPLAY_STEPS: Final[Mapping[str, str]] = {
    "packet": "The packet is what its name is the digest of",
    "contract": "The rules of the question",
    "policy": "The thresholds and limits",
    "selection": "Which passages are selected from what was found",
    "evidence": "The identity of the evidence",
    "coverage": "Whether the evidence covers what is required",
    "verdicts": "The verdict on each sentence",
    "answer": "The answer, made of the sentences that passed",
}
"""What a replay makes again."""

REPLAY_RESULTS: Final[Mapping[str, str]] = {
    "reproduced": "the same",
    "differs": "differs",
    "erased": "cannot be made again: words were erased",
}

DIFFERENCES: Final[Mapping[str, str]] = {
    "contract_gone": "The question type is gone",
    "contract_changed": "The question type was changed",
    "case_refused": "The case does not fit any more",
    "policy_changed": "The policy was changed",
    "source_gone": "A source is gone",
    "superseded": "A source has a newer version",
    "not_in_force": "A source is not in force",
    "words_changed": "A source has another text",
    "spans_changed": "Curated words were changed",
    "scope_changed": "A source applies to other things",
    "readers_changed": "A source has other readers",
    "eligibility_changed": "A source does not apply to the case any more",
    "witness_lost": "A required fact lost its source",
    "new_witness": "Another source now states a required fact",
    "ranking_changed": "Other passages are selected",
}
"""What is otherwise than it was."""


def moment(at: datetime) -> str:
    """An instant, to the second; its date alone where that begins with it."""
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC".removesuffix(" 00:00:00 UTC")


def validity(when: Validity) -> str:
    """The time in which something is in force."""
    if when.end is None:
        return f"since {moment(when.start)}"
    return f"{moment(when.start)} until {moment(when.end)}" if when.start < when.end else "never"
