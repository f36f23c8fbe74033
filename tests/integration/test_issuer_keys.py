from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.unit.tokens import ADA, SECONDS, Made, SetClock, jwt, key, public, token
from toulmin.adapters.jwt import Issuer, jwt_authenticator
from toulmin.adapters.jwt.fetching import fetched
from toulmin.adapters.jwt.sources import FRESH_S, PATIENCE_S, PAUSE_S, STALE_S, KeyFile, PublishedKeys
from toulmin.domain.errors import InputError, Overloaded
from toulmin.ports.authenticator import Denied, Reason

OLD, NEW = json.dumps(public(key())), json.dumps(public(key("RSA", "k2")))
NEW_TOKEN = str(Made(header={"alg": "RS256", "kid": "k2"}, by=key("RSA", "k2")))


@dataclass
class Publishing:
    """An issuer's server on loopback; `reply` answers a request, and is changed while it runs."""

    url: str = ""
    body: str = OLD
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    wait_s: float = 0.0
    drip_s: float = 0.0
    asked: list[str] = field(default_factory=list)

    def reply(self, handler: BaseHTTPRequestHandler) -> None:
        self.asked.append(handler.path)
        time.sleep(self.wait_s)
        handler.send_response(self.status)
        for name, value in self.headers.items():
            handler.send_header(name, value)
        handler.end_headers()
        pieces = self.body if self.drip_s else (self.body,)
        for piece in pieces:
            handler.wfile.write(piece.encode())
            time.sleep(self.drip_s)


@contextmanager
def publishing() -> Iterator[Publishing]:
    published = Publishing()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            with suppress(ConnectionError):
                published.reply(self)

        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        published.url = f"http://127.0.0.1:{server.server_address[1]}/keys"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield published
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def issuer() -> Iterator[Publishing]:
    with publishing() as published:
        yield published


@dataclass
class Seconds:
    """A count of seconds that goes on when it is told to."""

    at: float = 1_000.0

    def __call__(self) -> float:
        return self.at


# ---- fetching -----------------------------------------------------------------------------------------------------------------------------


def test_keys_are_fetched_whole(issuer: Publishing) -> None:
    assert fetched(f"{issuer.url}?p=1") == OLD.encode()
    assert issuer.asked == ["/keys?p=1"]


def refused(issuer: Publishing, deadline_s: float = 5.0) -> str:
    with pytest.raises(InputError) as caught:
        fetched(issuer.url, deadline_s=deadline_s)
    return caught.value.code


@pytest.mark.parametrize("status", [201, 204, 301, 302, 307, 308, 401, 404, 500, 503])
def test_only_a_plain_success_is_taken_for_keys(issuer: Publishing, status: int) -> None:
    issuer.status = status
    assert refused(issuer) == f"keys_http_{status}"


def test_a_redirect_leads_nowhere(issuer: Publishing) -> None:
    with publishing() as elsewhere:
        issuer.status, issuer.headers = 302, {"Location": elsewhere.url}
        assert refused(issuer) == "keys_http_302"
        assert elsewhere.asked == []


def test_a_huge_reply_is_not_read(issuer: Publishing) -> None:
    issuer.body = '{"keys": [' + " " * 300_000
    assert refused(issuer) == "keys_too_large"


def test_a_compressed_reply_is_not_read(issuer: Publishing) -> None:
    issuer.headers = {"Content-Encoding": "gzip"}
    assert refused(issuer) == "keys_encoded"


@pytest.mark.parametrize(("wait_s", "drip_s"), [(1.5, 0.0), (0.0, 0.05)], ids=["silent", "dripping"])
def test_a_slow_issuer_is_left_at_the_deadline(issuer: Publishing, wait_s: float, drip_s: float) -> None:
    issuer.wait_s, issuer.drip_s = wait_s, drip_s
    issuer.body = issuer.body[:40]
    begun = time.monotonic()
    assert refused(issuer, deadline_s=0.4) in {"keys_deadline", "keys_silence"}
    assert time.monotonic() - begun < 1.3


def test_an_issuer_that_is_not_there_is_a_fault_with_a_code() -> None:
    with publishing() as gone:
        pass
    assert refused(gone) == "keys_connect"


def test_nothing_of_the_environment_is_heeded(issuer: Publishing, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert fetched(issuer.url) == OLD.encode()


# ---- keeping ------------------------------------------------------------------------------------------------------------------------------


def source_of(issuer: Publishing, now: Callable[[], float], patience_s: float = PATIENCE_S) -> PublishedKeys:
    return PublishedKeys(lambda: fetched(issuer.url, deadline_s=2), issuer.url, now=now, patience_s=patience_s)


def test_keys_are_asked_for_once_and_again_when_they_are_no_longer_fresh(issuer: Publishing) -> None:
    now = Seconds()
    known = jwt(source=source_of(issuer, now))
    assert [known.authenticate(token()) for _ in range(5)] == [ADA] * 5
    assert len(issuer.asked) == 1
    now.at += FRESH_S
    assert known.authenticate(token()) == ADA
    assert len(issuer.asked) == 1
    issuer.body, now.at = NEW, now.at + 1
    assert known.authenticate(token()) == Denied(Reason.KEY), "the issuer has withdrawn this key"
    assert known.authenticate(NEW_TOKEN) == ADA
    assert len(issuer.asked) == 2


def test_a_token_of_a_new_key_has_it_fetched_but_made_up_key_ids_do_not_flood_the_issuer(issuer: Publishing) -> None:
    now = Seconds()
    known = jwt(source=source_of(issuer, now))
    assert known.authenticate(token()) == ADA
    issuer.body, now.at = NEW, now.at + PAUSE_S
    assert known.authenticate(NEW_TOKEN) == ADA
    assert len(issuer.asked) == 2
    for number in range(20):
        made_up = Made(header={"alg": "RS256", "kid": f"x{number}"})
        assert known.authenticate(str(made_up)) == Denied(Reason.KEY)
    assert len(issuer.asked) == 2
    now.at += PAUSE_S
    known.authenticate(str(Made(header={"alg": "RS256", "kid": "x"})))
    assert len(issuer.asked) == 3


@pytest.mark.parametrize("fault", ["down", "broken", "empty"])
def test_while_the_issuer_fails_the_last_keys_are_believed_for_a_day(
    issuer: Publishing, fault: str, caplog: pytest.LogCaptureFixture
) -> None:
    now = Seconds()
    known = jwt(source=source_of(issuer, now))
    assert known.authenticate(token()) == ADA
    issuer.status = 503 if fault == "down" else 200
    issuer.body = {"down": "", "broken": '{"keys": [', "empty": '{"keys": []}'}[fault]
    now.at += STALE_S
    with caplog.at_level(logging.WARNING):
        assert known.authenticate(token()) == ADA
    assert [record.levelname for record in caplog.records if record.name.startswith("toulmin.")] == ["WARNING"]
    now.at += 1
    with pytest.raises(Overloaded) as caught:
        known.authenticate(token())
    assert (caught.value.code, caught.value.retry_after_s, caught.value.own) == ("keys_unavailable", PAUSE_S, False)
    issuer.status, issuer.body, now.at = 200, OLD, now.at + PAUSE_S
    assert known.authenticate(token()) == ADA


def test_without_any_keys_nobody_can_say_who_calls(issuer: Publishing) -> None:
    issuer.status = 500
    known = jwt(source=source_of(issuer, Seconds()))
    for _ in range(3):
        with pytest.raises(Overloaded, match="the issuer's keys cannot be had"):
            known.authenticate(token())
    assert len(issuer.asked) == 1
    assert known.authenticate(str(Made(header={"alg": "none"}))) == Denied(Reason.ALGORITHM)


def test_many_callers_at_once_ask_the_issuer_once(issuer: Publishing) -> None:
    issuer.wait_s = 0.2
    known = jwt(source=source_of(issuer, Seconds()))
    results: list[object] = []
    threads = [threading.Thread(target=lambda: results.append(known.authenticate(token()))) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [ADA] * 12
    assert len(issuer.asked) == 1


def test_who_has_keys_does_not_wait_while_another_asks_for_fresh_ones(issuer: Publishing) -> None:
    now = Seconds()
    known = jwt(source=source_of(issuer, now))
    assert known.authenticate(token()) == ADA
    issuer.wait_s, now.at = 0.4, now.at + FRESH_S + 1
    asking = threading.Thread(target=known.authenticate, args=(token(),))
    asking.start()
    while len(issuer.asked) < 2:
        time.sleep(0.005)
    begun = time.monotonic()
    assert known.authenticate(token()) == ADA
    assert time.monotonic() - begun < 0.2
    asking.join()


def test_who_needs_a_new_key_waits_only_so_long_for_another_who_asks(issuer: Publishing) -> None:
    now = Seconds()
    known = jwt(source=source_of(issuer, now, patience_s=0.05))
    assert known.authenticate(token()) == ADA
    issuer.body, issuer.wait_s, now.at = NEW, 0.4, now.at + PAUSE_S
    asking = threading.Thread(target=known.authenticate, args=(NEW_TOKEN,))
    asking.start()
    while len(issuer.asked) < 2:
        time.sleep(0.005)
    assert known.authenticate(NEW_TOKEN) == Denied(Reason.KEY)
    asking.join()
    assert known.authenticate(NEW_TOKEN) == ADA


# ---- a file -------------------------------------------------------------------------------------------------------------------------------


def write(file: Path, text: str) -> None:
    """Replaces a file, as a roll-out does."""
    aside = file.with_suffix(".new")
    aside.write_text(text, encoding="utf-8")
    aside.replace(file)


def test_a_file_of_keys_is_read_again_when_it_has_changed(tmp_path: Path) -> None:
    file = tmp_path / "jwks.json"
    write(file, OLD)
    source = KeyFile(file)
    assert source.keys() is source.newer()
    assert [known.id for known in source.keys().keys] == ["k1"]
    write(file, NEW)
    assert [known.id for known in source.keys().keys] == ["k2"]


@pytest.mark.parametrize("text", ['{"keys": [', '{"keys": []}', None])
def test_a_file_that_breaks_leaves_the_keys_as_they_were(
    tmp_path: Path, text: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "jwks.json"
    write(file, OLD)
    source = KeyFile(file)
    file.unlink() if text is None else write(file, text)
    with caplog.at_level(logging.WARNING):
        assert [[known.id for known in source.keys().keys] for _ in range(3)] == [["k1"]] * 3
    assert [record.name.startswith("toulmin.") for record in caplog.records].count(True) == 1, (
        "once for each change, and not for each request"
    )
    write(file, NEW)
    assert [known.id for known in source.keys().keys] == ["k2"]


def test_a_file_that_was_never_good_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        KeyFile(tmp_path / "jwks.json")


# ---- all together -------------------------------------------------------------------------------------------------------------------------


def the_issuer(keys: Path | str) -> Issuer:
    return Issuer(
        name="https://issuer.example",
        audience="toulmin",
        keys=keys,
        algorithms=("RS256",),
        leeway_s=60,
        tenant_claim="tenant",
        groups_claim="groups",
        roles_claim="roles",
    )


def test_an_issuer_may_be_a_file_or_an_address(issuer: Publishing, tmp_path: Path) -> None:
    write(tmp_path / "jwks.json", OLD)
    for keys in (tmp_path / "jwks.json", issuer.url):
        known = jwt_authenticator(the_issuer(keys), SetClock())
        assert known.authenticate(token()) == ADA
        assert known.authenticate(token(exp=SECONDS - 60)) == Denied(Reason.EXPIRED)


def test_tokens_without_their_extra_say_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toulmin.adapters.jwt.find_spec", lambda name: None if name == "joserfc" else name)
    with pytest.raises(InputError, match="tokens need the package joserfc") as caught:
        jwt_authenticator(the_issuer(tmp_path), SetClock())
    assert caught.value.code == "missing_extra"
