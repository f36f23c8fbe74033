"""Serving: the socket, the workers that share it, and their end.

Each worker is a process with an event loop and a workspace of its own; what they share is the corpus. On SIGTERM and SIGINT no more connections
are taken, what is under way is finished, as long as a request may take, and the process ends with success. A worker that dies is replaced.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import uvicorn
from fastapi import FastAPI

from toulmin.domain.errors import InputError, ToulminError
from toulmin.domain.question.case import Principal
from toulmin.surfaces import wiring
from toulmin.surfaces.http.app import create_app
from toulmin.surfaces.http.service import Service
from toulmin.surfaces.http.workers import CANNOT_START, SIGNALS, keep_at_work
from toulmin.surfaces.settings import LimitsSettings, ServerSettings, settings_of

_BACKLOG = 512
_KEEP_ALIVE_S = 30
_HEAD_BYTES = 32 * 1024
"""Of one request's line and headers; tokens are long."""
_SOCKET_MODE = 0o660
"""Who may connect to a Unix socket may claim to be anybody that the proxy could have verified: owner and group alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """What a worker needs to know. `development`: whoever calls is this principal, without a credential."""

    workspace: Path
    development: Principal | None = None

    def app(self) -> FastAPI:
        """The application of one worker."""
        return create_app(Service.open(settings_of(self.workspace), self.development))


def serve(serving: Serving, settings: ServerSettings, tell: Callable[[str], None]) -> None:
    """Serves until it is told to end by a signal; `tell` is told once where it listens.

    Raises `InputError` where the address cannot be listened on, and a fault of what cannot be opened.
    """
    listening = _bound(settings)
    tell(_address(listening, settings))
    serve_there = partial(_serve, serving, settings.limits, listening)
    try:
        if settings.workers > 1:
            os.environ.update(wiring.worker_environment(serving.workspace))
            # closed before they are told to end: who comes then would else wait here until the last of them has ended
            keep_at_work(partial(_serve_or_say, serve_there), settings.workers, listening.close)
        else:
            serve_there()
    finally:
        listening.close()
        if settings.socket is not None:
            settings.socket.unlink(missing_ok=True)


def _serve_or_say(serve_there: Callable[[], None]) -> None:
    """Serves, in a worker: whoever started it cannot be told what is wrong but by standard error and exit code."""
    try:
        serve_there()
    except ToulminError as fault:
        sys.stderr.write(f"toulmin: {fault}\n")
        sys.exit(CANNOT_START)


def _serve(serving: Serving, limits: LimitsSettings, listening: socket.socket) -> None:
    config = uvicorn.Config(
        serving.app,
        factory=True,
        backlog=_BACKLOG,
        log_config=None,
        log_level=logging.WARNING,
        access_log=False,
        server_header=False,
        lifespan="on",
        timeout_keep_alive=_KEEP_ALIVE_S,
        timeout_graceful_shutdown=round(limits.request_s),
        h11_max_incomplete_event_size=_HEAD_BYTES,
        proxy_headers=False,  # nothing that is decided hangs on where a request says it comes from
    )
    with _signals_end_it():
        uvicorn.Server(config).run(sockets=[listening])


@contextmanager
def _signals_end_it() -> Iterator[None]:
    """In this block a signal is a way to end like any other: the server drains on it, and then raises it again."""
    earlier = {sign: signal.signal(sign, lambda *_: sys.exit(0)) for sign in SIGNALS}
    try:
        yield
    finally:
        for sign, handler in earlier.items():
            signal.signal(sign, handler)


def _bound(settings: ServerSettings) -> socket.socket:
    try:
        return _unix(settings.socket) if settings.socket is not None else _tcp(settings.host, settings.port)
    except OSError as error:
        where = settings.socket or f"{settings.host}:{settings.port}"
        raise InputError(
            "cannot_listen",
            f"{where} cannot be listened on: {error.strerror or error}",
            remedy="end what listens there, or write another address under [server] in toulmin.toml",
        ) from None


def _tcp(host: str, port: int) -> socket.socket:
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    listening = socket.socket(family, kind, protocol)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
    except BaseException:
        listening.close()
        raise
    return listening


def _unix(path: Path) -> socket.socket:
    """A Unix socket at a path, in place of one that nobody listens on any more."""
    path.parent.mkdir(parents=True, exist_ok=True)
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        if path.is_socket() and not _is_listened_on(path):
            path.unlink()
        earlier = os.umask(0o777 & ~_SOCKET_MODE)  # no moment at which others could connect
        try:
            listening.bind(str(path))
        finally:
            os.umask(earlier)
    except BaseException:
        listening.close()
        raise
    return listening


def _is_listened_on(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asking:
        try:
            asking.connect(str(path))
        except OSError:
            return False
        return True


def _address(listening: socket.socket, settings: ServerSettings) -> str:
    if settings.socket is not None:
        return str(settings.socket)
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
