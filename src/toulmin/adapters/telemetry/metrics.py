"""Metrics for Prometheus. Every label has a closed set of values."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from platform import python_version
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector
from prometheus_client.exposition import choose_encoder
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

from toulmin.ports.telemetry import Exposition

_OPENMETRICS: Final = "application/openmetrics-text"
"""The form to ask the library for, where a scraper names it. Versions of it and ways of escaping the library reads by itself, and fails at odd ones."""

_SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300)
"""From a step that finds what it wants in memory to the deadline of a request."""


class Metrics:
    """The metrics of one process; or, with a folder that the workers share, those of them all, whichever of them is scraped."""

    def __init__(self, folder: Path | None, version: str) -> None:
        self._folder = folder
        self._registry = CollectorRegistry()
        own = self._registry if folder is None else None  # the workers' files are what is read then
        if folder is None:
            ProcessCollector(registry=self._registry)
        self.requests = Counter(
            "toulmin_requests", "Requests, by the template of their path and status.", ["route", "status"], registry=own
        )
        self.request_seconds = Histogram(
            "toulmin_request_seconds",
            "How long requests took, up to the last byte.",
            ["route"],
            buckets=_SECONDS,
            registry=own,
        )
        self.outcomes = Counter(
            "toulmin_outcomes", "How questions ended, and why.", ["outcome", "reason"], registry=own
        )
        self.step_seconds = Histogram(
            "toulmin_step_seconds", "How long steps took.", ["step"], buckets=_SECONDS, registry=own
        )
        self.verdicts = Counter(
            "toulmin_verdicts", "Verdicts on claims, by what decided them.", ["status", "reason"], registry=own
        )
        self.drafts_in_flight = Gauge(
            "toulmin_drafts_in_flight",
            "Drafts that a model is writing now.",
            registry=own,
            multiprocess_mode="livesum",
        )
        self.drafts_refused = Counter(
            "toulmin_drafts_refused", "Drafts that found no place: every place was taken.", registry=own
        )
        self.draft_cache = Counter(
            "toulmin_draft_cache",
            "Drafts that were kept (hit), under way for an identical request (shared), or neither (miss).",
            ["result"],
            registry=own,
        )
        self.index_lag = Gauge(
            "toulmin_index_lag",
            "Changes of the corpus, and passages of them, that are not in an index yet.",
            ["index", "of"],
            registry=own,
            multiprocess_mode="livemostrecent",
        )
        self.log_lines_lost = Counter(
            "toulmin_log_lines_lost", "Lines of the log that could not be written.", registry=own
        )
        build = Gauge(
            "toulmin_build_info",
            "1, with the versions that run.",
            ["version", "python"],
            registry=own,
            multiprocess_mode="livemax",
        )
        build.labels(version, python_version()).set(1)

    def exposition(self, accept: str) -> Exposition:
        encode, media_type = choose_encoder(_OPENMETRICS if _OPENMETRICS in accept else "")
        return Exposition(body=encode(self._whole()), media_type=media_type)

    def _whole(self) -> CollectorRegistry:
        if self._folder is None:
            return self._registry
        _bury(self._folder)
        registry = CollectorRegistry()
        MultiProcessCollector(registry, str(self._folder))  # type: ignore[no-untyped-call]
        return registry


def _bury(folder: Path) -> None:
    """Takes out what workers that have ended hold in flight; what they counted stays counted."""
    for pid in {int(file.stem.rpartition("_")[2]) for file in folder.glob("gauge_live*.db")}:
        if not _lives(pid):
            with suppress(FileNotFoundError):  # another worker does the same
                mark_process_dead(pid, str(folder))  # type: ignore[no-untyped-call]


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
