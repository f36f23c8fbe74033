from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import pytest

from tests.unit.test_settings import error_of, loaded
from tests.unit.tokens import key, public
from toulmin.adapters.memory.store import MemoryStore
from toulmin.domain.errors import InputError
from toulmin.domain.policy import Policy
from toulmin.domain.question.case import Principal
from toulmin.surfaces import wiring
from toulmin.surfaces.http.authentication import http_authenticator
from toulmin.surfaces.http.checking import check_server
from toulmin.surfaces.settings import Algorithm, KeysUrl, Settings

JWT = '[server.jwt]\nissuer = "https://issuer.example"\naudience = "toulmin"\njwks = "{}"\n'
MTLS = '[server]\nauth = "mtls"\nsocket = "http.sock"\n[server.mtls.subjects]\n"CN=desk,O=Example" = {}\n'


def check(settings: Settings, *, development: bool = False, policy: Policy | None = None) -> str | None:
    """What the check before the start says; None: nothing."""
    try:
        check_server(settings, policy or Policy(), development=development)
    except InputError as fault:
        return str(fault)
    return None


def with_keys(folder: Path, data: str | None = None) -> Path:
    (folder / "jwks.json").write_text(json.dumps(public(key())) if data is None else data, encoding="utf-8")
    return folder


def test_every_key_of_the_server_is_read(tmp_path: Path) -> None:
    text = (
        '[server]\nauth = ["jwt", "api-key", "mtls"]\nhost = "::1"\nport = 0\nsocket = "run/http.sock"\nworkers = 3\n'
        "[server.limits]\njson_bytes = 1\nupload_bytes = 2\nrequest_s = 400\nper_minute = 3\nconcurrent = 5\n"
        "concurrent_per_principal = 4\n"
        '[server.mtls]\nheader = "X-Subject"\n'
        '[server.mtls.subjects."CN=desk,O=Example"]\nid = "desk"\ntenant = "acme"\ngroups = ["ops"]\nroles = ["service"]\n'
        + JWT.format("https://issuer.example/keys?p=1")
        + 'algorithms = ["ES256"]\nleeway_s = 0\n'
    )
    server = loaded(tmp_path, text).server
    assert server.auth == ("jwt", "api-key", "mtls")
    assert (server.host, server.port, server.workers) == ("::1", 0, 3)
    assert server.socket == tmp_path / "run" / "http.sock"
    assert server.limits.model_dump() == {
        "json_bytes": 1,
        "upload_bytes": 2,
        "request_s": 400.0,
        "per_minute": 3,
        "concurrent": 5,
        "concurrent_per_principal": 4,
    }
    assert server.mtls is not None
    assert server.mtls.header == "x-subject"
    assert server.mtls.subjects["CN=desk,O=Example"].value() == Principal(
        id="desk", tenant="acme", groups=("ops",), roles=("service",)
    )
    assert server.jwt is not None
    assert server.jwt.jwks == KeysUrl("https://issuer.example/keys?p=1")
    assert (server.jwt.algorithms, server.jwt.leeway_s) == (("ES256",), 0)


def test_no_algorithm_that_can_be_named_uses_a_shared_secret_or_none() -> None:
    assert not [name for name in get_args(Algorithm) if name == "none" or name.startswith("HS")]


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/keys", "http://localhost/keys", "http://[::1]:1/k", "https://x/k"])
def test_keys_may_be_published_over_tls_or_on_this_host(tmp_path: Path, url: str) -> None:
    jwt = loaded(tmp_path, JWT.format(url)).server.jwt
    assert jwt is not None
    assert jwt.jwks == KeysUrl(url)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('auth = "ldap"', "server.auth[0]: 'ldap' is not one of jwt, api-key, mtls, development"),
        ("auth = []", "server.auth: it is empty, and would let nobody in"),
        ('auth = ["jwt", "jwt"]', "server.auth: a kind of credential is named twice"),
        ('auth = ["jwt", "development"]', "server.auth: development stands beside other kinds"),
        ("auth = 1", "server.auth[0]: 1 is not one of"),
        ("auth = [[]]", "server.auth[0]: a list is not one of"),
        ("port = 65536", "server.port: 65536 is above 65535"),
        ("port = -1", "server.port: -1 is below 0"),
        ("workers = 0", "server.workers: 0 is below 1"),
        ('host = ""', "server.host: the text is empty"),
        ("limits = {per_minute = 0}", "server.limits.per_minute: 0 is below 1"),
        ("limits = {concurrent = 0}", "server.limits.concurrent: 0 is below 1"),
        ("limits = {json_bytes = 0}", "server.limits.json_bytes: 0 is below 1"),
        ("limits = {request_s = 0}", "server.limits.request_s: 0 is below 0.001"),
        ("limits = {request_s = inf}", "server.limits.request_s: inf is not a number"),
        ("mtls = {subjects = {}}", "server.mtls.subjects: it is empty"),
        ("mtls = {}", "server.mtls.subjects: key subjects is missing"),
        ('mtls = {subjects = {"CN=a" = {}}}', "server.mtls.subjects.CN=a.id: key id is missing"),
        ('mtls = {subjects = {"CN=a" = {id = "a", roles = ["root"]}}}', "CN=a.roles[0]: 'root' is not one of"),
        ('mtls = {subjects = {"CN=a" = {id = "a", groups = ["g"]}}}', "CN=a.groups: principal a has groups and no"),
        ('mtls = {subjects = {"CN=a" = {id = "a", tenant = "x/y"}}}', "CN=a.tenant: 'tenant:x/y' is not a reader"),
        ('mtls = {header = "Authorization", subjects = {}}', "server.mtls.header: 'Authorization' is no name"),
        ('mtls = {header = "X: Y", subjects = {}}', "server.mtls.header: 'X: Y' is no name of a header"),
    ],
)
def test_a_wrong_key_of_the_server_is_named(tmp_path: Path, text: str, message: str) -> None:
    assert message in str(error_of(tmp_path, f"[server]\n{text}\n"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('algorithms = ["none"]', "server.jwt.algorithms[0]: 'none' is not one of RS256"),
        ('algorithms = ["RS256", "HS256"]', "server.jwt.algorithms[1]: 'HS256' is not one of RS256"),
        ("algorithms = []", "server.jwt.algorithms: it is empty"),
        ("leeway_s = 301", "server.jwt.leeway_s: 301 is above 300"),
        ("leeway_s = -1", "server.jwt.leeway_s: -1 is below 0"),
    ],
)
def test_a_wrong_key_for_tokens_is_named(tmp_path: Path, text: str, message: str) -> None:
    assert message in str(error_of(tmp_path, f"{JWT.format('jwks.json')}{text}\n"))


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("http://issuer.example/keys", "the keys would come unprotected from another host"),
        ("http://127.0.0.1.example/keys", "the keys would come unprotected from another host"),
        ("https://user:secret@issuer.example/keys", "this is not the address of an HTTP service"),
        ("file:///etc/keys", "this is not the address of an HTTP service"),
        ("", "the path is empty"),
    ],
)
def test_keys_come_from_nowhere_that_others_could_write(tmp_path: Path, url: str, message: str) -> None:
    told = str(error_of(tmp_path, JWT.format(url)))
    assert message in told
    assert "secret" not in told


# ---- before the start ---------------------------------------------------------------------------------------------------------------------


def test_a_service_with_an_issuer_may_start(tmp_path: Path) -> None:
    assert check(loaded(with_keys(tmp_path), JWT.format("jwks.json"))) is None


def test_an_issuer_that_is_down_keeps_no_service_from_starting(tmp_path: Path) -> None:
    assert check(loaded(tmp_path, JWT.format("http://127.0.0.1:9/keys"))) is None


@pytest.mark.parametrize("kinds", ['"api-key"', '["api-key"]'])
def test_a_service_with_api_keys_needs_nothing_more(tmp_path: Path, kinds: str) -> None:
    assert check(loaded(tmp_path, f"[server]\nauth = {kinds}\n")) is None


def test_a_service_behind_a_proxy_needs_a_socket(tmp_path: Path) -> None:
    text = MTLS.format('{id = "desk"}')
    assert check(loaded(tmp_path, text)) is None
    assert "server.socket: mtls needs a Unix socket" in str(check(loaded(tmp_path, text.replace("socket", "#"))))
    without = check(loaded(tmp_path, '[server]\nauth = "mtls"\nsocket = "s"\n'))
    assert "server.mtls: there is no section [server.mtls]" in str(without)


@pytest.mark.parametrize("data", ["{", '{"keys": []}', None])
def test_keys_that_cannot_be_used_are_found_before_the_start(tmp_path: Path, data: str | None) -> None:
    if data is not None:
        with_keys(tmp_path, data)
    assert "jwks.json" in str(check(loaded(tmp_path, JWT.format("jwks.json"))))


def test_a_key_that_cannot_sign_is_found_before_the_start(tmp_path: Path) -> None:
    settings = loaded(tmp_path, '[server]\nauth = "api-key"\n[signing]\nkey_file = "desk.pem"\n')
    told = check(settings) or ""
    assert told.startswith("toulmin.toml: signing.key_file: ")
    assert "cannot be read" in told
    wiring.make_key(tmp_path / "desk.pem")
    assert check(settings) is None


def test_all_that_is_wrong_is_told_at_once(tmp_path: Path) -> None:
    text = (
        '[server]\nauth = ["jwt", "mtls"]\n'
        "[server.limits]\nrequest_s = 10\nconcurrent = 3\nconcurrent_per_principal = 4\n"
    )
    told = check(loaded(tmp_path, text))
    assert told is not None
    for part in (
        "toulmin.toml: server.jwt: there is no section [server.jwt]",
        "toulmin.toml: server.mtls: there is no section [server.mtls]",
        "toulmin.toml: server.socket: mtls needs a Unix socket",
        "toulmin.toml: server.limits.request_s: 10 s is less than the policy lets a request take (300 s)",
        "toulmin.toml: server.limits.concurrent_per_principal: 4 is more than all callers may have together (3)",
    ):
        assert part in told


def test_a_request_may_take_as_long_as_the_policy_says(tmp_path: Path) -> None:
    settings = loaded(tmp_path, '[server]\nauth = "api-key"\n[server.limits]\nrequest_s = 300\n')
    assert check(settings) is None
    longer = Policy(version="x", request_deadline_s=301)
    assert "server.limits.request_s" in str(check(settings, policy=longer))


# ---- development --------------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", '[server]\nauth = "development"\n', '[server]\nhost = "::1"\n'])
def test_development_needs_the_flag_and_nothing_else(tmp_path: Path, text: str) -> None:
    assert check(loaded(tmp_path, text), development=True) is None


def test_development_without_the_flag_is_refused(tmp_path: Path) -> None:
    told = check(loaded(tmp_path, '[server]\nauth = "development"\n'))
    assert "server.auth: development asks for no credential (start it with --development" in str(told)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.1", "desk.example", "127.0.0.1.example"])
def test_development_listens_on_this_host_alone(tmp_path: Path, host: str) -> None:
    told = check(loaded(tmp_path, f'[server]\nhost = "{host}"\n'), development=True)
    assert f"server.host: {host} can be reached from other hosts" in str(told)


def test_development_is_behind_no_proxy(tmp_path: Path) -> None:
    assert "server.socket" in str(check(loaded(tmp_path, '[server]\nsocket = "s"\n'), development=True))


@pytest.mark.parametrize("kinds", ['"jwt"', '["api-key", "jwt"]'])
def test_a_flag_does_not_undo_credentials_that_are_configured(tmp_path: Path, kinds: str) -> None:
    told = check(loaded(tmp_path, f"[server]\nauth = {kinds}\n"), development=True)
    assert "--development asks for no credential (leave out one of the two)" in str(told)


# ---- what comes of it ---------------------------------------------------------------------------------------------------------------------


def test_the_settings_decide_who_knows_the_callers(tmp_path: Path) -> None:
    store = MemoryStore()
    resident = Principal(id="ann")
    signed = http_authenticator(loaded(with_keys(tmp_path), JWT.format("jwks.json")), store, None)
    assert (signed.tokens is not None, signed.subjects, signed.subject_header) == (True, None, None)
    proxied = http_authenticator(loaded(tmp_path, MTLS.format('{id = "desk"}')), store, None)
    assert (proxied.tokens, proxied.subject_header, proxied.resident) == (None, "x-client-subject", None)
    assert proxied.subjects is not None
    assert proxied.subjects.authenticate("CN=desk,O=Example") == Principal(id="desk")
    local = http_authenticator(loaded(tmp_path, ""), store, resident)
    assert (local.tokens, local.subjects, local.resident) == (None, None, resident)


def test_a_proxy_that_is_described_and_not_accepted_is_not_heard(tmp_path: Path) -> None:
    text = MTLS.format('{id = "desk"}').replace('"mtls"', '"api-key"')
    known = http_authenticator(loaded(tmp_path, text), MemoryStore(), None)
    assert (known.subjects, known.subject_header) == (None, None)
