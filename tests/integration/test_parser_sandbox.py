from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import pytest

from toulmin.adapters.sandbox.parser import SandboxedParser
from toulmin.domain.errors import InputError
from toulmin.ports.parser import Parsed, ParsingLimits

LIMITS = ParsingLimits(max_bytes=1_000_000, max_text_chars=10_000, timeout_s=30.0, memory_mb=512)


@dataclass(frozen=True)
class Obedient:
    """Does what the file says, in the worker."""

    name = "obedient 1"
    suffixes = frozenset({".txt"})

    def parse(self, data: bytes, *, name: str) -> Parsed:  # noqa: C901  an order a case
        order, _, argument = data.decode().partition(" ")
        text = argument
        match order:
            case "pid":
                text = str(os.getpid())
            case "refuse":
                raise InputError("no_text", "the file is empty", where=name, remedy="leave it out")
            case "raise":
                raise ZeroDivisionError(argument)
            case "crash":
                ctypes.string_at(0)
            case "exit":
                os._exit(3)
            case "hang":
                time.sleep(60)
            case "spin":
                while True:
                    pass
            case "eat":
                text = str(len(bytearray(600 << 20)))
            case "write":
                text = "x" * int(argument)
            case "print":
                os.write(1, b"noise on standard output")
                print("more of it", flush=True)  # noqa: T201
            case "sleep":
                time.sleep(float(argument))
        return Parsed(text=text, encoding="utf-8", media_type="text/plain")


@pytest.fixture
def parser() -> Iterator[SandboxedParser]:
    with SandboxedParser(Obedient(), LIMITS) as parser:
        yield parser


def told(parser: SandboxedParser, order: str) -> str:
    return parser.parse(order.encode(), name="file.txt").text


def refusal(parser: SandboxedParser, order: str) -> InputError:
    with pytest.raises(InputError) as refused:
        told(parser, order)
    assert refused.value.where == "file.txt"
    assert refused.value.remedy
    return refused.value


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_the_result_is_that_of_the_parser(parser: SandboxedParser) -> None:
    data = "say Zürich \U0001f469".encode()
    assert parser.parse(data, name="a.txt") == Obedient().parse(data, name="a.txt")
    assert (parser.name, parser.suffixes) == ("obedient 1", Obedient.suffixes)


def test_a_parser_runs_in_another_process_that_is_used_again(parser: SandboxedParser) -> None:
    assert told(parser, "pid") == told(parser, "pid") != str(os.getpid())


def test_a_refusal_arrives_as_it_was_raised_and_keeps_the_worker(parser: SandboxedParser) -> None:
    before = told(parser, "pid")
    fault = refusal(parser, "refuse")
    assert (fault.code, fault.message, fault.remedy) == ("no_text", "the file is empty", "leave it out")
    assert told(parser, "pid") == before


@pytest.mark.parametrize(
    ("order", "code", "how"),
    [
        ("crash", "parser_crashed", "SIGSEGV"),
        ("exit", "parser_crashed", "exit status 3"),
        ("raise secret", "parser_crashed", "exit status 1"),
        ("eat", "parser_out_of_memory", "512 MiB"),
        ("write 10001", "output_too_large", "10000 characters"),
    ],
)
def test_a_fault_is_one_refused_file_and_the_next_one_is_read(
    parser: SandboxedParser, order: str, code: str, how: str
) -> None:
    fault = refusal(parser, order)
    assert fault.code == code
    assert how in fault.message
    assert "secret" not in str(fault)
    assert told(parser, "say next") == "next"


@pytest.mark.parametrize("order", ["hang", "spin"])
def test_a_file_that_takes_too_long_is_given_up(order: str) -> None:
    with SandboxedParser(Obedient(), replace(LIMITS, timeout_s=1.0)) as parser:
        told(parser, "say first")
        started = time.monotonic()
        fault = refusal(parser, order)
        assert fault.code == "parser_timeout"
        assert "longer than 1 seconds" in fault.message
        assert 0.9 < time.monotonic() - started < 10  # once, and not once more in a new worker
        assert told(parser, "say next") == "next"


def test_the_limits_are_those_that_were_given() -> None:
    roomy = replace(LIMITS, max_text_chars=20_000, memory_mb=4096)
    with SandboxedParser(Obedient(), roomy) as parser:
        assert len(told(parser, "write 10001")) == 10_001
        assert told(parser, "eat") == str(600 << 20)


def test_a_file_that_is_too_large_is_not_sent(parser: SandboxedParser) -> None:
    assert refusal(parser, "say " + "x" * 1_000_000).code == "too_large"
    assert told(parser, "say " + "x" * 1_000) == "x" * 1_000


def test_a_worker_that_was_killed_between_two_files_is_replaced(parser: SandboxedParser) -> None:
    pid = int(told(parser, "pid"))
    os.kill(pid, signal.SIGKILL)
    assert int(told(parser, "pid")) != pid


def test_what_a_parser_prints_disturbs_nothing(parser: SandboxedParser) -> None:
    assert told(parser, "print words") == "words"
    assert told(parser, "say on") == "on"


def test_a_bound_on_time_holds_for_each_file_and_not_for_all_together() -> None:
    with SandboxedParser(Obedient(), replace(LIMITS, timeout_s=2.0)) as parser:
        told(parser, "say first")
        time.sleep(2.1)  # an alarm that was left on would end the worker now
        pid = told(parser, "pid")
        for _ in range(3):
            told(parser, "sleep 0.8")
        assert told(parser, "pid") == pid


def test_threads_share_as_many_workers_as_there_may_be() -> None:
    with SandboxedParser(Obedient(), LIMITS, workers=2) as parser, ThreadPoolExecutor(4) as threads:
        texts = list(threads.map(lambda at: told(parser, f"sleep 0.0{at % 3}"), range(24)))
        pids = set(threads.map(lambda _: told(parser, "pid"), range(24)))
    assert texts == [f"0.0{at % 3}" for at in range(24)]
    assert len(pids) <= 2


def test_closing_ends_the_workers(parser: SandboxedParser) -> None:
    pid = int(told(parser, "pid"))
    parser.close()
    assert not alive(pid)


def test_a_worker_ends_with_its_parent_even_where_that_is_killed() -> None:
    program = (
        "import sys; from tests.integration.test_parser_sandbox import LIMITS, Obedient, SandboxedParser, told;"
        "print(told(SandboxedParser(Obedient(), LIMITS), 'pid'), flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        parent.kill()
        parent.wait()
        deadline = time.monotonic() + 10
        while alive(pid) and time.monotonic() < deadline:
            time.sleep(0.01)
    assert not alive(pid)
