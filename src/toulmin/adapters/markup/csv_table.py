"""CSV: a table, a line for each row."""

from __future__ import annotations

import csv
import io

from toulmin.adapters.markup.encoding import decoded_as
from toulmin.adapters.markup.writer import Writer
from toulmin.domain.errors import InputError

_DELIMITERS = ",;\t"


def read_csv(data: bytes, name: str, writer: Writer) -> tuple[str, str]:
    """Writes a table; returns its encoding and its own text. Its cells are parted by what the first line has most: comma, semicolon or tab."""
    text, encoding = decoded_as(data, "utf-8", name)
    first_line = text.partition("\n")[0]
    delimiter = max(_DELIMITERS, key=first_line.count)
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise InputError(
            "malformed_file",
            f"the table cannot be read: {error}",
            where=name,
            remedy="close every quotation mark that opens a cell, or name the file .txt to read it as it is",
        ) from error
    writer.table(rows)
    return encoding, text
