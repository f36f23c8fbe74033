"""What all tests share: the place of the real input, and how many examples a property is tried on.

`script/test --hypothesis-profile soak --timeout 0` tries every property on many more examples than the default does.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from tests.postgres import Server


PROJECT = Path(__file__).resolve().parent.parent

# No deadline: on a busy machine a slow example says nothing about the code, and pytest-timeout stops one that hangs.
# In CI the examples are the same in every run, so that a change is judged by what it changed; all other runs explore.
settings.register_profile("default", max_examples=100, deadline=None, derandomize="CI" in os.environ)
settings.register_profile("soak", max_examples=5_000, deadline=None)
settings.load_profile("default")


@pytest.fixture(autouse=True)
def _our_loggers_are_heard() -> None:
    """Undoes what import-linter does in this process: it configures logging, and turns off every logger that is there already."""
    for name, logger in logging.root.manager.loggerDict.items():
        if name.partition(".")[0] == "toulmin" and isinstance(logger, logging.Logger):
            logger.disabled, logger.propagate = False, True


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real input: `TOULMIN_SHARED_DATA`, or `../shared/data` beside the project; skips the test if absent."""
    named = os.environ.get("TOULMIN_SHARED_DATA")
    folder = Path(named) if named else PROJECT.parent / "shared" / "data"
    if not folder.is_dir():
        pytest.skip(f"no real input at {folder}: put it there or name its folder in TOULMIN_SHARED_DATA")
    return folder


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A PostgreSQL server, started for the first test that needs it."""
    from tests.postgres import running_server

    with running_server() as server:
        yield server


@pytest.fixture
def postgres_url(postgres: Server) -> str:
    """The URL of an empty store, the same for all tests."""
    return postgres.empty_store()
