from __future__ import annotations

from pathlib import Path

from toulmin.wire.schemas import schemas

_PUBLISHED = Path(__file__).parents[2] / "docs" / "reference" / "schemas"


def test_the_published_schemas_are_those_of_the_types() -> None:
    published = {file.name: file.read_text(encoding="utf-8") for file in _PUBLISHED.iterdir()}
    assert published == schemas(), "write them anew: script/schemas"
