"""The page of settings has every key that `toulmin.toml` may have, in its section and with its default, and no other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import tzinfo
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from toulmin.surfaces.settings import _File

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "settings.md").read_text(encoding="utf-8")
NAMED = {
    "eligibility": "eligibility.NAME",
    "effects": "effects.NAME",
    "server.mtls.subjects": 'server.mtls.subjects."SUBJECT"',
}
"""Sections of which there may be many, by what users name them."""
VALUES = {"eligibility.NAME.rules"}
"""Keys whose values have keys of their own, on another page."""

Sections = dict[str, dict[str, str]]


def on_the_page(page: str) -> Sections:
    """The defaults by section and key, as the tables of a page state them."""
    sections = re.split(r"^## `\[(.+)\]`$", page, flags=re.MULTILINE)[1:]
    rows = r"^\| `(\w+)` \| (.+?) \| .+ \|$"
    return {
        name: dict(re.findall(rows, text, re.MULTILINE))
        for name, text in zip(sections[::2], sections[1::2], strict=True)
    }


def in_the_code(model: type[BaseModel], section: str = "") -> Sections:
    """The same, as the settings are read."""
    found: Sections = {}
    keys = {}
    for name, field in model.model_fields.items():
        path = f"{section}.{name}".removeprefix(".")
        models = [kind for kind in _types(field.annotation) if issubclass(kind, BaseModel) and path not in VALUES]
        if models:
            found |= in_the_code(models[0], NAMED.get(path, path))
        else:
            keys[name] = default(field)
    return ({section: keys} if section else {}) | found


def _types(annotation: Any) -> Iterator[type]:
    """The classes that an annotation is made of."""
    for part in get_args(annotation):
        yield from _types(part)
    if isinstance(annotation, type):
        yield annotation


def default(field: FieldInfo) -> str:
    """A default as the page writes it: as the file would, in code."""
    return "required" if field.is_required() else _written(field.default if field.default_factory is None else {})


def _written(value: Any) -> str:
    match value:
        case None:
            return "none"
        case tzinfo():
            return _written(str(value))
        case tuple() | Mapping() if not value:
            return "`{}`" if isinstance(value, Mapping) else "`[]`"
        case tuple():
            return f"`[{', '.join(_written(each).strip('`') for each in value)}]`"
        case bool():
            return f"`{str(value).lower()}`"
        case int() | float():
            return f"`{value:_}`" if value >= 10_000 else f"`{value:g}`"
        case _:
            return f'`"{value}"`'


def test_every_key_is_on_the_page_with_its_default_and_no_other_key_is() -> None:
    assert on_the_page(PAGE) == in_the_code(_File)


def test_a_key_that_is_not_on_the_page_is_noticed() -> None:
    misspelt = on_the_page(PAGE.replace("| `socket` |", "| `sokcet` |"))
    assert misspelt["server"].keys() ^ in_the_code(_File)["server"].keys() == {"socket", "sokcet"}
