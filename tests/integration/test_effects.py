"""Commands, webhooks and workers beyond their contracts: what processes and servers do when they do not behave."""

from __future__ import annotations

import asyncio
import base64
import hmac
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from toulmin.adapters.effects import CommandEffect, webhook_effect
from toulmin.adapters.effects.webhook import WebhookEffect, signature
from toulmin.adapters.system.workers import SystemWorkers
from toulmin.domain.errors import InputError
from toulmin.domain.proof.approval import Worker
from toulmin.ports.effects import Done, Ending, NotDone, Unknown
from toulmin.testing.effects import order
from toulmin.testing.provider import Behaviour, Provider, Response

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"  # the one that the standard's own examples use


# -- commands ------------------------------------------------------------------------------------------------------


def shell(folder: Path, script: str, *, timeout_s: float = 30.0) -> CommandEffect:
    return command(folder, ("/bin/sh", "-c", script), timeout_s=timeout_s)


def command(folder: Path, argv: Sequence[str], *, timeout_s: float = 30.0) -> CommandEffect:
    return CommandEffect(argv=argv, folder=folder, idempotent=False, timeout_s=timeout_s)


def test_a_command_runs_in_the_workspace_with_the_words_of_the_settings(tmp_path: Path) -> None:
    argv = (sys.executable, "-c", "import os, sys; print(os.getcwd(), sys.argv[1:])", "a b", "$HOME", "*")
    assert command(tmp_path, argv).carry_out(order()) == Done(code="exit_0", output=f"{tmp_path} ['a b', '$HOME', '*']")


@pytest.mark.parametrize(
    ("argv", "says"),
    [
        (("./nowhere",), "./nowhere: No such file or directory"),
        (("./plain",), "./plain: Permission denied"),
        (("sh\0",), "sh\0: embedded null byte"),
    ],
)
def test_a_program_that_cannot_be_started_did_nothing(tmp_path: Path, argv: Sequence[str], says: str) -> None:
    (tmp_path / "plain").touch()
    assert command(tmp_path, argv).carry_out(order()) == NotDone(code="cannot_start", output=says)


def test_a_command_need_not_read_its_order(tmp_path: Path) -> None:
    large = replace(order(), answer="x" * 1_000_000)
    assert shell(tmp_path, "exit 0").carry_out(large) == Done(code="exit_0", output="")
    assert shell(tmp_path, "wc -c").carry_out(large).output > "1000000"


def test_a_failure_keeps_the_last_lines_of_standard_error(tmp_path: Path) -> None:
    ending = shell(tmp_path, "seq 100000 >&2; echo out; exit 4").carry_out(order())
    assert isinstance(ending, NotDone)
    assert ending.code == "exit_4"
    assert ending.output.endswith("99998\n99999\n100000")
    assert "out" not in ending.output


def test_a_command_that_is_killed_may_have_done_its_work(tmp_path: Path) -> None:
    ending = shell(tmp_path, "echo half >&2; kill -KILL $$").carry_out(order())
    assert ending == Unknown(code="signal_9", output="half")


BRANCHING = "sleep 60 & echo $! > child; wait"
"""A command with a process of its own."""


def check_over(folder: Path) -> None:
    """Checks that the process of `BRANCHING` has ended, though its parent may not have asked for it."""
    child = worker_of_number(int((folder / "child").read_text()))
    until = time.monotonic() + 30
    while not SystemWorkers().is_gone(child):
        assert time.monotonic() < until
        time.sleep(0.01)


def test_the_timeout_ends_all_of_a_commands_processes(tmp_path: Path) -> None:
    ending = shell(tmp_path, BRANCHING, timeout_s=2).carry_out(order())
    assert ending == Unknown(code="timeout")
    check_over(tmp_path)


def test_a_process_that_a_command_leaves_behind_is_not_waited_for(tmp_path: Path) -> None:
    begun = time.monotonic()
    ending = shell(tmp_path, "sleep 60 & echo $!").carry_out(order())
    assert ending.code == "exit_0"
    assert time.monotonic() - begun < 30
    os.kill(int(ending.output), signal.SIGKILL)


def test_a_command_does_not_outlive_who_waits_for_it(tmp_path: Path) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 2)
    try:
        with pytest.raises(KeyboardInterrupt):
            shell(tmp_path, BRANCHING).carry_out(order())
    finally:
        signal.signal(signal.SIGALRM, before)
    check_over(tmp_path)


# -- webhooks ------------------------------------------------------------------------------------------------------


@contextmanager
def hook(*script: Behaviour, timeout_s: float = 10.0) -> Iterator[tuple[WebhookEffect, Provider]]:
    with Provider(*script) as provider:
        url = f"{provider.base_url}/hook"
        yield (
            WebhookEffect(url=url, secret=b"secret", idempotent=False, timeout_s=timeout_s, now=lambda: 1700000000.9),
            provider,
        )


def answer(**how: object) -> Behaviour:
    return lambda *_: Response(**how)  # type: ignore[arg-type]


def ending(*script: Behaviour, timeout_s: float = 10.0) -> Ending:
    with hook(*script, timeout_s=timeout_s) as (effect, provider):
        end = effect.carry_out(order())
        assert len(provider.requests) == 1
        return end


def test_the_signature_is_that_of_the_standards_own_example() -> None:
    key = base64.b64decode(SECRET.removeprefix("whsec_"))
    headers = signature(key, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}')
    assert headers == {
        "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "webhook-timestamp": "1614265330",
        "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }


def test_a_request_is_signed_over_its_very_bytes_and_names_the_operation() -> None:
    with hook(answer()) as (effect, provider):
        effect.carry_out(order("op-7"))
    (request,) = provider.requests
    signed = b"op-7.1700000000." + request.body
    expected = base64.b64encode(hmac.new(b"secret", signed, sha256).digest()).decode()
    assert request.headers["webhook-signature"] == f"v1,{expected}"
    assert (request.headers["webhook-id"], request.headers["webhook-timestamp"]) == ("op-7", "1700000000")
    assert request.headers["content-type"] == "application/json"
    assert b"secret" not in request.raw
    assert "secret" not in repr(effect)


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        *((status, Done) for status in (200, 202, 204)),
        *((status, NotDone) for status in (400, 401, 404, 409, 429, 500, 503)),
        *((status, Unknown) for status in (502, 504)),
    ],
)
def test_the_status_says_how_it_ended(status: int, kind: type[Ending]) -> None:
    end = ending(answer(status=status, body=b"said"))
    assert (type(end), end.code) == (kind, f"http_{status}")


def test_a_webhook_works_where_an_event_loop_is_running() -> None:
    async def caller() -> Ending:
        return ending(answer(body=b"done"))

    assert asyncio.run(caller()) == Done(code="http_200", output="done")


def test_no_redirect_is_followed() -> None:
    with Provider() as other:
        end = ending(answer(status=307, headers={"Location": f"{other.base_url}/hook"}))
        assert (end, other.requests) == (NotDone(code="http_307", output="{}"), ())


def test_a_reply_that_breaks_off_before_its_status_says_nothing() -> None:
    whole = len(Response(body=b"").head())
    assert ending(answer(body=b"", missing=whole)) == Unknown(code="disconnected")


def test_the_words_of_a_reply_do_not_matter_to_how_it_ended() -> None:
    assert ending(answer(body=b"x" * 100, missing=50)) == Done(code="http_200", output="x" * 50)
    begun = time.monotonic()
    assert ending(answer(body=b"x" * 100, drip_s=0.3)).code == "http_200"
    assert time.monotonic() - begun < 20


def test_a_reply_in_another_form_than_asked_for_says_nothing() -> None:
    headers = {"Content-Encoding": "gzip"}
    assert ending(answer(headers=headers)) == Unknown(code="encoded")


def test_a_server_without_tls_is_not_spoken_to() -> None:
    with Provider() as provider:
        url = f"{provider.base_url}/hook".replace("http:", "https:")
        effect = WebhookEffect(url=url, secret=b"s", idempotent=False, timeout_s=5)
        assert effect.carry_out(order()) == NotDone(code="tls")
        assert provider.requests == ()


@pytest.mark.parametrize(
    ("secret", "code"),
    [
        (None, "missing_secret"),
        ("", "missing_secret"),
        ("whsec_", "bad_secret"),
        ("whsec_c2hvcnQ=", "bad_secret"),
        ("whsec_not base64 at all!", "bad_secret"),
        (SECRET.removeprefix("whsec_"), "bad_secret"),
    ],
)
def test_a_webhook_without_a_proper_secret_is_refused_and_does_not_show_it(secret: str | None, code: str) -> None:
    with pytest.raises(InputError) as caught:
        webhook_effect("http://h/x", secret, secret_env="HOOK", idempotent=True, timeout_s=5)
    assert caught.value.code == code
    assert "HOOK" in caught.value.message
    assert not secret or secret not in str(caught.value).replace("whsec_ and", "")


def test_a_webhooks_secret_is_decoded() -> None:
    effect = webhook_effect("http://h/x", SECRET, secret_env="HOOK", idempotent=True, timeout_s=5)
    assert effect == WebhookEffect(url="http://h/x", secret=base64.b64decode(SECRET[6:]), idempotent=True, timeout_s=5)


# -- workers -------------------------------------------------------------------------------------------------------


def worker_of(pid: int) -> Worker:
    """A process of this host, by what it says of itself."""
    start = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]
    return replace(SystemWorkers().me(), process=f"{pid} {start}")


def worker_of_number(pid: int) -> Worker:
    """The same for one that may have ended already."""
    try:
        return worker_of(pid)
    except FileNotFoundError:
        return replace(SystemWorkers().me(), process=f"{pid} 0")


def test_a_process_that_is_there_is_not_gone() -> None:
    workers = SystemWorkers()
    me = workers.me()
    assert me == worker_of(os.getpid())
    assert not workers.is_gone(me)
    assert not workers.is_gone(worker_of(1)), "another user's, or of nobody that may be asked"


@pytest.mark.parametrize("reaped", [True, False])
def test_a_process_that_was_killed_is_gone(reaped: bool) -> None:
    """Also while its parent has not asked for it: then it is still listed."""
    process = subprocess.Popen(("sleep", "60"))
    other = worker_of(process.pid)
    assert not SystemWorkers().is_gone(other)
    process.kill()
    if reaped:
        process.wait()
    else:
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert SystemWorkers().is_gone(other)
    process.wait()


@pytest.mark.parametrize(
    ("changed", "gone"),
    [
        (lambda me: replace(me, process=f"{me.process}1"), True),
        (lambda me: replace(me, host="another boot"), False),
        (lambda me: replace(me, host=""), False),
    ],
)
def test_a_process_is_told_from_another_with_its_number(changed: Callable[[Worker], Worker], gone: bool) -> None:
    assert SystemWorkers().is_gone(changed(SystemWorkers().me())) is gone


def test_without_the_kernels_word_nobody_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toulmin.adapters.system.workers._PROC", tmp_path)
    me = SystemWorkers().me()
    assert me == Worker(host="", process=str(os.getpid()))
    assert not SystemWorkers().is_gone(me)


def test_a_process_of_a_host_that_cannot_be_told_is_never_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = tmp_path / str(os.getpid())
    own.mkdir()
    (own / "stat").write_text(Path("/proc/self/stat").read_text())
    monkeypatch.setattr("toulmin.adapters.system.workers._PROC", tmp_path)
    me = SystemWorkers().me()
    assert me.host == ""
    assert not SystemWorkers().is_gone(me)


def test_a_process_of_another_user_is_there_even_where_it_is_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(_pid: int, _signal: int) -> None:
        raise PermissionError

    workers = SystemWorkers()
    hidden = replace(workers.me(), process="4194305 1")  # beyond the largest number that Linux gives
    assert workers.is_gone(hidden)
    monkeypatch.setattr(os, "kill", forbidden)
    assert not workers.is_gone(hidden)


def test_a_webhook_needs_its_http_client(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "toulmin.adapters.effects.webhook")
    monkeypatch.setitem(sys.modules, "httpx2", None)
    with pytest.raises(InputError, match=r"toulmin\[openai\]") as caught:
        webhook_effect("http://h/x", SECRET, secret_env="HOOK", idempotent=True, timeout_s=5)
    assert caught.value.code == "missing_extra"


def test_a_fault_of_our_own_is_no_missing_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "toulmin.adapters.effects.webhook")
    monkeypatch.setitem(sys.modules, "toulmin.adapters.effects.output", None)
    with pytest.raises(ModuleNotFoundError):
        webhook_effect("http://h/x", SECRET, secret_env="HOOK", idempotent=True, timeout_s=5)
