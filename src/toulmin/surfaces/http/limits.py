"""Limits of the service: how large a request may be, how many there may be at once and a minute, of all callers and of each."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from toulmin.domain.errors import Overloaded
from toulmin.domain.question.case import Principal

_REMEMBERED = 10_000
"""Callers whose requests are counted; one that is forgotten begins anew, with nothing to its account."""

_SHED_S = 1.0
"""After what time a request that found the service full may come again."""


@dataclass(slots=True)
class _Account:
    left: float
    at: float
    under_way: int = 0


@dataclass(slots=True, kw_only=True)
class Limits:
    """The limits, and the counts that they are held against; for one process and its event loop.

    `request_s` bounds a request's time; after `silence_s` without an event a stream says that it lives. `per_minute` is what one caller may ask in the long run, and in one go;
    `concurrent_per_principal` and `concurrent` are how many requests of one caller, and of all together, are worked on at once. All are of
    each worker by itself.
    """

    json_bytes: int = 1024 * 1024
    upload_bytes: int = 32 * 1024 * 1024
    request_s: float = 310.0
    silence_s: float = 15.0
    per_minute: float = 600.0
    concurrent: int = 64
    concurrent_per_principal: int = 16
    now: Callable[[], float] = time.monotonic
    _accounts: OrderedDict[tuple[str | None, str], _Account] = field(default_factory=OrderedDict)
    _under_way: int = 0

    @contextmanager
    def admitted(self, who: Principal) -> Iterator[None]:
        """Counts a request of a caller for as long as it is under way; raises `Overloaded` where it is one too many."""
        account, rate = self._account((who.tenant, who.id)), self.per_minute / 60
        if account.under_way >= self.concurrent_per_principal:
            raise _too_many(f"{self.concurrent_per_principal} requests of {who.id} are under way", _SHED_S)
        if account.left < 1:
            after = (1 - account.left) / rate
            raise _too_many(f"{who.id} has asked more than {self.per_minute:g} times a minute", after)
        account.left -= 1
        account.under_way += 1
        try:
            yield
        finally:
            account.under_way -= 1

    def _account(self, key: tuple[str | None, str]) -> _Account:
        """A caller's account as of now; it is the last that will be forgotten."""
        at = self.now()
        account = self._accounts.pop(key, None) or _Account(left=self.per_minute, at=at)
        account.left = min(self.per_minute, account.left + (at - account.at) * self.per_minute / 60)
        account.at = at
        self._accounts[key] = account
        if len(self._accounts) > _REMEMBERED:
            self._accounts.popitem(last=False)
        return account

    @contextmanager
    def place(self) -> Iterator[None]:
        """A place for one request; raises `Overloaded` where all are taken. Nobody waits in a queue for one."""
        if self._under_way >= self.concurrent:
            raise Overloaded(
                "overloaded",
                f"{self.concurrent} requests are under way",
                retry_after_s=_SHED_S,
                remedy="wait as long as Retry-After says",
            )
        self._under_way += 1
        try:
            yield
        finally:
            self._under_way -= 1


def _too_many(what: str, after_s: float) -> Overloaded:
    return Overloaded("rate_limited", what, retry_after_s=after_s, own=True, remedy="wait as long as Retry-After says")
