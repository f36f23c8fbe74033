"""The envelope of a reply: which of a chat completion's fields are used. All others are ignored, since servers add their own.

Codes: `bad_content_type`, `bad_json`, `bad_reply` (another shape), `no_choices`, and `not_utf8`, `several_candidates`, `wrong_type`.
"""

from __future__ import annotations

from collections.abc import Mapping

import httpx2

from toulmin.adapters.openai.faults import Failure, rejection
from toulmin.domain.claims.draft import Rejected, Segment
from toulmin.domain.outcome import SearchOnlyReason
from toulmin.wire.draft import parse_reply, strict_object

Envelope = Mapping[str, object]


def read_envelope(response: httpx2.Response) -> Envelope | Failure:
    """The JSON object that a response is."""
    if response.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
        return _broken("bad_content_type")
    try:
        text = response.content.decode()
    except UnicodeDecodeError:
        return rejection(Rejected(code="not_utf8"))
    try:
        return strict_object(text)
    except ValueError:
        return _broken("bad_json")


def tokens(envelope: Envelope, name: str) -> int | None:
    """How many tokens the provider says that it counted, if it says so."""
    match envelope.get("usage"):
        case {**usage}:
            count = usage.get(name)
            return count if type(count) is int and count >= 0 else None
        case _:
            return None


def read_segments(envelope: Envelope, *, licensed: bool) -> tuple[Segment, ...] | Failure:
    """The draft in the one choice of a completion."""
    match envelope.get("choices"):
        case []:
            return _broken("no_choices")
        case [{"message": {**message}, **choice}]:
            reply = _reply(message, choice.get("finish_reason"), licensed=licensed)
            return rejection(reply) if isinstance(reply, Rejected) else reply
        case [_, _, *_]:
            return rejection(Rejected(code="several_candidates"))
        case _:
            return _broken("bad_reply")


def _reply(
    message: Mapping[object, object], finish_reason: object, *, licensed: bool
) -> tuple[Segment, ...] | Rejected:
    if message.get("refusal"):
        return Rejected(code="refused")
    content = message.get("content")
    if not isinstance(content, str | None) or not isinstance(finish_reason, str | None):
        return Rejected(code="wrong_type")
    return parse_reply(content or "", finish_reason=finish_reason, licensed=licensed)


def _broken(code: str) -> Failure:
    return Failure(reason=SearchOnlyReason.PROVIDER_ERROR, code=code)
