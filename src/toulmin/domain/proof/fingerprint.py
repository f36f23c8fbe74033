"""The corpus fingerprint `co-...`: a Merkle root over live revisions.

Leaves fall into 65,536 buckets by a hash of their key; the buckets are the bottom row of a binary tree of 16 levels. One change touches
one bucket and the 16 nodes above it, so that keeping the root up with each ingest costs the same in a large corpus as in a small one.

Live means here: neither withdrawn, deleted nor superseded by a later revision, whatever the dates say; the fingerprint follows the
corpus's sequence, not the clock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from hashlib import sha256

from toulmin.domain.canonical import counted, fields
from toulmin.domain.corpus.document import RevisionId, Standing, Status

LEVELS = 16
EMPTY = bytes(32)
"""The digest of a bucket, or a whole subtree, without leaves."""

_LEAF, _INNER = b"\x00", b"\x01"


def counts(standing: Standing) -> bool:
    """Whether a revision's present standing is a leaf."""
    return standing.status is Status.LIVE and not standing.superseded


def leaf(rid: RevisionId, text_sha256: str, descriptor_digest: str) -> bytes:
    """SHA-256 of 0x00 and the fields id, version, text digest, descriptor digest."""
    return sha256(_LEAF + fields(rid.document, rid.version, text_sha256, descriptor_digest)).digest()


def bucket_of(rid: RevisionId) -> int:
    """The bucket's place, 0 to 65,535: the first two bytes of SHA-256 over the fields id and version."""
    return int.from_bytes(sha256(fields(rid.document, rid.version)).digest()[:2], "big")


def bucket(leaves: Iterable[bytes]) -> bytes:
    """A bucket's digest: SHA-256 of 0x01 and its leaves, counted, in byte order; `EMPTY` without any."""
    ordered = sorted(leaves)
    return sha256(_INNER + counted(ordered)).digest() if ordered else EMPTY


def inner(left: bytes, right: bytes) -> bytes:
    """A node's digest: SHA-256 of 0x01 and both children; `EMPTY` where both are."""
    return EMPTY if left == right == EMPTY else sha256(_INNER + left + right).digest()


def siblings(place: int) -> list[tuple[int, int]]:
    """The nodes, as (level, place), that `path_up` reads for a bucket."""
    return [(level, place >> (LEVELS - level) ^ 1) for level in range(LEVELS, 0, -1)]


def path_up(place: int, digest: bytes, read: Callable[[int, int], bytes]) -> list[tuple[int, int, bytes]]:
    """The nodes that change with a bucket, from the bucket (level 16) to the root (level 0), as (level, place, digest).

    `read(level, place)` gives a node's present digest, `EMPTY` where none is kept.
    """
    nodes = [(LEVELS, place, digest)]
    for level in range(LEVELS, 0, -1):
        sibling = read(level, place ^ 1)
        digest = inner(sibling, digest) if place & 1 else inner(digest, sibling)
        place >>= 1
        nodes.append((level - 1, place, digest))
    return nodes


def fingerprint(root: bytes) -> str:
    """The public form of a root."""
    return f"co-{root.hex()}"


def fingerprint_of(standings: Iterable[Standing]) -> str:
    """The fingerprint from scratch: what the kept nodes must agree with."""
    buckets: dict[int, list[bytes]] = {}
    for standing in standings:
        if counts(standing):
            entry = leaf(standing.id, standing.text_sha256, standing.descriptor.digest)
            buckets.setdefault(bucket_of(standing.id), []).append(entry)
    row = {place: bucket(leaves) for place, leaves in buckets.items()}
    for _ in range(LEVELS):
        parents = {place >> 1 for place in row}
        row = {p: inner(row.get(2 * p, EMPTY), row.get(2 * p + 1, EMPTY)) for p in parents}
    return fingerprint(row.get(0, EMPTY))
