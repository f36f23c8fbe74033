"""Pages: HTML from templates, in which every text is escaped, and faults in plain words."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from typing import Any, Final
from urllib.parse import quote, urlencode

from fastapi import Request
from fastapi.routing import APIRoute
from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse, RedirectResponse, Response

from toulmin.domain.corpus.document import RevisionId
from toulmin.domain.errors import ToulminError, Unauthenticated
from toulmin.surfaces.http.problems import headers, problem
from toulmin.surfaces.http.rights import AUDITOR, CURATOR, OPERATOR, READER, REVIEWER
from toulmin.surfaces.http.service import service_of
from toulmin.surfaces.http.telemetry import facts
from toulmin.surfaces.web import assets, wording
from toulmin.surfaces.web.headers import PAGE
from toulmin.surfaces.web.session import CREDENTIAL, form_token, keep_form_secret, kept, way_back
from toulmin.wire.problem import ProblemJson

SIGN_IN: Final = "/sign-in"

NAVIGATION: Final = (
    ("/ask", "Ask", frozenset({READER})),
    ("/search", "Search", frozenset({READER})),
    ("/documents", "Documents", frozenset({READER, CURATOR, REVIEWER})),
    ("/approvals", "Approvals", frozenset({READER, REVIEWER, OPERATOR, AUDITOR})),
    ("/measurement", "Measurement", frozenset({CURATOR, REVIEWER, OPERATOR, AUDITOR})),
)
"""The main menu: where an entry leads, its words, and the roles of which one is needed there."""


class PageRoute(APIRoute):
    """A route whose responses all have the headers of pages, and whose faults, also those of its dependencies, are pages."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handled(request: Request) -> Response:
            try:
                response = await handle(request)
            except ToulminError as fault:
                facts(request).code = fault.code
                response = _told(request, fault)
            response.headers.update(PAGE)
            return response

        return handled


def page(request: Request, template: str, *, status: int = 200, **values: object) -> Response:
    """A page from its template and what the template names."""
    caller = facts(request).caller
    words = _TEMPLATES.get_template(template).render(
        values,
        caller=caller,
        menu=[(address, name) for address, name, roles in NAVIGATION if caller and roles & set(caller.roles)],
        here=request.url.path,
        token=form_token(request),
        signed_in=kept(request, CREDENTIAL) is not None,
    )
    response = HTMLResponse(words, status_code=status)
    keep_form_secret(request, response)
    return response


def see(address: str) -> Response:
    """Leads to another page of ours, to be looked at."""
    return RedirectResponse(address, status_code=303)


def source_address(document: str, version: str, start: int | None = None, end: int | None = None) -> str:
    """The page with the text of a version, and a span of it marked, in code points."""
    span = {} if start is None else {"start": start, "end": end}
    return f"/sources/{quote(document, safe='')}?{urlencode({'version': version, **span})}"


def printed_address(revision: RevisionId, number: int, start: int | None = None, end: int | None = None) -> str:
    """A page of a version as it is printed, with the part of a span that stands on it marked; its number counts from 1."""
    span = {} if start is None else {"start": start, "end": end}
    return f"/pages/{number}/{quote(revision.document, safe='')}?{urlencode({'version': revision.version, **span})}"


def image_address(revision: RevisionId, number: int) -> str:
    """The picture of that page."""
    return f"/page-images/{number}/{quote(revision.document, safe='')}?{urlencode({'version': revision.version})}"


def diff_address(document: str, old: str, new: str) -> str:
    """What has changed from one version of a document to another."""
    return f"/diff/{quote(document, safe='')}?{urlencode({'old': old, 'new': new})}"


def outline_address(document: str, version: str) -> str:
    """Where headings and curated words of a version stand."""
    return f"/outline/{quote(document, safe='')}?{urlencode({'version': version})}"


def impact_address(document: str, version: str | None = None) -> str:
    """What rests on a version of a document, or on all of it."""
    return f"/impact/{quote(document, safe='')}" + ("" if version is None else f"?{urlencode({'version': version})}")


def withdrawal_address(document: str, version: str | None = None) -> str:
    """Where a version of a document, or all of it, is taken out of service."""
    return f"/withdraw/{quote(document, safe='')}" + ("" if version is None else f"?{urlencode({'version': version})}")


def curation_address(document: str, version: str) -> str:
    """Where a curator says what describes a version, and which of its words are attached to facts."""
    return f"/curate/{quote(document, safe='')}?{urlencode({'version': version})}"


def problem_page(request: Request, told: ProblemJson, more: Mapping[str, str]) -> Response:
    """A problem as a page, with the headers that go with it."""
    response = page(
        request,
        "fault.html",
        status=told["status"],
        fault=told,
        next_step=wording.NEXT_AFTER_FAULT.get(told["status"], told["remedy"]),
        request_id=facts(request).id,
    )
    response.headers.update({**PAGE, **more})
    return response


def _told(request: Request, fault: ToulminError) -> Response:
    """A fault as a page; who is not known is led to where that can be mended."""
    if isinstance(fault, Unauthenticated) and service_of(request).authenticator.tokens is not None:
        return see(f"{SIGN_IN}?{urlencode({'next': way_back(request)})}")
    return problem_page(request, problem(fault), headers(fault))


def _templates() -> Environment:
    """The templates, all of them compiled: nobody waits for that with the first page."""
    made = Environment(
        loader=PackageLoader("toulmin.surfaces.web"),
        autoescape=True,  # whatever the template is called
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.globals |= {
        "asset": assets.address,
        "curation_address": curation_address,
        "diff_address": diff_address,
        "image_address": image_address,
        "impact_address": impact_address,
        "outline_address": outline_address,
        "printed_address": printed_address,
        "source_address": source_address,
        "withdrawal_address": withdrawal_address,
        "wording": wording,
    }
    for name in made.list_templates():
        made.get_template(name)
    return made


_TEMPLATES: Final = _templates()
