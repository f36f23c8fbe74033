"""The form of a judge's exchange: which request asks for a judgement, and what its reply says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from toulmin.adapters.provider.failure import Failure
from toulmin.adapters.provider.reply import Envelope
from toulmin.domain.claims.opinion import Opinion
from toulmin.domain.claims.unit import Cited, ReviewUnit
from toulmin.ports.judge import Query

Body = Mapping[str, object]
"""A request's JSON object."""


class Form(Protocol):
    """What one kind of judge is sent, and how its replies are read. Nothing in it calls anybody."""

    @property
    def name(self) -> str:
        """Name and version of the form: other words are another judge."""

    @property
    def several(self) -> bool:
        """Whether one request may hold several matters about the same question and passages."""

    def url(self, base_url: str) -> str:
        """Where requests go."""

    def support_request(self, unit: ReviewUnit, model: str) -> Body:
        """Asks about one unit, and about nothing else."""

    def opinion(self, reply: Envelope) -> Opinion | Failure:
        """What a reply says about its unit."""

    def matters_request(self, queries: Sequence[Query], model: str) -> Body:
        """Asks about queries that have question and passages in common; about one, unless `several`."""

    def answers(self, reply: Envelope, queries: Sequence[Query]) -> tuple[float | None, ...] | Failure:
        """What a reply says about its queries."""


def state_of_unit(unit: ReviewUnit) -> Body:
    """The claim and what it is judged by, as data: the exact words with what qualifies them, and nothing that the drafter said."""
    return {"claim": unit.claim, "case": dict(unit.case), "passages": [_passage(cited) for cited in unit.passages]}


def state_of_query(query: Query) -> Body:
    """The question and the passages, as data."""
    return {"question": query.question, "passages": list(query.passages)}


def _passage(cited: Cited) -> Body:
    return {"words": cited.words, "title": cited.title, "version": cited.version, "section": list(cited.section)}
