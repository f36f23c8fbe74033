"""Who may do what over HTTP: which of a caller's roles an endpoint wants. What a caller may see is the store's to decide, not a role's."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import Depends, Request

from toulmin.domain.errors import Forbidden
from toulmin.domain.question.case import Principal
from toulmin.surfaces.http.authentication import authenticated
from toulmin.surfaces.http.bodies import check_parameters
from toulmin.surfaces.http.service import service_of
from toulmin.surfaces.http.telemetry import facts

READER, CURATOR, REVIEWER, OPERATOR, AUDITOR, SERVICE = (
    "reader", "curator", "reviewer", "operator", "auditor", "service",
)  # fmt: skip


def caller(*roles: str) -> Callable[..., AsyncIterator[Principal]]:
    """Admits a principal who has one of the roles, and whose requests are not too many.

    Raises `Overloaded` and `Forbidden`, in this order, before anything of the request is read.
    """

    async def admitted(request: Request, who: Principal) -> AsyncIterator[Principal]:
        facts(request).caller = who
        with service_of(request).limits.admitted(who):
            if not set(roles) & set(who.roles):
                raise Forbidden(
                    "role_missing",
                    f"{who.id} has none of the roles {', '.join(roles)}",
                    remedy="do it as somebody who has one of them",
                )
            yield who  # until the response is sent, the last event of a stream included

    return admitted


def _endpoint(*roles: str) -> Callable[..., AsyncIterator[Principal]]:
    """A dependency that gives the caller of an endpoint of /v1: known, admitted, and without parameters that the endpoint does not take.

    Raises `Unauthenticated`, what `caller` raises, and `InputError`, in this order.
    """
    admit = asynccontextmanager(caller(*roles))

    async def admitted(request: Request, who: Annotated[Principal, Depends(authenticated)]) -> AsyncIterator[Principal]:
        async with admit(request, who) as known:
            check_parameters(request)
            yield known

    return admitted


Asker = Annotated[Principal, Depends(_endpoint(READER))]
"""Asks, searches, and has claims reviewed."""

Looker = Annotated[Principal, Depends(_endpoint(READER, REVIEWER, OPERATOR, AUDITOR))]
"""Looks at packets, approvals, and what rests on a document."""

Browser = Annotated[Principal, Depends(_endpoint(READER, CURATOR, REVIEWER))]
"""Looks at documents and contracts."""

Keeper = Annotated[Principal, Depends(_endpoint(CURATOR))]
"""Takes documents into the corpus, and out of service."""

Decider = Annotated[Principal, Depends(_endpoint(READER, REVIEWER, OPERATOR))]
"""Takes steps of approvals; which step wants which role is the state machine's to say."""
