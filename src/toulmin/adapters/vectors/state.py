"""The state: one small file that says what the index consists of. Putting a new one in its place is the commit of a change."""

from __future__ import annotations

import json
import zlib
from dataclasses import asdict, dataclass, replace
from typing import Any

from toulmin.adapters.vectors.faults import unreadable
from toulmin.domain.evidence.embedding import EMBEDDED_TEXT, EmbeddingProfile
from toulmin.ports.index import OtherEmbedder

FORMAT = 1
"""Of the folder's files, counted up with any change that an older program could not read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A file of the folder, with the CRC-32 of its bytes."""

    name: str
    crc: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentEntry:
    """A segment: its file, its rows, how many of them are dead, and the file that names these, where there are any."""

    file: File
    rows: int
    dead: int = 0
    tombs: File | None = None

    @property
    def files(self) -> tuple[File, ...]:
        return (self.file,) if self.tombs is None else (self.file, self.tombs)


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What an index consists of.

    `generation` names the index, which is replaced as a whole, and `next` numbers the file that is written next; the two name it, so that
    no name comes twice. `profile` is the digest of the embedding profile that all vectors have, `profile_name` that profile in words.
    """

    generation: str
    profile: str
    profile_name: str
    next: int = 1
    sequence: int = 0
    mark: int = 0
    segments: tuple[SegmentEntry, ...] = ()

    @classmethod
    def empty(cls, generation: str, profile: EmbeddingProfile) -> State:
        return cls(generation=generation, profile=profile.digest, profile_name=str(profile))

    @property
    def files(self) -> tuple[File, ...]:
        return tuple(file for segment in self.segments for file in segment.files)

    @property
    def rows(self) -> int:
        """How many passages there are."""
        return sum(segment.rows - segment.dead for segment in self.segments)

    def check_profile(self, profile: EmbeddingProfile, place: str) -> None:
        """Raises `OtherEmbedder` where the vectors are of another profile than this one: they are never mixed."""
        if profile.digest != self.profile:
            raise OtherEmbedder(
                "other_embedding_profile",
                f"the index holds vectors of {self.profile_name}, and {profile} is configured",
                where=place,
                remedy="run toulmin index embed, which makes all vectors anew, or configure the former embedder again",
            )


def written(state: State) -> bytes:
    """A state as its file holds it: a checksum, then JSON."""
    body = json.dumps({"format": FORMAT, "texts": EMBEDDED_TEXT, **asdict(state)}).encode()
    return b"%08x " % zlib.crc32(body) + body


def read(content: bytes, place: str) -> State:
    """The state in a file; raises `IndexUnreadable` for one that is damaged, or that another version of the program wrote."""
    checksum, _, body = content.partition(b" ")
    if checksum != b"%08x" % zlib.crc32(body):
        raise unreadable(place, "the file is damaged")
    shape: dict[str, Any] = json.loads(body)
    known, texts = shape.pop("format"), shape.pop("texts")
    if known != FORMAT:
        raise unreadable(place, f"the index has format {known}, this program writes {FORMAT}")
    if texts != EMBEDDED_TEXT:
        raise unreadable(place, "its vectors are made of other texts than this version makes them of")
    return replace(State(**shape), segments=tuple(map(_segment, shape["segments"])))


def _segment(shape: dict[str, Any]) -> SegmentEntry:
    tombs = File(**shape["tombs"]) if shape["tombs"] else None
    return SegmentEntry(**{**shape, "file": File(**shape["file"]), "tombs": tombs})
