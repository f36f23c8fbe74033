"""The envelope of a reply: one JSON object. Of its fields those that are known are used; others are ignored, since servers add their own.

Codes: `bad_content_type`, `bad_json`, `not_utf8`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from toulmin.adapters.provider.failure import Failure, provider_fault
from toulmin.domain.outcome import SearchOnlyReason
from toulmin.wire.draft import strict_object

if TYPE_CHECKING:  # the HTTP client takes a part of a second to load, and this names a type of it only
    import httpx2

Envelope = Mapping[str, object]


def read_envelope(response: httpx2.Response) -> Envelope | Failure:
    """The JSON object that a response is."""
    if response.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        return provider_fault("bad_content_type")
    try:
        text = response.content.decode()
    except UnicodeDecodeError:
        return Failure(reason=SearchOnlyReason.INVALID_OUTPUT, code="not_utf8")
    try:
        return strict_object(text)
    except ValueError:
        return provider_fault("bad_json")


def tokens(envelope: Envelope, *names: str) -> int | None:
    """How many tokens the provider says that it counted, under the first of these names, if it says so."""
    match envelope.get("usage"):
        case {**usage}:
            count = next((usage[name] for name in names if name in usage), None)
            return count if type(count) is int and count >= 0 else None
        case _:
            return None
