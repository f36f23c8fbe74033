"""Settings: the only reader of `toulmin.toml` and of the environment.

Everything has a default, unknown keys are refused, paths count from the workspace, and no secret stands in the file: a key names the
environment variable or file that holds it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sized
from dataclasses import dataclass
from datetime import UTC, tzinfo
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self, TypeVar, get_args
from urllib.parse import parse_qs, urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, BeforeValidator, Field, PlainValidator, ValidationInfo, model_validator

from toulmin.domain.errors import InputError
from toulmin.domain.question.contract import Mode
from toulmin.domain.question.eligibility import Rules
from toulmin.ports.parser import ParsingLimits
from toulmin.wire import strict_toml
from toulmin.wire.embedder_manifest import POOLINGS, Pooling
from toulmin.wire.judge_manifest import FIRSTS, First, Labels, Sha256
from toulmin.wire.model import Strict, located, read
from toulmin.wire.node import Node
from toulmin.wire.principal import PrincipalForm
from toulmin.wire.rules import RulesForm
from toulmin.wire.scalars import (
    Count,
    Identifier,
    Score,
    Truth,
    Whole,
    Words,
    choice,
    fault,
    nearest,
    not_above,
    not_below,
    number,
    text,
)
from toulmin.wire.source import read_file

S = TypeVar("S", bound=Sized)

FILE = "toulmin.toml"
_LEAST_LOGPROBS = 3  # one for each class
_LEAST_TOKENS = 32
_LEAST_CHARS = 200
_LEAST_MEMORY_MB = 512  # what the parsers take before they have read anything
_MOST_LEEWAY_S = 300  # five minutes: a clock that is off by more is broken
_MOST_WORKERS = 256

DrafterName = Literal["template", "openai"]
JudgeName = Literal["oracles", "onnx", "llm", "systemone"]
EmbedderName = Literal["none", "onnx", "openai"]
EffectKind = Literal["command", "webhook"]
LogLevel = Literal["debug", "info", "warning", "error"]
AuthKind = Literal["jwt", "api-key", "mtls", "development"]
Algorithm = Literal["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "Ed25519", "EdDSA"]
"""How tokens may be signed: by a key whose public half is known. One without signature, or by a secret that is shared, is never believed."""


@dataclass(frozen=True, slots=True)
class SqliteFile:
    """A corpus database in one file."""

    path: Path


@dataclass(frozen=True, slots=True)
class PostgresUrl:
    """A corpus database on a server; the URL holds no password."""

    url: str


def _workspace(info: ValidationInfo) -> Path:
    workspace = (info.context or {})["workspace"]
    assert isinstance(workspace, Path)
    return workspace


def _path(value: object, info: ValidationInfo) -> Path:
    given = text(value)
    if not given:
        raise fault("wrong_type", "the path is empty", "give a path, relative to the workspace or absolute")
    return _workspace(info) / given


def _store(value: object, info: ValidationInfo) -> SqliteFile | PostgresUrl:
    url = text(value)
    if url.startswith("sqlite:///") and url != "sqlite:///":
        return SqliteFile(_workspace(info) / url.removeprefix("sqlite:///"))
    if not url.startswith("postgresql://"):
        advice = (
            "write sqlite:///FILE (from the workspace), sqlite:////FILE (absolute) or postgresql://USER@HOST/DATABASE"
        )
        raise fault("bad_store_url", "this is the URL of no store that is known", advice)
    if _holds_password(url):
        raise fault(
            "bad_store_url", "the URL holds a password", "take it out, and put it in PGPASSWORD or a .pgpass file"
        )
    return PostgresUrl(url)


def _holds_password(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        raise fault("bad_store_url", "this is no URL", "write postgresql://USER@HOST/DATABASE") from None
    return parts.password is not None or "password" in parse_qs(parts.query)


def _zone(value: object) -> tzinfo:
    name = text(value)
    if name == "UTC":  # known without a time zone database
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise fault(
            "unknown_zone", f"{name[:80]!r} is no time zone known here", "write one such as Europe/Berlin, or UTC"
        ) from None


def _http_url(value: str) -> str:
    if not re.fullmatch(r"https?://[^\s/@]+(/\S*)?", value):  # not shown: it may hold a password
        advice = "write one such as https://host.example/v1, without user and password"
        raise fault("wrong_type", "this is not the address of an HTTP service", advice)
    return value


def _webhook_url(value: str) -> str:
    if "?" in value or "#" in value:  # not shown: it may hold a secret
        raise fault(
            "wrong_type",
            "the address has a query or fragment",
            "write it without: requests are signed, and carry no key",
        )
    return _http_url(value)


@dataclass(frozen=True, slots=True)
class KeysUrl:
    """Where an issuer publishes its keys."""

    url: str


def _jwks(value: object, info: ValidationInfo) -> Path | KeysUrl:
    if "://" not in text(value):
        return _path(value, info)
    url = _http_url(text(value))
    if url.startswith("http://") and not is_loopback(urlsplit(url).hostname or ""):
        raise fault("wrong_type", "the keys would come unprotected from another host", "write https://")
    return KeysUrl(url)


def is_loopback(host: str) -> bool:
    """Whether a host as it is written is this one, and reached without a network."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:  # a name: where it leads is not known until it is looked up
        return False


def _kinds(value: object) -> tuple[str, ...]:
    """One kind of credential, or a list of several. The development mode asks for none, and stands alone."""
    kinds = tuple(value) if isinstance(value, list | tuple) else (value,)
    if len(set(map(str, kinds))) < len(kinds):
        raise fault("wrong_type", "a kind of credential is named twice", "name each once")
    if "development" in kinds and len(kinds) > 1:
        raise fault("wrong_type", "development stands beside other kinds", "it asks for no credential: leave it out")
    return _not_empty(kinds)


def _not_empty(value: S) -> S:
    if not value:
        raise fault("wrong_type", "it is empty, and would let nobody in", "name at least one")
    return value


def _host(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9.-]+(:\d{1,5})?", value):
        raise fault(
            "wrong_type", f"{value[:80]!r} is no name of a host", "write one such as desk.example, or desk.example:8443"
        )
    return value.lower()


def _header(value: str) -> str:
    name = value.lower()
    if not re.fullmatch(r"[a-z0-9-]{1,100}", name) or name in _TAKEN_HEADERS:
        advice = "write one that only the proxy sets, such as X-Client-Subject"
        raise fault("wrong_type", f"{value[:80]!r} is no name of a header for subjects", advice)
    return name


def _variable(value: str) -> str:
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", value):  # not shown: it may be the secret itself
        raise fault(
            "wrong_type", "this is not the name of an environment variable", "write its name; the secret stands in it"
        )
    return value


_TAKEN_HEADERS = frozenset({"authorization", "cookie", "host", "content-type", "content-length", "forwarded"})
_Path = Annotated[Path, BeforeValidator(_path)]
_Some = AfterValidator(_not_empty)
_Seconds = Annotated[float, BeforeValidator(number), not_below(0.001)]


def _written(value: str) -> Any:
    """A default as the file would state it, so that it is checked and resolved like a stated one."""
    return Field(default=value, validate_default=True)


def _resolved() -> Any:
    """A section that may be left out, and is then read as an empty one, so that its defaults count from the workspace."""
    return Field(default_factory=dict, validate_default=True)


class StoreSettings(Strict):
    """Where the corpus database is.

    `key_file` is for a server's: the key with which this host tells it what a principal may read, the same on all hosts.
    """

    url: Annotated[SqliteFile | PostgresUrl, PlainValidator(_store)] = _written("sqlite:///.toulmin/corpus.db")
    key_file: _Path = _written(".toulmin/store.key")


class IndexSettings(Strict):
    """Where the derived passage index is."""

    path: _Path = _written(".toulmin/index")


class ParsingSettings(Strict):
    """What reading one file may take; see `ParsingLimits`, whose defaults hold."""

    max_bytes: Count = ParsingLimits.max_bytes
    max_text_chars: Count = ParsingLimits.max_text_chars
    max_pages: Count = ParsingLimits.max_pages
    min_chars_per_page: Count = ParsingLimits.min_chars_per_page
    timeout_s: _Seconds = ParsingLimits.timeout_s
    memory_mb: Annotated[Whole, not_below(_LEAST_MEMORY_MB)] = ParsingLimits.memory_mb

    def limits(self) -> ParsingLimits:
        return ParsingLimits(**self.model_dump())


class OriginalsSettings(Strict):
    """Which files are kept beside what is read from them, so that their pages can be shown: those that have any, of at most `max_bytes`."""

    keep: Truth = True
    max_bytes: Count = 50_000_000


class OpenQuestionSettings(Strict):
    """How `ask --text` is answered."""

    enabled: Truth = True
    profile: Identifier = "default"
    mode: Annotated[Literal[Mode.REVIEWED, Mode.CITED], choice(Mode.REVIEWED, Mode.CITED)] = Mode.REVIEWED
    min_score: Score = 0.0


class _Provider(Strict):
    """Where a model is. `external`: a person approved that the provider may receive documents labelled `egress: any`."""

    section: ClassVar[str]

    base_url: Annotated[Words, AfterValidator(_http_url)] = "http://127.0.0.1:8000/v1"
    model: Words = "any"
    api_key_env: Annotated[Words, AfterValidator(_variable)] = "OPENAI_API_KEY"
    api_key_file: _Path | None = None
    external: Truth = False
    per_minute: Annotated[float, BeforeValidator(number), not_below(0.001)] | None = None

    def key(self) -> str | None:
        """The provider's key: from the file, else from the environment variable; None where neither is there.

        Raises `InputError` for a file that is named and cannot be read.
        """
        if self.api_key_file is not None:
            where = f"{FILE}: {self.section}.api_key_file"
            return read_file(self.api_key_file, where).decode(errors="replace").strip()
        return os.environ.get(self.api_key_env)


class DrafterSettings(_Provider):
    """Who writes drafts."""

    section = "drafter"

    kind: Annotated[DrafterName, choice(*get_args(DrafterName))] = "template"


class CacheSettings(Strict):
    """Drafts that are kept, and shared while they are under way; off unless `entries` says how many."""

    entries: Annotated[Whole, not_below(0)] = 0
    max_age_s: _Seconds = 3600.0


class JudgeSettings(_Provider):
    """Who judges the claims of open questions. Beyond `kind` and what is for a model on this host, all is for a judge behind a server.

    On this host (`onnx`): `model_dir` is the model's folder, without it the installed package; `labels`, `first`, `max_tokens` and `model_sha256` are
    what its manifest does not say, or said by the user; `threads` is how many claims are judged at once.
    `top_logprobs`: of how many words a chat model (`llm`) is asked for the probability; servers have limits of their own.
    `max_request_bytes`: a claim that takes more with its passages is not judged, and never cut; some servers would cut it in silence.
    """

    section = "judge"

    kind: Annotated[JudgeName, choice(*get_args(JudgeName))] = "oracles"
    top_logprobs: Annotated[Whole, not_below(_LEAST_LOGPROBS)] = 20
    max_request_bytes: Count = 512 * 1024
    model_dir: _Path | None = None
    model_sha256: Sha256 | None = None
    labels: Labels | None = None
    first: Annotated[First, choice(*FIRSTS)] | None = None
    max_tokens: Annotated[Whole, not_below(_LEAST_TOKENS)] | None = None
    threads: Count | None = None


class EmbedderSettings(_Provider):
    """Who makes vectors of passages and questions, for search by meaning beside search by words; `none`: nobody.

    On this host (`onnx`): `model_dir` is the model's folder, without it the installed package; `dimension`, `pooling`, `max_tokens`, the
    prefixes and `model_sha256` are what its manifest does not say, or said by the user; `threads` is how many texts are read at once.
    Behind a server (`openai`): `dimension` is how many numbers its model gives, and has to be stated; a text of more than `max_chars`
    characters is sent in parts, since many servers cut what their model does not read; `timeout_s` bounds one request.
    """

    section = "embedder"

    kind: Annotated[EmbedderName, choice(*get_args(EmbedderName))] = "none"
    dimension: Count | None = None
    passage_prefix: Annotated[str, BeforeValidator(text)] | None = None
    query_prefix: Annotated[str, BeforeValidator(text)] | None = None
    model_dir: _Path | None = None
    model_sha256: Sha256 | None = None
    pooling: Annotated[Pooling, choice(*POOLINGS)] | None = None
    max_tokens: Annotated[Whole, not_below(_LEAST_TOKENS)] | None = None
    threads: Count | None = None
    max_chars: Annotated[Whole, not_below(_LEAST_CHARS)] = 8192
    timeout_s: _Seconds = 30.0

    @model_validator(mode="after")
    def _has_a_dimension(self) -> Self:
        if self.kind == "openai" and self.dimension is None:
            raise fault(
                "missing_key",
                "dimension is not stated, and nothing but a call would tell it",
                "write how many numbers the model gives, such as dimension = 1536",
            )
        return self


class PolicySettings(Strict):
    """Where the policy is; see `Settings.policy_file`."""

    file: _Path = _written("policy.yaml")


class SigningSettings(Strict):
    """The key that signs packets; None: they are not signed."""

    key_file: _Path | None = None


class EffectSettings(Strict):
    """What an approved operation runs. A command's order goes as JSON on its standard input, never through a shell.

    A webhook's order is sent to `url`, signed with the secret in the environment variable `secret_env`. `idempotent`: carrying the same order
    out twice is the same as once, so that it is done again where nobody knows whether it was done.
    """

    kind: Annotated[EffectKind, choice(*get_args(EffectKind))]
    argv: tuple[Words, ...] = ()
    url: Annotated[Words, AfterValidator(_webhook_url)] | None = None
    secret_env: Annotated[Words, AfterValidator(_variable)] | None = None
    idempotent: Truth = False
    timeout_s: _Seconds = 30.0

    @model_validator(mode="after")
    def _has_a_command(self) -> Self:
        if (self.kind == "command") != bool(self.argv):
            raise fault(
                "bad_effect",
                f"argv has {len(self.argv)} words for a {self.kind}",
                'a command, and nothing else, has argv = ["PROGRAM"]',
            )
        return self

    @model_validator(mode="after")
    def _has_an_address(self) -> Self:
        for name in ("url", "secret_env"):
            if (self.kind == "webhook") != (getattr(self, name) is not None):
                raise fault(
                    "bad_effect",
                    f"{name} is {'missing' if self.kind == 'webhook' else 'stated'} for a {self.kind}",
                    "a webhook, and nothing else, has url and secret_env: its address, and the variable that holds its secret",
                )
        return self

    def secret(self) -> str | None:
        """The webhook's secret, as its environment variable has it; None where it is not set."""
        return None if self.secret_env is None else os.environ.get(self.secret_env)


class JwtSettings(Strict):
    """Which tokens are believed, and which claims of them tell tenant, groups and roles.

    `jwks` is a file or the address of the issuer's keys, `algorithms` how tokens may be signed, `leeway_s` how far the issuer's clock may be off.
    """

    issuer: Words
    audience: Words
    jwks: Annotated[Path | KeysUrl, PlainValidator(_jwks)]
    algorithms: Annotated[tuple[Annotated[Algorithm, choice(*get_args(Algorithm))], ...], _Some] = (
        "RS256",
        "PS256",
        "ES256",
        "Ed25519",
        "EdDSA",
    )
    leeway_s: Annotated[Whole, not_below(0), not_above(_MOST_LEEWAY_S)] = 60
    tenant_claim: Words = "tenant"
    groups_claim: Words = "groups"
    roles_claim: Words = "roles"


class MtlsSettings(Strict):
    """Whom a proxy in front of the service has verified: `header` is where it states the subject of the certificate, `subjects` who that is.

    The header is believed on the Unix socket alone. A subject is known by its exact text.
    """

    header: Annotated[Words, AfterValidator(_header)] = "x-client-subject"
    subjects: Annotated[dict[Words, PrincipalForm], _Some]


class LimitsSettings(Strict):
    """What a request may take, and how many there may be. `json_bytes` and `upload_bytes` bound its body, `request_s` its time.

    `per_minute` and `concurrent_per_principal` are for each principal, `concurrent` is for a worker's callers together.
    """

    json_bytes: Count = 1024 * 1024
    upload_bytes: Count = 32 * 1024 * 1024
    request_s: _Seconds = 310.0
    per_minute: Count = 600
    concurrent: Count = 64
    concurrent_per_principal: Count = 16


class ServerSettings(Strict):
    """Where the service listens, and how its callers authenticate. With a `socket` it listens there alone, and not on host and port.

    `auth` are the kinds of credentials that are accepted; of several, the credential tells which it is. `hosts` are the names, with their ports
    where they have one, by which agents and browsers elsewhere reach the service: those who were led to it by another name are refused.
    `reports` is the folder of the evaluations that its pages show.
    """

    auth: Annotated[tuple[Annotated[AuthKind, choice(*get_args(AuthKind))], ...], BeforeValidator(_kinds)] = ("jwt",)
    host: Words = "127.0.0.1"
    port: Annotated[Whole, not_below(0), not_above(65_535)] = 8080
    socket: _Path | None = None
    hosts: tuple[Annotated[Words, AfterValidator(_host)], ...] = ()
    workers: Annotated[Count, not_above(_MOST_WORKERS)] = 1
    reports: _Path = _written("reports")
    jwt: JwtSettings | None = None
    mtls: MtlsSettings | None = None
    limits: LimitsSettings = LimitsSettings()


class TelemetrySettings(Strict):
    """What the service tells of itself. `log_file` None: its log goes to standard error. `otlp_endpoint`: the collector that traces go to."""

    log_level: Annotated[LogLevel, choice(*get_args(LogLevel))] = "info"
    log_file: _Path | None = None
    otlp_endpoint: Annotated[Words, AfterValidator(_http_url)] | None = None

    def traces_url(self) -> str | None:
        """Where traces go: to the collector named here, else to the one that OpenTelemetry's own variables name; None: nowhere."""
        stated = os.environ.get("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
        base = os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT")
        if self.otlp_endpoint is None and stated:
            return stated
        base = self.otlp_endpoint or base
        return f"{base.rstrip('/')}/v1/traces" if base else None

    def metrics_folder(self) -> Path | None:
        """The folder in which this process adds its metrics to those of other workers; None: it is the only one."""
        folder = os.environ.get("PROMETHEUS_MULTIPROC_DIR")
        return Path(folder) if folder else None


class TimeSettings(Strict):
    """The zone in which a date without a time begins."""

    zone: Annotated[tzinfo, BeforeValidator(_zone)] = UTC


class _File(Strict):
    store: StoreSettings = _resolved()
    index: IndexSettings = _resolved()
    eligibility: dict[Identifier, RulesForm] = Field(default_factory=dict)
    parsing: ParsingSettings = ParsingSettings()
    originals: OriginalsSettings = OriginalsSettings()
    open_question: OpenQuestionSettings = OpenQuestionSettings()
    drafter: DrafterSettings = DrafterSettings()
    cache: CacheSettings = CacheSettings()
    judge: JudgeSettings = JudgeSettings()
    embedder: EmbedderSettings = EmbedderSettings()
    policy: PolicySettings = _resolved()
    signing: SigningSettings = SigningSettings()
    effects: dict[Identifier, EffectSettings] = Field(default_factory=dict)
    server: ServerSettings = _resolved()
    telemetry: TelemetrySettings = TelemetrySettings()
    time: TimeSettings = TimeSettings()


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """A workspace's settings, complete and checked.

    `profiles` always has `default`, without rules where the file does not state it: it lets through what states no scope.
    `policy_file` is None where the built-in policy holds.
    """

    workspace: Path
    store: StoreSettings
    index: IndexSettings
    parsing: ParsingLimits
    originals: OriginalsSettings
    profiles: Mapping[str, Rules]
    open_question: OpenQuestionSettings
    drafter: DrafterSettings
    cache: CacheSettings
    judge: JudgeSettings
    embedder: EmbedderSettings
    policy_file: Path | None
    signing: SigningSettings
    effects: Mapping[str, EffectSettings]
    server: ServerSettings
    telemetry: TelemetrySettings
    zone: tzinfo


def find_workspace(start: Path) -> Path:
    """The nearest folder from `start` upwards that has a `toulmin.toml`; raises `InputError` (`no_workspace`) where none has."""
    folder = start.resolve()
    for candidate in (folder, *folder.parents):
        if (candidate / FILE).is_file():
            return candidate
    raise InputError("no_workspace", f"no {FILE} in {folder} or above it", remedy="make a workspace: toulmin init DIR")


def settings_of(folder: Path | str | None) -> Settings:
    """The settings of the workspace in a folder; without one, of the current folder or its nearest parent with a `toulmin.toml`."""
    return load(find_workspace(Path()) if folder is None else Path(folder))


def load(workspace: Path) -> Settings:
    """The settings of a workspace; raises `InputError` with key path, and with the line for malformed TOML."""
    if not (workspace / FILE).is_file():
        raise InputError("no_workspace", f"no {FILE} in {workspace}", remedy="make a workspace: toulmin init DIR")
    node = strict_toml.parse(read_file(workspace / FILE, FILE), FILE)
    form = read(_File, node, FILE, workspace=workspace)
    return Settings(
        workspace=workspace,
        store=form.store,
        index=form.index,
        parsing=form.parsing.limits(),
        originals=form.originals,
        profiles=_profiles(form, node),
        open_question=form.open_question,
        drafter=form.drafter,
        cache=form.cache,
        judge=form.judge,
        embedder=form.embedder,
        policy_file=_policy_file(form, node),
        signing=form.signing,
        effects=form.effects,
        server=form.server,
        telemetry=form.telemetry,
        zone=form.time.zone,
    )


def _profiles(form: _File, node: Node) -> Mapping[str, Rules]:
    stated = {
        name: rules.value(node, FILE, ("eligibility", name), form.time.zone) for name, rules in form.eligibility.items()
    }
    profiles = {"default": Rules()} | stated
    wanted = form.open_question.profile
    if wanted not in profiles:
        error = InputError("unknown_profile", f"no profile {wanted!r}", remedy=nearest(wanted, tuple(profiles)))
        raise located(error, node, FILE, ("open_question", "profile"))
    return profiles


def _policy_file(form: _File, node: Node) -> Path | None:
    """The policy file; one that is named must exist, or limits that somebody set would silently not hold."""
    file = form.policy.file
    if file.is_file():
        return file
    if "file" in form.policy.model_fields_set:
        error = InputError(
            "missing_file", f"no file {file}", remedy="write it, or remove the key: then the built-in policy holds"
        )
        raise located(error, node, FILE, ("policy", "file"))
    return None
