"""A strict reader of YAML: every scalar stays the text that was written, and nothing is said twice or elsewhere.

It stands on PyYAML's event stream, so that what it refuses is refused before anything is built: duplicate keys, anchors and
aliases, tags, merge keys, several documents, deep nesting. No scalar gets a type here; the field that it is for decides.
"""

from __future__ import annotations

from collections.abc import Iterator

import yaml

from toulmin.domain.errors import InputError
from toulmin.wire.node import MAX_DEPTH, Node, Plain, place, too_deep
from toulmin.wire.source import checked, decoded

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the same events; libyaml is some ten times faster
_NULLS = frozenset(("", "~", "null", "Null", "NULL"))


def parse(data: str | bytes, source: str, *, first_line: int = 1) -> Node:
    """The one document of a YAML source.

    An unquoted null (`null`, `~` or nothing) is None, other unquoted scalars are `Plain`, all others `str`. `first_line` is the
    number of the data's first line in its file. Raises `InputError` with file and line: `bad_yaml`, `duplicate_key`, `too_deep`,
    `too_large`, `wrong_encoding`, `control_character`.
    """
    text = decoded(data, source, first_line=first_line)
    reader = _Reader(source, first_line, yaml.parse(text, Loader=_LOADER))
    try:
        return reader.document()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = first_line + mark.line if mark else None
        raise _malformed(f"malformed YAML: {error.problem or error.context}", place(source, line)) from None
    except yaml.YAMLError as error:
        raise _malformed(f"malformed YAML: {str(error).splitlines()[0]}", source) from None


def _malformed(message: str, where: str, remedy: str | None = None) -> InputError:
    advice = "indent with spaces, and put a value that holds `: `, ` #` or begins with a sign in quotes"
    return InputError("bad_yaml", message, where=where, remedy=remedy or advice)


class _Reader:
    """Builds nodes from the events of one stream."""

    def __init__(self, source: str, first_line: int, events: Iterator[yaml.Event]) -> None:
        self._source = source
        self._first_line = first_line
        self._events = events

    def document(self) -> Node:
        next(self._events)  # the start of the stream
        if isinstance(next(self._events), yaml.StreamEndEvent):
            raise _malformed("nothing is written in it", self._source, "write its keys, or remove it")
        root = self._node(next(self._events), MAX_DEPTH)
        next(self._events)  # the end of the document
        after = next(self._events)
        if not isinstance(after, yaml.StreamEndEvent):
            raise _malformed("a second YAML document begins", self._where(after), "keep one document in a file")
        return root

    def _node(self, event: yaml.Event, depth: int, key_line: int | None = None) -> Node:
        self._refuse_references(event)
        if depth == 0 and not isinstance(event, yaml.ScalarEvent):
            raise too_deep(self._where(event))
        line = self._line(event)
        match event:
            case yaml.SequenceStartEvent():
                return Node(tuple(self._items(depth - 1)), line, key_line)
            case yaml.MappingStartEvent():
                return Node(self._entries(depth - 1), line, key_line)
            case _:
                return Node(self._scalar(event), line, key_line)

    def _items(self, depth: int) -> Iterator[Node]:
        while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
            yield self._node(event, depth)

    def _entries(self, depth: int) -> dict[str, Node]:
        entries: dict[str, Node] = {}
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            key = self._key(event)
            if key in entries:
                raise InputError(
                    "duplicate_key",
                    f"key {key[:80]!r} occurs twice, first on line {entries[key].key_line}",
                    where=self._where(event),
                    remedy="keep one of the two",
                )
            entries[key] = self._node(next(self._events), depth, self._line(event))
        return entries

    def _key(self, event: yaml.Event) -> str:
        self._refuse_references(event)
        if not isinstance(event, yaml.ScalarEvent):
            raise _malformed("a key is a list or a mapping", self._where(event), "write keys as text")
        if event.value == "<<" and event.implicit[0]:
            raise _malformed("a merge key `<<`", self._where(event), "write the keys out")
        if not event.value:
            raise _malformed("a key is empty", self._where(event), "give the key a name")
        return checked(event.value, self._where(event))

    def _scalar(self, event: yaml.Event) -> str | None:
        assert isinstance(event, yaml.ScalarEvent)
        if not event.implicit[0]:
            return checked(event.value, self._where(event))
        return None if event.value in _NULLS else Plain(event.value)

    def _refuse_references(self, event: yaml.Event) -> None:
        """Anchors, aliases and tags: they make a file mean something else than what stands in the place read."""
        anchor, tag = getattr(event, "anchor", None), getattr(event, "tag", None)
        if isinstance(event, yaml.AliasEvent):
            raise _malformed(f"an alias `*{anchor}`", self._where(event), "write the value out, or put it in quotes")
        if anchor is not None:
            raise _malformed(f"an anchor `&{anchor}`", self._where(event), "remove it, or put the value in quotes")
        if tag is not None:
            raise _malformed(f"a tag `{tag}`", self._where(event), "remove it: the field decides the type")

    def _line(self, event: yaml.Event) -> int:
        mark = event.start_mark
        return self._first_line + (mark.line if mark else 0)

    def _where(self, event: yaml.Event) -> str:
        return place(self._source, self._line(event))
