"""Options of a provider: where it is and what it may take, checked before anything is sent."""

from __future__ import annotations

import math
import re
import ssl
from dataclasses import dataclass, field, fields
from ipaddress import ip_address
from urllib.parse import urlsplit

from toulmin.domain.errors import InputError

KIB = 1024
_URL = re.compile(r"https?://[^\s/?#@]+(/[^\s?#]*)?")
_KEY = re.compile(r"[!-~]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """A provider and how to reach it. What may be secret is in no representation and in no error.

    `base_url` ends before `/chat/completions` or `/systemone`. `proxy` is the URL of one to go through; those of the environment are not
    used. `tls` is how its certificate is judged; None: by the authorities that this system trusts. Raises `InputError`: `bad_url`,
    `bad_api_key`.
    """

    base_url: str
    model: str
    api_key: str | None = field(default=None, repr=False)
    proxy: str | None = field(default=None, repr=False)
    tls: ssl.SSLContext | None = None

    @property
    def on_this_host(self) -> bool:
        """Whether the provider is on this host and reached without a proxy."""
        host = urlsplit(self.base_url).hostname or ""
        return self.proxy is None and (host == "localhost" or _is_loopback(host))

    def __post_init__(self) -> None:
        if not _is_url(self.base_url):  # not shown: it may hold a password
            raise InputError(
                "bad_url",
                "the provider's base URL is not the address of an HTTP service",
                remedy="write one such as https://host.example/v1, without user, password and query",
            )
        if self.api_key is not None and not _KEY.fullmatch(self.api_key):
            raise InputError(
                "bad_api_key",
                "the provider's API key is empty or has characters that no key has",
                remedy="look for white space and line ends where it is kept",
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one draft or judgement may take: seconds, bytes of each request and reply, calls. Raises `InputError` (`bad_limit`).

    `deadline_s` bounds everything together, waiting included; `silence_s` is how long the provider may send nothing during one call (a
    model on a slow machine thinks in silence), `connect_s` how long a connection may take. `calls` are those of one draft, or for one of
    the claims that are judged, `at_once` those for different claims at the same time. `pace`: calls a minute, evenly spaced, for all work
    of one drafter or judge together; None: they are not paced.
    """

    deadline_s: float
    connect_s: float = 10.0
    silence_s: float = 240.0
    request_bytes: int = 512 * KIB
    reply_bytes: int = 256 * KIB
    calls: int = 4
    at_once: int = 4
    pace: float | None = None

    def __post_init__(self) -> None:
        for limit in fields(self):
            value = getattr(self, limit.name)
            if value is not None and not (math.isfinite(value) and value > 0):
                raise InputError(
                    "bad_limit", f"provider limit {limit.name} is {value}", remedy="give a finite number above 0"
                )


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:  # a name: where it leads is not known until it is looked up
        return False


def _is_url(text: str) -> bool:
    try:
        return bool(_URL.fullmatch(text)) and urlsplit(text).port != 0
    except ValueError:  # a port that is none
        return False
