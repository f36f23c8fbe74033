"""Exit codes, and the outcomes that they stand for."""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum

from toulmin.domain.outcome import Answered, AskForEvidence, Outcome, SearchOnly, UnsupportedQuestion, Withheld


class Exit(IntEnum):
    """How a command ended."""

    SUCCESS = 0
    UNEXPECTED = 1
    USAGE = 2
    ASK_FOR_EVIDENCE = 3
    UNSUPPORTED_QUESTION = 4
    WITHHELD = 5
    SEARCH_ONLY = 6
    APPROVAL = 7
    CHECK_FAILED = 8


_OF_OUTCOME: Mapping[type[Outcome], Exit] = {
    Answered: Exit.SUCCESS,
    AskForEvidence: Exit.ASK_FOR_EVIDENCE,
    UnsupportedQuestion: Exit.UNSUPPORTED_QUESTION,
    Withheld: Exit.WITHHELD,
    SearchOnly: Exit.SEARCH_ONLY,
}


def exit_of(outcome: Outcome) -> Exit:
    """The exit code of an outcome."""
    return _OF_OUTCOME[type(outcome)]
