"""The only place that chooses adapters: from settings to the parts that the use cases are given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from shutil import disk_usage, rmtree

from toulmin import __version__
from toulmin.adapters.effects import CommandEffect, webhook_effect
from toulmin.adapters.files.contracts import ContractFolder
from toulmin.adapters.files.folder import FolderSource
from toulmin.adapters.files.text import TextParser
from toulmin.adapters.files.uploads import UploadSource
from toulmin.adapters.jwt import Issuer, jwt_authenticator
from toulmin.adapters.kreuzberg.language import LanguageDetecting
from toulmin.adapters.kreuzberg.pdf import PdfParser
from toulmin.adapters.markup.parser import MarkupParser
from toulmin.adapters.memory.cache import MemoryDraftCache
from toulmin.adapters.memory.index import OverlapIndex
from toulmin.adapters.memory.store import MemoryStore
from toulmin.adapters.onnx import (
    LocalJudge,
    Stated,
    StatedEmbedder,
    embedder_is_installed,
    judge_is_installed,
    onnx_embedder,
    onnx_judge,
)
from toulmin.adapters.openai import EmbeddingForm, Endpoint, LazyDrafter, LazyEmbedder, Limits, llm_judge
from toulmin.adapters.pdfium.pages import PdfPages
from toulmin.adapters.postgres import migrate_database, open_database
from toulmin.adapters.sandbox.pages import SandboxedPages
from toulmin.adapters.sandbox.parser import SandboxedParser
from toulmin.adapters.signing import KeyFile, new_key, public_keys
from toulmin.adapters.sqlite.schema import migrations as sqlite_migrations
from toulmin.adapters.sqlite.store import SqliteStore
from toulmin.adapters.system import SystemClock
from toulmin.adapters.system.workers import SystemWorkers
from toulmin.adapters.systemone import systemone_judge
from toulmin.adapters.tantivy.index import TantivyIndex
from toulmin.adapters.telemetry import TelemetryOptions, service_telemetry, shared_metrics
from toulmin.adapters.template import TemplateDrafter
from toulmin.adapters.vectors import vector_index
from toulmin.application.approvals import Desk
from toulmin.application.authentication import ApiKeyAuthenticator, SubjectAuthenticator, TokenAuthenticator
from toulmin.application.bulkhead import Bulkhead
from toulmin.application.doctor import Bench, Engine, Model, Patient
from toulmin.application.flights import Flights
from toulmin.application.ingest import NO_ORIGINALS, KeptOriginals
from toulmin.application.parts import Drafting, Parts
from toulmin.application.scopes import EligibleScopes
from toulmin.domain.corpus.metadata import Metadata
from toulmin.domain.errors import InputError
from toulmin.domain.policy import Policy
from toulmin.domain.question.contract import Contract, DrafterKind, open_question
from toulmin.ports.authenticator import Authenticator
from toulmin.ports.cache import DraftCache
from toulmin.ports.drafter import Drafter
from toulmin.ports.effects import Effect
from toulmin.ports.embedder import Embedder
from toulmin.ports.health import ExaminedIndex
from toulmin.ports.index import PassageIndex
from toulmin.ports.judge import Judge
from toulmin.ports.pages import DrawingLimits
from toulmin.ports.parser import Parser
from toulmin.ports.signer import Keyring, MadeKey, Signer
from toulmin.ports.source import DocumentSource, Upload
from toulmin.ports.store import Store
from toulmin.ports.telemetry import Telemetry
from toulmin.ports.transfer import MovableStore
from toulmin.surfaces.settings import FILE, EffectSettings, EmbedderSettings, KeysUrl, PostgresUrl, Settings, SqliteFile
from toulmin.wire.policy import read_policy
from toulmin.wire.source import read_file

CONTRACTS = "contracts"
_VECTORS = "vectors"
_METRICS = ".toulmin/metrics"
_OWN_SHARE = 0.95
"""Of the provider's deadline: a drafter or judge that ends by itself tells what it took, one that is ended does not."""
_PROBE_S = 60.0
_DRAWING_PROCESSES = 2


def parts(settings: Settings) -> Parts:
    """The parts of a workspace: its own store and index, opened or made."""
    return assembled(settings, open_store(settings), open_index(settings), open_vectors(settings))


def demo_parts(settings: Settings) -> Parts:
    """The parts of the demo: everything in memory, ranked by the number of shared words."""
    return assembled(settings, MemoryStore(), OverlapIndex())


def assembled(settings: Settings, store: Store, index: PassageIndex, meaning: PassageIndex | None = None) -> Parts:
    """The parts of a workspace around a store, and its indexes by words and by meaning."""
    policy = policy_of(settings)
    return Parts(
        store=store,
        index=index,
        contracts=ContractFolder(settings.workspace / CONTRACTS, settings.zone),
        open_question=_open_question(settings, policy),
        drafters={DrafterKind.TEMPLATE: TemplateDrafter(), **_model(settings, policy)},
        drafting=Drafting(
            bulkhead=Bulkhead(policy.concurrent_drafts),
            flights=Flights(),
            cache=_cache(settings),
            external_approved=settings.drafter.external,
        ),
        judge=_judge(settings, policy),
        judge_approved=settings.judge.external,
        clock=SystemClock(),
        scopes=EligibleScopes(),
        policy=policy,
        zone=settings.zone,
        versions={"toulmin": __version__},
        meaning=meaning,
        signer=signer(settings),
        pages=SandboxedPages(PdfPages(), DrawingLimits(), workers=_DRAWING_PROCESSES),
    )


def telemetry(settings: Settings) -> Telemetry:
    """What this process tells of itself as a service; its `observer` is for the `Parts`."""
    chosen = settings.telemetry
    return service_telemetry(
        TelemetryOptions(
            version=__version__,
            log_level=chosen.log_level,
            log_file=chosen.log_file,
            traces_url=chosen.traces_url(),
            metrics_folder=chosen.metrics_folder(),
        )
    )


def worker_environment(workspace: Path) -> Mapping[str, str]:
    """The variables that each of several workers starts with, so that any of them tells the metrics of all. Forgets those of an earlier start."""
    return shared_metrics(workspace / _METRICS)


@contextmanager
def parsers(settings: Settings, *, text_apart: bool = False) -> Iterator[Sequence[Parser]]:
    """The parsers, in the order in which they are tried; at the end their processes end.

    Text is read in this process, unless it is to be read `text_apart`, everything else in processes of their own, which start when they
    are first needed.
    """
    limits = settings.parsing
    with ExitStack() as stack:

        def sandboxed(parser: Parser) -> Parser:
            return stack.enter_context(SandboxedParser(parser, limits))

        text = LanguageDetecting(TextParser(zone=settings.zone))
        others = LanguageDetecting(PdfParser(limits)), LanguageDetecting(MarkupParser(limits))
        yield (sandboxed(text) if text_apart else text, *map(sandboxed, others))


def originals(settings: Settings) -> KeptOriginals:
    """The files that are kept beside what is read from them: those whose pages can be drawn."""
    if not settings.originals.keep:
        return NO_ORIGINALS
    return KeptOriginals(suffixes=PdfPages().suffixes, max_bytes=settings.originals.max_bytes)


def open_store(settings: Settings) -> MovableStore:
    """The corpus database of a workspace."""
    match settings.store.url:
        case SqliteFile(path):
            return SqliteStore(path)
        case PostgresUrl(url):
            return open_database(url, settings.store.key_file)


def migrate_store(settings: Settings) -> int:
    """Brings the corpus database of a workspace to the present schema; the number of its last migration."""
    match settings.store.url:
        case SqliteFile(path):
            SqliteStore(path).close()  # opening a file does it
            return len(sqlite_migrations())
        case PostgresUrl(url):
            return migrate_database(url, settings.store.key_file)


def open_index(settings: Settings) -> ExaminedIndex:
    """The derived index of a workspace by words; its files are looked at when they are first needed."""
    return TantivyIndex(settings.index.path)


def open_vectors(settings: Settings) -> ExaminedIndex | None:
    """The derived index by meaning, beside that by words; None where no embedder is configured."""
    chosen = embedder(settings)
    return vector_index(settings.index.path / _VECTORS, chosen) if chosen else None


def drop_unused_vectors(settings: Settings) -> None:
    """Removes the index by meaning of a workspace whose embedder was taken out of the settings: nothing would ever bring it up any more."""
    folder = settings.index.path / _VECTORS
    if settings.embedder.kind == "none" and folder.exists():
        rmtree(folder)


def patient(settings: Settings, *, offline: bool = False) -> Patient:
    """A workspace as doctor looks at it; `offline`: nothing is asked of a provider."""
    return Patient(
        store=lambda: open_store(settings),
        index=lambda: open_index(settings),
        meaning=lambda: open_vectors(settings),
        policy=lambda: policy_of(settings),
        parts=lambda store, index: assembled(settings, store, index),
        model=None if settings.drafter.kind == "template" else lambda: _probed(settings, offline=offline),
        bench=lambda: _bench(settings, offline=offline),
        engines=(_TEMPLATE,) if settings.drafter.kind == "template" else (),
        signer=lambda: signer(settings),
        free_bytes=lambda: disk_usage(settings.workspace).free,
    )


def keyring(paths: Sequence[Path]) -> Keyring | None:
    """The public keys of files, to check signatures with; None for no files. Raises `InputError` for a file that holds none."""
    return public_keys(paths) if paths else None


def make_key(path: Path) -> MadeKey:
    """Makes a key that signs, in a file of its own."""
    return new_key(path)


def signer(settings: Settings) -> Signer | None:
    """Who signs; None: nobody. The key is read with the first signature."""
    return None if settings.signing.key_file is None else KeyFile(settings.signing.key_file)


_TEMPLATE = Engine(name="drafter", kind="template")


def _model(settings: Settings, policy: Policy) -> dict[DrafterKind, Drafter]:
    """The model that drafts, where one is configured. Its vendor's library is loaded with the first draft: that takes a second."""
    if settings.drafter.kind == "template":
        return {}
    return {DrafterKind.MODEL: _drafter(settings, policy.provider_deadline_s * _OWN_SHARE)}


def _probed(settings: Settings, *, offline: bool) -> Model:
    """The model as doctor asks it: it waits a minute, and not as long as a question may take."""
    deadline_s = min(_PROBE_S, policy_of(settings).provider_deadline_s * _OWN_SHARE)
    return Model(drafter=_drafter(settings, deadline_s), approved=settings.drafter.external, ask=not offline)


def _bench(settings: Settings, *, offline: bool) -> Bench:
    """The judge as doctor asks it; one on this host is loaded, so that what is wrong with its files is told in words."""
    if settings.judge.kind == "oracles":
        return Bench(judge=None)
    deadline_s = min(_PROBE_S, policy_of(settings).provider_deadline_s * _OWN_SHARE)
    if settings.judge.kind == "onnx":
        judge = _local_judge(settings, deadline_s)
        judge.load()
        return Bench(judge=judge, worth=judge.worth)
    return Bench(judge=_remote_judge(settings, deadline_s), approved=settings.judge.external, ask=not offline)


def _drafter(settings: Settings, deadline_s: float) -> Drafter:
    chosen = settings.drafter
    endpoint = Endpoint(base_url=chosen.base_url, model=chosen.model, api_key=chosen.key())
    return LazyDrafter(endpoint, Limits(deadline_s=deadline_s, pace=chosen.per_minute))


def _judge(settings: Settings, policy: Policy) -> Judge | None:
    """The judge that is configured; None: the oracles alone decide."""
    deadline_s = policy.provider_deadline_s * _OWN_SHARE
    match settings.judge.kind:
        case "oracles":
            return None
        case "onnx":
            return _local_judge(settings, deadline_s)
        case "llm" | "systemone":
            return _remote_judge(settings, deadline_s)


def has_local_judge() -> bool:
    """Whether a judge on this host can be had without naming a model."""
    return judge_is_installed()


def _local_judge(settings: Settings, deadline_s: float) -> LocalJudge:
    chosen = settings.judge
    stated = Stated(
        folder=chosen.model_dir,
        labels=chosen.labels,
        first=chosen.first,
        max_tokens=chosen.max_tokens,
        model_sha256=chosen.model_sha256,
    )
    return onnx_judge(stated, deadline_s=deadline_s, threads=chosen.threads)


def _remote_judge(settings: Settings, deadline_s: float) -> Judge:
    chosen = settings.judge
    endpoint = Endpoint(base_url=chosen.base_url, model=chosen.model, api_key=chosen.key())
    limits = Limits(deadline_s=deadline_s, pace=chosen.per_minute, request_bytes=chosen.max_request_bytes)
    if chosen.kind == "llm":
        return llm_judge(endpoint, limits, top_logprobs=chosen.top_logprobs)
    return systemone_judge(endpoint, limits)


def embedder(settings: Settings) -> Embedder | None:
    """The embedder that is configured; None: passages are found by their words alone.

    Raises `InputError`: `egress_denied` for one on another host that nobody approved, since every question would go there.
    """
    match settings.embedder.kind:
        case "none":
            return None
        case "onnx":
            return _local_embedder(settings.embedder)
        case "openai":
            return _remote_embedder(settings.embedder)


def has_local_embedder() -> bool:
    """Whether an embedder on this host can be had without naming a model."""
    return embedder_is_installed()


def _local_embedder(chosen: EmbedderSettings) -> Embedder:
    stated = StatedEmbedder(
        folder=chosen.model_dir,
        dimension=chosen.dimension,
        pooling=chosen.pooling,
        max_tokens=chosen.max_tokens,
        passage_prefix=chosen.passage_prefix,
        query_prefix=chosen.query_prefix,
        model_sha256=chosen.model_sha256,
    )
    return onnx_embedder(stated, threads=chosen.threads)


def _remote_embedder(chosen: EmbedderSettings) -> Embedder:
    assert chosen.dimension is not None  # the settings see to it
    endpoint = Endpoint(base_url=chosen.base_url, model=chosen.model, api_key=chosen.key())
    if not (endpoint.on_this_host or chosen.external):
        raise InputError(
            "egress_denied",
            "the embedder is on another host, and nobody approved that passages and questions go there",
            where="toulmin.toml: embedder.external",
            remedy="write external = true; passages of documents labelled egress: local stay here all the same",
        )
    form = EmbeddingForm(
        dimension=chosen.dimension,
        max_chars=chosen.max_chars,
        passage_prefix=chosen.passage_prefix or "",
        query_prefix=chosen.query_prefix or "",
    )
    return LazyEmbedder(endpoint, Limits(deadline_s=chosen.timeout_s, pace=chosen.per_minute), form)


def _cache(settings: Settings) -> DraftCache | None:
    wanted = settings.cache
    return MemoryDraftCache(entries=wanted.entries, max_age_s=wanted.max_age_s) if wanted.entries else None


def policy_of(settings: Settings) -> Policy:
    """The policy that the settings name; the built-in one, where they name none."""
    if settings.policy_file is None:
        return Policy()
    name = settings.policy_file.name
    return read_policy(read_file(settings.policy_file, name), name)


def _open_question(settings: Settings, policy: Policy) -> Contract | None:
    chosen = settings.open_question
    if not chosen.enabled:
        return None
    rules = settings.profiles[chosen.profile]
    return open_question(rules, mode=chosen.mode, min_score=chosen.min_score, k=policy.passages)


def desk(settings: Settings, parts: Parts) -> Desk:
    """What approvals of a workspace work with. An effect is made when it is needed, and its secret read then."""
    return Desk(
        parts=parts,
        effects={name: partial(_effect, chosen, settings.workspace) for name, chosen in settings.effects.items()},
        workers=SystemWorkers(),
        profiles=tuple(settings.profiles.values()),
    )


def _effect(chosen: EffectSettings, workspace: Path) -> Effect:
    if chosen.kind == "command":
        return CommandEffect(
            argv=chosen.argv, folder=workspace, idempotent=chosen.idempotent, timeout_s=chosen.timeout_s
        )
    assert chosen.url is not None  # the settings see to both
    assert chosen.secret_env is not None
    return webhook_effect(
        chosen.url,
        chosen.secret(),
        secret_env=chosen.secret_env,
        idempotent=chosen.idempotent,
        timeout_s=chosen.timeout_s,
    )


def token_authenticator(settings: Settings, store: Store) -> Authenticator | None:
    """Who knows the service's callers by bearer tokens; None: no kind of them is accepted. Raises what `signed_token_authenticator` does."""
    signed = signed_token_authenticator(settings)
    api_keys = ApiKeyAuthenticator(store, SystemClock()) if "api-key" in settings.server.auth else None
    return TokenAuthenticator(api_keys=api_keys, signed=signed) if signed or api_keys else None


def signed_token_authenticator(settings: Settings) -> Authenticator | None:
    """Who knows callers by tokens of an issuer; None: they are not accepted.

    Raises `InputError` where no issuer is configured, where its keys are in a file that cannot be read, and where an extra is missing.
    """
    if "jwt" not in settings.server.auth:
        return None
    chosen = settings.server.jwt
    if chosen is None:
        raise _missing_section("server.jwt", "write issuer, audience and jwks there, or another kind in server.auth")
    issuer = Issuer(
        name=chosen.issuer,
        audience=chosen.audience,
        keys=chosen.jwks.url if isinstance(chosen.jwks, KeysUrl) else chosen.jwks,
        algorithms=chosen.algorithms,
        leeway_s=chosen.leeway_s,
        tenant_claim=chosen.tenant_claim,
        groups_claim=chosen.groups_claim,
        roles_claim=chosen.roles_claim,
    )
    return jwt_authenticator(issuer, SystemClock())


def subject_authenticator(settings: Settings) -> Authenticator | None:
    """Who knows callers by the subjects that a proxy has verified; None: they are not accepted. Raises `InputError` where none is named."""
    if "mtls" not in settings.server.auth:
        return None
    chosen = settings.server.mtls
    if chosen is None:
        raise _missing_section("server.mtls", "name the subjects that are let in, under [server.mtls.subjects]")
    return SubjectAuthenticator({name: form.value() for name, form in chosen.subjects.items()})


def _missing_section(name: str, remedy: str) -> InputError:
    return InputError("missing_key", f"there is no section [{name}]", where=f"{FILE}: {name}", remedy=remedy)


def folder(paths: Sequence[Path], settings: Settings, manifest: Path | None, options: Metadata) -> DocumentSource:
    """The documents of files and folders that some parser reads."""
    with parsers(settings) as known:
        suffixes = frozenset(suffix for parser in known for suffix in parser.suffixes)
    return FolderSource(
        paths=paths,
        suffixes=suffixes,
        zone=settings.zone,
        manifest=manifest,
        options=options,
        max_bytes=settings.parsing.max_bytes,
    )


def uploads(files: Sequence[Upload], settings: Settings, options: Metadata) -> UploadSource:
    """The documents among files that somebody sends."""
    return UploadSource(files=files, zone=settings.zone, options=options, max_bytes=settings.parsing.max_bytes)
