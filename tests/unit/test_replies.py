from __future__ import annotations

from datetime import timedelta

import pytest

from toulmin.ports.replies import KEPT, KeptRun, OtherRequest, Reply, UnderWay
from toulmin.testing.builders import NOW

LATER = NOW + timedelta(minutes=5)
MOMENT = timedelta(microseconds=1)
RUN = KeptRun(number=1, fingerprint="one", overdue_at=LATER, expires_at=NOW + KEPT)
DONE = KeptRun(
    number=1, fingerprint="one", overdue_at=LATER, expires_at=NOW + KEPT, reply=Reply(status=200, body=b"words")
)


def test_a_run_is_under_way_until_it_is_overdue() -> None:
    assert RUN.meets("one", LATER - MOMENT) == UnderWay(until=LATER)
    assert RUN.meets("one", LATER) is None


@pytest.mark.parametrize("kept", [RUN, DONE])
def test_a_row_that_was_not_removed_yet_stands_for_nothing_once_it_has_expired(kept: KeptRun) -> None:
    """A database forgets by its own clock as well, which may be behind ours."""
    for fingerprint in ("one", "other"):
        assert kept.meets(fingerprint, NOW + KEPT) is None
    assert kept.meets("other", NOW + KEPT - MOMENT) == OtherRequest()


def test_a_reply_is_given_until_it_expires_and_its_body_is_not_shown() -> None:
    assert DONE.meets("one", NOW + KEPT - MOMENT) == DONE.reply
    assert "words" not in repr(DONE)
