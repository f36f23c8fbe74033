from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

PROJECT = Path(__file__).resolve().parents[2]
LOCKS = ("requirements.lock", "requirements-dev.lock")


def toml(file: str | Path) -> dict[str, Any]:
    """A project file, by its place in the project."""
    return tomllib.loads((PROJECT / file).read_text(encoding="utf-8"))


def pins(lock: str) -> dict[str, str]:
    """Name and version of every package that a lock file pins."""
    return dict(re.findall(r"^([\w.-]+)==(\S+)", (PROJECT / lock).read_text(encoding="utf-8"), re.MULTILINE))


def test_setting_up_for_development_never_changes_a_version_of_the_base_install() -> None:
    base, dev = map(pins, LOCKS)
    assert base
    assert base.items() <= dev.items()


@pytest.mark.parametrize("lock", LOCKS)
def test_every_locked_package_has_a_hash_and_no_address(lock: str) -> None:
    text = (PROJECT / lock).read_text(encoding="utf-8")
    entries = re.split(r"^(?=[\w.-]+==)", text, flags=re.MULTILINE)[1:]
    assert entries
    assert [entry.splitlines()[0] for entry in entries if "--hash=sha256:" not in entry] == []
    assert "://" not in text


def test_what_lies_in_packages_is_in_no_lock_and_fits_what_is_asked_for() -> None:
    wanted = {
        item.name: item
        for extra in toml("pyproject.toml")["project"]["optional-dependencies"].values()
        for item in map(Requirement, extra)
    }
    for folder in (PROJECT / "packages").iterdir():
        project = toml(folder / "pyproject.toml")
        name, version = project["project"]["name"], project["project"]["version"]
        assert wanted[name].specifier.contains(version)
        assert project["build-system"]["requires"] == toml("pyproject.toml")["build-system"]["requires"]
        assert not any(name in pins(lock) for lock in LOCKS)


def test_the_locked_build_backend_is_the_one_that_the_build_asks_for() -> None:
    project = toml("pyproject.toml")
    assert project["dependency-groups"]["build"] == project["build-system"]["requires"]
