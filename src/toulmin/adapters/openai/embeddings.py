"""Embeddings as OpenAI's interface has them: what a text is sent as, and which of a reply's fields are used.

Codes: `bad_reply` (another shape), `other_dimension`, `no_direction` (a vector of zeros, or with a number that is not finite).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from toulmin.adapters.provider.failure import Failure, provider_fault
from toulmin.adapters.provider.reply import Envelope
from toulmin.domain.evidence.embedding import EmbeddingProfile

_VERSION = 1
"""Goes up with every change in how texts are sent, since it makes other vectors."""

Row = Sequence[float]


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingForm:
    """How many numbers the model gives, and how texts are put to it: with a prefix, in parts of at most `max_chars` characters.

    Many servers cut what is longer than their model reads without a word.
    """

    dimension: int
    max_chars: int
    passage_prefix: str = ""
    query_prefix: str = ""

    def profile(self, model: str) -> EmbeddingProfile:
        """The space of the vectors of a model, by the name that the server knows it by."""
        return EmbeddingProfile(
            name=model,
            model=f"openai/{_VERSION} {model}",
            dimension=self.dimension,
            pooling="the server's",
            window=f"{self.max_chars} characters",
            passage_prefix=self.passage_prefix,
            query_prefix=self.query_prefix,
        )


def windows(text: str, max_chars: int) -> Iterator[str]:
    """A text in parts of at most `max_chars` characters, cut at white space where there is some; none where it says nothing."""
    rest = text.strip()
    while len(rest) > max_chars:
        head = rest[:max_chars]
        at = max((place for place, character in enumerate(head) if character.isspace()), default=max_chars)
        yield rest[:at].rstrip()
        rest = rest[at:].lstrip()
    if rest:
        yield rest


def read_rows(reply: Envelope, count: int, dimension: int) -> Sequence[Row] | Failure:
    """The vectors of a reply in the order of the texts that were sent."""
    match reply.get("data"):
        case [*items]:
            rows = {index: row for item in items for index, row in _read(item)}
            if len(items) != count or set(rows) != set(range(count)):
                return provider_fault("bad_reply")
        case _:
            return provider_fault("bad_reply")
    if any(len(row) != dimension for row in rows.values()):
        return provider_fault("other_dimension")
    if not all(0 < math.hypot(*row) < math.inf for row in rows.values()):
        return provider_fault("no_direction")
    return [rows[index] for index in range(count)]


def _read(item: object) -> Iterator[tuple[int, Row]]:
    """The place and the numbers of one entry; nothing where it is of another shape."""
    match item:
        case {"index": int() as index, "embedding": [*numbers]} if all(
            type(n) in (int, float) for n in (index, *numbers)
        ):
            yield index, [float(number) for number in numbers]
        case _:
            return
