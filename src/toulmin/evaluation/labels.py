"""Labelled claims: rows that say of a claim and a passage what a right verdict would be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Protocol

from toulmin.domain.claims.unit import Cited, ReviewUnit
from toulmin.domain.errors import InputError
from toulmin.evaluation.rows import Row, rows
from toulmin.wire.model import located
from toulmin.wire.node import Node
from toulmin.wire.scalars import Identifier, Text, Words, choice


class Label(StrEnum):
    """What a right verdict would be. `NOT_SUPPORTED`: contradicted or unresolved, the row does not say which."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    UNRESOLVED = "unresolved"
    NOT_SUPPORTED = "not_supported"


CLASSES = (Label.SUPPORTED, Label.CONTRADICTED, Label.UNRESOLVED)
"""What a verdict may be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledClaim:
    """A claim beside its passage, and its label. `group` holds together rows that are not independent, such as minimal pairs.

    `phenomenon`, `version` and `source_type` are what a report is broken down by; None where the row does not say.
    """

    id: str
    unit: ReviewUnit
    label: Label
    group: str
    phenomenon: str | None = None
    version: str | None = None
    source_type: str | None = None


class _Row(Row):
    claim: Words
    evidence: Words | None = None
    passage: Words | None = None
    label: Annotated[Label, choice(*Label)]
    phenomenon: Identifier | None = None
    version: Identifier | None = None
    source_type: Identifier | None = None
    source: Identifier | None = None
    group: Identifier | None = None
    quotes: tuple[Words, ...] = ()
    title: Words | None = None
    section: tuple[Words, ...] = ()
    language: Identifier | None = None
    before: Text = ""
    path: Text | None = None
    orig_label: Text | None = None


def read_labelled(paths: Sequence[Path]) -> tuple[LabelledClaim, ...]:
    """The labelled claims of files, in their order; a row without an id is named by its file and line, one without a group is its own.

    Raises `InputError` with file, line and key path: also for an id that occurs twice in all of them, and for a row that has not exactly
    one of `evidence` and `passage`.
    """
    first: dict[str, Path] = {}
    found = []
    for path in paths:
        for row, node in rows(path, _Row):
            claim = _claim(row, node, str(path))
            if claim.id in first:
                message = f"id {claim.id!r} occurs in {first[claim.id]} already"
                error = InputError("duplicate_id", message, remedy="give every row of all datasets an id of its own")
                raise located(error, node, str(path), ("id",))
            first[claim.id] = path
            found.append(claim)
    return tuple(found)


class Grouped(Protocol):
    """A row of a dataset that belongs to a group."""

    @property
    def group(self) -> str:
        """What holds together rows that are not independent."""


def hashed_into(row: Grouped, digits: str) -> bool:
    """Whether the SHA-256 of the row's group (hex of its UTF-8) begins with one of the digits: a split that parts no group, ever."""
    return sha256(row.group.encode()).hexdigest()[0] in digits


def _claim(row: _Row, node: Node, source: str) -> LabelledClaim:
    name = row.id or f"{Path(source).name}:{node.line}"
    cited = Cited(
        words=_words(row, node, source),
        before=row.before,
        title=row.title,
        version=row.version,
        section=row.section,
        language=row.language,
    )
    return LabelledClaim(
        id=name,
        unit=ReviewUnit(claim=row.claim, passages=(cited,), quotes=row.quotes),
        label=row.label,
        group=row.group or name,
        phenomenon=row.phenomenon,
        version=row.version,
        source_type=row.source_type or row.source,
    )


def _words(row: _Row, node: Node, source: str) -> str:
    given = [words for words in (row.evidence, row.passage) if words is not None]
    if len(given) != 1:
        message = "evidence and passage are both given" if given else "key evidence is missing"
        error = InputError("bad_evidence", message, remedy="give the passage once, as evidence or as passage")
        raise located(error, node, source, ("passage",) if given else ())
    return given[0]
