from __future__ import annotations

from datetime import UTC

import pytest

from toulmin.domain.errors import InputError
from toulmin.wire.front_matter import front_matter
from toulmin.wire.metadata import read_metadata


def words(text: str, *, of_any_tool: bool = True) -> str:
    """The document's own words: what stands after its front matter."""
    return text[front_matter(text, "a.md", of_any_tool=of_any_tool).end :]


def refusal(text: str) -> InputError:
    with pytest.raises(InputError) as caught:
        front_matter(text, "a.md", of_any_tool=True)
    return caught.value


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("close", ["---", "..."])
@pytest.mark.parametrize("of_any_tool", [True, False])
def test_front_matter_of_ours_is_read_whatever_the_line_ends_are(end: str, close: str, of_any_tool: bool) -> None:
    text = end.join(("---", "layout: page", "toulmin:", "  id: GW-1", close, "# Text", "toulmin: no"))
    found = front_matter(text, "a.md", of_any_tool=of_any_tool)
    assert found.ours is not None
    assert read_metadata(found.ours, "a.md", UTC).id == "GW-1"
    assert found.ours.deepest(("id",)).key_line == 4
    assert text[found.end :] == f"# Text{end}toulmin: no"


@pytest.mark.parametrize(
    "block",
    [
        '"toulmin":\n  readers: ["tenant:a"]\n',
        "'toulmin' :\n  readers: ['tenant:a']\n",
        ' toulmin:\n   readers: ["tenant:a"]\n',
        ' title: x\n toulmin:\n   readers: ["tenant:a"]\n',
        '\ntoulmin:\n  readers: ["tenant:a"]\n',
        '{"toulmin": {"readers": ["tenant:a"]}}\n',
        '{title: x, toulmin: {readers: ["tenant:a"]}}\n',
        '{\n  title: x, "toulmin":\n  {readers: ["tenant:a"]}}\n',
        '? toulmin\n: readers: ["tenant:a"]\n',
    ],
)
def test_the_key_may_be_written_in_every_way_of_yaml(block: str) -> None:
    found = front_matter(f"---\n{block}---\nsecret", "a.md", of_any_tool=False)
    assert found.ours is not None
    assert read_metadata(found.ours, "a.md", UTC).readers == ("tenant:a",)


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("---\nx: 1\ntoulmin:{id: a}\n---\n", "a.md:3"),
        ("---\nx:\n  toulmin:\n    readers: []\n---\n", "a.md:3"),
        ("---\n- toulmin:\n    readers: []\n---\n", "a.md:2"),
        ("---\rx: 1\rToulmin:\r  readers: []\r---\r", "a.md:3"),
        ("---\n{a: {toulmin: {readers: []}}}\n---\n", "a.md:2"),
        ("---\nnote: |\n  toulmin: x\n---\n", "a.md:3"),
    ],
)
def test_a_key_of_ours_in_the_wrong_place_is_refused(text: str, where: str) -> None:
    error = refusal(text)
    assert (error.code, error.where) == ("bad_yaml", where)
    assert str(error) == (
        f"{where}: toulmin is no top-level key of the front matter here (write toulmin: in small letters, not below another key, with a "
        "space or a line end after it; if it is text and no metadata, begin the file with another line than ---)"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("---\ntoulmin:\n  id: a\ntext\n", "a.md:1: the front matter does not end (close it with a line --- before the text; "),
        ("\n\n---\ntoulmin: {}\n---\n", "a.md:3: the front matter does not begin on the first line (move its --- to the very beginning; "),
        (" ---\ntoulmin: {}\n---\n", "a.md:1: the front matter does not begin on the first line (move "),
        ("\ufeff---\ntoulmin: {}\n---\n", "a.md:1: the front matter does not begin on the first line (move "),
        ("---\nx: 1\nx: 2\ntoulmin: {}\n---\n", "a.md:3: key 'x' occurs twice, first on line 2 (keep one of the two)"),
        ("---\n&anchor toulmin: {}\n---\n", "a.md:2: an anchor `&anchor` (remove it, or put the value in quotes)"),
        ("---\n!!str toulmin: {}\n---\n", "a.md:2: a tag `tag:yaml.org,2002:str` (remove it: the field decides the type)"),
    ],
)  # fmt: skip
def test_front_matter_of_ours_must_be_whole_and_strict_yaml(text: str, message: str) -> None:
    assert str(refusal(text)).startswith(message)


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("--- # comment\ntoulmin:\n  readers: []\n---\n", 1),
        ("--- !!map\ntoulmin:\n  readers: []\n---\n", 1),
        ("--- !!map\ntitle: x\ntoulmin:\n  readers: []\nno end\n", 1),
        ("--- &anchor\n'toulmin':\n  readers: []\n---\n", 1),
        ("--- {toulmin: {readers: []}}\n---\n", 1),
        ("--- toulmin: {readers: []}", 1),
        ("--- !!map {title: x, toulmin: {readers: []}}\n---\n", 1),
        ("--- # comment\n{title: x, toulmin: {readers: []}}\n---\n", 1),
        ("---yaml\ntoulmin:\n  readers: []\n---\n", 1),
        ("---yaml\n{title: x, toulmin: {readers: []}}\n---\n", 1),
        ("--- x\ntoulmin: {}\n---\n", 1),
        ("---\u00a0\ntoulmin: {}\n---\n", 1),
        ("%YAML 1.2\n---\ntoulmin:\n  readers: []\n---\n", 2),
        ("%YAML 1.2\n# comment\n\n%TAG ! tag:x,2000:\n---\ntoulmin:\n  readers: []\n---\n", 5),
        ("# comment\n\n%YAML 1.2\n---\ntoulmin:\n  readers: []\n---\n", 4),
        ("\ufeff\n%YAML 1.2\n--- # comment\ntoulmin:\n  readers: []\n---\n", 3),
    ],
)  # fmt: skip
def test_front_matter_of_ours_must_begin_with_a_line_that_is_just_dashes(text: str, line: int, line_end: str) -> None:
    error = refusal(text.replace("\n", line_end))
    assert (error.code, error.where) == ("bad_yaml", f"a.md:{line}")
    assert error.message == "the front matter does not begin with a line that is just ---"
    assert (error.remedy or "").startswith("begin the front matter with a line that is just ---")


def test_braces_below_a_comment_are_searched_for_the_key_too() -> None:
    found = front_matter("---\n# comment\n{title: x, toulmin: {id: A}}\n---\n", "a.md", of_any_tool=True)
    assert found.ours is not None
    assert read_metadata(found.ours, "a.md", UTC).id == "A"


@pytest.mark.parametrize(
    "block",
    [
        "title: x\n",
        "title: x\nbroken: [ yaml\n",
        "title: 'x' y\ndate: 2026-01-01\n",
        "# comment\ntitle: x\n",
        "tags:\n- a\n- b\n",
        "tags: [\n  a,\n]\n",
        '"quoted key": x\n\nnested:\n  toulminate: y\n',
        "text: >\n  of toulmin, and more\n",
    ],
)
def test_front_matter_of_another_tool_is_no_text_of_markdown_but_text_elsewhere(block: str) -> None:
    text = f"---\n{block}---\nbody"
    assert words(text) == "body"
    assert words(text, of_any_tool=False) == text
    assert front_matter(text, "a.md", of_any_tool=True).ours is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "---",
        "# Text\n---\ntoulmin:\n---\n",
        "---\n---\n",
        "---\n\n---\n",
        "---\n\nThe reset code of the box is 4711.\n\n---\n\nOther.",
        "---\nThe reset code of the box is 4711.\n---\n\nOther.",
        "---\n\nNote: the reset code is 4711.\n\n---\n\nOther.",
        "---\ntitle: x\n\nThe reset code is 4711.\n\n---\n\nOther.",
        "---\n- reset: 4711\n---\n\nOther.",
        "---\n    code: 4711\n---\n\nOther.",
        "---\n# Reset\n---\n\nOther.",
        "---\n{title: x}\n---\n",
        "---\nSee https://example.org\n---\n",
        "---\n\nWe argue with toulmin: claims rest on evidence.\n\nThe toulmin model\n\n---\n\nOther.",
        "---\n\n# Toulmin: a tool\n\n**toulmin**: bold\n\n> toulmin: quoted\n\n---\n\nOther.",
        "\n---\ntitle: x\n---\n",
        "--- # comment\ntitle: x\n---\n",
        "--- !!map\ntitle: x\n---\n",
        "%YAML 1.2\n---\ntitle: x\n---\n",
        "% Lengths in per cent\n\n---\n\nWe argue with toulmin: claims rest on evidence.\n",
        "--- and so it ends.\n\nWe argue with toulmin: claims rest on evidence.\n",
        "%" * 5_000,
        "\n" * 200_000,
        "----\ntoulmin: {}\n----\n",
        "---\ntitle: x\nA thematic break, and no end.\n",
    ],
)
def test_what_only_stands_between_rules_is_text(text: str) -> None:
    assert words(text) == text
