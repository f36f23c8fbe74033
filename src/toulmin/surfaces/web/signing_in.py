"""Signing in with one of the service's credentials, and out again."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from toulmin.domain.errors import Unauthenticated
from toulmin.surfaces.http.service import service_of
from toulmin.surfaces.http.telemetry import facts
from toulmin.surfaces.web.forms import sent_form
from toulmin.surfaces.web.pages import SIGN_IN, PageRoute, page, see
from toulmin.surfaces.web.session import CREDENTIAL, HOME, check_credential, forget, keep, own_path

router = APIRouter(route_class=PageRoute, include_in_schema=False)


@router.get("/")
async def home() -> Response:
    """Leads to the first page."""
    return see(HOME)


@router.get(SIGN_IN)
async def form(request: Request) -> Response:
    """The form for a credential."""
    return _form(request, own_path(request.query_params.get("next", HOME)))


@router.post(SIGN_IN)
async def signed_in(request: Request) -> Response:
    """Has the browser keep a credential that is valid, and leads back to the page that was asked for."""
    sent = await sent_form(request)
    back, credential = own_path(sent.get("next", HOME)), sent.get("credential", "").strip()
    try:
        await check_credential(request, credential)
    except Unauthenticated as fault:
        facts(request).code = fault.code
        return _form(request, back, status=401)
    response = see(back)
    keep(request, response, CREDENTIAL, credential)
    return response


@router.post("/sign-out")
async def signed_out(request: Request) -> Response:
    """Has the browser forget the credential, which stays valid elsewhere."""
    await sent_form(request)
    response = see(SIGN_IN)
    forget(response)
    return response


def _form(request: Request, back: str, *, status: int = 200) -> Response:
    takes_tokens = service_of(request).authenticator.tokens is not None
    return page(request, "sign_in.html", status=status, back=back, refused=status == 401, takes_tokens=takes_tokens)
