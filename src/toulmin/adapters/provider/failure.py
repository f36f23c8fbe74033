"""What a call came to instead of a reply: a reason, and a code without any content."""

from __future__ import annotations

from dataclasses import dataclass

from toulmin.domain.outcome import SearchOnlyReason


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why a call gave nothing. `transient`: the same call may succeed later."""

    reason: SearchOnlyReason
    code: str
    retry_after_s: float | None = None
    transient: bool = False


def provider_fault(code: str, *, transient: bool = False, retry_after_s: float | None = None) -> Failure:
    """A provider that did not do its work."""
    reason = SearchOnlyReason.PROVIDER_ERROR
    return Failure(reason=reason, code=code, transient=transient, retry_after_s=retry_after_s)


def late(code: str, *, transient: bool = False) -> Failure:
    """A provider that took too long."""
    return Failure(reason=SearchOnlyReason.TIMEOUT, code=code, transient=transient)


def rate_limit(code: str, retry_after_s: float | None, *, transient: bool = False) -> Failure:
    """Too many calls, by the provider's word or by our own pace."""
    reason = SearchOnlyReason.RATE_LIMITED
    return Failure(reason=reason, code=code, retry_after_s=retry_after_s, transient=transient)
