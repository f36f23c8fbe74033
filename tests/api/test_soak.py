"""A service that has answered much holds no more memory than one that has answered some; `script/bench soak` does it for longer."""

from __future__ import annotations

from pathlib import Path

from tests.api.traffic import traffic

WARM_UP, REQUESTS = 400, 2000
ROOM_MIB = 12
"""For what fills up once: caches of statements and schemas, arenas of the allocator for each thread."""


def test_memory_stays_flat_over_two_thousand_requests_with_mixed_faults(folder: Path) -> None:
    with traffic(folder) as service:
        service.send(WARM_UP, seed=1)
        before = service.server.resident_mib()
        endings = service.send(REQUESTS, seed=2)
        after = service.server.resident_mib()
        assert service.server.end() == 0
        assert "Traceback" not in service.server.said()
    assert sum(endings.values()) == REQUESTS
    assert {"search", "Answered", "provider_error", "timeout", "invalid_output", "left"} <= set(endings)
    assert after < before + ROOM_MIB, (before, after)
