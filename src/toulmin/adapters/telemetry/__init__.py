"""Logs by structlog, traces by OpenTelemetry, metrics by Prometheus. Needs the extra `server`, which is loaded when telemetry is wanted."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from toulmin.adapters.telemetry.options import LogLevel, TelemetryOptions, shared_metrics
from toulmin.domain.errors import InputError

if TYPE_CHECKING:
    from toulmin.adapters.telemetry.service import ServiceTelemetry

__all__ = ["LogLevel", "TelemetryOptions", "service_telemetry", "shared_metrics"]

_VENDORS = ("structlog", "opentelemetry", "prometheus_client")


def service_telemetry(options: TelemetryOptions) -> ServiceTelemetry:
    """The `Telemetry` of this process. Raises `InputError`: `missing_extra`, and `unwritable_file` for a log that cannot be written."""
    for vendor in _VENDORS:
        if find_spec(vendor) is None:
            raise InputError(
                "missing_extra",
                f"telemetry needs the package {vendor}, which is not installed",
                remedy='install it: pip install "toulmin[server]"',
            )
    from toulmin.adapters.telemetry.service import ServiceTelemetry

    return ServiceTelemetry(options)
