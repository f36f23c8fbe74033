"""API keys: a secret of which only the digest is kept, and the principal that it stands for.

A token is `tlm_<id>_<secret>`, the secret 256 random bits in hex. Nobody can try that many, so that one SHA-256 protects it as well as a slow
hash, which only makes up for words that people choose; and a request with a wrong key costs the service nothing.
"""

from __future__ import annotations

import hmac
import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from toulmin.domain.canonical import text_digest
from toulmin.domain.question.case import Principal

ID_BYTES: Final = 5
SECRET_BYTES: Final = 32

_TOKEN: Final = re.compile(rf"tlm_([0-9a-f]{{{2 * ID_BYTES}}})_([0-9a-f]{{{2 * SECRET_BYTES}}})")


class Refusal(StrEnum):
    """Why a token is not accepted: for the operator's log, never for the caller."""

    MALFORMED = "malformed"
    UNKNOWN = "unknown"
    WRONG_SECRET = "wrong_secret"
    REVOKED = "revoked"
    EXPIRED = "expired"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey:
    """A key as it is kept. Whoever presents its secret is `principal`, until it is revoked or, where it does, expires."""

    id: str
    secret_sha256: str
    principal: Principal
    created_at: datetime
    label: str | None = None
    expires_at: datetime | None = None
    revoked_at: datetime | None = None

    def refusal(self, secret: str, at: datetime) -> Refusal | None:
        """Why the secret does not stand for the principal at an instant; None where it does.

        The time that this takes tells nothing of the secret. A revoked key is revoked at every instant: clocks of hosts differ.
        """
        if not hmac.compare_digest(text_digest(secret), self.secret_sha256):
            return Refusal.WRONG_SECRET
        if self.revoked_at is not None:
            return Refusal.REVOKED
        if self.expires_at is not None and at >= self.expires_at:
            return Refusal.EXPIRED
        return None


def token_of(key_id: str, secret: str) -> str:
    """What the client presents: nothing that is kept gives it back."""
    return f"tlm_{key_id}_{secret}"


def read_token(token: str) -> tuple[str, str] | None:
    """The id and the secret of a token; None for what is none."""
    found = _TOKEN.fullmatch(token)
    return None if found is None else (found[1], found[2])
