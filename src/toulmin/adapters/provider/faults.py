"""Faults of a call: the one place where exceptions of the HTTP client and statuses become reasons with content-free codes.

Codes: `connect`, `tls`, `proxy`, `disconnected`, `silence`, `deadline`, `pace`, `redirect`, `http_NNN`, `request_too_large`, `too_large`,
`encoded`, `bad_request` (the client's own checks), `vendor_error`; those of the reply's envelope are in `reply`.
"""

from __future__ import annotations

import re
import ssl
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx2

from toulmin.adapters.provider.failure import Failure, late, provider_fault, rate_limit
from toulmin.adapters.provider.transport import EncodedReply, ReplyTooLarge, RequestTooLarge

HTTP_FAULTS = (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, UnicodeEncodeError)
"""All that a call of the HTTP client may raise, but for cancellation."""

_SECONDS = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")


DEADLINE = late("deadline")

_TLS = provider_fault("tls")

BY_CLASS: Mapping[type[Exception], Failure] = {
    RequestTooLarge: provider_fault("request_too_large"),
    ReplyTooLarge: provider_fault("too_large"),
    EncodedReply: provider_fault("encoded"),
    httpx2.ConnectError: provider_fault("connect", transient=True),
    httpx2.ConnectTimeout: late("connect", transient=True),
    httpx2.PoolTimeout: late("connect", transient=True),
    httpx2.ReadTimeout: late("silence"),
    httpx2.WriteTimeout: late("silence"),
    httpx2.TimeoutException: late("silence"),
    httpx2.ReadError: provider_fault("disconnected"),
    httpx2.WriteError: provider_fault("disconnected"),
    httpx2.CloseError: provider_fault("disconnected"),
    httpx2.NetworkError: provider_fault("disconnected"),
    httpx2.RemoteProtocolError: provider_fault("disconnected"),
    httpx2.ProtocolError: provider_fault("disconnected"),
    httpx2.ProxyError: provider_fault("proxy"),
    httpx2.TooManyRedirects: provider_fault("redirect"),
    httpx2.DecodingError: provider_fault("encoded"),
    httpx2.LocalProtocolError: provider_fault("bad_request"),
    httpx2.UnsupportedProtocol: provider_fault("bad_request"),
    httpx2.InvalidURL: provider_fault("bad_request"),
    httpx2.TransportError: provider_fault("vendor_error"),
    httpx2.RequestError: provider_fault("vendor_error"),
    httpx2.HTTPStatusError: provider_fault("vendor_error"),
    httpx2.HTTPError: provider_fault("vendor_error"),
    httpx2.StreamError: provider_fault("vendor_error"),
    httpx2.StreamConsumed: provider_fault("vendor_error"),
    httpx2.StreamClosed: provider_fault("vendor_error"),
    httpx2.ResponseNotRead: provider_fault("vendor_error"),
    httpx2.RequestNotRead: provider_fault("vendor_error"),
    UnicodeEncodeError: provider_fault("bad_request"),
}
"""What each exception means; a subclass that does not stand here means what its parent does."""


def failure_of(error: Exception, by_class: Mapping[type[Exception], Failure] = BY_CLASS) -> Failure:
    """What an exception of a call means, by a table that knows its class or one of its parents."""
    chain = tuple(_chain(error))
    if any(isinstance(link, ssl.SSLError) for link in chain):
        return _TLS
    transport = (link for link in chain if isinstance(link, httpx2.HTTPError))  # what an SDK wrapped tells more
    return next(by_class[kind] for kind in type(next(transport, error)).__mro__ if kind in by_class)


def failure_of_status(status: int, retry_after: str | None, now: datetime) -> Failure:
    """What a status other than success means; `now` is what a `Retry-After` that is a date counts from."""
    if status == 429:
        seconds = _seconds(retry_after or "", now)
        return rate_limit("http_429", seconds, transient=seconds is not None)
    if 300 <= status < 400:
        return provider_fault("redirect")
    if status >= 500:  # one that is overloaded may say when it will not be
        return provider_fault(f"http_{status}", transient=True, retry_after_s=_seconds(retry_after or "", now))
    return provider_fault(f"http_{status}")


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
