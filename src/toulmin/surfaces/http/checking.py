"""What is checked before a service listens: all that is wrong with its settings is told at once."""

from __future__ import annotations

from collections.abc import Iterator

from toulmin.domain.errors import InputError
from toulmin.domain.policy import Policy
from toulmin.surfaces import wiring
from toulmin.surfaces.settings import FILE, Settings, is_loopback
from toulmin.wire.model import joined


def check_server(settings: Settings, policy: Policy, *, development: bool) -> None:
    """Raises one `InputError` that names all that keeps a service from being started; `development`: by the flag for it."""
    access = _development_faults(settings) if development else _access_faults(settings)
    faults = (*access, *_limit_faults(settings, policy), *_key_faults(settings))
    if faults:
        raise joined(faults)


def _development_faults(settings: Settings) -> Iterator[InputError]:
    """Without credentials nobody but this host may call, and nobody who configured credentials may have lost them by a flag."""
    server = settings.server
    if "auth" in server.model_fields_set and "development" not in server.auth:
        stated = ", ".join(server.auth)
        yield _fault(
            "auth", f"{stated} is stated, and --development asks for no credential", "leave out one of the two"
        )
    if not is_loopback(server.host):
        yield _fault("host", f"{server.host} can be reached from other hosts", "write 127.0.0.1 for development")
    if server.socket is not None:
        yield _fault("socket", "a proxy could lead other hosts there", "leave it out for development")


def _access_faults(settings: Settings) -> Iterator[InputError]:
    server = settings.server
    if "development" in server.auth:
        yield _fault(
            "auth", "development asks for no credential", "start it with --development, or write jwt or api-key"
        )
    for make in (wiring.signed_token_authenticator, wiring.subject_authenticator):
        try:
            make(settings)
        except InputError as fault:
            yield fault
    if "mtls" in server.auth and server.socket is None:
        advice = 'write socket = ".toulmin/http.sock", and have the proxy connect to it'
        yield _fault("socket", "mtls needs a Unix socket: over a network anybody can claim a subject", advice)


def _limit_faults(settings: Settings, policy: Policy) -> Iterator[InputError]:
    limits = settings.server.limits
    if limits.request_s < policy.request_deadline_s:
        message = f"{limits.request_s:g} s is less than the policy lets a request take ({policy.request_deadline_s} s)"
        yield _fault("limits.request_s", message, "raise it, or lower request_deadline_s in the policy")
    if limits.concurrent_per_principal > limits.concurrent:
        message = f"{limits.concurrent_per_principal} is more than all callers may have together ({limits.concurrent})"
        yield _fault("limits.concurrent_per_principal", message, "lower it, or raise server.limits.concurrent")


def _key_faults(settings: Settings) -> Iterator[InputError]:
    """A key that cannot sign would be found by whoever asks for the first signed packet."""
    try:
        key = wiring.signer(settings)
        _ = key and key.key_id
    except InputError as fault:
        yield InputError(fault.code, fault.message, where=f"{FILE}: signing.key_file", remedy=fault.remedy)


def _fault(key: str, message: str, remedy: str) -> InputError:
    return InputError("bad_server", message, where=f"{FILE}: server.{key}", remedy=remedy)
