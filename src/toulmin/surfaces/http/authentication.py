"""Who calls: the principal of a request, from its credential alone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from fastapi import Request
from starlette.concurrency import run_in_threadpool

from toulmin.domain.errors import Unauthenticated
from toulmin.domain.question.case import Principal
from toulmin.ports.authenticator import Authenticator, Denied, Reason
from toulmin.ports.store import Store
from toulmin.surfaces import wiring
from toulmin.surfaces.http.telemetry import facts
from toulmin.surfaces.settings import Settings, is_loopback

_BEARER = re.compile(r"bearer +([A-Za-z0-9._~+/-]+=*) *", re.IGNORECASE)
_IN_ADDRESSES = frozenset({"access_token", "api_key"})
"""Parameters in which some clients put a credential. It then stands in logs and histories, so that it has to be made known as a mistake."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpAuthenticator:
    """Knows the callers of a service by their requests: by bearer token, or by the subject that a proxy states in a header; None: not accepted.

    `resident` is for development: everybody is this principal, without a credential, as long as they call this host by a name of its own.
    """

    tokens: Authenticator | None = None
    subjects: Authenticator | None = None
    subject_header: str | None = None
    resident: Principal | None = None

    async def principal(self, request: Request, cookie: str | None = None) -> Principal:
        """The active principal who calls, and what an `Authenticator` raises. `cookie`: a bearer token that a browser keeps, for pages alone.

        Raises `Unauthenticated`, in the same words whatever is wrong: the reason is for the log alone.
        """
        known = await self._known(request, cookie)
        if isinstance(known, Denied):
            facts(request).detail = known.reason
            raise Unauthenticated(
                "unauthenticated",
                "the request has no credential that is valid here",
                remedy="send one in the header Authorization: Bearer TOKEN",
            )
        facts(request).caller = known
        return known

    async def _known(self, request: Request, cookie: str | None) -> Principal | Denied:
        if stands_in_address(request):
            return Denied(Reason.IN_THE_ADDRESS)
        if self.resident is not None:
            return self.resident if _calls_this_host(request) else Denied(Reason.FOREIGN_HOST)
        kept = [] if cookie is None else [f"Bearer {cookie}"]
        credentials = [*request.headers.getlist("authorization"), *kept]
        subjects = self._subjects(request)
        if len(credentials) + len(subjects) != 1:
            return Denied(Reason.SEVERAL if credentials or subjects else Reason.NOTHING)
        if subjects and not _came_over_socket(request):
            return Denied(Reason.NOT_OVER_SOCKET)
        return await _asked(self.subjects, subjects[0]) if subjects else await self._bearer(credentials[0])

    def _subjects(self, request: Request) -> list[str]:
        """The subjects that are stated. One that is empty is a proxy's word that it has verified nobody; beside another it counts, since that is forged."""
        stated = request.headers.getlist(self.subject_header) if self.subject_header else []
        return [] if stated == [""] else stated

    async def _bearer(self, credential: str) -> Principal | Denied:
        token = _BEARER.fullmatch(credential)
        return await _asked(self.tokens, token[1]) if token else Denied(Reason.SCHEME)


def http_authenticator(settings: Settings, store: Store, resident: Principal | None) -> HttpAuthenticator:
    """Who knows the callers of a workspace's service; `resident`: everybody is this principal. Raises `InputError` for settings that do not do."""
    if resident is not None:
        return HttpAuthenticator(resident=resident)
    subjects, proxy = wiring.subject_authenticator(settings), settings.server.mtls
    return HttpAuthenticator(
        tokens=wiring.token_authenticator(settings, store),
        subjects=subjects,
        subject_header=proxy.header if subjects and proxy else None,
    )


async def authenticated(request: Request) -> Principal:
    """The active principal who calls, for a service's endpoints; see `HttpAuthenticator.principal`."""
    state: Any = request.app.state
    authenticator: HttpAuthenticator = state.service.authenticator
    return await authenticator.principal(request)


def stands_in_address(request: Request) -> bool:
    """Whether there is a credential in the address."""
    return not _IN_ADDRESSES.isdisjoint(request.query_params)


async def _asked(authenticator: Authenticator | None, credential: str) -> Principal | Denied:
    """What an authenticator knows; asked in a thread, since it may read files, a store, or another host."""
    if authenticator is None:
        return Denied(Reason.KIND)
    return await run_in_threadpool(authenticator.authenticate, credential)


def _came_over_socket(request: Request) -> bool:
    """Whether the connection came over a Unix socket, which the server says, and no header: an address without a port."""
    server = request.scope.get("server")
    return server is not None and server[1] is None


def _calls_this_host(request: Request) -> bool:
    """Whether host and origin are names of this host: a page in a browser may lead a name of its own here, but not change what that is."""
    origins = request.headers.getlist("origin")
    hosts = [f"//{host}" for host in request.headers.getlist("host")]
    return len(hosts) == 1 and len(origins) <= 1 and all(is_loopback(host_in(url)) for url in (*hosts, *origins))


def host_in(url: str) -> str:
    """The host that a URL names; empty for none, and for what is no URL."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
