from __future__ import annotations

import pytest

from toulmin.domain.corpus.readers import Readers
from toulmin.domain.question.case import Principal
from toulmin.domain.question.rights import may_curate

KEEPER = Principal(id="kim", roles=("curator",))
OF_ACME = Principal(id="carl", tenant="acme", roles=("curator",))


@pytest.mark.parametrize("readers", [(), ("public",), ("tenant:birch",)])
def test_a_curator_without_a_tenant_curates_everything(readers: Readers) -> None:
    assert may_curate(KEEPER, [readers])
    assert may_curate(KEEPER, [])


@pytest.mark.parametrize("readers", [("tenant:acme",), ("group:acme/ops",), ("group:acme/desk", "tenant:acme")])
def test_a_curator_of_a_tenant_curates_what_its_tenant_alone_reads(readers: Readers) -> None:
    assert may_curate(OF_ACME, [readers])


@pytest.mark.parametrize(
    "readers",
    [
        (),
        ("public",),
        ("tenant:birch",),
        ("group:birch/ops",),
        ("public", "tenant:acme"),
        ("tenant:acme", "tenant:birch"),
        ("tenant:acme2",),
        ("group:acme2/ops",),
        ("group:acm/ops",),
        ("tenant:ACME",),
    ],
)
def test_one_reader_elsewhere_and_it_is_not_theirs(readers: Readers) -> None:
    assert not may_curate(OF_ACME, [readers])


def test_every_revision_has_to_be_theirs() -> None:
    assert not may_curate(OF_ACME, [("tenant:acme",), ("tenant:birch",)])
    assert not may_curate(OF_ACME, [("tenant:acme",), ()])


def test_no_revision_is_nothing_to_curate() -> None:
    assert not may_curate(OF_ACME, [])


@pytest.mark.parametrize(
    "who",
    [
        Principal(id="r", roles=("reader", "operator", "auditor", "service", "reviewer")),
        Principal(id="i", roles=("curator",), active=False),
        Principal(id="n"),
    ],
)
def test_who_is_no_active_curator_curates_nothing(who: Principal) -> None:
    assert not may_curate(who, [("tenant:acme",)])
