"""toulmin: answers questions from controlled documents, and keeps the proof.

Eligibility before ranking, sufficiency of the selected set, claims delivered only when they are licensed by the passages that they cite, and
an evidence packet with an identity that approvals hang on. `Workspace` is the way in:

    with toulmin.Workspace.open("desk") as desk:
        outcome = desk.ask("gateway-explain-and-next-step-v1", case={"model": "G2", "firmware": "2.4.1", "audit_hold": "true"})
"""

from __future__ import annotations

import importlib
import typing

__version__ = "0.1.0"

_HOMES = {
    "Answered": "toulmin.domain.outcome",
    "AskForEvidence": "toulmin.domain.outcome",
    "Conflict": "toulmin.domain.errors",
    "InputError": "toulmin.domain.errors",
    "NotFound": "toulmin.domain.errors",
    "Outcome": "toulmin.domain.outcome",
    "Principal": "toulmin.domain.question.case",
    "SearchOnly": "toulmin.domain.outcome",
    "SearchResult": "toulmin.domain.outcome",
    "StoreFault": "toulmin.domain.errors",
    "ToulminError": "toulmin.domain.errors",
    "UnsupportedQuestion": "toulmin.domain.outcome",
    "Withheld": "toulmin.domain.outcome",
    "Workspace": "toulmin.surfaces.sync",
}

if typing.TYPE_CHECKING:
    from toulmin.domain.errors import Conflict, InputError, NotFound, StoreFault, ToulminError
    from toulmin.domain.outcome import (
        Answered,
        AskForEvidence,
        Outcome,
        SearchOnly,
        SearchResult,
        UnsupportedQuestion,
        Withheld,
    )
    from toulmin.domain.question.case import Principal
    from toulmin.surfaces.sync import Workspace

__all__ = [
    "Answered",
    "AskForEvidence",
    "Conflict",
    "InputError",
    "NotFound",
    "Outcome",
    "Principal",
    "SearchOnly",
    "SearchResult",
    "StoreFault",
    "ToulminError",
    "UnsupportedQuestion",
    "Withheld",
    "Workspace",
]


def __getattr__(name: str) -> typing.Any:
    """Loads a public name on first use, so that `import toulmin` and the command line start fast."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)
