"""Which scopes are eligible, judged once per rules and case; and how many documents, counted once while nothing changes."""

from __future__ import annotations

from collections import OrderedDict
from datetime import datetime
from threading import Lock

from toulmin.domain.question.case import Case
from toulmin.domain.question.eligibility import Filter, Rules, eligible_scopes
from toulmin.ports.store import Corpus, Eligible

_Key = tuple[Rules, Case]
_CountKey = tuple[frozenset[int], frozenset[str], frozenset[str], int]


class EligibleScopes:
    """Remembers verdicts on interned scopes: a scope never changes, so only those newer than the last look are judged.

    Keeps the `capacity` latest pairs of rules and case; safe to share between threads. `counts` remembers what comes of its filters.
    """

    def __init__(self, capacity: int = 256) -> None:
        self.counts = EligibleCounts(capacity)
        self._capacity = capacity
        self._known: OrderedDict[_Key, tuple[int, frozenset[int]]] = OrderedDict()
        self._lock = Lock()

    def find(self, rules: Rules, case: Case, corpus: Corpus) -> frozenset[int]:
        """The keys of the corpus's eligible scopes."""
        key = (rules, case.only(rules.attributes))
        with self._lock:
            seen, eligible = self._known.get(key, (0, frozenset()))
        newer = corpus.scopes(after=seen)
        if newer:
            seen, eligible = newer[-1][0], eligible | eligible_scopes(rules, key[1], newer)
        with self._lock:
            self._known[key] = (seen, eligible)
            self._known.move_to_end(key)
            while len(self._known) > self._capacity:
                self._known.popitem(last=False)
        return eligible


class EligibleCounts:
    """Remembers how many documents a filter lets through, for as long as the corpus and what is in force in it stay the same.

    Keeps the `capacity` latest filters; safe to share between threads.
    """

    def __init__(self, capacity: int = 256) -> None:
        self._capacity = capacity
        self._known: OrderedDict[_CountKey, tuple[datetime, Eligible]] = OrderedDict()
        self._lock = Lock()

    def find(self, wanted: Filter, tokens: frozenset[str], corpus: Corpus) -> int:
        """The number of documents that the filter lets through and that the corpus's principal, who holds the tokens, may read."""
        key = (wanted.scopes, wanted.readers, tokens, corpus.sequence())
        with self._lock:
            known = self._known.get(key)
        if known is not None and _holds(known[0], known[1], wanted.at):
            return known[1].documents
        found = corpus.eligible(wanted)
        with self._lock:
            self._known[key] = (wanted.at, found)
            self._known.move_to_end(key)
            while len(self._known) > self._capacity:
                self._known.popitem(last=False)
        return found.documents


def _holds(since: datetime, found: Eligible, at: datetime) -> bool:
    return since <= at and (found.until is None or at < found.until)
