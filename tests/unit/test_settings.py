from __future__ import annotations

from datetime import UTC
from pathlib import Path
from typing import Literal
from zoneinfo import ZoneInfo

import pytest

from toulmin.domain.errors import InputError
from toulmin.domain.policy import Policy
from toulmin.domain.question.contract import Mode
from toulmin.domain.question.eligibility import Rule, RuleName, Rules
from toulmin.surfaces.settings import PostgresUrl, Settings, SqliteFile, find_workspace, load
from toulmin.surfaces.wiring import _judge

EVERYTHING = """\
[store]
url = "sqlite:///data/corpus.db"
[index]
path = "/var/index"
[eligibility.default]
rules = { model = "equals", firmware = "version_in" }
missing = ["model"]
ignore = ["colour"]
[eligibility.flask]
rules = { flask = { version_in = { scheme = "pep440" } } }
[open_question]
enabled = false
profile = "flask"
mode = "cited"
min_score = 0.25
[drafter]
kind = "openai"
base_url = "https://host.example:8000/v1"
model = "small"
api_key_env = "KEY"
external = true
[judge]
kind = "llm"
base_url = "https://judge.example/v1"
model = "careful"
api_key_file = "keys/judge"
external = true
per_minute = 30
top_logprobs = 5
max_request_bytes = 16000
model_dir = "models/x"
model_sha256 = "0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a"
labels = ["contradicted", "supported", "unresolved"]
first = "claim"
max_tokens = 128
threads = 2
[policy]
file = "policy.yaml"
[signing]
key_file = "keys/signing.pem"
[effects.send-reply]
kind = "command"
argv = ["./send-reply"]
idempotent = true
timeout_s = 2.5
[server]
auth = "api-key"
[server.jwt]
issuer = "https://issuer.example"
audience = "toulmin"
jwks = "keys/jwks.json"
tenant_claim = "t"
groups_claim = "g"
roles_claim = "r"
[telemetry]
log_level = "debug"
log_file = "logs/service.jsonl"
otlp_endpoint = "http://127.0.0.1:4318"
[time]
zone = "Europe/Berlin"
"""


def loaded(workspace: Path, text: str) -> Settings:
    (workspace / "toulmin.toml").write_text(text, encoding="utf-8")
    return load(workspace)


def error_of(workspace: Path, text: str) -> InputError:
    with pytest.raises(InputError) as caught:
        loaded(workspace, text)
    return caught.value


def test_an_empty_file_has_every_default(tmp_path: Path) -> None:
    settings = loaded(tmp_path, "")
    assert settings.store.url == SqliteFile(tmp_path / ".toulmin" / "corpus.db")
    assert settings.index.path == tmp_path / ".toulmin" / "index"
    assert settings.profiles == {"default": Rules()}
    assert (settings.open_question.enabled, settings.open_question.mode) == (True, Mode.REVIEWED)
    assert (settings.drafter.kind, settings.drafter.external, settings.judge.kind) == ("template", False, "oracles")
    assert (settings.policy_file, settings.signing.key_file, settings.effects) == (None, None, {})
    assert (settings.server.auth, settings.server.jwt, settings.zone) == (("jwt",), None, UTC)


def test_an_empty_section_has_the_same_defaults(tmp_path: Path) -> None:
    sections = ("store", "index", "open_question", "drafter", "judge", "policy", "signing", "effects", "server", "time")
    assert loaded(tmp_path, "".join(f"[{section}]\n" for section in sections)) == loaded(tmp_path, "")


def test_every_documented_key_is_read(tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text("version: a\n", encoding="utf-8")
    settings = loaded(tmp_path, EVERYTHING)
    assert settings.store.url == SqliteFile(tmp_path / "data" / "corpus.db")
    assert settings.index.path == Path("/var/index")
    assert settings.profiles == {
        "default": Rules(
            (("model", Rule(name=RuleName.EQUALS)), ("firmware", Rule(name=RuleName.VERSION_IN))),
            missing=frozenset({"model"}),
            ignore=frozenset({"colour"}),
            zone=ZoneInfo("Europe/Berlin"),
        ),
        "flask": Rules((("flask", Rule(name=RuleName.VERSION_IN, scheme="pep440")),), zone=ZoneInfo("Europe/Berlin")),
    }
    question = settings.open_question
    assert (question.enabled, question.profile, question.mode, question.min_score) == (False, "flask", Mode.CITED, 0.25)
    assert settings.drafter.model_dump() == {
        "kind": "openai",
        "base_url": "https://host.example:8000/v1",
        "model": "small",
        "api_key_env": "KEY",
        "api_key_file": None,
        "external": True,
        "per_minute": None,
    }
    assert settings.judge.model_dump() == {
        "kind": "llm",
        "base_url": "https://judge.example/v1",
        "model": "careful",
        "api_key_env": "OPENAI_API_KEY",
        "api_key_file": tmp_path / "keys" / "judge",
        "external": True,
        "per_minute": 30.0,
        "top_logprobs": 5,
        "max_request_bytes": 16000,
        "model_dir": tmp_path / "models" / "x",
        "model_sha256": "0a" * 32,
        "labels": ("contradicted", "supported", "unresolved"),
        "first": "claim",
        "max_tokens": 128,
        "threads": 2,
    }
    assert settings.policy_file == tmp_path / "policy.yaml"
    assert settings.signing.key_file == tmp_path / "keys" / "signing.pem"
    effect = settings.effects["send-reply"]
    assert (effect.kind, effect.argv, effect.idempotent, effect.timeout_s) == ("command", ("./send-reply",), True, 2.5)
    assert settings.server.auth == ("api-key",)
    assert settings.server.jwt is not None
    assert (settings.server.jwt.jwks, settings.server.jwt.roles_claim) == (tmp_path / "keys" / "jwks.json", "r")
    told = settings.telemetry
    assert (told.log_level, told.log_file) == ("debug", tmp_path / "logs" / "service.jsonl")
    assert told.traces_url() == "http://127.0.0.1:4318/v1/traces"
    assert settings.zone == ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    ("url", "store"),
    [
        ("sqlite:////var/corpus.db", SqliteFile(Path("/var/corpus.db"))),
        ("postgresql://user@host/db", PostgresUrl("postgresql://user@host/db")),
    ],
)
def test_a_store_is_a_file_or_a_server(tmp_path: Path, url: str, store: SqliteFile | PostgresUrl) -> None:
    assert loaded(tmp_path, f'[store]\nurl = "{url}"\n').store.url == store


@pytest.mark.parametrize(
    ("stated", "environment", "url"),
    [
        ("", {}, None),
        ("", {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://otel:4318/"}, "http://otel:4318/v1/traces"),
        (
            "",
            {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://otel:4318", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://t/x"},
            "http://t/x",
        ),
        ("http://own:4318", {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://t/x"}, "http://own:4318/v1/traces"),
    ],
)
def test_traces_go_to_the_collector_of_the_settings_else_of_the_environment_else_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stated: str, environment: dict[str, str], url: str | None
) -> None:
    for name in ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    text = f'[telemetry]\notlp_endpoint = "{stated}"\n' if stated else ""
    assert loaded(tmp_path, text).telemetry.traces_url() == url


def test_the_folder_of_the_workers_metrics_is_the_environment_s(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", "/metrics")
    assert loaded(tmp_path, "").telemetry.metrics_folder() == Path("/metrics")
    monkeypatch.delenv("PROMETHEUS_MULTIPROC_DIR")
    assert loaded(tmp_path, "").telemetry.metrics_folder() is None


def test_a_policy_beside_the_settings_holds_without_being_named(tmp_path: Path) -> None:
    (tmp_path / "policy.yaml").write_text("version: a\n", encoding="utf-8")
    assert loaded(tmp_path, "").policy_file == tmp_path / "policy.yaml"


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ('[index]\npth = "x"\n', "unknown_key", "toulmin.toml: index.pth: unknown key 'pth' (write path)"),
        ("[drafters]\n", "unknown_key", "toulmin.toml: drafters: unknown key 'drafters' (write drafter)"),
        (
            '[server.jwt]\nissuer = "i"\naudience = "a"\njwks = "j"\ngroup_claim = "g"\n',
            "unknown_key",
            "toulmin.toml: server.jwt.group_claim: unknown key 'group_claim' (write groups_claim)",
        ),
        (
            '[store]\nurl = "mysql://h/d"\n',
            "bad_store_url",
            (
                "toulmin.toml: store.url: this is the URL of no store that is known "
                "(write sqlite:///FILE (from the workspace), sqlite:////FILE (absolute) or postgresql://USER@HOST/DATABASE)"
            ),
        ),
        (
            '[store]\nurl = "postgresql://u:secret@h/d"\n',
            "bad_store_url",
            "toulmin.toml: store.url: the URL holds a password (take it out, and put it in PGPASSWORD or a .pgpass file)",
        ),
        (
            '[time]\nzone = "Europe/Berlim"\n',
            "unknown_zone",
            "toulmin.toml: time.zone: 'Europe/Berlim' is no time zone known here (write one such as Europe/Berlin, or UTC)",
        ),
        (
            '[open_question]\nprofile = "defalt"\n',
            "unknown_profile",
            "toulmin.toml: open_question.profile: no profile 'defalt' (write default)",
        ),
        (
            '[open_question]\nmode = "licensed"\n',
            "wrong_type",
            "toulmin.toml: open_question.mode: 'licensed' is not one of reviewed, cited (write one of reviewed, cited)",
        ),
        (
            "[open_question]\nmin_score = nan\n",
            "wrong_type",
            "toulmin.toml: open_question.min_score: nan is not a number (write a decimal number such as 12 or 0.5, without quotes)",
        ),
        (
            '[eligibility.flask]\nrules = { flask = "version" }\n',
            "unknown_rule",
            (
                "toulmin.toml: eligibility.flask.rules.flask: unknown rule 'version'; "
                "the rules are equals, one_of, version_in, at_least (write version_in)"
            ),
        ),
        (
            '[policy]\nfile = "/nowhere/policy.yaml"\n',
            "missing_file",
            (
                "toulmin.toml: policy.file: no file /nowhere/policy.yaml "
                "(write it, or remove the key: then the built-in policy holds)"
            ),
        ),
        (
            '[effects.reply]\nkind = "command"\n',
            "bad_effect",
            'toulmin.toml: effects.reply: argv has 0 words for a command (a command, and nothing else, has argv = ["PROGRAM"])',
        ),
        (
            '[effects.hook]\nkind = "webhook"\nurl = "https://h.example/x"\n',
            "bad_effect",
            (
                "toulmin.toml: effects.hook: secret_env is missing for a webhook "
                "(a webhook, and nothing else, has url and secret_env: its address, and the variable that holds its secret)"
            ),
        ),
        (
            '[effects.hook]\nkind = "webhook"\nsecret_env = "S"\nurl = "https://h.example/x?key=secret"\n',
            "wrong_type",
            (
                "toulmin.toml: effects.hook.url: the address has a query or fragment "
                "(write it without: requests are signed, and carry no key)"
            ),
        ),
        (
            '[drafter]\nexternal = "true"\n',
            "wrong_type",
            "toulmin.toml: drafter.external: 'true' is not true or false (write true or false, without quotes)",
        ),
        (
            '[drafter]\napi_key_env = "sk-secret"\n',
            "wrong_type",
            (
                "toulmin.toml: drafter.api_key_env: this is not the name of an environment variable "
                "(write its name; the secret stands in it)"
            ),
        ),
        (
            "[drafter]\nmodel = 4\n",
            "wrong_type",
            'toulmin.toml: drafter.model: 4 is not a text (write it as text, in "quotes" where it is a number, true, false or null)',
        ),
        (
            "[store]\nurl = \n",
            "bad_toml",
            'toulmin.toml:2: malformed TOML: Invalid value (write `key = value`, with text in "double quotes")',
        ),
        (
            "[store]\n[index]\n[store]\n",
            "bad_toml",
            (
                "toulmin.toml:3: malformed TOML: Cannot declare ('store',) twice "
                '(write `key = value`, with text in "double quotes")'
            ),
        ),
    ],
)
def test_a_wrong_setting_names_file_key_path_and_remedy(tmp_path: Path, text: str, code: str, message: str) -> None:
    error = error_of(tmp_path, text)
    assert str(error) == message
    assert error.code == code


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('[index]\npath = ""', "index.path"),
        ('[store]\nurl = "sqlite:///"', "store.url"),
        ('[store]\nurl = "postgresql://[::1/d"', "store.url"),
        ('[store]\nurl = "postgresql://u@h/d?password=secret"', "store.url"),
        ('[drafter]\nbase_url = "host.example/v1"', "drafter.base_url"),
        ('[drafter]\nbase_url = "https://user:secret@host.example/v1"', "drafter.base_url"),
        ('[effects.x]\nkind = "webhook"\nargv = ["a"]', "effects.x"),
        ('[effects.x]\nkind = "command"\nargv = ["a"]\ntimeout_s = 0', "effects.x.timeout_s"),
        ('[effects.x]\nkind = "webhook"\nsecret_env = "S"\nurl = "https://u:p@h.example/x"', "effects.x.url"),
        ("[open_question]\nmin_score = true", "open_question.min_score"),
        ("[open_question]\nmin_score = -0.5", "open_question.min_score"),
        ("[open_question]\nmin_score = 1.5", "open_question.min_score"),
        ("[time]\nzone = 2026-01-01", "time.zone"),
        ("store = 3", "store"),
    ],
)
def test_a_value_that_cannot_work_is_refused_at_its_key(tmp_path: Path, text: str, key: str) -> None:
    error = error_of(tmp_path, text)
    assert error.where == f"toulmin.toml: {key}"
    assert error.remedy
    assert "secret" not in str(error)


@pytest.mark.parametrize("zone", ["America", "../etc/passwd", "", "/etc/localtime"])
def test_a_zone_is_a_name_and_no_path(tmp_path: Path, zone: str) -> None:
    assert error_of(tmp_path, f'[time]\nzone = "{zone}"\n').code == "unknown_zone"


@pytest.mark.parametrize("number", ["1" * 400, "1" * 5_000])
def test_a_number_beyond_64_bits_is_refused(tmp_path: Path, number: str) -> None:
    assert isinstance(error_of(tmp_path, f"[open_question]\nmin_score = {number}\n"), InputError)


def test_deeply_nested_toml_is_refused(tmp_path: Path) -> None:
    assert error_of(tmp_path, f"a = {'[' * 20_000}").code == "too_deep"


def test_the_workspace_is_the_nearest_folder_with_settings(tmp_path: Path) -> None:
    inner = tmp_path / "outer" / "inner"
    below = inner / "documents" / "deep"
    below.mkdir(parents=True)
    for folder in (tmp_path / "outer", inner):
        (folder / "toulmin.toml").write_text("", encoding="utf-8")
    assert find_workspace(below) == inner.resolve()
    assert find_workspace(inner) == inner.resolve()


def test_a_folder_outside_of_every_workspace_is_told_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(InputError) as found:
        find_workspace(tmp_path)
    with pytest.raises(InputError) as read:
        load(tmp_path)
    assert (found.value.code, found.value.remedy) == ("no_workspace", "make a workspace: toulmin init DIR")
    assert (read.value.code, read.value.remedy) == ("no_workspace", "make a workspace: toulmin init DIR")


@pytest.mark.parametrize("section", ["drafter", "judge"])
def test_a_key_is_read_from_its_file_and_else_from_the_variable_of_its_section(
    tmp_path: Path, section: Literal["drafter", "judge"], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("A_KEY", "from the variable")
    (tmp_path / "key").write_text("from the file\n", encoding="utf-8")
    named = f'[{section}]\napi_key_env = "A_KEY"\n'
    assert getattr(loaded(tmp_path, named), section).key() == "from the variable"
    assert getattr(loaded(tmp_path, f'{named}api_key_file = "key"\n'), section).key() == "from the file"
    with pytest.raises(InputError) as caught:
        getattr(loaded(tmp_path, f'{named}api_key_file = "missing"\n'), section).key()
    assert f"{section}.api_key_file" in str(caught.value)


@pytest.mark.parametrize("key", ["top_logprobs = 2", "max_request_bytes = 0"])
def test_a_judges_limits_have_a_least_value(tmp_path: Path, key: str) -> None:
    assert f"judge.{key.partition(' ')[0]}" in str(error_of(tmp_path, f"[judge]\n{key}\n"))


def test_with_the_oracles_alone_there_is_no_judge(tmp_path: Path) -> None:
    assert _judge(loaded(tmp_path, '[judge]\nkind = "oracles"\n'), Policy()) is None


@pytest.mark.parametrize("kind", ["llm", "systemone"])
@pytest.mark.parametrize("host", ["127.0.0.1:1", "judge.example"])
def test_a_judge_behind_a_server_is_the_one_that_is_named(tmp_path: Path, kind: str, host: str) -> None:
    judge = _judge(
        loaded(tmp_path, f'[judge]\nkind = "{kind}"\nbase_url = "http://{host}/v1"\nmodel = "m"\n'), Policy()
    )
    assert judge is not None
    assert judge.profile == f"{kind}/1 m"
    assert judge.on_this_host is host.startswith("127.")


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        ('kind = "command"\nargv = ["a"]\nurl = "https://h.example/x"', "effects.x: url is stated for a command"),
        ('kind = "command"\nargv = ["a"]\nsecret_env = "S"', "effects.x: secret_env is stated for a command"),
        ('kind = "webhook"\nsecret_env = "S"', "effects.x: url is missing for a webhook"),
        (
            'kind = "webhook"\nsecret_env = "whsec_abc="\nurl = "https://h.example/x"',
            "effects.x.secret_env: this is not the name of an environment variable",
        ),
    ],
)
def test_a_webhook_and_nothing_else_has_an_address_and_a_secret(tmp_path: Path, keys: str, says: str) -> None:
    (tmp_path / "toulmin.toml").write_text(f"[effects.x]\n{keys}\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load(tmp_path)
    assert says in str(caught.value)
    assert "whsec" not in str(caught.value)


def test_a_webhooks_secret_stands_in_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = '[effects.hook]\nkind = "webhook"\nurl = "https://h.example/x"\nsecret_env = "HOOK_SECRET"\n'
    (tmp_path / "toulmin.toml").write_text(text, encoding="utf-8")
    effect = load(tmp_path).effects["hook"]
    assert (effect.url, effect.secret()) == ("https://h.example/x", None)
    monkeypatch.setenv("HOOK_SECRET", "whsec_abc")
    assert effect.secret() == "whsec_abc"
    (tmp_path / "toulmin.toml").write_text('[effects.run]\nkind = "command"\nargv = ["a"]\n', encoding="utf-8")
    assert load(tmp_path).effects["run"].secret() is None
