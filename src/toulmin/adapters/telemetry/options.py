"""What telemetry is told to do, and the folder in which the workers of one service add their metrics up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

LogLevel = Literal["debug", "info", "warning", "error"]

METRICS_FOLDER: Final = "PROMETHEUS_MULTIPROC_DIR"
"""Prometheus' own variable. Its library reads it when it is imported, so that it has to be there when a worker starts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TelemetryOptions:
    """`log_file` None is standard error. `traces_url` is where spans go, None: nowhere. `metrics_folder` None: this process is the only worker."""

    version: str
    log_level: LogLevel = "info"
    log_file: Path | None = None
    traces_url: str | None = None
    metrics_folder: Path | None = None


def shared_metrics(folder: Path) -> Mapping[str, str]:
    """Makes the folder of the workers' metrics, empty of what an earlier start left; the variables that every worker has to start with."""
    folder.mkdir(parents=True, exist_ok=True)
    for left in folder.glob("*.db"):
        left.unlink()
    return {METRICS_FOLDER: str(folder)}
