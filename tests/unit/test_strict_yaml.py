from __future__ import annotations

import pytest

from toulmin.domain.errors import InputError
from toulmin.wire.node import Node, Plain
from toulmin.wire.source import MAX_SOURCE_BYTES
from toulmin.wire.strict_yaml import parse


def error_of(text: str | bytes) -> InputError:
    with pytest.raises(InputError) as caught:
        parse(text, "a.yaml")
    return caught.value


def scalar(text: str) -> object:
    node = parse(f"key: {text}\n", "a.yaml").step("key")
    assert node is not None
    return node.content


@pytest.mark.parametrize(
    "text", ["3.10", "true", "yes", "0x10", "1_000", "2026-01-01", "12:30:00", ".inf", "010", "<<", "="]
)
def test_an_unquoted_scalar_stays_the_text_that_was_written(text: str) -> None:
    assert scalar(text) == text
    assert isinstance(scalar(text), Plain)


@pytest.mark.parametrize("text", ["", "~", "null"])
def test_an_unquoted_null_is_none(text: str) -> None:
    assert scalar(text) is None


@pytest.mark.parametrize(
    ("text", "value"), [('"null"', "null"), ("'~'", "~"), ('""', ""), ('"3"', "3"), ("|-\n  null", "null")]
)
def test_a_quoted_or_block_scalar_is_text_and_nothing_else(text: str, value: str) -> None:
    found = scalar(text)
    assert found == value
    assert type(found) is str


def test_keys_and_values_know_their_lines() -> None:
    root = parse("# comment\na: 1\nb:\n  - x\n  -\n    c: |\n      text\n", "a.yaml")
    b = root.step("b")
    assert b is not None
    inner = root.deepest(("b", 1, "c"))
    assert (root.line, b.key_line, b.line) == (2, 3, 4)
    assert (inner.key_line, inner.line, inner.content) == (6, 6, "text\n")


def test_lines_count_from_the_first_line_given() -> None:
    root = parse("a: 1", "a.md", first_line=7)
    assert root.deepest(("a",)).key_line == 7


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\nb: 2\na: 3\n", "a.yaml:3: key 'a' occurs twice, first on line 1 (keep one of the two)"),
        ("x:\n  - {b: 1, 'b': 2}\n", "a.yaml:2: key 'b' occurs twice, first on line 2 (keep one of the two)"),
        ("a: &anchor 1\n", "a.yaml:1: an anchor `&anchor` (remove it, or put the value in quotes)"),
        ("a: *alias\n", "a.yaml:1: an alias `*alias` (write the value out, or put it in quotes)"),
        ("a: 1\nb: !!str 2\n", "a.yaml:2: a tag `tag:yaml.org,2002:str` (remove it: the field decides the type)"),
        ("a: !local {}\n", "a.yaml:1: a tag `!local` (remove it: the field decides the type)"),
        ("a: {<<: {b: 1}}\n", "a.yaml:1: a merge key `<<` (write the keys out)"),
        ("a: 1\n---\nb: 2\n", "a.yaml:2: a second YAML document begins (keep one document in a file)"),
        ("? [a]\n: 1\n", "a.yaml:1: a key is a list or a mapping (write keys as text)"),
        ("'': 1\n", "a.yaml:1: a key is empty (give the key a name)"),
        ("", "a.yaml: nothing is written in it (write its keys, or remove it)"),
        ("# only a comment\n", "a.yaml: nothing is written in it (write its keys, or remove it)"),
        (
            "ok: 1\na: b: c\n",
            (
                "a.yaml:2: malformed YAML: mapping values are not allowed in this context "
                "(indent with spaces, and put a value that holds `: `, ` #` or begins with a sign in quotes)"
            ),
        ),
        ("a: 1\nb: \x07\n", "a.yaml:2: control character U+0007 (remove the character)"),
        ('a: 1\nb: "\\e[31m"\n', "a.yaml:2: control character U+001B (remove the character)"),
        ('"\\0": 1\n', "a.yaml:1: control character U+0000 (remove the character)"),
        ("a: \ud800\n", "a.yaml:1: control character U+D800 (remove the character)"),
    ],
)
def test_what_is_refused_names_its_line_and_the_remedy(text: str, message: str) -> None:
    assert str(error_of(text)) == message


@pytest.mark.parametrize(
    "text", ["a: [1, 2\nb: 3\n", "a: 'open\n", "\ta: 1\n", "a: b\n  c: d\n", "a: @x\n", "%YAML 9.9\n---\na: 1\n"]
)
def test_malformed_yaml_is_one_code(text: str) -> None:
    error = error_of(text)
    assert error.code == "bad_yaml"
    assert error.where is not None
    assert error.where.startswith("a.yaml:")
    assert error.remedy


def test_text_that_is_not_utf_8_names_its_line() -> None:
    error = error_of(b"a: 1\nb: caf\xe9\n")
    assert (error.code, error.where, error.remedy) == ("wrong_encoding", "a.yaml:2", "save the file as UTF-8")


def test_a_byte_order_mark_and_any_line_ends_are_read() -> None:
    root = parse(b"\xef\xbb\xbfa: 1\r\nb: 2\r\n", "a.yaml")
    assert root.plain() == {"a": "1", "b": "2"}
    assert root.deepest(("b",)).key_line == 2


@pytest.mark.parametrize("text", ["[" * 900, "a: " + "{a: " * 60, "\n".join(" " * i + "a:" for i in range(60))])
def test_deep_nesting_is_refused_before_it_is_built(text: str) -> None:
    assert error_of(text).code == "too_deep"


def test_nesting_beyond_what_libyaml_itself_reads_is_refused() -> None:
    assert error_of("[" * 500_000).code in ("too_deep", "bad_yaml")


def test_nesting_up_to_the_limit_is_read() -> None:
    assert parse("[" * 50 + "]" * 50, "a.yaml").plain()
    assert error_of("[" * 51 + "]" * 51).code == "too_deep"


def test_the_size_is_bounded() -> None:
    within = b"a: 1 #".ljust(MAX_SOURCE_BYTES, b"x")
    assert parse(within, "a.yaml").plain() == {"a": "1"}
    assert error_of(within + b"x").code == "too_large"


def test_a_dotted_path_finds_keys_that_have_dots_in_them() -> None:
    root = parse("facts:\n  a.b: {clause: x}\n  a: {clause: y}\n", "a.yaml")
    assert root.steps("facts.a.b.clause") == ("facts", "a.b", "clause")
    assert root.steps("facts.a.clause") == ("facts", "a", "clause")
    assert root.steps("facts.c.clause") == ("facts", "c", "clause")
    assert root.deepest(("facts", "a.b", "clause")) == Node(Plain("x"), 2, 2)
