"""Serving: the socket, the workers that share it, and their end.

Each worker is a process with an event loop and a workspace of its own; what they share is the corpus. On SIGTERM no more connections are taken,
what is under way is finished, as long as a request may take, and the process ends.
"""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import uvicorn
from fastapi import FastAPI
from uvicorn.supervisors import Multiprocess

from toulmin.domain.errors import InputError
from toulmin.domain.question.case import Principal
from toulmin.surfaces import wiring
from toulmin.surfaces.http.app import create_app
from toulmin.surfaces.http.service import Service
from toulmin.surfaces.settings import ServerSettings, settings_of

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

    Raises `InputError` where the address cannot be listened on.
    """
    listening = _bound(settings)
    config = uvicorn.Config(
        partial(_app_of, serving),
        factory=True,
        workers=settings.workers,
        backlog=_BACKLOG,
        log_config=None,
        log_level=logging.WARNING,
        access_log=False,
        server_header=False,
        lifespan="on",
        timeout_keep_alive=_KEEP_ALIVE_S,
        timeout_graceful_shutdown=round(settings.limits.request_s),
        h11_max_incomplete_event_size=_HEAD_BYTES,
        proxy_headers=False,  # nothing that is decided hangs on where a request says it comes from
    )
    tell(_address(listening, settings))
    try:
        if settings.workers > 1:
            os.environ.update(wiring.worker_environment(serving.workspace))
            Multiprocess(config, sockets=[listening]).run()
        else:
            uvicorn.Server(config).run(sockets=[listening])
    finally:
        listening.close()
        if settings.socket is not None:
            settings.socket.unlink(missing_ok=True)


def _app_of(serving: Serving) -> FastAPI:
    return serving.app()


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
