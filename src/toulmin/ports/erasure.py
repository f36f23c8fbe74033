"""Erasure and its reach, as parts of a curation session: what rests on documents, and what is still to be done to the files."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Protocol

from toulmin.domain.corpus.document import RevisionId, Standing
from toulmin.domain.proof.approval import Approval, Step
from toulmin.domain.proof.packet import Packet


class Dependents(Protocol):
    """What rests on documents, whoever may see it. Rests on: among the selected evidence; mere candidates do not count."""

    def packets(self, document: str, version: str | None = None) -> Sequence[str]:
        """The ids of the packets that rest on a document, or on one version of it, in the order in which they were kept."""

    def packet(self, packet_id: str) -> Packet | None:
        """One packet; None where there is none."""

    def open_approvals(self, document: str) -> Sequence[Approval]:
        """The approvals that are requested or approved, on packets that name the document, in the order of their requests."""

    def advance(self, approval: Approval, step: Step) -> Approval:
        """Adds a step, as `Approvals.advance` does."""

    def forget(self, packet_id: str, digests: Collection[str]) -> None:
        """Removes texts from a packet, and what effects said of it."""


class Erasures(Protocol):
    """Erased revisions, and the files that their words may still be in."""

    def candidates(self) -> Iterable[Standing]:
        """The present standing of every revision that was not erased, by document and version."""

    def unfinished(self) -> Sequence[RevisionId]:
        """Revisions that were erased while files of store or index may still hold their words."""

    def finish(self, revisions: Collection[RevisionId]) -> None:
        """Notes that no file holds words of these erased revisions any more."""
