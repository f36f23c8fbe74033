"""The draft in a reply: which of a chat completion's fields are used.

Codes: `bad_reply` (another shape), `no_choices`, `several_candidates`, `wrong_type`, and those of `toulmin.wire.draft`.
"""

from __future__ import annotations

from collections.abc import Mapping

from toulmin.adapters.openai.faults import rejection
from toulmin.adapters.provider.failure import Failure, provider_fault
from toulmin.adapters.provider.reply import Envelope
from toulmin.domain.claims.draft import Rejected, Segment
from toulmin.wire.draft import parse_reply


def read_segments(envelope: Envelope, *, licensed: bool) -> tuple[Segment, ...] | Failure:
    """The draft in the one choice of a completion."""
    match envelope.get("choices"):
        case []:
            return provider_fault("no_choices")
        case [{"message": {**message}, **choice}]:
            reply = _reply(message, choice.get("finish_reason"), licensed=licensed)
            return rejection(reply) if isinstance(reply, Rejected) else reply
        case [_, _, *_]:
            return rejection(Rejected(code="several_candidates"))
        case _:
            return provider_fault("bad_reply")


def _reply(
    message: Mapping[object, object], finish_reason: object, *, licensed: bool
) -> tuple[Segment, ...] | Rejected:
    if message.get("refusal"):
        return Rejected(code="refused")
    content = message.get("content")
    if not isinstance(content, str | None) or not isinstance(finish_reason, str | None):
        return Rejected(code="wrong_type")
    return parse_reply(content or "", finish_reason=finish_reason, licensed=licensed)
