"""The tutorial is true: its blocks run one after another in one shell, and each prints what the page shows below it."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "tutorial.md").read_text(encoding="utf-8")
SET_UP, STEPS = PAGE.split("## 1. ", maxsplit=1)
PORT = "8080"
END = "--- end of a block ---"
PROGRAMS = Path(sys.executable).parent


def blocks(page: str) -> list[tuple[str, str]]:
    """Language and content of each fenced block."""
    return re.findall(r"^```(\w+)\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def steps(page: str) -> Iterator[tuple[str, str]]:
    """Each block for the shell, with what is shown below it; nothing is shown where nothing is printed."""
    for (language, content), (following, shown) in pairwise([*blocks(page), ("", "")]):
        if language == "sh":
            yield content, shown if following == "text" else ""


def told(text: str) -> list[str]:
    """The lines that say something, without the white space of tables and of indented lines."""
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


def fits(shown: str, printed: str) -> bool:
    """Whether a block's output is the one that is shown: `…` stands for any part of a line, and on a line of its own for any lines."""
    lines = [
        r"(?:.*\n)*?" if line == "…" else ".*".join(map(re.escape, line.split("…"))) + "\n" for line in told(shown)
    ]
    return re.fullmatch("".join(lines), "".join(f"{line}\n" for line in told(printed))) is not None


def environment() -> Mapping[str, str]:
    """What the programs of this Python are found by, and no settings of whoever runs the tests."""
    return {"PATH": f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}", "HOME": os.environ["HOME"], "LC_ALL": "C.UTF-8"}


def free_port() -> str:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return str(listening.getsockname()[1])


def shell(script: str, at: Path) -> str:
    """What a script prints, on standard output and error; every process that it has begun is ended with it."""
    run = subprocess.Popen(
        ["bash", "-c", script],
        cwd=at, env=environment(), start_new_session=True, encoding="utf-8",
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    try:
        return run.communicate(timeout=100)[0]
    finally:
        with suppress(ProcessLookupError):  # as it should be
            os.killpg(run.pid, signal.SIGKILL)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """The folder in which the tutorial was carried out, and what each of its blocks printed."""
    if shutil.which("curl") is None:
        pytest.skip("the tutorial takes curl: install it")
    folder = tmp_path_factory.mktemp("tutorial")
    script = "".join(f"{code}echo '{END}'\n" for code, _ in steps(STEPS))
    return folder, shell(script.replace(PORT, free_port()), folder).split(f"{END}\n")[:-1]


def test_each_block_prints_what_is_shown_below_it(finished: tuple[Path, list[str]]) -> None:
    wrong = {
        code: printed
        for (code, shown), printed in zip(steps(STEPS), finished[1], strict=True)
        if not fits(shown, printed)
    }
    assert wrong == {}


def test_an_agent_finds_the_tools_and_not_the_other_customers_document(finished: tuple[Path, list[str]]) -> None:
    (settings,) = (json.loads(content) for language, content in blocks(STEPS) if language == "json")
    program = StdioServerParameters(**settings["mcpServers"]["kestrel"], cwd=finished[0], env=dict(environment()))

    async def run() -> tuple[set[str], object]:
        async with Client(program) as client:
            tools = {tool.name for tool in (await client.list_tools()).tools}
            found = await client.call_tool("search", {"text": "Globex deleted files", "case": {"release": "4.2"}})
            return tools, found.structured_content

    tools, found = asyncio.run(run())
    assert tools == {"search", "ask", "review", "get_packet"}
    assert "KEEP-4" in str(found)
    assert "GLOBEX" not in str(found)


def test_what_is_installed_for_it_are_extras_that_exist() -> None:
    (named,) = re.findall(r'"\.\[([\w,]+)\]"', SET_UP)
    project = (Path(__file__).resolve().parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    assert all(re.search(rf"^{extra} = \[", project, re.MULTILINE) for extra in named.split(","))


@pytest.mark.parametrize(
    ("shown", "printed", "same"),
    [
        ("a …\n", "a  b\n", True),
        ("a\n…\nd\n", "a\nb\nc\nd\n", True),
        ("…\n", "", True),
        ("", "a\n", False),
        ("a\nd\n", "a\nb\nd\n", False),
        ("a …\n", "a 1\nb\n", False),
        ("a.\n", "ab\n", False),
    ],
)
def test_only_what_is_marked_may_differ(*, shown: str, printed: str, same: bool) -> None:
    assert fits(shown, printed) is same
