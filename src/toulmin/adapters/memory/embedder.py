"""The embedder without a model: a text's vector says which words it has, so that the angle between two is checked by eye."""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import sqrt
from sys import byteorder
from unicodedata import normalize

from toulmin.domain.evidence.embedding import EmbeddingProfile
from toulmin.ports.embedder import Vectors

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class WordsEmbedder:
    """An `Embedder` that gives each word a place by its digest: the cosine is how many words two texts share.

    Of words in the same place, which are rare unless `dimension` is small, one counts for the other.
    """

    dimension: int = 1024
    on_this_host: bool = True

    @property
    def profile(self) -> EmbeddingProfile:
        return EmbeddingProfile(
            name="words", model="words/1", dimension=self.dimension, pooling="set", window="everything"
        )

    def passages(self, texts: Sequence[str]) -> Vectors:
        return Vectors(dimension=self.dimension, data=b"".join(map(self._vector, texts)))

    def queries(self, texts: Sequence[str]) -> Vectors:
        return self.passages(texts)

    def _vector(self, text: str) -> bytes:
        places = {self._place(word) for word in _WORD.findall(normalize("NFC", text).casefold())}
        numbers = array("f", bytes(4 * self.dimension))
        for place in places:
            numbers[place] = 1 / sqrt(len(places))
        if byteorder == "big":
            numbers.byteswap()
        return numbers.tobytes()

    def _place(self, word: str) -> int:
        return int.from_bytes(sha256(word.encode()).digest()[:8]) % self.dimension
