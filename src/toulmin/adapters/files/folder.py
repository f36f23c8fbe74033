"""Files and folders of documents, with the metadata that stands beside them."""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from functools import cache, cached_property, partial
from pathlib import Path
from typing import NoReturn

from toulmin.adapters.files.reading import read_bounded, read_regular
from toulmin.adapters.files.sidecars import SIDECAR, is_sidecar, no_sidecar, stray_beside, strays
from toulmin.domain.corpus.metadata import Metadata
from toulmin.domain.errors import InputError
from toulmin.ports.parser import ParsingLimits
from toulmin.ports.source import Entry, Skipped, Submitted
from toulmin.wire import strict_yaml
from toulmin.wire.metadata import read_manifest, read_metadata
from toulmin.wire.source import MAX_SOURCE_BYTES

MANIFEST = "manifest.jsonl"
_NOTHING_STATED = Metadata()


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderSource:
    """The documents of files and folders, in the order of their paths.

    A file that is named is always tried; in a folder, files whose ending is not in `suffixes` are skipped, and hidden ones are not looked
    at. Manifest rows are matched by path below each given folder (or a given file's own folder): those of `manifest`, or else of
    the folder's own `manifest.jsonl`. `options` are defaults for what no file states. A file of more than `max_bytes` is refused.

    What cannot be read is an entry that cannot be loaded, and stops nothing else. Whatever may state metadata and cannot be read, or is
    named so that it would not be looked at, stops the documents that it concerns: they might be open to more readers without it.
    """

    paths: Sequence[Path]
    suffixes: frozenset[str]
    zone: tzinfo
    manifest: Path | None = None
    options: Metadata = _NOTHING_STATED
    max_bytes: int = ParsingLimits.max_bytes

    def entries(self) -> Iterator[Entry | Skipped]:
        named = None if self.manifest is None else self._rows(self.manifest, str(self.manifest))
        around = cache(lambda folder: _Around(names=_listed(folder), rows=self._rows_of(folder, named)))
        first: dict[str, Path] = {}
        for given in self.paths:
            if given.is_dir():
                yield from self._folder(given, named, first)
            elif os.path.lexists(given):
                yield self._file(given, around, first)
            else:
                yield _refused(str(given), "no_such_file", "there is no such file or folder", "check the path")
        if named is not None and any(given.is_dir() for given in self.paths):
            yield from _absent(named, first)

    def _folder(
        self, root: Path, named: Mapping[str, Metadata] | None, first: dict[str, Path]
    ) -> Iterator[Entry | Skipped]:
        """What is below one folder; `first` has the first path of the run for each name, and gets those of this folder."""
        names, faults = _walked(root)
        paths = {name: root / name for name in names}
        for name, path in paths.items():
            first.setdefault(name, path)
        yield from (_unreadable(fault, root) for fault in faults)
        try:
            around = _Around(names=names, rows=self._rows_of(root, named))
        except InputError as fault:
            yield _entry_of(_shown(str(root / MANIFEST)), _for_all_documents(fault))
            return
        for name, path in paths.items():
            if name in around.strays:
                yield _entry_of(_shown(name), no_sidecar(_shown(name)))
            elif path.suffix.lower() in self.suffixes:
                yield self._document(path, name, around, first)
            elif name != MANIFEST and not is_sidecar(name, around.known):
                yield Skipped(name=_shown(name), reason=f"no parser reads {path.suffix or 'files without an ending'}")
        if named is None:
            yield from _absent(around.rows, around.known)

    def _file(self, path: Path, around: Callable[[Path], _Around], first: dict[str, Path]) -> Entry:
        """A file that was given by its own path."""
        first.setdefault(path.name, path)
        try:
            return self._document(path, path.name, around(path.parent), first)
        except InputError as fault:
            return _entry_of(_shown(path.name), fault)

    def _document(self, path: Path, name: str, around: _Around, first: Mapping[str, Path]) -> Entry:
        if name != _shown(name):
            return _refused(name, "bad_name", "the file's name is not UTF-8", "rename the file")
        if stray := around.stray_beside.get(name):
            return _entry_of(name, stray_beside(name, _shown(stray)))
        namesake = None if _same_file(first[name], path) else str(first[name])
        return Entry(name=name, load=partial(self._load, path, name, around.rows.get(name), namesake))

    def _load(self, path: Path, name: str, row: Metadata | None, namesake: str | None) -> Submitted:
        return Submitted(
            default_id=name,
            namesake=namesake,
            data=read_bounded(path, name, at_most=self.max_bytes),
            before=_sidecar(path, name, self.zone),
            after=(*(() if row is None else (row,)), self.options),
        )

    def _rows_of(self, folder: Path, named: Mapping[str, Metadata] | None) -> Mapping[str, Metadata]:
        """The rows of the manifest that was named, else those of the folder's own."""
        own = folder / MANIFEST
        if named is not None:
            return named
        return self._rows(own, MANIFEST) if os.path.lexists(own) else {}

    def _rows(self, path: Path, name: str) -> Mapping[str, Metadata]:
        return read_manifest(read_bounded(path, name, at_most=self.max_bytes), path.name, self.zone)


def _same_file(one: Path, other: Path) -> bool:
    return one == other or os.path.realpath(one) == os.path.realpath(other)


@dataclass(frozen=True, kw_only=True)
class _Around:
    """What stands around documents: the files of their folder, by path below it and in order, and the rows of its manifest."""

    names: Sequence[str]
    rows: Mapping[str, Metadata]

    @cached_property
    def known(self) -> frozenset[str]:
        return frozenset(self.names)

    @cached_property
    def strays(self) -> Mapping[str, Sequence[str]]:
        """Files that look like sidecars and are none, with the documents that each may be meant for."""
        return strays(self.known)

    @cached_property
    def stray_beside(self) -> Mapping[str, str]:
        """The same by document."""
        return {document: name for name, documents in self.strays.items() for document in documents}


def _walked(root: Path) -> tuple[list[str], list[OSError]]:
    """The files below a folder, with forward slashes, and what could not be read; hidden ones are left out, linked folders not entered."""
    names: list[str] = []
    faults: list[OSError] = []
    for folder, folders, files in os.walk(root, onerror=faults.append):
        folders[:] = [name for name in folders if not name.startswith(".")]
        below = Path(folder).relative_to(root).as_posix()
        before = "" if below == "." else f"{below}/"
        names += (before + name for name in files if not name.startswith("."))
    return sorted(names), faults


def _listed(folder: Path) -> list[str]:
    """The files in a folder; raises `InputError` where it cannot be read."""
    try:
        return sorted(path.name for path in folder.iterdir())
    except OSError as error:
        raise InputError(
            "unreadable_folder",
            f"the folder cannot be searched for metadata: {error.strerror}",
            where=str(folder),
            remedy="mend its rights",
        ) from None


def _sidecar(path: Path, name: str, zone: tzinfo) -> tuple[Metadata, ...]:
    beside = path.with_name(path.name + SIDECAR)
    if not os.path.lexists(beside):
        return ()
    source = name + SIDECAR
    data = read_regular(beside, source, at_most=MAX_SOURCE_BYTES)
    return (read_metadata(strict_yaml.parse(data, source), source, zone),)


def _absent(rows: Iterable[str], present: Container[str]) -> Iterator[Entry]:
    for name in rows:
        if name not in present:
            yield _refused(
                name,
                "no_such_file",
                "the manifest names a file that is not there",
                "mend its path, or remove the row",
            )


def _for_all_documents(fault: InputError) -> InputError:
    return InputError(
        fault.code,
        f"{fault.message}; without it, no document of its folder is read",
        where=fault.where,
        remedy=fault.remedy,
    )


def _unreadable(error: OSError, root: Path) -> Entry:
    folder = Path(os.fsdecode(error.filename))
    name = str(root) if folder == root else folder.relative_to(root).as_posix()
    return _refused(
        name, "unreadable_folder", f"the folder cannot be read: {error.strerror}", "mend its rights, or move it away"
    )


def _shown(name: str) -> str:
    """A name in which bytes that are not UTF-8 are replaced."""
    return os.fsencode(name).decode(errors="replace")


def _refused(name: str, code: str, message: str, remedy: str) -> Entry:
    return _entry_of(_shown(name), InputError(code, message, where=_shown(name), remedy=remedy))


def _entry_of(name: str, fault: InputError) -> Entry:
    return Entry(name=name, load=partial(_raise, fault))


def _raise(fault: InputError) -> NoReturn:
    raise fault
