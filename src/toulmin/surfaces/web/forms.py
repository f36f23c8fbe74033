"""Forms: what visitors send, taken from our own pages alone, and the questions that it states."""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Mapping
from urllib.parse import parse_qsl

from fastapi import Request

from toulmin.domain.errors import Forbidden, InputError
from toulmin.surfaces.http.bodies import check_media_type, whole_body
from toulmin.surfaces.http.service import service_of
from toulmin.surfaces.web.session import comes_from_here, form_token

MEDIA_TYPE = "application/x-www-form-urlencoded"

_TOKEN = "token"
_CASE = "case."
_MOST_FIELDS = 200


async def sent_form(request: Request) -> dict[str, str]:
    """The fields of a form that one of our pages has sent, without those that were left empty.

    Raises `Forbidden` (`foreign_form`) for one from elsewhere, and `InputError` for what is no form.
    """
    check_origin(request)
    check_media_type(request, MEDIA_TYPE)
    data = await whole_body(request, service_of(request).limits.json_bytes)
    sent = fields(_pairs(data))
    check_token(request, sent.pop(_TOKEN, ""))
    return sent


def check_origin(request: Request) -> None:
    """Raises `Forbidden` (`foreign_form`) for what no page of ours has sent, by what the browser says of it: before anything of it is read."""
    if not comes_from_here(request):
        raise _foreign()


def check_token(request: Request, token: str) -> None:
    """Raises the same for a form without the token of a page that this visitor was shown: before anything is done that it asks for."""
    if not hmac.compare_digest(token.encode(), form_token(request).encode()):
        raise _foreign()


def fields(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Fields by name, line ends as texts have them, without the empty ones. Raises `InputError` for one that occurs twice."""
    found: dict[str, str] = {}
    for name, value in pairs:
        if name in found:
            raise InputError("duplicate_key", f"the field {name[:80]!r} occurs twice", remedy="send it once")
        found[name] = value.replace("\r\n", "\n")
    return {name: value for name, value in found.items() if value.strip()}


def stated(form: Mapping[str, str]) -> dict[str, object]:
    """What a form states, in the shape of a request's body: fields `case.NAME` are its case."""
    case = {name.removeprefix(_CASE): value for name, value in form.items() if name.startswith(_CASE)}
    return {**{name: value for name, value in form.items() if not name.startswith(_CASE)}, "case": case}


def _pairs(data: bytes) -> list[tuple[str, str]]:
    try:
        text = data.decode("ascii")
        return parse_qsl(
            text, keep_blank_values=True, strict_parsing=True, errors="strict", max_num_fields=_MOST_FIELDS
        )
    except ValueError:
        raise InputError("bad_form", "the form cannot be read", remedy="send it from its page") from None


def _foreign() -> Forbidden:
    return Forbidden(
        "foreign_form", "the form does not come from a page that you have open here", remedy="load the page anew"
    )
