"""A collector of traces for tests: a server on loopback that keeps the spans it is sent, or does not answer as one should."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


@dataclass
class Collector:
    """`bodies` are the requests as they came; `status` is what each is answered with, once `answers` is set."""

    status: int = 200
    url: str = ""
    paths: list[str] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    answers: threading.Event = field(default_factory=threading.Event)

    @property
    def spans(self) -> list[Any]:
        """All spans, in the order in which they ended."""
        requests = [ExportTraceServiceRequest.FromString(body) for body in self.bodies]
        return [
            span
            for request in requests
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    def span(self, name: str) -> Any:
        """The one span of this name."""
        (found,) = [span for span in self.spans if span.name == name]
        return found


def attributes(span: Any) -> dict[str, str | int]:
    """A span's attributes by name."""
    return {
        item.key: item.value.int_value if item.value.HasField("int_value") else item.value.string_value
        for item in span.attributes
    }


@contextmanager
def collecting(status: int = 200, *, hangs: bool = False) -> Iterator[Collector]:
    """A collector that listens within the block."""
    collector = Collector(status=status)
    if not hangs:
        collector.answers.set()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            collector.paths.append(self.path)
            collector.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            collector.answers.wait(30)
            self.send_response(collector.status)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """It says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    collector.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield collector
    finally:
        collector.answers.set()
        server.shutdown()
        thread.join()
        server.server_close()
