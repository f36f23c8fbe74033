"""Telemetry of a service: logs, traces and metrics of its requests. Ids, counts, codes and durations go there, and never a text."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Literal, Protocol

from toulmin.domain.question.case import Principal
from toulmin.ports.observer import Observer

Note = Literal["started", "without_pages", "stopping", "stopped"]
"""What happens to the service as a whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """A request as it comes. `traceparent` is the W3C header, which names the trace that the caller counts it to."""

    id: str
    method: str
    traceparent: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Handled:
    """What became of a request. `route` is the template of its path; the path itself may name a document.

    `code` is that of the problem that it was answered with, `detail` a code that its caller is not told; None for none.
    """

    route: str
    status: int
    caller: Principal | None = None
    code: str | None = None
    detail: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Exposition:
    """All metrics, as they are scraped."""

    body: bytes
    media_type: str


class Telemetry(Protocol):
    """Where a service tells what it does. Nothing here waits for a collector, or fails for one."""

    @property
    def observer(self) -> Observer:
        """Who is told of the steps of requests; what is told within a request is counted to it."""

    def request(self, incoming: Incoming) -> AbstractContextManager[Callable[[Handled], None]]:
        """The block is one request, up to the last byte of its response; what is called in it tells what became of it."""

    def fault(self, error: BaseException) -> None:
        """Something that nobody thought of: its class and the places in the code that it came through, without its words."""

    def note(self, note: Note) -> None:
        """Something happens to the service as a whole."""

    def exposition(self, accept: str) -> Exposition:
        """All metrics, in the form that an `Accept` header asks for."""

    def close(self) -> None:
        """Sends what is still to be sent, for some seconds at most; further use tells nobody."""
