from __future__ import annotations

from types import ModuleType

import toulmin


def test_everything_that_the_package_promises_can_be_imported() -> None:
    assert [name for name in toulmin.__all__ if not hasattr(toulmin, name)] == []


def test_the_package_shows_nothing_that_it_does_not_promise() -> None:
    shown = {name for name, value in vars(toulmin).items() if name[0] != "_" and not isinstance(value, ModuleType)}
    assert shown - {"annotations"} <= set(toulmin.__all__)  # `annotations` is the __future__ import


def test_each_promised_name_stands_once() -> None:
    assert len(toulmin.__all__) == len(set(toulmin.__all__))
