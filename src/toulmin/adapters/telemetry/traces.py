"""Traces: a span for each request and each step. Only where a collector is named do they leave the process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Final

from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_NAME, SERVICE_VERSION, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import NoOpTracer, Span, SpanKind, Status, StatusCode, format_trace_id, get_current_span
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from toulmin.adapters.telemetry.logs import fault_code

_EXPORT_S: Final = 5.0
"""How long one batch may take to send, and how long the end of the process waits for the last one."""

_PREFIX: Final = "toulmin."


class Traces:
    """Spans, sent in batches by a thread of their own; what does not fit in its queue is dropped, and nobody waits."""

    def __init__(self, url: str | None, version: str) -> None:
        self._provider = None if url is None else _provider(url, version)
        self._tracer = NoOpTracer() if self._provider is None else self._provider.get_tracer("toulmin", version)
        self._incoming = TraceContextTextMapPropagator()

    @contextmanager
    def span(self, name: str, *, traceparent: str | None = None, serves: bool = False) -> Iterator[Span]:
        """The block is a span, within the present one or, for a request that it `serves`, within that of the caller."""
        context = self._incoming.extract({"traceparent": traceparent or ""}, Context()) if serves else None
        with self._tracer.start_as_current_span(
            name,
            context,
            kind=SpanKind.SERVER if serves else SpanKind.INTERNAL,
            record_exception=False,  # its words may be a document's
            set_status_on_exception=False,
        ) as span:
            try:
                yield span
            except BaseException as error:
                failed(span, fault_code(error))
                raise

    def close(self) -> None:
        """Sends what is left, for some seconds at most."""
        if self._provider is not None:
            ending = Thread(target=self._provider.shutdown, daemon=True)  # its own limit is half a minute
            ending.start()
            ending.join(_EXPORT_S)


def failed(span: Span, code: str) -> None:
    """Marks a span as failed."""
    span.set_attribute("error.type", code)
    span.set_status(Status(StatusCode.ERROR))


def tell(span: Span, **told: int | str | None) -> None:
    """Gives a span counts and codes of ours; None is not told."""
    for name, value in told.items():
        if value is not None:
            span.set_attribute(_PREFIX + name, value)


def trace_id() -> str | None:
    """The trace that the present request belongs to; None for none."""
    context = get_current_span().get_span_context()
    return format_trace_id(context.trace_id) if context.is_valid else None


def _provider(url: str, version: str) -> TracerProvider:
    resource = Resource.create({SERVICE_NAME: "toulmin", SERVICE_VERSION: version})
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(url, timeout=_EXPORT_S)))
    return provider
