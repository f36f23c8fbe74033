"""Authenticators: from what a caller presents to who it is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from toulmin.domain.question.case import Principal


class Reason(StrEnum):
    """Why nobody is known by a credential. For the log alone: a caller that learned it would know what to forge next."""

    NOTHING = "nothing"
    """None was presented."""
    SEVERAL = "several"
    """More than one, so that nobody knows which was meant."""
    IN_THE_ADDRESS = "in_the_address"
    """It stood in the address, where logs and histories keep it."""
    SCHEME = "scheme"
    """It is no bearer token."""
    KIND = "kind"
    """Its kind is not accepted here."""
    NOT_OVER_SOCKET = "not_over_socket"
    """A verified subject came over a network, where anybody can claim one."""
    FOREIGN_HOST = "foreign_host"
    """The development mode was called by another host's name: by a page in a browser, say."""
    TOO_LONG = "too_long"
    MALFORMED = "malformed"
    CRITICAL = "critical"
    """It demands an extension; none is known here."""
    TYPE = "type"
    """It is a token for something else."""
    ALGORITHM = "algorithm"
    KEY = "key"
    """No key is known that may have signed it."""
    SIGNATURE = "signature"
    ISSUER = "issuer"
    AUDIENCE = "audience"
    TIME = "time"
    """It says not when it ends, or something that is no time."""
    EXPIRED = "expired"
    NOT_YET = "not_yet"
    CLAIMS = "claims"
    """What it says of the caller is not what a principal can be."""
    INACTIVE = "inactive"
    API_KEY = "api_key"
    """The API key is unknown, wrong, revoked or expired."""
    SUBJECT = "subject"
    """The subject is on no list."""


@dataclass(frozen=True, slots=True)
class Denied:
    """Nobody is known by a credential, and why."""

    reason: Reason


class Authenticator(Protocol):
    """Knows callers by credentials of one kind, or of several."""

    def authenticate(self, credential: str) -> Principal | Denied:
        """The active principal that a credential stands for; whatever the text is, it is one of the two.

        It may read files, ask a store or another host: call it in a worker thread. Raises `Overloaded` (`keys_unavailable`) where nobody can say
        at present, and the faults of the store.
        """
