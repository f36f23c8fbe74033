"""Drafts from a language model behind any server that speaks OpenAI's chat interface. Needs the extra `openai`."""

from __future__ import annotations

from toulmin.adapters.openai.options import Endpoint, Limits
from toulmin.domain.errors import InputError
from toulmin.ports.drafter import Drafter

_VENDORS = frozenset({"openai", "httpx2"})


def openai_drafter(endpoint: Endpoint, limits: Limits) -> Drafter:
    """The drafter for a provider; raises `InputError` (`missing_extra`) with the command that installs what it needs."""
    try:
        from toulmin.adapters.openai.drafter import OpenAIDrafter
    except ModuleNotFoundError as error:
        if error.name not in _VENDORS:
            raise
        raise InputError(
            "missing_extra",
            f"drafts from a model need the package {error.name}, which is not installed",
            remedy='install it: pip install "toulmin[openai]"',
        ) from None
    return OpenAIDrafter(endpoint, limits)
