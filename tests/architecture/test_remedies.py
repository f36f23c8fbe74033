"""What callers are told to do has to be something that they can do: over HTTP nobody has a command line."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import toulmin

_PACKAGE = Path(toulmin.__file__).parent
_COMMAND = re.compile(r"\btoulmin [a-z]|--[a-z]")
_OF_OPERATORS = {"application/api_keys.py", "application/erasure.py", "application/health.py"}
"""Use cases of whoever holds the workspace, which are on no other surface than the command line."""


def test_no_remedy_of_rules_and_use_cases_wants_a_command_line() -> None:
    files = [file for part in ("domain", "application") for file in (_PACKAGE / part).rglob("*.py")]
    assert files
    wanting = [
        f"{place}: {words}"
        for file in files
        if (place := file.relative_to(_PACKAGE).as_posix()) not in _OF_OPERATORS
        for words in _remedies(file)
        if _COMMAND.search(words) and "whoever holds the workspace" not in words
    ]
    assert not wanting


def _remedies(file: Path) -> Iterator[str]:
    """The words of each remedy, without what is filled in."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.keyword) and node.arg == "remedy":
            parts = [part.value for part in ast.walk(node.value) if isinstance(part, ast.Constant)]
            yield "".join(part for part in parts if isinstance(part, str))
