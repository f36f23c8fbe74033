"""What documents say cannot move the cursor, hide text, or look like words of ours; and only what fits is shown."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest

from tests.e2e.cli import Run, called, started, workspace, write

ESCAPES = "\x1b[2J\x1b]0;title\x07\x9b31m\x7f"
BIDI = "\u202e\u2066\u200f\ufeff\u200b"
PLANTED = ESCAPES + BIDI
CONTRACT = """\
id: valve
version: 1
case: {}
query: valve
k: 1
eligibility: {rules: {}}
facts:
  f: {proposition: "The %s valve leaks.", clause: "The valve leaks."}
answer: {mode: licensed, drafter: template}
"""


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus with control characters wherever a file may have them: in text, heading, title, author, scope, quote and file name."""
    folder = workspace(tmp_path_factory.mktemp("place"), contracts={"valve.yaml": CONTRACT % BIDI})
    sidecar = (
        f'id: V\nversion: "1"\nreaders: [public]\ntitle: "Valve {BIDI}\\nstate: live"\n'
        f"spans: [{{id: s, fact: f, quote: 'The {BIDI} valve leaks.'}}]\n"
    )
    lines = "".join(f"Line {number} of the valve.\n" for number in range(30))
    write(
        folder / "docs",
        {
            "valve.md": f"# Valve {PLANTED} heading\n\nThe {BIDI} valve leaks. {PLANTED}\n",
            "valve.md.meta.yaml": sidecar,
            f"name{ESCAPES}.txt": "Refused.\n",
            "long.txt": lines,
            "wide.txt": "The valve " + "is very wide " * 300 + "indeed.\n",
            "red.txt": "A red pump.\n",
            "red.txt.meta.yaml": f'scope: {{colour: "red {BIDI}"}}\nreaders: [public]\n',
        },
    )
    called("ingest", "docs", "--readers", "public", at=folder)
    return folder


def obeyed(run: Run) -> set[str]:
    """Characters in an output that a terminal would obey, or that show nothing."""
    return {c for c in run.out + run.err if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Co", "Cs")}


@pytest.mark.parametrize("as_json", [False, True], ids=["words", "json"])
@pytest.mark.parametrize(
    "arguments",
    [
        ("ingest", "docs", "--readers", "public"),
        ("search", "valve leaks", "--explain"),
        ("ask", "valve"),
        ("ask", "--text", "valve leaks"),
        ("document", "list"),
        ("document", "show", "V"),
        ("document", "show", f"no {PLANTED}"),
        ("packet", "show", f"pk-{PLANTED}"),
        ("search", "x", "--profile", PLANTED),
        ("ask", PLANTED),
        ("contracts", "check"),
        (PLANTED,),
    ],
    ids=lambda arguments: " ".join(arguments).encode("ascii", "ignore").decode()[:30],
)
def test_no_output_has_a_character_that_a_terminal_obeys(
    place: Path, arguments: tuple[str, ...], as_json: bool
) -> None:
    run = called(*arguments, *(["--json"] if as_json else []), at=place)
    assert obeyed(run) == set()
    assert not as_json or run.json


def test_json_still_has_every_character_of_the_text(place: Path) -> None:
    found = called("search", "leaks", "--json", at=place).json["results"]
    assert [item["text"] for item in found] == [f"The {BIDI} valve leaks. {PLANTED}"]
    assert found[0]["heading"] == [f"Valve {PLANTED} heading"]


def test_a_title_cannot_look_like_a_line_of_ours(place: Path) -> None:
    lines = called("document", "show", "V", at=place).out.splitlines()
    assert lines[0] == "V v1: Valve state: live"


def test_long_passages_are_cut_off_and_say_so(place: Path) -> None:
    for name, shown in (("long.txt", "Line 2 of the valve."), ("wide.txt", "The valve is very wide")):
        for command in (("document", "show", name), ("search", "valve", "-k", "20")):
            out = called(*command, at=place).out
            assert shown in out
            assert "more characters" in out
            assert "Line 29" not in out
            assert "indeed" not in out


def test_a_program_that_reads_the_output_gets_no_colours(place: Path) -> None:
    for arguments in (("document", "list"), ("ingest", "docs", "--readers", "public")):
        run = started(*arguments, at=place)
        assert "\x1b" not in run.out + run.err


def test_words_are_not_read_as_markup(tmp_path: Path) -> None:
    place = workspace(tmp_path)
    write(place, {"docs/[bold]a.txt": "The [red]valve[/red] [link=x]leaks[/link].\n"})
    called("ingest", "docs", "--readers", "public", at=place)
    assert "[bold]a.txt" in called("document", "list", at=place).out
    assert "The [red]valve[/red] [link=x]leaks[/link]." in called("search", "valve", at=place).out
