"""The contract of the parser port: what every `Parser` promises of every file that it reads or refuses."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

import pytest

from toulmin.domain.corpus.document import Passage
from toulmin.domain.corpus.passages import Block, cut
from toulmin.domain.errors import InputError
from toulmin.ports.parser import Parsed, Parser

Sample = tuple[str, bytes]
"""A file: its name and its bytes."""


def check_parsed(parsed: Parsed) -> None:
    """Checks what holds for the result of any file: its text is clean, and sections, blocks, pages and passages are in order and apart."""
    text = parsed.text
    assert text.strip()
    assert "\0" not in text
    assert not [character for character in text if "\ud800" <= character <= "\udfff"]
    assert parsed.encoding
    assert "/" in parsed.media_type
    for stated in (parsed.title, parsed.author, parsed.language):
        assert stated is None or stated.strip()
    sections = [(section.start, section.end) for section in parsed.sections]
    _in_order(sections, parsed.body, len(text))
    for section in parsed.sections:
        assert all(words.strip() for words in section.heading)
        _in_order([(block.start, block.end) for block in section.blocks], section.start, section.end)
    _in_order([(page.start, page.end) for page in parsed.pages], 0, len(text))
    assert [page.index for page in parsed.pages] == list(range(len(parsed.pages)))
    _check_words(parsed)


def _in_order(ranges: Sequence[tuple[int, int]], start: int, end: int) -> None:
    assert all(start <= first <= last <= end for first, last in ranges)
    assert all(before <= after for (_, before), (after, _) in pairwise(ranges))


def _check_words(parsed: Parsed) -> None:
    """Every word of a block is in one passage of its section; what is in no block is metadata, white space, or the section's heading."""
    text, done = parsed.text, parsed.body
    for section in parsed.sections:
        assert not text[done : section.start].strip()
        passages = cut(text, (section,))
        assert _squeezed(text, section.blocks) == _squeezed(text, passages)
        outside, done = "", section.start
        for block in section.blocks:
            outside += f" {text[done : block.start]}"
            done = block.end
        outside += f" {text[done : section.end]}"
        assert not outside.strip() or _words(section.heading[-1]) <= _words(outside)
        done = section.end
    assert not text[done:].strip()


def _squeezed(text: str, ranges: Iterable[Block | Passage]) -> str:
    return "".join("".join(text[part.start : part.end].split()) for part in ranges)


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text))


class ParserContract:
    """A subclass gives the parser, samples that it reads, and files that are no such thing."""

    @pytest.fixture
    def parser(self) -> Parser:
        """The parser under test."""
        raise NotImplementedError("give the suite a parser")

    @pytest.fixture
    def samples(self) -> Sequence[Sample]:
        """Files that the parser reads: at least one for each ending."""
        raise NotImplementedError("give the suite samples that the parser reads")

    def test_there_is_a_sample_for_each_ending(self, parser: Parser, samples: Sequence[Sample]) -> None:
        assert parser.suffixes == {name[name.rindex(".") :] for name, _ in samples}

    def test_its_name_holds_a_version_and_its_endings_are_in_lower_case(self, parser: Parser) -> None:
        assert any(character.isdigit() for character in parser.name)
        assert parser.suffixes
        assert all(suffix == suffix.lower() and suffix.startswith(".") for suffix in parser.suffixes)

    def test_every_sample_becomes_clean_text_with_its_structure_in_order(
        self, parser: Parser, samples: Sequence[Sample]
    ) -> None:
        for name, data in samples:
            check_parsed(parser.parse(data, name=name))

    def test_the_same_bytes_give_the_same_result(self, parser: Parser, samples: Sequence[Sample]) -> None:
        for name, data in samples:
            assert parser.parse(data, name=name) == parser.parse(data, name=name)

    def test_an_ending_is_read_in_any_case_and_wherever_the_file_is(
        self, parser: Parser, samples: Sequence[Sample]
    ) -> None:
        for name, data in samples:
            assert parser.parse(data, name=f"some folder/{name.upper()}").text == parser.parse(data, name=name).text

    def test_another_ending_is_refused(self, parser: Parser, samples: Sequence[Sample]) -> None:
        for name in ("file.unheard-of", "file"):
            assert self.refusal(parser, samples[0][1], name).code == "unsupported_format"

    def test_bytes_that_are_of_no_format_are_refused(self, parser: Parser, samples: Sequence[Sample]) -> None:
        for name, _ in samples:
            for data in (b"", b"\0", b"\x9d\xff" * 101):
                self.refusal(parser, data, name)

    @staticmethod
    def refusal(parser: Parser, data: bytes, name: str) -> InputError:
        """The fault that a file is refused with; it names the file and what to do."""
        with pytest.raises(InputError) as refused:
            parser.parse(data, name=name)
        assert (refused.value.where or "").startswith(name)
        assert refused.value.remedy
        return refused.value
