"""Question files (`questions*.jsonl`): questions about one version each, with the quotes that answer them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from toulmin.domain.errors import InputError
from toulmin.evaluation.rows import Row, rows
from toulmin.wire.model import Strict, located
from toulmin.wire.node import Node
from toulmin.wire.scalars import Identifier, Truth, Words

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}|[{}]")

FIELDS = ("id", "question", "version", "kind", "group")
"""What a template may name of a row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gold:
    """Words that are sufficient evidence: a quote, and the id of the document that it stands in."""

    path: str
    quote: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question about one version of the documents. `group` keeps together what must not be split between two halves."""

    id: str
    question: str
    version: str
    gold: tuple[Gold, ...]
    kind: str
    group: str

    @property
    def answerable(self) -> bool:
        """Whether the documents of this version have an answer."""
        return bool(self.gold)


class _Gold(Strict):
    path: Identifier
    quote: Words


class _Question(Row):
    id: Identifier
    question: Words
    version: Identifier
    gold: tuple[_Gold, ...]
    answerable: Truth
    kind: Identifier
    group: Identifier


def read_questions(path: Path) -> tuple[Question, ...]:
    """The questions of a file, in its order.

    Raises `InputError` with file, line and key path: also for an id that occurs twice, and where `answerable` and `gold` disagree.
    """
    return tuple(_question(row, node, str(path)) for row, node in rows(path, _Question))


def filled(templates: Mapping[str, str], question: Question) -> dict[str, str]:
    """The templates with each `{field}` replaced by the question's own; raises `InputError` for any other brace."""
    return {name: _filled(name, template, question) for name, template in templates.items()}


def _question(row: _Question, node: Node, source: str) -> Question:
    if row.answerable != bool(row.gold):
        message = "an answerable question without gold" if row.answerable else "gold of a question without an answer"
        error = InputError("bad_gold", message, remedy="give gold if, and only if, answerable is true")
        raise located(error, node, source, ("gold",))
    return Question(
        id=row.id,
        question=row.question,
        version=row.version,
        gold=tuple(Gold(path=gold.path, quote=gold.quote) for gold in row.gold),
        kind=row.kind,
        group=row.group,
    )


def _filled(name: str, template: str, question: Question) -> str:
    def value(placeholder: re.Match[str]) -> str:
        if placeholder[1] not in FIELDS:
            known = ", ".join(f"{{{field}}}" for field in FIELDS)
            raise InputError(
                "unknown_placeholder",
                f"{placeholder[0]} in {name}={template} names no field of a question",
                remedy=f"write one of {known}",
            )
        return str(getattr(question, placeholder[1]))

    return _PLACEHOLDER.sub(value, template)
