"""Faults of a draft: the SDK's exceptions, and replies that came and are not taken. Their codes stand in `toulmin.wire.draft`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

import openai

from toulmin.adapters.provider import faults
from toulmin.adapters.provider.failure import Failure, late, provider_fault
from toulmin.adapters.provider.faults import HTTP_FAULTS, failure_of_status
from toulmin.domain.claims.draft import Rejected
from toulmin.domain.outcome import SearchOnlyReason

VENDOR_FAULTS = (openai.OpenAIError, *HTTP_FAULTS)
"""All that a call may raise, but for cancellation."""

BY_CLASS: Mapping[type[Exception], Failure] = {
    **faults.BY_CLASS,
    openai.APIConnectionError: provider_fault("disconnected"),
    openai.APITimeoutError: late("silence"),
    openai.APIError: provider_fault("vendor_error"),
    openai.OpenAIError: provider_fault("vendor_error"),
}
"""What each exception means; a subclass that does not stand here means what its parent does. Those of a status are judged by it."""


def failure_of(error: Exception, now: datetime) -> Failure:
    """What one of `VENDOR_FAULTS` means; `now` is what a `Retry-After` that is a date counts from."""
    if isinstance(error, openai.APIStatusError):
        return failure_of_status(error.status_code, error.response.headers.get("retry-after"), now)
    return faults.failure_of(error, BY_CLASS)


def rejection(rejected: Rejected) -> Failure:
    """A reply that came, and is not taken."""
    reasons = {"truncated": SearchOnlyReason.TRUNCATED, "refused": SearchOnlyReason.REFUSED}
    return Failure(reason=reasons.get(rejected.code, SearchOnlyReason.INVALID_OUTPUT), code=rejected.code)
