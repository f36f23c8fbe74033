"""What a person reads: outcomes and lists on the terminal.

Words of documents, metadata and models are stripped of control characters before they are shown: a document must not be able to
move the cursor, or to hide text by a change of direction.
"""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from math import ceil
from typing import TYPE_CHECKING, Any

from toulmin.domain.errors import ToulminError
from toulmin.wire.error import error_json

if TYPE_CHECKING:
    from rich.console import Console

_SHOWN_LINES = 8
_SHOWN_CHARACTERS = 1_000
_LONG_S = 120
"""From here on a time is told in minutes."""
_BEYOND_ASCII = re.compile(r"[^\x00-\x7e]")


def clean(text: str) -> str:
    """The text without control and format characters, except line feeds; tabs become spaces."""
    spaced = text.replace("\r\n", "\n").replace("\r", "\n").expandtabs(4)
    return "".join(c for c in spaced if c == "\n" or _shows(c))


def one_line(text: str) -> str:
    """The clean text on one line, so that what a document says cannot look like a line of ours."""
    return " ".join(clean(text).split())


def counted(number: int, thing: str) -> str:
    """A number of things, in words: `1 passage`, `2 passages`."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def lasting(seconds: float) -> str:
    """A length of time in words, never shorter than it is: `45 seconds`, `5 minutes`, `1 hour`."""
    whole = ceil(seconds)
    if whole < _LONG_S:
        return counted(whole, "second")
    minutes = ceil(whole / 60)
    return counted(minutes, "minute") if minutes < 60 else counted(ceil(minutes / 60), "hour")


def console(*, stderr: bool = False) -> Console:
    """A console that prints what it is given: no markup, no highlighting."""
    from rich.console import Console

    return Console(stderr=stderr, markup=False, highlight=False, soft_wrap=True)


def print_json(shape: Mapping[str, Any]) -> None:
    """The one JSON document of a command, on stdout; characters that a terminal would obey are written as escapes."""
    sys.stdout.write(_as_json(shape, indent=2) + "\n")


def print_json_list(shape: Mapping[str, Any], name: str, items: Iterable[str]) -> None:
    """The same with a list of any length under one more name; each item is a line that `json_line` made."""
    separator = "\n"
    sys.stdout.write(f'{_as_json(shape, indent=2)[:-2]},\n  "{name}": [')
    for item in items:
        sys.stdout.write(f"{separator}    {item.rstrip()}")
        separator = ",\n"
    sys.stdout.write("\n  ]\n}\n")


def json_line(shape: Mapping[str, Any]) -> str:
    """One line of JSON, its end included."""
    return _as_json(shape) + "\n"


def print_error(error: ToulminError, *, as_json: bool) -> None:
    """A fault: in words on stderr, or as `toulmin.error/1` on stdout."""
    if as_json:
        print_json(error_json(error))
        return
    lines = [f"error: {clean(error.message)}"]
    if error.where:
        lines.append(f"  at: {clean(error.where)}")
    if error.remedy:
        lines.append(f"  try: {clean(error.remedy)}")
    sys.stderr.write("\n".join(lines) + "\n")


def excerpt(text: str, lines: int = _SHOWN_LINES) -> str:
    """The first lines of a passage, and how much more there is."""
    whole = clean(text)
    shown = "\n".join(whole.split("\n")[:lines])[:_SHOWN_CHARACTERS]
    rest = len(whole) - len(shown)
    return f"{shown}\n… {counted(rest, 'more character')}" if rest else shown


def indent(text: str, by: str) -> str:
    """Every line that is not empty, moved to the right."""
    return "\n".join(by + line if line else line for line in text.split("\n"))


def table(title: str | None, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A table on stdout, as wide as the terminal allows."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    grid = Table(title=title, box=box.SIMPLE_HEAD, title_justify="left")
    for column in columns:
        grid.add_column(column, overflow="fold")
    for row in rows:
        grid.add_row(*(Text(one_line(cell)) for cell in row))
    out = console()
    out.print(grid, soft_wrap=False)


def _shows(character: str) -> bool:
    return unicodedata.category(character) not in ("Cc", "Cf", "Co", "Cs") or character in "\u200c\u200d"


def _as_json(shape: Mapping[str, Any], *, indent: int | None = None) -> str:
    text = json.dumps(shape, ensure_ascii=False, allow_nan=False, indent=indent)
    return _BEYOND_ASCII.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    return found[0] if _shows(found[0]) else json.dumps(found[0])[1:-1]
