"""The ledger as JSON: entries, checkpoints, and what a check came to; and checkpoints read back from where they were kept."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field
from typing_extensions import TypedDict

from toulmin.domain.errors import InputError
from toulmin.domain.proof.audit import Audit
from toulmin.domain.proof.ledger import Checkpoint, Entry, Link
from toulmin.wire import strict_json
from toulmin.wire.judge_manifest import Sha256
from toulmin.wire.model import Strict, read
from toulmin.wire.node import Node
from toulmin.wire.scalars import Count, Words, choice, fault

ENTRY = "toulmin.ledger-entry/1"
CHECKPOINT = "toulmin.checkpoint/1"

_HEX = re.compile("([0-9a-f]{2})+")


class EntryJson(TypedDict):
    """`toulmin.ledger-entry/1`; `link` is null in the unsealed tail, `actor` where nobody is named."""

    schema: Literal["toulmin.ledger-entry/1"]
    sequence: int
    at: str
    kind: str
    actor: str | None
    facts: dict[str, Any]
    link: str | None


class CheckpointJson(TypedDict):
    """`toulmin.checkpoint/1`; `key` and `signature` are null where no key was configured."""

    schema: Literal["toulmin.checkpoint/1"]
    sequence: int
    link: str
    at: str
    previous: str
    key: str | None
    signature: str | None


class FindingJson(TypedDict):
    """Something wrong between two entries' numbers, both included."""

    fault: Literal["changed", "removed", "inserted", "truncated", "rewritten", "checkpoint"]
    first: int
    last: int
    says: str


class AuditJson(TypedDict):
    """`toulmin.ledger-check/1`: `sealed` is the last number with a link, `tail` how many entries come after it."""

    schema: Literal["toulmin.ledger-check/1"]
    whole: bool
    findings: list[FindingJson]
    entries: int
    sealed: int
    tail: int
    checkpoints: int
    signature: Literal["valid", "unsigned", "unchecked", "unknown_key", "wrong"]
    kept: int


def entry_json(entry: Entry, link: Link | None) -> EntryJson:
    """An entry as JSON. Raises `InputError` (`ledger_damaged`) where its facts are no JSON object any more."""
    return {
        "schema": "toulmin.ledger-entry/1",
        "sequence": entry.sequence,
        "at": entry.at,
        "kind": entry.kind,
        "actor": entry.actor or None,
        "facts": _facts(entry),
        "link": link.digest if link else None,
    }


def checkpoint_json(point: Checkpoint) -> CheckpointJson:
    """A checkpoint as JSON."""
    return {
        "schema": "toulmin.checkpoint/1",
        "sequence": point.sequence,
        "link": point.link,
        "at": point.at,
        "previous": point.previous,
        "key": point.key or None,
        "signature": point.signature or None,
    }


def audit_json(found: Audit) -> AuditJson:
    """What a check came to, as JSON."""
    return {
        "schema": "toulmin.ledger-check/1",
        "whole": found.whole,
        "findings": [
            {"fault": item.fault.value, "first": item.first, "last": item.last, "says": item.says}
            for item in found.findings
        ],
        "entries": found.entries,
        "sealed": found.sealed,
        "tail": found.tail,
        "checkpoints": found.checkpoints,
        "signature": found.signature.value,
        "kept": found.kept,
    }


def _facts(entry: Entry) -> dict[str, Any]:
    try:
        value = json.loads(entry.facts)
    except ValueError:
        value = None
    if isinstance(value, dict):
        return value
    raise InputError(
        "ledger_damaged", f"the facts of entry {entry.sequence} are no JSON object", remedy="run toulmin ledger verify"
    )


def _signature(value: str) -> str:
    if not _HEX.fullmatch(value):
        raise fault("wrong_type", "this is no signature", "copy the checkpoint as it was written")
    return value


class _CheckpointForm(Strict):
    version_of_form: Annotated[str, choice(CHECKPOINT)] = Field(alias="schema")
    sequence: Count
    link: Sha256
    at: Words
    previous: Sha256
    key: Sha256 | None
    signature: Annotated[Words, AfterValidator(_signature)] | None

    def value(self) -> Checkpoint:
        return Checkpoint(
            sequence=self.sequence,
            link=self.link,
            at=self.at,
            previous=self.previous,
            key=self.key or "",
            signature=self.signature or "",
        )


def read_checkpoints(data: bytes, source: str) -> tuple[Checkpoint, ...]:
    """The checkpoints of a file: one JSON document, or one a line; the entries of an exported ledger among them are passed over.

    Raises `InputError` for anything else, and for a file without a checkpoint.
    """
    nodes = [strict_json.parse(part, source, line=line) for line, part in _documents(data)]
    found = tuple(read(_CheckpointForm, node, source).value() for node in nodes if not _is_entry(node))
    if not found:
        raise InputError(
            "no_checkpoint", f"there is no checkpoint in {source}", remedy="keep one: toulmin ledger seal --out FILE"
        )
    return found


def _documents(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The JSON documents of a file, with their first lines' numbers: all of it where its first line is only a part of one."""
    lines = data.splitlines()
    if lines and lines[0].strip() == b"{":
        yield 1, data
        return
    yield from ((number, line) for number, line in enumerate(lines, start=1) if line.strip())


def _is_entry(node: Node) -> bool:
    schema = node.step("schema")
    return schema is not None and schema.content == ENTRY
