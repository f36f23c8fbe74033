"""Packet files: a body in a DSSE envelope, its words beside it by their digests.

The envelope is that of DSSE 1.0 (https://github.com/secure-systems-lab/dsse): what is signed is the payload with its type and both lengths, so
that a signature over one kind of thing is none over another. The file is canonical JSON and a line feed: of all the ways to
write the same values one is right, so that no byte of it can change unseen.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from toulmin.domain.canonical import Json, canonical_json

PAYLOAD_TYPE = "application/vnd.toulmin.packet+json"


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvelopeSignature:
    """A signature of an envelope's payload; `key` is the signing key's id."""

    key: str
    signature: bytes


@dataclass(frozen=True, kw_only=True)
class Exported:
    """What a packet file holds."""

    body: str
    signatures: Sequence[EnvelopeSignature]
    texts: Mapping[str, str]

    @property
    def signed(self) -> bytes:
        """The bytes that the signatures are over (DSSE's pre-authentication encoding)."""
        kind, payload = PAYLOAD_TYPE.encode(), self.body.encode()
        return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)

    @property
    def file(self) -> str:
        """The file's text."""
        signatures: list[Json] = [{"keyid": made.key, "sig": _base64(made.signature)} for made in self.signatures]
        envelope = {"payload": _base64(self.body.encode()), "payloadType": PAYLOAD_TYPE, "signatures": signatures}
        return canonical_json({"envelope": envelope, "texts": self.texts}) + "\n"


def _base64(data: bytes) -> str:
    return b64encode(data).decode()
