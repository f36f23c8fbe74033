from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from toulmin.adapters.files.text import TextParser
from toulmin.domain.corpus.passages import PassageLimits, cut
from toulmin.domain.corpus.text import lines
from toulmin.ports.parser import Parsed

LINES = [
    *[
        "",
        "",
        "",
        " ",
        "\t",
        "word",
        "Two words.",
        "A b. C d! E f?",
        "第一文です。第二文です！",
        "cafe\u0301 \U0001f469\u200d\U0001f467",
    ],
    *[
        "# Top",
        "## Sub",
        "#",
        "=====",
        "-----",
        "~~~",
        "=====  ====",
        "Title",
        "---",
        "```",
        "| a | b |",
        "|---|---|",
        "+---+",
        "***",
    ],
    *["- item", "  - inner", "1. first", "    indented", "> quoted", "[ref]: x", "<div>", "\u00a0", "\u2028", "\ufeff"],
    *[
        ".. note::",
        ".. data:: NAME",
        "   .. attribute:: x",
        "   body",
        "so::",
        ".. code-block:: c",
        ".. _target:",
        "..",
        "__ x",
    ],
    "long " * 30,
    "unbroken" * 20,
]
KEYS = ["title: My", "'a key': y", "tags:"]
line_ends = st.sampled_from(["\n", "\r\n", "\r"])
texts = (
    st.lists(st.tuples(st.sampled_from([*LINES, *KEYS, "---", "---"]), line_ends).map("".join), max_size=30)
    .map("".join)
    .map("{}word".format)
)
texts = st.one_of(texts, texts.map("---\n{}".format), texts.map("---\ntitle: My\n{}".format))
names = st.sampled_from(["a.txt", "a.md", "a.rst"])
limits = st.builds(
    PassageLimits,
    target_words=st.integers(1, 12),
    max_words=st.integers(12, 30),
    max_bytes=st.sampled_from([4, 9, 40, 400]),
    rest_words=st.integers(0, 8),
)


def parse(text: str, name: str) -> Parsed:
    return TextParser().parse(text.encode(), name=name)


@given(texts, names, limits)
def test_passages_hold_every_character_of_every_block_once(text: str, name: str, limits: PassageLimits) -> None:
    parsed = parse(text, name)
    passages = cut(parsed.text, parsed.sections, limits)
    covered = [at for p in passages for at in range(p.start, p.end) if not parsed.text[at].isspace()]
    wanted = [
        at
        for section in parsed.sections
        for block in section.blocks
        for at in range(block.start, block.end)
        if not parsed.text[at].isspace()
    ]
    assert covered == wanted


@given(texts, names, limits)
def test_a_passage_keeps_its_limits_and_its_section(text: str, name: str, limits: PassageLimits) -> None:
    parsed = parse(text, name)
    for passage in cut(parsed.text, parsed.sections, limits):
        words = parsed.text[passage.start : passage.end]
        assert words
        assert words == words.strip()
        assert len(words.encode()) <= limits.max_bytes
        assert any(
            section.start <= passage.start and passage.end <= section.end and passage.heading == section.heading
            for section in parsed.sections
        )


@given(texts, names)
def test_sections_and_blocks_are_in_order_and_apart(text: str, name: str) -> None:
    parsed = parse(text, name)
    at = 0
    for section in parsed.sections:
        assert at <= section.start <= section.end <= len(parsed.text)
        at = section.start
        for block in section.blocks:
            assert at <= block.start < block.end <= section.end
            at = block.end
        at = section.end


@given(texts, names)
def test_only_headings_and_front_matter_are_in_no_block(text: str, name: str) -> None:
    """Every line of the body that is in no block is part of a heading."""
    parsed = parse(text, name)
    text = parsed.text
    blocks = [block for section in parsed.sections for block in section.blocks]
    headings = {section.start for section in parsed.sections if section.heading or name == "a.md"}
    near_heading = 0
    for start, end in lines(text, parsed.body):
        if start in headings:
            near_heading = 3 if name == "a.rst" else len(text)  # a Markdown heading may have any number of lines
        if not text[start:end].strip():
            continue
        in_block = any(block.start < end and start < block.end for block in blocks)
        assert in_block or near_heading > 0, repr(text[start:end])
        near_heading = 0 if in_block else near_heading - 1


@given(texts, names)
def test_front_matter_is_keys_between_rules_and_nothing_else(text: str, name: str) -> None:
    """What is no part of the body is no paragraph, list, or heading: YAML itself finds a mapping in it."""
    front = [row.rstrip() for row in re.split(r"\r\n?|\n", text[: parse(text, name).body])]
    if front != [""]:
        assert (name, front[0], front[-2:]) == ("a.md", "---", ["---", ""])
        assert front[1].endswith(("y", "tags:")) or front[1].startswith("#")
        assert {row for row in front[1:-2] if row and not row[0].isspace() and row[0] not in "#-"} <= set(KEYS)


@given(texts, names, line_ends)
def test_the_kind_of_line_end_changes_no_structure(text: str, name: str, end: str) -> None:
    ranges = list(lines(text))
    unix = "\n".join(text[start:stop] for start, stop in ranges)
    other = end.join(text[start:stop] for start, stop in ranges)
    first, second = parse(unix, name), parse(other, name)
    assert described(first) == described(second)


def described(parsed: Parsed) -> list[tuple[tuple[str, ...], list[tuple[str, list[str]]]]]:
    return [
        (section.heading, [(b.kind, parsed.text[b.start : b.end].splitlines()) for b in section.blocks])
        for section in parsed.sections
    ]
