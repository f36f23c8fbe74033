"""What the use cases are given: ports, and the values that configure them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any

from toulmin.application.bulkhead import Bulkhead
from toulmin.application.flights import Flights
from toulmin.application.hybrid import HybridIndex
from toulmin.application.scopes import EligibleScopes
from toulmin.domain.policy import Policy
from toulmin.domain.question.contract import Contract, DrafterKind
from toulmin.ports.cache import DraftCache
from toulmin.ports.clock import Clock
from toulmin.ports.contracts import ContractSource
from toulmin.ports.drafter import Drafter
from toulmin.ports.index import PassageIndex, Searchable
from toulmin.ports.judge import Judge
from toulmin.ports.observer import NO_OBSERVER, Observer
from toulmin.ports.pages import PageImages
from toulmin.ports.reranker import Reranker
from toulmin.ports.signer import Signer
from toulmin.ports.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Drafting:
    """What drafts of all requests have in common.

    `external_approved`: a person approved that a provider which is not on this host may receive documents labelled `egress: any`. Without a
    cache, drafts in flight are not shared either.
    """

    bulkhead: Bulkhead
    flights: Flights[Any]
    cache: DraftCache | None = None
    external_approved: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """Ports and settings. A drafter kind without an entry is not configured; `open_question` is None where it is switched off.

    Without a `judge` the deterministic checks decide alone. `judge_approved`: a person approved that a judge which is not on this host may
    receive documents labelled `egress: any`. `index` is by words; `meaning`, where there is an embedder, by what passages mean; a
    `reranker`, where there is one, orders the best of what they found.
    Without `pages`, no page of a document is shown as it is printed.
    Without a `signer`, checkpoints of the ledger and exported packets are not signed. The `observer` is told of every step.
    """

    store: Store
    index: PassageIndex
    contracts: ContractSource
    open_question: Contract | None
    drafters: Mapping[DrafterKind, Drafter]
    drafting: Drafting
    clock: Clock
    scopes: EligibleScopes
    policy: Policy
    zone: tzinfo
    versions: Mapping[str, str]
    judge: Judge | None = None
    judge_approved: bool = False
    meaning: PassageIndex | None = None
    reranker: Reranker | None = None
    signer: Signer | None = None
    pages: PageImages | None = None
    observer: Observer = NO_OBSERVER

    @property
    def searched(self) -> Searchable:
        """What is searched: the index by words, together with that by meaning where there is one."""
        if self.meaning is None:
            return self.index
        return HybridIndex(words=self.index, meaning=self.meaning, store=self.store)
