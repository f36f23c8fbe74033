"""The contract of a draft cache: a test suite that every `DraftCache` passes.

```python
class TestMyCache(DraftCacheContract):
    @pytest.fixture
    def cache(self) -> DraftCache:
        return MyCache(entries=ROOM)
```
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from toulmin.domain.claims.draft import Citation, Claim
from toulmin.domain.corpus.document import RevisionId
from toulmin.ports.cache import DraftCache

ROOM = 3
"""Entries that the suite's cache has room for."""


def claims(text: str) -> tuple[Claim, ...]:
    """A draft of one claim with everything that a claim can have."""
    citation = Citation(source=RevisionId("MANUAL", "1"), span="s1")
    return (Claim(text=text, citations=(citation,), fact="capacity", quotes=("40 l",)),)


class DraftCacheContract:
    """What every cache of drafts does; the suite's has room for `ROOM` entries."""

    @pytest.fixture
    def cache(self) -> DraftCache:
        """The cache under test."""
        raise NotImplementedError(f"give the suite a cache with room for {ROOM} entries")

    def test_a_key_that_was_never_put_has_nothing(self, cache: DraftCache) -> None:
        assert cache.get("a") is None

    def test_what_was_put_comes_back_whole(self, cache: DraftCache) -> None:
        cache.put("a", claims("A."))
        assert cache.get("a") == claims("A.")
        assert cache.get("a") == claims("A."), "reading must not take it out"

    def test_keys_do_not_mix(self, cache: DraftCache) -> None:
        cache.put("a", claims("A."))
        cache.put("b", claims("B."))
        assert (cache.get("a"), cache.get("b")) == (claims("A."), claims("B."))
        assert cache.get("A") is None
        assert cache.get("a ") is None

    def test_the_last_put_holds(self, cache: DraftCache) -> None:
        cache.put("a", claims("A."))
        cache.put("a", claims("Another."))
        assert cache.get("a") == claims("Another.")

    def test_it_is_bounded_and_the_least_recently_used_go_first(self, cache: DraftCache) -> None:
        for key in "abc":
            cache.put(key, claims(key))
        assert cache.get("a") == claims("a")
        cache.put("d", claims("d"))
        assert [key for key in "abcd" if cache.get(key)] == ["a", "c", "d"]

    def test_putting_again_is_a_use(self, cache: DraftCache) -> None:
        for key in "abcad":
            cache.put(key, claims(key))
        assert [key for key in "abcd" if cache.get(key)] == ["a", "c", "d"]

    def test_it_forgets_every_draft_that_cites_a_source_and_no_other(self, cache: DraftCache) -> None:
        other = Claim(text="B.", citations=(Citation(source=RevisionId("MANUAL", "2"), span="s1"),))
        cache.put("both", (other, *claims("A.")))
        cache.put("other", (other,))
        cache.forget([RevisionId("MANUAL", "1")])
        assert (cache.get("both"), cache.get("other")) == (None, (other,))

    def test_many_threads_leave_it_bounded_and_whole(self, cache: DraftCache) -> None:
        def use(number: int) -> bool:
            key = str(number % 7)
            cache.put(key, claims(key))
            return cache.get(key) in (None, claims(key))

        with ThreadPoolExecutor(8) as pool:
            assert all(pool.map(use, range(2_000)))
        assert sum(cache.get(str(number)) is not None for number in range(7)) <= ROOM
