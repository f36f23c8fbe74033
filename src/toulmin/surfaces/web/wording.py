"""What pages say in plain words: of outcomes, verdicts, sources and faults."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

OUTCOMES: Final[Mapping[str, str]] = {
    "Answered": "Answered",
    "AskForEvidence": "More evidence is needed",
    "SearchOnly": "Passages were found, but there is no answer",
    "Withheld": "An answer was drafted, and is withheld",
    "UnsupportedQuestion": "There is no such question type",
}

ASSURANCES: Final[Mapping[str, str]] = {
    "licensed": "Every sentence is one that the contract licenses, and rests on the exact words of its source.",
    "reviewed": "Every sentence was compared with the words that it cites, and found to be supported by them.",
    "cited": "Every sentence cites a passage of the evidence. Whether the passage supports it was not judged.",
}
"""What an answer is, by its assurance."""

NEXT: Final[Mapping[str, str]] = {
    "Answered": "Open a citation to read the words in their place, before you use the answer.",
    "AskForEvidence": "Add a document that says what is missing, or have it curated anew; then ask again.",
    "SearchOnly": "Read the passages below.",
    "Withheld": "See why each sentence is withheld. None of them is an answer.",
    "UnsupportedQuestion": "Choose another question type, or have a contract written for this one.",
}
"""What the visitor does next."""

REASONS: Final[Mapping[str, str]] = {
    "no_eligible_evidence": "No document that you may see applies to this case at this time.",
    "below_minimum_score": "No passage matches the question well enough.",
    "insufficient": "What was found was judged not to be enough for an answer.",
    "no_drafter": "Nobody drafts answers here: no model is configured.",
    "no_judge": "Nobody reviews answers here: no judge is configured.",
    "provider_error": "The model that drafts answers failed. Ask again later.",
    "rate_limited": "The model that drafts answers takes no more requests for now. Ask again later.",
    "timeout": "The model that drafts answers took too long. Ask again later.",
    "saturated": "All places for drafting are taken. Ask again in a moment.",
    "refused": "The model declined to draft an answer.",
    "truncated": "The draft was cut off, so nothing of it is used.",
    "invalid_output": "The draft was not in the form that is required, so nothing of it is used.",
    "egress_denied": "Some of the passages may not leave this host, so no model was asked.",
}
"""Why there is no answer."""

VERDICTS: Final[Mapping[str, str]] = {
    "licensed": "Licensed: the contract allows this sentence for these exact words",
    "supported": "Supported by the words that it cites",
    "cited": "Cited: support was not judged",
    "contradicted": "Contradicted by the words that it cites",
    "unresolved": "Not settled by the words that it cites",
    "not_licensed": "Not licensed: the contract does not allow this sentence",
}

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
    409: "Look at the thing anew, and try again.",
    422: "Go back and mend what is named above.",
    429: "Wait a moment, then load the page anew.",
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
