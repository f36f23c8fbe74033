"""The service: a workspace behind an event loop. What blocks runs in threads; what waits for a model does not."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from dataclasses import replace
from datetime import tzinfo
from typing import Any, ParamSpec, Self, TypeVar, cast

from fastapi import Request

from toulmin.application.deadline import Deadline
from toulmin.application.following import Follower, Pursuit
from toulmin.application.parts import Parts
from toulmin.domain.errors import InputError, StoreFault, ToulminError
from toulmin.domain.question.case import Principal
from toulmin.domain.question.contract import Contract
from toulmin.ports.contracts import ContractSource
from toulmin.ports.index import OtherEmbedder
from toulmin.ports.signer import Signer
from toulmin.ports.telemetry import Telemetry
from toulmin.surfaces import wiring
from toulmin.surfaces.desk import Desk
from toulmin.surfaces.http.authentication import HttpAuthenticator, http_authenticator
from toulmin.surfaces.http.limits import Limits
from toulmin.surfaces.settings import Settings
from toulmin.surfaces.sync import Workspace

P = ParamSpec("P")
T = TypeVar("T")

_INTAKES = 2
"""How many requests' documents are read at once: each takes a process and its memory, and the store has one writer anyway."""


_DRAWN = 2
"""How many pages are drawn at once: each takes a process, and who waits for one is to keep no thread from others."""

_WATCHED = 2
"""How many requests of those who watch the service are answered at once: they need no credential and no place, and others are to have threads."""

_OTHER_THREADS = _WATCHED + 2
"""Beside one for each place, so that no request waits for a thread behind others that wait for a store, or for what an operation runs."""


class Service:
    """A workspace with what stands between it and its callers: who they are, how much they may ask, and who is told what happens."""

    def __init__(
        self, workspace: Workspace, authenticator: HttpAuthenticator, limits: Limits, telemetry: Telemetry
    ) -> None:
        signer = workspace.parts.signer
        served = replace(
            workspace.parts,
            contracts=_ServedContracts(workspace.parts.contracts),
            signer=signer and _ServedSigner(signer),
            observer=telemetry.observer,
        )
        self.workspace = Workspace(workspace.settings, served)
        self.desk = Desk(workspace=self.workspace, follows=False)
        self.authenticator = authenticator
        self.limits = limits
        self.telemetry = telemetry
        self.intake = asyncio.Semaphore(_INTAKES)
        self.watched = asyncio.Semaphore(_WATCHED)
        self.drawing = asyncio.Semaphore(_DRAWN)
        self._follower = Follower(served, telemetry.fault)

    @classmethod
    def open(cls, settings: Settings, resident: Principal | None = None) -> Self:
        """The service that the settings describe; with a `resident`, in development mode: whoever calls is that principal."""
        workspace = Workspace(settings, wiring.parts(settings))
        authenticator = http_authenticator(settings, workspace.parts.store, resident)
        limits = Limits(**settings.server.limits.model_dump())
        return cls(workspace, authenticator, limits, wiring.telemetry(settings))

    @property
    def parts(self) -> Parts:
        """What the use cases are given."""
        return self.workspace.parts

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """The block in which requests are answered: the indexes follow the corpus in it, and at its end everything is released."""
        threads = ThreadPoolExecutor(self.limits.concurrent + _OTHER_THREADS, thread_name_prefix="toulmin-request")
        asyncio.get_running_loop().set_default_executor(threads)
        self._follower.start()
        self.telemetry.note("started")
        try:
            yield
        finally:
            self.telemetry.note("stopping")
            await asyncio.to_thread(self._follower.stop)
            await asyncio.to_thread(self.workspace.close)
            self.telemetry.note("stopped")
            await asyncio.to_thread(self.telemetry.close)

    def lacking(self) -> list[str]:
        """What keeps the service from doing its work, in words; nothing, where it is ready.

        An index that lags does not: what it has is searched, and the metrics tell how far it is behind. One with vectors of another embedder
        than the one that is configured does: it is not searched at all.
        """
        following = self._follower.state
        return [
            *(["following"] if not following.running else ()),
            *(["index"] if following.words.reached is None or _is_refused(following.meaning) else ()),
            *(["store"] if not self._store_answers() else ()),
        ]

    def _store_answers(self) -> bool:
        try:
            self.parts.store.outlook(0)
        except ToulminError:
            return False
        return True

    @property
    def zone(self) -> tzinfo:
        """The zone in which a date without a time begins."""
        return self.workspace.settings.zone

    async def run(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The result of something that blocks; raises `Overdue` where it takes longer than a request may, though its thread goes on."""
        return await Deadline(self.limits.request_s).over(asyncio.to_thread(work, *args, **kwargs))


def _is_refused(meaning: Pursuit | None) -> bool:
    """Whether the index by meaning is none that may be searched."""
    return meaning is not None and meaning.reached is not None and isinstance(meaning.reached.fault, OtherEmbedder)


class _ServedContracts:
    """Contracts as callers of a service meet them."""

    def __init__(self, contracts: ContractSource) -> None:
        self._contracts = contracts

    def all(self) -> tuple[Contract, ...]:
        with self._reading():
            return self._contracts.all()

    def find(self, contract_id: str) -> Contract | None:
        with self._reading():
            return self._contracts.find(contract_id)

    @staticmethod
    def _reading() -> AbstractContextManager[None]:
        told = StoreFault(
            "contracts_unreadable", "a contract cannot be read", remedy="toulmin contracts check tells more"
        )
        return _own_file(told)


class _ServedSigner:
    """A `Signer` as callers of a service meet it."""

    def __init__(self, signer: Signer) -> None:
        self._signer = signer

    @property
    def key_id(self) -> str:
        with self._reading():
            return self._signer.key_id

    def sign(self, data: bytes) -> bytes:
        with self._reading():
            return self._signer.sign(data)

    @staticmethod
    def _reading() -> AbstractContextManager[None]:
        told = StoreFault(
            "signing_key_unusable", "the key that signs cannot be used", remedy="look at signing.key_file"
        )
        return _own_file(told)


@contextmanager
def _own_file(told: StoreFault) -> Iterator[None]:
    """The block reads a file of the service: that it is wrong is no fault of who calls. Raises what is told for an `InputError`."""
    try:
        yield
    except InputError as fault:
        raise told from fault


def service_of(request: Request) -> Service:
    """The service that a request came to."""
    state: Any = request.app.state
    return cast("Service", state.service)
