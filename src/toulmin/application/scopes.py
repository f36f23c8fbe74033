"""Which scopes are eligible, judged once per rules and case."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

from toulmin.domain.question.case import Case
from toulmin.domain.question.eligibility import Rules, eligible_scopes
from toulmin.ports.store import Corpus

_Key = tuple[Rules, Case]


class EligibleScopes:
    """Remembers verdicts on interned scopes: a scope never changes, so only those newer than the last look are judged.

    Keeps the `capacity` latest pairs of rules and case; safe to share between threads.
    """

    def __init__(self, capacity: int = 256) -> None:
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
