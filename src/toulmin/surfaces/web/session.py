"""Who looks at a page: by the credential that the browser keeps, verified anew with each request.

The cookie holds the credential itself, an API key or a token, and no session of ours stands behind it: who revokes the credential ends it everywhere.
"""

from __future__ import annotations

import hmac
import re
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import Depends, Request
from starlette.responses import Response

from toulmin.domain.errors import Unauthenticated
from toulmin.domain.question.case import Principal
from toulmin.surfaces.http.authentication import host_in, stands_in_address
from toulmin.surfaces.http.rights import AUDITOR, CURATOR, OPERATOR, READER, REVIEWER, caller
from toulmin.surfaces.http.service import service_of
from toulmin.surfaces.settings import is_loopback

CREDENTIAL, FORM = "toulmin-credential", "toulmin-form"
"""The cookies: what the visitor signed in with, and something random that forms are bound to where there is no such thing."""

HOME = "/ask"

_LONGEST = 3800
"""Characters of a credential: browsers keep cookies of 4096 bytes, with name and attributes."""
_SENDABLE = re.compile(r"[A-Za-z0-9._~+/=-]+", re.ASCII)
_OWN_PATH = re.compile(r"/(?![/\\])[!-\[\]-~]*", re.ASCII)
"""A path with its query on this host: `//` and `/\\` lead to another one."""


async def signed_in(request: Request) -> Principal:
    """The active principal who looks at a page; see `HttpAuthenticator.principal`."""
    return await service_of(request).authenticator.principal(request, cookie=kept(request, CREDENTIAL))


def visitor(*roles: str) -> Callable[..., AsyncIterator[Principal]]:
    """A dependency like `rights.caller`, for pages."""
    admit = asynccontextmanager(caller(*roles))

    async def admitted(request: Request, who: Annotated[Principal, Depends(signed_in)]) -> AsyncIterator[Principal]:
        async with admit(request, who) as known:
            yield known

    return admitted


Asker = Annotated[Principal, Depends(visitor(READER))]
Looker = Annotated[Principal, Depends(visitor(READER, REVIEWER, OPERATOR, AUDITOR))]
Browser = Annotated[Principal, Depends(visitor(READER, CURATOR, REVIEWER))]
Explorer = Annotated[Principal, Depends(visitor(READER, REVIEWER))]
Decider = Annotated[Principal, Depends(visitor(READER, REVIEWER, OPERATOR))]
Keeper = Annotated[Principal, Depends(visitor(CURATOR))]
"""Whoever may ask, look at packets, look at documents, do both, take steps of approvals, and change documents; the same as in `rights`."""

Evaluator = Annotated[Principal, Depends(visitor(CURATOR, REVIEWER, OPERATOR, AUDITOR))]
"""Looks at what was measured: it holds no text of a document, but is of the whole workspace, and not of one tenant."""


async def check_credential(request: Request, credential: str) -> Principal:
    """The principal that a credential stands for. Raises `Unauthenticated` for one that is not valid, or that no browser would keep."""
    if len(credential) > _LONGEST or not _SENDABLE.fullmatch(credential):
        raise Unauthenticated("unauthenticated", "this is no credential that a browser can keep")
    return await service_of(request).authenticator.principal(request, cookie=credential)


def kept(request: Request, name: str) -> str | None:
    """What the browser keeps under a name of ours.

    One without the prefix, which any page of a neighbouring host could have set, counts on this host alone.
    """
    own = request.cookies.get(f"__Host-{name}")
    return own or (request.cookies.get(name) if _names_this_host(request) else None) or None


def keep(request: Request, response: Response, name: str, value: str) -> None:
    """Has the browser keep something until it is closed: unseen by scripts, sent by our own pages alone, and over TLS unless it is on this host."""
    secure = not _names_this_host(request) or request.headers.get("origin", "").startswith("https:")
    full = f"__Host-{name}" if secure else name
    response.set_cookie(full, value, path="/", secure=secure, httponly=True, samesite="strict")


def forget(response: Response) -> None:
    """Has the browser forget the credential."""
    for name, secure in ((f"__Host-{CREDENTIAL}", True), (CREDENTIAL, False)):
        response.delete_cookie(name, path="/", secure=secure, httponly=True, samesite="strict")


def form_secret(request: Request) -> str:
    """What this visitor's forms are bound to; made anew where the browser keeps nothing, and then to be kept with the response."""
    known = kept(request, CREDENTIAL) or kept(request, FORM) or getattr(request.state, "form_secret", None)
    if known is None:
        known = request.state.form_secret = secrets.token_urlsafe(32)
    return known


def keep_form_secret(request: Request, response: Response) -> None:
    """Has the browser keep what a form of the response is bound to, where that was made for it."""
    made = getattr(request.state, "form_secret", None)
    if made is not None:
        keep(request, response, FORM, made)


def form_token(request: Request) -> str:
    """What a form of this visitor holds: nobody else's page can know it."""
    return hmac.new(form_secret(request).encode(), b"toulmin.form/1", "sha256").hexdigest()


def comes_from_here(request: Request) -> bool:
    """Whether a page of ours sent the request, by what browsers say of it and scripts cannot change."""
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if origin is None:
        return site == "same-origin"
    hosts = (request.headers.get("host"), *service_of(request).workspace.settings.server.hosts)
    ours = {f"{scheme}://{host}" for host in hosts for scheme in ("http", "https")}
    return site in (None, "same-origin") and origin in ours


def own_path(text: str) -> str:
    """A path on this host as it is stated; the first page in place of anything else."""
    return text if _OWN_PATH.fullmatch(text) else HOME


def way_back(request: Request) -> str:
    """Where to go on after signing in: to the page that was asked for, unless its address holds a credential."""
    if request.method != "GET" or stands_in_address(request):
        return HOME
    query = f"?{request.url.query}" if request.url.query else ""
    return own_path(request.scope.get("raw_path", b"").decode("ascii", "replace") + query)


def _names_this_host(request: Request) -> bool:
    return is_loopback(host_in(f"//{request.headers.get('host', '')}"))
