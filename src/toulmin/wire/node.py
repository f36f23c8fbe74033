"""Nodes: what a YAML, TOML or JSON source says and on which line, before a field gives it a type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from toulmin.domain.errors import InputError
from toulmin.wire.source import checked

MAX_DEPTH = 50
"""How many lists and mappings may stand inside each other."""

Step = str | int
"""One step of a key path: a key, or a place in a list."""


class Plain(str):
    """The text of an unquoted YAML scalar: it has no type of its own, the field that it is for decides.

    Every other text (quoted, block, TOML, JSON) is a `str` and nothing but text.
    """

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Node:
    """One part of a source: a mapping (dict), a list (tuple) or a scalar, with lines counted from 1.

    `line` is where the content begins, `key_line` where its key stands; None where the syntax does not tell (TOML).
    """

    content: object
    line: int | None = None
    key_line: int | None = None

    def plain(self) -> object:
        """The same without lines: dicts, tuples and scalars."""
        match self.content:
            case dict():
                return {key: node.plain() for key, node in self.content.items()}
            case tuple():
                return tuple(node.plain() for node in self.content)
            case _:
                return self.content

    def step(self, step: Step) -> Node | None:
        """The node under one key or place, if there is one."""
        match self.content, step:
            case dict(), str():
                return self.content.get(step)
            case tuple(), int():
                return self.content[step] if 0 <= step < len(self.content) else None
            case _:
                return None

    def deepest(self, path: Sequence[Step]) -> Node:
        """The last node that exists along a path."""
        below = self.step(path[0]) if path else None
        return below.deepest(path[1:]) if below else self

    def steps(self, dotted: str) -> tuple[Step, ...]:
        """The steps of a dotted key path; keys of this source that have dots in them stay whole."""
        if not dotted:
            return ()
        keys = self.content if isinstance(self.content, dict) else ()
        key = max((key for key in keys if f"{dotted}.".startswith(f"{key}.")), key=len, default=None)
        below = self.step(key) if key is not None else None
        if key is None or below is None:
            return tuple(dotted.split("."))
        return (key, *below.steps(dotted[len(key) + 1 :]))


def node_of(value: object, source: str, *, line: int | None = None) -> Node:
    """The node of values that already have types (TOML, JSON, command options), all on one line or none.

    Raises `InputError` for control characters, for whole numbers beyond 64 bits, and for nesting beyond `MAX_DEPTH`.
    """
    return _node_of(value, place(source, line), line, MAX_DEPTH)


def _node_of(value: object, where: str, line: int | None, depth: int) -> Node:
    if depth < 0:
        raise too_deep(where)
    match value:
        case Mapping():
            entries = {checked(str(key), where): _node_of(item, where, line, depth - 1) for key, item in value.items()}
            return Node(entries, line, line)
        case list() | tuple():
            return Node(tuple(_node_of(item, where, line, depth - 1) for item in value), line, line)
        case str():
            return Node(checked(value, where), line, line)
        case int() if not -(2**63) <= value < 2**63:
            raise InputError(
                "wrong_type", "a whole number beyond 64 bits", where=where, remedy="put long digits in quotes"
            )
        case _:
            return Node(value, line, line)


def too_deep(where: str) -> InputError:
    """The error for a source that nests too far."""
    return InputError("too_deep", f"nested more than {MAX_DEPTH} deep", where=where, remedy="write it flatter")


def place(source: str, line: int | None = None, path: Sequence[Step] = ()) -> str:
    """Where something is: `contracts/gateway.yaml:12: facts.hold.clause`."""
    keys = "".join(f"[{step}]" if isinstance(step, int) else f".{_key(step)}" for step in path).removeprefix(".")
    file = source if line is None else f"{source}:{line}"
    return f"{file}: {keys}" if keys else file


def _key(key: str) -> str:
    return key if key.isprintable() and len(key) <= 80 else repr(key[:80])
