"""Faults of a call: the one place where exceptions of the vendors become reasons with content-free codes.

Codes: `connect`, `tls`, `proxy`, `disconnected`, `silence`, `deadline`, `pace`, `redirect`, `http_NNN`, `request_too_large`, `too_large`,
`encoded`, `bad_request` (the vendor's own checks), `vendor_error`; those of the reply's envelope are in `reply`, those of the draft in
`toulmin.wire.draft`.
"""

from __future__ import annotations

import re
import ssl
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx2
import openai

from toulmin.adapters.openai.transport import EncodedReply, ReplyTooLarge, RequestTooLarge
from toulmin.domain.claims.draft import Rejected
from toulmin.domain.outcome import SearchOnlyReason

VENDOR_FAULTS = (openai.OpenAIError, httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, UnicodeEncodeError)
"""All that a call may raise, but for cancellation."""

_SECONDS = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why a call gave no draft. `transient`: the same call may succeed later."""

    reason: SearchOnlyReason
    code: str
    retry_after_s: float | None = None
    transient: bool = False


def _provider(code: str, *, transient: bool = False) -> Failure:
    return Failure(reason=SearchOnlyReason.PROVIDER_ERROR, code=code, transient=transient)


def _timeout(code: str, *, transient: bool = False) -> Failure:
    return Failure(reason=SearchOnlyReason.TIMEOUT, code=code, transient=transient)


DEADLINE = _timeout("deadline")

_TLS = _provider("tls")

BY_CLASS: Mapping[type[Exception], Failure] = {
    RequestTooLarge: _provider("request_too_large"),
    ReplyTooLarge: _provider("too_large"),
    EncodedReply: _provider("encoded"),
    httpx2.ConnectError: _provider("connect", transient=True),
    httpx2.ConnectTimeout: _timeout("connect", transient=True),
    httpx2.PoolTimeout: _timeout("connect", transient=True),
    httpx2.ReadTimeout: _timeout("silence"),
    httpx2.WriteTimeout: _timeout("silence"),
    httpx2.TimeoutException: _timeout("silence"),
    httpx2.ReadError: _provider("disconnected"),
    httpx2.WriteError: _provider("disconnected"),
    httpx2.CloseError: _provider("disconnected"),
    httpx2.NetworkError: _provider("disconnected"),
    httpx2.RemoteProtocolError: _provider("disconnected"),
    httpx2.ProtocolError: _provider("disconnected"),
    httpx2.ProxyError: _provider("proxy"),
    httpx2.TooManyRedirects: _provider("redirect"),
    httpx2.DecodingError: _provider("encoded"),
    httpx2.LocalProtocolError: _provider("bad_request"),
    httpx2.UnsupportedProtocol: _provider("bad_request"),
    httpx2.InvalidURL: _provider("bad_request"),
    httpx2.TransportError: _provider("vendor_error"),
    httpx2.RequestError: _provider("vendor_error"),
    httpx2.HTTPStatusError: _provider("vendor_error"),
    httpx2.HTTPError: _provider("vendor_error"),
    httpx2.StreamError: _provider("vendor_error"),
    httpx2.StreamConsumed: _provider("vendor_error"),
    httpx2.StreamClosed: _provider("vendor_error"),
    httpx2.ResponseNotRead: _provider("vendor_error"),
    httpx2.RequestNotRead: _provider("vendor_error"),
    UnicodeEncodeError: _provider("bad_request"),
    openai.APIConnectionError: _provider("disconnected"),
    openai.APITimeoutError: _timeout("silence"),
    openai.APIError: _provider("vendor_error"),
    openai.OpenAIError: _provider("vendor_error"),
}
"""What each exception means; a subclass that does not stand here means what its parent does. Those of a status are judged by it."""


def failure_of(error: Exception, now: datetime) -> Failure:
    """What one of `VENDOR_FAULTS` means; `now` is what a `Retry-After` that is a date counts from."""
    if isinstance(error, openai.APIStatusError):
        return _failure_of_status(error.status_code, error.response.headers.get("retry-after"), now)
    chain = tuple(_chain(error))
    if any(isinstance(link, ssl.SSLError) for link in chain):
        return _TLS
    transport = (link for link in chain if isinstance(link, httpx2.HTTPError))  # what the SDK wrapped tells more
    return next(BY_CLASS[kind] for kind in type(next(transport, error)).__mro__ if kind in BY_CLASS)


def rejection(rejected: Rejected) -> Failure:
    """A reply that came, and is not taken."""
    reasons = {"truncated": SearchOnlyReason.TRUNCATED, "refused": SearchOnlyReason.REFUSED}
    return Failure(reason=reasons.get(rejected.code, SearchOnlyReason.INVALID_OUTPUT), code=rejected.code)


def rate_limit(code: str, retry_after_s: float | None, *, transient: bool = False) -> Failure:
    """Too many calls, by the provider's word or by our own pace."""
    reason = SearchOnlyReason.RATE_LIMITED
    return Failure(reason=reason, code=code, retry_after_s=retry_after_s, transient=transient)


def _failure_of_status(status: int, retry_after: str | None, now: datetime) -> Failure:
    if status == 429:
        seconds = _seconds(retry_after or "", now)
        return rate_limit("http_429", seconds, transient=seconds is not None)
    if 300 <= status < 400:
        return _provider("redirect")
    return _provider(f"http_{status}", transient=status >= 500)


def _seconds(retry_after: str, now: datetime) -> float | None:
    """The seconds that a `Retry-After` means; None where it means nothing."""
    if _SECONDS.fullmatch(retry_after):
        return float(retry_after)
    try:
        until = parsedate_to_datetime(retry_after)
    except ValueError:
        return None
    if until.tzinfo is None:  # `-0000`: a time without a zone of its own, which HTTP reads as UTC
        until = until.replace(tzinfo=UTC)
    return max(0.0, (until - now).total_seconds())


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """An exception and what led to it."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
