"""Files and folders of documents, with the metadata that stands beside them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from functools import partial
from pathlib import Path
from typing import NoReturn

from toulmin.domain.corpus.metadata import Metadata
from toulmin.domain.errors import InputError
from toulmin.ports.source import Entry, Skipped, Submitted
from toulmin.wire import strict_yaml
from toulmin.wire.metadata import read_manifest, read_metadata
from toulmin.wire.source import read_file

SIDECAR = ".meta.yaml"
MANIFEST = "manifest.jsonl"
_NOTHING_STATED = Metadata()


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderSource:
    """The documents of files and folders, in the order of their paths.

    A file that is named is always tried; in a folder, files whose ending is not in `suffixes` are skipped, and hidden ones are not looked
    at. Manifest rows are matched by path below each given folder (or a given file's own folder): those of `manifest`, or else of
    the folder's own `manifest.jsonl`. `options` are defaults for what no file states.
    """

    paths: Sequence[Path]
    suffixes: frozenset[str]
    zone: tzinfo
    manifest: Path | None = None
    options: Metadata = _NOTHING_STATED

    def entries(self) -> Iterator[Entry | Skipped]:
        for given in self.paths:
            if given.is_dir():
                yield from self._walk(given, self._rows(given))
            elif given.is_file():
                yield self._entry(given, given.name, self._rows(given.parent))
            else:
                yield _missing(str(given), "there is no such file or folder", "check the path")

    def _walk(self, root: Path, rows: Mapping[str, Metadata]) -> Iterator[Entry | Skipped]:
        names = sorted(_names(root))
        present = frozenset(names)
        for name in names:
            path = root / name
            if name.endswith(SIDECAR):
                if name.removesuffix(SIDECAR) not in present:
                    yield _missing(name, "there is no document beside this sidecar", "name it like its document")
            elif path.suffix.lower() in self.suffixes:
                yield self._entry(path, name, rows)
            elif name != MANIFEST:
                yield Skipped(name=name, reason=f"no parser reads {path.suffix or 'files without an ending'}")
        for name in rows:
            if name not in present:
                yield _missing(name, "the manifest names a file that is not there", "mend its path, or remove the row")

    def _entry(self, path: Path, name: str, rows: Mapping[str, Metadata]) -> Entry:
        return Entry(name=name, load=partial(self._load, path, name, rows.get(name)))

    def _load(self, path: Path, name: str, row: Metadata | None) -> Submitted:
        return Submitted(
            default_id=name,
            data=_bytes(path, name),
            before=_sidecar(path, name, self.zone),
            after=(*(() if row is None else (row,)), self.options),
        )

    def _rows(self, root: Path) -> Mapping[str, Metadata]:
        path = self.manifest or root / MANIFEST
        if self.manifest is None and not path.is_file():
            return {}
        return read_manifest(_bytes(path, str(path)), path.name, self.zone)


def _bytes(path: Path, name: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(
            "unreadable_file",
            f"the file cannot be read: {error.strerror}",
            where=name,
            remedy="mend its path or its rights",
        ) from None


def _sidecar(path: Path, name: str, zone: tzinfo) -> tuple[Metadata, ...]:
    beside = path.with_name(path.name + SIDECAR)
    if not beside.exists():
        return ()
    source = name + SIDECAR
    return (read_metadata(strict_yaml.parse(read_file(beside, source), source), source, zone),)


def _missing(name: str, message: str, remedy: str) -> Entry:
    fault = InputError("no_such_file", message, where=name, remedy=remedy)
    return Entry(name=name, load=partial(_raise, fault))


def _raise(fault: InputError) -> NoReturn:
    raise fault


def _names(root: Path) -> Iterator[str]:
    """Paths below a folder, with forward slashes; hidden files and folders are left out, linked folders not entered."""
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in files:
            if not name.startswith("."):
                yield (Path(folder) / name).relative_to(root).as_posix()
