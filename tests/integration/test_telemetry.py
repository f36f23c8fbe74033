"""Telemetry as it leaves the process: the log's lines, the spans that a collector gets, the metrics that are scraped."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tests.collector import attributes, collecting
from tests.unit.making import contract, fact
from tests.unit.world import asked, ingest, parts
from toulmin.adapters import telemetry
from toulmin.adapters.telemetry import TelemetryOptions, service_telemetry, shared_metrics
from toulmin.adapters.telemetry.keys import KEYS
from toulmin.adapters.telemetry.metrics import _bury
from toulmin.adapters.telemetry.service import ServiceTelemetry
from toulmin.domain.errors import Conflict, InputError, StoreFault
from toulmin.domain.outcome import SearchOnlyReason
from toulmin.domain.question.case import Principal
from toulmin.ports.telemetry import Handled, Incoming

SECRET = "the quick brown fox"
TRACE = "0af7651916cd43dd8448eb211c80319c"
PARENT = f"00-{TRACE}-b7ad6b7169203331-01"
ADA = Principal(id="ada@example.org", tenant="acme")


@contextmanager
def telling(folder: Path, **chosen: Any) -> Iterator[ServiceTelemetry]:
    """Telemetry with a log in a folder."""
    telemetry = service_telemetry(TelemetryOptions(version="9.9", log_file=folder / "log.jsonl", **chosen))
    try:
        yield telemetry
    finally:
        telemetry.close()


def lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]


def scraped(telemetry: ServiceTelemetry) -> str:
    return telemetry.exposition("text/plain").body.decode()


def handle(telemetry: ServiceTelemetry, *, status: int = 200, **more: Any) -> None:
    with telemetry.request(Incoming(id="r-1", method="POST", traceparent=more.pop("traceparent", None))) as handled:
        handled(Handled(route="/v1/ask", status=status, **more))


def fails() -> None:
    """A fault with a cause, both of which have the secret in their words."""
    try:
        int(SECRET)
    except ValueError as cause:
        raise KeyError(SECRET) from cause


class TestTheLog:
    def test_has_a_line_for_each_request_with_its_route_and_no_caller_s_name(self, tmp_path: Path) -> None:
        with telling(tmp_path) as telemetry:
            handle(telemetry, caller=ADA)
            handle(telemetry, caller=ADA)
            handle(telemetry, caller=replace(ADA, tenant="other"), status=422, code="empty_question", detail="x")
        first, again, other = lines(tmp_path)
        assert first.keys() <= KEYS
        assert (first["event"], first["request"], first["method"]) == ("request", "r-1", "POST")
        assert (first["route"], first["status"], first["level"]) == ("/v1/ask", 200, "info")
        assert re.fullmatch(r"[0-9a-f]{12}", first["caller"])
        assert first["caller"] == again["caller"] != other["caller"]
        assert (other["code"], other["detail"]) == ("empty_question", "x")
        assert "ada" not in (tmp_path / "log.jsonl").read_text()

    def test_tells_a_caller_otherwise_in_every_process(self, tmp_path: Path) -> None:
        for _ in range(2):
            with telling(tmp_path) as telemetry:
                handle(telemetry, caller=ADA)
        first, second = lines(tmp_path)
        assert first["caller"] != second["caller"]

    def test_counts_what_happens_within_a_request_to_it_in_threads_too(self, tmp_path: Path) -> None:
        async def work(telemetry: ServiceTelemetry) -> None:
            with telemetry.request(Incoming(id="r-7", method="GET")):
                await asyncio.to_thread(telemetry.observer.outcome, "SearchOnly", SearchOnlyReason.TIMEOUT)

        with telling(tmp_path) as telemetry:
            asyncio.run(work(telemetry))
            telemetry.note("stopping")
        inside, outside = lines(tmp_path)
        assert (inside["request"], inside["outcome"], inside["reason"]) == ("r-7", "SearchOnly", "timeout")
        assert outside["event"] == "stopping"
        assert "request" not in outside

    def test_tells_steps_where_debug_is_wanted(self, tmp_path: Path) -> None:
        for level in ("info", "debug"):
            with telling(tmp_path, log_level=level) as telemetry, telemetry.observer.step("search") as tell:
                tell(eligible=3, found=2, drift=0)
        (line,) = lines(tmp_path)
        assert (line["step"], line["eligible"], line["found"]) == ("search", 3, 2)

    @pytest.mark.parametrize(
        "fields",
        [{"question": "x"}, {"reason": SECRET}, {"frames": (SECRET,)}, {"code": {"a": 1}}, {"code": "x" * 201}],
    )
    def test_holds_no_key_that_is_not_allowed_and_no_value_with_words(
        self, tmp_path: Path, fields: dict[str, Any]
    ) -> None:
        with telling(tmp_path) as telemetry:
            telemetry._log.write("error", "fault", **fields)
        (line,) = lines(tmp_path)
        assert line["dropped"] == 1
        assert not line.keys() & fields.keys()

    def test_has_the_class_and_place_of_a_fault_and_not_its_words(self, tmp_path: Path) -> None:
        with telling(tmp_path) as telemetry:
            try:
                fails()
            except KeyError as error:
                telemetry.fault(error)
            telemetry.fault(StoreFault("store_unreadable", SECRET))
        unexpected, known = lines(tmp_path)
        assert (unexpected["code"], unexpected["kind"], unexpected["cause"]) == ("unexpected", "KeyError", "ValueError")
        assert re.fullmatch(r".*test_telemetry:fails:\d+", unexpected["frames"][-1])
        assert (known["code"], known["level"]) == ("store_unreadable", "error")
        assert "fox" not in (tmp_path / "log.jsonl").read_text()

    def test_has_the_place_of_what_a_library_logs_and_not_its_words(self, tmp_path: Path) -> None:
        with telling(tmp_path):
            logging.getLogger("vendor.part").warning("it says %s", SECRET)
            try:
                fails()
            except KeyError:
                logging.getLogger("vendor").exception(SECRET)
            logging.getLogger("vendor").debug(SECRET)
        logging.getLogger("vendor").error("nobody listens any more")
        warned, failed = lines(tmp_path)
        assert (warned["event"], warned["logger"], warned["level"]) == ("library", "vendor.part", "warning")
        assert warned["frames"][0].startswith("test_telemetry:test_has_the_place")
        assert (failed["kind"], failed["level"]) == ("KeyError", "error")
        assert "fox" not in (tmp_path / "log.jsonl").read_text()

    def test_that_cannot_be_written_stops_nothing_and_is_counted(self, tmp_path: Path) -> None:
        with telling(tmp_path) as telemetry:
            telemetry._log.close()
            handle(telemetry)
            assert "toulmin_log_lines_lost_total 1.0" in scraped(telemetry)

    def test_that_cannot_be_opened_is_refused_with_its_place(self, tmp_path: Path) -> None:
        (tmp_path / "log.jsonl").mkdir()
        with pytest.raises(InputError, match="the log cannot be written") as raised, telling(tmp_path):
            pass
        assert (raised.value.code, raised.value.where) == ("unwritable_file", "toulmin.toml: telemetry.log_file")

    def test_goes_to_standard_error_without_a_file(self, capsys: pytest.CaptureFixture[str]) -> None:
        telemetry = service_telemetry(TelemetryOptions(version="9.9"))
        telemetry.note("started")
        telemetry.close()
        line = json.loads(capsys.readouterr().err)
        assert (line["event"], line["version"], line["worker"]) == ("started", "9.9", os.getpid())


class TestTraces:
    def test_have_a_span_for_the_request_and_for_each_step_with_counts(self, tmp_path: Path) -> None:
        wet = fact("wet", "Water is wet.")
        with collecting() as collector:
            with telling(tmp_path, traces_url=f"{collector.url}/v1/traces") as telemetry:
                made = replace(parts(contract(wet, query="water", k=1)), observer=telemetry.observer)
                ingest(made, "A", "Water is wet.\n", labels={"wet": "Water is wet."})
                with telemetry.request(Incoming(id="r-1", method="POST", traceparent=PARENT)) as handled:
                    asked(made)
                    handled(Handled(route="/v1/ask", status=200))
            whole = collector.span("POST /v1/ask")
            assert whole.trace_id.hex() == TRACE
            assert attributes(whole) == {
                "http.request.method": "POST",
                "http.route": "/v1/ask",
                "http.response.status_code": 200,
                "toulmin.request": "r-1",
                "toulmin.outcome": "Answered",
            }
            children = {span.name: span.parent_span_id for span in collector.spans if span is not whole}
            assert children.keys() == {"search", "gather", "cover", "draft", "judge", "commit", "POST /v1/ask"}
            assert children["gather"] == whole.span_id
            assert children["search"] == collector.span("gather").span_id
            counts = {"toulmin.eligible": 1, "toulmin.found": 1, "toulmin.drift": 0}
            assert attributes(collector.span("search")) == counts
            assert collector.paths == ["/v1/traces"]
        assert all(line["trace"] == TRACE for line in lines(tmp_path))

    def test_have_the_code_of_a_fault_and_not_its_words(self, tmp_path: Path) -> None:
        with collecting() as collector:
            with telling(tmp_path, traces_url=collector.url, log_level="debug") as telemetry:
                faults: list[BaseException] = [
                    Conflict("store_busy", SECRET),
                    TimeoutError(SECRET),
                    ValueError(SECRET),
                    asyncio.CancelledError(),
                ]
                for fault in faults:
                    with pytest.raises(type(fault)), telemetry.observer.step("commit"):
                        raise fault
                handle(telemetry, status=503, code="store_busy")
            codes = ["store_busy", "timeout", "unexpected", "cancelled", "store_busy"]
            assert [attributes(span)["error.type"] for span in collector.spans] == codes
            assert not any(span.events for span in collector.spans)
            assert all(b"fox" not in body for body in collector.bodies)
        assert [line["code"] for line in lines(tmp_path)] == codes

    @pytest.mark.parametrize("parent", ["", "00-0-0-00", f"ff-{TRACE}-b7ad6b7169203331-01", SECRET])
    def test_begin_anew_where_the_caller_s_header_names_none(self, tmp_path: Path, parent: str) -> None:
        with collecting() as collector:
            with telling(tmp_path, traces_url=collector.url) as telemetry:
                handle(telemetry, traceparent=parent)
            (span,) = collector.spans
            assert span.parent_span_id == b""
            assert span.trace_id.hex() != TRACE

    def test_leave_the_process_only_where_a_collector_is_named_and_are_in_the_log_all_the_same(
        self, tmp_path: Path
    ) -> None:
        with telling(tmp_path) as telemetry:
            handle(telemetry, traceparent=PARENT)
            handle(telemetry)
        assert [line["trace"] for line in lines(tmp_path)] == [TRACE, None]

    @pytest.mark.parametrize(("status", "hangs"), [(500, False), (400, False), (200, True)])
    def test_that_cannot_be_sent_hold_nobody_up(self, tmp_path: Path, status: int, hangs: bool) -> None:
        with collecting(status, hangs=hangs) as collector:
            begun = time.monotonic()
            with telling(tmp_path, traces_url=collector.url) as telemetry:
                for _ in range(3_000):  # more than its queue takes
                    with telemetry.observer.step("search"):
                        pass
                assert time.monotonic() - begun < 4
            assert time.monotonic() - begun < 10

    def test_to_a_collector_that_is_not_there_hold_nobody_up(self, tmp_path: Path) -> None:
        with collecting() as collector:
            nowhere = collector.url
        begun = time.monotonic()
        with telling(tmp_path, traces_url=nowhere) as telemetry:
            handle(telemetry)
        assert time.monotonic() - begun < 10


class TestMetrics:
    def test_count_requests_outcomes_verdicts_drafts_and_lag(self, tmp_path: Path) -> None:
        wet = fact("wet", "Water is wet.")
        with telling(tmp_path) as telemetry:
            made = replace(parts(contract(wet, query="water", k=1)), observer=telemetry.observer)
            ingest(made, "A", "Water is wet.\n", labels={"wet": "Water is wet."})
            asked(made)
            handle(telemetry)
            for source in ("kept", "shared", "fresh", "saturated"):
                telemetry.observer.draft(source)
            telemetry.observer.lag("meaning", 2, 30)
            with telemetry.observer.step("ask_drafter"):
                assert "toulmin_drafts_in_flight 1.0" in scraped(telemetry)
            found = scraped(telemetry)
        for sample in (
            'toulmin_requests_total{route="/v1/ask",status="200"} 1.0',
            'toulmin_request_seconds_count{route="/v1/ask"} 1.0',
            'toulmin_outcomes_total{outcome="Answered",reason="none"} 1.0',
            'toulmin_step_seconds_count{step="search"} 1.0',
            'toulmin_verdicts_total{reason="licensed",status="licensed"} 1.0',
            'toulmin_draft_cache_total{result="hit"} 1.0',
            'toulmin_draft_cache_total{result="shared"} 1.0',
            'toulmin_draft_cache_total{result="miss"} 1.0',
            "toulmin_drafts_refused_total 1.0",
            "toulmin_drafts_in_flight 0.0",
            'toulmin_index_lag{index="meaning",of="changes"} 2.0',
            'toulmin_index_lag{index="meaning",of="passages"} 30.0',
        ):
            assert f"\n{sample}\n" in found
        assert re.search(r'toulmin_build_info{python="3[.0-9a-z]+",version="9.9"} 1.0', found)
        assert "process_resident_memory_bytes" in found

    def test_have_no_label_for_a_method_that_http_does_not_know(self, tmp_path: Path) -> None:
        with telling(tmp_path) as telemetry, telemetry.request(Incoming(id="r", method="FOX")) as handled:
            handled(Handled(route="unmatched", status=404))
        assert lines(tmp_path)[0]["method"] == "other"

    def test_are_given_as_openmetrics_to_who_asks_for_it(self, tmp_path: Path) -> None:
        with telling(tmp_path) as telemetry:
            plain, modern = (telemetry.exposition(a) for a in ("*/*", "application/openmetrics-text; version=1.0.0"))
        assert plain.media_type.startswith("text/plain")
        assert modern.media_type.startswith("application/openmetrics-text")
        assert modern.body.endswith(b"# EOF\n")

    @pytest.mark.parametrize("version", ["latest", "", "nan", "1.0.0.0.0"])
    def test_are_given_whatever_version_of_a_form_is_asked_for(self, tmp_path: Path, version: str) -> None:
        with telling(tmp_path) as telemetry:
            for form in ("application/openmetrics-text", "text/plain"):
                found = telemetry.exposition(f"{form}; version={version}; escaping=allow-utf-8")
                assert b"toulmin_build_info" in found.body
                assert version == "" or version not in found.media_type


WORKER = """
import sys
from pathlib import Path
from toulmin.adapters import telemetry
from toulmin.adapters.telemetry import TelemetryOptions, service_telemetry
from toulmin.ports.telemetry import Handled, Incoming
telemetry = service_telemetry(TelemetryOptions(version="9.9", metrics_folder=Path(sys.argv[1])))
with telemetry.request(Incoming(id="r", method="GET")) as handled:
    handled(Handled(route="/v1/ask", status=200))
telemetry.observer.lag("words", int(sys.argv[2]), 0)
with telemetry.observer.step("ask_drafter"):
    for line in sys.stdin:
        print(telemetry.exposition("").body.decode(), "END", flush=True)
"""


class Worker:
    """A worker process that has answered one request, and is at work on a draft."""

    def __init__(self, folder: Path, lag: int, environment: Mapping[str, str]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", WORKER, str(folder), str(lag)],
            env={**os.environ, **environment},
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def scraped(self) -> list[str]:
        """What it tells."""
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write("\n")
        stdin.flush()
        return list(iter(stdout.readline, " END\n"))

    def end(self) -> None:
        self.process.kill()
        self.process.communicate(timeout=30)


def test_several_workers_tell_the_metrics_of_all_whichever_is_asked(tmp_path: Path) -> None:
    (tmp_path / "counter_1.db").write_bytes(b"of an earlier start")
    environment = shared_metrics(tmp_path)
    assert list(tmp_path.iterdir()) == []
    with ExitStack() as stack:

        def worker(lag: int) -> Worker:
            started = Worker(tmp_path, lag, environment)
            stack.callback(started.end)
            started.scraped()
            return started

        first, second = worker(5), worker(3)
        both = {*first.scraped()}
        assert both == {*second.scraped()}
        requests = 'toulmin_requests_total{route="/v1/ask",status="200"}'
        assert {f"{requests} 2.0\n", "toulmin_drafts_in_flight 2.0\n"} <= both
        assert 'toulmin_index_lag{index="words",of="changes"} 3.0\n' in both
        assert any(line.startswith("toulmin_build_info{") and line.endswith(" 1.0\n") for line in both)
        second.end()
        alone = first.scraped()
        assert f"{requests} 2.0\n" in alone  # what a worker counted stays counted
        assert "toulmin_drafts_in_flight 1.0\n" in alone  # what it had in flight is gone with it
        assert 'toulmin_index_lag{index="words",of="changes"} 5.0\n' in alone


def test_what_a_worker_that_has_ended_had_in_flight_is_taken_out_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    foreign, ended = 4_000_001, 4_000_002  # above what a process id can be

    def kill(pid: int, _: int) -> None:
        if pid == foreign:
            raise PermissionError
        if pid == ended:
            raise ProcessLookupError

    monkeypatch.setattr(os, "kill", kill)
    kinds = ("gauge_livesum", "gauge_livemostrecent", "counter")
    for kind, pid in product(kinds, (foreign, ended, os.getpid())):
        (tmp_path / f"{kind}_{pid}.db").touch()
    _bury(tmp_path)
    left = {file.name for file in tmp_path.iterdir()}
    assert left == {f"{kind}_{pid}.db" for kind, pid in product(kinds, (foreign, os.getpid()))} | {
        f"counter_{ended}.db"
    }


def test_without_the_extra_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telemetry, "find_spec", lambda name: None if name == "structlog" else name)
    with pytest.raises(InputError, match=r"needs the package structlog.*toulmin\[server\]") as raised:
        service_telemetry(TelemetryOptions(version="9.9"))
    assert raised.value.code == "missing_extra"
