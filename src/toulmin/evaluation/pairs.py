"""Pairs to be reviewed: a claim a row, beside its evidence."""

from __future__ import annotations

from pathlib import Path

from toulmin.application.reviews import Cite, ClaimPair
from toulmin.evaluation.rows import Row, rows
from toulmin.wire.review import EvidenceField
from toulmin.wire.scalars import Text


class _PairRow(Row):
    claim: Text
    evidence: EvidenceField

    def pair(self, number: int) -> ClaimPair:
        cites = self.evidence.cites or ()
        evidence = tuple(Cite(source=item.source, span=item.span, quote=item.quote) for item in cites)
        given = self.evidence.text
        return ClaimPair(id=self.id or str(number), claim=self.claim, evidence=evidence if given is None else given)


def read_pairs(path: Path) -> list[ClaimPair]:
    """The pairs of a JSON lines file; a row without an id has its number, from 1. Raises `InputError` with file, line and key path."""
    return [row.pair(number) for number, (row, _) in enumerate(rows(path, _PairRow), start=1)]
