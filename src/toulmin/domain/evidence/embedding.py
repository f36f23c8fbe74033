"""Embedding: which space vectors lie in, and which text a passage's vector is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from toulmin.domain.canonical import digest, fields
from toulmin.domain.corpus.folds import Folded
from toulmin.domain.corpus.markup import MARKUP

EMBEDDED_TEXT = 2
"""Goes up with every change of `embedded_text`, since it makes other vectors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingProfile:
    """The space that vectors lie in: only those of equal profiles may be compared.

    `name` is for people; `model` is the SHA-256 of the model's files, or of one behind a server what that calls it. `pooling` is how the
    vectors of tokens become one. A text longer than `window` is read in parts, and its vector is their mean. The prefixes stand before each
    text of their kind. Vectors are compared by their angle, so that the length a model gives them is no part of this.
    """

    name: str
    model: str
    dimension: int
    pooling: str
    window: str
    passage_prefix: str = ""
    query_prefix: str = ""

    @property
    def digest(self) -> str:
        """The SHA-256 of everything that a vector hangs on."""
        how = (str(self.dimension), self.pooling, self.window, self.passage_prefix, self.query_prefix)
        return digest(fields(self.model, *how))

    def __str__(self) -> str:
        return f"{self.name} ({self.dimension} numbers, {self.digest[:12]})"


def embedded_text(title: str | None, heading: Sequence[str], text: str) -> str:
    """The text that a passage's vector is made of: title and headings on one line, each once, then the passage's words without inline marks.

    Models are trained on what readers see: a role of reStructuredText is noise to them (measured in docs/decisions/0012-passages.md).
    """
    context = filter(None, dict.fromkeys((title or "", *heading)))
    return "\n".join(filter(None, (" > ".join(context), Folded.of(text, (MARKUP,)).text)))
