"""Faults over HTTP: RFC 9457 problem documents with our stable codes, from one table of statuses."""

from __future__ import annotations

import math
from collections.abc import Mapping

from starlette.responses import JSONResponse

from toulmin.domain.errors import (
    Conflict,
    Forbidden,
    InputError,
    NotFound,
    Overdue,
    Overloaded,
    Refused,
    StoreFault,
    ToulminError,
    Unauthenticated,
)
from toulmin.wire.problem import MEDIA_TYPE, ProblemJson

_STATUSES: tuple[
    tuple[type[ToulminError], int], ...
] = (  # the first that fits: narrower classes stand before wider ones
    (Unauthenticated, 401),
    (Forbidden, 403),
    (NotFound, 404),
    (InputError, 422),
    (Refused, 409),
    (Conflict, 409),
    (Overloaded, 503),
    (Overdue, 504),
    (StoreFault, 503),
)

_CODES = {"bad_json": 400, "too_large": 413, "unsupported_media_type": 415}
"""Faults of a request as such, for which HTTP has statuses of its own."""

_TITLES = {
    400: "The request cannot be read",
    401: "Nobody knows who you are",
    403: "Your role does not allow it",
    404: "There is no such thing, or you may not see it",
    405: "This method does nothing here",
    409: "The state of things does not allow it",
    413: "The request is too large",
    415: "Nothing is read in that form",
    422: "Something in the request is wrong",
    429: "Too many requests of yours",
    500: "Something unexpected went wrong",
    503: "The service cannot do it now",
    504: "It took too long",
}


PROBLEMS: dict[int | str, dict[str, object]] = {
    status: {
        "description": _TITLES[status],
        "content": {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    for status in (400, 401, 403, 404, 409, 413, 415, 422, 429, 500, 503, 504)
}
"""What any endpoint may answer beside its own shape, for its description."""


def status_of(fault: ToulminError) -> int:
    """The HTTP status of a fault."""
    if isinstance(fault, Overloaded) and fault.own:
        return 429
    if isinstance(fault, InputError) and fault.code in _CODES:
        return _CODES[fault.code]
    return next((status for kind, status in _STATUSES if isinstance(fault, kind)), 500)


def problem(fault: ToulminError) -> ProblemJson:
    """A fault as its problem document. What is wrong with the service's own files is for its operator, and told to the log alone."""
    status = status_of(fault)
    own = isinstance(fault, StoreFault | Conflict) or status == 500
    return {
        "type": f"urn:toulmin:problem:{fault.code}",
        "title": _TITLES[status],
        "status": status,
        "detail": _TITLES[status] if own else fault.message,
        "code": fault.code,
        "where": None if own else fault.where,
        "remedy": ("try again later" if fault.retryable else "tell whoever runs the service") if own else fault.remedy,
        "retryable": fault.retryable,
    }


def document(told: ProblemJson, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """The response that has a problem document."""
    return JSONResponse(told, status_code=told["status"], headers=headers, media_type=MEDIA_TYPE)


def plain(status: int, code: str, detail: str) -> ProblemJson:
    """The problem of a request that no use case has seen: an unknown path, another method, or a mistake of ours."""
    return {
        "type": f"urn:toulmin:problem:{code}",
        "title": _TITLES.get(status, detail),
        "status": status,
        "detail": detail,
        "code": code,
        "where": None,
        "remedy": None,
        "retryable": False,
    }


def headers(fault: ToulminError) -> dict[str, str]:
    """The headers that go with a fault: what to present, or when to come again."""
    match fault:
        case Unauthenticated():
            return {"WWW-Authenticate": "Bearer"}
        case Overloaded():
            return {"Retry-After": retry_after(fault.retry_after_s)}
        case Conflict() | Overdue():
            return {"Retry-After": "1"}
        case _:
            return {}


def retry_after(seconds: float) -> str:
    """Seconds as the header has them: whole, and at least one."""
    return str(max(1, math.ceil(seconds)))
