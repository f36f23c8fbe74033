"""The reranker: puts the best of what was found in a better order, by reading it. Optional."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Reranker(Protocol):
    """Orders passages by how well each answers a question, from its text alone. It works on this host: whatever was found may be given to it.

    It gets passages that were re-checked and may be used, and nothing else; what it says changes their order, never what is among them nor
    any score. Any number of threads may ask at once.
    """

    @property
    def profile(self) -> str:
        """Name and version of what orders, for the packet."""

    @property
    def depth(self) -> int:
        """How many of the best passages it is given, at least 1: always so many, so that the order does not hang on how many were asked for."""

    def order(self, question: str, texts: Sequence[str]) -> Sequence[int]:
        """The places of the texts, best first: each once. The same for the same input."""


__all__ = ["Reranker"]
