"""Judges by typed decisions: a server that speaks the System One interface. Needs the extra `openai`, for its HTTP client."""

from __future__ import annotations

from toulmin.adapters.provider.lazy import LazyJudge
from toulmin.adapters.provider.options import Endpoint, Limits
from toulmin.adapters.systemone.form import DecisionForm
from toulmin.ports.judge import Judge


def systemone_judge(endpoint: Endpoint, limits: Limits) -> Judge:
    """The judge for a server; raises `InputError` (`missing_extra`) with the command that installs what it needs."""
    return LazyJudge(endpoint, limits, DecisionForm())
