"""The only place that chooses adapters: from settings to the parts that the use cases are given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from shutil import disk_usage

from toulmin import __version__
from toulmin.adapters.files.contracts import ContractFolder
from toulmin.adapters.files.folder import FolderSource
from toulmin.adapters.files.text import TextParser
from toulmin.adapters.kreuzberg.language import LanguageDetecting
from toulmin.adapters.kreuzberg.pdf import PdfParser
from toulmin.adapters.markup.parser import MarkupParser
from toulmin.adapters.memory.cache import MemoryDraftCache
from toulmin.adapters.memory.index import OverlapIndex
from toulmin.adapters.memory.store import MemoryStore
from toulmin.adapters.onnx import LocalJudge, Stated, onnx_judge
from toulmin.adapters.openai import Endpoint, LazyDrafter, Limits, llm_judge
from toulmin.adapters.sandbox.parser import SandboxedParser
from toulmin.adapters.sqlite.store import SqliteStore
from toulmin.adapters.system import SystemClock
from toulmin.adapters.systemone import systemone_judge
from toulmin.adapters.tantivy.index import TantivyIndex
from toulmin.adapters.template import TemplateDrafter
from toulmin.application.bulkhead import Bulkhead
from toulmin.application.doctor import Bench, Engine, Model, Patient
from toulmin.application.flights import Flights
from toulmin.application.parts import Drafting, Parts
from toulmin.application.scopes import EligibleScopes
from toulmin.domain.corpus.metadata import Metadata
from toulmin.domain.errors import InputError
from toulmin.domain.policy import Policy
from toulmin.domain.question.contract import Contract, DrafterKind, open_question
from toulmin.ports.cache import DraftCache
from toulmin.ports.drafter import Drafter
from toulmin.ports.health import ExaminedIndex, ExaminedStore
from toulmin.ports.index import PassageIndex
from toulmin.ports.judge import Judge
from toulmin.ports.parser import Parser
from toulmin.ports.source import DocumentSource
from toulmin.ports.store import Store
from toulmin.surfaces.settings import PostgresUrl, Settings
from toulmin.wire.policy import read_policy
from toulmin.wire.source import read_file

CONTRACTS = "contracts"
_OWN_SHARE = 0.95
"""Of the provider's deadline: a drafter or judge that ends by itself tells what it took, one that is ended does not."""
_PROBE_S = 60.0


def parts(settings: Settings) -> Parts:
    """The parts of a workspace: its own store and index, opened or made."""
    return assembled(settings, open_store(settings), open_index(settings))


def demo_parts(settings: Settings) -> Parts:
    """The parts of the demo: everything in memory, ranked by the number of shared words."""
    return assembled(settings, MemoryStore(), OverlapIndex())


def assembled(settings: Settings, store: Store, index: PassageIndex) -> Parts:
    """The parts of a workspace around a store and an index."""
    policy = _policy(settings)
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
    )


@contextmanager
def parsers(settings: Settings) -> Iterator[Sequence[Parser]]:
    """The parsers, in the order in which they are tried; at the end their processes end.

    Text is read in this process, everything else in processes of their own, which start when they are first needed.
    """
    limits = settings.parsing
    with ExitStack() as stack:
        sandboxed = (
            stack.enter_context(SandboxedParser(LanguageDetecting(parser), limits))
            for parser in (PdfParser(limits), MarkupParser(limits))
        )
        yield (LanguageDetecting(TextParser(zone=settings.zone)), *sandboxed)


def open_store(settings: Settings) -> ExaminedStore:
    """The corpus database of a workspace."""
    url = settings.store.url
    if isinstance(url, PostgresUrl):
        raise InputError(
            "unsupported_store",
            "this version keeps its corpus in SQLite only",
            where="toulmin.toml: store.url",
            remedy="write sqlite:///.toulmin/corpus.db",
        )
    return SqliteStore(url.path)


def open_index(settings: Settings) -> ExaminedIndex:
    """The derived index of a workspace; its files are looked at when they are first needed."""
    return TantivyIndex(settings.index.path)


def patient(settings: Settings, *, offline: bool = False) -> Patient:
    """A workspace as doctor looks at it; `offline`: nothing is asked of a provider."""
    return Patient(
        store=lambda: open_store(settings),
        index=lambda: open_index(settings),
        policy=lambda: _policy(settings),
        parts=lambda store, index: assembled(settings, store, index),
        model=None if settings.drafter.kind == "template" else lambda: _probed(settings, offline=offline),
        bench=lambda: _bench(settings, offline=offline),
        engines=(_TEMPLATE,) if settings.drafter.kind == "template" else (),
        free_bytes=lambda: disk_usage(settings.workspace).free,
    )


_TEMPLATE = Engine(name="drafter", kind="template")


def _model(settings: Settings, policy: Policy) -> dict[DrafterKind, Drafter]:
    """The model that drafts, where one is configured. Its vendor's library is loaded with the first draft: that takes a second."""
    if settings.drafter.kind == "template":
        return {}
    return {DrafterKind.MODEL: _drafter(settings, policy.provider_deadline_s * _OWN_SHARE)}


def _probed(settings: Settings, *, offline: bool) -> Model:
    """The model as doctor asks it: it waits a minute, and not as long as a question may take."""
    deadline_s = min(_PROBE_S, _policy(settings).provider_deadline_s * _OWN_SHARE)
    return Model(drafter=_drafter(settings, deadline_s), approved=settings.drafter.external, ask=not offline)


def _bench(settings: Settings, *, offline: bool) -> Bench:
    """The judge as doctor asks it; one on this host is loaded, so that what is wrong with its files is told in words."""
    if settings.judge.kind == "oracles":
        return Bench(judge=None)
    deadline_s = min(_PROBE_S, _policy(settings).provider_deadline_s * _OWN_SHARE)
    if settings.judge.kind == "onnx":
        judge = _local_judge(settings, deadline_s)
        judge.load()
        return Bench(judge=judge)
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


def _cache(settings: Settings) -> DraftCache | None:
    wanted = settings.cache
    return MemoryDraftCache(entries=wanted.entries, max_age_s=wanted.max_age_s) if wanted.entries else None


def _policy(settings: Settings) -> Policy:
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


def without_effect(settings: Settings) -> tuple[str, ...]:
    """Settings that are stated and that nothing heeds yet: whoever wrote them must not rely on them."""
    stated = {
        "[signing] key_file (packets are not signed)": settings.signing.key_file is not None,
        "[effects] (there are no approvals)": bool(settings.effects),
    }
    return tuple(name for name, is_stated in stated.items() if is_stated)
