from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from tests.unit.making import closed, quote
from toulmin.domain.corpus.document import Egress
from toulmin.domain.evidence.egress import may_leave
from toulmin.domain.evidence.selection import EvidenceSet

ANY, LOCAL = Egress.ANY, Egress.LOCAL


def labelled(*labels: Egress) -> EvidenceSet:
    """One source a label."""
    made = closed(**{f"D{number}": [quote("Words.")] for number in range(len(labels))})
    sources = tuple(replace(source, egress=label) for source, label in zip(made.sources, labels, strict=True))
    return replace(made, sources=sources)


@pytest.mark.parametrize("labels", [(ANY,), (LOCAL,), (ANY, LOCAL), ()])
@pytest.mark.parametrize("approved", [True, False])
def test_a_provider_on_this_host_may_get_everything(labels: tuple[Egress, ...], approved: bool) -> None:
    assert may_leave(labelled(*labels), on_this_host=True, approved=approved)


@pytest.mark.parametrize("labels", [(ANY,), (LOCAL,), (ANY, LOCAL), ()])
def test_without_approval_nothing_leaves_this_host(labels: tuple[Egress, ...]) -> None:
    assert not may_leave(labelled(*labels), on_this_host=False, approved=False)


@pytest.mark.parametrize("labels", list(product([ANY, LOCAL], repeat=3)))
def test_with_approval_one_local_source_keeps_all_of_them(labels: tuple[Egress, ...]) -> None:
    assert may_leave(labelled(*labels), on_this_host=False, approved=True) == (LOCAL not in labels)
