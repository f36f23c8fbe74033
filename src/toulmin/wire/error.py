"""Faults as JSON: `toulmin.error/1`."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict  # pydantic makes schemas of these only, before Python 3.12

from toulmin.domain.errors import ToulminError


class ErrorJson(TypedDict):
    """`toulmin.error/1`: what is wrong, where, and what to do about it."""

    schema: Literal["toulmin.error/1"]
    code: str
    message: str
    where: str | None
    remedy: str | None


def error_json(fault: ToulminError) -> ErrorJson:
    """A fault as `toulmin.error/1`."""
    return {
        "schema": "toulmin.error/1",
        "code": fault.code,
        "message": fault.message,
        "where": fault.where,
        "remedy": fault.remedy,
    }
