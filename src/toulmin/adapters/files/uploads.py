"""Files that somebody sends, with the metadata that is sent beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from functools import partial
from typing import NoReturn

from toulmin.adapters.files.sidecars import SIDECAR, is_sidecar, no_sidecar, stray_beside, strays
from toulmin.domain.corpus.document import MAX_ID_LENGTH
from toulmin.domain.corpus.metadata import Metadata
from toulmin.domain.errors import InputError
from toulmin.ports.parser import ParsingLimits
from toulmin.ports.source import Entry, Submitted, Upload
from toulmin.wire import strict_yaml
from toulmin.wire.metadata import read_metadata
from toulmin.wire.source import MAX_SOURCE_BYTES

_FILES = "files"
"""Where a fault of the files as a whole is said to stand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadSource:
    """The documents among files that are sent together, in their order; a sidecar stands among them under its usual name.

    A name is a label, and never a path of this host: it is a document's default id, and its ending tells the format. `options` are
    defaults for what neither sidecar nor document states. A file of more than `max_bytes` is refused.
    """

    files: Sequence[Upload]
    zone: tzinfo
    options: Metadata
    max_bytes: int = ParsingLimits.max_bytes

    def entries(self) -> Iterator[Entry]:
        """The documents. Raises `InputError` for a name that none could have, one that occurs twice, and one id for several documents."""
        files = {file.name: file for file in self.files}
        _check_names([file.name for file in self.files])
        found = strays(files.keys())
        documents = [name for name in files if name not in found and not is_sidecar(name, files.keys())]
        _check_id(self.options, documents)
        beside = {document: stray for stray, meant in found.items() for document in meant}
        for name, file in files.items():
            if name in found:
                yield _refused(name, no_sidecar(name))
            elif name in beside:
                yield _refused(name, stray_beside(name, beside[name]))
            elif name in documents:
                yield Entry(name=name, load=partial(self._load, file, files.get(name + SIDECAR)))

    def _load(self, file: Upload, sidecar: Upload | None) -> Submitted:
        return Submitted(
            default_id=file.name,
            data=_bytes(file, self.max_bytes),
            before=() if sidecar is None else (self._stated(sidecar),),
            after=(self.options,),
        )

    def _stated(self, sidecar: Upload) -> Metadata:
        node = strict_yaml.parse(_bytes(sidecar, MAX_SOURCE_BYTES), sidecar.name)
        return read_metadata(node, sidecar.name, self.zone)


def _check_names(names: Sequence[str]) -> None:
    for name, count in Counter(names).items():
        if not _usable(name):
            raise InputError(
                "bad_name",
                f"a file cannot be named {name[:80]!r}",
                where=_FILES,
                remedy="give a name or a relative path: printable, with / between folders, and without . and ..",
            )
        if count > 1:
            raise InputError(
                "duplicate_path",
                f"{count} files are named {name}",
                where=_FILES,
                remedy="give each file a name of its own, with its folder before it",
            )


def _usable(name: str) -> bool:
    """Whether it is a relative path of plain parts, that can be an id, and is the same to everybody who reads it."""
    parts = name.split("/")
    plain = all(part == part.strip() and part not in ("", ".", "..") for part in parts)
    return plain and len(name) <= MAX_ID_LENGTH and name.isprintable() and "\\" not in name


def _check_id(options: Metadata, documents: Sequence[str]) -> None:
    """Refuse what would be versions of one document that supersede each other, only since they are sent together."""
    if options.id is not None and len(documents) > 1:
        raise InputError(
            "shared_id",
            f"the metadata of all {len(documents)} documents states one id, {options.id}",
            where=_FILES,
            remedy="state ids in sidecars, or send the documents one by one",
        )


def _bytes(file: Upload, at_most: int) -> bytes:
    data = file.file.read(at_most + 1)
    if len(data) > at_most:
        raise InputError(
            "too_large", f"the file has more than {at_most} bytes", where=file.name, remedy="send it in parts"
        )
    return data


def _refused(name: str, fault: InputError) -> Entry:
    return Entry(name=name, load=partial(_raise, fault))


def _raise(fault: InputError) -> NoReturn:
    raise fault
