"""Moving the corpus database of a workspace, as one file, into that of another."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

from toulmin.domain.errors import InputError
from toulmin.ports.transfer import Record
from toulmin.surfaces import wiring
from toulmin.surfaces.settings import settings_of
from toulmin.wire.export import read_export, write_export


def export_store(file: Path, folder: Path | str | None = None) -> int:
    """Writes the corpus database of a workspace to a new file that only its owner may read; the number of its rows.

    Raises `InputError` (`file_exists`, `not_writable`) where no such file can be made.
    """
    try:
        opened = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        code = "file_exists" if isinstance(error, FileExistsError) else "not_writable"
        raise InputError(code, f"{file}: {error.strerror}", remedy="name a new file in a folder that exists") from error
    try:
        with (
            os.fdopen(opened, "wb") as to,
            closing(wiring.open_store(settings_of(folder))) as store,
            store.export_rows() as records,
        ):
            return write_export(((record.table, record.cells) for record in records), to)
    except BaseException:
        file.unlink()  # what is there is no export
        raise


def import_store(file: Path, folder: Path | str | None = None) -> int:
    """Fills the empty corpus database of a workspace with an exported one; the number of its rows.

    Raises `InputError` for a file that is no whole export, and `Conflict` for a store that is not empty; nothing is changed then.
    """
    try:
        source = file.open("rb")
    except OSError as error:
        raise InputError("missing_file", f"{file}: {error.strerror}", remedy="name a file of toulmin export") from error
    with source, closing(wiring.open_store(settings_of(folder))) as store:
        for _ in read_export(source, str(file)):
            pass  # once to its end, where it shows whether the file is whole: a database would say less of what is wrong
        source.seek(0)
        rows = read_export(source, str(file))
        return store.import_rows(Record(table=table, cells=cells) for table, cells in rows)
