"""Where documents come from: entries that can be loaded one by one, and what was passed over."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import IO, Protocol

from toulmin.domain.corpus.metadata import Metadata


@dataclass(frozen=True, slots=True, kw_only=True)
class Submitted:
    """A document to ingest: its bytes, and its metadata in layers that go before and after its own front matter.

    `namesake` names another document of the same source that comes earlier and has the same default id: this one has to state an id.
    """

    default_id: str
    data: bytes
    namesake: str | None = None
    before: tuple[Metadata, ...] = ()
    after: tuple[Metadata, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Something to ingest. `name` is what people and errors call it, and its ending tells its format.

    `load` reads it, and raises `InputError` where that cannot be done.
    """

    name: str
    load: Callable[[], Submitted]


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """A file that somebody sends: its name as they give it, which nobody has looked at yet, and its bytes, from where it stands."""

    name: str
    file: IO[bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """Something that is no document, and why it is passed over."""

    name: str
    reason: str


class DocumentSource(Protocol):
    """A finite, ordered source of documents."""

    def entries(self) -> Iterator[Entry | Skipped]:
        """What there is, in a stable order; raises `InputError` where the source as a whole cannot be read."""
