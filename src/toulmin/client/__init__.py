"""The service's typed client: `Client` blocks, `AsyncClient` does not, and both send the same calls.

    with Client("http://127.0.0.1:8080", token=token) as toulmin:
        match toulmin.ask("gateway-explain-and-next-step-v1", case={"model": "G2", "firmware": "2.4.1"}):
            case Answered(text=text, packet=packet):
                ...

A question ends in one of five classes; every other result is the JSON that the service gives, checked and typed. Faults are those of
`toulmin.domain.errors`, as in the service itself, and `Unreachable` where it gave none.
"""

from __future__ import annotations

from toulmin.client.calls import Call, Citation, Pair
from toulmin.client.clients import AsyncClient, Client
from toulmin.client.faults import Retries, Unreachable
from toulmin.client.outcomes import (
    Answered,
    AskForEvidence,
    ClaimJudged,
    Drafting,
    Event,
    Finished,
    Outcome,
    Searched,
    SearchOnly,
    UnsupportedQuestion,
    Withheld,
)

__all__ = [
    "Answered",
    "AskForEvidence",
    "AsyncClient",
    "Call",
    "Citation",
    "ClaimJudged",
    "Client",
    "Drafting",
    "Event",
    "Finished",
    "Outcome",
    "Pair",
    "Retries",
    "SearchOnly",
    "Searched",
    "Unreachable",
    "UnsupportedQuestion",
    "Withheld",
]
