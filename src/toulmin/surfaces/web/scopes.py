"""Scopes as people enter them in a form: a line for each attribute."""

from __future__ import annotations

import json
from typing import Final

from toulmin.domain.corpus.scope import AttributeValue, Scope
from toulmin.domain.errors import InputError
from toulmin.wire import strict_json

_JSON: Final = ("[", '"')
"""What a scope's value begins with that is entered as JSON."""


def stated_scope(text: str) -> dict[str, object]:
    """A scope as it is entered: a line for each attribute; a value in quotes or brackets is JSON."""
    found: dict[str, object] = {}
    for line in filter(None, map(str.strip, text.splitlines())):
        name, _, value = (part.strip() for part in line.partition("="))
        try:
            stated = strict_json.parse(value, "scope", line=None).plain() if value.startswith(_JSON) else value
        except InputError:
            stated = None
        if not (name and stated) or name in found:
            advice = 'write one line for each attribute, such as model=G2 or model=["G2", "G3"]'
            raise InputError("bad_scope", f"{line!r} is no attribute with its value", where="scope", remedy=advice)
        found[name] = stated
    return found


def scope_text(scope: Scope) -> str:
    """The text that states a scope, as it would be entered."""
    return "\n".join(f"{name}={_value_text(value)}" for name, value in scope.attributes)


def _value_text(value: AttributeValue) -> str:
    is_plain = isinstance(value, str) and value == " ".join(value.split()) and not value.startswith(_JSON)
    return str(value) if is_plain else json.dumps(value, ensure_ascii=False)
