"""Mutilated files: whatever is flipped, cut or put in, a parser gives a sound result or a refusal, and nothing else."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.samples import archives
from tests.samples.pdfs import pdf
from toulmin.adapters.kreuzberg.language import LanguageDetecting
from toulmin.adapters.kreuzberg.pdf import PdfParser
from toulmin.adapters.markup.parser import MarkupParser
from toulmin.adapters.sandbox.parser import SandboxedParser
from toulmin.domain.errors import InputError
from toulmin.ports.parser import Parsed, Parser, ParsingLimits
from toulmin.testing.parser import check_parsed

PAGE = (Path(__file__).parent.parent / "samples" / "handbook.html").read_bytes()
LIMITS = ParsingLimits(timeout_s=10.0, memory_mb=1024, max_text_chars=1_000_000, max_pages=100)
SAMPLES = {
    "a.pdf": pdf(
        ["Some words.", "More of them."], labels="0 << /S /r >>", outline=[("First", 0, 710), ("Second", 1, 792)]
    ),
    "a.html": PAGE,
    "a.csv": b'name,"first, second"\nvalve,3 bar\n',
    "a.docx": archives.handbook(),
    "a.pptx": archives.talk(),
    "a.epub": archives.epub(["<h1>One</h1><p>First.</p>", "<table><tr><td>1<td>2</table>"]),
}
INSERTS = st.binary(max_size=8) | st.sampled_from(
    [
        b"<",
        b">",
        b"</",
        b"<!--",
        b"<![CDATA[",
        b"<table>",
        b"<td>",
        b"<pre>",
        b"<ul><li>",
        b"&#0;",
        b"&#xD800;",
        b"\0",
        b"<<",
        b"endobj",
        b"/",
        b"9" * 20,
    ]
)
places = st.floats(0, 1, exclude_max=True)
edits = st.lists(st.tuples(places, st.integers(0, 40), INSERTS), min_size=1, max_size=6)


@pytest.fixture(scope="module")
def parsers() -> Iterator[dict[str, Parser]]:
    """A sandboxed parser by ending."""
    with (
        SandboxedParser(LanguageDetecting(PdfParser(LIMITS)), LIMITS) as pdfs,
        SandboxedParser(LanguageDetecting(MarkupParser(LIMITS)), LIMITS) as markup,
    ):
        yield {suffix: parser for parser in (pdfs, markup) for suffix in parser.suffixes}


def edited(data: bytes, changes: list[tuple[float, int, bytes]]) -> bytes:
    """The bytes with some cut out and others put in, here and there."""
    for place, length, insert in changes:
        at = int(place * len(data))
        data = data[:at] + insert + data[at + length :]
    return data


def outcome(parser: Parser, data: bytes, name: str) -> Parsed | InputError:
    try:
        return parser.parse(data, name=name)
    except InputError as fault:
        return fault


def check(parser: Parser, data: bytes, name: str) -> None:
    result = outcome(parser, data, name)
    if isinstance(result, InputError):
        assert result.code not in ("parser_crashed", "parser_timeout", "parser_out_of_memory")
        assert (result.where or "").startswith(name)
        assert result.remedy
    else:
        check_parsed(result)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(name=st.sampled_from(sorted(SAMPLES)), changes=edits)
def test_a_damaged_file_is_read_or_refused(
    parsers: dict[str, Parser], name: str, changes: list[tuple[float, int, bytes]]
) -> None:
    check(parsers[name[1:]], edited(SAMPLES[name], changes), name)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(name=st.sampled_from(["a.docx", "a.pptx", "a.epub"]), part=places, changes=edits)
def test_a_damaged_part_of_an_archive_is_read_or_refused(
    parsers: dict[str, Parser], name: str, part: float, changes: list[tuple[float, int, bytes]]
) -> None:
    with zipfile.ZipFile(io.BytesIO(SAMPLES[name])) as archive:
        parts = {info: archive.read(info) for info in archive.namelist()}
    chosen = sorted(parts)[int(part * len(parts))]
    check(parsers[name[1:]], archives.zipped(parts | {chosen: edited(parts[chosen], changes)}), name)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(pieces=st.lists(st.sampled_from(
    "<p> </p> <table> </table> <tr> <td> <th> <ul> <ol> <li> </ul> </li> <pre> </pre> <h1> </h1> <h3> <br> <sup> </sup> <details> "
    "<script> </script> <title> </title> <math> <mi> <svg/> <div hidden> </div> <head> </head> &lt; &nbsp; <!-- --> word two\n \x85 \u2028".split(" ")
), max_size=40))  # fmt: skip
def test_any_soup_of_tags_is_read_or_refused(parsers: dict[str, Parser], pieces: list[str]) -> None:
    check(parsers[".html"], "".join(pieces).encode(), "a.html")
