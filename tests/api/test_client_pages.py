"""What the pages about clients tell a reader to run, run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from unittest.mock import patch

import pytest

from tests.api.conftest import PEOPLE, Running
from tests.conftest import PROJECT
from toulmin.domain.question.case import Principal

EVERYTHING = Principal(id="desk", roles=("reader", "service", "curator"))


@pytest.fixture
def desk(running: Running) -> Iterator[dict[str, str]]:
    """What a reader has in the environment."""
    with patch.dict(PEOPLE, {"desk": EVERYTHING}):
        yield {"TOULMIN_URL": running.url, "TOULMIN_TOKEN": "desk"}


def run(page: str, desk: dict[str, str], place: Path) -> None:
    text = (PROJECT / "docs" / "how-to" / page).read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert blocks
    with patch.dict("os.environ", desk), chdir(place):
        for block in blocks:
            exec(compile(block, page, "exec"), {})  # it is our own page


def test_the_page_on_the_client(desk: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("client.md", desk, tmp_path)
    told = capsys.readouterr().out
    assert "GW-241 licensed" in told
    assert "found ['GW-241'" in told
    assert "pump.md ingested None" in told
    assert (tmp_path / "decision.json").stat().st_size > 0


def test_the_page_on_chat_clients(desk: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run("chat-clients.md", desk, tmp_path)
    told = capsys.readouterr().out
    assert "(HOLD-7, version 2) /v1/packets/pk-" in told
    assert "Answered pk-" in told
