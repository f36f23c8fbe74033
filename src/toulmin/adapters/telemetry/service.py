"""The telemetry of a service process: what is told once goes to log, traces and metrics."""

from __future__ import annotations

import hmac
import logging
import secrets
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from time import perf_counter
from typing import Final, Unpack

import structlog
from opentelemetry.trace import get_current_span

from toulmin.adapters.telemetry.logs import LibraryLog, Log, fault_code, fault_fields
from toulmin.adapters.telemetry.metrics import Metrics
from toulmin.adapters.telemetry.options import TelemetryOptions
from toulmin.adapters.telemetry.traces import Traces, failed, tell, trace_id
from toulmin.domain.claims.ground import Ground
from toulmin.domain.claims.verdict import VerdictStatus
from toulmin.domain.outcome import EvidenceReason, OutcomeName, SearchOnlyReason
from toulmin.domain.question.case import Principal
from toulmin.ports.observer import DraftSource, IndexName, Observer, Step, Tell, Told
from toulmin.ports.telemetry import Exposition, Handled, Incoming, Note

_CACHE: Final = {"kept": "hit", "shared": "shared", "fresh": "miss"}
_METHODS: Final = frozenset("GET HEAD POST PUT PATCH DELETE OPTIONS".split())


class ServiceTelemetry:
    """A `Telemetry`. While it is open, what libraries log in this process comes here as well."""

    def __init__(self, options: TelemetryOptions) -> None:
        self._metrics = Metrics(options.metrics_folder, options.version)
        self._log = Log(options.log_level, options.log_file, lost=self._metrics.log_lines_lost.inc)
        self._traces = Traces(options.traces_url, options.version)
        self._version = options.version
        self._key = secrets.token_bytes(32)
        self._observer = _ServiceObserver(self._log, self._traces, self._metrics)
        self._libraries = LibraryLog(self._log)
        logging.getLogger().addHandler(self._libraries)

    @property
    def observer(self) -> Observer:
        return self._observer

    @contextmanager
    def request(self, incoming: Incoming) -> Iterator[Callable[[Handled], None]]:
        method = incoming.method if incoming.method in _METHODS else "other"
        begun = perf_counter()
        with self._traces.span(method, traceparent=incoming.traceparent, serves=True) as span:
            ids = {"request": incoming.id, "trace": trace_id(), "method": method}

            def handled(end: Handled) -> None:
                seconds = perf_counter() - begun
                self._metrics.requests.labels(end.route, str(end.status)).inc()
                self._metrics.request_seconds.labels(end.route).observe(seconds)
                span.update_name(f"{method} {end.route}")
                span.set_attributes(
                    {
                        "http.request.method": method,
                        "http.route": end.route,
                        "http.response.status_code": end.status,
                    }
                )
                tell(span, request=incoming.id, code=end.code)
                if end.status >= 500:
                    failed(span, end.code or str(end.status))
                self._log.write(
                    "error" if end.status >= 500 else "info",
                    "request",
                    route=end.route,
                    status=end.status,
                    seconds=round(seconds, 6),
                    caller=None if end.caller is None else self._pseudonym(end.caller),
                    code=end.code,
                    detail=end.detail,
                )

            with structlog.contextvars.bound_contextvars(**ids):
                yield handled

    def fault(self, error: BaseException) -> None:
        self._log.write("error", "fault", **fault_fields(error))

    def note(self, note: Note) -> None:
        self._log.write("info", note, version=self._version)

    def exposition(self, accept: str) -> Exposition:
        return self._metrics.exposition(accept)

    def close(self) -> None:
        self._traces.close()
        logging.getLogger().removeHandler(self._libraries)
        self._log.close()

    def _pseudonym(self, caller: Principal) -> str:
        """The same for all requests of a caller to this process, and of use to nobody else: the key ends with the process."""
        name = f"{caller.tenant or ''}\0{caller.id}".encode()
        return hmac.digest(self._key, name, "sha256").hex()[:12]


class _ServiceObserver:
    """An `Observer`."""

    def __init__(self, log: Log, traces: Traces, metrics: Metrics) -> None:
        self._log = log
        self._traces = traces
        self._metrics = metrics

    def step(self, name: Step) -> AbstractContextManager[Tell]:
        return self._drafting() if name == "ask_drafter" else self._step(name)

    @contextmanager
    def _drafting(self) -> Iterator[Tell]:
        with self._metrics.drafts_in_flight.track_inprogress(), self._step("ask_drafter") as told:
            yield told

    @contextmanager
    def _step(self, name: Step) -> Iterator[Tell]:
        told = _Telling()
        begun = perf_counter()
        code: str | None = None
        try:
            with self._traces.span(name) as span:
                try:
                    yield told
                finally:
                    tell(span, **told.all)
        except BaseException as error:
            code = fault_code(error)
            raise
        finally:
            seconds = perf_counter() - begun
            self._metrics.step_seconds.labels(name).observe(seconds)
            self._log.write("debug", "step", step=name, seconds=round(seconds, 6), code=code, **told.all)

    def draft(self, source: DraftSource) -> None:
        if source == "saturated":
            self._metrics.drafts_refused.inc()
        else:
            self._metrics.draft_cache.labels(_CACHE[source]).inc()

    def verdict(self, status: VerdictStatus, ground: Ground) -> None:
        self._metrics.verdicts.labels(status.value, ground.value).inc()
        self._log.write("debug", "verdict", verdict=status.value, ground=ground.value)

    def outcome(self, name: OutcomeName, reason: SearchOnlyReason | EvidenceReason | None) -> None:
        why = reason.value if reason is not None else None
        self._metrics.outcomes.labels(name, why or "none").inc()
        tell(get_current_span(), outcome=name, reason=why)
        self._log.write("info", "outcome", outcome=name, reason=why)

    def lag(self, index: IndexName, changes: int, passages: int) -> None:
        self._metrics.index_lag.labels(index, "changes").set(changes)
        self._metrics.index_lag.labels(index, "passages").set(passages)
        self._log.write("debug", "lag", index=index, changes=changes, passages=passages)


class _Telling:
    """A `Tell` that keeps what it is told."""

    def __init__(self) -> None:
        self.all: dict[str, int | str | None] = {}

    def __call__(self, **told: Unpack[Told]) -> None:
        for name, value in told.items():
            assert isinstance(value, int | str | None)
            self.all[name] = value
