"""The only place that chooses adapters: from settings to the parts that the use cases are given."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from toulmin import __version__
from toulmin.adapters.files.contracts import ContractFolder
from toulmin.adapters.files.folder import FolderSource
from toulmin.adapters.files.text import TextParser
from toulmin.adapters.memory.index import OverlapIndex
from toulmin.adapters.memory.store import MemoryStore
from toulmin.adapters.sqlite.store import SqliteStore
from toulmin.adapters.system import SystemClock
from toulmin.adapters.tantivy.index import TantivyIndex
from toulmin.adapters.template import TemplateDrafter
from toulmin.application.parts import Parts
from toulmin.application.scopes import EligibleScopes
from toulmin.domain.corpus.metadata import Metadata
from toulmin.domain.errors import InputError
from toulmin.domain.policy import Policy
from toulmin.domain.question.contract import Contract, DrafterKind, open_question
from toulmin.ports.index import PassageIndex
from toulmin.ports.parser import Parser
from toulmin.ports.source import DocumentSource
from toulmin.ports.store import Store
from toulmin.surfaces.settings import PostgresUrl, Settings
from toulmin.wire.policy import read_policy
from toulmin.wire.source import read_file

CONTRACTS = "contracts"


def parts(settings: Settings) -> Parts:
    """The parts of a workspace: its own store and index, opened or made."""
    return assembled(settings, open_store(settings), TantivyIndex(settings.index.path))


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
        drafters={DrafterKind.TEMPLATE: TemplateDrafter()},
        clock=SystemClock(),
        scopes=EligibleScopes(),
        policy=policy,
        zone=settings.zone,
        versions={"toulmin": __version__},
    )


def parsers() -> Sequence[Parser]:
    """The parsers, in the order in which they are tried."""
    return (TextParser(),)


def open_store(settings: Settings) -> Store:
    """The corpus database of a workspace."""
    url = settings.store.url
    if isinstance(url, PostgresUrl):
        raise InputError(
            "unsupported_store",
            "this version keeps its corpus in SQLite only",
            where="toulmin.toml: store.url",
            remedy="write sqlite:///.toulmin/corpus.db",
        )
    url.path.parent.mkdir(parents=True, exist_ok=True)
    return SqliteStore(url.path)


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
    suffixes = frozenset(suffix for parser in parsers() for suffix in parser.suffixes)
    return FolderSource(paths=paths, suffixes=suffixes, zone=settings.zone, manifest=manifest, options=options)


def destroy_index(settings: Settings) -> None:
    """Removes the derived index of a workspace, in whatever state it is."""
    TantivyIndex.destroy(settings.index.path)
