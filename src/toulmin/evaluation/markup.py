"""Markup: elements of a page, in which every text is escaped unless it is markup itself."""

from __future__ import annotations

from html import escape


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


_VOID = frozenset({"meta", "rect", "line", "circle"})
"""Elements without content."""


def element(name: str, /, *content: str, **attributes: object) -> Markup:
    """An element. An attribute's name may have `_` for `-`, and one at its end where Python keeps the word to itself (`class_`)."""
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_text(value))}"' for key, value in attributes.items()
    )
    if name in _VOID and not content:
        return Markup(f"<{name}{given}/>")
    return Markup(f"<{name}{given}>{together(*content)}</{name}>")


def together(*content: str) -> Markup:
    """Parts one after the other."""
    return Markup("".join(part if isinstance(part, Markup) else escape(part) for part in content))


def _text(value: object) -> str:
    return f"{value:.1f}" if isinstance(value, float) else str(value)
