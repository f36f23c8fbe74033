"""Question files (`questions*.jsonl`): questions about one version each, with the quotes that answer them.

A row may also say what an answer has to hold (`facts`), and what a right verdict on claims that an answer may have would be (`labels`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Annotated

from toulmin.domain.corpus.folds import QUOTE_FOLDS
from toulmin.domain.corpus.text import same_words
from toulmin.domain.errors import InputError
from toulmin.evaluation.labels import Label
from toulmin.evaluation.rows import Row, rows
from toulmin.wire.model import Strict, located
from toulmin.wire.node import Node
from toulmin.wire.scalars import Identifier, Truth, Words, choice

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}|[{}]")

FIELDS = ("id", "question", "version", "kind", "group")
"""What a template may name of a row."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gold:
    """Words that are sufficient evidence: a quote, and the id of the document that it stands in."""

    path: str
    quote: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimLabel:
    """What a right verdict on a claim would be, beside the documents of the question's version."""

    claim: str
    label: Label

    def is_of(self, claim: str) -> bool:
        """Whether it labels this claim, word for word after the folds of quotes."""
        return same_words(self.claim, claim, QUOTE_FOLDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question about one version of the documents. `group` keeps together what must not be split between two halves.

    `facts` are words of the documents that a complete answer rests on; none: the gold quotes are.
    """

    id: str
    question: str
    version: str
    gold: tuple[Gold, ...]
    kind: str
    group: str
    facts: tuple[str, ...] = ()
    labels: tuple[ClaimLabel, ...] = ()

    @property
    def answerable(self) -> bool:
        """Whether the documents of this version have an answer."""
        return bool(self.gold)

    @property
    def wanted(self) -> tuple[str, ...]:
        """The words that a complete answer rests on."""
        return self.facts or tuple(gold.quote for gold in self.gold)

    def label_of(self, claim: str) -> Label | None:
        """The label of a claim; None where the row has none."""
        return next((item.label for item in self.labels if item.is_of(claim)), None)


class _Gold(Strict):
    path: Identifier
    quote: Words


class _Label(Strict):
    claim: Words
    label: Annotated[Label, choice(*Label)]


class _Question(Row):
    id: Identifier
    question: Words
    version: Identifier
    gold: tuple[_Gold, ...]
    answerable: Truth
    kind: Identifier
    group: Identifier
    facts: tuple[Words, ...] = ()
    labels: tuple[_Label, ...] = ()


def read_questions(path: Path) -> tuple[Question, ...]:
    """The questions of a file, in its order.

    Raises `InputError` with file, line and key path: also for an id that occurs twice, where `answerable` disagrees with `gold` or `facts`, and
    for a claim that is labelled twice.
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
    if row.facts and not row.answerable:
        error = InputError("bad_facts", "facts of a question without an answer", remedy="give them only beside gold")
        raise located(error, node, source, ("facts",))
    return Question(
        id=row.id,
        question=row.question,
        version=row.version,
        gold=tuple(Gold(path=gold.path, quote=gold.quote) for gold in row.gold),
        kind=row.kind,
        group=row.group,
        facts=row.facts,
        labels=_labels(row, node, source),
    )


def _labels(row: _Question, node: Node, source: str) -> tuple[ClaimLabel, ...]:
    labels = tuple(ClaimLabel(claim=item.claim, label=item.label) for item in row.labels)
    for (first, one), (second, other) in combinations(enumerate(labels), 2):
        if one.is_of(other.claim):
            message = f"this claim is labelled twice, first as labels[{first}]"
            error = InputError("duplicate_label", message, remedy="label every claim once")
            raise located(error, node, source, ("labels", second))
    return labels


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
