from __future__ import annotations

import re
from importlib import resources

import pytest

from toulmin.adapters.sql.transaction import scripts, statements

COMMON = "toulmin.adapters.sql"
DATABASES = ("toulmin.adapters.sqlite", "toulmin.adapters.postgres")


def sources(package: str) -> str:
    files = (file for file in resources.files(package).iterdir() if file.name.endswith(".py"))
    return "".join(file.read_text(encoding="utf-8") for file in files)


def test_a_statement_whose_name_stands_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="twice"):
        statements("-- name: one\nSELECT 1\n-- name: one\nSELECT 2\n")


@pytest.mark.parametrize("package", DATABASES)
def test_every_named_statement_is_used_and_exists(package: str) -> None:
    named = statements(*scripts(package, "queries"))
    code = sources(COMMON) + sources(package)
    assert {name for name in named if f'"{name}"' not in code} == set()
    called = re.findall(r'\.(?:rows|row|run|run_each)\(\s*"(\w+)"', code)
    assert set(called) <= set(named)


@pytest.mark.parametrize("package", DATABASES)
def test_migrations_are_numbered_without_a_gap(package: str) -> None:
    folder = resources.files(package).joinpath("migrations")
    numbers = sorted(int(file.name.partition("_")[0]) for file in folder.iterdir() if file.name.endswith(".sql"))
    assert numbers == list(range(1, len(numbers) + 1))
