"""On random input, the product's digests are those of the second implementation, and its canonical JSON is RFC 8785."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from tests.golden import product_digests, second_digests
from tests.golden.second_digests import Plain
from tests.property import digest_inputs
from toulmin.domain.canonical import canonical_json
from toulmin.domain.proof.fingerprint import EMPTY, bucket, bucket_of, fingerprint, leaf, path_up


@given(digest_inputs.JSON)
def test_canonical_json_is_rfc_8785(value: Any) -> None:
    assert canonical_json(value).encode() == rfc8785.dumps(value)
    assert second_digests.canonical_json(value).encode() == rfc8785.dumps(value)


@given(digest_inputs.selected_evidence())
def test_both_implementations_give_one_evidence_identity(evidence: Plain) -> None:
    assert product_digests.evidence_digest(evidence) == second_digests.evidence_digest(evidence)


@given(digest_inputs.contracts())
def test_both_implementations_give_one_contract_digest(contract: Plain) -> None:
    assert product_digests.contract(contract).digest == second_digests.contract_digest(contract)


@given(digest_inputs.descriptors())
def test_both_implementations_give_one_descriptor_digest(descriptor: Plain) -> None:
    assert product_digests.descriptor(descriptor).digest == second_digests.descriptor_digest(descriptor)


@given(digest_inputs.corpora())
def test_both_implementations_give_one_corpus_fingerprint(corpus: Sequence[Plain]) -> None:
    assert product_digests.corpus_fingerprint(corpus) == second_digests.corpus_fingerprint(corpus)


@given(st.integers(0, 40), st.randoms(use_true_random=False))
def test_a_fingerprint_kept_up_with_each_ingest_is_that_of_the_whole_corpus(size: int, random: Random) -> None:
    corpus = [*second_digests.numbered_revisions(size), *_of_one_bucket()]
    random.shuffle(corpus)
    nodes: dict[tuple[int, int], bytes] = {}
    leaves: dict[int, list[bytes]] = {}
    for revision in corpus:
        stands = product_digests.standing(revision, product_digests.descriptor(revision["descriptor"]))
        place = bucket_of(stands.id)
        leaves.setdefault(place, []).append(leaf(stands.id, stands.text_sha256, stands.descriptor.digest))
        path = path_up(place, bucket(leaves[place]), lambda level, at: nodes.get((level, at), EMPTY))
        nodes.update({(level, at): digest for level, at, digest in path})
    assert fingerprint(nodes[0, 0]) == second_digests.corpus_fingerprint(corpus)


def _of_one_bucket() -> list[Plain]:
    """Two revisions whose leaves fall into one bucket, as a published vector says."""
    return [{"id": f"DOC-{number}", "version": "1", "text": "", "descriptor": {}} for number in (446, 569)]


@given(digest_inputs.BODIES)
def test_both_implementations_give_one_packet_id(body: Plain) -> None:
    assert product_digests.packet_digest(body) == second_digests.packet_digest(body)


@given(digest_inputs.OPERATIONS)
def test_both_implementations_give_one_operation_identity(operation: Plain) -> None:
    assert product_digests.operation_digest(operation) == second_digests.operation_digest(operation)
