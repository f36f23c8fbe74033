"""What can go wrong with a call, as the faults of `toulmin.domain.errors`, and which of it is worth another try."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import httpx2
from pydantic import TypeAdapter, ValidationError

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
from toulmin.wire.problem import ProblemJson

_BY_STATUS: dict[int, type[ToulminError]] = {
    401: Unauthenticated,
    403: Forbidden,
    404: NotFound,
    409: Refused,
    503: StoreFault,
    504: Overdue,
    **dict.fromkeys((400, 405, 406, 413, 415, 422), InputError),
}


class Unreachable(ToulminError):
    """The service gave no answer that can be read; whether a write was carried out is not known.

    Codes: `connect` (it was never asked), `timeout`, `disconnected`, `bad_reply`.
    """

    retryable = True


def fault_of(problem: ProblemJson, retry_after_s: float | None) -> ToulminError:
    """The fault that a problem document tells; `retry_after_s` is what its response said."""
    status, code, message = problem["status"], problem["code"], problem["detail"]
    where, remedy = problem["where"], problem["remedy"]
    if status == 429 or (status == 503 and problem["retryable"]):
        after = 1.0 if retry_after_s is None else retry_after_s
        return Overloaded(code, message, retry_after_s=after, own=status == 429, where=where, remedy=remedy)
    kind = Conflict if status == 409 and problem["retryable"] else _BY_STATUS.get(status, ToulminError)
    return kind(code, message, where=where, remedy=remedy)


def bad_reply(what: str) -> Unreachable:
    """The fault of a reply that no service of this version gives."""
    remedy = "look whether this is the service's address, and whether client and service are of one version"
    return Unreachable("bad_reply", f"the service answered with {what}", remedy=remedy)


def checked(shape: Any, content: bytes | str) -> Any:
    """The JSON of a shape; raises `Unreachable` (`bad_reply`) for any other. Keys that are not in the shape are left out."""
    try:
        return _adapter(shape).validate_json(content, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        raise bad_reply(f"something that is no {shape.__name__}: {'.'.join(map(str, first['loc']))}") from None


@cache
def _adapter(shape: Any) -> TypeAdapter[Any]:
    return TypeAdapter(shape)


@contextmanager
def unreachable() -> Iterator[None]:
    """A block in which what the HTTP library raises becomes `Unreachable`."""
    try:
        yield
    except httpx2.TimeoutException as error:
        raise _unreachable("connect" if isinstance(error, _NEVER_SENT) else "timeout") from error
    except httpx2.RequestError as error:
        raise _unreachable("connect" if isinstance(error, _NEVER_SENT) else "disconnected") from error


_NEVER_SENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)
_WORDS = {
    "connect": "the service could not be reached",
    "timeout": "the service took too long to answer",
    "disconnected": "the connection to the service broke",
}


def _unreachable(code: str) -> Unreachable:
    return Unreachable(code, _WORDS[code], remedy="look whether it runs, and try again")


@dataclass(frozen=True, slots=True, kw_only=True)
class Retries:
    """How often a call is sent again, and how long it may wait for that each time.

    That is where the service was too busy and did nothing of it, and, for calls that may be sent twice, where its answer never came.
    """

    most: int = 2
    longest_s: float = 30.0

    def pause(self, fault: ToulminError, tried: int, *, repeatable: bool) -> float | None:
        """The seconds until the next try after `tried` of them; None: the fault stands."""
        match fault:
            case Overloaded():
                pause = fault.retry_after_s
            case Unreachable() | Conflict() if repeatable and fault.code != "bad_reply":
                pause = 0.5 * 2.0**tried
            case _:
                return None
        return pause if tried <= self.most and pause <= self.longest_s else None
