from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.samples import archives
from tests.samples.pdfs import pdf
from toulmin.adapters.files.text import TextParser
from toulmin.adapters.kreuzberg.language import LanguageDetecting
from toulmin.adapters.kreuzberg.pdf import PdfParser
from toulmin.adapters.markup.parser import MarkupParser
from toulmin.adapters.sandbox.parser import SandboxedParser
from toulmin.ports.parser import Parser, ParsingLimits
from toulmin.testing.parser import ParserContract, Sample

PAGES = Path(__file__).parent.parent / "samples"


class TestTextParser(ParserContract):
    @pytest.fixture
    def parser(self) -> Parser:
        return TextParser()

    @pytest.fixture
    def samples(self) -> Sequence[Sample]:
        text = b"Title\n=====\n\nFirst words.\n\n- one\n- two\n"
        return [(f"file{suffix}", text) for suffix in (".txt", ".md", ".markdown", ".rst")]


class TestMarkupParser(ParserContract):
    @pytest.fixture
    def parser(self) -> Parser:
        return MarkupParser()

    @pytest.fixture
    def samples(self) -> Sequence[Sample]:
        return [
            ("handbook.html", (PAGES / "handbook.html").read_bytes()),
            ("untidy.htm", (PAGES / "untidy.htm").read_bytes()),
            ("page.xhtml", archives.page("<h1>Title</h1><p>Words.</p>").encode()),
            ("book.epub", archives.epub(["<h1>One</h1><p>First.</p>", "<p>Second.</p>"])),
            ("table.csv", b"Sex,dead %\nFemale,41\n"),
            ("table.tsv", b"Sex\tdead %\nFemale\t41\n"),
            ("handbook.docx", archives.handbook()),
            ("talk.pptx", archives.talk()),
        ]


class TestPdfParser(ParserContract):
    @pytest.fixture
    def parser(self) -> Parser:
        return PdfParser()

    @pytest.fixture
    def samples(self) -> Sequence[Sample]:
        return [("a.pdf", pdf(["Some words.", "More of them."], outline=[("First", 0, 710), ("Second", 1, 792)]))]


class TestSandboxedParser(TestPdfParser):
    @pytest.fixture
    def parser(self) -> Iterator[Parser]:
        with SandboxedParser(LanguageDetecting(PdfParser()), ParsingLimits(timeout_s=30)) as parser:
            yield parser
