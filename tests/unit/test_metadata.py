from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from toulmin.domain.corpus.document import Egress
from toulmin.domain.corpus.metadata import KEYS, CuratedQuote, Metadata, merged
from toulmin.domain.corpus.scope import Scope
from toulmin.domain.errors import InputError
from toulmin.wire import strict_yaml
from toulmin.wire.metadata import read_manifest, read_metadata
from toulmin.wire.node import node_of

SIDECAR = """\
id: GW-241
version: 3.10
title: Gateway telemetry after reconnect
author: null
language: en
source_type: known-issue
egress: local
scope:
  model: G2
  firmware: ">=2.4.1,<2.4.2"
  region: [north, east]
readers: [tenant:acme, public]
valid_from: 2026-07-01
valid_to: 2026-12-31T12:00:00Z
supersedes: ["2"]
spans:
  - {id: s1, fact: known-issue, quote: "G2 may stop.", prefix: "that "}
"""


def metadata(text: str, zone: str = "UTC") -> Metadata:
    return read_metadata(strict_yaml.parse(text, "a.md.meta.yaml"), "a.md.meta.yaml", ZoneInfo(zone))


def error_of(text: str) -> InputError:
    with pytest.raises(InputError) as caught:
        metadata(text)
    return caught.value


def test_every_key_of_the_format_is_read() -> None:
    assert metadata(SIDECAR, "Europe/Berlin") == Metadata(
        stated=frozenset(KEYS),
        id="GW-241",
        version="3.10",
        title="Gateway telemetry after reconnect",
        author=None,
        language="en",
        source_type="known-issue",
        egress=Egress.LOCAL,
        scope=Scope.of({"model": "G2", "firmware": "<2.4.2,>=2.4.1", "region": ("east", "north")}),
        readers=("public", "tenant:acme"),
        valid_from=datetime(2026, 6, 30, 22, tzinfo=UTC),
        valid_to=datetime(2026, 12, 31, 12, tzinfo=UTC),
        supersedes=("2",),
        spans=(CuratedQuote(id="s1", fact="known-issue", quote="G2 may stop.", prefix="that "),),
    )


def test_a_key_that_is_left_out_is_not_stated() -> None:
    assert metadata("id: a\nauthor: ~\n") == Metadata(stated=frozenset({"id", "author"}), id="a")


def test_a_quoted_null_is_text() -> None:
    assert metadata('author: "null"\n').author == "null"


def test_each_key_comes_whole_from_the_first_layer_that_states_it() -> None:
    sidecar = metadata("scope: {model: G2}\nauthor: null\n")
    row = metadata("scope: {firmware: '1'}\nauthor: Ada\ntitle: Row\n")
    options = metadata("title: Option\nversion: '9'\n")
    found = merged((sidecar, row, options))
    assert found.scope == Scope.of({"model": "G2"})
    assert (found.author, found.title, found.version) == (None, "Row", "9")
    assert found.stated == {"scope", "author", "title", "version"}
    assert merged(()) == Metadata()


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("id: a\ntitel: x\n", "unknown_key", "a.md.meta.yaml:2: titel: unknown key 'titel' (write title)"),
        (
            "readers: public\n",
            "wrong_type",
            "a.md.meta.yaml:1: readers: 'public' is not a list (write a list: [one, two])",
        ),
        (
            "readers:\n  - public\n  - group:staff\n",
            "bad_reader",
            "a.md.meta.yaml:3: readers[1]: 'group:staff' is not a reader (a group belongs to a tenant: write group:TENANT/GROUP)",
        ),
        (
            "scope:\n  model: G2\n  hw: []\n",
            "bad_scope",
            'a.md.meta.yaml:3: scope.hw: an empty list applies to nothing (give a value, or "*" for any value)',
        ),
        (
            "scope:\n  model: G2\n  hw: ['*', A]\n",
            "bad_scope",
            "a.md.meta.yaml:3: scope.hw: scope attribute hw: '*' stands inside a list (write hw: \"*\" for any value)",
        ),
        (
            "scope:\n",
            "wrong_type",
            "a.md.meta.yaml:1: scope: null is not a value for this key (give it a value, or leave the key out)",
        ),
        (
            "scope:\n  model:\n",
            "wrong_type",
            'a.md.meta.yaml:2: scope.model: null is not a text (write it as text, in "quotes" where it is a number, true, false or null)',
        ),
        (
            "valid_from: yesterday\n",
            "wrong_type",
            (
                "a.md.meta.yaml:1: valid_from: 'yesterday' is not a date or an instant "
                "(write a date such as 2026-01-31 or an instant such as 2026-01-31T12:00:00Z)"
            ),
        ),
        ("egress: locl\n", "wrong_type", "a.md.meta.yaml:1: egress: 'locl' is not one of any, local (write local)"),
        (
            "spans:\n- {id: s, fact: f, quote: q}\n- {id: s, fact: g, quote: r}\n",
            "duplicate_span",
            "a.md.meta.yaml:3: spans[1].id: span 's' occurs twice (give every span an id of its own)",
        ),
        (
            "spans:\n- {id: s, fact: f}\n",
            "missing_key",
            "a.md.meta.yaml:2: spans[0].quote: key quote is missing (add quote)",
        ),
        (
            "version: ' 1'\n",
            "bad_id",
            (
                "a.md.meta.yaml:1: version: ' 1' is no id or label "
                "(give 1 to 512 printable characters without white space at either end)"
            ),
        ),
        ("- id: a\n", "wrong_type", "a.md.meta.yaml:1: a list is not a mapping (write `key: value` lines)"),
    ],
)
def test_a_fault_names_file_line_key_path_and_remedy(text: str, code: str, message: str) -> None:
    error = error_of(text)
    assert str(error) == message
    assert error.code == code


@pytest.mark.parametrize("key", ["id", "version", "egress", "scope", "readers", "spans"])
def test_null_is_refused_where_it_could_be_read_as_open_to_all(key: str) -> None:
    assert error_of(f"{key}: null\n").where == f"a.md.meta.yaml:1: {key}"


def test_a_date_before_the_first_instant_is_refused() -> None:
    assert error_of("valid_from: 0001-01-01T00:00+10:00\n").code == "wrong_type"


def test_an_error_holds_no_words_of_a_long_text() -> None:
    error = error_of(f"valid_from: {'secret ' * 40}\n")
    assert "secret" not in str(error)


def test_a_title_is_not_blank() -> None:
    assert str(error_of("title: ' '\n")) == (
        "a.md.meta.yaml:1: title: the text is empty (give some text, or leave the key out)"
    )


def test_command_options_are_a_layer_without_lines() -> None:
    options = {"scope": {"flask": "2.2.5"}, "version": "2.2.5", "readers": ["public"]}
    found = read_metadata(node_of(options, "command options"), "command options", UTC)
    assert (found.version, found.readers, found.scope) == ("2.2.5", ("public",), Scope.of({"flask": "2.2.5"}))
    with pytest.raises(InputError, match=r"^command options: readers\[0\]: 'x' is not a reader"):
        read_metadata(node_of({"readers": ["x"]}, "command options"), "command options", UTC)


def test_a_curated_quote_knows_where_it_is_stated_but_is_no_other_for_it() -> None:
    spans = metadata("id: a\nspans:\n- id: s\n  fact: f\n  quote: q\n").spans
    assert spans == (CuratedQuote(id="s", fact="f", quote="q"),)
    assert spans[0].where == "a.md.meta.yaml:5: spans[0].quote"


def test_equal_metadata_has_equal_canonical_text() -> None:
    written = "scope: {b: [y, x], a: '>=1,<2'}\nreaders: [public, 'tenant:t']\nauthor: null\nvalid_from: 2026-01-01\n"
    other = (
        "valid_from: 2026-01-01T00:00:00Z\nauthor: ~\nreaders: ['tenant:t', public]\nscope: {a: '<2,>=1', b: [x, y]}\n"
    )
    assert metadata(written).canonical == metadata(other).canonical
    assert metadata(written).canonical == (
        '{"author":null,"readers":["public","tenant:t"],"scope":{"a":"<2,>=1","b":["x","y"]},"valid_from":"2026-01-01T00:00:00Z"}'
    )


def test_each_key_of_metadata_counts_in_its_canonical_text() -> None:
    found = metadata(SIDECAR)
    texts = {merged((replace(found, stated=found.stated - {key}),)).canonical for key in KEYS}
    assert len(texts | {found.canonical}) == len(KEYS) + 1
    assert metadata("author: null\n").canonical != Metadata().canonical


def manifest(text: str | bytes) -> dict[str, Metadata]:
    return dict(read_manifest(text if isinstance(text, bytes) else text.encode(), "manifest.jsonl", UTC))


def test_manifest_rows_are_metadata_by_path() -> None:
    rows = [{"path": "a/b.md", "version": "3", "scope": {"model": ["G2", "G3"]}}, {"path": "./c.md", "author": None}]
    text = "\r\n".join(json.dumps(row) for row in rows) + "\r\n\r\n"
    assert manifest(b"\xef\xbb\xbf" + text.encode()) == {
        "a/b.md": Metadata(
            stated=frozenset({"version", "scope"}), version="3", scope=Scope.of({"model": ("G2", "G3")})
        ),
        "c.md": Metadata(stated=frozenset({"author"})),
    }
    assert manifest("") == {}


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        (
            '{"path":"a"}\n\n{"path":"./a"}\n',
            "duplicate_path",
            "manifest.jsonl:3: path: path 'a' occurs twice, first on line 1 (keep one of the two rows)",
        ),
        (
            '{"path":"a"}\n{"path":"b","path":"c"}\n',
            "duplicate_key",
            "manifest.jsonl:2: key 'path' occurs twice (keep one of the two)",
        ),
        (
            '{"path":"a","scope":{"m":"1","m":"2"}}',
            "duplicate_key",
            "manifest.jsonl:1: key 'm' occurs twice (keep one of the two)",
        ),
        ('["a"]\n', "wrong_type", "manifest.jsonl:1: a list is not a mapping (write `key: value` lines)"),
        (
            '{"path":"a","version":3}',
            "wrong_type",
            'manifest.jsonl:1: version: 3 is not a text (write it as text, in "quotes" where it is a number, true, false or null)',
        ),
        (
            '{"path":"a","version":NaN}',
            "bad_json",
            "manifest.jsonl:1: NaN is no JSON number (write a finite number, or null)",
        ),
        (
            '{"path":"a","version":1e999}',
            "bad_json",
            "manifest.jsonl:1: 1e999 is no JSON number (write a finite number, or null)",
        ),
        (
            '{"path":"../a"}',
            "bad_path",
            "manifest.jsonl:1: path: '../a' is not below the manifest's folder (write a relative path without ..)",
        ),
        ('{"version":"1"}', "missing_key", "manifest.jsonl:1: path: key path is missing (add path)"),
        (
            '{"path":"a"} x',
            "bad_json",
            "manifest.jsonl:1: malformed JSON: Extra data (column 14) (write one JSON value, with double quotes)",
        ),
        (
            '{"path":"a"}\n{"path":"b","title":"\\u001b[2J"}',
            "control_character",
            "manifest.jsonl:2: control character U+001B (remove the character)",
        ),
        (
            b'{"path":"a"}\n{"path":"\xe9"}',
            "wrong_encoding",
            "manifest.jsonl:2: the text is not UTF-8 (save the file as UTF-8)",
        ),
        ("[" * 60 + "]" * 60, "too_deep", "manifest.jsonl:1: nested more than 50 deep (write it flatter)"),
        ("[" * 200_000, "too_deep", "manifest.jsonl:1: nested too deep to read (write it flatter)"),
        (
            '{"path":' + "9" * 5_000 + "}",
            "wrong_type",
            "manifest.jsonl:1: a whole number beyond 64 bits (put long digits in quotes)",
        ),
    ],
)
def test_a_bad_manifest_row_names_its_line(text: str | bytes, code: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        manifest(text)
    assert str(caught.value) == message
    assert caught.value.code == code
