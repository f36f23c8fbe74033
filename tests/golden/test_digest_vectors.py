"""The digests' test vectors: what a second implementation, the product and the published page must all give."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.conftest import PROJECT
from tests.golden import product_digests, second_digests

PAGE = (PROJECT / "docs" / "reference" / "digests.md").read_text(encoding="utf-8")
PUBLISHED = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)]
VECTORS = json.loads(second_digests.VECTORS.read_text(encoding="utf-8"))


def _named(vector: dict[str, Any]) -> str:
    return f"{vector['kind']}: {vector.get('name', 'published')}"


@pytest.mark.parametrize("vector", VECTORS + PUBLISHED, ids=_named)
def test_the_second_implementation_gives_the_vector(vector: dict[str, Any]) -> None:
    assert second_digests.RESULTS[vector["kind"]](vector["input"]) == vector["result"]


@pytest.mark.parametrize("vector", VECTORS + PUBLISHED, ids=_named)
def test_the_product_gives_the_vector(vector: dict[str, Any]) -> None:
    assert product_digests.RESULTS[vector["kind"]](vector["input"]) == vector["result"]


def test_every_digest_has_vectors_of_its_own() -> None:
    assert {vector["kind"] for vector in VECTORS} == second_digests.RESULTS.keys() == product_digests.RESULTS.keys()
    digests = [vector["result"] for vector in VECTORS]
    assert len(set(digests)) == len(digests)


def test_the_page_publishes_vectors_and_the_digest_of_the_contract_that_one_hangs_on() -> None:
    assert [vector["kind"] for vector in PUBLISHED] == ["principal", "descriptor", "corpus", "evidence", "operation"]
    (evidence,) = (vector for vector in PUBLISHED if vector["kind"] == "evidence")
    assert f"`{second_digests.contract_digest(evidence['input']['contract'])}`" in PAGE
