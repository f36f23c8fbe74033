"""The judge behind a server, before it is first asked: the HTTP client takes a part of a second to load."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from importlib.util import find_spec
from threading import Lock

from toulmin.adapters.provider.form import Form
from toulmin.adapters.provider.options import Endpoint, Limits
from toulmin.domain.claims.unit import ReviewUnit
from toulmin.domain.errors import InputError
from toulmin.ports.judge import Answers, Judge, NotJudged, Opinions, Query

_VENDOR = "httpx2"


class LazyJudge:
    """The judge for a form, whose HTTP client is loaded with the first judgement, in a thread.

    Raises `InputError` (`missing_extra`) at once where that is not installed.
    """

    def __init__(self, endpoint: Endpoint, limits: Limits, form: Form) -> None:
        if find_spec(_VENDOR) is None:
            raise InputError(
                "missing_extra",
                f"a judge behind a server needs the package {_VENDOR}, which is not installed",
                remedy='install it: pip install "toulmin[openai]"',
            )
        self._endpoint = endpoint
        self._limits = limits
        self._form = form
        self._loading = Lock()
        self._loaded: Judge | None = None

    @property
    def profile(self) -> str:
        return f"{self._form.name} {self._endpoint.model}"

    @property
    def on_this_host(self) -> bool:
        return self._endpoint.on_this_host

    async def support(self, units: Sequence[ReviewUnit]) -> Opinions | NotJudged:
        return await (await self._judge()).support(units)

    async def answer(self, queries: Sequence[Query]) -> Answers | NotJudged:
        return await (await self._judge()).answer(queries)

    async def _judge(self) -> Judge:
        return await asyncio.to_thread(self._load) if self._loaded is None else self._loaded

    def _load(self) -> Judge:
        from toulmin.adapters.provider.judge import RemoteJudge

        with self._loading:  # one for all judgements, since they share its pace
            if self._loaded is None:
                self._loaded = RemoteJudge(self._endpoint, self._limits, self._form)
            return self._loaded
