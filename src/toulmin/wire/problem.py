"""Faults over HTTP: RFC 9457 problem documents."""

from __future__ import annotations

from typing_extensions import TypedDict  # pydantic makes schemas of these only, before Python 3.12

MEDIA_TYPE = "application/problem+json"


class ProblemJson(TypedDict):
    """A problem document. `code` is stable, `detail` names the thing, `where` is its place in the request, `remedy` the next step."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    where: str | None
    remedy: str | None
    retryable: bool
