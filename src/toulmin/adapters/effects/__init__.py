"""What carries approved operations out: commands and webhooks."""

from __future__ import annotations

import base64
import binascii

from toulmin.adapters.effects.command import CommandEffect
from toulmin.domain.errors import InputError
from toulmin.ports.effects import Effect

__all__ = ["CommandEffect", "webhook_effect"]

_PREFIX = "whsec_"
_LEAST_SECRET = 16
_VENDOR = "httpx2"


def webhook_effect(url: str, secret: str | None, *, secret_env: str, idempotent: bool, timeout_s: float) -> Effect:
    """The effect that sends orders to an address; `secret` is the text of the environment variable `secret_env`, `whsec_` and base64.

    Raises `InputError`: `missing_secret`, `bad_secret`, and `missing_extra` with the command that installs what it needs.
    """
    try:
        from toulmin.adapters.effects.webhook import WebhookEffect
    except ModuleNotFoundError as error:
        if error.name != _VENDOR:
            raise
        raise InputError(
            "missing_extra",
            f"a webhook needs the package {_VENDOR}, which is not installed",
            remedy='install it: pip install "toulmin[openai]"',
        ) from None
    return WebhookEffect(url=url, secret=_key(secret, secret_env), idempotent=idempotent, timeout_s=timeout_s)


def _key(secret: str | None, secret_env: str) -> bytes:
    advice = f"put whsec_ and the base64 of at least {_LEAST_SECRET} random bytes into it"
    if not secret:
        raise InputError("missing_secret", f"the environment variable {secret_env} is not set", remedy=advice)
    try:
        key = base64.b64decode(secret.removeprefix(_PREFIX), validate=True)
    except binascii.Error:
        key = b""
    if not secret.startswith(_PREFIX) or len(key) < _LEAST_SECRET:  # not shown: it may be the secret itself
        raise InputError("bad_secret", f"{secret_env} holds no webhook secret", remedy=advice)
    return key
