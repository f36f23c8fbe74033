from __future__ import annotations

import pytest

from toulmin.adapters.memory.cache import MemoryDraftCache
from toulmin.ports.cache import DraftCache
from toulmin.testing.cache import ROOM, DraftCacheContract


class TestMemoryDraftCache(DraftCacheContract):
    @pytest.fixture
    def cache(self) -> DraftCache:
        return MemoryDraftCache(entries=ROOM, max_age_s=60)
