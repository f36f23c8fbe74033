"""Proof that leaves the house: packets exported with a signature, and packet files verified without store or network."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from toulmin.application.packets import show_packet
from toulmin.domain.errors import InputError
from toulmin.domain.proof.audit import Signature
from toulmin.domain.proof.envelope import EnvelopeSignature, Exported
from toulmin.domain.proof.packet import packet_id
from toulmin.domain.proof.verification import Statement, Verification, erased, statements
from toulmin.domain.question.case import Principal
from toulmin.ports.signer import Keyring, Signer
from toulmin.ports.store import Store
from toulmin.wire.packet import read_packet_body, read_packet_file


def export_packet(
    store: Store, packet_id: str, principal: Principal, at: datetime, signer: Signer | None = None
) -> Exported:
    """A packet as one principal may see it, signed where there is a key. Raises `NotFound` as `show_packet` does, and what the signer does."""
    packet = show_packet(store, packet_id, principal, at).packet
    unsigned = Exported(body=packet.body, signatures=(), texts=packet.texts)
    if signer is None:
        return unsigned
    made = EnvelopeSignature(key=signer.key_id, signature=signer.sign(unsigned.signed))
    return replace(unsigned, signatures=(made,))


def verify_file(data: bytes, *, keyring: Keyring | None = None, expected: str | None = None) -> Verification:
    """Verifies a packet file. `keyring`: it must be signed, by these keys alone; `expected`: it must be the packet of this id."""
    try:
        exported = read_packet_file(data)
    except InputError as fault:
        return _unread(Statement(name="file", holds=False, says=fault.message))
    return verify(exported, keyring=keyring, expected=expected)


def verify(exported: Exported, *, keyring: Keyring | None = None, expected: str | None = None) -> Verification:
    """Verifies a packet, like `verify_file`."""
    file = Statement(name="file", holds=True, says="it is in canonical form")
    state, signed = _signature(exported, keyring)
    keys = tuple(made.key for made in exported.signatures)
    try:
        body = read_packet_body(exported.body)
    except InputError as fault:
        wrong = Statement(name="body", holds=False, says=fault.message)
        return replace(_unread(file, signed, wrong), signature=state, keys=keys)
    found = packet_id(exported.body)
    return Verification(
        packet=found,
        evidence=body["evidence"],
        signature=state,
        keys=keys,
        statements=(
            file,
            signed,
            Statement(name="body", holds=True, says="it is a packet in canonical form"),
            Statement(name="id", holds=expected in (None, found), says=_identified(found, expected)),
            *statements(body, exported.texts),
        ),
        erased=erased(body, exported.texts),
    )


def _unread(*statements: Statement) -> Verification:
    return Verification(packet=None, evidence=None, signature=Signature.UNCHECKED, keys=(), statements=statements)


def _identified(found: str, expected: str | None) -> str:
    match expected:
        case None:
            return "computed from the body"
        case _ if expected == found:
            return "it is the one that was asked for"
        case _:
            return f"it is another one than {expected}"


def _signature(exported: Exported, keyring: Keyring | None) -> tuple[Signature, Statement]:
    """What the signatures are worth; each has to hold."""
    state = _state(exported, keyring)
    says = {
        Signature.UNSIGNED: "it is not signed",
        Signature.UNCHECKED: "it is signed, and no key was given to check that with",
        Signature.UNKNOWN_KEY: "it is signed by a key that was not given",
        Signature.WRONG: "the signature is not one of this payload",
        Signature.VALID: "it is signed by a key that was given",
    }
    holds = state is Signature.VALID or (keyring is None and state in (Signature.UNSIGNED, Signature.UNCHECKED))
    return state, Statement(name="signature", holds=holds, says=says[state])


def _state(exported: Exported, keyring: Keyring | None) -> Signature:
    if not exported.signatures:
        return Signature.UNSIGNED
    if keyring is None:
        return Signature.UNCHECKED
    if not all(keyring.holds(made.key) for made in exported.signatures):
        return Signature.UNKNOWN_KEY
    sound = all(keyring.verifies(made.key, made.signature, exported.signed) for made in exported.signatures)
    return Signature.VALID if sound else Signature.WRONG
