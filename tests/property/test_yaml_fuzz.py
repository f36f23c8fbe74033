"""Whatever a file holds, reading it ends in a value or in an `InputError`, soon."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from datetime import UTC
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toulmin.domain.corpus.metadata import merged
from toulmin.domain.errors import InputError
from toulmin.surfaces.settings import load
from toulmin.wire import strict_json, strict_toml, strict_yaml
from toulmin.wire.contract import read_contract
from toulmin.wire.front_matter import FrontMatter, front_matter
from toulmin.wire.metadata import read_manifest, read_metadata
from toulmin.wire.node import Node, Plain
from toulmin.wire.policy import read_policy
from toulmin.wire.principal import read_principal

ZONE = ZoneInfo("Pacific/Kiritimati")

CONTRACT = """\
id: q
case: {model: {type: string}, on: {type: boolean, optional: true}, n: {type: number}, v: {type: version}, d: {type: date}, i: {type: instant}}
query: "words {model}"
k: 2
min_score: 0.5
eligibility: {rules: {model: equals, v: {version_in: {scheme: pep440}}, n: {at_least: {levels: ["1", "2"]}}}, missing: [model]}
facts:
  f: {applies: {on: true, n: 1, d: 2026-01-01, i: 2026-01-01}, proposition: "A.", clause: "B.", required: false}
answer: {mode: licensed, drafter: template}
"""
METADATA = """\
id: A
title: null
egress: any
scope: {a: "*", b: [x, y], c: ">=1,<2"}
readers: [public, "group:t/g"]
valid_from: 2026-01-01
valid_to: 2026-01-01T00:00:00Z
supersedes: ["1"]
spans: [{id: s, fact: f, quote: q}]
"""
MANIFEST = '{"path": "a.md", "version": "1", "scope": {"m": ["x"]}, "valid_to": null}\n{"path": "b.md"}\n'
SETTINGS = (
    '[eligibility.default]\nrules = {m = "equals"}\n[time]\nzone = "UTC"\n[effects.x]\nkind = "command"\nargv = ["a"]\n'
)
PRINCIPAL = 'id = "a"\ntenant = "t"\ngroups = ["g"]\nroles = ["reader"]\n'
POLICY = "version: a\nclaims: 3\n"

_SIGNS = ("&a", "*a", "!!int", "<<", "{", "}", "[", "]", "- ", ": ", ":", "#", "|", ">", '"', "'", "~", "null", "---\n", "...", "\t",
          "? ", "%", "@", "\\", "\n", "  ", "\x00", "\x85", "\u2028", "\ufeff", "\ud800", "1e999", "-0", "nan", "0001-01-01",
          "9999-12-31T23:59:59-12:00", "=", ",", "true", "toulmin:", "=1", "9" * 400)  # fmt: skip


@st.composite
def mutated(draw: st.DrawFn, valid: str) -> str:
    """A valid file with some pieces cut out, doubled, or replaced by signs that mean something."""
    text = valid
    for _ in range(draw(st.integers(1, 6))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 12)))
        piece = draw(st.one_of(st.just(""), st.sampled_from(_SIGNS), st.just(text[start:end] * 2), st.text(max_size=5)))
        text = text[:start] + piece + text[end:]
    return text


def survives(read: Callable[[], object]) -> None:
    with contextlib.suppress(InputError):
        read()


def raw(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


@given(st.one_of(st.text(), st.lists(st.sampled_from(_SIGNS), max_size=40).map("".join), st.binary()))
def test_arbitrary_text_never_ends_in_another_error(data: str | bytes) -> None:
    survives(lambda: strict_yaml.parse(data, "x"))
    survives(lambda: strict_json.parse(data, "x"))
    survives(lambda: strict_toml.parse(data, "x"))
    text = data.decode("latin-1") if isinstance(data, bytes) else data
    survives(lambda: front_matter(f"---\n{text}\ntoulmin: {{}}\n---\n", "x", of_any_tool=False))


@given(mutated(CONTRACT))
def test_a_mutated_contract_is_a_contract_or_an_error(text: str) -> None:
    survives(lambda: read_contract(raw(text), "x", ZONE).canonical)


@given(mutated(METADATA))
def test_mutated_metadata_is_metadata_or_an_error(text: str) -> None:
    survives(lambda: merged([read_metadata(strict_yaml.parse(raw(text), "x"), "x", ZONE)]))
    survives(lambda: front_matter(f"---\n{text}---\n", "x", of_any_tool=True))


@given(mutated("title: x\ntoulmin:\n  readers: ['tenant:a']\n"), st.booleans())
def test_front_matter_that_still_has_our_key_is_ours_or_an_error(text: str, of_any_tool: bool) -> None:
    """A file that states its readers is never read without them."""
    if any(
        re.match(r"\s*[\"']?toulmin[\"']?\s*:", line) for line in re.split(r"[\r\n]", re.split(r"---|\.\.\.", text)[0])
    ):
        survives(lambda: _assert_ours(front_matter(f"---\n{text}\n---\nbody", "x", of_any_tool=of_any_tool)))


def _assert_ours(found: FrontMatter) -> None:
    assert found.ours is not None


@given(mutated(MANIFEST))
def test_a_mutated_manifest_is_a_manifest_or_an_error(text: str) -> None:
    survives(lambda: read_manifest(raw(text), "x", ZONE))


@given(mutated(PRINCIPAL), mutated(POLICY))
def test_a_mutated_principal_or_policy_is_one_or_an_error(principal: str, policy: str) -> None:
    survives(lambda: read_principal(raw(principal), "x"))
    survives(lambda: read_policy(raw(policy), "x"))


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("workspace")


@given(text=mutated(SETTINGS))
def test_mutated_settings_are_settings_or_an_error(workspace: Path, text: str) -> None:
    (workspace / "toulmin.toml").write_bytes(raw(text))
    survives(lambda: load(workspace))


_WORDS = st.text(st.characters(exclude_categories=["C"]), max_size=20)
_TREES = st.recursive(
    _WORDS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_WORDS.filter(bool), inner, max_size=4),
    max_leaves=15,
)


def _flow(value: object) -> str:
    """A tree as YAML, every text in single quotes."""
    match value:
        case dict():
            return "{" + ", ".join(f"{_flow(key)}: {_flow(item)}" for key, item in value.items()) + "}"
        case list():
            return "[" + ", ".join(map(_flow, value)) + "]"
        case _:
            return "'" + str(value).replace("'", "''") + "'"


def _tuples(value: object) -> object:
    match value:
        case dict():
            return {key: _tuples(item) for key, item in value.items()}
        case list():
            return tuple(map(_tuples, value))
        case _:
            return value


@given(_TREES)
def test_quoted_text_is_read_as_it_was_written(tree: object) -> None:
    assert strict_yaml.parse(_flow(tree), "x").plain() == _tuples(tree)


@given(
    st.from_regex(r"[A-Za-z0-9.+_][A-Za-z0-9.+_-]{0,12}", fullmatch=True).filter(lambda word: word.lower() != "null")
)
def test_an_unquoted_word_is_the_text_that_was_written(word: str) -> None:
    assert strict_yaml.parse(f"k: {word}", "x").plain() == {"k": word}
    assert strict_yaml.parse(f"k: {word}", "x").step("k") == Node(Plain(word), 1, 1)


def test_the_valid_files_that_are_mutated_are_valid(workspace: Path) -> None:
    assert read_contract(CONTRACT, "x", ZONE).id == "q"
    assert read_metadata(strict_yaml.parse(METADATA, "x"), "x", UTC).id == "A"
    assert set(read_manifest(MANIFEST.encode(), "x", UTC)) == {"a.md", "b.md"}
    assert read_principal(PRINCIPAL, "x").id == "a"
    assert read_policy(POLICY, "x").claims == 3
    (workspace / "toulmin.toml").write_text(SETTINGS, encoding="utf-8")
    assert load(workspace).profiles["default"].attributes == ("m",)
