"""Where an issuer's keys come from, and how long they are believed: from a file, or from where the issuer publishes them."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import Protocol

from toulmin.adapters.jwt.keys import KeySet, read_keys
from toulmin.domain.errors import InputError, Overloaded
from toulmin.wire.source import read_file

FRESH_S = 300.0
"""After this time published keys are asked for again: so long may a key that the issuer withdrew still be believed."""
STALE_S = 24 * 3600.0
"""So long the last keys are believed where the issuer does not answer."""
PAUSE_S = 30.0
"""How long the issuer is left alone after it was asked, whatever key ids tokens make up meanwhile."""
PATIENCE_S = 2.0
"""How long a token without a known key waits for an answer that another one already waits for."""

_KEPT = "the issuer's keys could not be read again: those that were known stay"
_log = logging.getLogger(__name__)


class KeySource(Protocol):
    """The keys of one issuer."""

    def keys(self) -> KeySet:
        """The keys as far as they are known. Raises `Overloaded` (`keys_unavailable`) where none can be had at present."""

    def newer(self) -> KeySet:
        """The keys as the issuer has them now, as far as it may be asked: for a token whose key is not among the known ones."""


class KeyFile:
    """The keys of a file, read again when it has changed. One that cannot be read then leaves the keys as they were, and the log says so.

    Raises `InputError` where it cannot be read at first.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._reading = Lock()
        self._stamp = self._present()
        self._keys = self._read()

    def keys(self) -> KeySet:
        with self._reading:
            stamp = self._present()
            if stamp != self._stamp:
                self._stamp = stamp  # before it is read: a write in between is another change
                try:
                    self._keys = self._read()
                except InputError:
                    _log.warning(_KEPT, exc_info=True)
            return self._keys

    def newer(self) -> KeySet:
        return self.keys()

    def _read(self) -> KeySet:
        return read_keys(read_file(self._path, str(self._path)), str(self._path))

    def _present(self) -> tuple[int, int, int] | None:
        """What changes with the file; None where it is not there."""
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_ino, found.st_size, found.st_mtime_ns


class PublishedKeys:
    """The keys that an issuer publishes, fetched when they are first needed, when they are no longer fresh, and for a key that is unknown.

    `fetch` gets them, within limits of its own, or raises `InputError`. While it fails the last keys are believed, up to `STALE_S`.
    `now` counts seconds.
    """

    def __init__(
        self,
        fetch: Callable[[], bytes],
        source: str,
        *,
        now: Callable[[], float] = time.monotonic,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._fetch = fetch
        self._source = source
        self._now = now
        self._patience_s = patience_s
        self._fetching = Lock()
        self._keys: KeySet | None = None
        self._fetched = self._asked = -math.inf

    def keys(self) -> KeySet:
        if self._keys is None or self._age() > FRESH_S:
            self._ask(patience_s=self._patience_s if self._keys is None else 0.0)
        return self._believed()

    def newer(self) -> KeySet:
        self._ask(patience_s=self._patience_s)
        return self._believed()

    def _ask(self, *, patience_s: float) -> None:
        """Fetches the keys, unless that was done just now; who comes while it is done waits a moment for what it gives, or not at all."""
        if not self._fetching.acquire(timeout=patience_s):
            return
        try:
            if self._now() - self._asked >= PAUSE_S:
                self._asked = self._now()
                self._keys = read_keys(self._fetch(), self._source)
                self._fetched = self._now()
        except InputError:
            _log.warning(_KEPT, exc_info=True)
        finally:
            self._fetching.release()

    def _believed(self) -> KeySet:
        if self._keys is None or self._age() > STALE_S:
            raise Overloaded(
                "keys_unavailable",
                "nobody can be known by a token at present: the issuer's keys cannot be had",
                retry_after_s=PAUSE_S,
                remedy="wait as long as Retry-After says",
            )
        return self._keys

    def _age(self) -> float:
        return self._now() - self._fetched
