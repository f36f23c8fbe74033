"""What states a document's metadata: sidecars, front matter, manifests and command options, read strictly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import tzinfo
from pathlib import PurePosixPath
from typing import Annotated

from pydantic import BeforeValidator

from toulmin.domain.corpus.document import Egress
from toulmin.domain.corpus.metadata import KEYS, CuratedQuote, Metadata, stated_metadata
from toulmin.domain.corpus.readers import Readers, readers
from toulmin.domain.corpus.scope import Scope
from toulmin.domain.errors import InputError
from toulmin.wire import strict_json
from toulmin.wire.model import Strict, located, read
from toulmin.wire.node import Node, Step, place
from toulmin.wire.scalars import Identifier, Instant, NotNull, Text, Words, choice, fault, text


def _stated_value(value: object) -> str | tuple[str, ...]:
    if not isinstance(value, tuple):
        return text(value)
    if not value:
        raise fault("bad_scope", "an empty list applies to nothing", 'give a value, or "*" for any value')
    return tuple(text(item) for item in value)


class _Span(Strict):
    id: Identifier
    fact: Identifier
    quote: Words
    prefix: Text | None = None
    suffix: Text | None = None


class _Metadata(Strict):
    """Keys whose absence has a meaning that null could be mistaken for (open to all, not labelled) do not take null."""

    id: Annotated[Identifier | None, NotNull] = None
    version: Annotated[Identifier | None, NotNull] = None
    title: Words | None = None
    author: Words | None = None
    language: Identifier | None = None
    source_type: Identifier | None = None
    egress: Annotated[Egress | None, NotNull, choice(*Egress)] = None
    scope: Annotated[dict[str, Annotated[str | tuple[str, ...], BeforeValidator(_stated_value)]] | None, NotNull] = None
    readers: Annotated[tuple[Text, ...] | None, NotNull] = None
    valid_from: Instant | None = None
    valid_to: Instant | None = None
    supersedes: tuple[Identifier, ...] | None = None
    spans: Annotated[tuple[_Span, ...] | None, NotNull] = None


class _Row(_Metadata):
    path: Words


class DescriptorBody(Strict):
    """The metadata of a revision that is in the corpus, whole: what is left out would be taken for its default, which nobody may mean."""

    title: Words | None
    author: Words | None
    language: Identifier | None
    source_type: Identifier | None
    egress: Annotated[Egress, choice(*Egress)]
    scope: dict[str, Annotated[str | tuple[str, ...], BeforeValidator(_stated_value)]]
    readers: tuple[Text, ...]
    valid_from: Instant | None
    valid_to: Instant | None
    supersedes: tuple[Identifier, ...] | None
    spans: tuple[_Span, ...]


class EditBody(Strict):
    """What is to describe a revision, in place of the descriptor with this digest."""

    replaces: Identifier
    metadata: DescriptorBody


def read_metadata(node: Node, source: str, zone: tzinfo) -> Metadata:
    """The metadata that a node states (sidecar, front matter, command options); dates begin in `zone`.

    Raises `InputError` with file, line and key path.
    """
    return _value(read(_Metadata, node, source, zone=zone), node, source)


def read_edit(node: Node, source: str, zone: tzinfo) -> tuple[str, Metadata]:
    """The digest of the descriptor that is to be replaced, and the metadata that are to take its place; raises `InputError` as above."""
    body = read(EditBody, node, source, zone=zone)
    return body.replaces, _value(body.metadata, node, source, ("metadata",))


def read_manifest(data: bytes, source: str, zone: tzinfo) -> Mapping[str, Metadata]:
    """The rows of a `manifest.jsonl` by normalised relative path; blank lines count for nothing.

    Raises `InputError` with file and line: also for a path that occurs twice, is absolute or leads out of the folder.
    """
    rows: dict[str, Metadata] = {}
    lines: dict[str, int] = {}
    for line, row in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if not row.strip():
            continue
        node = strict_json.parse(row, source, line=line)
        form = read(_Row, node, source, zone=zone)
        path = _relative(form.path, place(source, line, ("path",)))
        if path in rows:
            raise InputError(
                "duplicate_path",
                f"path {path!r} occurs twice, first on line {lines[path]}",
                where=place(source, line, ("path",)),
                remedy="keep one of the two rows",
            )
        rows[path], lines[path] = _value(form, node, source), line
    return rows


def _relative(path: str, where: str) -> str:
    pure = PurePosixPath(path)
    if pure.is_absolute() or ".." in pure.parts or not pure.parts:
        raise InputError(
            "bad_path",
            f"{path[:80]!r} is not below the manifest's folder",
            where=where,
            remedy="write a relative path without ..",
        )
    return str(pure)


def _value(form: _Metadata | DescriptorBody, node: Node, source: str, at: tuple[Step, ...] = ()) -> Metadata:
    """What a form states that was read from a node, or `at` a place in it."""
    stated = {key: getattr(form, key) for key in KEYS if key in form.model_fields_set}
    if form.scope is not None:
        stated["scope"] = _scope(form.scope, node, source, at)
    if form.readers is not None:
        stated["readers"] = _readers(form.readers, node, source, at)
    if form.spans is not None:
        stated["spans"] = _spans(form.spans, node, source, at)
    return stated_metadata(stated)


def _scope(stated: Mapping[str, str | tuple[str, ...]], node: Node, source: str, at: tuple[Step, ...]) -> Scope:
    for attribute, value in stated.items():
        try:
            Scope.of({attribute: value})
        except InputError as error:
            raise located(error, node, source, (*at, "scope", attribute)) from None
    return Scope.of(stated)


def _readers(tokens: Sequence[str], node: Node, source: str, at: tuple[Step, ...]) -> Readers:
    for place_in_list, token in enumerate(tokens):
        try:
            readers([token])
        except InputError as error:
            raise located(error, node, source, (*at, "readers", place_in_list)) from None
    return readers(tokens)


def _spans(spans: Sequence[_Span], node: Node, source: str, at: tuple[Step, ...]) -> tuple[CuratedQuote, ...]:
    seen: set[str] = set()
    for place_in_list, span in enumerate(spans):
        if span.id in seen:
            error = InputError(
                "duplicate_span", f"span {span.id!r} occurs twice", remedy="give every span an id of its own"
            )
            raise located(error, node, source, (*at, "spans", place_in_list, "id"))
        seen.add(span.id)
    return tuple(
        CuratedQuote(**span.model_dump(), where=_place(node, source, (*at, "spans", place_in_list, "quote")))
        for place_in_list, span in enumerate(spans)
    )


def _place(node: Node, source: str, path: Sequence[Step]) -> str:
    return place(source, node.deepest(path).key_line, path)
