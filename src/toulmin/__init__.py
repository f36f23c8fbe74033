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
    "Approval": "toulmin.domain.proof.approval",
    "Answered": "toulmin.domain.outcome",
    "AskForEvidence": "toulmin.domain.outcome",
    "Audit": "toulmin.domain.proof.audit",
    "Checkpoint": "toulmin.domain.proof.ledger",
    "Conflict": "toulmin.domain.errors",
    "Erased": "toulmin.application.erasure",
    "InputError": "toulmin.domain.errors",
    "NotFound": "toulmin.domain.errors",
    "Outcome": "toulmin.domain.outcome",
    "Principal": "toulmin.domain.question.case",
    "Refused": "toulmin.domain.errors",
    "Replay": "toulmin.application.replay",
    "Resting": "toulmin.application.impact",
    "Retired": "toulmin.application.documents",
    "SearchOnly": "toulmin.domain.outcome",
    "SearchResult": "toulmin.domain.outcome",
    "Stage": "toulmin.application.stages",
    "StoreFault": "toulmin.domain.errors",
    "ToulminError": "toulmin.domain.errors",
    "UnsupportedQuestion": "toulmin.domain.outcome",
    "Verification": "toulmin.domain.proof.verification",
    "Withheld": "toulmin.domain.outcome",
    "Workspace": "toulmin.surfaces.sync",
    "verify_packet": "toulmin.surfaces.sync",
}

if typing.TYPE_CHECKING:
    from toulmin.application.documents import Retired
    from toulmin.application.erasure import Erased
    from toulmin.application.impact import Resting
    from toulmin.application.replay import Replay
    from toulmin.application.stages import Stage
    from toulmin.domain.errors import Conflict, InputError, NotFound, Refused, StoreFault, ToulminError
    from toulmin.domain.outcome import (
        Answered,
        AskForEvidence,
        Outcome,
        SearchOnly,
        SearchResult,
        UnsupportedQuestion,
        Withheld,
    )
    from toulmin.domain.proof.approval import Approval
    from toulmin.domain.proof.audit import Audit
    from toulmin.domain.proof.ledger import Checkpoint
    from toulmin.domain.proof.verification import Verification
    from toulmin.domain.question.case import Principal
    from toulmin.surfaces.sync import Workspace, verify_packet

__all__ = [
    "Answered",
    "Approval",
    "AskForEvidence",
    "Audit",
    "Checkpoint",
    "Conflict",
    "Erased",
    "InputError",
    "NotFound",
    "Outcome",
    "Principal",
    "Refused",
    "Replay",
    "Resting",
    "Retired",
    "SearchOnly",
    "SearchResult",
    "Stage",
    "StoreFault",
    "ToulminError",
    "UnsupportedQuestion",
    "Verification",
    "Withheld",
    "Workspace",
    "verify_packet",
]


def __getattr__(name: str) -> typing.Any:
    """Loads a public name on first use, so that `import toulmin` and the command line start fast."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)
