"""Drafts, judgements and embeddings from models behind any server that speaks OpenAI's interface. Needs the extra `openai`."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from importlib.util import find_spec
from threading import Lock

from toulmin.adapters.openai.embeddings import EmbeddingForm
from toulmin.adapters.openai.judge import ChatForm
from toulmin.adapters.openai.messages import VERSION
from toulmin.adapters.provider.lazy import LazyJudge
from toulmin.adapters.provider.options import Endpoint, Limits
from toulmin.domain.claims.draft import DraftRequest
from toulmin.domain.errors import InputError
from toulmin.domain.evidence.embedding import EmbeddingProfile
from toulmin.ports.drafter import Drafted, Drafter, NotDrafted
from toulmin.ports.embedder import Embedder, Vectors
from toulmin.ports.judge import Judge

__all__ = ["EmbeddingForm", "Endpoint", "LazyDrafter", "LazyEmbedder", "Limits", "llm_judge", "openai_drafter"]

_VENDORS = frozenset({"openai", "httpx2"})


def openai_drafter(endpoint: Endpoint, limits: Limits) -> Drafter:
    """The drafter for a provider; raises `InputError` (`missing_extra`) with the command that installs what it needs."""
    try:
        from toulmin.adapters.openai.drafter import OpenAIDrafter
    except ModuleNotFoundError as error:
        if error.name not in _VENDORS:
            raise
        raise _missing(error.name) from None
    return OpenAIDrafter(endpoint, limits)


def llm_judge(endpoint: Endpoint, limits: Limits, *, top_logprobs: int = ChatForm().top_logprobs) -> Judge:
    """The judge that is a chat model, see `ChatForm`; raises `InputError` (`missing_extra`) like `openai_drafter`."""
    return LazyJudge(endpoint, limits, ChatForm(top_logprobs=top_logprobs))


class LazyDrafter:
    """The drafter for a provider, whose vendor's library is loaded with the first draft, in a thread: that takes a second.

    Raises `InputError` (`missing_extra`) at once where that is not installed.
    """

    def __init__(self, endpoint: Endpoint, limits: Limits) -> None:
        for package in sorted(_VENDORS):
            if find_spec(package) is None:
                raise _missing(package)
        self._endpoint = endpoint
        self._limits = limits
        self._loading = Lock()
        self._loaded: Drafter | None = None

    @property
    def profile(self) -> str:
        return f"openai/{VERSION} {self._endpoint.model}"

    @property
    def on_this_host(self) -> bool:
        return self._endpoint.on_this_host

    async def draft(self, request: DraftRequest) -> Drafted | NotDrafted:
        drafter = await asyncio.to_thread(self._load) if self._loaded is None else self._loaded
        return await drafter.draft(request)

    def _load(self) -> Drafter:
        with self._loading:  # one for all drafts, since they share its pace
            if self._loaded is None:
                self._loaded = openai_drafter(self._endpoint, self._limits)
            return self._loaded


class LazyEmbedder:
    """The embedder behind a server, whose HTTP client is loaded with the first text: it takes a part of a second.

    Raises `InputError` (`missing_extra`) at once where that is not installed.
    """

    def __init__(self, endpoint: Endpoint, limits: Limits, form: EmbeddingForm) -> None:
        if find_spec("httpx2") is None:
            raise _missing("httpx2")
        self._endpoint = endpoint
        self._limits = limits
        self._form = form
        self._loading = Lock()
        self._loaded: Embedder | None = None

    @property
    def profile(self) -> EmbeddingProfile:
        return self._form.profile(self._endpoint.model)

    @property
    def on_this_host(self) -> bool:
        return self._endpoint.on_this_host

    def passages(self, texts: Sequence[str]) -> Vectors:
        return self._load().passages(texts)

    def queries(self, texts: Sequence[str]) -> Vectors:
        return self._load().queries(texts)

    def _load(self) -> Embedder:
        from toulmin.adapters.openai.embedder import RemoteEmbedder

        with self._loading:  # one for all calls, since they share its pace
            if self._loaded is None:
                self._loaded = RemoteEmbedder(self._endpoint, self._limits, self._form)
            return self._loaded


def _missing(package: str | None) -> InputError:
    return InputError(
        "missing_extra",
        f"a model behind a server needs the package {package}, which is not installed",
        remedy='install it: pip install "toulmin[openai]"',
    )
