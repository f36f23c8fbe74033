"""The ledger's published vectors, by an implementation of the page alone and by the product."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from hashlib import sha256
from typing import Any

import rfc8785
from cryptography.hazmat.primitives.serialization import load_der_public_key

from tests.conftest import PROJECT
from toulmin.domain.canonical import canonical_json
from toulmin.domain.proof.audit import audit
from toulmin.domain.proof.ledger import Entry, Kind, Link, link
from toulmin.wire.ledger import read_checkpoints

PAGE = (PROJECT / "docs" / "reference" / "ledger.md").read_text(encoding="utf-8")
ROWS: list[dict[str, Any]] = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)]
ENTRIES = [row for row in ROWS if row["schema"] == "toulmin.ledger-entry/1"]
POINTS = [row for row in ROWS if row["schema"] == "toulmin.checkpoint/1"]
ZEROS = "0" * 64


def field(text: str) -> bytes:
    return len(text.encode()).to_bytes(8, "big") + text.encode()


def signed_bytes(point: dict[str, Any]) -> bytes:
    parts = ("toulmin.checkpoint/1", str(point["sequence"]), point["link"], point["at"], point["previous"])
    return b"".join(map(field, (*parts, point["key"] or "")))


def test_the_page_publishes_entries_and_checkpoints_with_and_without_actor_and_key() -> None:
    assert [bool(entry["actor"]) for entry in ENTRIES] == [False, True]
    assert [bool(point["key"]) for point in POINTS] == [False, True]


def test_a_second_implementation_gives_the_links() -> None:
    before = ZEROS
    for entry in ENTRIES:
        parts = ("toulmin.ledger/1", before, str(entry["sequence"]), entry["at"], entry["kind"], entry["actor"] or "")
        facts = rfc8785.dumps(entry["facts"]).decode()
        before = sha256(b"".join(map(field, (*parts, facts)))).hexdigest()
        assert before == entry["link"]


def test_a_second_implementation_gives_the_checkpoints() -> None:
    before = ZEROS
    for entry, point in zip(ENTRIES, POINTS, strict=True):
        assert (point["sequence"], point["link"], point["previous"]) == (entry["sequence"], entry["link"], before)
        before = sha256(signed_bytes(point) + field(point["signature"] or "")).hexdigest()
    (published,) = re.findall(r"Its digest is `([0-9a-f]{64})`", PAGE)
    assert published == POINTS[1]["previous"]


def test_the_published_key_has_its_id_and_its_signature_holds() -> None:
    (published,) = re.findall(r"the public key `([^`]+)`", PAGE)
    der = b64decode(published)
    assert sha256(der).hexdigest() == POINTS[1]["key"]
    key = load_der_public_key(der)
    key.verify(bytes.fromhex(POINTS[1]["signature"]), signed_bytes(POINTS[1]))  # type: ignore[call-arg, union-attr]


def test_the_product_gives_the_links_and_finds_nothing_wrong() -> None:
    entries = [
        Entry(
            sequence=row["sequence"],
            at=row["at"],
            kind=row["kind"],
            actor=row["actor"] or "",
            facts=canonical_json(row["facts"]),
        )
        for row in ENTRIES
    ]
    links = [Link(sequence=row["sequence"], digest=row["link"]) for row in ENTRIES]
    assert [link(ZEROS, entries[0]), link(links[0].digest, entries[1])] == links
    points = read_checkpoints("\n".join(map(json.dumps, POINTS)).encode(), "page")
    assert audit(entries, links, points, kept=points).whole


def test_the_page_names_every_kind() -> None:
    table = PAGE[PAGE.index("| kind |") : PAGE.index("## The chain")]
    named = {name for row in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)}
    assert named == {kind.value for kind in Kind}
