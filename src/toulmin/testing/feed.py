"""The contract of a store's feed: a test suite that every store passes.

```python
class TestMyFeed(FeedContract):
    @pytest.fixture
    def store(self) -> Store:
        return MyStore()
```
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from threading import Timer
from time import monotonic

import pytest

from toulmin.domain.corpus.document import Status
from toulmin.domain.question.case import ANONYMOUS
from toulmin.ports.feed import Feed
from toulmin.ports.store import Store
from toulmin.testing.builders import ALWAYS, NOW, descriptor, packet, revision
from toulmin.testing.store import ingest, retire

LONG_S = 30.0
"""Nobody waits so long where the contract holds."""
SOON_S = 0.05


def later(work: Callable[[], object]) -> None:
    """Does something in a moment, when somebody waits."""
    Timer(SOON_S, work).start()


class FeedContract:
    """What every store's feed does. The suite's store is empty."""

    @pytest.fixture
    def store(self) -> Store:
        """The store under test."""
        raise NotImplementedError("give the suite an empty store")

    @pytest.fixture
    def feed(self, store: Store) -> Iterator[Feed]:
        """A feed of the store, with the time that a test takes: a wait that goes on too long fails it."""
        start = monotonic()
        with closing(store.feed()) as feed:
            yield feed
        assert monotonic() - start < LONG_S

    def test_without_news_a_wait_takes_its_time(self, feed: Feed) -> None:
        start = monotonic()
        assert feed.wait(0, SOON_S) == 0
        assert monotonic() - start >= SOON_S

    def test_what_came_before_the_wait_ends_it_at_once(self, store: Store, feed: Feed) -> None:
        ingest(store)
        assert feed.wait(0, LONG_S) == 1

    def test_what_came_between_two_waits_ends_the_second(self, store: Store, feed: Feed) -> None:
        assert feed.wait(0, 0) == 0
        ingest(store, "A")
        ingest(store, "B")
        assert feed.wait(0, LONG_S) == 2

    def test_a_change_ends_the_wait_for_it(self, store: Store, feed: Feed) -> None:
        standing = ingest(store)
        later(lambda: retire(store, standing, Status.WITHDRAWN))
        assert feed.wait(1, LONG_S) == 2

    def test_a_number_that_the_store_does_not_have_is_news(self, store: Store, feed: Feed) -> None:
        """As after a restore from a backup."""
        ingest(store)
        assert feed.wait(7, LONG_S) == 1

    def test_a_change_that_is_rolled_back_is_none(self, store: Store, feed: Feed) -> None:
        with suppress(InterruptedError), store.curate() as curation:
            curation.add(revision(), descriptor(), ALWAYS, NOW)
            raise InterruptedError
        assert feed.wait(0, SOON_S) == 0

    def test_what_is_no_change_of_the_corpus_is_no_news(self, store: Store, feed: Feed) -> None:
        def keep() -> None:
            with store.begin(ANONYMOUS, write=True) as session:
                session.packets.add(packet())
            with store.curate():
                pass

        later(keep)
        assert feed.wait(0, SOON_S * 3) == 0

    def test_every_feed_hears_of_every_change(self, store: Store) -> None:
        with closing(store.feed()) as one, closing(store.feed()) as other, ThreadPoolExecutor(2) as threads:
            heard = [threads.submit(feed.wait, 0, LONG_S) for feed in (one, other)]
            later(lambda: ingest(store))
            assert [each.result() for each in heard] == [1, 1]

    def test_a_wake_ends_the_wait(self, feed: Feed) -> None:
        later(feed.wake)
        assert feed.wait(0, LONG_S) == 0

    def test_a_wake_that_comes_first_ends_the_next_wait_and_no_other(self, feed: Feed) -> None:
        feed.wake()
        feed.wake()
        assert feed.wait(0, LONG_S) == 0
        start = monotonic()
        assert feed.wait(0, SOON_S) == 0
        assert monotonic() - start >= SOON_S

    def test_a_feed_that_was_never_asked_can_be_closed(self, store: Store) -> None:
        store.feed().close()
