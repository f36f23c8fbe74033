from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
LOCKS = ("requirements.lock", "requirements-dev.lock")


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


def test_the_locked_build_backend_is_the_one_that_the_build_asks_for() -> None:
    project = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
    assert project["dependency-groups"]["build"] == project["build-system"]["requires"]
