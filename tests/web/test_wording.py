"""Every code that a page can meet has its words, and no words are left over for a code that is gone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import get_args

import pytest

from toulmin.application.ingest import FileOutcome
from toulmin.domain.claims.objection import Strength
from toulmin.domain.claims.report import SourceState
from toulmin.domain.claims.verdict import VerdictStatus
from toulmin.domain.evidence.selection import LeftOut
from toulmin.domain.outcome import EvidenceReason, Outcome, SearchOnlyReason
from toulmin.domain.question.case import Kind
from toulmin.domain.question.contract import Mode
from toulmin.domain.question.eligibility import RuleName
from toulmin.surfaces.web import wording
from toulmin.surfaces.web.why_not import NOT_FOUND, SELECTED

OUTCOMES = [each.__name__ for each in get_args(Outcome)]


@pytest.mark.parametrize(
    ("words", "codes"),
    [
        (wording.OUTCOMES, OUTCOMES),
        (wording.NEXT, OUTCOMES),
        (wording.ASSURANCES, Mode),
        (wording.REASONS, [*SearchOnlyReason, *EvidenceReason]),
        (wording.NEXT_FOR_REASON, [*SearchOnlyReason, *EvidenceReason]),
        (wording.VERDICTS, VerdictStatus),
        (wording.STRENGTHS, Strength),
        (wording.WITHOUT_PLACE, [SourceState.CHANGED, SourceState.DELETED, SourceState.ERASED]),
        (wording.FATES, [SELECTED, NOT_FOUND, *LeftOut]),
        (wording.STATES, SourceState),
        (wording.STANDINGS, [state for state in SourceState if state is not SourceState.CHANGED]),
        (wording.FILE_OUTCOMES, FileOutcome),
        (wording.LEFT_OUT, LeftOut),
        (wording.RULES, [*RuleName, "validity", "status"]),
        (wording.KINDS, Kind),
    ],
)
def test_every_code_has_its_words(words: Mapping[str, str], codes: Iterable[str]) -> None:
    assert set(words) == {str(code) for code in codes}
    assert all(words.values())
