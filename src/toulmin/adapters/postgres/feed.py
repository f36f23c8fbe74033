"""The feed of a store in PostgreSQL: LISTEN on a connection of its own, and a look now and then, should nothing be heard."""

from __future__ import annotations

import os
import select
from contextlib import suppress
from time import monotonic
from typing import Final

from toulmin.adapters.postgres.database import Connection, PostgresTransaction, Role, connect, faults_of
from toulmin.domain.errors import StoreFault

_POLL_S: Final = 2.0
"""How long a change may stay unknown that nothing was heard of, as through a pooler that does not pass notifications on."""

_PIPE: Final = 2**20
"""Bytes; as much as a pipe may hold: however often it was woken, that is over then."""


class PostgresFeed:
    """A `Feed` with one connection beside those of the store, which is opened with the first wait and again whenever it is lost."""

    def __init__(self, url: str, wait_s: float) -> None:
        self._url = url
        self._wait_s = wait_s
        self._connection: Connection | None = None
        self._ear, self._bell = os.pipe()
        os.set_blocking(self._ear, False)
        os.set_blocking(self._bell, False)

    def wait(self, after: int, most_s: float) -> int:
        end = monotonic() + most_s
        while True:
            number, left = self._present(), end - monotonic()
            if number != after or left <= 0:
                return number
            if not self._heard() and self._was_woken(min(left, _POLL_S)):
                return number

    def wake(self) -> None:
        with suppress(BlockingIOError):  # full: it will be woken all the same
            os.write(self._bell, b"!")

    def close(self) -> None:
        self._drop()
        os.close(self._ear)
        os.close(self._bell)
        self._ear = self._bell = -1  # else a late wake would write to whatever file has that number by then

    def _present(self) -> int:
        """The present sequence number, over a new connection where there is none, or the one there was is broken."""
        if self._connection is not None:
            try:
                return PostgresTransaction(self._connection, self._url).present_sequence()
            except StoreFault:
                self._drop()
        self._connection = self._listening()
        return PostgresTransaction(self._connection, self._url).present_sequence()

    def _listening(self) -> Connection:
        connection = connect(self._url, self._wait_s)
        try:
            statements = PostgresTransaction(connection, self._url)
            statements.run("keep_role", role=Role.WORKER)
            statements.run("listen")
        except BaseException:
            connection.close()
            raise
        return connection

    def _heard(self) -> bool:
        """Whether a notification has come meanwhile, perhaps with the answer to our own question, which then is older."""
        assert self._connection is not None
        with faults_of(self._url):
            return any([*self._connection.notifies(timeout=0)])

    def _was_woken(self, most_s: float) -> bool:
        """Waits until the server says something, or for so many seconds; whether it was woken instead."""
        assert self._connection is not None
        ears = select.poll()
        ears.register(self._connection.fileno(), select.POLLIN)
        ears.register(self._ear, select.POLLIN)
        woken = self._ear in dict(ears.poll(most_s * 1000))
        if woken:
            os.read(self._ear, _PIPE)
        return woken

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
