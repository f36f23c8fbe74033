"""Archives: the parts of a file that is a ZIP of XML, opened only after what they would unpack to is known."""

from __future__ import annotations

import io
import posixpath
import zipfile
import zlib
from collections.abc import Mapping
from urllib.parse import unquote
from xml.etree.ElementTree import Element, ParseError, XMLParser

from toulmin.domain.errors import InputError

_MAX_PARTS = 20_000
_MAX_RATIO = 200
"""XML packs well, but real documents stay below 100."""
_HARMLESS = 10_000_000
"""Bytes that may be unpacked at any ratio."""

_OLE = bytes.fromhex("d0cf11e0a1b11ae1")
_ZIP = b"PK\x03\x04"
_RELATIONSHIP = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"


class Archive:
    """A ZIP file's parts by name.

    Raises `InputError` for a file that is none (`malformed_file`), that is locked with a password (`encrypted`), or that would unpack to
    more than `max_bytes` or to many times its size (`zip_bomb`): the sizes in its directory are looked at before anything is unpacked,
    and a part that turns out larger than stated there is refused as malformed.
    """

    def __init__(self, data: bytes, *, name: str, max_bytes: int) -> None:
        self._name = name
        if data.startswith(_OLE):
            raise self.encrypted(", or is of the format before 2007")
        if not data.startswith(_ZIP):
            raise self.malformed("it does not begin like a ZIP file")
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, ValueError, NotImplementedError, EOFError) as error:
            raise self.malformed("its ZIP directory cannot be read") from error
        self._parts = {part.filename: part for part in self._zip.infolist()}
        self._check_sizes(len(data), max_bytes)

    def _check_sizes(self, packed: int, max_bytes: int) -> None:
        parts = self._zip.infolist()
        unpacked = sum(part.file_size for part in parts)
        if len(parts) > _MAX_PARTS or unpacked > max_bytes or unpacked > max(_HARMLESS, _MAX_RATIO * packed):
            raise InputError(
                "zip_bomb",
                f"its {packed} bytes would unpack to {unpacked} in {len(parts)} parts",
                where=self._name,
                remedy="if you trust the file, save it anew, or raise max_bytes under [parsing] in toulmin.toml",
            )

    def malformed(self, what: str) -> InputError:
        """The fault of a file that is not what its ending says."""
        return InputError(
            "malformed_file",
            f"the file cannot be read: {what}",
            where=self._name,
            remedy="open it in the program that made it and save it anew, or name it by its real format",
        )

    def encrypted(self, or_else: str = "") -> InputError:
        """The fault of a file that cannot be read without a password or a licence."""
        return InputError(
            "encrypted",
            f"the file is locked with a password{or_else}",
            where=self._name,
            remedy="save it without a password, in the present format of its kind",
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all parts, in the order of the directory."""
        return tuple(self._parts)

    def read(self, part: str) -> bytes:
        """The bytes of a part that has to be there."""
        info = self._parts.get(part)
        if info is None:
            raise self.malformed(f"it has no part {part[:80]!r}")
        if info.flag_bits & 1:
            raise self.encrypted()
        try:
            return self._zip.read(info)
        except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError, OSError) as error:
            raise self.malformed(f"its part {part[:80]!r} is damaged") from error

    def xml(self, part: str) -> Element:
        """The root element of a part that has to be there. Entities of the file's own are refused: they can grow without bound."""
        data = self.read(part)
        if b"<!ENTITY" in data:
            raise self.malformed(f"its part {part[:80]!r} declares entities")
        try:
            parser = XMLParser()  # noqa: S314  no entities, and whatever else it may do is done in a process of its own
            parser.feed(data)
            return parser.close()
        except (ParseError, ValueError, LookupError) as error:  # malformed, or in an encoding that is not known
            raise self.malformed(f"its part {part[:80]!r} is no XML") from error

    def optional_xml(self, part: str) -> Element | None:
        """The root element of a part, None where there is no such part."""
        return self.xml(part) if part in self._parts else None

    def relations(self, part: str) -> Mapping[str, tuple[str, str]]:
        """What an Office part refers to: id to (kind, name of the part), without what lies outside of the file."""
        folder, file = posixpath.split(part)
        root = self.optional_xml(posixpath.join(folder, "_rels", f"{file}.rels"))
        relations = () if root is None else root.iter(_RELATIONSHIP)
        return {
            relation.get("Id", ""): (
                relation.get("Type", "").rpartition("/")[2],
                resolved(part, relation.get("Target", "")),
            )
            for relation in relations
            if relation.get("TargetMode") != "External"
        }


def resolved(part: str, target: str) -> str:
    """The name of the part that `target`, as it stands in `part`, refers to."""
    path = unquote(target.partition("#")[0])
    return posixpath.normpath(posixpath.join("/", posixpath.dirname(part), path)).lstrip("/")
