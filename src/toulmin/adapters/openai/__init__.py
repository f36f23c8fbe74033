"""Drafts from a language model behind any server that speaks OpenAI's chat interface. Needs the extra `openai`."""

from __future__ import annotations

from functools import cached_property
from importlib.util import find_spec

from toulmin.adapters.openai.messages import VERSION
from toulmin.adapters.openai.options import Endpoint, Limits
from toulmin.domain.claims.draft import DraftRequest
from toulmin.domain.errors import InputError
from toulmin.ports.drafter import Drafted, Drafter, NotDrafted

__all__ = ["Endpoint", "LazyDrafter", "Limits", "openai_drafter"]

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


class LazyDrafter:
    """The drafter for a provider, whose vendor's library is loaded with the first draft.

    Raises `InputError` (`missing_extra`) at once where that is not installed.
    """

    def __init__(self, endpoint: Endpoint, limits: Limits) -> None:
        for package in sorted(_VENDORS):
            if find_spec(package) is None:
                raise _missing(package)
        self._endpoint = endpoint
        self._limits = limits

    @property
    def profile(self) -> str:
        return f"openai/{VERSION} {self._endpoint.model}"

    @property
    def on_this_host(self) -> bool:
        return self._endpoint.on_this_host

    async def draft(self, request: DraftRequest) -> Drafted | NotDrafted:
        return await self._drafter.draft(request)

    @cached_property
    def _drafter(self) -> Drafter:
        return openai_drafter(self._endpoint, self._limits)


def _missing(package: str | None) -> InputError:
    return InputError(
        "missing_extra",
        f"drafts from a model need the package {package}, which is not installed",
        remedy='install it: pip install "toulmin[openai]"',
    )
