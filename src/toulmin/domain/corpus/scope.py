"""Scope: the applicability attributes of a revision, in one canonical form.

Equal scopes are interned by the store, so that a corpus of many passages has few of them to judge. Who may read a
document is not part of its scope: readers stand beside it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from toulmin.domain.canonical import canonical_json
from toulmin.domain.corpus.versions import is_specifier, normalise_specifier
from toulmin.domain.errors import InputError

ANY = "*"
"""The wildcard: a document that states it applies whatever the case says. It means nothing in a case."""

AttributeValue = str | tuple[str, ...]
"""What a document states: `"*"`, one value, a version specifier, or a list of values."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,99}")


@dataclass(frozen=True)
class Scope:
    """Attribute names with their values, sorted by name; values normalised, so that equal scopes compare equal."""

    attributes: tuple[tuple[str, AttributeValue], ...] = ()

    @classmethod
    def of(cls, stated: Mapping[str, str | Sequence[str]]) -> Scope:
        """The canonical scope of what a document states.

        Lists are sorted without repeats, version specifiers are sorted clause by clause. Raises `InputError` for a name that
        is not an identifier, an empty value, and the wildcard inside a list.
        """
        return cls(tuple(sorted((_checked_name(name), _canonical(name, value)) for name, value in stated.items())))

    def get(self, name: str) -> AttributeValue | None:
        """The stated value, or None where the document does not state the attribute."""
        return self._by_name.get(name)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(name for name, _ in self.attributes)

    @cached_property
    def canonical(self) -> str:
        """Canonical JSON (RFC 8785): the key under which scopes are interned, and the form that digests cover."""
        return canonical_json(self._by_name)

    @cached_property
    def _by_name(self) -> dict[str, AttributeValue]:
        return dict(self.attributes)


def _checked_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise InputError(
            "bad_scope",
            f"scope attribute {name!r} is not a name",
            remedy="use letters, digits, '_', '-' and '.', starting with a letter",
        )
    return name


def _canonical(name: str, value: str | Sequence[str]) -> AttributeValue:
    if isinstance(value, str):
        return _canonical_item(name, value)
    items = tuple(sorted({_canonical_item(name, item) for item in value}))
    if ANY in items:
        raise InputError(
            "bad_scope", f"scope attribute {name}: '*' stands inside a list", remedy=f'write {name}: "*" for any value'
        )
    return items


def _canonical_item(name: str, value: str) -> str:
    text = value.strip()
    if not text:
        raise InputError(
            "bad_scope", f"scope attribute {name} has an empty value", remedy='give a value, or "*" for any value'
        )
    return normalise_specifier(text) if is_specifier(text) else text
