"""What verifying a packet came to, as JSON: `toulmin.verification/1`."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

from toulmin.domain.proof.verification import Verification


class StatementJson(TypedDict):
    """Something that a packet states, and whether it holds."""

    name: str
    holds: bool
    says: str


class VerificationJson(TypedDict):
    """`toulmin.verification/1`; `packet` and `evidence` are null where no packet could be read, `erased` are digests of words."""

    schema: Literal["toulmin.verification/1"]
    valid: bool
    packet: str | None
    evidence: str | None
    signature: Literal["valid", "unsigned", "unchecked", "unknown_key", "wrong"]
    keys: list[str]
    statements: list[StatementJson]
    erased: list[str]


def verification_json(found: Verification) -> VerificationJson:
    """A verification as JSON."""
    return {
        "schema": "toulmin.verification/1",
        "valid": found.valid,
        "packet": found.packet,
        "evidence": found.evidence,
        "signature": found.signature.value,
        "keys": list(found.keys),
        "statements": [{"name": item.name, "holds": item.holds, "says": item.says} for item in found.statements],
        "erased": list(found.erased),
    }
