"""The embedder: turns texts into vectors, so that passages are found by what they mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from toulmin.domain.errors import StoreFault
from toulmin.domain.evidence.embedding import EmbeddingProfile

NUMBER_BYTES = 4


class EmbedderFault(StoreFault):
    """The embedder gave no vectors; asking again later may help, and nothing was changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Vectors:
    """Vectors in the order of their texts: rows of `dimension` little-endian floats of 32 bits.

    Each has the length 1, but for rounding; or is all zeros, for a text that says nothing. Raises `ValueError` for a part of a row.
    """

    dimension: int
    data: bytes

    def __post_init__(self) -> None:
        if self.dimension < 1 or len(self.data) % (self.dimension * NUMBER_BYTES):
            raise ValueError(f"{len(self.data)} bytes are no rows of {self.dimension} numbers")

    def __len__(self) -> int:
        """How many vectors there are."""
        return len(self.data) // (self.dimension * NUMBER_BYTES)


class Embedder(Protocol):
    """Makes vectors of texts, of each on its own: the same whether asked alone or among others.

    Any number of threads may ask at once. A call blocks; never make one in a thread that runs an event loop. Where there are no vectors
    it raises `EmbedderFault`; a plain `StoreFault` where what is configured cannot be used. Nothing of any text stands in either.
    """

    @property
    def profile(self) -> EmbeddingProfile:
        """The space of the vectors; known before anything is loaded or called."""

    @property
    def on_this_host(self) -> bool:
        """Whether the texts stay on this host."""

    def passages(self, texts: Sequence[str]) -> Vectors:
        """A vector for each text of a passage. All of every text counts, however long. No texts: nothing is called."""

    def queries(self, texts: Sequence[str]) -> Vectors:
        """A vector for each question, to compare with those of passages."""


__all__ = ["NUMBER_BYTES", "Embedder", "EmbedderFault", "Vectors"]
